"""What each hash of an election binds: with one input left out of it, what was made no longer holds.

For every input of every hash: a device that hashes all but this input makes a proof that everybody refuses;
and with this input left out on both sides, it may be changed afterwards and nobody notices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import pytest

from shared.edwards import L
from shared.election import contest, decryption, making, schnorr
from shared.election.decryption import decrypt, verify_factors
from shared.election.hashing import hash_scalar
from shared.election.schnorr import prove
from shared.election.verifying import verify
from tests import election_held as held
from tests.election import GROUP, TERMS, vote_of
from tests.refusals import code_of

SECRET = held.secrets()[0]
PUBLIC = held.trustees().verification_keys[0]


def ballot() -> None:
    """A vote, made and verified."""
    verify(vote_of(1, 2, (1, 0)), TERMS, GROUP)


def factors() -> None:
    """A trustee's factors, made and verified."""
    drawn = [held.fresh(f"bound {i}") for i in range(6)]
    found = decrypt(SECRET, 1, held.stated(), held.sums(), drawn, GROUP)
    verify_factors(found, 1, held.trustees(), held.stated(), held.sums(), GROUP)


def signature(label: str, parts: int) -> Callable[[], None]:
    """A proof of knowledge over some parts, made and verified."""

    def made_and_verified() -> None:
        given = [bytes((i,)) * 32 for i in range(parts)]
        proof = prove(SECRET, label, given, held.fresh("bound"), GROUP)
        schnorr.verify(PUBLIC, proof, label, given, GROUP)

    return made_and_verified


@dataclass(frozen=True)
class Hash:
    """A hash: where it is computed, its label, how many inputs it has, and a step that makes and verifies."""

    module: ModuleType
    label: str
    inputs: int
    step: Callable[[], None]


HASHES = (
    Hash(contest, "roomful-election/1", 8, ballot),
    Hash(decryption, "roomful-decryption/1", 12, factors),
    Hash(schnorr, "roomful-knowledge/1", 6, signature("roomful-knowledge/1", 4)),
    Hash(schnorr, "roomful-election-key/1", 4, signature("roomful-election-key/1", 2)),
    Hash(schnorr, "roomful-ceremony-seen/1", 5, signature("roomful-ceremony-seen/1", 3)),
)
INPUTS = [(each, place) for each in HASHES for place in range(each.inputs)]


def leaving_out(label: str, place: int, calls: list[int]) -> Callable[..., int]:
    """The hash without one input, in every second call of the label: when it is made, not when verified."""

    def found(given: str, *parts: bytes) -> int:
        if given != label:
            return hash_scalar(given, *parts)
        calls.append(len(parts))
        return hash_scalar(given, *parts[:place], b"", *parts[place + 1 :])

    return found


@pytest.mark.parametrize(("each", "place"), INPUTS, ids=[f"{each.label}-{place}" for each, place in INPUTS])
def test_every_input_counts(each: Hash, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    forged = leaving_out(each.label, place, calls)
    monkeypatch.setattr(each.module, "hash_scalar", forged)
    assert code_of(each.step) == "", "left out on both sides it binds nothing"
    assert set(calls) == {each.inputs}
    # Made without the input, verified with it: the first half of the calls makes.
    half = len(calls) // 2
    made: list[int] = []

    def only_when_made(label: str, *parts: bytes) -> int:
        if label == each.label:
            made.append(len(parts))
            return (forged if len(made) <= half else hash_scalar)(label, *parts)
        return hash_scalar(label, *parts)

    monkeypatch.setattr(each.module, "hash_scalar", only_when_made)
    assert code_of(each.step) in ("ballot.challenge", "election.factor", "election.proof")


@pytest.mark.parametrize("place", range(8))
def test_every_input_of_the_seeds_numbers_changes_them(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed, digest, K, cell, contest, chosen, use and choice: none may leave a number as it is."""
    seen: list[tuple[bytes, ...]] = []

    def noting(label: str, *parts: bytes) -> int:
        assert label == "roomful-seed/1"
        seen.append(parts)
        return hash_scalar(label, *parts)

    monkeypatch.setattr(making, "hash_scalar", noting)
    vote_of(1, 2, (1, 0))
    assert {len(parts) for parts in seen} == {8}
    assert len({hash_scalar("roomful-seed/1", *parts) for parts in seen}) == len(seen)
    parts = list(seen[0])
    before = hash_scalar("roomful-seed/1", *parts)
    parts[place] = bytes((parts[place][0] ^ 1,)) + parts[place][1:]
    assert hash_scalar("roomful-seed/1", *parts) != before


@pytest.mark.parametrize("place", range(5))
def test_every_input_of_a_nonce_changes_it(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret, fresh bytes, a label and parts: two proofs with one nonce would give the secret away."""
    seen: list[tuple[bytes, ...]] = []

    def noting(label: str, *parts: bytes) -> int:
        seen.append(parts)
        return hash_scalar(label, *parts)

    monkeypatch.setattr(schnorr, "hash_scalar", noting)
    first = schnorr.nonce(SECRET, held.fresh("nonce"), "label", (b"one", b"two"))
    assert len(seen[0]) == 5
    changed = list(seen[0])
    changed[place] += b"."
    assert hash_scalar("roomful-nonce/1", *changed) != first


def test_a_nonce_used_twice_gives_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the nonce's inputs prevent: fresh bytes alone would show the secret."""
    fresh = held.fresh("broken generator")
    first, second = (prove(SECRET, "label", (text,), fresh, GROUP) for text in (b"one", b"two"))
    monkeypatch.setattr(schnorr, "nonce", lambda _secret, random, *_: int.from_bytes(random, "big") % L)
    bad = [prove(SECRET, "label", (text,), fresh, GROUP) for text in (b"one", b"two")]

    def guess(a: schnorr.Proof, b: schnorr.Proof) -> int:
        return (a.response - b.response) * pow(a.challenge - b.challenge, -1, L) % L

    assert guess(*bad) == SECRET
    assert guess(first, second) != SECRET
