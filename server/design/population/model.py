"""The population: distinct tuples of quasi-identifiers, and how many people stand behind each.

People with equal tuples share a cell, so a partition is made of distinct tuples (design section 4). Nothing
is ever a float, and the order of the file does not matter: tuples are sorted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.design.population.identity import refuse_repeats
from server.design.population.participation import largest_household, record_levels
from server.design.population.preview import count_columns
from server.design.population.records import (
    answer_text,
    codes_at_open_ends,
    complete_rows,
    distinct_tuples,
    head_counts,
    ranked_vectors,
)
from server.design.survey_file.survey import SurveyFile
from server.progress import Progress
from server.tables.counting import CountedFile
from server.tables.csv_file import CsvFile
from server.tables.data_file import DataFile, Understood
from server.tables.files import Reading, open_counted, open_data
from server.tables.problems import Problems
from server.wording import quoted
from shared.attributes import Attribute
from shared.errors import ModelFileError
from shared.limits import MAX_PEOPLE
from shared.model import ModelRow, ReadingRules, format_model
from shared.participation import ParticipationLevel, ParticipationSource

_MOST_COUNTED: Final = 100_000
"""Records of a table of counts; a longer file is one of people, and is not looked through."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A population as the design needs it.

    Attributes
    ----------
    source : str
        Name of the file.
    understood : Understood
        How the file was read.
    attributes : tuple of Attribute
        In the order of the coordinates.
    X : ndarray of int64, shape (n_tuples, n_coordinates)
        Distinct tuples in lexicographic order, the canonical order of records.
    people : ndarray of int64, shape (n_tuples, n_levels)
        Number of people with each tuple at each participation level.
    levels : tuple of ParticipationLevel
        Ascending.
    records : int
        Records of the file that were kept.
    dropped : int
        Records that were left out because they are incomplete.
    equal_rows : int or None
        Records of the file that equal an earlier one in every column; None where a column names each person
        or counts people, or it cannot be told.
    rows : ndarray of int64, shape (kept,)
        Number of each kept row of the table that was read, from 0: of a record, or of several equal ones
        that were counted together.
    tuple_of_record : ndarray of int64, shape (kept,)
        Row of ``X`` for each of them; -1 where nobody is counted.
    largest_household : int
        People of the largest household; 1 if no column tells.
    warnings : tuple of str
        What an organizer should know before she goes on.
    """

    source: str
    understood: Understood
    attributes: tuple[Attribute, ...]
    X: NDArray[np.int64]
    people: NDArray[np.int64]
    levels: tuple[ParticipationLevel, ...]
    records: int
    dropped: int
    equal_rows: int | None
    rows: NDArray[np.int64]
    tuple_of_record: NDArray[np.int64]
    largest_household: int
    warnings: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.people.shape != (len(self.X), len(self.levels)):
            raise ValueError("people does not fit the tuples and levels")
        for array in (self.X, self.people, self.rows, self.tuple_of_record):
            array.flags.writeable = False

    @property
    def n_people(self) -> int:
        """Number of people, at all levels together."""
        return int(self.people.sum())

    @property
    def n_tuples(self) -> int:
        """Number of distinct tuples."""
        return len(self.X)

    def part(self, inside: NDArray[np.bool_]) -> Model:
        """The people of some tuples, without the records behind them."""
        nobody = np.empty(0, np.int64)
        return replace(
            self, X=self.X[inside], people=self.people[inside], rows=nobody, tuple_of_record=nobody
        )

    def model_rows(self) -> Iterator[ModelRow]:
        """Rows of the canonical text, in canonical order (`shared.model.format_model`)."""
        for vector, people in zip(self.X.tolist(), self.people.tolist(), strict=True):
            for level, count in enumerate(people):
                if count:
                    yield ModelRow(vector=tuple(vector), level=level, people=count)

    def canonical_text(self) -> bytes:
        """The model as it is published (public) or digested (register)."""
        return format_model(self.attributes, self.model_rows())


def read_model(
    survey: SurveyFile,
    progress: Progress | None = None,
    *,
    attributes: tuple[Attribute, ...] | None = None,
    apart: bool = False,
) -> Model:
    """Read the population file that a survey names; ``progress`` and ``apart`` as in `read_population`.

    ``attributes`` take the place of the survey's.

    Raises
    ------
    ModelFileError
        See `read_population`.
    """
    return read_population(
        survey.model,
        attributes or survey.attributes,
        survey.plan.reading,
        survey.plan.participation_source,
        survey.level,
        survey.reading,
        apart=apart,
        progress=progress,
    )


def read_population(
    path: Path,
    attributes: tuple[Attribute, ...],
    rules: ReadingRules,
    source: ParticipationSource,
    level: ParticipationLevel | None,
    reading: Reading | None = None,
    *,
    apart: bool = False,
    progress: Progress | None = None,
) -> Model:
    """Read a population file by rules that may come from a survey.toml or from a specification.

    Parameters
    ----------
    path : Path
        CSV, Parquet, SPSS, Stata or Excel.
    attributes, rules, source, level
        As in `build_model`.
    reading : Reading, optional
        What is known about the file; the rest is found out.
    apart : bool
        Keep every record, for `Model.tuple_of_record`; else equal ones are counted together.
    progress : callable, optional
        As in `open_counted`.

    Raises
    ------
    ModelFileError
        See `open_data` and `build_model`.
    """
    wanted, numeric = columns_needed(attributes, rules, source)
    if apart:
        table = open_data(path, reading, wanted=wanted, numeric_columns=numeric, progress=progress)
    else:
        table = open_counted(
            path,
            reading,
            wanted=wanted,
            numeric_columns=numeric,
            identity=rules.id_column,
            markers=rules.missing_markers,
            whole=_equal_rows_tell(rules),
            progress=progress,
        )
    model = build_model(table, attributes, rules, source, level)
    if _equal_rows_tell(rules) and model.records <= _MOST_COUNTED:
        whole = open_data(path, reading) if isinstance(table, CountedFile | CsvFile) else table
        return replace(model, warnings=(*model.warnings, *_uncounted(whole, wanted)))
    return model


def _uncounted(table: DataFile, wanted: Collection[str]) -> tuple[str, ...]:
    """What to say of a column that seems to count the people of each row, where nobody named it."""
    return tuple(
        f"Each record counts as one person, though {quoted(name)} looks like how many people it stands for."
        " If it does, name it as count_column in [model]."
        for name in count_columns(table, wanted)
    )


def columns_needed(
    attributes: tuple[Attribute, ...], rules: ReadingRules, source: ParticipationSource
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Names of the columns that `build_model` reads, and of those among them whose numbers have decimals."""
    named = (rules.count_column, rules.id_column, source.column, source.household_column)
    wanted = {*(attribute.name for attribute in attributes), *rules.required_columns, *named}
    numeric = [attribute.name for attribute in attributes if attribute.is_number]
    numeric += [] if source.column is None else [source.column]
    return frozenset(name for name in wanted if name is not None), tuple(numeric)


def build_model(
    table: DataFile,
    attributes: tuple[Attribute, ...],
    rules: ReadingRules,
    source: ParticipationSource,
    level: ParticipationLevel | None,
) -> Model:
    """Turn records into distinct tuples with head counts.

    Parameters
    ----------
    table : DataFile
        The population file.
    attributes : tuple of Attribute
        Each has the name of a column.
    rules : ReadingRules
        Count column, missing markers, and what to do with incomplete records: those that lack a value of an
        attribute (unless missing is a category of its own) or of a required column.
    source : ParticipationSource
        Where each record's probability of taking part comes from.
    level : ParticipationLevel, optional
        The one level, if the source is even.

    Raises
    ------
    ModelFileError
        For missing columns; for a person who stands in the file twice; for values outside an attribute's
        domain, missing values, counts that are no whole numbers and unusable probabilities, with line,
        column, value and remedy (the first ten, and how many there are); if no person remains.

    Notes
    -----
    Vectors are computed once per distinct text. Time is linear in the records but for the sort of their
    keys; a million records take about a second after reading.
    """
    if rules.id_column is not None and table.times is None:
        refuse_repeats(table, rules.id_column, rules.missing_markers)
    problems = Problems(table.source)
    rows, dropped = complete_rows(table, attributes, rules, problems)
    ranks = [ranked_vectors(table, attribute, rows, rules, problems) for attribute in attributes]
    counts = head_counts(table, rows, rules.count_column, problems)

    def answer_of(table: DataFile, attribute: Attribute, text: str | None) -> str | None:
        return answer_text(table, attribute, text, rules.missing_markers)

    levels, level_of_record = record_levels(table, rows, source, level, attributes, answer_of, problems)
    problems.raise_if_any()
    counted = counts > 0
    if not counted.any():
        raise ModelFileError(
            "the counts add up to nobody", where=table.source, expected="at least one person"
        )
    total = int(counts.sum())
    if total > MAX_PEOPLE:
        raise ModelFileError(
            f"{total} people are too many", where=table.source, expected=f"at most {MAX_PEOPLE}"
        )
    X, inverse = distinct_tuples([(vectors, codes[counted]) for vectors, codes in ranks])
    people = np.zeros((len(X), len(levels)), np.int64)
    np.add.at(people, (inverse, level_of_record[counted]), counts[counted])
    # A level whose records all count nobody is not a level of this population.
    used = np.flatnonzero(people.any(axis=0))
    levels, people = tuple(levels[i] for i in used.tolist()), np.ascontiguousarray(people[:, used])
    tuple_of_record = np.full(len(rows), -1, np.int64)
    tuple_of_record[counted] = inverse
    return Model(
        source=table.source,
        understood=table.understood,
        attributes=attributes,
        X=X,
        people=people,
        levels=levels,
        records=table.behind(rows),
        dropped=dropped,
        equal_rows=table.equal_rows if _equal_rows_tell(rules) else None,
        rows=rows,
        tuple_of_record=tuple_of_record,
        largest_household=largest_household(table, rows, counts, source.household_column, rules),
        warnings=(
            *_dropped_said(dropped, _people_dropped(table, rows, rules.count_column)),
            *_warnings(attributes, X, table.behind(rows[~counted])),
            *(warning for attribute in attributes for warning in codes_at_open_ends(table, attribute, rows)),
        ),
    )


def _equal_rows_tell(rules: ReadingRules) -> bool:
    """Whether equal records may be one person twice: not where a column names each, or counts several."""
    return rules.id_column is None and rules.count_column is None


def _people_dropped(table: DataFile, rows: NDArray[np.int64], count_column: str | None) -> int | None:
    """How many people the other rows count, as far as they say it; None without a count column."""
    if count_column is None:
        return None
    others = np.setdiff1d(np.arange(table.n_records), rows)
    return int(head_counts(table, others, count_column, Problems(table.source)).sum())


def _dropped_said(dropped: int, people: int | None) -> tuple[str, ...]:
    if not dropped:
        return ()
    counted = "" if people is None else f", with {people:,} {'person' if people == 1 else 'people'}"
    return (
        f"{dropped:,} incomplete {'record was' if dropped == 1 else 'records were'} dropped{counted};"
        " these people cannot take part.",
    )


def _warnings(attributes: tuple[Attribute, ...], X: NDArray[np.int64], uncounted: int) -> tuple[str, ...]:
    found: list[str] = []
    if uncounted:
        found.append(f"{uncounted:,} {'record counts' if uncounted == 1 else 'records count'} 0 people.")
    start = 0
    for attribute in attributes:
        part = X[:, start : start + attribute.dimension]
        start += attribute.dimension
        if (part == part[0]).all():
            shown = quoted(attribute.text_of(tuple(part[0].tolist())))
            found.append(
                f"Everybody has the same {attribute.name}, {shown}: it divides nobody."
                " Remove the attribute, so that respondents are not asked for it."
            )
            continue
        found.extend(_unseen(attribute, part))
    return tuple(found)


def _unseen(attribute: Attribute, part: NDArray[np.int64]) -> list[str]:
    """Warn of declared values that nobody has."""
    seen = {tuple(row) for row in np.unique(part, axis=0).tolist()}
    unseen = [value for value in attribute.listed if attribute.vector(value) not in seen]
    if not unseen:
        return []
    shown = ", ".join(quoted(value) for value in unseen[:5])
    more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
    return [
        f"Nobody in the model has the {attribute.name} {shown}{more}."
        " A respondent who has it is placed in the nearest group; check the spelling."
    ]
