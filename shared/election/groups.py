"""Groups of boxes and the sums of their ciphertexts: all that is ever decrypted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.election.contest import Ciphertext
from shared.election.group import IDENTITY, Group
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote

Cells = tuple[int, ...]
Sums = tuple[tuple[Ciphertext, ...], ...]
"""Of one group: for each contest and choice the sums of R and of S."""


def add_up(
    votes: Iterable[EncryptedVote], groups: Sequence[Cells], terms: Terms, group: Group
) -> tuple[Sums, ...]:
    """The sums of each group over votes that were verified.

    Guarantee: if the proofs of each hold, the sums encrypt the numbers of votes, exactly. A group without
    ballots has identities.

    Notes
    -----
    One addition for each element.
    """
    owner = {cell: place for place, cells in enumerate(groups) for cell in cells}
    members: list[list[EncryptedVote]] = [[] for _ in groups]
    for vote in votes:
        members[owner[vote.cell]].append(vote)
    return tuple(_sums(part, terms, group) for part in members)


def _sums(votes: Sequence[EncryptedVote], terms: Terms, group: Group) -> Sums:
    ones = (1,) * len(votes)

    def total(contest: int, choice: int, half: int) -> bytes:
        parts = [vote.contests[contest].ciphertexts[choice][half] for vote in votes]
        return group.combine(ones, parts) if parts else IDENTITY

    return tuple(
        tuple((total(contest, choice, 0), total(contest, choice, 1)) for choice in range(choices))
        for contest, choices in enumerate(terms.choices)
    )
