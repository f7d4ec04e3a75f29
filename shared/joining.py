"""Joining the cells of a signed row, so that no group is small and no answer is dropped.

Counts alone decide. Along a row that was signed beforehand, consecutive cells are joined into segments of no
answers or at least the minimum, with the least loss that any such cutting has. Run by whoever knows the
counts: the release, the trustees, an auditor; the same integers everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.cells import UnitCells
from shared.errors import ReleaseError
from shared.geometry import Vector
from shared.specification import Specification

Segment = tuple[int, int]
"""Positions of a row, from the first to before the last."""


class Content(Protocol):
    """What more than a count is asked of a segment: it is told the positions, from the last to the first."""

    def add(self, position: int) -> None:
        """Take one more position in."""

    def satisfies(self) -> bool:
        """Whether the positions so far may stand together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Cells side by side.

    Attributes
    ----------
    order : tuple of int, length m
        A permutation of the cells.
    points : tuple of tuple of int, m x d
        Where each cell lies, by cell.
    weights : tuple of int, length d
        Not negative.
    units : tuple of Segment
        Stretches that follow one another and cover the row, such as the counting circles of an election;
        empty if there are none.
    """

    order: tuple[int, ...]
    points: tuple[Vector, ...]
    weights: Vector
    units: tuple[Segment, ...] = ()
    _least: Vector = field(init=False, repr=False, compare=False)
    _beyond: tuple[tuple[tuple[int, int], ...], ...] = field(init=False, repr=False, compare=False)
    """Of each cell its coordinates above the least of all cells, and by how much: of many categories few."""

    def __post_init__(self) -> None:
        borders = [0, *(end for _, end in self.units)]
        if self.units and (
            self.units != tuple(itertools.pairwise(borders)) or borders[-1] != len(self.order)
        ):
            raise ValueError("units follow one another and cover the row")
        if any(first >= end for first, end in self.units):
            raise ValueError("a unit has no cell")
        if sorted(self.order) != list(range(len(self.points))):
            raise ValueError("a row holds each cell once")
        if any(weight < 0 for weight in self.weights):
            raise ValueError("weights are not negative")
        if any(len(point) != len(self.weights) for point in self.points):
            raise ValueError("every point has one coordinate per weight")
        least = tuple(map(min, zip(*self.points, strict=True)))
        beyond = tuple(
            tuple((j, x - low) for j, (x, low) in enumerate(zip(point, least, strict=True)) if x != low)
            for point in self.points
        )
        object.__setattr__(self, "_least", least)
        object.__setattr__(self, "_beyond", beyond)

    def cells(self, segment: Segment) -> tuple[int, ...]:
        """Cells of a segment, ascending."""
        return tuple(sorted(self.order[slice(*segment)]))

    def distance(self, a: int, b: int) -> int:
        """Weighted squared distance between two cells: an exact, unbounded integer."""
        return self.distance_to(a, self.points[b])

    def distance_to(self, cell: int, point: Vector) -> int:
        """Weighted squared distance between a cell and any point."""
        return sum(
            weight * (p - q) * (p - q)
            for weight, p, q in zip(self.weights, self.points[cell], point, strict=True)
        )

    def coarser(self, segments: Sequence[Segment], counts: Sequence[int]) -> Row:
        """The row of segments that follow one another, each at the mean of its answers, rounded down.

        A segment without answers has no mean and lies at the origin, where nothing depends on it. Borders of
        units that are borders of segments stay: what was joined over a border is one unit from then on.
        """
        first_cells = {first for first, _ in self.units}
        starts = [place for place, (first, _) in enumerate(segments) if first in first_cells]
        points = []
        for segment in segments:
            answers, sums, _ = self._moments(segment, counts)
            if answers:
                points.append(tuple(low + s // answers for low, s in zip(self._least, sums, strict=True)))
            else:
                points.append((0,) * len(self.weights))
        return Row(
            order=tuple(range(len(points))),
            points=tuple(points),
            weights=self.weights,
            units=tuple(itertools.pairwise([*starts, len(points)])) if starts else (),
        )

    def spread(self, segment: Segment, counts: Sequence[int]) -> int:
        """Squared distances of a segment's answers to where :meth:`coarser` puts it."""
        answers, sums, square = self._moments(segment, counts)
        means = [s // answers if s else 0 for s in sums]
        return square - sum(
            w * mean * (2 * s - answers * mean)
            for w, mean, s in zip(self.weights, means, sums, strict=True)
            if mean
        )

    def _moments(self, segment: Segment, counts: Sequence[int]) -> tuple[int, list[int], int]:
        """Answers of a segment, and about the least coordinates their sums (d) and sum of squares."""
        answers, sums, square = 0, [0] * len(self.weights), 0
        for cell in self.order[slice(*segment)]:
            count = counts[cell]
            if count:
                answers += count
                for j, x in self._beyond[cell]:
                    sums[j] += count * x
                    square += self.weights[j] * count * x * x
        return answers, sums, square

    def part(self, segment: Segment) -> Row:
        """A stretch as a row of its own, whose cells are the positions from its beginning; without units."""
        points = tuple(self.points[cell] for cell in self.order[slice(*segment)])
        return Row(order=tuple(range(len(points))), points=points, weights=self.weights)


def points_of(centroids: Sequence[Sequence[str]]) -> tuple[Vector, ...]:
    """Centroids of a specification in units of their last decimal."""
    return tuple(tuple(int(text.replace(".", "")) for text in centroid) for centroid in centroids)


def row_of(specification: Specification) -> Row:
    """The signed row of a specification, with its units."""
    cells = specification.cells
    return Row(
        order=specification.row,
        points=points_of(specification.centroids),
        weights=specification.weights,
        units=(cells.stretches(specification.row) or ()) if isinstance(cells, UnitCells) else (),
    )


def join(
    row: Row, counts: Sequence[int], minimum: int, content: Callable[[], Content] | None = None
) -> tuple[Segment, ...]:
    """Cut the row into segments that may be shown.

    Parameters
    ----------
    row : Row
    counts : sequence of int, length m
        Answers of each cell.
    minimum : int
        Fewest answers of a segment that has any; at least 1.
    content : callable, optional
        Starts a judgement of what more is asked of a segment with answers. Segments without answers are
        always admitted, and an empty cell must make no difference to it.

    Returns
    -------
    tuple of Segment
        In the order of the row; each position in exactly one.

    Raises
    ------
    ReleaseError
        If all answers together are fewer than `minimum`, or no cutting satisfies `content`.

    Notes
    -----
    Guarantee: for all inputs, either an error, and then not even the total is shown; or segments that
    partition the row, each with no answers or at least `minimum` of them, whose loss is the least of all such
    cuttings. The loss of a segment is floor(sum_j w_j (Q_j N - S_j^2) / N) with N = sum c, S_j = sum c x_j,
    Q_j = sum c x_j^2: the squared distances of its answers to their mean. Among equal cuttings the later last
    cut wins, and so on towards the front. So an empty cell at the edge of a segment stands alone.

    Without `content` a segment has fewer than 2 minimum + max c answers: of a larger one the shortest
    beginning with at least `minimum` has fewer than minimum + max c, so that its rest has at least `minimum`
    too, and cutting there never raises the loss, rounding down included (floor a + floor b <= floor(a + b)).
    As the later cut wins, such a segment is never chosen, and each end looks back over fewer than
    2 minimum + max c answers: O(m W d) for W non-empty cells that hold them. With `content` the look back
    ends where the segment alone loses more than the best cutting that was found.
    """
    segments = _cut(row, counts, minimum, content)
    if segments is None or sum(counts) < minimum:
        too_few = sum(counts) < minimum
        raise ReleaseError(
            f"fewer than {minimum} answers arrived"
            if too_few
            else "even all answers together do not satisfy what was signed about their diversity",
            expected=f"at least {minimum} answers" if too_few else "answers that differ enough",
            remedy="Nothing can be released from this survey without breaking its promise.",
        )
    return segments


def require_enough(total: int, minimum: int) -> None:
    """Refuse to form groups of fewer answers than the smallest may have.

    Raises
    ------
    ReleaseError
        If there are fewer than `minimum`.
    """
    if total < minimum:
        raise ReleaseError(
            f"only {total} answers arrived, fewer than the {minimum} of the smallest group "
            "that may be released",
            expected=f"at least {minimum} answers",
            remedy="Nothing can be released from this survey without breaking its promise.",
        )


def join_all(row: Row, counts: Sequence[int], minimum: int) -> list[Segment]:
    """Join a row by counts into segments with answers; empty cells between two go with the nearer mean.

    Raises
    ------
    ReleaseError
        As :func:`join`.
    """
    segments = join(row, counts, minimum)
    full = [segment for segment in segments if any(counts[cell] for cell in row.cells(segment))]
    means = row.coarser(full, counts)
    borders = [0]
    for group in range(1, len(full)):
        gap = range(full[group - 1][1], full[group][0])
        between = [row.points[row.order[place]] for place in gap]
        before, behind = (
            [0, *itertools.accumulate(means.distance_to(side, point) for point in between)]
            for side in (group - 1, group)
        )
        costs = [mine + behind[-1] - passed for mine, passed in zip(before, behind, strict=True)]
        borders.append(full[group - 1][1] + costs.index(min(costs)))
    borders.append(len(row.order))
    return list(itertools.pairwise(borders))


Joining = Callable[[Row, Sequence[int], int], Sequence[Segment]]
"""Cuts a row by its counts into segments of no answers or at least a minimum."""


def join_within(
    row: Row, counts: Sequence[int], minimum: int, joining: Joining = join
) -> tuple[Segment, ...]:
    """Join whole units first, and then cells inside of each stretch of units that came of it.

    Parameters
    ----------
    row : Row
        Without units it is joined as it is.
    counts, minimum
        As of :func:`join`.
    joining : callable, optional
        How each of the two rows is joined: the row of units, where a unit lies at the mean of its answers,
        rounded down, and the row of the cells of a stretch.

    Raises
    ------
    ReleaseError
        As `joining`.

    Notes
    -----
    Guarantee: as :func:`join`, and no group has cells of two stretches of units; and no stretch could be cut
    at a border of its units, because on one side of it there would be fewer answers than the minimum.
    """
    if not row.units:
        return tuple(joining(row, counts, minimum))
    sums = [sum(counts[cell] for cell in row.cells(unit)) for unit in row.units]
    segments: list[Segment] = []
    for first, behind in joining(row.coarser(row.units, counts), sums, minimum):
        start, end = row.units[first][0], row.units[behind - 1][1]
        if sum(sums[first:behind]):
            inner = joining(row.part((start, end)), [counts[c] for c in row.order[start:end]], minimum)
        else:
            inner = tuple((place, place + 1) for place in range(end - start))
        segments += [(start + a, start + b) for a, b in inner]
    return tuple(segments)


def _cut(
    row: Row, counts: Sequence[int], minimum: int, content: Callable[[], Content] | None
) -> tuple[Segment, ...] | None:
    """The best cutting, from the last segment to the first; None if there is none."""
    ordered = [counts[cell] for cell in row.order]
    # The loss of a segment is the same about any origin: about the least coordinates most of them are 0.
    beyond = [[(j, row.weights[j], x) for j, x in row._beyond[cell]] for cell in row.order]
    squares = [
        count * sum(w * x * x for _, w, x in point) for count, point in zip(ordered, beyond, strict=True)
    ]
    reach = 2 * minimum - 1 + max(ordered, default=0)
    least: list[int | None] = [0]
    starts: list[int] = []
    for end, count in enumerate(ordered, 1):
        if count == 0:
            # Alone it costs nothing, and no cut is later.
            least.append(least[-1])
            starts.append(end - 1)
            continue
        best: int | None = None
        start = -1
        judged = None if content is None else content()
        answers = square = between = 0
        sums = [0] * len(row.weights)
        for begin in range(end - 1, -1, -1):
            count = ordered[begin]
            if count == 0:
                continue  # A segment that begins behind it is as good, and its cut is later.
            answers += count
            if judged is None and answers >= reach:
                break
            square += squares[begin]
            for j, weight, x in beyond[begin]:
                more = count * x
                between += weight * more * (2 * sums[j] + more)
                sums[j] += more
            if judged is not None:
                judged.add(begin)
            if answers < minimum:
                continue
            loss = (answers * square - between) // answers
            if best is not None and loss >= best:
                break  # Longer segments lose no less.
            before = least[begin]
            if before is None or (best is not None and before + loss >= best):
                continue
            if judged is None or judged.satisfies():
                best, start = before + loss, begin
        least.append(best)
        starts.append(start)
    if least[-1] is None:
        return None
    segments: list[Segment] = []
    end = len(ordered)
    while end:
        segments.append((starts[end - 1], end))
        end = starts[end - 1]
    return tuple(reversed(segments))
