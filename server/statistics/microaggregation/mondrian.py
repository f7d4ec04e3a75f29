"""Mondrian: cells cut from the domain by planes, one attribute at a time, like a painting of rectangles."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.compiled.roundest import roundest
from server.statistics.microaggregation.geometry import checked, sums_by_label
from server.statistics.microaggregation.preparation import Paths, data_matrix
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.trees import canonical_order

Ranges = tuple[tuple[int, int], ...]
Columns = tuple[int, int]
"""First column and the one after the last of a nominal attribute in one-hot form."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoxCells:
    """A partition of a whole domain into boxes.

    Attributes
    ----------
    boxes : tuple of ranges
        Inclusive bounds of each coordinate. They tile the domain: every admissible vector lies in exactly
        one box, whether or not anybody has it. A set of categories leaves the others' coordinates at 0.
    labels : int array, n
        Box of each row.
    counts : int array, c x L
        People per box and participation level.
    """

    boxes: tuple[Ranges, ...]
    labels: IntArray
    counts: IntArray


def mondrian(
    X: FloatArray,
    rule: SizeRule,
    *,
    counts: IntArray | None = None,
    seed: int = 0,  # noqa: ARG001 - part of the common signature
    progress: Progress | None = None,
    strict: bool = True,
    nominal: Sequence[Columns] = (),
    trees: Sequence[Paths | None] = (),
    most: int | None = None,
) -> IntArray:
    """Partition records by strict or relaxed multidimensional cuts.

    A :class:`Partitioner` for any rule; groups are numbered depth first, the lower side first. The attribute
    to cut is the widest in the units of X.

    Parameters
    ----------
    strict : bool
        Strict: records of equal value stay together. Relaxed: records of the value at which a group is cut
        may go to either side, so that with single records and a head count k every group has k..2k-1.
    nominal : sequence of (first, end) columns
        Blocks that hold one attribute in one-hot form, scaled or not: the largest entry of a record's block
        marks its category. They are cut into sets of categories, in relaxed mode too. ValueError if one is no
        range of columns.
    trees : sequence of Paths or None, optional
        For each nominal attribute its hierarchy, along which alone it is cut then.
    most : int, optional
        Groups at most; the fullest are cut first. A cut along a hierarchy can exceed it.

    Notes
    -----
    As in the paper (Section 4), a group is cut on its widest attribute, at the median, as long as both
    sides meet the rule; if that attribute cannot be cut, the next is tried. What the paper leaves open:

    * Where the median cannot be the border (many equal values, a predicate), the allowed border nearest to
      it is taken; the paper gives up the attribute.
    * The width of a nominal attribute is the distance between two categories; without a hierarchy its
      categories are cut in the order of the columns, or, where no such cut is allowed, in descending order
      of people.
    * With a hierarchy the width is that distance times the share of all categories that lie below the lowest
      node above the group's. Each child of that node with enough people becomes a group of its own (section
      4 of the paper has no children that fall short). The others stay together at the node, if they are
      enough; otherwise the child of fewest people stays with them.

    Ties: of attributes equally wide the first column; of borders equally near the median the lower.
    Time O(n d log n log(n / k)), memory O(n d).

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
    """
    X = data_matrix(X)
    if rule.plain:
        rule.head_counts("mondrian", len(X), counts)
    people = rule.people_of(len(X), counts)
    order = canonical_order(X, people.sum(axis=1))
    X = np.ldexp(X, -int(np.frexp(np.abs(X).max())[1]))  # within (-1, 1): no width overflows
    axes = _axes(X[order], np.ones(X.shape[1]), nominal, trees)
    labels = np.empty(len(X), dtype=np.int64)
    painting = _Painting(axes, people[order], rule, strict=strict)
    for label, (rows, _) in enumerate(painting.paint(progress, most)):
        labels[order[rows]] = label
    return labels


def mondrian_boxes(
    X: IntArray,
    people: IntArray,
    weights: Sequence[int] | IntArray,
    rule: SizeRule,
    *,
    ranges: Ranges,
    nominal: Sequence[Columns] = (),
    most: int | None = None,
    progress: Progress | None = None,
) -> BoxCells:
    """Tile a domain with boxes, each of which meets its need (strict Mondrian).

    Parameters
    ----------
    X : int array, n x d
        Distinct tuples in canonical (lexicographic) order.
    people : int array, n x L
        People per tuple and participation level.
    weights : d integers >= 0
        Widths are compared as weighted squared distances.
    rule : SizeRule
        Judge of every box.
    ranges : d pairs of int
        Inclusive bounds of the domain.
    nominal : sequence of (first, end) columns
        As in `mondrian`, with 0/1 coordinates.
    most : int, optional
        Boxes at most; the fullest are cut first.
    progress : callable, optional
        `progress(people placed, people)`.

    Raises
    ------
    ValueError
        Input that breaks the rules above, a tuple outside the domain, or all people together do not meet
        the need.

    Notes
    -----
    Guarantee: the boxes tile the domain and every box is acceptable. A border between two neighbouring
    values a < b is put at the roundest integer from a to b - 1 (divisible by the largest power of two), so
    it is no person's value unless values are dense; no box is shrunk to the people in it.
    """
    X, people, w = checked(X, people, weights, rule.levels)
    low, high = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    if (low > X).any() or (high < X).any():
        raise ValueError("a tuple lies outside the domain")
    painting = _Painting(_axes(X, w.astype(float), nominal), people, rule, strict=True)
    boxes: list[Ranges] = []
    labels = np.empty(len(X), dtype=np.int64)
    for label, (rows, cuts) in enumerate(painting.paint(progress, most)):
        labels[rows] = label
        boxes.append(_box(ranges, cuts))
    return BoxCells(boxes=tuple(boxes), labels=labels, counts=sums_by_label(people, labels, len(boxes)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Axis:
    """One attribute to cut.

    `values` are a column, or the number of the category. A number's width is its extent times `scale`; a
    nominal attribute's is `scale` as long as two categories are left. `categories` is 0 for a number.
    `tree` is the hierarchy of a nominal attribute, or empty.
    """

    first: int
    values: FloatArray
    scale: float
    categories: int = 0
    tree: Paths = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cut:
    """One side of a border: everything up to it or beyond it, or (nominal) the categories that are kept."""

    axis: _Axis
    lower: bool
    below: float = 0.0
    above: float = 0.0
    kept: frozenset[int] = frozenset()


_Side = tuple[IntArray, _Cut]


def _axes(
    X: FloatArray | IntArray,
    weights: FloatArray,
    nominal: Sequence[Columns],
    trees: Sequence[Paths | None] = (),
) -> list[_Axis]:
    taken = np.zeros(X.shape[1], dtype=bool)
    axes = []
    for (first, end), tree in zip(nominal, trees or (None,) * len(nominal), strict=True):
        if not 0 <= first < end <= X.shape[1] or taken[first:end].any():
            raise ValueError(f"({first}, {end}) is no block of columns of its own")
        taken[first:end] = True
        block = X[:, first:end]
        # Two categories differ in two columns.
        apart = np.sort(np.ptp(block, axis=0) ** 2 * weights[first:end])[-2:].sum()
        values = block.argmax(axis=1).astype(float)
        if tree is not None and len(tree) != end - first:
            raise ValueError(f"the hierarchy of ({first}, {end}) has {len(tree)} categories")
        axes.append(
            _Axis(
                first=first,
                values=values,
                scale=float(np.sqrt(apart)),
                categories=end - first,
                tree=tree or (),
            )
        )
    for j in np.flatnonzero(~taken).tolist():
        axes.append(_Axis(first=j, values=X[:, j].astype(float), scale=float(np.sqrt(weights[j]))))
    return sorted(axes, key=lambda axis: axis.first)


def _box(ranges: Ranges, cuts: tuple[_Cut, ...]) -> Ranges:
    """The domain, cut by cut."""
    box = list(ranges)
    for cut in cuts:
        j = cut.axis.first
        if cut.axis.categories:
            for c in set(range(cut.axis.categories)) - cut.kept:
                box[j + c] = (0, 0)
            continue
        border = roundest(int(cut.below), int(cut.above) - 1)
        low, high = box[j]
        box[j] = (low, border) if cut.lower else (border + 1, high)
    return tuple(box)


class _Painting:
    """The recursion: groups of rows, each with the cuts that made it."""

    def __init__(self, axes: list[_Axis], people: IntArray, rule: SizeRule, *, strict: bool) -> None:
        self.axes, self.people, self.rule, self.strict = axes, people, rule, strict
        if not rule.acceptable(people.sum(axis=0)):
            raise ValueError("all people together do not meet the need of one cell")

    def paint(
        self, progress: Progress | None, most: int | None = None
    ) -> list[tuple[IntArray, tuple[_Cut, ...]]]:
        """All groups that cannot be cut, or `most` of them, the lower side first at every cut."""
        total, placed = int(self.people.sum()), 0
        # The fullest group first; of equal ones the one that lies lower. The path tells it apart.
        waiting: list[tuple[int, tuple[int, ...], IntArray, tuple[_Cut, ...]]] = [
            (-total, (), np.arange(len(self.people)), ())
        ]
        done: list[tuple[tuple[int, ...], IntArray, tuple[_Cut, ...]]] = []
        while waiting:
            mass, path, rows, cuts = heapq.heappop(waiting)
            full = most is not None and len(waiting) + len(done) + 1 >= most
            sides = None if full else self._cut(rows)
            if sides is not None:
                for mark, (part, cut) in enumerate(sides):
                    held = int(self.people[part].sum())
                    heapq.heappush(waiting, (-held, (*path, mark), part, (*cuts, cut)))
                continue
            done.append((path, rows, cuts))
            placed -= mass
            if progress is not None:
                progress(placed, total)
        return [(rows, cuts) for _, rows, cuts in sorted(done, key=lambda group: group[0])]

    def _cut(self, rows: IntArray) -> tuple[_Side, ...] | None:
        """Cut the widest attribute that can be cut."""
        if len(rows) < 2 or int(self.people[rows].sum()) < 2 * self.rule.floor:
            return None
        extents = [float(np.ptp(axis.values[rows])) for axis in self.axes]
        widths = [
            axis.scale * self._extent(rows, axis, extent)
            for axis, extent in zip(self.axes, extents, strict=True)
        ]
        for i in np.argsort(-np.array(widths), kind="stable").tolist():
            axis = self.axes[i]
            if widths[i] > 0:
                sides: tuple[_Side, ...] | None
                if axis.tree:
                    sides = self._along(rows, axis)
                else:
                    sides = self._between_categories(rows, axis) if axis.categories else self._at(rows, axis)
                if sides is not None:
                    return sides
        if self.strict:
            return None
        # Relaxed, records that are equal in everything may be told apart.
        return self._at(rows, _Axis(first=0, values=np.zeros(len(self.people)), scale=1.0))

    def _extent(self, rows: IntArray, axis: _Axis, extent: float) -> float:
        if not axis.categories or not axis.tree or not extent:
            return min(extent, 1.0) if axis.categories else extent
        present = np.unique(axis.values[rows]).astype(np.int64).tolist()
        depth = _shared(axis.tree, present)
        below = sum(path[:depth] == axis.tree[present[0]][:depth] for path in axis.tree)
        return below / axis.categories

    def _along(self, rows: IntArray, axis: _Axis) -> tuple[_Side, ...] | None:
        """Divide a group among the children of the lowest node above its categories."""
        code = axis.values[rows].astype(np.int64)
        held = sums_by_label(self.people[rows], code, axis.categories)
        present = np.flatnonzero(held.sum(axis=1)).tolist()
        depth = _shared(axis.tree, present) + 1
        children: dict[tuple[str, ...], list[int]] = {}
        for category in present:
            children.setdefault(axis.tree[category][:depth], []).append(category)
        alone = [own for own in children.values() if self.rule.acceptable(held[own].sum(axis=0))]
        alone.sort(key=lambda own: (-int(held[own].sum()), own))
        rest = [category for category in present if not any(category in own for own in alone)]
        while rest and alone and not self.rule.acceptable(held[rest].sum(axis=0)):
            rest += alone.pop()
        parts = sorted([*map(sorted, alone), *([sorted(rest)] if rest else [])])
        if len(parts) < 2:
            return None
        return tuple(
            (rows[np.isin(code, own)], _Cut(axis=axis, lower=True, kept=frozenset(own))) for own in parts
        )

    def _at(self, rows: IntArray, axis: _Axis) -> tuple[_Side, _Side] | None:
        """Cut a number near its median."""
        order = np.argsort(axis.values[rows], kind="stable")
        values = axis.values[rows[order]]
        held = self.people[rows[order]].cumsum(axis=0)
        places = np.arange(len(rows) - 1)
        if self.strict:
            places = places[values[1:] > values[:-1]]
        border = self._border(held[places], held[-1])
        if border is None:
            return None
        place = int(places[border])
        below, above = float(values[place]), float(values[place + 1])
        lower, upper = np.sort(rows[order[: place + 1]]), np.sort(rows[order[place + 1 :]])
        return (
            (lower, _Cut(axis=axis, lower=True, below=below, above=above)),
            (upper, _Cut(axis=axis, lower=False, below=below, above=above)),
        )

    def _between_categories(self, rows: IntArray, axis: _Axis) -> tuple[_Side, _Side] | None:
        """Divide the categories: in their order, or else in descending order of people."""
        code = axis.values[rows].astype(np.int64)
        held = sums_by_label(self.people[rows], code, axis.categories)
        size = held.sum(axis=1)
        present = np.flatnonzero(size)
        for order in (present, present[np.argsort(-size[present], kind="stable")]):
            border = self._border(held[order].cumsum(axis=0)[:-1], held.sum(axis=0))
            if border is None:
                continue
            if order is present:  # categories nobody has stay with their neighbours
                first = frozenset(range(int(order[border]) + 1))
            else:
                first = frozenset(order[: border + 1].tolist())
            inside = np.isin(code, list(first))
            others = frozenset(range(axis.categories)) - first
            return (
                (rows[inside], _Cut(axis=axis, lower=True, kept=first)),
                (rows[~inside], _Cut(axis=axis, lower=False, kept=others)),
            )
        return None

    def _border(self, lower: IntArray, whole: IntArray) -> int | None:
        """Position of the allowed border nearest to the median, given the people below each (c x L)."""
        below = lower.sum(axis=1)
        total = int(whole.sum())
        allowed = np.flatnonzero((below >= self.rule.floor) & (total - below >= self.rule.floor))
        for i in allowed[np.argsort(np.abs(2 * below[allowed] - total), kind="stable")].tolist():
            if self.rule.acceptable(lower[i]) and self.rule.acceptable(whole - lower[i]):
                return int(i)
        return None


def _shared(tree: Paths, categories: Sequence[int]) -> int:
    """How many nodes from the root on are above all of some categories, or are the only one."""
    first, last = tree[categories[0]], len(tree[categories[0]])
    for category in categories[1:]:
        last = next((i for i in range(last) if tree[category][i] != first[i]), last)
    return last
