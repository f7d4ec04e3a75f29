"""An attacker who knows everybody of a register but one person, and tries everything that she could be.

She holds the published specification and knows the algorithm. For each candidate she publishes again what the
organizer would have published of the others and the candidate, given the signed map, and strikes out the
candidates that give something else. What is left is what she cannot tell apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from server.design.mapping import assign_many
from server.design.population.model import Model
from shared.recount import centroid
from shared.register import SHARES, left_out
from shared.specification import Specification

Vector = tuple[int, ...]
Candidate = tuple[Vector, int]
"""A tuple of quasi-identifiers and a level of participation."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What the attacker knows of the others in a cell: people at each level of the model, sums of
    coordinates."""

    counts: tuple[int, ...]
    sums: tuple[int, ...]

    def moved(self, person: Candidate, people: int) -> Cell:
        """With a person more (1) or fewer (-1)."""
        vector, level = person
        return Cell(
            tuple(n + people * (i == level) for i, n in enumerate(self.counts)),
            tuple(a + people * b for a, b in zip(self.sums, vector, strict=True)),
        )


def cells_of(specification: Specification, model: Model) -> list[Cell]:
    """The cells with everybody."""
    empty = Cell((0,) * len(model.levels), (0,) * len(specification.weights))
    cells = [empty] * specification.cells.count
    places = assign_many(specification.cells, model.X).tolist()
    for vector, people, place in zip(model.X.tolist(), model.people.tolist(), places, strict=True):
        for level, count in enumerate(people):
            cells[place] = cells[place].moved((tuple(vector), level), count)
    return cells


Admits = Callable[[Specification, Model, int, Cell], bool]
"""Whether the organizer could have published what she did of a cell, were it this one."""


def admits_exact(specification: Specification, model: Model, place: int, cell: Cell) -> bool:
    """How registers were published before: exact head counts, exact means of four decimals."""
    means = centroid(list(cell.sums), sum(cell.counts)) if sum(cell.counts) else ()
    return cell.counts == specification.eligible[place] and means == specification.centroids[place]


def admits_bounds(specification: Specification, model: Model, place: int, cell: Cell) -> bool:
    """How registers are published now: whoever is in the secret sample, the register has at least the
    bound."""
    bound = specification.eligible[place]
    return all(
        sum(n for n, own in zip(cell.counts, model.levels, strict=True) if own.lowest >= level.lowest)
        >= sum(bound[index:])
        for index, level in enumerate(specification.levels)
    )


class Attacker:
    """Tries candidates against the published figures of all cells."""

    def __init__(self, specification: Specification, model: Model, admits: Admits) -> None:
        self.specification, self.model, self.admits = specification, model, admits
        self.cells = cells_of(specification, model)
        self._place: dict[Vector, int] = {}

    def place(self, vector: Vector) -> int:
        """The cell of a vector, as the signed map has it."""
        if vector not in self._place:
            self._place[vector] = self.specification.cells.assign(vector)
        return self._place[vector]

    def left(self, target: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Candidates that would have been published as the target was."""
        home = self.place(target[0])
        others = self.cells[home].moved(target, -1)
        admitted = []
        alone = self.admits(self.specification, self.model, home, others)
        for candidate in candidates:
            place = self.place(candidate[0])
            if place == home:
                fits = self.admits(self.specification, self.model, home, others.moved(candidate, 1))
            else:
                fuller = self.cells[place].moved(candidate, 1)
                fits = alone and self.admits(self.specification, self.model, place, fuller)
            if fits:
                admitted.append(candidate)
        return admitted


def one_attribute(model: Model, target: Vector, index: int) -> list[Vector]:
    """Everything that a person could be of whom all is known but one attribute: values that somebody has."""
    start = sum(attribute.dimension for attribute in model.attributes[:index])
    stop = start + model.attributes[index].dimension
    parts = {tuple(row) for row in model.X[:, start:stop].tolist()}
    return [(*target[:start], *part, *target[stop:]) for part in sorted(parts)]


def people_of(model: Model) -> Iterator[Candidate]:
    """One person of each tuple and level: what the attacker learns of her, she learns of her equals."""
    for vector, people in zip(model.X.tolist(), model.people.tolist(), strict=True):
        for level, count in enumerate(people):
            if count:
                yield tuple(vector), level


def without(model: Model, target: Candidate, instead: Candidate) -> Model:
    """The register with another person in the target's place; both are tuples of the model."""
    rows = {tuple(row): i for i, row in enumerate(model.X.tolist())}
    people = model.people.copy()
    people[rows[target[0]], target[1]] -= 1
    people[rows[instead[0]], instead[1]] += 1
    return replace(model, people=people)


def odds(others: int, need: int) -> Fraction:
    """How much likelier a bound of ``need`` is if the person is in a cell of so many others than if she is
    not.

    The exact likelihood for people of one level: each is in the secret sample with the published probability.
    """
    keep = Fraction(SHARES - left_out(need), SHARES)

    def reaches(people: int) -> Fraction:
        short = sum(
            (comb(people, j) * keep**j * (1 - keep) ** (people - j) for j in range(min(need, people + 1))),
            Fraction(0),
        )
        return 1 - short

    return reaches(others + 1) / reaches(others)
