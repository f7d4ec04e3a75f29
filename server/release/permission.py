"""What may be opened of sealed answers: the signed rule applied to numbers of ballots, and to groups.

The trustees' tool asks before it decrypts anything (:func:`permit`), and again when ballots turned out to
hold no valid answers (:func:`decide_groups`). The release asks once more, with the answers. It is always the
same gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.release.centres import Centres, GroupCentres
from server.release.diversity import ConfidentialAttribute
from server.release.gate import Decision, Policy, decide
from server.release.policy import policy_of_counts
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


def permit(counts: Sequence[int], specification: Specification, *, surplus: int = 0) -> Permitted:
    """Apply the signed rule to the number of distinct tokens of each cell.

    Parameters
    ----------
    counts : sequence of int, length n_cells
    specification : Specification
    surplus : int
        So many ballots may be of nobody who was invited: every group must be large enough without them.

    Raises
    ------
    ReleaseError
        If nothing may be opened.

    Notes
    -----
    Guarantee: for all counts, either ReleaseError or disjoint groups of at least max(k, minimum) ballots
    each, such that the ballots outside of them are none, or at least as many from at least two cells.
    """
    centres = Centres.from_decimals(specification.centroids, specification.weights)
    decision = decide(counts, policy_of_counts(specification, surplus), centres)
    opened = {cell for group in decision.groups for cell in group.cells}
    return Permitted(
        groups=tuple(group.cells for group in decision.groups),
        sealed=tuple(cell for cell, count in enumerate(counts) if count and cell not in opened),
    )


def decide_groups(
    groups: Sequence[Group],
    counts: Sequence[int],
    sealed: Sequence[int],
    policy: Policy,
    centres: Centres,
    attributes: Sequence[ConfidentialAttribute] = (),
) -> Decision:
    """The gate over groups whose answers can no longer be told apart by cell.

    Parameters
    ----------
    groups : sequence of tuple of int
        Disjoint groups that were opened.
    counts : sequence of int, length n_cells
        The answers of a group stand at its first cell, zero at its others; at a sealed cell its ballots.
    sealed : sequence of int
        Cells that were not opened.
    policy : Policy
    centres : Centres
        Of the cells.
    attributes : sequence of ConfidentialAttribute
        Values in the same places as `counts`.

    Returns
    -------
    Decision
        In terms of cells; every group is a union of the given ones.
    """
    listed = {cell for group in groups for cell in group}
    units = sorted([*map(tuple, groups), *((cell,) for cell in range(len(counts)) if cell not in listed)])
    place = {unit[0]: index for index, unit in enumerate(units)}
    decision = decide(
        [counts[unit[0]] for unit in units],
        policy,
        GroupCentres(centres=centres, groups=tuple(units)),
        [
            replace(attribute, values=tuple(attribute.values[unit[0]] for unit in units))
            for attribute in attributes
        ],
        [place[cell] for cell in sealed],
    )
    reasons = {cell: decision.reasons[index] for index, unit in enumerate(units) for cell in unit}
    return replace(
        decision,
        groups=tuple(
            replace(group, cells=tuple(sorted(cell for unit in group.cells for cell in units[unit])))
            for group in decision.groups
        ),
        reasons=tuple(reasons[cell] for cell in range(len(counts))),
    )
