"""Verifying the proofs of ballots: one by one, or many in one sum.

A ballot that fails a line is not counted, and listed with the line; it stops no other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from shared.edwards import L
from shared.election.contest import Place, challenge
from shared.election.group import IDENTITY, Group
from shared.election.proofs import equations
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote, of_ballot
from shared.errors import ElectionError, SubmissionError

WEIGHT_BYTES: Final = 16


def verify(vote: EncryptedVote, terms: Terms, group: Group) -> None:
    """Verify the proofs of one ballot, equation by equation.

    Signature and token are verified apart (:meth:`shared.ballot.Ballot.verify`, :class:`shared.token.Token`).

    Raises
    ------
    SubmissionError
        ``ballot.element``, ``ballot.challenge``, ``ballot.choice`` or ``ballot.sum``.

    Notes
    -----
    Guarantee: if it returns, then except with negligible probability the ballot holds one vote in each
    contest, and whoever made it knew the votes and made it for this election, box and device key.
    """
    for number, contest in enumerate(vote.contests):
        try:
            group.require(contest.elements)
        except ElectionError as error:
            raise of_ballot(error, number) from None
    _require_challenges(vote, terms)
    for number, contest in enumerate(vote.contests):
        for equation in equations(terms.key, contest):
            factors, elements = zip(*equation.terms, strict=True)
            if group.combine([factor % L for factor in factors], elements) != IDENTITY:
                raise _fails(equation.line, number)


def verify_batch(
    votes: Sequence[EncryptedVote], terms: Terms, group: Group, random_bytes: Callable[[int], bytes]
) -> tuple[SubmissionError | None, ...]:
    """What :func:`verify` says of each ballot: None, or the error.

    Parameters
    ----------
    random_bytes : callable
        Gives so many bytes that nobody could foresee when the ballots were made. They are drawn here, after
        all bytes of the ballots have been read.

    Notes
    -----
    Each equation gets a fresh weight of 128 bits, and the weighted sum of all has to be the identity: if one
    does not hold, that happens with a probability of 2^-128. A sum that fails is halved until the ballots at
    fault are found, and these are verified one by one: one bad ballot costs about twice the time of all.
    """
    if not votes:
        return ()
    if _all_hold(votes, terms, group, random_bytes):
        return (None,) * len(votes)
    if len(votes) == 1:
        try:
            verify(votes[0], terms, group)
        except SubmissionError as error:
            return (error,)
        return (None,)
    half = len(votes) // 2
    first = verify_batch(votes[:half], terms, group, random_bytes)
    return first + verify_batch(votes[half:], terms, group, random_bytes)


def _require_challenges(vote: EncryptedVote, terms: Terms) -> None:
    for number, contest in enumerate(vote.contests):
        place = Place(device_key=vote.device_key, cell=vote.cell, contest=number)
        proven = (contest.ciphertexts, contest.commitments, contest.sum_commitments)
        if contest.challenge != challenge(terms, place, *proven):
            raise SubmissionError(
                "the challenge is not the hash of what is proven",
                where=f"contest {number + 1}",
                expected="a ballot made for this election, box and token",
                code="ballot.challenge",
            )


def _all_hold(
    votes: Sequence[EncryptedVote], terms: Terms, group: Group, random_bytes: Callable[[int], bytes]
) -> bool:
    factors: defaultdict[bytes, int] = defaultdict(int)
    try:
        for vote in votes:
            _require_challenges(vote, terms)
            for contest in vote.contests:
                for equation in equations(terms.key, contest):
                    weight = int.from_bytes(random_bytes(WEIGHT_BYTES), "big")
                    for factor, element in equation.terms:
                        factors[element] += weight * factor
        return group.combine([factor % L for factor in factors.values()], list(factors)) == IDENTITY
    except (ElectionError, SubmissionError):
        return False


def _fails(line: str, contest: int) -> SubmissionError:
    message, where = "a proof does not hold", f"contest {contest + 1}"
    if line == "choice":
        return SubmissionError(message, where=where, expected="0 or 1 for each choice", code="ballot.choice")
    return SubmissionError(message, where=where, expected="exactly one choice", code="ballot.sum")
