"""Decrypting sums: each trustee's factor with its proof, and votes from the factors of t of them.

References
----------
Chaum, Pedersen: Wallet databases with observers (1992), on equal logarithms. Desmedt, Frankel: Threshold
cryptosystems (1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.edwards import L
from shared.election.group import GENERATOR, IDENTITY, Group
from shared.election.groups import Sums
from shared.election.hashing import hash_scalar, u16, u32
from shared.election.schnorr import nonce
from shared.election.trustees import Trustees, lagrange
from shared.errors import ElectionError
from shared.statements import Stated

_LABEL: Final = "roomful-decryption/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A trustee's part of one sum, not yet verified.

    Attributes
    ----------
    element : bytes
        D = x_i times the sum of R.
    challenge, response : int
        Proof that D and VK_i have the same logarithm.
    """

    element: bytes
    challenge: int
    response: int


Factors = tuple[tuple[tuple[Factor, ...], ...], ...]
"""One trustee's: for each group with ballots, each contest and each choice; a group without has ``()``."""


def decrypt(
    secret: int, trustee: int, stated: Stated, sums: Sequence[Sums], fresh: Sequence[bytes], group: Group
) -> Factors:
    """A trustee's factors of all groups; run only after enough equal statements were verified.

    Parameters
    ----------
    fresh : sequence of bytes
        32 random bytes for each factor, in their order.

    Notes
    -----
    Guarantee: nothing but sums of whole groups is multiplied by the secret. Four multiplications a factor.
    """
    drawn = iter(fresh)
    public = group.combine((secret,), (GENERATOR,))
    found = []
    for place, contests in enumerate(sums):
        rows = []
        for contest, choices in enumerate(contests if not _is_empty(contests) else ()):
            row = []
            for choice, (r, _) in enumerate(choices):
                where = _parts(stated, trustee, (place, contest, choice), public, r)
                w = nonce(secret, next(drawn), _LABEL, where)
                d, r_commitment = (group.combine((number,), (r,)) for number in (secret, w))
                c = hash_scalar(_LABEL, *where, d, group.combine((w,), (GENERATOR,)), r_commitment)
                row.append(Factor(element=d, challenge=c, response=(w + c * secret) % L))
            rows.append(tuple(row))
        found.append(tuple(rows))
    return tuple(found)


def verify_factors(
    factors: Factors, trustee: int, trustees: Trustees, stated: Stated, sums: Sequence[Sums], group: Group
) -> None:
    """Verify everything that one trustee decrypted.

    Raises
    ------
    ElectionError
        ``election.factors`` if there are not exactly as many as sums; ``election.factor`` with the trustee
        and the place of the first that does not hold. Then her whole file is ignored.

    Notes
    -----
    Guarantee: if it returns, each factor is the sum of R times the secret behind VK_i, except with negligible
    probability.
    """
    shape = [[len(choices) for choices in contests] for contests in sums]
    expected = [[] if _is_empty(contests) else row for contests, row in zip(sums, shape, strict=True)]
    if [[len(row) for row in rows] for rows in factors] != expected:
        raise ElectionError(
            "there are more or fewer factors than sums",
            where=f"trustee {trustee}",
            expected="one for each choice of each group with ballots",
            code="election.factors",
        )
    public = trustees.verification_keys[trustee - 1]
    for place, (rows, contests) in enumerate(zip(factors, sums, strict=True)):
        for contest, row in enumerate(rows):
            for choice, factor in enumerate(row):
                r, c = contests[contest][choice][0], factor.challenge
                where = _parts(stated, trustee, (place, contest, choice), public, r)
                try:
                    commitments = [
                        group.combine((factor.response, (L - c) % L), pair)
                        for pair in ((GENERATOR, public), (r, factor.element))
                    ]
                except ElectionError:
                    raise _bad_factor(trustee, place, contest, choice) from None
                if hash_scalar(_LABEL, *where, factor.element, *commitments) != c:
                    raise _bad_factor(trustee, place, contest, choice)


def remaining(
    sums: Sequence[Sums], factors: dict[int, Factors], threshold: int, group: Group
) -> tuple[tuple[tuple[bytes, ...], ...], ...]:
    """What is left of each sum without its mask: the number of votes times G.

    Parameters
    ----------
    factors : dict of int to Factors
        Verified ones by the number of their trustee; the lowest t are taken.

    Raises
    ------
    ElectionError
        With the code ``election.too-few-factors``.
    """
    numbers = sorted(factors)[:threshold]
    if len(numbers) < threshold:
        raise ElectionError(
            f"valid factors of {len(numbers)} trustees are here",
            where="factors",
            expected=f"those of {threshold}",
            code="election.too-few-factors",
        )
    weights = [(L - weight) % L for weight in lagrange(numbers)]

    def unmasked(place: int, contest: int, choice: int, s: bytes) -> bytes:
        elements = [factors[number][place][contest][choice].element for number in numbers]
        return group.combine((1, *weights), (s, *elements))

    return tuple(
        tuple(
            tuple(
                IDENTITY if _is_empty(contests) else unmasked(place, contest, choice, s)
                for choice, (_, s) in enumerate(choices)
            )
            for contest, choices in enumerate(contests)
        )
        for place, contests in enumerate(sums)
    )


def logarithms(most: int, group: Group) -> dict[bytes, int]:
    """Numbers of votes by the element that they are times G, from 0 to the most that a group can have.

    Notes
    -----
    One addition each, once for all groups: less than searching for each sum.
    """
    found, element = {IDENTITY: 0}, IDENTITY
    for number in range(1, most + 1):
        element = group.combine((1, 1), (element, GENERATOR))
        found[element] = number
    return found


def _is_empty(contests: Sums) -> bool:
    """Whether a group has no ballots: only then all its sums are the identity."""
    return all(pair == (IDENTITY, IDENTITY) for choices in contests for pair in choices)


def _parts(
    stated: Stated, trustee: int, place: tuple[int, int, int], public: bytes, r: bytes
) -> tuple[bytes, ...]:
    """digest, root, set, i u16, group u32, contest u16, choice u16, VK_i, sum of R."""
    number, contest, choice = place
    bound = map(bytes.fromhex, (stated.specification, stated.root, stated.groups))
    return (*bound, u16(trustee), u32(number), u16(contest), u16(choice), public, r)


def _bad_factor(trustee: int, place: int, contest: int, choice: int) -> ElectionError:
    return ElectionError(
        "a factor does not hold",
        where=f"trustee {trustee}, group {place + 1}, contest {contest + 1}, choice {choice + 1}",
        expected="the sum times her part of the key, with its proof",
        remedy="Leave her file out and take another trustee's.",
        code="election.factor",
    )
