"""What the released table says about each question, counted for a picture and a table beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from server.release.bars import Bar
from server.release.columns import TableColumn
from server.release.tables import ReleasedTable
from shared.questions import FreeText, MultipleChoice, Number, Question, Rating

N_BINS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCounts:
    """The released answers to one question.

    Parameters
    ----------
    title : str
        As people read it.
    answered, skipped : int
        Released answers with and without a value.
    bars : tuple of Bar
        One per value, choice or bin; none for free text.
    note : str
        What to know about the numbers.
    """

    title: str
    answered: int
    skipped: int
    bars: tuple[Bar, ...]
    note: str = ""


def count_answers(question: Question, table: ReleasedTable, language: str) -> QuestionCounts | None:
    """Count the answers to a question; None if the table has no column of it."""
    places = [place for place, column in enumerate(table.columns) if column.question == question.name]
    if not places:
        return None
    answers = [tuple(row[place] for place in places) for row in table.rows]
    given = [answer for answer in answers if any(answer)]
    bars: tuple[Bar, ...] = ()
    note = ""
    if isinstance(question, FreeText):
        note = "Free text stands in the table only."
    elif isinstance(question, MultipleChoice):
        bars = tuple(
            Bar(
                label=choice.text[language],
                count=sum(answer[place] == "true" for answer in given),
                total=len(given),
            )
            for place, choice in enumerate(question.choices)
        )
        note = "Several choices were possible, so the shares add up to more than 100 %."
    elif isinstance(question, Number) or (
        isinstance(question, Rating) and question.maximum - question.minimum > N_BINS
    ):
        bars = _bins([Decimal(answer[0]) for answer in given])
    else:
        counts = Counter(answer[0] for answer in given)
        bars = tuple(
            Bar(label=label, count=counts[value], total=len(given))
            for value, label in _values(table.columns[places[0]], question, language)
        )
    return QuestionCounts(
        title=question.title[language] or question.name,
        answered=len(given),
        skipped=len(answers) - len(given),
        bars=bars,
        note=note,
    )


def _values(column: TableColumn, question: Question, language: str) -> list[tuple[str, str]]:
    """The values of a column and how they are called, in order."""
    if column.categories:
        return list(column.categories)
    if isinstance(question, Rating):
        return [(str(value), str(value)) for value in range(question.minimum, question.maximum + 1)]
    yes, no = (getattr(question, f"{name}_label")[language] for name in ("yes", "no"))
    return [("true", yes or "yes"), ("false", no or "no")]


def _bins(values: list[Decimal]) -> tuple[Bar, ...]:
    """Values in at most :data:`N_BINS` + 1 bins of equal, round width."""
    if not values:
        return ()
    low, high = min(values), max(values)
    width = _round_up((high - low) / N_BINS)
    if all(value == value.to_integral_value() for value in values):
        width = max(width, Decimal(1)).to_integral_value()
    first = low // width - (1 if low % width < 0 else 0)
    counts = Counter(int((value - first * width) // width) for value in values)
    bars = []
    for place in range(max(counts) + 1):
        left = (first + place) * width
        label = f"{left:f}" if width == 1 else f"{left:f} to below {left + width:f}"
        bars.append(Bar(label=label, count=counts[place], total=len(values)))
    return tuple(bars)


def _round_up(width: Decimal) -> Decimal:
    """The next number of the form 1, 2 or 5 times a power of ten."""
    if width <= 0:
        return Decimal(1)
    power = Decimal(1).scaleb(width.adjusted())
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width)
