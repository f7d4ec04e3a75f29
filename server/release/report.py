"""report.html of a release: what was released, what was not, and what it may still disclose.

Everything in it is computed from the published part of the decision and the released table; nothing that is
not released can slip in.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import median

from server.release.estimates_section import answers_section
from server.release.gate import Decision, ReleasedGroup
from server.release.tables import ReleasedTable
from server.reports.charts import histogram
from server.reports.numbers import one_in, whole
from server.reports.page import Column, DataTable, KeyFigure, Page, Section, render
from shared.checks import HALF
from shared.effective_anonymity import worst_cell_metrics
from shared.specification import Specification
from shared.words import digest_words


def render_report(
    specification: Specification,
    digest: str,
    decision: Decision,
    microdata: ReleasedTable,
    cells: ReleasedTable,
    discrepancy: str | None = None,
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
    microdata, cells : ReleasedTable
        As published.
    discrepancy : str, optional
        What the board says of it, if more submissions than tokens were signed.
    """
    language = specification.languages[0]
    alike = _alike(specification, decision, language)
    page = Page(
        kind="Release report",
        title=specification.title[language],
        title_language=language,
        summary=(
            f"Every answer in the table stands in a group of at least {specification.release.minimum} "
            "people.",
            "Nobody’s own age, sex, address or the like was ever collected: the table shows what the "
            "eligible people of a group are like on average, as published before anybody answered.",
        ),
        warnings=(*(() if discrepancy is None else (_discrepancy(discrepancy),)), *alike),
        sections=(
            _released(specification, decision),
            _diversity(specification, decision, language),
            answers_section(specification, microdata, cells),
            _files(specification, digest),
        ),
        command=f"roomful release {digest[:16]}",
    )
    return render(page)


def _discrepancy(discrepancy: str) -> str:
    return (
        f"The board says, and the organizer signed it: {discrepancy}. The answers that are too many may be "
        "of nobody who was invited. Nobody can say which they are: they stand in the table, and count in the "
        "size of some group."
    )


def _released(specification: Specification, decision: Decision) -> Section:
    rule, sizes = specification.release, sorted(group.answers for group in decision.groups)
    judged = rule.distinct_values > 1 or rule.t_closeness is not None
    failing = f"groups with fewer than {rule.minimum} answers" + (
        ", or with answers that are too much alike," if judged else ""
    )
    share = f"{100 * decision.withheld_answers / decision.total_answers:.1f} %"
    if rule.rule == "withhold":
        explained = (
            f"The signed rule: {failing} are withheld, together with so many others that nothing "
            f"follows by subtraction. {len(decision.not_released)} of {specification.cells.count} groups "
            "are not in the table, because they were withheld or because nobody in them answered."
        )
    else:
        explained = (
            f"The signed rule: {failing} are merged with their neighbours in the signed row. No answer is "
            "withheld."
        )
    picture = histogram(
        alt="How many released groups have how many people",
        caption="People in the released groups",
        values=sizes,
        x_label="people in the group",
        y_label="groups",
        marks=((rule.minimum, "minimum"),),
    )
    return Section(
        name="released",
        title="What was released",
        paragraphs=(explained, "The rows of the table stand in random order.", _promised(specification)),
        figures=(
            KeyFigure(
                label="Answers released",
                value=whole(decision.released_answers),
                meaning=f"of {whole(decision.total_answers)} received",
                safe="more is more useful",
            ),
            KeyFigure(
                label="Withheld",
                value=share,
                meaning=f"{whole(decision.withheld_answers)} answers are not in the table",
                safe="fewer is more useful; the minimum decides what is safe",
            ),
            KeyFigure(
                label="Smallest group",
                value=whole(sizes[0]),
                meaning=f"people; the middle group has {median(sizes):g}, the largest {whole(sizes[-1])}",
                safe="larger is safer",
            ),
            KeyFigure(
                label="Groups",
                value=whole(len(sizes)),
                meaning="groups of people in the table",
                safe="more is more precise",
            ),
        ),
        pictures=(picture,),
    )


def _promised(specification: Specification) -> str:
    """What had been signed before anybody answered, and what it would have been worth with half as many."""
    assumed = specification.levels, specification.k, specification.dependence
    promised, half = (
        max(
            worst_cell_metrics(counts, *assumed, share).record_failure_given_participation
            for counts in set(specification.eligible)
        )
        for share in (Fraction(1), HALF)
    )
    return (
        "Promised before anybody answered: somebody who takes part shares her group with fewer than "
        f"{specification.k} answers with a chance of at most {one_in(promised)}, if people take part as often"
        f" as published; if only half as many do, {one_in(half)}."
    )


def _titles(specification: Specification, language: str) -> dict[str, str]:
    """How each confidential attribute is called: a question, or one choice of several."""
    titles: dict[str, str] = {}
    for question in specification.questionnaire.questions:
        titles |= {column.name: column.title for column in question.columns(language)}
        titles[question.name] = question.column_title(language)
    return titles


def _alike(specification: Specification, decision: Decision, language: str) -> tuple[str, ...]:
    """One warning per question that some group answered as one."""
    titles = _titles(specification, language)
    warnings = []
    for place, first in enumerate(decision.groups[0].diversity):
        groups = [group for group in decision.groups if group.diversity[place].unanimous]
        if groups:
            warnings.append(_warning(titles[first.name], groups))
    return tuple(warnings)


def _warning(title: str, groups: list[ReleasedGroup]) -> str:
    shown = ", ".join(str(group.identifier) for group in groups[:20]) + (", …" if len(groups) > 20 else "")
    people = sum(group.answers for group in groups)
    many = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    return (
        f"{title}: in {many} with {people} people everybody who answered gave the same answer "
        f"(group {shown}). A group hides who gave which answer, but not an answer that all of them gave."
    )


def _diversity(specification: Specification, decision: Decision, language: str) -> Section:
    rule = specification.release
    asked = []
    if rule.distinct_values > 1:
        asked.append(f"at least {rule.distinct_values} different answers in each group")
    if rule.t_closeness is not None:
        asked.append(f"a distance of at most {rule.t_closeness}")
    questions = [question.name for question in specification.questionnaire.questions]
    titles = _titles(specification, language)
    rows = []
    for place, first in enumerate(decision.groups[0].diversity):
        if first.name not in questions:
            continue
        measured = [d for d in (group.diversity[place] for group in decision.groups) if d.given]
        rows.append(
            (
                titles[first.name],
                whole(min((d.distinct_values for d in measured), default=0)),
                f"{float(max((d.closeness for d in measured), default=0)):.3f}",
                whole(sum(d.unanimous for d in measured)),
            )
        )
    return Section(
        name="diversity",
        title="How much the groups give away",
        paragraphs=(
            f"The signed policy asks for {' and '.join(asked) or 'no diversity of answers'}. The distance is "
            "the earth mover’s distance between the answers of a group and those of the whole table: 0 if "
            "they are distributed alike, 1 if they are as far apart as can be.",
        ),
        tables=(
            DataTable(
                caption="The least diverse group of each question",
                columns=(
                    Column(heading="Question", numeric=False),
                    Column(heading="Fewest different answers", hint="higher is safer"),
                    Column(heading="Largest distance", hint="lower is safer"),
                    Column(heading="Groups that answered as one", hint="fewer is safer"),
                ),
                rows=tuple(rows),
            ),
        ),
    )


def _files(specification: Specification, digest: str) -> Section:
    organizer = specification.organizer
    return Section(
        name="files",
        title="The files",
        paragraphs=(
            "microdata.csv has one row for each released answer, cells.csv one for each group and for "
            "each group that is not released, and datapackage.json describes every column for people and "
            "programs.",
            f"Asked by {organizer.name}, {organizer.contact}. Released under the specification with the "
            f"digest {digest}, in words {digest_words(digest)}: k = {specification.k}, acceptable failure "
            f"of a group {specification.acceptable_cell_failure}.",
        ),
    )
