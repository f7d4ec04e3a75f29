"""Groups of cells that may be opened or decrypted, each as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.joining import join_all, join_within, require_enough, row_of
from shared.specification import Specification

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """Groups of cells that may be opened, each as a whole.

    Attributes
    ----------
    groups : tuple of tuple of int
        Cells of each group, by the lowest.
    sealed : tuple of int
        Cells with ballots that are never opened.
    """

    groups: tuple[Group, ...]
    sealed: tuple[int, ...]

    @property
    def group_of(self) -> dict[int, int]:
        """Index of the group of each cell that may be opened."""
        return {cell: index for index, group in enumerate(self.groups) for cell in group}


def permit_merged(counts: Sequence[int], specification: Specification) -> Permitted:
    """Apply the signed rule ``merge`` to the number of distinct tokens of each cell.

    Every cell, empty or not, is in a group, and each group is a stretch of the signed row.

    Raises
    ------
    ReleaseError
        If there are fewer ballots than the smallest group may have.
    """
    row, minimum = row_of(specification), specification.smallest_group
    require_enough(sum(counts), minimum)
    segments = join_within(row, counts, minimum, join_all)
    return Permitted(groups=tuple(sorted(map(row.cells, segments))), sealed=())
