"""What a promise would cost, estimated while an organizer moves a control.

The cells are made by the kernel of the chosen algorithm, on everybody where that is quick, else on people
drawn at random, with cells smaller in the same proportion; of many cells some are made, in a few of the
boxes into which cuts at medians divide the draw. The power diagram, whose kernel takes seconds, is estimated
by the regions of means that begin as its own do and settle without its balance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.design.population.model import Model
from server.design.weights import normalizing_weights
from server.statistics.microaggregation.districts import Cutting, District, cut_tree, leaves
from server.statistics.microaggregation.geometry import distortion
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.mondrian import mondrian_boxes
from server.statistics.microaggregation.size_rule import SizeRule
from shared.attributes import Attribute
from shared.checks import HALF
from shared.effective_anonymity import n_min_safe, worst_cell_metrics
from shared.errors import DesignError
from shared.participation import Dependence, ParticipationLevel
from shared.register import left_out
from shared.specification import ranges_of

WORK: Final = 2_000_000
"""Tuples times cells up to which the kernel runs on everybody: about a tenth of a second."""
_DRAWN: Final = 5
"""People of a cell of the draw."""
_TOGETHER: Final = 500
"""Cells of a box, at most."""
_LOOKED_INTO: Final = 8
"""Boxes in which cells are made, of however many."""
_LUMPS: Final = 4
"""Combinations of average frequency in a cell from which a power diagram parts them well."""
_FREE: Final = 3
"""Steps of the regions before the smallest are given up."""
_SETTLING: Final = 12
"""Most steps of the regions."""
_BLOCK: Final = 256
"""Denominator of the share of a register that is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What an organizer chooses: k answers, with which failure, at which participation."""

    k: int
    failure: str
    level: ParticipationLevel
    dependence: Dependence
    algorithm: str
    register: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What it would cost.

    Attributes
    ----------
    needed : int
        People that a cell needs (`n_min_safe`).
    cells : int
    people_per_cell : float
        Mean over cells.
    expected_answers : float
        Of a mean cell, at the low end of the participation.
    unprotected, unprotected_half : Decimal
        Chance that a participant of a cell of ``needed`` people is not protected, at the stated
        participation, and if only half as many take part.
    loss : float
        D, 0 to 1.
    loss_by_attribute : tuple of (str, float)
        The same of each attribute alone.
    lumpy : bool
        So many people share a combination of the attributes that a power diagram cannot part them as finely
        as estimated.
    """

    needed: int
    cells: int
    people_per_cell: float
    expected_answers: float
    unprotected: Decimal
    unprotected_half: Decimal
    loss: float
    loss_by_attribute: tuple[tuple[str, float], ...]
    lumpy: bool


def estimate(model: Model, promise: Promise) -> Estimate:
    """Estimate a design; how near it comes is measured in ``benchmarks/bench_promise.py``.

    Parameters
    ----------
    model : Model
        Participation levels in it are taken together: the promise's one level counts.
    promise : Promise

    Raises
    ------
    DesignError
        If no cell is safe at this participation, or there are too few people for two cells.

    Notes
    -----
    The same model and promise give the same estimate: the draw has a fixed seed.
    """
    dependence, level = promise.dependence, promise.level
    try:
        needed = n_min_safe(promise.k, level, promise.failure, dependence)
    except ValueError as problem:
        raise DesignError(str(problem), where="participation", remedy="Expect more participation.") from None
    people = model.people.sum(axis=1, keepdims=True)
    total = int(people.sum())
    kept = _BLOCK - left_out(needed) if promise.register else _BLOCK
    size = ceil(Fraction(needed * _BLOCK, kept))
    if total < 2 * size:
        raise DesignError(
            f"there are {total} people, too few for two cells",
            where=model.source,
            expected=f"at least {2 * size}",
            remedy="Use a larger population, a smaller k, or a larger acceptable failure.",
        )
    weights = normalizing_weights(model.attributes, model.X, people[:, 0], room=2).values
    drawn = len(people) * (total // size) > WORK
    X, counts, least = _draw(model.X, people, size, _DRAWN) if drawn else (model.X, people, size)
    boxes = _boxes(model, X, counts, weights, least) if drawn else np.zeros(len(X), np.int64)
    grouped = _Grouped(X=X, people=counts, weights=weights, boxes=boxes, labels=np.full(len(X), -1, np.int64))
    for box in np.unique(np.linspace(0, boxes.max(), _LOOKED_INTO).round()):
        rows = np.flatnonzero(boxes == box)
        own = _cells(model, promise.algorithm, X[rows], counts[rows], weights, least)
        grouped.labels[rows] = own + grouped.labels.max() + 1
    # Few people lie nearer to their own mean than to that of many.
    factor = float(Fraction(least * (size - 1), (least - 1) * size))
    # What stands in the sample's cells is scaled to everybody's.
    mean = grouped.people_per_cell * total / int(counts.sum())
    metrics, half = (
        worst_cell_metrics((needed,), (level,), promise.k, dependence, share) for share in (Fraction(1), HALF)
    )
    return Estimate(
        needed=needed,
        cells=round(total / mean),
        people_per_cell=mean,
        expected_answers=mean * float(level.lowest),
        unprotected=metrics.record_failure_given_participation,
        unprotected_half=half.record_failure_given_participation,
        loss=min(1.0, grouped.loss() * factor),
        loss_by_attribute=tuple(
            (attribute.name, min(1.0, grouped.loss(columns) * factor))
            for attribute, columns in _columns_of(model.attributes)
        ),
        lumpy=promise.algorithm == "power-diagram" and total * _LUMPS > needed * len(people),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grouped:
    """People in boxes, and in some boxes in cells.

    Attributes
    ----------
    X : int array, shape (n, d)
    people : int array, shape (n, 1)
    weights : tuple of int, length d
    boxes, labels : int arrays, shape (n,)
        Cells are numbered from 0; -1 where none were made.
    """

    X: IntArray
    people: IntArray
    weights: tuple[int, ...]
    boxes: IntArray
    labels: IntArray

    @property
    def people_per_cell(self) -> float:
        """Mean over the cells that were made."""
        return int(self.people[self.labels >= 0].sum()) / (int(self.labels.max()) + 1)

    def loss(self, columns: slice = slice(None)) -> float:
        """D of some columns: what the boxes leave, times what cells leave of it where they were made.

        All boxes have about as many cells, so that the part is about the same.
        """
        X, weights = np.ascontiguousarray(self.X[:, columns]), self.weights[columns]
        made = self.labels >= 0
        outside = distortion(X, self.people, weights, self.boxes)
        within = distortion(X[made], self.people[made], weights, self.boxes[made])
        inside = distortion(X[made], self.people[made], weights, self.labels[made])
        return outside * (inside / within if within > 0 else 1.0)


def _columns_of(attributes: Sequence[Attribute]) -> Iterator[tuple[Attribute, slice]]:
    start = 0
    for attribute in attributes:
        yield attribute, slice(start, start + attribute.dimension)
        start += attribute.dimension


def loss_by_attribute(
    attributes: Sequence[Attribute],
    X: IntArray,
    people: IntArray,
    weights: Sequence[int],
    labels: IntArray,
) -> tuple[tuple[str, float], ...]:
    """D of each attribute alone; 0 for one that everybody has alike."""
    return tuple(
        (attribute.name, distortion(np.ascontiguousarray(X[:, own]), people, weights[own], labels))
        for attribute, own in _columns_of(attributes)
    )


def without(model: Model, name: str) -> Model:
    """The model without one attribute; people who differ in it alone become equal."""
    kept = [(attribute, own) for attribute, own in _columns_of(model.attributes) if attribute.name != name]
    X = np.concatenate([model.X[:, own] for _, own in kept], axis=1)
    order = np.lexsort(X.T[::-1])
    X, people = X[order], model.people[order]
    starts = np.flatnonzero(np.r_[True, (X[1:] != X[:-1]).any(axis=1)])
    return replace(
        model,
        attributes=tuple(attribute for attribute, _ in kept),
        X=np.ascontiguousarray(X[starts]),
        people=np.add.reduceat(people, starts, axis=0),
        tuple_of_record=np.full(len(model.rows), -1, np.int64),
    )


def _draw(X: IntArray, people: IntArray, size: int, least: int) -> tuple[IntArray, IntArray, int]:
    """So many people that cells of ``least`` of them are as many as cells of ``size`` of everybody."""
    total = int(people.sum())
    share = min(1.0, least / size)
    chance = np.random.default_rng(0)
    chosen = chance.multivariate_hypergeometric(people[:, 0], max(2 * least, round(total * share)))
    used = np.flatnonzero(chosen)
    return np.ascontiguousarray(X[used]), chosen[used].astype(np.int64)[:, None], least


def _boxes(model: Model, X: IntArray, people: IntArray, weights: tuple[int, ...], least: int) -> IntArray:
    """The box of each, in the order of the cuts; categories are parted first, as by most cells."""
    scale: list[int] = []
    for attribute, own in _columns_of(model.attributes):
        scale += [weight * (attribute.dimension if attribute.one_hot else 1) for weight in weights[own]]
    how = Cutting(
        most=_TOGETHER * least, fewest=2 * least, acceptable=lambda _: True, scale=tuple(scale), depth=60
    )
    found = np.zeros(len(X), np.int64)
    for number, box in enumerate(leaves(cut_tree(X, how, people[:, 0], District.everything(X)))):
        found[box.rows] = number
    return found


def _cells(
    model: Model, algorithm: str, X: IntArray, people: IntArray, weights: tuple[int, ...], least: int
) -> IntArray:
    """The cell of each, by the kernel of the algorithm or what stands for it."""
    if algorithm == "power-diagram":
        return _regions(X, people, weights, least)
    if algorithm != "mondrian":
        return _balls(X, people, weights, least)
    nominal = [(own.start, own.stop) for attribute, own in _columns_of(model.attributes) if attribute.one_hot]
    rule = SizeRule(minimum=(least,))
    ranges = ranges_of(model.attributes)
    return mondrian_boxes(X, people, weights, rule, ranges=ranges, nominal=nominal).labels


def _balls(X: IntArray, people: IntArray, weights: tuple[int, ...], least: int) -> IntArray:
    return mdav(X, people, weights, SizeRule(minimum=(least,))).labels


def _regions(X: IntArray, people: IntArray, weights: tuple[int, ...], least: int) -> IntArray:
    """Regions of means that begin as MDAV's and settle, as a power diagram's do, without its balance."""
    labels = _balls(X, people, weights, least + least // 16)
    scale = np.sqrt(np.array(weights, dtype=float))
    points = (X - X.min(axis=0)) * scale
    size = people[:, 0].astype(float)
    for step in range(_SETTLING):
        means, sizes = _means(points, size, labels)
        if step >= _FREE:
            # The smallest of those that nobody balances are given up, a part at a time.
            short = np.flatnonzero(sizes < least)
            if not len(short) or len(sizes) < 2:
                break
            order = short[np.argsort(sizes[short], kind="stable")]
            means = np.delete(means, order[: max(1, len(order) // 3)], axis=0)
        nearest = np.argmin((means**2).sum(axis=1) - 2 * points @ means.T, axis=1)
        labels = np.unique(nearest, return_inverse=True)[1].reshape(-1)
    return labels


def _means(points: FloatArray, size: FloatArray, labels: IntArray) -> tuple[FloatArray, FloatArray]:
    sizes = np.bincount(labels, weights=size).astype(np.float64)
    sums = np.stack([np.bincount(labels, weights=column * size) for column in points.T], axis=1)
    return sums / sizes[:, None], sizes
