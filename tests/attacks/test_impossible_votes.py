"""Votes that nobody has: two, minus one, two choices; and proofs borrowed or bent to pass for good ones.

Each attack is seen to succeed once the one line that stops it is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from shared import edwards, ristretto
from shared.ballot import Ballot
from shared.edwards import L
from shared.election import contest, group, proofs, verifying
from shared.election.contest import EncryptedContest, Place
from shared.election.group import GENERATOR
from shared.election.verifying import verify, verify_batch
from shared.election.vote import EncryptedVote
from shared.errors import ElectionError, SubmissionError
from tests.election import GROUP, SECRET, TERMS, in_ballot, read, vote_of, voted
from tests.vectors.election_vectors import with_votes

HONEST, VOTE = voted(0, 0, (0, 1)), vote_of(0, 0, (0, 1))


def refused(ballot: Ballot) -> str:
    """Code of the line that refuses it as it arrives; empty if it counts."""
    try:
        arrived = read(ballot.to_bytes())
        arrived.verify(TERMS.digest)
        verify(EncryptedVote.of(arrived, TERMS), TERMS, GROUP)
    except SubmissionError as error:
        return error.code
    return ""


def vote_in(ballot: Ballot) -> EncryptedVote:
    """What is in its box."""
    return EncryptedVote.of(ballot, TERMS)


def votes_in(ballot: Ballot) -> list[list[int]]:
    """What it would add to the sums: v with S - xR = vG."""
    known = {GROUP.combine((v % L,), (GENERATOR,)): v for v in range(-3, 4)}
    return [
        [known[GROUP.combine((1, L - SECRET), (s, r))] for r, s in contest.ciphertexts]
        for contest in vote_in(ballot).contests
    ]


def without_line(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Take the equations of one kind out."""
    honest = proofs.equations

    def fewer(key: bytes, given: EncryptedContest) -> Iterator[proofs.Equation]:
        return (equation for equation in honest(key, given) if equation.line != line)

    monkeypatch.setattr(verifying, "equations", fewer)


@pytest.mark.parametrize(
    ("votes", "line"),
    [
        (((2, -1, 0), (1, 0)), "choice"),
        (((-1, 1, 1), (1, 0)), "choice"),
        (((1, 1, 0), (1, 0)), "sum"),
        (((1, 1, 1), (1, 0)), "sum"),
        (((0, 0, 0), (1, 0)), "sum"),
    ],
)
def test_votes_that_nobody_has(
    votes: Sequence[Sequence[int]], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ballot = with_votes(votes)
    assert votes_in(ballot) == [list(row) for row in votes]
    assert refused(ballot) == f"ballot.{line}"
    without_line(monkeypatch, line)
    assert refused(ballot) == ""


def hash_without_sum(
    terms: Any, place: Place, ciphertexts: Any, commitments: Any, _sum_commitments: Any
) -> int:
    """The challenge as it must not be: As and Bs left out."""
    return contest.challenge(terms, place, ciphertexts, commitments, (b"", b""))


def test_three_votes_if_the_hash_left_the_commitments_to_the_sum_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are then solved for after e is known."""
    with monkeypatch.context() as making_it:
        making_it.setattr("shared.election.making.challenge", hash_without_sum)
        vote = vote_in(with_votes(((1, 1, 1), (1, 0))))
    first = vote.contests[0]
    e, z = first.challenge, first.sum_response
    rs, ss = zip(*first.ciphertexts, strict=True)
    a = GROUP.combine((z, *[L - e] * 3), (GENERATOR, *rs))
    b = GROUP.combine((z, e, *[L - e] * 3), (TERMS.key, GENERATOR, *ss))
    contests = (replace(first, sum_commitments=(a, b)), *vote.contests[1:])
    forged = in_ballot(replace(vote, contests=contests), 9)
    assert votes_in(forged)[0] == [1, 1, 1]
    assert refused(forged) == "ballot.challenge"
    monkeypatch.setattr(verifying, "challenge", hash_without_sum)
    assert refused(forged) == ""


def hash_without(**fixed: Any) -> Callable[..., int]:
    """The challenge as it must not be: one part of the place left out."""
    return lambda terms, place, *proven: contest.challenge(terms, replace(place, **fixed), *proven)


def test_a_vote_is_not_copied_under_another_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever votes in a small group as somebody else did, finds that vote in the sums."""
    careless = hash_without(device_key=bytes(32))
    with monkeypatch.context() as making_it:
        making_it.setattr("shared.election.making.challenge", careless)
        victim = vote_of(0, 0, (0, 1))
    for original, expected in ((VOTE, "ballot.challenge"), (victim, "")):
        copy = in_ballot(original, 1)
        assert refused(copy) == "ballot.challenge"
        with monkeypatch.context() as careless_verifier:
            careless_verifier.setattr(verifying, "challenge", careless)
            assert refused(copy) == expected


def test_a_ballot_is_not_moved_to_another_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a collector that has no device key, and not by one that would have it either."""
    moved = replace(HONEST, cell=3)
    assert refused(moved) == "ballot.signature"
    assert refused(in_ballot(replace(VOTE, cell=3), 0)) == "ballot.challenge"
    careless = hash_without(cell=0)
    with monkeypatch.context() as making_it:
        making_it.setattr("shared.election.making.challenge", careless)
        movable = voted(0, 0, (0, 1))
    monkeypatch.setattr(verifying, "challenge", careless)
    monkeypatch.setattr(Ballot, "verify", lambda _self, _digest: None)
    assert refused(replace(movable, cell=3)) == ""


def test_a_string_with_the_top_bit_set_is_no_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """libsodium 1.0.18 takes it: one party would count the ballot, another would not."""
    honest = ristretto.decode

    def lax(data: bytes, *_: object) -> edwards.Point | None:
        return honest(data[:-1] + bytes((data[-1] & 0x7F,)))

    def with_top_bit(element: bytes) -> bytes:
        return element[:-1] + bytes((element[-1] | 0x80,))

    def hashing_other_bytes(terms: Any, place: Place, pairs: Any, *rest: Any) -> int:
        (r, s), *others = pairs
        return contest.challenge(terms, place, ((with_top_bit(r), s), *others), *rest)

    with monkeypatch.context() as making_it:
        making_it.setattr("shared.election.making.challenge", hashing_other_bytes)
        vote = vote_of(0, 0, (0, 1))
    contests = tuple(
        replace(c, ciphertexts=((with_top_bit(c.ciphertexts[0][0]), c.ciphertexts[0][1]), *c.ciphertexts[1:]))
        for c in vote.contests
    )
    forged = in_ballot(replace(vote, contests=contests), 0)
    assert refused(forged) == "ballot.element"
    monkeypatch.setattr(group.ristretto, "decode", lax)
    assert refused(forged) == ""


def test_two_bad_ballots_do_not_hide_each_other_in_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors that cancel: with weights that the voters know, both would count."""

    def shifted(vote: EncryptedVote, by: int) -> EncryptedVote:
        first = vote.contests[0]
        (c, z, other), *rest = first.responses
        changed = replace(first, responses=((c, (z + by) % L, other), *rest))
        return replace(vote, contests=(changed, *vote.contests[1:]))

    pair = (shifted(VOTE, 1), shifted(vote_of(1, 0, (0, 1)), -1))
    drawn = iter(range(1, 10**6))
    fresh = verify_batch(pair, TERMS, GROUP, lambda count: (7 ** next(drawn) % 2**128).to_bytes(count, "big"))
    assert [error and error.code for error in fresh] == ["ballot.choice"] * 2
    assert verify_batch(pair, TERMS, GROUP, lambda count: b"\x01" * count) == (None, None)


def test_one_bad_ballot_stops_no_other() -> None:
    bad = with_votes(((2, -1, 0), (1, 0)))
    found = verify_batch((VOTE, vote_in(bad)), TERMS, GROUP, lambda count: b"\x07" * count)
    assert [error and error.code for error in found] == [None, "ballot.choice"]


def test_the_identity_is_no_ciphertext(monkeypatch: pytest.MonkeyPatch) -> None:
    """R = 0 shows the vote to everybody: S = vG."""
    first = VOTE.contests[0]
    (_, s), *others = first.ciphertexts
    plain = replace(first, ciphertexts=((bytes(32), s), *others))
    assert refused(in_ballot(replace(VOTE, contests=(plain, *VOTE.contests[1:])), 0)) == "ballot.element"
    with pytest.raises(ElectionError):
        GROUP.require((bytes(32),))
