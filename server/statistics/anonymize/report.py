"""The page that shows what masking did: figures, classes, every attribute before and after."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from server.reports.charts import Line, histogram, line_chart
from server.reports.page import Column, DataTable, KeyFigure, Page, Picture, Section, data_table, render
from server.statistics.anonymize.evaluation import QUANTILES, Evaluation
from server.statistics.anonymize.masking import Masked
from server.statistics.measures.measure import Measure
from server.tables.column import DataColumn

_MOST_PICTURES: Final = 24
_MOST_CATEGORIES: Final = 30
_MOST_RISKS: Final = 25
_KEEP: Final = (
    "This page shows figures of the original data, such as its smallest and largest values. Keep it with "
    "them; do not publish it beside the masked file."
)
_POINTS: Final = np.linspace(0, 1, 201)

_PROMISED: Final = ("achieved k", "failure for a participant, worst class")
_MEANINGS: Final = {
    "achieved k": "{who} share every published combination of quasi-identifiers, at least",
    "failure for a participant, worst class": "that fewer than k take part of those a participant looks like",
    "individual risk, worst class": "that a record is whom somebody takes it for, in the population",
    "average chance of linkage": "to pick a person's record by the quasi-identifiers alone, on average",
    "SSE/SST": "of the spread of the quasi-identifiers is lost; 0 keeps everything, 1 nothing",
    "household risk, highest": "that any person of a household is found, if they are independently",
    "NCP, mean of generalized values": "of all values of an attribute stand behind a published one",
    "SSE of the groups above the least possible, at most, percent": "by a lower bound; the truth is nearer",
    "DLD, percent": "of the {who} are nearest to their own masked record",
    "satisfaction level SL, percent": "of the numbers are published far enough from the true ones",
    "PIL, percent": "chance that sampling would have changed the statistics less than masking did",
}


def anonymization_report(
    masked: Masked, evaluation: Evaluation, *, name: str, sha256: str, command: str
) -> bytes:
    """Return the page of a masking as UTF-8 HTML.

    Parameters
    ----------
    masked : Masked
    evaluation : Evaluation
        Of the written file against the original.
    name : str
        Name of the written file, for the title.
    sha256 : str
        Of the original.
    command : str
        The command that makes it, shown at the end.
    """
    order = (
        "The records stand in the order of the original, which gives values away (see the warning)."
        if masked.prepared.request.keep_order
        else "The records stand in an order that follows from the published values alone."
    )
    summary = (
        *_what_was_done(masked, evaluation),
        f"Confidential attributes and columns without a role stand in the file unchanged. {order}",
        f"SHA-256 of the original: {sha256}. A second masking of the same original has the same digest in "
        "its report; whoever has both intersects their groups, so that only one may be published.",
    )
    return render(
        Page(
            kind="Anonymization report",
            title=name,
            summary=summary,
            sections=_sections(evaluation),
            warnings=(_KEEP, *masked.warnings),
            command=command,
        )
    )


def _what_was_done(masked: Masked, evaluation: Evaluation) -> tuple[str, ...]:
    """The division, the size rule and what else was asked for, in sentences."""
    prepared = masked.prepared
    request, people = prepared.request, prepared.people
    who = f"{evaluation.n_records} records"
    if people.counts is not None:
        who += f" of {evaluation.n_people} people"
    how = f"by {prepared.method.name}" + (" and refined" if request.refine else "")
    if request.effort:
        how += f" with effort {request.effort}"
    rule = f"at least {request.k}" + (" people" if people.counts is not None else f" {people.unit}".rstrip())
    sentences = []
    if people.levels:
        rule = "at least " + " to ".join(
            str(n) for n in sorted({min(people.rule.minimum), max(people.rule.minimum)})
        )
        sentences.append(
            f"A group fails when some of its people take part, but fewer than {request.k}; that has at most "
            f"the probability {people.failure}. So a group needs {rule} people"
            + (", fewer the more likely they are to take part." if len(people.levels) > 1 else ".")
        )
    if request.blocks:
        groups = ", ".join(
            f"{int(labels.max()) + 1} by {' and '.join(names)}"
            for names, labels in zip(request.blocks, masked.groups, strict=True)
        )
        sentences.insert(0, f"{who} were divided block by block {how}, into groups of {rule}: {groups}.")
    else:
        groups = str(int(masked.labels.max()) + 1)
        sentences.insert(
            0,
            f"{who} were divided into {groups} groups of {rule} {how} and publish one common value per group "
            "and quasi-identifier.",
        )
    if request.constraints.given:
        sentences.append(
            f"Groups were united until every one held, of every confidential attribute, "
            f"{request.constraints.described()}."
        )
    if request.dependence is not None:
        sentences.append(
            f"Confidential attributes counted in grouping (lambda = {request.dependence:g}): what depends on "
            "them is kept better, and the members of a group are more alike in them."
        )
    if request.hierarchies:
        names = ", ".join(request.hierarchies)
        sentences.append(
            f"{names}: generalized along hierarchies; a group publishes the node above its members."
        )
    if masked.factors:
        sentences.append(
            "Means were moved away from the mean of all until each number had the variance of the original "
            "(P3M, equation 5); they are no means of their groups any more."
        )
    if request.breach != "none":
        sentences.append(
            "Numbers are not the means of their groups, but keep away from the true "
            + ("values" if request.breach == "p3m" else "records")
            + f" ({'P3M' if request.breach == 'p3m' else 'P3M by record'}), with mean and variance kept."
        )
    return tuple(sentences)


def evaluation_report(evaluation: Evaluation, *, name: str, command: str) -> bytes:
    """Return the page of an evaluation as UTF-8 HTML; parameters as `anonymization_report`."""
    people = "" if evaluation.n_people == evaluation.n_records else f" of {evaluation.n_people} people"
    summary = (f"{evaluation.n_records} records{people}, masked, beside their originals.",)
    return render(
        Page(
            kind="Evaluation report",
            title=name,
            summary=summary,
            sections=_sections(evaluation),
            warnings=(_KEEP, *evaluation.warnings),
            command=command,
        )
    )


def shown(value: float) -> str:
    """A figure for people: whole numbers whole, others with four significant digits."""
    if math.isinf(value):
        return "infinite"
    if float(value).is_integer() and abs(value) < 10**15:
        return str(int(value))
    return f"{value:.0f}" if 1000 <= abs(value) < 10**15 else f"{value:.4g}"


def _sections(evaluation: Evaluation) -> tuple[Section, ...]:
    sections = [_overview(evaluation), _classes(evaluation)]
    sections.append(
        Section(
            name="measures",
            title="All measures",
            tables=(
                *(_table(f"Anonymity, block {', '.join(names)}", own) for names, own in evaluation.blocks),
                _table(
                    "Anonymity and linkage" + (", all blocks together" if evaluation.blocks else ""),
                    (*evaluation.anonymity, *evaluation.disclosure),
                ),
                _table("Information loss", evaluation.information),
            ),
        )
    )
    if evaluation.risks:
        sections.append(_risks(evaluation))
    sections.append(_record_risks(evaluation))
    if evaluation.confidential:
        sections.append(
            Section(
                name="confidential",
                title="Confidential attributes",
                paragraphs=(
                    "A class hides who gave an answer, not an answer that all of its members share. The "
                    "worst class counts, except for averages.",
                ),
                tables=tuple(_table(name, measures) for name, measures in evaluation.confidential),
            )
        )
    if evaluation.utility:
        measures = [measure for found in evaluation.utility for measure in found.measures()]
        sections.append(
            Section(
                name="learning",
                title="Learning from the masked file",
                paragraphs=("Models trained on masked and on original records, tested on untouched ones.",),
                tables=(_table("Five-fold means", measures),),
            )
        )
    sections.append(_attributes(evaluation))
    if evaluation.before is not None and evaluation.after is not None:
        sections.append(_moments(evaluation))
    return tuple(sections)


def _overview(evaluation: Evaluation) -> Section:
    everything = [
        (f", block {', '.join(names)}", measure)
        for names, measures in evaluation.blocks
        for measure in measures
        if measure.name in _PROMISED
    ]
    together = ", all blocks together" if everything else ""
    everything += [(together, measure) for measure in evaluation.anonymity]
    everything += [("", measure) for measure in (*evaluation.information, *evaluation.disclosure)]
    figures = tuple(
        KeyFigure(
            label=measure.name + block,
            value=shown(measure.value),
            meaning=_MEANINGS[measure.name].format(who=evaluation.who),
            safe=measure.direction,
        )
        for block, measure in everything
        if measure.name in _MEANINGS
    )
    return Section(name="overview", title="At a glance", figures=figures)


def _classes(evaluation: Evaluation) -> Section:
    sizes = [size for size, count in evaluation.classes for _ in range(count)]
    smallest, who = evaluation.classes[0][0], evaluation.who
    picture = histogram(
        alt=f"Sizes of the classes: from {min(sizes)} to {max(sizes)} {who}.",
        caption=f"How many {who} the published combinations stand for.",
        values=sizes,
        x_label=f"{who} in a class",
        y_label="classes",
        marks=((smallest, f"smallest: {smallest}"),),
    )
    return Section(
        name="classes",
        title="Who looks alike",
        paragraphs=(f"A class is all {who} with the same published quasi-identifiers.",),
        pictures=(picture,),
    )


def _risks(evaluation: Evaluation) -> Section:
    rows = tuple(
        (str(group.size), shown(group.people), shown(group.risk)) for group in evaluation.risks[:_MOST_RISKS]
    )
    return Section(
        name="population",
        title="Risk in the population",
        paragraphs=(
            "The chance that a record is whom an intruder takes it for, who knows the published values of "
            "somebody in the population and not who is in the sample; by the sampling weights. The classes "
            "with the highest risk come first; the JSON has all of them.",
        ),
        tables=(
            DataTable(
                caption="Individual risk by class",
                columns=(
                    Column(heading="records"),
                    Column(heading="people they stand for"),
                    Column(heading="individual risk"),
                ),
                rows=rows,
            ),
        ),
    )


def _record_risks(evaluation: Evaluation) -> Section:
    before, after = evaluation.risks_before, evaluation.risks_after
    homes = after.household is not None and before.household is not None
    found = [("record", before.individual, after.individual)]
    if before.household is not None and after.household is not None:
        found.append(("household", before.household, after.household))
    spread = tuple(
        (f"{q:.0%} of the records: {name} risk up to", *(f"{np.quantile(risks, q):.3g}" for risks in pair))
        for name, *pair in found
        for q in QUANTILES
    )
    worst = after.individual if after.household is None else after.household
    chosen = np.lexsort((-after.individual, -worst))[:_MOST_RISKS].tolist()
    # Under the decided order of the masked file a number would say nothing: the original's is meant.
    rows = tuple(
        (
            str(int(evaluation.places[i]) + 1),
            shown(float(after.alike[i])),
            f"{before.individual[i]:.3g}",
            f"{after.individual[i]:.3g}",
            *(() if after.household is None else (f"{after.household[i]:.3g}",)),
        )
        for i in chosen
    )
    headings = ["record of the original", "alike in the masked file", "risk before", "risk after"]
    return Section(
        name="records",
        title="Risk of each record",
        paragraphs=(
            "The chance that a record is whom an intruder takes it for: 1 over those who look alike, or with "
            "sampling weights over the people of the population whom they stand for."
            + (
                " A household's is the chance that any of its persons is found, if they are independently."
                if homes
                else ""
            )
            + " The whole list is written with --risk-file.",
        ),
        tables=(
            data_table("How risks are spread", ("", "before", "after"), spread),
            DataTable(
                caption="Highest risks",
                columns=tuple(Column(heading=text) for text in [*headings, *(["household risk"] * homes)]),
                rows=rows,
                folded=True,
            ),
        ),
    )


def _attributes(evaluation: Evaluation) -> Section:
    pictures, tables = [], []
    pairs = list(zip(evaluation.quasi_identifiers, evaluation.nominal, strict=True))
    for number, ((before, after), nominal) in enumerate(pairs):
        if nominal or before.kind == "ordinal":
            tables.append(_categories(before, after, evaluation))
        elif number < _MOST_PICTURES:
            pictures.append(_distribution(before, after, evaluation.who))
    more = len(pairs) - _MOST_PICTURES
    paragraphs = []
    if pictures:
        paragraphs.append(
            f"Share of the {evaluation.who} up to each value. Where the dashed line has steps, a group "
            "publishes one value for all of its members."
        )
    if more > 0:
        paragraphs.append(f"The last {more} quasi-identifiers have no picture; their figures stand below.")
    return Section(
        name="attributes",
        title="Before and after",
        paragraphs=tuple(paragraphs),
        pictures=tuple(pictures),
        tables=tuple(tables),
    )


def _distribution(before: DataColumn, after: DataColumn, who: str) -> Picture:
    lines = []
    for label, column in (("before", before), ("after", after)):
        numbers = column.numbers
        if numbers is None:
            raise ValueError(f"{column.name} holds no numbers")
        places = np.quantile(numbers, _POINTS, method="inverted_cdf")
        lines.append(Line(label=label, x=tuple(places.tolist()), y=tuple((100 * _POINTS).tolist())))
    title = before.label or before.name
    svg = line_chart(
        alt=f"Distribution of {title} before and after.",
        lines=lines,
        x_label=before.name,
        y_label=f"{who} up to it, percent",
        steps=True,
    )
    chosen = (0, 10, 50, 100, 150, 190, 200)
    rows = tuple((f"{100 * _POINTS[i]:.0f} %", shown(lines[0].x[i]), shown(lines[1].x[i])) for i in chosen)
    headings = (f"{who} up to it", "before", "after")
    table = data_table(f"Quantiles of {before.name}", headings, rows, folded=True)
    caption = title if title == before.name else f"{title} ({before.name})"
    return Picture(svg=svg, caption=caption, data=table)


def _categories(before: DataColumn, after: DataColumn, evaluation: Evaluation) -> DataTable:
    who = evaluation.who
    note = "A group publishes its most frequent category."
    if before.kind == "ordinal":
        note = "A group publishes the median of its categories."
    elif before.name in evaluation.generalized:
        note = "A group publishes the lowest node of the hierarchy above its members."
    counts, masked = _occurring(before), _occurring(after)
    order = sorted({*counts, *masked}, key=lambda text: (-counts[text], str(text)))
    if before.kind == "ordinal":
        order = [text for text in before.order if text in counts or text in masked]
    rows = [(before.shown(text), str(counts[text]), str(masked[text])) for text in order[:_MOST_CATEGORIES]]
    rest = order[_MOST_CATEGORIES:]
    if rest:
        rows.append(
            (
                f"{len(rest)} more",
                str(sum(counts[text] for text in rest)),
                str(sum(masked[text] for text in rest)),
            )
        )
    return DataTable(
        caption=before.label or before.name,
        columns=(
            Column(heading=before.name, numeric=False),
            Column(heading=f"{who} before"),
            Column(heading=f"{who} after"),
        ),
        rows=tuple(rows),
        note=note,
    )


def _occurring(column: DataColumn) -> Counter[str | None]:
    times = np.bincount(column.codes, minlength=len(column.distinct)).tolist()
    return Counter({text: n for text, n in zip(column.distinct, times, strict=True) if n})


def _moments(evaluation: Evaluation) -> Section:
    before, after = evaluation.before, evaluation.after
    if before is None or after is None:
        raise ValueError("there are no numeric attributes")
    rows = tuple(
        (
            name,
            shown(before.means[i]),
            shown(after.means[i]),
            shown(math.sqrt(before.variances[i])),
            shown(math.sqrt(max(after.variances[i], 0.0))),
        )
        for i, name in enumerate(evaluation.numeric)
    )
    table = DataTable(
        caption="Means and standard deviations",
        columns=(
            Column(heading="attribute", numeric=False),
            Column(heading="mean before"),
            Column(heading="mean after"),
            Column(heading="deviation before"),
            Column(heading="deviation after"),
        ),
        rows=rows,
    )
    pairs = tuple(
        (f"{first}, {second}", f"{before.correlations[i, j]:.3f}", f"{after.correlations[i, j]:.3f}")
        for i, first in enumerate(evaluation.numeric)
        for j, second in enumerate(evaluation.numeric)
        if i < j
    )
    tables = [table]
    if pairs:
        tables.append(
            DataTable(
                caption="Correlations",
                columns=(
                    Column(heading="pair", numeric=False),
                    Column(heading="before"),
                    Column(heading="after"),
                ),
                rows=pairs,
                folded=len(pairs) > 15,
            )
        )
    return Section(name="statistics", title="Statistics before and after", tables=tuple(tables))


def _table(caption: str, measures: Sequence[Measure]) -> DataTable:
    return DataTable(
        caption=caption,
        columns=(Column(heading="measure", numeric=False), Column(heading="value")),
        rows=tuple((m.label, shown(m.value)) for m in measures),
        note="Defined in: " + "; ".join(dict.fromkeys(m.source for m in measures)) + ".",
    )
