"""The people of a model file, each with her quasi-identifiers, her chance to take part, and her record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from server.design.mapping import assign_many
from server.design.population.model import Model, build_model, columns_needed
from server.simulation.mixture import chances_at
from server.tables.data_file import DataFile
from server.tables.files import Reading, open_data
from shared.cells import Cells
from shared.errors import InputError
from shared.model import model_digest, split
from shared.participation import ParticipationLevel
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """Everybody who could take part.

    Attributes
    ----------
    table : DataFile
        The file.
    model : Model
        Its distinct tuples.
    tuple_of, level_of, row_of : ndarray of int64, shape (n_people,)
        For each person her tuple, her participation level, and the row of the file that she stands for.

    Notes
    -----
    People of equal tuples are paired with their records in order. If participation comes from a column of the
    file, two people of one tuple may have their levels swapped, which changes no head count of a cell.
    """

    table: DataFile
    model: Model
    tuple_of: NDArray[np.int64]
    level_of: NDArray[np.int64]
    row_of: NDArray[np.int64]

    @property
    def n_people(self) -> int:
        """Number of people."""
        return len(self.tuple_of)

    def drawn(self, n_people: int, generator: np.random.Generator) -> Population:
        """So many of these people, drawn without putting back.

        Raises
        ------
        InputError
            If there are not so many.
        """
        if n_people > self.n_people:
            raise InputError(
                f"the file has only {self.n_people} people", where="--invited", expected="at most so many"
            )
        chosen = np.sort(generator.choice(self.n_people, n_people, replace=False))
        people = np.zeros_like(self.model.people)
        np.add.at(people, (self.tuple_of[chosen], self.level_of[chosen]), 1)
        return replace(
            self,
            model=replace(self.model, people=people),
            tuple_of=self.tuple_of[chosen],
            level_of=self.level_of[chosen],
            row_of=self.row_of[chosen],
        )

    def quasi_identifiers(self, person: int) -> dict[str, str | None]:
        """What a person would type: the canonical text of each attribute, None if she has no value."""
        vector = self.model.X[self.tuple_of[person]].tolist()
        parts = split(self.model.attributes, vector)
        return {
            attribute.name: attribute.text_of(part)
            for attribute, part in zip(self.model.attributes, parts, strict=True)
        }

    def cell_of(self, cells: Cells) -> NDArray[np.int64]:
        """Each person's cell."""
        return assign_many(cells, self.model.X)[self.tuple_of]

    def is_model_of(self, specification: Specification) -> bool | None:
        """Whether the specification was designed from exactly these people; None of a register.

        A register is committed to with a salt, which only auditors have.
        """
        if specification.model.kind == "register":
            return None
        return model_digest(self.model.canonical_text()) == specification.model.digest

    def eligible(self, specification: Specification) -> tuple[tuple[int, ...], ...]:
        """Head count of each cell at each of the file's levels.

        Taken from the specification if it was designed from these people, which devices have recounted; else
        every tuple is mapped here, by the function that devices run.
        """
        if self.is_model_of(specification):
            return specification.eligible
        counts = np.zeros((specification.cells.count, len(self.model.levels)), np.int64)
        for vector, people in zip(self.model.X.tolist(), self.model.people, strict=True):
            counts[specification.cells.assign(vector)] += people
        return tuple(tuple(row) for row in counts.tolist())


def read_people(
    path: Path,
    specification: Specification,
    answers: Mapping[str, str] = MappingProxyType({}),
    reading: Reading | None = None,
) -> Population:
    """Read the people of a file by the rules of a specification.

    Parameters
    ----------
    path : Path
        CSV or Parquet with the columns that the specification's attributes name.
    specification : Specification
        The survey.
    answers : mapping of question to column, optional
        Further columns to keep, for answers.
    reading : Reading, optional
        What is known about the file; the rest is found out.

    Raises
    ------
    ModelFileError
        As for any model file; also if a column for answers is missing.
    """
    rules, source = specification.model.reading, specification.participation_source
    wanted, numeric = columns_needed(specification.attributes, rules, source)
    numbers = {
        question.name for question in specification.questionnaire.questions if question.kind == "number"
    }
    numeric += tuple(column for question, column in answers.items() if question in numbers)
    table = open_data(path, reading, wanted=wanted.union(answers.values()), numeric_columns=numeric)
    for name in answers.values():
        table.exact(name, purpose="answers")
    level = specification.levels[0] if source.kind == "even" else None
    model = build_model(table, specification.attributes, rules, source, level)
    return people_of(table, model)


def people_of(table: DataFile, model: Model) -> Population:
    """Expand the tuples of a model into people, each paired with a record."""
    flat = model.people.ravel()
    n_levels = len(model.levels)
    tuple_of = np.repeat(np.arange(flat.size) // n_levels, flat)
    level_of = np.repeat(np.arange(flat.size) % n_levels, flat)
    # Records of each tuple stand together, in the order of the file.
    order = np.argsort(model.tuple_of_record, kind="stable")
    order = order[model.tuple_of_record[order] >= 0]
    n_records = np.bincount(model.tuple_of_record[order], minlength=model.n_tuples)
    n_people = model.people.sum(axis=1)
    place = np.arange(len(tuple_of)) - np.repeat(np.cumsum(n_people) - n_people, n_people)
    record = place * n_records[tuple_of] // n_people[tuple_of]
    record += (np.cumsum(n_records) - n_records)[tuple_of]
    return Population(
        table=table,
        model=model,
        tuple_of=tuple_of.astype(np.int64),
        level_of=level_of.astype(np.int64),
        row_of=model.rows[order[record]],
    )


def assumed_participation(level: ParticipationLevel) -> Fraction:
    """Probability with which people of a level take part in a simulation: the middle of a range."""
    return (level.lowest + level.highest) / 2


def draw_participants(
    population: Population,
    probabilities: tuple[Fraction, ...],
    generator: np.random.Generator,
    cells: Cells,
    correlation: Fraction = Fraction(0),
    household_of: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Draw who takes part, and in which order they answer.

    With a correlation each cell draws one quantile, which moves the chances of all its levels. Given that,
    each household decides by one draw: of equal chances all take part or none, else the likelier ones first.

    Parameters
    ----------
    population : Population
        Everybody.
    probabilities : tuple of Fraction, length n_levels
        Probability of each level.
    generator : numpy.random.Generator
        The only source of chance.
    cells : Cells
        Whoever is in one cell shares a quantile.
    correlation : Fraction, optional
        Between any two people of a cell.
    household_of : ndarray of int64, shape (n_people,), optional
        Each person's household, from 0 on; by default everybody decides alone.

    Returns
    -------
    ndarray of int64
        Indices of people, in random order.
    """
    if correlation:
        quantiles = generator.random(cells.count)
        by_cell = np.array([chances_at(quantiles, p, correlation) for p in probabilities])
        chances = by_cell[population.level_of, population.cell_of(cells)]
    else:
        chances = np.array([float(probability) for probability in probabilities])[population.level_of]
    if household_of is None:
        decisions = generator.random(population.n_people)
    else:
        decisions = generator.random(int(household_of.max(initial=-1)) + 1)[household_of]
    taking_part = np.flatnonzero(decisions < chances)
    return generator.permutation(taking_part).astype(np.int64)
