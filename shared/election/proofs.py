"""What the proofs of a contest say, as equations; a ballot counts only if every one holds.

For each choice "0 or 1" (Cramer, Damgard, Schoenmakers 1994), for the contest "the sum is 1" (Chaum, Pedersen
1992), with one challenge for all. Each equation is a sum of multiples that has to be the identity::

    A0 + c0 R = z0 G        B0 + c0 S = z0 Y            if the choice is 0
    A1 + c1 R = z1 G        B1 + c1 (S - G) = z1 Y      if it is 1
    As + e sum R = zs G     Bs + e (sum S - G) = zs Y
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shared.edwards import L
from shared.election.contest import EncryptedContest, other_challenge
from shared.election.group import GENERATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Equation:
    """A sum of multiples that has to be the identity.

    Attributes
    ----------
    line : str
        ``choice`` or ``sum``: what it proves.
    terms : tuple of (int, bytes)
        Factors from 0 to L - 1 and elements; that of a commitment is 1.
    """

    line: str
    terms: tuple[tuple[int, bytes], ...]


def equations(key: bytes, contest: EncryptedContest) -> Iterator[Equation]:
    """The 4 m + 2 equations of a contest of m choices, whose challenge was compared.

    Guarantee: if all hold for a challenge that is the hash of the commitments, then except with negligible
    probability each choice encrypts 0 or 1 under `key`, and exactly one encrypts 1.
    """
    for (r, s), commitments, (c0, z0, z1) in zip(
        contest.ciphertexts, contest.commitments, contest.responses, strict=True
    ):
        a0, b0, a1, b1 = commitments
        c1 = other_challenge(contest.challenge, c0)
        yield _choice((1, a0), (c0, r), (L - z0, GENERATOR))
        yield _choice((1, b0), (c0, s), (L - z0, key))
        yield _choice((1, a1), (c1, r), (L - z1, GENERATOR))
        yield _choice((1, b1), (c1, s), (L - c1, GENERATOR), (L - z1, key))
    e, z = contest.challenge, contest.sum_response
    a, b = contest.sum_commitments
    yield Equation(line="sum", terms=((1, a), *((e, r) for r, _ in contest.ciphertexts), (L - z, GENERATOR)))
    yield Equation(
        line="sum",
        terms=((1, b), *((e, s) for _, s in contest.ciphertexts), (L - e, GENERATOR), (L - z, key)),
    )


def _choice(*terms: tuple[int, bytes]) -> Equation:
    return Equation(line="choice", terms=terms)
