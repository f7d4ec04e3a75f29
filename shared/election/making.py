"""Making a ballot from votes and one seed; the same bytes wherever it is done again.

Everything random in a ballot comes from a seed of 32 bytes, so that a voter can have a second device rebuild
a ballot that she will not cast. A seed belongs to one attempt. Should it ever meet other votes, another box
or another token, it gives other numbers: two proofs with one nonce would tell what they hide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.edwards import L
from shared.election.contest import (
    Ciphertext,
    Commitments,
    EncryptedContest,
    Place,
    challenge,
    other_challenge,
)
from shared.election.group import GENERATOR, Group
from shared.election.hashing import hash_scalar, u16, u32
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote

SEED_BYTES: Final = 32
_SUM: Final = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Drawn:
    """The numbers of one contest, from the seed; never shown but in a test."""

    seed: bytes
    terms: Terms
    place: Place
    chosen: int

    def number(self, use: str, choice: int) -> int:
        """H("roomful-seed/1", seed, digest, K, cell u32, contest u16, chosen u16, use, choice u16)."""
        return hash_scalar(
            "roomful-seed/1",
            self.seed,
            bytes.fromhex(self.terms.digest),
            self.place.device_key,
            u32(self.place.cell),
            u16(self.place.contest),
            u16(self.chosen),
            use.encode("ascii"),
            u16(choice),
        )


def make(
    terms: Terms, cell: int, device_key: bytes, chosen: Sequence[int], seed: bytes, group: Group
) -> EncryptedVote:
    """The vote of one voter; run by her device, and again by one that tests it.

    Parameters
    ----------
    device_key : bytes
        K, of her token.
    chosen : sequence of int
        For each contest the index of the choice.
    seed : bytes
        32 fresh random bytes.

    Raises
    ------
    ValueError
        If there is no such choice or box, or the seed has another length.
    """
    if len(seed) != SEED_BYTES or not 0 <= cell < terms.cells:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, and a ballot one of the boxes")
    contests = []
    for number, (choices, choice) in enumerate(zip(terms.choices, chosen, strict=True)):
        if not 0 <= choice < choices:
            raise ValueError("there is no such choice")
        place = Place(device_key=device_key, cell=cell, contest=number)
        drawn = _Drawn(seed=seed, terms=terms, place=place, chosen=choice)
        votes = [int(j == choice) for j in range(choices)]
        contests.append(_contest(drawn, votes, group))
    return EncryptedVote(cell=cell, device_key=device_key, contests=tuple(contests))


def _contest(drawn: _Drawn, votes: Sequence[int], group: Group) -> EncryptedContest:
    key = drawn.terms.key
    secrets = [drawn.number("r", j) for j in range(len(votes))]
    nonces = [drawn.number("a", j) for j in range(len(votes))]
    simulated = [(drawn.number("c", j), drawn.number("z", j)) for j in range(len(votes))]
    ciphertexts = [_encrypt(r, vote, key, group) for r, vote in zip(secrets, votes, strict=True)]
    commitments = [
        _commit(vote, secrets[j], nonces[j], simulated[j], key, group) for j, vote in enumerate(votes)
    ]
    sum_nonce = drawn.number("a", _SUM)
    sum_commitments = _pair(sum_nonce, key, group)
    e = challenge(drawn.terms, drawn.place, ciphertexts, commitments, sum_commitments)
    return EncryptedContest(
        ciphertexts=tuple(ciphertexts),
        commitments=tuple(commitments),
        sum_commitments=sum_commitments,
        challenge=e,
        responses=tuple(
            _respond(vote, e, secrets[j], nonces[j], simulated[j]) for j, vote in enumerate(votes)
        ),
        sum_response=(sum_nonce + e * sum(secrets)) % L,
    )


def _pair(number: int, key: bytes, group: Group) -> tuple[bytes, bytes]:
    return group.combine_fixed((number,), (GENERATOR,)), group.combine_fixed((number,), (key,))


def _encrypt(r: int, vote: int, key: bytes, group: Group) -> Ciphertext:
    """R = rG, S = rY + vG."""
    return group.combine_fixed((r,), (GENERATOR,)), group.combine_fixed((r, vote), (key, GENERATOR))


def _commit(
    vote: int, r: int, nonce: int, simulated: tuple[int, int], key: bytes, group: Group
) -> Commitments:
    """Commitments: of the true branch by its nonce, of the other from a challenge drawn beforehand.

    Whoever knows r needs no multiples but those of G and Y: z G - c R = (z - c r) G.
    """
    c, z = simulated
    true = _pair(nonce, key, group)
    number = (z - c * r) % L
    a = group.combine_fixed((number,), (GENERATOR,))
    # Of the branch that is not true: z Y - c S = number Y - v c G if the vote is v = 1, and
    # z Y - c (S - G) = number Y + c G if it is 0.
    rest = -vote * c if vote else c
    b = group.combine_fixed((number, rest % L), (key, GENERATOR))
    return (a, b, *true) if vote else (*true, a, b)


def _respond(vote: int, e: int, r: int, nonce: int, simulated: tuple[int, int]) -> tuple[int, int, int]:
    """c0, z0 and z1."""
    c, z = simulated
    true_challenge = other_challenge(e, c)
    true_response = (nonce + true_challenge * r) % L
    return (c, z, true_response) if vote else (true_challenge, true_response, z)
