"""What the released table says about each question: for each answer the sums that an estimate needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from server.release.columns import TableColumn
from server.release.estimates import Estimate, StratumSums, estimate_mean, estimate_share
from server.release.tables import ReleasedTable
from shared.decimals import format_decimal, multiples, round_step
from shared.questions import Question

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
    columns = [table.columns[place] for place in places]
    summary = SUMMARIES[question.kind](question, columns, values, language)
    sums = {group: (people[group], len(answers[group]), own) for group, own in given.items()}
    items = [Item(label=label, sums=_sums(sums, value)) for label, value in summary.shares]
    items += [
        Item(label=label, sums=_sums(sums, value), bounds=summary.bounds) for label, value in summary.means
    ]
    return QuestionTally(
        title=question.title[language] or question.name,
        given={group: len(own) for group, own in given.items()},
        skipped=len(table.rows) - len(values),
        items=tuple(items),
        note=summary.note,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What is said of the answers to a question.

    Attributes
    ----------
    shares, means : tuple of (str, callable)
        Label, and what an answer adds to the sum.
    bounds : tuple of two floats
        Of the values that the means are of.
    note : str
    """

    shares: tuple[tuple[str, Value], ...] = ()
    means: tuple[tuple[str, Value], ...] = ()
    bounds: tuple[float, float] = (0.0, 0.0)
    note: str = ""


Answers = Sequence[tuple[str, ...]]


def _categories(_question: Any, columns: Sequence[TableColumn], _answers: Answers, _language: str) -> Summary:
    (column,) = columns
    return Summary(shares=tuple((label, _equals(0, value)) for value, label in column.categories))


def _yes_no(question: Any, _columns: Sequence[TableColumn], _answers: Answers, language: str) -> Summary:
    yes, no = question.yes_label[language] or "yes", question.no_label[language] or "no"
    return Summary(shares=((yes, _equals(0, "true")), (no, _equals(0, "false"))))


def _ticks(question: Any, _columns: Sequence[TableColumn], _answers: Answers, language: str) -> Summary:
    return Summary(
        shares=tuple(
            (choice.text[language] or choice.value, _equals(place, "true"))
            for place, choice in enumerate(question.options)
        ),
        note="Several choices were possible, so the shares add up to more than 100 %.",
    )


def _rating(question: Any, _columns: Sequence[TableColumn], answers: Answers, _language: str) -> Summary:
    low, high = question.minimum, question.maximum
    shares = [(str(value), _equals(0, str(value))) for value in range(low, high + 1)]
    if high - low > N_BINS:
        shares = _bins([Fraction(answer[0]) for answer in answers])
    return Summary(shares=tuple(shares), means=((MEAN, _number(0)),), bounds=(float(low), float(high)))


def _numbers(question: Any, _columns: Sequence[TableColumn], answers: Answers, _language: str) -> Summary:
    return Summary(
        shares=tuple(_bins([Fraction(answer[0]) for answer in answers])),
        means=((MEAN, _number(0)),),
        bounds=(float(question.minimum), float(question.maximum)),
    )


def _places(question: Any, _columns: Sequence[TableColumn], _answers: Answers, language: str) -> Summary:
    return Summary(
        means=tuple(
            (choice.text[language] or choice.value, _number(place))
            for place, choice in enumerate(question.choices)
        ),
        bounds=(1.0, float(len(question.choices))),
        note="The mean place of each choice; 1 is the first.",
    )


def _days(_question: Any, _columns: Sequence[TableColumn], answers: Answers, _language: str) -> Summary:
    """By month, year or decade, whichever gives few enough."""
    by = {length: sorted({answer[0][:length] for answer in answers}) for length in (7, 4, 3)}
    length = next((length for length, parts in by.items() if len(parts) <= N_BINS), 3)
    ending = "0s" if length == 3 else ""
    return Summary(shares=tuple((part + ending, _begins(part)) for part in by[length]))


def _nothing(note: str) -> Callable[..., Summary]:
    return lambda *_: Summary(note=note)


SUMMARIES: Final[dict[str, Callable[[Any, Sequence[TableColumn], Answers, str], Summary]]] = {
    "single": _categories,
    "multiple": _ticks,
    "rating": _rating,
    "boolean": _yes_no,
    "consent": _nothing("Everybody who was asked ticked it."),
    "number": _numbers,
    "date": _days,
    "ranking": _places,
    "text": _nothing("Free text stands in the table only."),
}
"""What the report says of the answers, by the kind of question."""


def _number(place: int) -> Value:
    return lambda answer: Decimal(answer[place])


def _begins(part: str) -> Value:
    return lambda answer: Decimal(answer[0].startswith(part))


def _bins(values: list[Fraction]) -> list[tuple[str, Value]]:
    """At most :data:`N_BINS` + 1 bins of equal, round width, and whether a value lies in each."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = round_step((high - low) / N_BINS)
    whole = all(value.denominator == 1 for value in values)
    if whole:
        width = max(width, Fraction(1))
    bins: list[tuple[str, Value]] = []
    for left in multiples(low // width * width, high, width):
        right = left + width
        label = format_decimal(left)
        label = label if whole and width == 1 else f"{label} to below {format_decimal(right)}"
        bins.append((label, _within(left, right)))
    return bins


def _within(left: Fraction, right: Fraction) -> Value:
    return lambda answer: Decimal(left <= Fraction(answer[0]) < right)
