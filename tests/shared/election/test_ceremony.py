"""The key ceremony: rounds that fit together, and every one that does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.edwards import L
from shared.election import ceremony
from shared.election.ceremony import First, Second, require_first, require_second, require_share
from shared.election.group import GENERATOR
from shared.election.schnorr import Proof
from shared.election.trustees import lagrange
from shared.errors import ElectionError
from tests import election_held as held
from tests.election import GROUP
from tests.refusals import code_of


def test_the_rounds_of_an_honest_ceremony_are_accepted() -> None:
    first, second = held.first_round(), held.second_round()
    require_second(first, second, GROUP)
    assert [First.parse(m.to_bytes(), "file") for m in first] == list(first)
    assert [Second.parse(m.to_bytes(), "file") for m in second] == list(second)
    for sender in second:
        for receiver in (1, 2, 3):
            share = ceremony.share_for(receiver, held.coefficients(sender.trustee))
            require_share(share, receiver, sender, GROUP)


def test_any_two_trustees_have_the_key_and_nobody_alone() -> None:
    keys = held.trustees()
    keys.require_one_polynomial(GROUP)
    secret = sum(held.coefficients(i)[0] for i in (1, 2, 3)) % L
    assert keys.key == GROUP.combine((secret,), (GENERATOR,))
    for pair in ((1, 2), (1, 3), (2, 3)):
        weights = lagrange(pair)
        assert sum(w * held.secrets()[i - 1] for w, i in zip(weights, pair, strict=True)) % L == secret
    for i, x in enumerate(held.secrets()):
        assert keys.verification_keys[i] == GROUP.combine((x,), (GENERATOR,))
        assert x != secret


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m[:2],
        lambda m: (*m, m[0]),
        lambda m: (m[0], m[1], replace(m[2], ceremony="00" * 32)),
        lambda m: (m[0], m[1], replace(m[2], threshold=3)),
        lambda m: (m[0], m[1], replace(m[2], trustee=1)),
        lambda _m: (),
    ],
    ids=["missing", "twice", "other-id", "other-threshold", "other-number", "none"],
)
def test_a_first_round_is_whole(change: Callable[[Any], Any]) -> None:
    assert code_of(lambda: require_first(change(held.first_round()))) == "election.ceremony"


def wrong_proof(message: Second) -> Second:
    """One response is another number."""
    first, *others = message.proofs
    return replace(message, proofs=(replace(first, response=(first.response + 1) % L), *others))


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m[:2],
        lambda m: (m[0], m[1], m[1]),
        lambda m: (m[0], m[1], replace(m[2], ceremony="00" * 32)),
        lambda m: (m[0], m[1], replace(m[2], coefficients=m[1].coefficients)),
        lambda m: (m[0], m[1], replace(m[2], coefficients=m[2].coefficients[:1])),
        lambda m: (m[0], m[1], replace(m[2], proofs=m[2].proofs[:1])),
        lambda m: (m[0], m[1], replace(m[2], proofs=m[1].proofs)),
        lambda m: (m[0], m[1], wrong_proof(m[2])),
    ],
    ids=["missing", "twice", "other-id", "others", "fewer", "fewer-proofs", "borrowed-proofs", "wrong-proof"],
)
def test_a_second_round_keeps_what_the_first_promised(change: Callable[[Any], Any]) -> None:
    changed = change(held.second_round())
    assert code_of(lambda: require_second(held.first_round(), changed, GROUP)) == "election.ceremony"


def test_a_share_is_the_value_of_its_senders_polynomial() -> None:
    sender = held.second_round()[0]
    share = ceremony.share_for(2, held.coefficients(1))
    for wrong, receiver in (((share + 1) % L, 2), (share, 3), (0, 2)):
        assert code_of(lambda w=wrong, r=receiver: require_share(w, r, sender, GROUP)) == "election.share"  # type: ignore[misc]


def test_no_key_is_the_identity() -> None:
    """A trustee who knew the others' coefficients could cancel them; the first round is there for that."""
    minus = tuple((L - c) % L for c in held.coefficients(1))
    cancelling = replace(held.second_round()[1], coefficients=ceremony.published(minus, GROUP))
    both = (held.second_round()[0], cancelling)
    assert code_of(lambda: ceremony.keys(both, "00" * 32, GROUP)) == "election.ceremony"


def test_the_transcript_has_everything() -> None:
    first, second, sealed = held.first_round(), held.second_round(), [b"%d" % i for i in range(6)]
    digests = {
        ceremony.transcript(first, second, sealed),
        ceremony.transcript(first, second, [*sealed[:5], b"x"]),
        ceremony.transcript((*first[:2], replace(first[2], sealing_key=b"x")), second, sealed),
        ceremony.transcript(first, (*second[:2], wrong_proof(second[2])), sealed),
    }
    assert len(digests) == 4
    assert ceremony.transcript(first[::-1], second[::-1], sealed) in digests


def test_every_byte_of_a_message_counts() -> None:
    """Each changed once: not read, or read as another message, whose digest is another."""
    for message, parse in ((held.first_round()[0], First.parse), (held.second_round()[0], Second.parse)):
        data = message.to_bytes()
        for place in range(len(data)):
            changed = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
            found = read_or_refused(parse, changed)
            assert found in ("election.ceremony", "election.scalar") or found != message, place


def read_or_refused(parse: Callable[[bytes, str], object], data: bytes) -> object:
    """The message, or the code of the error."""
    try:
        return parse(data, "file")
    except ElectionError as error:
        return error.code


@pytest.mark.parametrize(
    ("message", "old", "new"),
    [
        ("first", b'"sealing_key":"', b'"sealing_key":"!'),
        ("first", b'"trustees":3', b'"trustees":1'),
        ("first", b'"threshold":2', b'"threshold":4'),
        ("first", b'"trustee":1', b'"trustee":4'),
        ("second", b'"coefficients":["', b'"coefficients":["A'),
        ("second", b'"proofs":["', b'"proofs":["A'),
        ("second", b'"trustee":1', b'"trustee":0'),
        ("first", b"{", b""),
    ],
)
def test_malformed_messages_are_refused(message: str, old: bytes, new: bytes) -> None:
    data, parse = {
        "first": (held.first_round()[0].to_bytes(), First.parse),
        "second": (held.second_round()[0].to_bytes(), Second.parse),
    }[message]
    assert old in data
    assert code_of(lambda: parse(data.replace(old, new, 1), "f")) in ("election.ceremony", "election.scalar")


def test_entropy_has_its_length() -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        ceremony.draw(2, bytes(127))
    assert isinstance(held.second_round()[0].proofs[0], Proof)
