"""Dividing people into cells: all together, or district by district.

A district is designed by a function of what can be sent to another process, and knows nothing of the others:
it does not matter where, when and in which order districts are designed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from server.arrays import IntArray
from server.design.compile import CompiledCells, partition
from server.design.mapping import leaves_of
from server.design.plan import DistrictPlan
from server.design.population.model import Model
from server.design.register_form import as_published, snap_to
from server.design.row import choose_row, choose_row_in_units, row_of_units
from server.executor import Executor
from server.progress import Progress
from server.statistics.microaggregation.districts import FEWEST, Cut, Cutting, District, cut_tree, leaves
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.size_rules import size_rule_of, size_rule_of_register
from shared.attributes import Attribute
from shared.cells import CompositeCells, CutTree, DistrictCells
from shared.errors import DesignError
from shared.geometry import Vector
from shared.joining import points_of
from shared.limits import MAX_CUT_DEPTH, MAX_DISTRICTS
from shared.participation import Dependence, ParticipationLevel
from shared.register import site_steps
from shared.specification import ranges_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What decides, with some people, about their cells.

    Attributes
    ----------
    algorithm : str
    parameters : mapping
    weights : tuple of int, length d
    k, failure, dependence
        Of the promise.
    levels : tuple of ParticipationLevel, length L
    safe : tuple of int, length L
        ``n_min_safe`` of each level.
    minimum : int
        Fewest answers of a group of the release.
    is_register : bool
        Whether what is published has the form of :mod:`shared.register`.
    """

    algorithm: str
    parameters: Mapping[str, int | str]
    weights: Vector
    k: int
    failure: str
    dependence: Dependence
    levels: tuple[ParticipationLevel, ...]
    safe: tuple[int, ...]
    minimum: int
    is_register: bool

    def size_rule(self) -> SizeRule:
        """What every cell needs."""
        if self.is_register:
            return size_rule_of_register(self.safe)
        return size_rule_of(self.k, self.failure, self.levels, self.safe, self.dependence)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Divided:
    """People in cells.

    Attributes
    ----------
    compiled : CompiledCells
        With the counts and centroids that are published.
    row : tuple of int
        The cells side by side.
    """

    compiled: CompiledCells
    row: tuple[int, ...]


def divide(recipe: Recipe, people: Model, progress: Progress | None = None) -> Divided:
    """Divide some people into cells, as if there were no others.

    Guarantee: a function of its arguments, which can be pickled, on every machine.

    Raises
    ------
    DesignError
        As :func:`server.design.compile.partition`.
    """
    return published(recipe, people.attributes, cells_of(recipe, people, progress))


def cells_of(recipe: Recipe, people: Model, progress: Progress | None = None) -> CompiledCells:
    """Cells as the algorithm makes them, counted to the last person."""
    snap = snap_to(ranges_of(people.attributes), min(recipe.safe)) if recipe.is_register else None
    return partition(
        recipe.algorithm,
        people,
        recipe.weights,
        recipe.size_rule(),
        progress,
        parameters=recipe.parameters,
        snap=snap,
    )


def published(recipe: Recipe, attributes: tuple[Attribute, ...], compiled: CompiledCells) -> Divided:
    """Give cells the form in which they are published, and their row."""
    if recipe.is_register:
        compiled = as_published(compiled, attributes, recipe.safe)
    tried = (
        points_of(compiled.centroids), recipe.weights, compiled.eligible, recipe.levels, recipe.minimum
    )  # fmt: skip
    if isinstance(compiled.cells, CompositeCells):
        row = choose_row_in_units(*tried, compiled.cells.members)
    else:
        row = choose_row(*tried)
    return Divided(compiled=compiled, row=row)


def divide_districts(
    recipe: Recipe,
    people: Model,
    tree: CutTree,
    progress: Progress | None,
    executor: Executor,
) -> Divided:
    """Divide the people of each district by themselves, several districts at once.

    Raises
    ------
    DesignError
        As :func:`divide`.
    """
    owner = leaves_of(tree, people.X)
    tasks = (people.part(owner == number) for number in range(tree.leaves))
    divided = list(executor.map(partial(divide, recipe), tasks, progress=progress, total=tree.leaves))
    cells = DistrictCells(
        weights=recipe.weights, tree=tree, districts=tuple(part.compiled.cells for part in divided)
    )
    labels = np.empty(len(people.X), np.int64)
    for number, (part, members) in enumerate(zip(divided, cells.members, strict=True)):
        labels[owner == number] = members.start + part.compiled.labels
    compiled = CompiledCells(
        cells=cells,
        labels=labels,
        eligible=tuple(row for part in divided for row in part.compiled.eligible),
        centroids=tuple(point for part in divided for point in part.compiled.centroids),
    )
    row = row_of_units(
        points_of(compiled.centroids),
        recipe.weights,
        compiled.eligible,
        recipe.levels,
        recipe.minimum,
        cells.members,
        [part.row for part in divided],
    )
    return Divided(compiled=compiled, row=row)


def cut_into_districts(recipe: Recipe, people: Model, district: DistrictPlan) -> CutTree | None:
    """The cuts between the districts of a population; None if it is not cut.

    First between the answers to `district.attribute`, wherever both sides have enough people for a cell; then
    near the weighted median of what varies most, in what has more people than a district may.

    Raises
    ------
    DesignError
        If there are too many districts, or no attribute of that name.

    Notes
    -----
    Cuts lie on the grid of the sites of a register, and on integers of a public model.
    """
    ranges, rule = ranges_of(people.attributes), recipe.size_rule()
    need, most = min(recipe.safe), district.most_of(people.n_people, min(recipe.safe))
    steps = site_steps(ranges, 1, need) if recipe.is_register else (1,) * len(ranges)

    def acceptable(rows: IntArray) -> bool:
        return rule.acceptable(people.people[rows].sum(axis=0))

    by_size = Cutting(
        most=most,
        fewest=-(-most // FEWEST),
        acceptable=acceptable,
        scale=recipe.weights,
        grid=tuple((low, step) for (low, _), step in zip(ranges, steps, strict=True)),
        depth=MAX_CUT_DEPTH,
    )
    mass = people.people.sum(axis=1)
    tree: Cut | District = District.everything(people.X)
    if district.attribute is not None:
        columns = _columns(people.attributes, district.attribute)
        tree = cut_tree(people.X, replace(by_size, most=0, fewest=need, columns=columns), mass, tree)
    if most:
        tree = cut_tree(people.X, by_size, mass, tree)
    if isinstance(tree, District):
        return None
    if len(leaves(tree)) > MAX_DISTRICTS:
        raise DesignError(
            f"the population would be cut into {len(leaves(tree))} districts",
            where="--district",
            expected=f"at most {MAX_DISTRICTS}",
            remedy="Name a larger size, or an attribute with fewer answers.",
        )
    return CutTree(nodes=tuple(_preorder(tree)))


def _preorder(tree: Cut | District) -> list[tuple[int, int] | None]:
    if isinstance(tree, District):
        return [None]
    return [(tree.column, int(tree.value)), *_preorder(tree.below), *_preorder(tree.above)]


def _columns(attributes: tuple[Attribute, ...], name: str) -> tuple[int, ...]:
    start = 0
    for attribute in attributes:
        if attribute.name == name:
            return tuple(range(start, start + attribute.dimension))
        start += attribute.dimension
    raise DesignError(
        f"there is no attribute {name!r}",
        where="--district",
        expected="a number of people, 0, or one of " + ", ".join(a.name for a in attributes),
    )
