"""What may be opened of sealed answers: the signed rule applied to numbers of ballots, and to groups.

The trustees' tool asks before it decrypts anything (:func:`permit`), and again when ballots turned out to
hold no valid answers (:func:`decide_groups`). The release asks once more, with the answers. It is always the
same gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from server.release.diversity import ConfidentialAttribute
from server.release.gate import Decision, decide
from server.release.policy import Policy, policy_of_counts
from shared.joining import Row, Segment, row_of
from shared.specification import Specification
from shared.verification.permitted import Group, Permitted, permit_merged


def permit(counts: Sequence[int], specification: Specification, surplus: int = 0) -> Permitted:
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
    each, such that the ballots outside of them are none, or at least as many from at least two cells. Under
    ``merge`` every cell is in a group, and each group is a stretch of the signed row.
    """
    row, policy = row_of(specification), policy_of_counts(specification, surplus)
    if policy.rule == "withhold":
        decision = decide(counts, policy, row)
    else:
        merged = permit_merged(counts, specification)
        if not surplus:
            return merged
        # Whole groups of the rule without surplus, so that the release knows them as unions of its own.
        sums = [0] * len(counts)
        for group in merged.groups:
            sums[group[0]] = sum(counts[cell] for cell in group)
        decision = decide_groups(merged.groups, sums, counts, policy, row)
    opened = {cell for group in decision.groups for cell in group.cells}
    return Permitted(
        groups=tuple(group.cells for group in decision.groups),
        sealed=tuple(cell for cell, count in enumerate(counts) if count and cell not in opened),
    )


def stretch(row: Row, group: Sequence[int]) -> Segment | None:
    """Where a group lies in the row; None if its cells are not neighbours there, or do not exist."""
    wanted = set(group)
    places = [place for place, cell in enumerate(row.order) if cell in wanted]
    if len(places) != len(group) or not places or places[-1] - places[0] != len(places) - 1:
        return None
    return places[0], places[-1] + 1


def decide_groups(
    groups: Sequence[Group],
    counts: Sequence[int],
    ballots: Sequence[int],
    policy: Policy,
    row: Row,
    attributes: Sequence[ConfidentialAttribute] = (),
) -> Decision:
    """The gate over groups whose answers can no longer be told apart by cell.

    Parameters
    ----------
    groups : sequence of tuple of int
        Disjoint groups that were opened: single cells under ``withhold``, stretches of the row under
        ``merge``.
    counts : sequence of int, length n_cells
        The answers of a group stand at its first cell, zero at its others; at a sealed cell its ballots.
    ballots : sequence of int, length n_cells
        Under ``merge`` a group lies at the mean of its ballots. Ballots outside of the groups are sealed.
    policy : Policy
    row : Row
        Of the cells.
    attributes : sequence of ConfidentialAttribute
        Values in the same places as `counts`.

    Returns
    -------
    Decision
        In terms of cells; every group is a union of the given ones.

    Raises
    ------
    ReleaseError
        As :func:`decide`.
    """
    listed = {cell for group in groups for cell in group}
    if policy.rule == "withhold":
        sealed = [cell for cell, count in enumerate(ballots) if count and cell not in listed]
        return decide(counts, policy, row, attributes, sealed)
    place = {cell: index for index, cell in enumerate(row.order)}
    starts = {min(place[cell] for cell in group): len(group) for group in groups}
    units: list[Segment] = []
    while (start := units[-1][1] if units else 0) < len(row.order):
        units.append((start, start + starts.get(start, 1)))
    cells = [row.cells(unit) for unit in units]
    decision = decide(
        [counts[unit[0]] for unit in cells],
        policy,
        row.coarser(units, ballots),
        [
            replace(attribute, values=tuple(attribute.values[unit[0]] for unit in cells))
            for attribute in attributes
        ],
    )
    reasons = {cell: decision.reasons[index] for index, unit in enumerate(cells) for cell in unit}
    united = (
        replace(group, cells=tuple(sorted(cell for unit in group.cells for cell in cells[unit])))
        for group in decision.groups
    )
    return replace(
        decision,
        groups=tuple(sorted(united, key=lambda group: group.cells)),
        reasons=tuple(reasons[cell] for cell in range(len(counts))),
    )
