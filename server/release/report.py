"""report.html of a release: what was released, what was not, and what it may still disclose.

Everything in it is computed from the decision's published part and the released table; nothing that is not
released can slip in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import median

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.release.columns import TableColumn
from server.release.gate import Decision
from server.release.tables import ReleasedTable
from shared.questions import FreeText, Question
from shared.specification import Specification
from shared.words import proquint

N_BINS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a chart: its label, how many people it stands for, its share and length (0 to 100)."""

    label: str
    count: int
    share: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPicture:
    """What the released table says about one question."""

    title: str
    answered: int
    skipped: int
    bars: tuple[Bar, ...]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiversityRow:
    """The least diverse group of one question."""

    question: str
    fewest_values: int
    largest_distance: float
    unanimous_groups: tuple[int, ...]
    unanimous_people: int


def render_report(
    specification: Specification, digest: str, decision: Decision, microdata: ReleasedTable
) -> bytes:
    """Write the report as one self-contained page without scripts.

    Parameters
    ----------
    specification : Specification
        What was signed.
    digest : str
        Its identity.
    decision : Decision
        What the gate let through.
    microdata : ReleasedTable
        The released answers.
    """
    language = specification.languages[0]
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sizes = sorted(group.answers for group in decision.groups)
    page = environment.get_template("report.html.j2").render(
        language=language,
        specification=specification,
        digest=digest,
        words=proquint(bytes.fromhex(digest)[:16]),
        decision=decision,
        sizes=sizes,
        median_size=median(sizes),
        size_bars=_histogram([Decimal(size) for size in sizes]),
        questions=[
            _picture(question, microdata, language)
            for question in specification.questionnaire.questions
            if any(column.question == question.name for column in microdata.columns)
        ],
        diversity=_diversity(specification, decision, language),
        rule=specification.release,
    )
    return page.encode("utf-8")


def _picture(question: Question, table: ReleasedTable, language: str) -> QuestionPicture:
    places = [i for i, column in enumerate(table.columns) if column.question == question.name]
    columns = [table.columns[place] for place in places]
    answers = [[row[place] for place in places] for row in table.rows]
    given = [answer for answer in answers if any(answer)]
    note = ""
    if isinstance(question, FreeText):
        bars: tuple[Bar, ...] = ()
        note = "Free text stands in the table only."
    elif question.kind == "multiple":
        ticked = [sum(answer[i] == "true" for answer in given) for i in range(len(columns))]
        labels = [column.title.rpartition(": ")[2] for column in columns]
        bars = _bars(list(zip(labels, ticked, strict=True)), len(given))
        note = "Several choices were possible, so the shares add up to more than 100 %."
    elif columns[0].type in ("number", "integer") and _is_wide(columns[0]):
        bars = _histogram([Decimal(answer[0]) for answer in given])
    else:
        counts = Counter(answer[0] for answer in given)
        bars = _bars([(label, counts[value]) for value, label in _values(columns[0])], len(given))
    return QuestionPicture(
        title=question.title[language] or question.name,
        answered=len(given),
        skipped=len(answers) - len(given),
        bars=bars,
        note=note,
    )


def _is_wide(column: TableColumn) -> bool:
    low, high = Decimal(column.minimum or 0), Decimal(column.maximum or 0)
    return column.type == "number" or high - low > N_BINS


def _values(column: TableColumn) -> list[tuple[str, str]]:
    """The values of a column and how they are called, in order."""
    if column.categories:
        return list(column.categories)
    if column.type == "boolean":
        named = [part.partition(": ")[2] for part in column.description.rstrip(".").split("; ")]
        return list(zip(("true", "false"), named, strict=True))
    return [(str(n), str(n)) for n in range(int(column.minimum or 0), int(column.maximum or 0) + 1)]


def _bars(counts: list[tuple[str, int]], total: int) -> tuple[Bar, ...]:
    highest = max((count for _, count in counts), default=0) or 1
    return tuple(
        Bar(label=label, count=count, share=count / (total or 1), length=100 * count / highest)
        for label, count in counts
    )


def _histogram(values: list[Decimal]) -> tuple[Bar, ...]:
    """Values in at most :data:`N_BINS` bins of equal width, a round number wide."""
    if not values:
        return ()
    low, high = min(values), max(values)
    width = _round_up((high - low) / N_BINS)
    if all(value == value.to_integral_value() for value in values):
        width = max(width, Decimal(1)).to_integral_value()
    start = low // width * width
    if start > low:
        start -= width
    bins = Counter(int((value - start) // width) for value in values)
    counts = []
    for place in range(max(bins) + 1):
        left = start + place * width
        label = f"{left:f}" if width == 1 else f"{left:f} to below {left + width:f}"
        counts.append((label, bins[place]))
    return _bars(counts, len(values))


def _round_up(width: Decimal) -> Decimal:
    """The next number of the form 1, 2 or 5 times a power of ten."""
    if width <= 0:
        return Decimal(1)
    power = Decimal(1).scaleb(width.adjusted())
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width)


def _diversity(specification: Specification, decision: Decision, language: str) -> list[DiversityRow]:
    titles = {q.name: q.title[language] or q.name for q in specification.questionnaire.questions}
    rows = []
    for place, first in enumerate(decision.groups[0].diversity):
        measured = [(group, group.diversity[place]) for group in decision.groups]
        answered = [d for _, d in measured if d.given]
        unanimous = [group for group, d in measured if d.unanimous]
        if first.name not in titles and not unanimous:
            continue  # a choice that no group ticked as one
        rows.append(
            DiversityRow(
                question=titles.get(first.name, first.name),
                fewest_values=min((d.distinct_values for d in answered), default=0),
                largest_distance=float(max((d.closeness for d in answered), default=0)),
                unanimous_groups=tuple(group.identifier for group in unanimous),
                unanimous_people=sum(group.answers for group in unanimous),
            )
        )
    return rows
