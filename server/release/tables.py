"""The bytes of microdata.csv and cells.csv."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from server.release.answer_columns import answer_columns, answer_values
from server.release.answers import CollectedAnswers
from server.release.centroid_columns import group_mean
from server.release.columns import TableColumn, published_columns
from server.release.gate import Decision, ReleasedGroup
from server.release.safe_text import formula_safe
from server.release.strata import (
    MIXING_DIGITS,
    WEIGHT_DIGITS,
    level_mixing,
    people_of,
    sizes_are_known,
    weight_of,
)
from shared.decimals import round_decimal
from shared.questions import Question
from shared.specification import Specification

Row = tuple[str, ...]
Shuffle = Callable[[list[Row]], None]

RELEASED: Final = "released"
NOT_RELEASED: Final = "not-released"
LINE_END: Final = "\n"

_GROUP: Final = TableColumn(
    name="group",
    type="integer",
    title="Group",
    description="The group of people that the answer came from: the lowest number among its cells.",
)
_WEIGHT: Final = TableColumn(
    name="weight",
    type="number",
    title="Weight",
    description=(
        "How many people of the group each of its answers stands for: its eligible people over its answers; "
        "1 if the people are a register, whose groups' sizes are not published."
    ),
    unit="people per answer",
    minimum="0",
)
_STATUS: Final = TableColumn(
    name="status",
    type="string",
    title="Status",
    description="Whether the answers of this group are in microdata.csv.",
    categories=((RELEASED, "in the table"), (NOT_RELEASED, "withheld, or nobody answered")),
)
_CELLS: Final = TableColumn(
    name="cells",
    type="string",
    title="Cells",
    description="Numbers of the cells that form the group, as in the specification.",
)
_ELIGIBLE_PEOPLE: Final = TableColumn(
    name="eligible_people",
    type="integer",
    title="Eligible people",
    description="People of the population model who belong to the group; of a register, at least.",
    unit="people",
    minimum="0",
)
_LEVEL_MIXING: Final = TableColumn(
    name="level_mixing",
    type="number",
    title="Mixing of levels of participation",
    description=(
        "How far the group's answers, as expected at the published levels of participation, come "
        "from people of other levels than its people have. A share of the group can be off by so "
        "much, a mean by so much of the range of the values. Empty for a register, and if the group "
        "is not released."
    ),
    unit="share, 0 to 1",
    minimum="0",
    maximum="1",
    can_be_missing=True,
)
_UNANIMOUS: Final = TableColumn(
    name="unanimous_questions",
    type="string",
    title="Unanimous questions",
    description=(
        "Questions to which everybody in the group who answered gave the same answer, and choices "
        "that everybody ticked: there the group does not hide what its members answered."
    ),
    can_be_missing=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedTable:
    """A table that may be published.

    Attributes
    ----------
    columns : tuple of TableColumn
        In order.
    rows : tuple of tuple of str
        Fields as they stand in the file; an empty text is a missing value.
    """

    columns: tuple[TableColumn, ...]
    rows: tuple[Row, ...]

    def to_csv(self) -> bytes:
        """UTF-8 CSV with one header line, commas, quotes around every text, and newline line ends."""
        quoted = [column.type == "string" for column in self.columns]
        lines = [",".join(_quoted(column.name) for column in self.columns)]
        for row in self.rows:
            fields = (
                _quoted(text) if text and is_text else text for text, is_text in zip(row, quoted, strict=True)
            )
            lines.append(",".join(fields))
        return "".join(line + LINE_END for line in lines).encode("utf-8")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _table(columns: Iterable[TableColumn], rows: Iterable[Row]) -> ReleasedTable:
    """The table with every text safe from being taken for a formula."""
    published = published_columns(columns)
    is_text = [column.type == "string" for column in published]
    return ReleasedTable(
        columns=published,
        rows=tuple(
            tuple(formula_safe(text) if safe else text for text, safe in zip(row, is_text, strict=True))
            for row in rows
        ),
    )


def released_questions(specification: Specification, questions: Iterable[Question]) -> tuple[Question, ...]:
    """Questions whose answers are released: free text only if the specification allows it."""
    return tuple(
        question for question in questions if specification.permissions.free_text or not question.free_text
    )


def microdata_table(
    specification: Specification, decision: Decision, collected: CollectedAnswers, shuffle: Shuffle
) -> ReleasedTable:
    """One row per released answer: its group as a stratum, the group's centroid, the answers.

    Parameters
    ----------
    specification : Specification
        What was signed.
    decision : Decision
        What the gate lets through.
    collected : CollectedAnswers
        What was submitted.
    shuffle : callable
        Puts a list into random order in place. Rows are brought into the order of their contents before, so
        that nothing but the contents and this randomness decides the bytes.

    Notes
    -----
    Guarantee: only answers of cells in the decision's groups are in the table, and nothing else of a person.
    """
    language = specification.languages[0]
    questions = released_questions(specification, collected.questions)
    columns = [*_stratum_columns(specification), *_centroid_columns(specification, language)]
    hidden = {
        question.name
        for page in specification.questionnaire.pages
        if page.visible_if is not None
        for question in page.questions
    }
    for question in questions:
        columns += answer_columns(question, language, can_be_hidden=question.name in hidden)
    rows: list[Row] = []
    for group in decision.groups:
        name = str(group.identifier)
        people = str(people_of(specification, group.cells)) if sizes_are_known(specification) else ""
        weight = _weight_text(specification, group.cells, group.answers)
        start = (name, weight, name, people, *_centroid_values(specification, group.cells))
        for cell in group.cells:
            for response in collected.cells[cell]:
                values = [answer_values(question, response.get(question.name)) for question in questions]
                rows.append((*start, *(text for part in values for text in part)))
    rows.sort()
    shuffle(rows)
    return _table(columns, rows)


def cells_table(specification: Specification, decision: Decision) -> ReleasedTable:
    """One row per released group, and one per cell that is not released, by group.

    A cell that is not released shows what the specification had published before: its eligible people, its
    centroid and its shares. Its row does not say whether anybody answered from it. Under ``merge`` there is
    none.
    """
    language = specification.languages[0]
    counted = _counted_columns(specification)
    columns = (
        _GROUP,
        _STATUS,
        _CELLS,
        _ELIGIBLE_PEOPLE,
        *(column for column, _ in counted),
        *_centroid_columns(specification, language),
        *(
            TableColumn.of(column)
            for attribute in specification.attributes
            for column in attribute.share_columns(language)
        ),
        _UNANIMOUS,
    )
    rows: list[tuple[tuple[int, ...], str, Row, str]] = [
        (group.cells, RELEASED, tuple(text(group) for _, text in counted), " ".join(group.unanimous))
        for group in decision.groups
    ]
    rows += [((cell,), NOT_RELEASED, ("",) * len(counted), "") for cell in decision.not_released]
    return _table(
        columns,
        (
            (
                str(cells[0]),
                status,
                " ".join(map(str, cells)),
                str(people_of(specification, cells)),
                *texts,
                *_centroid_values(specification, cells),
                *_share_values(specification, cells),
                unanimous,
            )
            for cells, status, texts, unanimous in sorted(rows)
        ),
    )


def _counted_columns(
    specification: Specification,
) -> tuple[tuple[TableColumn, Callable[[ReleasedGroup], str]], ...]:
    """Columns of cells.csv that follow from a group's answers, each with its field; empty if not released."""
    answers = TableColumn(
        name="answers",
        type="integer",
        title="Answers",
        description="Rows of microdata.csv that belong to the group; empty if it is not released.",
        unit="people",
        minimum=str(specification.release.minimum),
        can_be_missing=True,
    )
    return (
        (answers, lambda group: str(group.answers)),
        (
            replace(_WEIGHT, can_be_missing=True),
            lambda group: _weight_text(specification, group.cells, group.answers),
        ),
        (_LEVEL_MIXING, lambda group: _mixing_text(specification, group.cells)),
    )


def _stratum_columns(specification: Specification) -> tuple[TableColumn, ...]:
    known = sizes_are_known(specification)
    return (
        _GROUP,
        _WEIGHT,
        replace(
            _GROUP,
            name="stratum",
            title="Stratum",
            description="The stratum of the sample: the group. For programs that estimate from samples.",
        ),
        TableColumn(
            name="stratum_people",
            type="integer",
            title="People of the stratum",
            description=(
                "Eligible people of the group, for the finite population correction; empty if they are a "
                "register, whose groups' sizes are not published."
            ),
            unit="people",
            minimum="0",
            can_be_missing=not known,
        ),
    )


def _weight_text(specification: Specification, cells: Sequence[int], answers: int) -> str:
    weight = weight_of(specification, cells, answers)
    return round_decimal(weight, WEIGHT_DIGITS) if sizes_are_known(specification) else "1"


def _mixing_text(specification: Specification, cells: Sequence[int]) -> str:
    mixing = level_mixing(specification, cells)
    return "" if mixing is None else round_decimal(mixing, MIXING_DIGITS)


def _centroid_columns(specification: Specification, language: str) -> list[TableColumn]:
    return [
        TableColumn.of(column)
        for attribute in specification.attributes
        for column in attribute.columns(language)
    ]


def _centroid_values(specification: Specification, cells: Sequence[int]) -> Row:
    parts = _mean_parts(specification, cells)
    return tuple(
        text
        for attribute, part in zip(specification.attributes, parts, strict=True)
        for text in attribute.column_values(part)
    )


def _share_values(specification: Specification, cells: Sequence[int]) -> Row:
    parts = _mean_parts(specification, cells)
    return tuple(
        text
        for attribute, part in zip(specification.attributes, parts, strict=True)
        for text in attribute.share_values(part)
    )


def _mean_parts(specification: Specification, cells: Sequence[int]) -> list[tuple[Fraction, ...]]:
    """Mean of the eligible people of some cells, attribute by attribute."""
    mean = group_mean(cells, specification.centroids, specification.eligible)
    parts, start = [], 0
    for attribute in specification.attributes:
        parts.append(mean[start : start + attribute.dimension])
        start += attribute.dimension
    return parts
