"""What the released table says about each question: for each answer the sums that an estimate needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from server.release.columns import TableColumn
from server.release.estimates import Estimate, StratumSums, estimate_mean, estimate_share
from server.release.tables import ReleasedTable
from shared.decimals import format_decimal, multiples, round_step
from shared.questions import FreeText, MultipleChoice, Number, Question, Rating

N_BINS: Final = 12
MEAN: Final = "Mean"
Value = Callable[[tuple[str, ...]], Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An answer whose share is estimated, or a mean.

    Attributes
    ----------
    label : str
        As people read it.
    sums : mapping of str to StratumSums
        Group -> its answers.
    bounds : tuple of two floats, or None
        Of the values, for a mean; None for a share.
    """

    label: str
    sums: Mapping[str, StratumSums]
    bounds: tuple[float, float] | None = None

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean, and no share."""
        return self.bounds is not None

    def count(self) -> int:
        """Released answers that a share counts."""
        return round(sum(stratum.total for stratum in self.sums.values()))

    def estimate(self, groups: Collection[str] | None = None) -> Estimate:
        """Over some groups, or all; somebody in them must have answered."""
        chosen = [sums for group, sums in self.sums.items() if groups is None or group in groups]
        return estimate_share(chosen) if self.bounds is None else estimate_mean(chosen, *self.bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTally:
    """The released answers to one question.

    Attributes
    ----------
    title : str
        As people read it.
    given : mapping of str to int
        Group -> released answers with a value.
    skipped : int
        Released answers without.
    items : tuple of Item
        One per value, choice or bin, then the mean of numbers; none for free text.
    note : str
        What to know about the numbers.
    """

    title: str
    given: Mapping[str, int]
    skipped: int
    items: tuple[Item, ...]
    note: str = ""

    @property
    def answered(self) -> int:
        """Released answers with a value."""
        return sum(self.given.values())


def tally(
    question: Question, table: ReleasedTable, people: Mapping[str, int | None], language: str
) -> QuestionTally | None:
    """Sum up the answers to a question; None if the table has no column of it.

    Parameters
    ----------
    question : Question
    table : ReleasedTable
        microdata.csv; the first column is the group.
    people : mapping of str to int or None
        Group -> its eligible people, None for a register.
    language : str
    """
    places = [place for place, column in enumerate(table.columns) if column.question == question.name]
    if not places:
        return None
    answers: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in table.rows:
        answers[row[0]].append(tuple(row[place] for place in places))
    given = {group: [answer for answer in own if any(answer)] for group, own in answers.items()}
    values = [answer for own in given.values() for answer in own]
    shares: list[tuple[str, Value]] = []
    note, bounds = "", None
    if isinstance(question, FreeText):
        note = "Free text stands in the table only."
    elif isinstance(question, MultipleChoice):
        shares = [
            (choice.text[language], _equals(place, "true")) for place, choice in enumerate(question.choices)
        ]
        note = "Several choices were possible, so the shares add up to more than 100 %."
    elif isinstance(question, Number) or (
        isinstance(question, Rating) and question.maximum - question.minimum > N_BINS
    ):
        shares = _bins([Fraction(answer[0]) for answer in values])
    else:
        shares = [
            (label, _equals(0, value))
            for value, label in _values(table.columns[places[0]], question, language)
        ]
    if isinstance(question, Number | Rating):
        bounds = (float(question.minimum), float(question.maximum))
    sums = {group: (people[group], len(answers[group]), own) for group, own in given.items()}
    items = [Item(label=label, sums=_sums(sums, value)) for label, value in shares]
    if bounds is not None:
        items.append(Item(label=MEAN, sums=_sums(sums, lambda answer: Decimal(answer[0])), bounds=bounds))
    return QuestionTally(
        title=question.title[language] or question.name,
        given={group: len(own) for group, own in given.items()},
        skipped=len(table.rows) - len(values),
        items=tuple(items),
        note=note,
    )


def _sums(
    groups: Mapping[str, tuple[int | None, int, Sequence[tuple[str, ...]]]], value: Value
) -> dict[str, StratumSums]:
    result = {}
    for group, (people, rows, answers) in groups.items():
        values = [value(answer) for answer in answers]
        result[group] = StratumSums(
            people=people,
            rows=rows,
            given=len(values),
            total=float(sum(values)),
            squares=float(sum(v * v for v in values)),
        )
    return result


def _equals(place: int, value: str) -> Value:
    return lambda answer: Decimal(answer[place] == value)


def _values(column: TableColumn, question: Question, language: str) -> list[tuple[str, str]]:
    """The values of a column and how they are called, in order."""
    if column.categories:
        return list(column.categories)
    if isinstance(question, Rating):
        return [(str(value), str(value)) for value in range(question.minimum, question.maximum + 1)]
    yes, no = (getattr(question, f"{name}_label")[language] for name in ("yes", "no"))
    return [("true", yes or "yes"), ("false", no or "no")]


def _bins(values: list[Fraction]) -> list[tuple[str, Value]]:
    """At most :data:`N_BINS` + 1 bins of equal, round width, and whether a value lies in each."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = round_step((high - low) / N_BINS)
    if all(value.denominator == 1 for value in values):
        width = max(width, Fraction(1))
    bins: list[tuple[str, Value]] = []
    for left in multiples(low // width * width, high, width):
        right = left + width
        label = format_decimal(left)
        label = label if width == 1 else f"{label} to below {format_decimal(right)}"
        bins.append((label, _within(left, right)))
    return bins


def _within(left: Fraction, right: Fraction) -> Value:
    return lambda answer: Decimal(left <= Fraction(answer[0]) < right)
