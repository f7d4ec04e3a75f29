"""Ballots of an election: layout, the seed, and every line that refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.ballot import HEAD_BYTES
from shared.edwards import L
from shared.election import verifying
from shared.election.contest import Place, challenge
from shared.election.group import GENERATOR, IDENTITY, PythonGroup, encode_scalar
from shared.election.making import make
from shared.election.terms import Terms, contest_bytes
from shared.election.verifying import verify, verify_batch
from shared.election.vote import EncryptedVote, of_ballot
from shared.errors import ElectionError, SubmissionError
from tests.election import GROUP, SECRET, TERMS, read, seed, token_of, vote_of, voted
from tests.vectors.generate import FOLDER

DOCUMENT = json.loads((FOLDER / "election_ballot.json").read_text("utf-8"))
REFUSED = {case["name"]: case for case in DOCUMENT["refused"]}
BALLOT, GOOD = voted(0, 0, (0, 1)), vote_of(0, 0, (0, 1))
KEY = token_of(0).device_key


def weights() -> Callable[[int], bytes]:
    """Different bytes each time, the same in each run."""
    drawn = iter(range(10**9))
    return lambda count: encode_scalar(pow(5, 3 + next(drawn), L))[:count]


def test_layout() -> None:
    data = BALLOT.to_bytes()
    assert data[:5] == b"\x02\x00\x00\x00\x00"
    assert (HEAD_BYTES, contest_bytes(12), len(data)) == (453, 3584, 453 + 992 + 704 + 64)
    assert TERMS.box_bytes == 992 + 704
    assert data[453:485] == GOOD.contests[0].ciphertexts[0][0]
    assert read(data) == BALLOT
    assert EncryptedVote.of(BALLOT, TERMS) == GOOD


def test_a_ballot_holds_what_was_chosen() -> None:
    for contest, chosen in zip(GOOD.contests, (0, 1), strict=True):
        for j, (r, s) in enumerate(contest.ciphertexts):
            vote = GROUP.combine((1, L - SECRET), (s, r))
            assert vote == (GENERATOR if j == chosen else IDENTITY)


TINY = replace(TERMS, choices=(2,))
TINY_BALLOT = voted(0, 0, (1,), TINY)


def test_every_byte_counts() -> None:
    """Each byte of a ballot changed once, the bit by its place; the line is the one of the place."""
    data = TINY_BALLOT.to_bytes()
    for place in range(len(data)):
        changed = data[:place] + bytes((data[place] ^ 1 << place % 8,)) + data[place + 1 :]
        assert refusal(changed) in expected_lines(place), place


def refusal(data: bytes) -> str:
    """What refuses a changed ballot."""
    try:
        ballot = read(data, TINY)
        vote = EncryptedVote.of(ballot, TINY)
    except SubmissionError as error:
        return error.code
    if not verifying._all_hold((vote,), TINY, GROUP, weights()):
        return "proofs"
    try:
        ballot.verify(TINY.digest)
    except SubmissionError as error:
        return error.code
    return ""


def expected_lines(place: int) -> tuple[str, ...]:
    """Where a changed byte is found: the signature covers what no proof does."""
    if place == 0:
        return ("ballot.form",)
    if place < 5:
        return ("ballot.cell", "proofs")
    prefix_or_signature = place < 37 or 69 <= place < HEAD_BYTES or place >= len(TINY_BALLOT.to_bytes()) - 64
    return ("ballot.signature",) if prefix_or_signature else ("ballot.number", "proofs")


def test_a_device_key_stands_in_every_challenge() -> None:
    """So that contests copied under another token fail."""
    contest = GOOD.contests[0]
    proven = (contest.ciphertexts, contest.commitments, contest.sum_commitments)
    place = Place(device_key=KEY, cell=0, contest=0)
    assert challenge(TERMS, place, *proven) == contest.challenge


def inputs_of_the_challenge() -> list[tuple[str, Terms, Place, tuple[Any, ...]]]:
    """Each input of the hash changed once."""
    contest = GOOD.contests[0]
    proven = (contest.ciphertexts, contest.commitments, contest.sum_commitments)
    place = Place(device_key=KEY, cell=0, contest=0)
    other = GOOD.contests[1]
    found: list[tuple[str, Terms, Place, tuple[Any, ...]]] = [
        ("digest", replace(TERMS, digest="00" * 32), place, proven),
        ("Y", replace(TERMS, key=other.ciphertexts[0][0]), place, proven),
        ("K", TERMS, replace(place, device_key=bytes(32)), proven),
        ("cell", TERMS, replace(place, cell=1), proven),
        ("contest", TERMS, replace(place, contest=1), proven),
        ("m", TERMS, place, (contest.ciphertexts[:2], *proven[1:])),
        ("As", TERMS, place, (*proven[:2], (other.sum_commitments[0], proven[2][1]))),
        ("Bs", TERMS, place, (*proven[:2], (proven[2][0], other.sum_commitments[1]))),
    ]
    for j, i in [(j, i) for j in range(3) for i in range(4)]:
        changed = [list(four) for four in contest.commitments]
        changed[j][i] = other.sum_commitments[0]
        found.append((f"{('A0', 'B0', 'A1', 'B1')[i]} {j}", TERMS, place, (proven[0], changed, proven[2])))
    for j, i in [(j, i) for j in range(3) for i in range(2)]:
        pairs = [list(pair) for pair in contest.ciphertexts]
        pairs[j][i] = other.sum_commitments[0]
        found.append((f"{'RS'[i]} {j}", TERMS, place, (pairs, *proven[1:])))
    return found


@pytest.mark.parametrize(
    ("terms", "place", "proven"),
    [case[1:] for case in inputs_of_the_challenge()],
    ids=[case[0] for case in inputs_of_the_challenge()],
)
def test_every_input_of_the_challenge_counts(terms: Terms, place: Place, proven: tuple[Any, ...]) -> None:
    assert challenge(terms, place, *proven) != GOOD.contests[0].challenge


def test_a_batch_says_of_each_ballot_what_is_said_of_it_alone() -> None:
    names = ("two-choices", "moved-to-another-box", "element-top-bit")
    bad = [EncryptedVote.of(read(bytes.fromhex(REFUSED[name]["ballot"])), TERMS) for name in names]
    good = [GOOD, vote_of(1, 3, (2, 0)), vote_of(2, 1, (1, 1))]
    assert verify_batch(good, TERMS, GROUP, weights()) == (None, None, None)
    mixed = [good[0], bad[0], good[1], bad[1], bad[2], good[2]]
    codes = [error.code if error else "" for error in verify_batch(mixed, TERMS, GROUP, weights())]
    assert codes == ["", "ballot.sum", "", "ballot.challenge", "ballot.element", ""]
    assert verify_batch((), TERMS, GROUP, weights()) == ()


def test_a_batch_that_fails_convicts_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the equations of one vote, by turns, do."""
    monkeypatch.setattr(verifying, "_all_hold", lambda *_: False)
    assert verify_batch((GOOD, GOOD), TERMS, GROUP, weights()) == (None, None)


def test_a_seed_gives_other_numbers_for_other_votes() -> None:
    """Two proofs with one nonce would tell what they hide."""
    first = make(TERMS, 0, KEY, (0, 1), seed(0), GROUP)
    second = make(TERMS, 0, KEY, (1, 1), seed(0), GROUP)
    assert not set(first.contests[0].elements) & set(second.contests[0].elements)
    assert first.contests[1] == second.contests[1]


@pytest.mark.parametrize(
    ("cell", "chosen", "seed_"),
    [
        (4, (0, 0), seed(0)),
        (-1, (0, 0), seed(0)),
        (0, (3, 0), seed(0)),
        (0, (0,), seed(0)),
        (0, (0, 0), b"short"),
    ],
)
def test_impossible_votes_are_the_callers_mistake(cell: int, chosen: tuple[int, ...], seed_: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        make(TERMS, cell, KEY, chosen, seed_, GROUP)


@pytest.mark.parametrize(
    "changes",
    [
        {"digest": "00"},
        {"key": bytes(32)},
        {"key": b"short"},
        {"choices": ()},
        {"choices": (1,)},
        {"choices": (51,)},
        {"cells": 0},
    ],
    ids=str,
)
def test_impossible_terms(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        replace(TERMS, **changes)


def test_errors_name_the_contest() -> None:
    for code, expected in (("election.element", "ballot.element"), ("election.scalar", "ballot.number")):
        error = of_ballot(ElectionError("x", code=code), 1)
        assert (error.where, error.code) == ("contest 2", expected)
    with pytest.raises(SubmissionError) as caught:
        verify(replace(GOOD, cell=1), TERMS, GROUP)
    assert (caught.value.where, caught.value.code) == ("contest 1", "ballot.challenge")
    with pytest.raises(SubmissionError) as caught:
        EncryptedVote.of(BALLOT, TINY)
    assert (caught.value.where, caught.value.code) == ("box", "ballot.form")


def test_tables_of_fixed_elements_give_the_same_sums() -> None:
    group = PythonGroup()
    elements = [GROUP.combine((number,), (GENERATOR,)) for number in range(1, 11)]
    for number, element in enumerate(elements):
        factors = (L - 1 - number, 5)
        assert group.combine_fixed(factors, (GENERATOR, element)) == GROUP.combine(
            factors, (GENERATOR, element)
        )
    assert group.combine_fixed((0,), (GENERATOR,)) == IDENTITY
    with pytest.raises(ElectionError):
        group.combine_fixed((1,), (b"\x01" + bytes(31),))
