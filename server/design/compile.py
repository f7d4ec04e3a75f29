"""From an algorithm's cells to a cell shape that devices run, counted again over the whole model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.design.algorithms import ALGORITHMS
from server.design.labelled import labels_of, tabulate
from server.design.mapping import assign_many, units_of
from server.design.plan import UnitPlan
from server.design.population.model import Model
from server.design.survey_file.design_entry import wrong_parameter
from server.executor import Executor
from server.progress import Progress
from server.statistics.microaggregation.geometry import sums_by_label
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.mondrian import mondrian_boxes
from server.statistics.microaggregation.power_diagram import Snap, power_diagram
from server.statistics.microaggregation.size_rule import SizeRule
from shared.attributes import Attribute
from shared.cells import Balls, Boxes, Cells, PowerDiagram, UnitCells
from shared.errors import DesignError, SpecificationError
from shared.geometry import largest_squared_distance
from shared.limits import MAX_BOXES_TO_COMPARE
from shared.recount import centroid
from shared.specification import ranges_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompiledCells:
    """Cells as devices map into them.

    Attributes
    ----------
    cells : Cells
        The shape that is published.
    labels : ndarray of int64, shape (n_tuples,)
        Cell of each distinct tuple of the model.
    eligible : tuple of tuple of int, m x L
        People of each cell at each level.
    centroids : tuple of tuple of str, m x d
        Mean of each coordinate.
    """

    cells: Cells
    labels: NDArray[np.int64]
    eligible: tuple[tuple[int, ...], ...]
    centroids: tuple[tuple[str, ...], ...]


def partition(
    algorithm: str,
    model: Model,
    weights: tuple[int, ...],
    rule: SizeRule,
    progress: Progress | None = None,
    *,
    parameters: Mapping[str, int | str],
    snap: Snap | None = None,
) -> CompiledCells:
    """Run an algorithm and compile its result.

    Guarantee: the labels and counts are those of the published shape over every tuple of the model, and every
    cell is acceptable to ``rule``.

    Parameters
    ----------
    algorithm : str
        One of :data:`server.design.algorithms.ALGORITHMS`.
    parameters : mapping
        Exactly those that the algorithm takes.
    snap : callable, optional
        Moves the sites of a power diagram to the grid on which a register's may be published.

    Raises
    ------
    DesignError
        If all people together do not fill one cell, a parameter is missing, unknown or out of range, or a
        recount contradicts the algorithm (a defect).
    """
    wrong = wrong_parameter(algorithm, parameters)
    if wrong:
        raise DesignError(
            "the algorithm's parameters are wrong", where="algorithm.parameters", expected=wrong
        )
    try:
        cells, labels = _run(algorithm, parameters, model, weights, rule, progress, snap)
    except ValueError as problem:
        raise DesignError(
            f"no partition can be made: {problem}",
            where=model.source,
            remedy="More people, a higher participation, a smaller k or a larger failure would help.",
        ) from None
    mapped = assign_many(cells, model.X)
    if not np.array_equal(mapped, labels):
        raise DesignError("the mapping of devices differs from the algorithm's cells", where=algorithm)
    return recount(model, cells, mapped, rule)


def partition_units(
    units: UnitPlan,
    model: Model,
    weights: tuple[int, ...],
    rule: SizeRule,
    divide: Callable[[Model], CompiledCells],
    progress: Progress | None,
    executor: Executor,
) -> CompiledCells:
    """As :func:`partition`, for the people of each unit by themselves.

    Parameters
    ----------
    divide : callable
        :func:`partition` with the same weights and rule, for the people of one unit.
    executor : Executor
        Who divides units.

    Raises
    ------
    DesignError
        As :func:`partition`; if a unit has too few people for a cell; if its answers cannot make units.
    """
    whole = PowerDiagram(weights=weights, resolution=1, sites=((0,) * len(weights),), offsets=(0,))
    try:
        empty = UnitCells.of(weights, model.attributes, units.attribute, [(v, whole) for v in units.values])
    except SpecificationError as problem:
        raise DesignError(
            problem.message,
            where="units",
            expected=problem.expected,
            remedy="Name an attribute with a list of answers, and put answers at one place together.",
        ) from None
    owner = units_of(empty, model.X)
    people: list[Model] = []
    for number, values in enumerate(units.values):
        own = model.part(owner == number)
        if not rule.acceptable(own.people.sum(axis=0)):
            raise DesignError(
                f"the unit {', '.join(values)} has {own.n_people} people, too few for a box of its own",
                where="units.together",
                expected=f"at least {min(rule.minimum)} people",
                remedy="Put it together with a neighbour in [units], together = [[...]]: they are then one "
                "unit. Or choose a smaller k, or expect more participation.",
            )
        people.append(own)
    parts = [part.cells for part in executor.map(divide, people, progress=progress, total=len(people))]
    cells = UnitCells.of(
        weights, model.attributes, units.attribute, list(zip(units.values, parts, strict=True))
    )
    return recount(model, cells, assign_many(cells, model.X), rule)


def count_again(model: Model, cells: Cells, rule: SizeRule) -> CompiledCells:
    """Count the people of a model in cells that were designed for another survey.

    Raises
    ------
    DesignError
        If a cell is not acceptable to ``rule`` with these people.
    """
    labels = assign_many(cells, model.X)
    people = sums_by_label(model.people, labels, cells.count)
    failing = [cell for cell, row in enumerate(people) if not row.any() or not rule.acceptable(row)]
    if failing:
        smallest = min(int(people[cell].sum()) for cell in failing)
        raise DesignError(
            f"{len(failing)} of {cells.count} earlier cells hold too few people, the smallest {smallest}",
            where="--reuse-cells",
            expected="cells that keep what this survey promises",
            remedy="Promise no more than the earlier survey did, or leave out --reuse-cells.",
        )
    return recount(model, cells, labels, rule)


def recount(model: Model, cells: Cells, labels: NDArray[np.int64], rule: SizeRule) -> CompiledCells:
    """Count people and compute centroids of cells from the labels of the distinct tuples.

    Raises
    ------
    DesignError
        If a cell is not acceptable to ``rule``.
    """
    counts = sums_by_label(model.people, labels, cells.count)
    for cell, row in enumerate(counts):
        if not rule.acceptable(row):
            raise DesignError(f"cell {cell} holds {row.tolist()} people, fewer than it needs")
    # Coordinates count from their least value, so that sums over very many people cannot overflow.
    least = model.X.min(axis=0)
    people = model.people.sum(axis=1)
    sums = sums_by_label((model.X - least) * people[:, None], labels, cells.count).tolist()
    centroids = []
    for row, total in zip(sums, counts.sum(axis=1).tolist(), strict=True):
        exact = [part + total * int(low) for part, low in zip(row, least, strict=True)]
        centroids.append(centroid(exact, total))
    return CompiledCells(
        cells=cells,
        labels=labels,
        eligible=tuple(tuple(row) for row in counts.tolist()),
        centroids=tuple(centroids),
    )


def _run(
    algorithm: str,
    parameters: Mapping[str, int | str],
    model: Model,
    weights: tuple[int, ...],
    rule: SizeRule,
    progress: Progress | None,
    snap: Snap | None,
) -> tuple[Cells, NDArray[np.int64]]:
    if ALGORITHMS[algorithm].labels:
        if not rule.acceptable(model.people.sum(axis=0)):
            raise ValueError("all people together do not meet the need of one cell")
        labels = labels_of(algorithm, parameters, model.X, model.people, weights, rule, progress)
        prototypes = tabulate(model.X, model.people, weights, labels, rule)
        return prototypes, assign_many(prototypes, model.X)
    if algorithm == "mondrian":
        painted = mondrian_boxes(
            model.X,
            model.people,
            weights,
            rule,
            ranges=ranges_of(model.attributes),
            nominal=_nominal(model.attributes),
            most=MAX_BOXES_TO_COMPARE,
            progress=progress,
        )
        return Boxes(weights=weights, boxes=painted.boxes), painted.labels
    if algorithm == "mdav":
        balls = mdav(model.X, model.people, weights, rule, progress=progress)
        references = tuple(tuple(row) for row in balls.references.tolist())
        # A tuple that nobody in the model has goes to the nearest reference.
        shape = Balls(
            weights=weights, references=references, radii=tuple(balls.radii.tolist()), remainder="nearest"
        )
        return shape, balls.labels
    if algorithm != "power-diagram":
        raise ValueError(f"nothing here makes the cells of {algorithm}")
    span = largest_squared_distance(ranges_of(model.attributes), weights)
    power = power_diagram(
        model.X, model.people, weights, rule, domain_span=span, snap=snap, progress=progress
    )
    diagram = PowerDiagram(
        weights=weights,
        resolution=power.resolution,
        sites=tuple(tuple(row) for row in power.sites.tolist()),
        offsets=tuple(power.offsets.tolist()),
    )
    return diagram, power.labels


def _nominal(attributes: tuple[Attribute, ...]) -> list[tuple[int, int]]:
    """Coordinates of the attributes whose categories are cut into sets."""
    blocks, start = [], 0
    for attribute in attributes:
        if attribute.one_hot:
            blocks.append((start, start + attribute.dimension))
        start += attribute.dimension
    return blocks
