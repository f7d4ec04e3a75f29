"""The answers in a release report: estimates with intervals, of everybody and by what groups are like.

All is computed from microdata.csv and cells.csv as they are published, and so tells nothing that they do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from server.release.bands import Banding, bandings
from server.release.estimates import Estimate
from server.release.pictures import Item, QuestionTally, tally
from server.release.strata import sizes_are_known
from server.release.tables import RELEASED, ReleasedTable
from server.reports.charts import Bar, bar_chart
from server.reports.numbers import percent, whole
from server.reports.page import Column, DataTable, Picture, Section
from shared.specification import Specification

_ESTIMATES: Final = (
    Column(heading="Estimate", hint="weighted"),
    Column(heading="95 % interval"),
    Column(heading="Unweighted"),
)


def answers_section(specification: Specification, microdata: ReleasedTable, cells: ReleasedTable) -> Section:
    """Bars and tables of every question.

    Parameters
    ----------
    specification : Specification
    microdata, cells : ReleasedTable
        As published.

    Notes
    -----
    Guarantee: every estimate is of at least ``minimum`` people who answered the question, and of a union of
    whole released groups. What follows from several by addition and subtraction is of such a union too, and
    so of at least ``minimum`` people who took part.
    """
    people = _people(specification, cells)
    minimum = specification.smallest_group
    groups = bandings(specification, cells)
    pictures: list[Picture] = []
    tables: list[DataTable] = []
    only_text: list[str] = []
    not_of_all = {
        question.name
        for page in specification.questionnaire.pages
        for question in page.questions
        if page.visible_if is not None or question.visible_if is not None
    }
    for question in specification.questionnaire.questions:
        found = tally(question, microdata, people, specification.languages[0])
        if found is None:
            continue
        answered = _answered(found, minimum, of_all=question.name not in not_of_all)
        if not found.items or found.answered < minimum:
            note = found.note if found.answered >= minimum else "Too few for an estimate."
            only_text.append(f"{found.title}: {answered}. {note}")
            continue
        pictures.append(_picture(found, answered))
        for banding in groups:
            table = _by_attribute(found, banding, minimum)
            if table is not None:
                tables.append(table)
    return Section(
        name="answers",
        title="The answers",
        paragraphs=(*_explained(specification, cells, people), *only_text),
        pictures=tuple(pictures),
        tables=tuple(tables),
    )


def _people(specification: Specification, cells: ReleasedTable) -> dict[str, int | None]:
    known = sizes_are_known(specification)
    return {row[0]: int(row[3]) if known else None for row in cells.rows if row[1] == RELEASED}


def _explained(
    specification: Specification, cells: ReleasedTable, people: Mapping[str, int | None]
) -> list[str]:
    released = [row for row in cells.rows if row[1] == RELEASED]
    if not sizes_are_known(specification):
        return [
            "The people are a register, and of its groups no sizes are published: each answer counts once, "
            "and intervals know no finite population. If some groups took part more often than others, the "
            "estimates lean to them, and the intervals do not contain that. The thin line is the 95 % "
            "interval.",
        ]
    covered = sum(count or 0 for count in people.values())
    mixing = sum(int(row[3]) * float(row[6]) for row in released) / covered
    paragraphs = [
        f"Estimated for the {whole(covered)} eligible people of the released groups "
        f"(of {whole(specification.model.people)}): each answer counts for the people of its group over its "
        "answers. The thin line is the 95 % interval, the tick below a bar the unweighted share. The "
        "interval allows for the chance of who took part, not for people of one group who took part because "
        "of what they answer."
    ]
    if mixing:
        paragraphs.append(
            "In some groups people of several levels of participation stand together. On that account a "
            f"share can be off by up to {100 * mixing:.1f} points, a mean by {100 * mixing:.1f} % of its "
            "range; much less if those levels answer alike. The intervals do not contain it."
        )
    more = [row for row in released if int(row[4]) > int(row[3])]
    if more:
        paragraphs.append(
            f"Of {len(more)} groups there are more answers than people: somebody answered twice, or is not "
            "in the model."
        )
    return paragraphs


def _answered(found: QuestionTally, minimum: int, *, of_all: bool) -> str:
    if found.answered < minimum:
        return f"fewer than {minimum} answered"
    others = "did not" if of_all else "did not, or were not asked"
    return f"{whole(found.answered)} answered, {whole(found.skipped)} {others}"


def _picture(found: QuestionTally, answered: str) -> Picture:
    estimates = [(item, item.estimate()) for item in found.items]
    means = [f"Mean {_shown(item, e.value)} ({_interval(item, e)})." for item, e in estimates if item.is_mean]
    bars = [
        Bar(label=item.label, share=e.value, low=e.low, high=e.high, unweighted=e.unweighted)
        for item, e in estimates
        if not item.is_mean
    ]
    return Picture(
        svg=bar_chart(bars, title=found.title),
        caption=" ".join([f"{answered}.", *means, found.note]).strip(),
        data=DataTable(
            caption="The same in numbers",
            columns=(Column(heading="Answer", numeric=False), Column(heading="Answers"), *_ESTIMATES),
            rows=tuple(
                (item.label, whole(found.answered if item.is_mean else item.count()), *_fields(item, e))
                for item, e in estimates
            ),
            folded=True,
        ),
    )


def _by_attribute(found: QuestionTally, banding: Banding, minimum: int) -> DataTable | None:
    """Estimates of a question in each band; of numbers the mean only. None if one band would hold all."""
    bands = banding.joined(found.given, minimum)
    if len(bands) < 2:
        return None
    means: Sequence[Item] = [item for item in found.items if item.is_mean]
    rows = [
        (label, item.label, whole(estimate.given), *_fields(item, estimate))
        for label, groups in bands
        for item in means or found.items
        for estimate in (item.estimate(groups),)
    ]
    return DataTable(
        caption=f"By {banding.title}: {found.title}",
        columns=(
            Column(heading=banding.title, hint="of the group", numeric=False),
            Column(heading="Answer", numeric=False),
            Column(heading="Answered"),
            *_ESTIMATES,
        ),
        rows=tuple(rows),
        note="Each line is of whole groups, by what their people are like on average.",
        folded=True,
    )


def _fields(item: Item, estimate: Estimate) -> tuple[str, str, str]:
    return _shown(item, estimate.value), _interval(item, estimate), _shown(item, estimate.unweighted)


def _shown(item: Item, value: float) -> str:
    return f"{value:.2f}" if item.is_mean else percent(value)


def _interval(item: Item, estimate: Estimate) -> str:
    if item.is_mean:
        return f"{estimate.low:.2f} to {estimate.high:.2f}"
    return f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f} %"
