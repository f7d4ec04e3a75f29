"""The release gate: which cells may be published, and together with which others.

A pure function of the head counts, the answers and the signed policy. It returns a frozen decision; the shell
around it (``workflow``) writes files. Nothing else in Roomful decides what leaves the room.

Two rules, one of which is signed in the specification before anybody answers:

merge
    No answer is withheld. Cells are joined along the signed row (:mod:`shared.joining`): first by their
    counts alone, then, where the policy asks for diversity, whole groups with their neighbours until each
    satisfies it. Where the row has units, whole units are joined first, and cells inside of what came of
    them. Empty cells that would stand alone go with the group before or after them in the row whose
    mean is nearer, as if a few had answered there: so no published file lists empty cells.
withhold
    A cell is released alone or not at all. Cells with fewer than ``minimum`` answers, and cells that fail the
    diversity policy, are withheld. As the total is public, the answers of the withheld cells together follow
    by subtraction for whoever knows the whole; so they must form a pool that is itself no smaller than a
    released group: at least two non-empty cells, at least ``minimum`` answers, enough distinct values. While
    they do not, the nearest released cell is withheld as well (complementary suppression). Nearest is by the
    distance of the nearest two cells, ties go to the lowest index. Whether a cell that is not released is
    empty can often be concluded (docs/limitations.md, section 11); its answers cannot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from server.release.diversity import ConfidentialAttribute, Diversity, measure_group, measure_histogram
from server.release.policy import Policy
from server.statistics.measures.closeness import Histogram
from shared.errors import ReleaseError
from shared.joining import Row, Segment, join, join_all, join_within, require_enough

Reason = Literal[
    "enough", "merged", "empty", "too-few", "distinct-values", "t-closeness", "complementary", "sealed"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedGroup:
    """Cells whose answers appear in the table as one group.

    Attributes
    ----------
    cells : tuple of int
        Cell indices, ascending.
    answers : int
        Number of answers; at least the policy's minimum.
    diversity : tuple of Diversity
        One per confidential attribute, in their order.
    """

    cells: tuple[int, ...]
    answers: int
    diversity: tuple[Diversity, ...]

    @property
    def identifier(self) -> int:
        """Name of the group in every published file: its lowest cell index."""
        return self.cells[0]

    @property
    def unanimous(self) -> tuple[str, ...]:
        """Names of the questions to which everybody in the group gave the same answer."""
        return tuple(measured.name for measured in self.diversity if measured.unanimous)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the gate lets through.

    Attributes
    ----------
    groups : tuple of ReleasedGroup
        By identifier.
    reasons : tuple of Reason
        Why each cell is where it is. For the organizer's own understanding; **never published**, because it
        tells why a cell is withheld.
    total_answers, released_answers : int
        Answers received, and those in the groups.
    """

    groups: tuple[ReleasedGroup, ...]
    reasons: tuple[Reason, ...]
    total_answers: int
    released_answers: int

    @property
    def not_released(self) -> tuple[int, ...]:
        """Cells that appear in no group, withheld or empty; under ``merge`` there are none."""
        released = {cell for group in self.groups for cell in group.cells}
        return tuple(cell for cell in range(len(self.reasons)) if cell not in released)

    @property
    def withheld_answers(self) -> int:
        """Answers that are not released."""
        return self.total_answers - self.released_answers


def decide(
    counts: Sequence[int],
    policy: Policy,
    row: Row,
    attributes: Sequence[ConfidentialAttribute] = (),
    sealed: Collection[int] = (),
) -> Decision:
    """Decide what is released.

    Parameters
    ----------
    counts : sequence of int
        K_c, the number of answers of each cell.
    policy : Policy
        The signed rule.
    row : Row
        The signed row, for neighbours, and the centres of the cells, for "nearest".
    attributes : sequence of ConfidentialAttribute
        The answers, for diversity and unanimity.
    sealed : collection of int
        Cells whose answers nobody opened. They stay withheld, and count among the withheld by their number.
        Under ``merge`` there are none.

    Returns
    -------
    Decision
        The groups, and why.

    Raises
    ------
    ReleaseError
        If fewer than ``minimum`` answers arrived, or if no group at all satisfies the policy.

    Notes
    -----
    Guarantee: for every input, either ReleaseError or a decision in which

    1. no cell is in two groups, and every group has at least ``minimum`` answers;
    2. every group has at least ``distinct_values`` different answers to every question that anybody in it
       answered, and lies within ``t_closeness`` of the released table;
    3. the non-empty cells that are not released are none, or at least two which together hold at least
       ``minimum`` answers that satisfy ``distinct_values``: what subtraction yields is a group, not a cell;
    4. under ``merge`` every cell, empty or not, is in a group; each group is a stretch of the row, and holds
       the groups that the counts alone give whole or not at all.

    The same input gives the same decision. Withholding takes O(m^2) distances in the worst case, where m is
    the number of cells; merging as :func:`shared.joining.join`.
    """
    gate = _Gate(counts, policy, row, attributes, sealed)
    require_enough(gate.total, policy.minimum)
    groups = gate.withhold() if policy.rule == "withhold" else gate.merge()
    table = gate.table(cell for group in groups for cell in group)
    released = tuple(
        ReleasedGroup(cells=group, answers=gate.answers(group), diversity=gate.measures(group, table))
        for group in groups
    )
    return Decision(
        groups=released,
        reasons=tuple(gate.reasons),
        total_answers=gate.total,
        released_answers=sum(group.answers for group in released),
    )


class _Gate:
    """One run of the gate: the input, and the reasons as they are found."""

    def __init__(
        self,
        counts: Sequence[int],
        policy: Policy,
        row: Row,
        attributes: Sequence[ConfidentialAttribute],
        sealed: Collection[int],
    ) -> None:
        if len(row.order) != len(counts):
            raise ValueError("the row holds other cells than were counted")
        if sealed and policy.rule == "merge":
            raise ValueError("nothing stays sealed under merge")
        if any(count < 0 for count in counts):
            raise ValueError("head counts are not negative")
        for attribute in attributes:
            if [len(values) for values in attribute.values] != list(counts):
                raise ValueError(f"{attribute.name} does not have one value per answer")
        self.counts = tuple(counts)
        self.policy = policy
        self.row = row
        self.attributes = tuple(attributes)
        self.total = sum(counts)
        self.reasons: list[Reason] = ["enough" if count else "empty" for count in counts]
        self.sealed = sorted(cell for cell in set(sealed) if counts[cell])

    def answers(self, cells: Iterable[int]) -> int:
        return sum(self.counts[cell] for cell in cells)

    def table(self, cells: Iterable[int]) -> tuple[Histogram, ...]:
        listed = tuple(cells)
        return tuple(attribute.histogram(listed) for attribute in self.attributes)

    def measures(self, group: Sequence[int], table: Sequence[Histogram]) -> tuple[Diversity, ...]:
        return tuple(
            measure_group(attribute, group, histogram)
            for attribute, histogram in zip(self.attributes, table, strict=True)
        )

    def failure(self, group: Sequence[int], table: Sequence[Histogram] | None) -> Reason | None:
        """Why this group may not be released; without a table its distance to the table is not judged."""
        if self.answers(group) < self.policy.minimum:
            return "too-few"
        if self.policy.distinct_values == 1 and (self.policy.t_closeness is None or table is None):
            return None
        return self.alike(self.table(group), table)

    def alike(self, group: Sequence[Histogram], table: Sequence[Histogram] | None) -> Reason | None:
        """In what the answers of a group are too much alike, by its histograms."""
        bound = self.policy.t_closeness if table is not None else None
        for index, attribute in enumerate(self.attributes):
            if not attribute.judged:
                continue
            whole = table[index] if table is not None else {}
            measured = measure_histogram(attribute, group[index], whole)
            if measured.given and measured.distinct_values < self.policy.distinct_values:
                return "distinct-values"
            if bound is not None and measured.closeness > bound:
                return "t-closeness"
        return None

    def withhold(self) -> tuple[tuple[int, ...], ...]:
        """Release cells alone or not at all; withheld cells only grow in number, so this ends."""
        withheld = list(self.sealed)
        for cell in withheld:
            self.reasons[cell] = "sealed"
        closed = set(withheld)
        released = [cell for cell, count in enumerate(self.counts) if count and cell not in closed]
        nearest = _NearestReleased(self.row)
        while released:
            table = self.table(released) if self.policy.t_closeness is not None else None
            failing = {cell: reason for cell in released if (reason := self.failure((cell,), table))}
            if not failing:
                if not withheld or (len(withheld) > 1 and self.failure(withheld, None) is None):
                    return tuple((cell,) for cell in released)
                failing = {nearest.of(withheld, released): "complementary"}
            for cell, reason in failing.items():
                self.reasons[cell] = reason
                withheld.append(cell)
            released = [cell for cell in released if cell not in failing]
        raise ReleaseError(
            "no cell may be released under the rule that was signed: every cell has too few answers, or "
            "answers that are too much alike, or is needed to hide one that has",
            expected=_policy_words(self.policy),
            remedy="Nothing can be released from this survey without breaking its promise.",
        )

    def merge(self) -> tuple[tuple[int, ...], ...]:
        """Join along the row by counts, and then, if diversity is asked for, the groups of that once more."""
        segments: Sequence[Segment] = join_within(self.row, self.counts, self.policy.minimum, join_all)
        if self.policy.distinct_values > 1 or self.policy.t_closeness is not None:
            groups = [self.row.cells(segment) for segment in segments]
            coarse = self.row.coarser(segments, self.counts)
            sums, table = [self.answers(group) for group in groups], self.table(range(len(self.counts)))
            joined = join(coarse, sums, self.policy.minimum, lambda: _Judged(self, groups, table))
            segments = [(segments[first][0], segments[behind - 1][1]) for first, behind in joined]
        groups = [self.row.cells(segment) for segment in segments]
        for group in groups:
            if len(group) > 1:
                for cell in group:
                    self.reasons[cell] = "merged"
        return tuple(sorted(groups))


class _Judged:
    """Whether the groups of a growing stretch of the row are diverse enough together."""

    def __init__(self, gate: _Gate, groups: Sequence[tuple[int, ...]], table: Sequence[Histogram]) -> None:
        self.gate = gate
        self.groups = groups
        self.table = table
        self.histograms: tuple[Counter[int], ...] = tuple(Counter() for _ in gate.attributes)

    def add(self, position: int) -> None:
        for attribute, histogram in zip(self.gate.attributes, self.histograms, strict=True):
            histogram.update(attribute.histogram(self.groups[position]))

    def satisfies(self) -> bool:
        return self.gate.alike(self.histograms, self.table) is None


class _NearestReleased:
    """Finds the released cell nearest to any withheld one, remembering distances already known."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.known: dict[int, int] = {}
        self.seen = 0

    def of(self, withheld: Sequence[int], released: Sequence[int]) -> int:
        for cell in released:
            distances = [self.row.distance(cell, other) for other in withheld[self.seen :]]
            if cell in self.known:
                distances.append(self.known[cell])
            self.known[cell] = min(distances)
        self.seen = len(withheld)
        return min(released, key=lambda cell: (self.known[cell], cell))


def _policy_words(policy: Policy) -> str:
    words = [f"groups of at least {policy.minimum} answers"]
    if policy.distinct_values > 1:
        words.append(f"at least {policy.distinct_values} different answers to each question")
    if policy.t_closeness is not None:
        words.append(f"distributions within {float(policy.t_closeness):g} of the table's")
    return ", ".join(words)
