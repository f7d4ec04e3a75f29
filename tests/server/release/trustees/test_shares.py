"""Shares as words: any threshold of them makes the key, and what is wrong with one is said."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shamir_mnemonic.wordlist import WORDLIST

from server.release.trustees.shares import (
    covering_sets,
    join_shares,
    parse_share,
    require_threshold,
    split_secret,
)
from shared.errors import OpeningError

SECRET = bytes(range(32))
WORDS = split_secret(SECRET, 3, 5)
OTHERS = split_secret(bytes(32), 3, 5)


def shares(words: tuple[str, ...] = WORDS, *numbers: int):
    """Some of the shares, by number from 1."""
    return [parse_share(words[n - 1], f"share-{n}") for n in numbers or range(1, len(words) + 1)]


def refusal(texts: list[str]) -> OpeningError:
    with pytest.raises(OpeningError) as caught:
        join_shares([parse_share(text, f"file {i}") for i, text in enumerate(texts)])
    words = " ".join(texts).split()
    assert not any(f"{one} {two}" in str(caught.value) for one, two in pairwise(words))
    return caught.value


def test_every_three_of_five_make_the_key() -> None:
    for numbers in combinations(range(1, 6), 3):
        assert join_shares(shares(WORDS, *numbers)) == SECRET


def test_more_shares_than_needed_all_take_part() -> None:
    assert join_shares(shares()) == SECRET
    sets = covering_sets(shares(), 3)
    assert {share.number for subset in sets for share in subset} == {1, 2, 3, 4, 5}
    assert all(len(subset) == 3 for subset in sets)


def test_a_share_says_its_number_and_threshold() -> None:
    for number, share in enumerate(shares(), 1):
        assert (share.number, share.threshold) == (number, 3)
        assert share.words not in repr(share)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_allowed_split_is_joined_again(data: st.DataObject) -> None:
    total = data.draw(st.integers(2, 16))
    threshold = data.draw(st.integers(2, total))
    secret = data.draw(st.binary(min_size=32, max_size=32))
    words = split_secret(secret, threshold, total)
    chosen = data.draw(st.permutations(range(1, total + 1)))[:threshold]
    assert join_shares(shares(words, *chosen)) == secret


@pytest.mark.parametrize("split", [(1, 1), (1, 5), (0, 3), (4, 3), (2, 17), (17, 17), (-1, 2)])
def test_splits_that_protect_nothing_are_refused(split: tuple[int, int]) -> None:
    with pytest.raises(OpeningError) as caught:
        require_threshold(*split)
    assert caught.value.code == "opening.threshold"


def test_too_few_shares() -> None:
    assert refusal(list(WORDS[:2])).code == "opening.too-few-shares"
    assert refusal([]).code == "opening.too-few-shares"


def test_a_share_given_twice() -> None:
    assert refusal([WORDS[0], WORDS[1], WORDS[0]]).code == "opening.share-twice"


def test_a_share_of_another_ceremony() -> None:
    assert refusal([WORDS[0], WORDS[1], OTHERS[2]]).code == "opening.share-of-another-key"


@pytest.mark.parametrize("changed", [1, 2, 3])
def test_up_to_three_wrong_words_are_found(changed: int) -> None:
    chance = random.Random(changed)
    for _ in range(200):
        words = WORDS[0].split()
        for place in chance.sample(range(33), changed):
            words[place] = chance.choice([word for word in WORDLIST if word != words[place]])
        assert refusal([" ".join(words)]).code == "opening.share-damaged"


def test_swapped_missing_added_and_unknown_words() -> None:
    words = WORDS[0].split()
    swapped = [*words[:9], words[10], words[9], *words[11:]]
    for text in (
        " ".join(swapped),
        " ".join(words[:-1]),
        " ".join([*words, words[0]]),
        " ".join(["zzzz", *words[1:]]),
        "",
        "no share",
        "\x00\xff" * 20,
    ):
        assert refusal([text]).code == "opening.share-damaged"


def test_four_letters_and_capitals_suffice() -> None:
    short = " ".join(word[:4].upper() for word in WORDS[0].split())
    assert parse_share(short, "paper") == parse_share(WORDS[0], "paper")


def test_numbered_lines_are_read_among_others() -> None:
    words = WORDS[0].split()
    lines = ["Keep this secret. 2 people know.", ""]
    lines += [
        "   ".join(f"{i + 1:2} {words[i]:10}" for i in range(at, min(at + 4, 33))) for at in range(0, 33, 4)
    ]
    assert parse_share("\n".join(lines), "file").words == WORDS[0]
    with pytest.raises(OpeningError, match="word 5 is missing"):
        parse_share("\n".join(lines).replace(" 5 ", " 6 "), "file")


def test_numbered_lines_may_be_typed_in_another_order() -> None:
    lines = [f"{i}. {word}" for i, word in enumerate(WORDS[0].split(), 1)]
    assert parse_share("\n".join(reversed(lines)), "file").words == WORDS[0]


def test_words_of_another_use_are_refused() -> None:
    """A share of a wallet: two groups, or a shorter secret."""
    from shamir_mnemonic import generate_mnemonics

    for groups, secret in ((((2, 3), (2, 3)), SECRET), (((1, 1),), SECRET)):
        ((text, *_), *_) = generate_mnemonics(1, list(groups), secret)
        assert refusal([text]).code == "opening.share-damaged"
    (short, *_) = generate_mnemonics(1, [(2, 3)], bytes(16))[0]
    assert refusal([short]).code == "opening.share-damaged"
