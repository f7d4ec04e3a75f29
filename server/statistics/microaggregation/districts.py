"""A large file in districts: boxes of similar records, cut so that each can be grouped on its own.

Grouping takes more than proportional time, and what is far apart does not meet in a group anyway. A tree of
cuts at medians, as Mondrian's, costs little. It loses where groups would have lain across a cut: 4 % of
normal numbers in six dimensions, where most groups are near one, and a third where long tails are cut. So
groups near a cut are mended afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor
from server.progress import Progress
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import group_means, sse
from server.statistics.microaggregation.refinement import refine
from server.statistics.microaggregation.size_rule import SizeRule

FEWEST: Final = 4
"""A district has at least the limit over this many records."""

_ELSEWHERE: Final = 1 / 3
"""Where the districts of mending are cut; at their medians they would be cut where the first ones are."""

_REACH: Final = 2.0
_CANDIDATES: Final = 6
_PASSES: Final = 2
"""Of mending: with these it takes back at least what the cuts lost, in two, three and six dimensions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class District:
    """Records within a box.

    Attributes
    ----------
    rows : int array
        Ascending.
    low, high : float arrays, shape (d,)
        Where the box was cut; infinite where it was not.
    """

    rows: IntArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def everything(cls, X: FloatArray | IntArray) -> District:
        """All rows, uncut."""
        everywhere = np.full(X.shape[1], np.inf)
        return cls(rows=np.arange(len(X)), low=-everywhere, high=everywhere)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cut:
    """Districts on both sides of a value.

    Attributes
    ----------
    column : int
    value : float
        Records of at most this value in the column lie below.
    below, above : Cut or District
    """

    column: int
    value: float
    below: Cut | District
    above: Cut | District


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """How records are cut.

    Attributes
    ----------
    most : int
        People of a district, at most, where values allow it.
    fewest : int
        People of a district, at least.
    acceptable : callable
        Told rows, says whether they are enough people for a district.
    share : float
        Of the people, below a cut.
    columns : tuple of int, optional
        Which may be cut; all if none are named.
    scale : tuple of int, optional
        Weight of each column's variance; 1 each if none are given.
    grid : tuple of (low, step), optional
        Where the cuts of each column may lie: low + i step; at values of records if it is not given.
    depth : int
        Cuts above a district, at most.
    """

    most: int
    fewest: int
    acceptable: Callable[[IntArray], bool]
    share: float = 0.5
    columns: tuple[int, ...] | None = None
    scale: tuple[int, ...] | None = None
    grid: tuple[tuple[int, int], ...] | None = None
    depth: int = 64


def districts(
    X: FloatArray, most: int, acceptable: Callable[[IntArray], bool], *, share: float = 0.5
) -> tuple[District, ...]:
    """Divide records into districts of at least a quarter of `most`; parameters as of `Cutting`."""
    cutting = Cutting(most=most, fewest=-(-most // FEWEST), acceptable=acceptable, share=share)
    return leaves(cut_tree(X, cutting, None, District.everything(X)))


def cut_tree(
    X: FloatArray | IntArray, how: Cutting, mass: IntArray | None, tree: Cut | District
) -> Cut | District:
    """Divide the districts of a tree by cuts along the column that varies most.

    Parameters
    ----------
    X : array, shape (n, d)
        In units in which columns can be compared, but for `how.scale`.
    mass : int array, shape (n,), or None
        People behind each record; 1 each if not given.
    tree : Cut or District
        What was cut before.

    Returns
    -------
    Cut or District
        A tree in whose leaves every row stands once.

    Notes
    -----
    Guarantee: each district has at least `how.fewest` people, if X has, and is acceptable, if X is. Records
    of equal values in the column that is cut stay together, so that the values of a record alone, and not its
    place in the file, decide about its district: it does not matter in which order the records stand.

    A cut lies beside the value of the median, below or above it, whichever is nearer to the share. If no
    column can be cut, a district stays larger than `how.most`. O(n d log(n / most)) time, and memory for two
    columns.
    """
    if isinstance(tree, Cut):
        deeper = replace(how, depth=how.depth - 1)
        return replace(
            tree, below=cut_tree(X, deeper, mass, tree.below), above=cut_tree(X, deeper, mass, tree.above)
        )
    rows = tree.rows
    people = len(rows) if mass is None else int(mass[rows].sum())
    found = _cut(X, how, mass, rows, people) if people > how.most and how.depth else None
    if found is None:
        return tree
    column, value, lower, upper = found
    low, high = tree.low.copy(), tree.high.copy()
    low[column] = high[column] = value
    below = District(rows=lower, low=tree.low, high=high)
    above = District(rows=upper, low=low, high=tree.high)
    return cut_tree(X, how, mass, Cut(column=column, value=value, below=below, above=above))


def leaves(tree: Cut | District) -> tuple[District, ...]:
    """The districts of a tree, those below a cut before those above it."""
    return (tree,) if isinstance(tree, District) else (*leaves(tree.below), *leaves(tree.above))


def in_districts(
    cut: Sequence[District],
    group: Callable[[Any], IntArray],
    *,
    task_of: Callable[[IntArray], Any] = lambda rows: rows,
    progress: Progress | None = None,
    executor: Executor = THREADS,
) -> IntArray:
    """Group the records of each district on their own.

    Parameters
    ----------
    cut : sequence of District
    group : callable
        Told the task of a district, returns the group of each of its records, numbered from 0.
    task_of : callable
        Told the rows of a district, returns what ``group`` is told.
    progress : callable, optional
        Called with the districts that are done and their number; what it raises ends the work.
    executor : Executor

    Returns
    -------
    int array, shape (n,)
        Group of each record. Who groups does not matter.
    """
    labels = np.empty(sum(len(district.rows) for district in cut), np.int64)
    tasks = (task_of(district.rows) for district in cut)
    groups = 0
    for district, own in zip(cut, executor.map(group, tasks, progress=progress, total=len(cut)), strict=True):
        labels[district.rows] = own + groups
        groups += int(own.max()) + 1
    return labels


def mended(
    X: FloatArray,
    labels: IntArray,
    cut: Sequence[District],
    rule: SizeRule,
    *,
    most: int,
    counts: IntArray | None = None,
    progress: Progress | None = None,
    executor: Executor = THREADS,
) -> IntArray:
    """Lower the loss of groups near a cut, by moves and swaps of their records over it.

    Parameters
    ----------
    X : float array, shape (n, d)
    labels : int array, shape (n,)
        Of `in_districts`.
    cut : sequence of District
    rule : SizeRule
        A single head count.
    most : int
        Records that are mended together, at most, as in `districts`.
    counts : int array, shape (n,), optional
        People behind each record.
    progress, executor
        As of `in_districts`.

    Returns
    -------
    int array, shape (n,)

    Notes
    -----
    Guarantee: every group is one that the rule accepts, and the SSE is not above that of ``labels``.
    A group is near a cut that is nearer to its centroid than twice the root mean square distance of its
    members.
    """
    # 1. The groups that lose most, all over the file: in long tails few of them lose nearly everything.
    near, centroids, lost = _near(X, labels, cut, counts)
    if not len(near):
        return labels
    near = near[np.argsort(-lost[near], kind="stable")]
    sizes = np.bincount(labels)
    heaviest = near[np.cumsum(sizes[near]) <= max(most, sizes[near[0]])]
    labels = _refined(X, labels, [heaviest], rule, executor, counts, None, anew=True)
    # 2. All of them, in districts that are cut elsewhere.
    near, centroids, _ = _near(X, labels, cut, counts)
    together = max(1, most * len(centroids) // len(labels))
    regions = districts(centroids[near], together, lambda _: True, share=_ELSEWHERE)
    return _refined(X, labels, [near[found.rows] for found in regions], rule, executor, counts, progress)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Region:
    """Records that are mended together."""

    X: FloatArray
    labels: IntArray
    counts: IntArray | None


def _refined(
    X: FloatArray,
    labels: IntArray,
    regions: Sequence[IntArray],
    rule: SizeRule,
    executor: Executor,
    counts: IntArray | None,
    progress: Progress | None,
    *,
    anew: bool = False,
) -> IntArray:
    """The partition with the groups of each region refined among themselves.

    With ``anew`` their records are first grouped anew by MDAV, if that loses less.
    """
    groups = int(labels.max()) + 1
    region = np.full(groups, -1)
    for number, members in enumerate(regions):
        region[members] = number
    own = region[labels]
    order = np.argsort(own, kind="stable")
    starts = np.searchsorted(own[order], np.arange(len(regions) + 1))
    rows_of = [order[starts[number] : starts[number + 1]] for number in range(len(regions))]
    tasks = (
        _Region(X=X[rows], labels=labels[rows], counts=None if counts is None else counts[rows])
        for rows in rows_of
    )
    result = labels.copy()
    mended = executor.map(
        partial(_mended_region, rule=rule, anew=anew), tasks, progress=progress, total=len(rows_of)
    )
    for rows, new in zip(rows_of, mended, strict=True):
        result[rows] = new + groups
        groups += int(new.max()) + 1
    return np.unique(result, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _mended_region(region: _Region, rule: SizeRule, *, anew: bool) -> IntArray:
    numbers = np.unique(region.labels, return_inverse=True)[1].reshape(-1)
    if anew:
        fresh = mdav_records(region.X, rule, counts=region.counts)
        numbers = min(numbers, fresh, key=lambda found: sse(region.X, found, region.counts))
    return refine(region.X, numbers, rule, counts=region.counts, candidates=_CANDIDATES, passes=_PASSES)


def _near(
    X: FloatArray, labels: IntArray, cut: Sequence[District], counts: IntArray | None
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The groups that are near a cut; of all groups centroid and loss."""
    centroids = group_means(X, labels, counts)
    squares = np.zeros(len(labels))
    for column in range(X.shape[1]):
        squares += (X[:, column] - centroids[labels, column]) ** 2
    weight = np.ones(len(labels)) if counts is None else counts.astype(np.float64)
    lost = np.bincount(labels, squares * weight).astype(np.float64)
    radius = np.sqrt(lost / np.bincount(labels, weight))
    low, high = np.full_like(centroids, -np.inf), np.full_like(centroids, np.inf)
    for district in cut:
        groups = np.unique(labels[district.rows])
        # Groups that were mended may lie across a cut: then it is as near as can be.
        low[groups] = np.maximum(low[groups], district.low)
        high[groups] = np.minimum(high[groups], district.high)
    gap = np.minimum(centroids - low, high - centroids).min(axis=1)
    return np.flatnonzero(gap < _REACH * radius), centroids, lost


def _cut(
    X: FloatArray | IntArray, how: Cutting, mass: IntArray | None, rows: IntArray, people: int
) -> tuple[int, float, IntArray, IntArray] | None:
    """Column and value of a cut, and the rows below and above it; None if there is none."""
    columns = range(X.shape[1]) if how.columns is None else how.columns
    counted = {j: _histogram(X[rows, j], None if mass is None else mass[rows]) for j in columns}
    spread = {
        j: _variance(*histogram) * (1 if how.scale is None else how.scale[j])
        for j, histogram in counted.items()
    }
    for column in sorted(columns, key=lambda j: -spread[j]):
        values, heads = counted[column]
        if len(values) < 2 or not spread[column]:
            break
        thresholds: Any = values[:-1]
        if how.grid is not None:
            low, step = how.grid[column]
            thresholds = np.unique((thresholds - low) // step * step + low)
            thresholds = thresholds[thresholds >= values[0]]
        below = np.cumsum(heads)[np.searchsorted(values, thresholds, side="right") - 1]
        for place in np.argsort(np.abs(below - int(people * how.share)), kind="stable")[:2].tolist():
            side = X[rows, column] <= thresholds[place]
            lower, upper = rows[side], rows[~side]
            enough = min(int(below[place]), people - int(below[place])) >= how.fewest
            if enough and how.acceptable(lower) and how.acceptable(upper):
                return column, thresholds[place].item(), lower, upper
    return None


def _histogram(values: Any, mass: IntArray | None) -> tuple[Any, IntArray]:
    """Distinct values, ascending, and the people of each."""
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, np.bincount(inverse.reshape(-1), mass).astype(np.int64)


def _variance(values: FloatArray | IntArray, heads: IntArray) -> Fraction | float:
    """Exact if the values are integers, else of sorted values: in no case by the order of the records."""
    n = int(heads.sum())
    if values.dtype.kind == "i":
        pairs = [(int(head), int(value)) for head, value in zip(heads, values - values[0], strict=True)]
        total = sum(head * value for head, value in pairs)
        return Fraction(n * sum(head * value**2 for head, value in pairs) - total**2, n**2)
    centred = values - values[0]
    mean = float((centred * heads).sum()) / n
    return float((heads * (centred - mean) ** 2).sum()) / n
