"""How easily a masked table gives somebody away.

References
----------
J. Domingo-Ferrer, V. Torra, Disclosure risk assessment in statistical microdata protection via advanced
record linkage, Statistics and Computing 13, 2003 (distance-based record linkage). J. Mateo-Sanz, F. Sebe, J.
Domingo-Ferrer, Outlier protection in continuous microdata masking, PSD 2004 (SDID). R. Mortazavi, S. Jalili,
the P3M paper (satisfaction level SL, scoring index SI). L. Sweeney, k-Anonymity, 2002.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor, slices
from server.progress import Progress
from server.statistics.measures.coded_matrix import column_ranks, matrix_of
from server.statistics.measures.measure import Measure
from server.statistics.measures.pieces import Scale, aligned_pieces, rows_of, total
from server.statistics.microaggregation.preparation import data_matrix, standardize

if TYPE_CHECKING:
    from server.statistics.microaggregation.compiled.tree import Tree

WIDTHS: Final = tuple(percent / 100 for percent in range(1, 11))
"""Half widths over which SDID is averaged, in standard deviations."""

_CHUNK: Final = 16_384
_PARTS: Final = 8
"""For each worker, which gets the tree of all records with each of them."""
_NEIGHBOURS: Final = 4
_FEW: Final = 100_000
"""Records that are linked without a sieve: machine code is loaded and a second tree planted for it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classes:
    """Records with the same published quasi-identifiers.

    Attributes
    ----------
    labels : int array, shape (n,)
        Class of each record, 0..m-1.
    sizes : int array, shape (m,)
        People of each class.
    """

    labels: IntArray
    sizes: IntArray

    def histogram(self) -> tuple[tuple[int, int], ...]:
        """(size, classes of this size), by size."""
        sizes, classes = np.unique(self.sizes, return_counts=True)
        return tuple(zip(sizes.tolist(), classes.tolist(), strict=True))


def equivalence_classes(codes: Iterable[NDArray[Any]], people: IntArray | None = None) -> Classes:
    """Group records by their published quasi-identifiers.

    Parameters
    ----------
    codes : int arrays, shape (n,), one after the other
        One per quasi-identifier: equal numbers mean equal published values. A missing value, -1, is a value
        like any other: who is known to lack it is not hidden among those who have one.
    people : int array, shape (n,), optional
    """
    columns = iter(codes)
    first = next(columns, None)
    if first is None or not len(first):
        raise ValueError("there is no quasi-identifier or no record")
    labels, groups = _numbered(np.asarray(first))
    for column in columns:
        if len(column) != len(labels):
            raise ValueError("the quasi-identifiers have different lengths")
        if groups == len(labels):
            continue  # no two are alike, and the others change nothing
        other, different = _numbered(np.asarray(column))
        labels, groups = _numbered(labels * different + other)
    sizes = np.bincount(labels, people).astype(np.int64)
    return Classes(labels=labels, sizes=sizes)


def _numbered(values: NDArray[Any]) -> tuple[IntArray, int]:
    """The place of each value among the different ones, in their order, and how many these are."""
    if values.dtype.kind in "iu" and values.min() >= 0 and values.max() < 2 * len(values):
        places = np.cumsum(np.bincount(values) > 0) - 1
        return places[values].astype(np.int64), int(places[-1]) + 1
    different, labels = np.unique(values, return_inverse=True)
    return labels.reshape(-1).astype(np.int64), len(different)


def achieved_k(classes: Classes) -> Measure:
    """Smallest class. Lower is unsafe: 1 singles somebody out."""
    return Measure(
        name="achieved k", value=int(classes.sizes.min()), direction="lower is unsafe", source="Sweeney 2002"
    )


def record_linkage_bounds(classes: Classes) -> tuple[Measure, Measure]:
    """Highest and average chance to pick a person's record by quasi-identifiers alone. Higher is unsafe.

    One over the smallest class, and classes over records. They hold for an intruder who knows the published
    values exactly; who knows the original ones can do no better, because all records of a class look alike.
    """
    highest, average = 1 / classes.sizes.min(), len(classes.sizes) / classes.sizes.sum()
    return (
        Measure(
            name="highest chance of linkage",
            value=float(highest),
            direction="higher is unsafe",
            source="Sweeney 2002",
        ),
        Measure(
            name="average chance of linkage",
            value=float(average),
            direction="higher is unsafe",
            source="Sweeney 2002",
        ),
    )


def distance_linkage(
    original: ArrayLike,
    masked: ArrayLike,
    *,
    known: Sequence[int] | None = None,
    scaled: bool = False,
    first: bool = False,
    progress: Progress | None = None,
    executor: Executor = THREADS,
) -> Measure:
    """DLD, in percent: originals whose nearest masked record is their own. Higher is unsafe.

    Parameters
    ----------
    original, masked : array, shape (n, d)
        In the same order; compared in the original's standard deviations.
    known : sequence of int, optional
        Columns that the intruder knows; by default all.
    scaled : bool
        Compare in the units given.
    first : bool
        Let the intruder pick the first of equally near records in the order of the table, as the P3M paper's
        program does, not one at random. Then the figure depends on the order.
    progress : callable, optional
        Called with the parts of the records that are done and their number.
    executor : Executor

    Notes
    -----
    Expected value over an intruder who picks at random among equally near records: with t of them, the own
    one among them, 1/t of a record is linked. So a table whose classes hold at least k never exceeds 100/k.
    Distances that agree to 9 digits are equal.
    KD-tree of the distinct masked records: about O(n log m) in few dimensions.
    """
    columns = list(range(np.shape(original)[1])) if known is None else list(known)
    if not columns:
        raise ValueError("the intruder knows no attribute")
    X, Y = matrix_of(original), matrix_of(masked)
    if columns != list(range(X.shape[1])):
        X, Y = X[:, columns], Y[:, columns]
    scale = Scale.given(X) if scaled else Scale.of(X)
    if X.shape != Y.shape:
        raise ValueError(f"the original is {X.shape} and the masked data {Y.shape}")
    classes = equivalence_classes(column_ranks(Y, column) for column in range(Y.shape[1]))
    places = np.empty(len(classes.sizes), np.int64)
    places[classes.labels[::-1]] = np.arange(len(Y))[::-1]  # the first of each class, which is set last
    size = classes.sizes
    if first:  # only the first of equal records is ever linked
        own = places[classes.labels] == np.arange(len(Y))
        size = np.ones_like(size)
    points = scale.other(Y[places])
    sieve = _sieve(points) if len(Y) > _FEW else None
    tree = cKDTree(points)

    def part_of(rows: slice) -> tuple[FloatArray, FloatArray]:
        before, after = scale.own(data_matrix(X[rows])), scale.other(data_matrix(Y[rows]))
        return before, np.sqrt(((before - after) ** 2).sum(axis=1))

    # A part is made of whole chunks, whose sums are added in order: the bits do not depend on the workers.
    rows = slices(len(X), _CHUNK * -(-len(X) // (_CHUNK * _PARTS * executor.workers)))
    if first:
        parts = executor.map(
            partial(_linked_first, tree, places),
            ((*part_of(part), own[part], part.start) for part in rows),
            progress=progress,
            total=len(rows),
        )
    else:
        parts = executor.map(
            partial(_linked, tree, size, sieve=sieve),
            map(part_of, rows),
            progress=progress,
            total=len(rows),
        )
    linked = sum((chunk for part in parts for chunk in part), 0.0)
    return Measure(
        name="DLD to the first of equally near records, percent" if first else "DLD, percent",
        value=100 * linked / len(X),
        direction="higher is unsafe",
        source="Domingo-Ferrer, Torra 2003",
    )


def _sieve(points: FloatArray) -> Tree:
    # Compiled code, which small files do not wait for.
    plant = import_module("server.statistics.microaggregation.compiled.tree").plant
    tree: Tree = plant(points, np.arange(len(points)), points.mean(axis=0))
    return tree


def _linked(
    tree: cKDTree, size: IntArray, part: tuple[FloatArray, FloatArray], *, sieve: Tree | None = None
) -> list[float]:
    """Expected number of correct links of each chunk; ties among many records are looked up apart.

    A sieve, of the same points, passes over records of which another masked record is clearly nearer.
    """
    X, distance_own = part
    asked = min(_NEIGHBOURS, len(size))
    found = []
    for rows in slices(len(X), _CHUNK):
        links = np.zeros(rows.stop - rows.start)
        chosen = np.arange(rows.start, rows.stop)
        if sieve is not None:
            nearer = np.zeros(len(links), dtype=bool)
            has_nearer = import_module("server.statistics.microaggregation.compiled.nearer").has_nearer
            has_nearer(sieve, X[rows], np.maximum(distance_own[rows] * (1 - 1e-8) - 1e-11, 0) ** 2, nearer)
            chosen = chosen[~nearer]
        if not len(chosen):
            found.append(0.0)
            continue
        distance, index = tree.query(X[chosen], k=list(range(1, asked + 1)))
        bound = distance[:, 0] * (1 + 1e-9) + 1e-12
        hit = distance_own[chosen] <= bound
        near = distance <= bound[:, None]
        tied = (near * size[index]).sum(axis=1)
        many = np.flatnonzero(hit & near.all(axis=1)) if asked < len(size) else ()
        for row in many:
            tied[row] = size[tree.query_ball_point(X[chosen[row]], bound[row])].sum()
        links[chosen - rows.start] = hit / np.maximum(tied, 1)
        found.append(float(links.sum()))
    return found


def linkage_of_masked(original: ArrayLike, masked: ArrayLike) -> Measure:
    """DLD the other way, in percent: masked records whose nearest original is their own. Higher is unsafe.

    The masked table is standardized by its own mean and deviation first, so an intruder undoes the lost
    variance; ties as in `distance_linkage`. At most one record of each class can be linked, 100/k.
    """
    X, Y = standardize(original)[0], standardize(masked)[0]
    points, size = np.unique(X, axis=0, return_counts=True)
    linked = sum(_linked(cKDTree(points), size, (Y, np.sqrt(((X - Y) ** 2).sum(axis=1)))))
    return Measure(
        name="DLD of masked records, percent",
        value=100 * linked / len(X),
        direction="higher is unsafe",
        source="microaggregation with preservation of statistical dependence, section V.C",
    )


def _linked_first(
    tree: cKDTree, places: IntArray, part: tuple[FloatArray, FloatArray, NDArray[np.bool_], int]
) -> list[float]:
    """Records that stand first among the nearest; ``own`` says which are the first with their values."""
    X, distance_own, own, start = part
    distance, _ = tree.query(X)
    bound = distance * (1 + 1e-9) + 1e-12
    linked = 0
    for row in np.flatnonzero(own & (distance_own <= bound)):
        nearest = tree.query_ball_point(X[row], bound[row])
        linked += int(places[nearest].min() == start + row)
    return [float(linked)]


def interval_disclosure(original: ArrayLike, masked: ArrayLike, *, width: float = 0.1) -> Measure:
    """SDID, in percent: values at most ``width`` deviations from the published one. Higher is unsafe."""
    return Measure(
        name=f"SDID within {width:g} standard deviations, percent",
        value=_disclosed(original, masked, (width,)),
        direction="higher is unsafe",
        source="Mateo-Sanz, Sebe, Domingo-Ferrer 2004",
    )


def average_interval_disclosure(original: ArrayLike, masked: ArrayLike) -> Measure:
    """Mean of SDID over the widths of `WIDTHS`, in percent. Higher is unsafe."""
    return Measure(
        name="SDID, mean over 0.01 to 0.1 standard deviations, percent",
        value=_disclosed(original, masked, WIDTHS),
        direction="higher is unsafe",
        source="Mateo-Sanz, Sebe, Domingo-Ferrer 2004",
    )


def _disclosed(original: ArrayLike, masked: ArrayLike, widths: Sequence[float]) -> float:
    if not all(np.isfinite(width) and width > 0 for width in widths):
        raise ValueError("the width is a number above 0, in standard deviations")
    inside = total(
        np.array([np.count_nonzero(distance <= width) for width in widths])
        for distance in (np.abs(X - Y) for X, Y in aligned_pieces(original, masked))
    )
    return 100 * float(np.mean(inside / np.prod(np.shape(original))))


def satisfaction_level(
    original: ArrayLike,
    masked: ArrayLike,
    *,
    minimum_distance: ArrayLike = 0.1,
    importance: ArrayLike | None = None,
) -> Measure:
    """SL, in percent: values at least ``minimum_distance`` from the published one. Lower is unsafe.

    Parameters
    ----------
    original, masked : array, shape (n, d)
    minimum_distance : float, or array that broadcasts to (n, d)
        In standard deviations of the original.
    importance : float, or array that broadcasts to (n, d), optional
        w of equation 13, SL = sum w sl / sum w; without it, or if it is the same for all, every value counts
        alike. Where all are 0 nothing is asked for, and SL is 100.

    Raises
    ------
    ValueError
        An importance below 0; shapes that do not fit.

    Notes
    -----
    With a common distance, and no value at exactly this distance, it is 100 - SDID of that width.
    """
    shape = np.shape(original)
    distance = np.broadcast_to(np.asarray(minimum_distance, dtype=np.float64), shape)
    weight = np.broadcast_to(np.asarray(1.0 if importance is None else importance, dtype=np.float64), shape)
    if not (weight >= 0).all():
        raise ValueError("importances are not below 0")
    satisfied, asked = total(
        np.array([(kept * weight[rows]).sum(), weight[rows].sum()])
        for rows, kept in (
            (rows, np.abs(X - Y) >= distance[rows])
            for rows, (X, Y) in zip(rows_of(shape[0]), aligned_pieces(original, masked), strict=True)
        )
    ).tolist()
    level = satisfied / asked if asked else 1.0
    return Measure(
        name="satisfaction level SL, percent",
        value=100 * level,
        direction="lower is unsafe",
        source="Mortazavi, Jalili 2017, equation 13",
    )


def scoring_index(loss: Measure, linkage: Measure, interval: Measure) -> Measure:
    """SI = (DR + IL) / 2 with DR = (DLD + SDID) / 2, in percent. Higher is unsafe, or loses more.

    Parameters
    ----------
    loss, linkage, interval : Measure
        IL (PIL), DLD and SDID, in percent. The paper's DLD takes the first of equally near records, and its
        SDID one width, 0.05 standard deviations; `roomful anonymize` takes the mean of ten widths.
    """
    return Measure(
        name="scoring index SI, percent",
        value=loss.value / 2 + linkage.value / 4 + interval.value / 4,
        direction="higher is unsafe",
        source="Mortazavi, Jalili 2017, equation 12",
    )
