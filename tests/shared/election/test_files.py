"""The last rounds of a ceremony, the rehearsal's signatures, the files of factors: read, and refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.election import ceremony
from shared.election.ceremony import Fourth, Third, require_fourth, require_third
from shared.election.factors import FactorsFile
from shared.election.key_signatures import KeySignatures
from shared.election.trustees import sign_specification
from tests import election_held as held
from tests.election import GROUP
from tests.refusals import code_of

DIGEST = held.terms().digest
TRANSCRIPT = held.trustees().transcript


def third(trustee: int) -> Third:
    """Shares that nobody opens."""
    sealed = tuple((to, b"to %d" % to) for to in (1, 2, 3) if to != trustee)
    return Third(ceremony=held.CEREMONY, trustee=trustee, sealed=sealed)


def fourth(trustee: int, transcript: str = TRANSCRIPT, secret: int = 0) -> Fourth:
    """What a trustee has seen."""
    own = secret or held.secrets()[trustee - 1]
    key = bytes((trustee,)) * 32
    return ceremony.fourth(own, trustee, transcript, key, held.fresh(f"seen {trustee}"), GROUP)


def signed(*trustees: int, digest: str = DIGEST) -> KeySignatures:
    """The rehearsal of some trustees."""
    found = KeySignatures(specification=digest, signatures=())
    for i in trustees:
        proof = sign_specification(held.secrets()[i - 1], i, digest, held.fresh(f"rehearsal {i}"), GROUP)
        found = found.with_signature(i, proof)
    return found


def test_a_third_round() -> None:
    messages = [third(3), third(1), third(2)]
    assert require_third(held.first_round(), messages) == (
        b"to 2",
        b"to 3",
        b"to 1",
        b"to 3",
        b"to 1",
        b"to 2",
    )
    assert [Third.parse(m.to_bytes(), "file") for m in messages] == messages


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m[:2],
        lambda m: (*m[:2], m[1]),
        lambda m: (*m, m[1]),
        lambda m: (*m[:2], replace(m[2], ceremony="00" * 32)),
        lambda m: (*m[:2], replace(m[2], sealed=m[2].sealed[:1])),
        lambda m: (*m[:2], replace(m[2], sealed=((3, b"x"), *m[2].sealed))),
    ],
    ids=["missing", "one-for-another", "twice", "another-ceremony", "a-share-less", "a-share-to-herself"],
)
def test_a_third_round_is_whole(change: Callable[[Any], Any]) -> None:
    changed = change((third(1), third(2), third(3)))
    assert code_of(lambda: require_third(held.first_round(), changed)) == "election.ceremony"


def test_a_share_is_sealed_for_its_way() -> None:
    infos = {
        ceremony.share_info(identifier, sender, receiver)
        for identifier in (held.CEREMONY, "00" * 32)
        for sender, receiver in ((1, 2), (2, 1), (1, 3))
    }
    assert len(infos) == 6


def test_a_fourth_round() -> None:
    messages = [fourth(2), fourth(3), fourth(1)]
    keys = tuple(bytes((i,)) * 32 for i in (1, 2, 3))
    assert require_fourth(held.trustees(), messages, GROUP) == keys
    assert [Fourth.parse(m.to_bytes(), "file") for m in messages] == messages


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m[:2],
        lambda m: (*m[:2], m[1]),
        lambda m: (*m[:2], fourth(3, "00" * 32)),
        lambda m: (*m[:2], fourth(3, secret=held.secrets()[0])),
        lambda m: (*m[:2], replace(m[2], statement_key=bytes(32))),
        lambda m: (*m[:2], replace(m[1], trustee=3)),
    ],
    ids=["missing", "twice", "other-messages", "another-share", "another-key", "borrowed"],
)
def test_everybody_has_seen_the_same_and_has_her_share(change: Callable[[Any], Any]) -> None:
    changed = change((fourth(1), fourth(2), fourth(3)))
    assert code_of(lambda: require_fourth(held.trustees(), changed, GROUP)) == "election.ceremony"


def test_a_rehearsal() -> None:
    found = signed(2, 3, 1)
    assert KeySignatures.parse(found.to_bytes(), "file") == found
    found.verify(held.trustees(), DIGEST, GROUP)
    for wrong in (
        signed(1, 2),
        signed(),
        signed(1, 2, 3, digest="00" * 32),
        replace(found, signatures=(*found.signatures[:2], (3, found.signatures[1][1]))),
        replace(found, signatures=(*found.signatures, found.signatures[2])),
    ):
        assert code_of(lambda w=wrong: w.verify(held.trustees(), DIGEST, GROUP)) == (  # type: ignore[misc]
            "election.key-signature"
        )


def test_factors_are_read_back() -> None:
    file = FactorsFile(stated=held.stated(), trustee=2, factors=held.factors(2))
    assert FactorsFile.parse(file.to_bytes(), "file") == file


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"groups":[[[["', b'"groups":[[[["A'),
        (b'"groups":[[[["', b'"groups":[[["'),
        (b'"trustee":2', b'"trustee":0'),
        (b"factors/1", b"factors/2"),
        (b'"root":"', b'"root":"x'),
    ],
)
def test_malformed_factors_are_refused(old: bytes, new: bytes) -> None:
    data = FactorsFile(stated=held.stated(), trustee=2, factors=held.factors(2)).to_bytes()
    assert old in data
    changed = data.replace(old, new, 1)
    assert code_of(lambda: FactorsFile.parse(changed, "file")) == "election.factors"


@pytest.mark.parametrize(
    ("message", "parse", "old", "new"),
    [
        (third(1), Third.parse, b'"to":2', b'"to":0'),
        (third(1), Third.parse, b"third/1", b"third/2"),
        (fourth(1), Fourth.parse, b'"transcript":"', b'"transcript":"x'),
        (fourth(1), Fourth.parse, b'"trustee":1', b'"trustee":17'),
    ],
    ids=["no-trustee", "another-form", "no-digest", "too-many"],
)
def test_malformed_messages_are_refused(
    message: Third | Fourth, parse: Callable[[bytes, str], object], old: bytes, new: bytes
) -> None:
    data = message.to_bytes()
    assert old in data
    changed = data.replace(old, new, 1)
    assert code_of(lambda: parse(changed, "file")) == "election.ceremony"
