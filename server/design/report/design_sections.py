"""The sections of the design report, one function each; every number says which direction is safe."""

from __future__ import annotations

from decimal import Decimal

from markupsafe import Markup

from server.design.algorithms import ALGORITHMS
from server.design.design import Design
from server.design.report.cell_map import STEPS, failure_step, map_data
from server.reports.charts import histogram
from server.reports.numbers import one_in, significant, whole
from server.reports.page import Column, DataTable, KeyFigure, Section, data_table, environment
from server.statistics.measures.participation import participant_failures
from shared.cells import Cells, DistrictCells
from shared.description import CentroidValue, describe_centroid
from shared.invited import Invited
from shared.participation import ParticipationLevel
from shared.specification import Specification

OPEN_TABLE_CELLS, MAX_TABLE_CELLS = 20, 500
"""Rows of the tables of cells: the worst ones are open, more are folded; design.json holds all."""
_SAFER_SMALL, _SAFER_LARGE = "Smaller is safer.", "Larger is safer."


def summary(specification: Specification, people: list[int]) -> tuple[str, ...]:
    return (
        f"{whole(sum(people))} people are divided into {whole(len(people))} cells. A cell fails if somebody"
        f" in it takes part, but fewer than {specification.k} do. {_levels(specification)}"
        f"{_together(specification)} no cell fails with a probability above"
        f" {_failure(specification.acceptable_cell_failure)}.",
    )


def _failure(text: str) -> str:
    value = Decimal(text)
    return f"{significant(value)} ({one_in(value)})"


def _level(level: ParticipationLevel) -> str:
    return f"{level.low} to {level.high}" if level.is_range else level.low


def _together(specification: Specification) -> str:
    """How far the promise allows people to decide together."""
    dependence = specification.dependence
    if dependence.is_none:
        return " and everybody decides alone,"
    parts = []
    if Decimal(dependence.correlation):
        parts.append(f"a correlation of {dependence.correlation} between any two people of a cell")
    if dependence.household_size > 1:
        parts.append(f"households of up to {dependence.household_size} who all take part or none")
    return f" even with {' and '.join(parts)},"


def _levels(specification: Specification) -> str:
    levels = specification.levels
    if len(levels) > 1:
        return (
            f"If people take part with the published probabilities, which differ from {levels[0].low} to"
            f" {levels[-1].low},"
        )
    if levels[0].is_range:
        return f"If each person takes part with any probability from {levels[0].low} to {levels[0].high},"
    return f"If each person takes part with probability {levels[0].low},"


def _span(values: tuple[int, ...]) -> str:
    low, high = min(values), max(values)
    return whole(low) if low == high else f"{whole(low)} to {whole(high)}"


def _persons(design: Design) -> tuple[KeyFigure, ...]:
    """Where people decide alone, and unevenly: r' over the people of the worst cell, and of the worst off."""
    specification = design.specification
    if len(specification.levels) == 1 or not specification.dependence.is_none:
        return ()
    low = [level.low for level in specification.levels]
    worst = max(
        range(len(design.metrics)), key=lambda cell: design.metrics[cell].record_failure_given_participation
    )
    found = participant_failures(specification.eligible[worst], low, specification.k)
    return (
        KeyFigure(
            label="The same as the mean over people, in that cell",
            value=one_in(found.mean),
            meaning=f"{significant(found.mean)}: the paper's rbar′, where each eligible person counts once,"
            " however likely she is to take part. It is never above the figure before.",
            safe=_SAFER_SMALL,
        ),
        KeyFigure(
            label="The same for the worst-off person of that cell",
            value=one_in(found.worst),
            meaning=f"{significant(found.worst)}: of whoever takes part most surely, as the others of the"
            " cell stay away oftener.",
            safe=_SAFER_SMALL,
        ),
    )


def promise(design: Design, language: str) -> Section:
    specification = design.specification
    worst = max(m.record_failure_given_participation for m in design.metrics)
    half = max(m.record_failure_given_participation for m in design.half)
    worst_cell = max(m.attained_cell_failure for m in design.metrics)
    several = " It depends on the participation, so it is a range." if len(specification.levels) > 1 else ""
    figures: tuple[KeyFigure, ...] = (
        KeyFigure(
            label="Failure for a participant (rbar′), worst cell",
            value=one_in(worst),
            meaning=f"{significant(worst)}: that somebody who takes part shares her cell with fewer than"
            f" {specification.k} answers, her own included. The number a respondent cares about.",
            safe=_SAFER_SMALL,
        ),
        *_persons(design),
        KeyFigure(
            label="The same if only half as many take part",
            value=one_in(half),
            meaning=f"{significant(half)}: what remains of the promise if the participation was guessed twice"
            " as high as it is. Respondents see this figure for their own cell, too.",
            safe=_SAFER_SMALL,
        ),
        KeyFigure(
            label="Failure of a cell (qbar), worst cell",
            value=one_in(worst_cell),
            meaning=f"{significant(worst_cell)}; acceptable is at most"
            f" {significant(Decimal(specification.acceptable_cell_failure))}.",
            safe=_SAFER_SMALL,
        ),
        KeyFigure(
            label="Failure of the table (tbar)",
            value=one_in(design.table_failure),
            meaning=f"{significant(design.table_failure)}: that at least one of all the cells fails.",
            safe=_SAFER_SMALL,
        ),
        KeyFigure(
            label="k",
            value=whole(specification.k),
            meaning="Fewest answers among which an answer is hidden.",
            safe=_SAFER_LARGE,
        ),
        KeyFigure(
            label="n_min_safe",
            value=_span(specification.n_min_safe),
            meaning="From this many eligible people on, every cell is safe however large it is." + several,
            safe="A cell with more people is safer; a larger n_min_safe means larger cells and less detail.",
        ),
        KeyFigure(
            label="n_min",
            value=_span(specification.n_min),
            meaning="Smallest number of people with an acceptable failure, as the paper defines it. If it is"
            " below n_min_safe, cells between them can fail: the design does not use it." + several,
            safe="Only for comparison.",
        ),
        KeyFigure(
            label="Distortion (D)",
            value=significant(Decimal(repr(float(design.distortion)))),
            meaning="Share of the differences between people that cells blur: 0 keeps all detail, 1 none.",
            safe="Smaller keeps more detail; it does not change the safety.",
        ),
    )
    if specification.invited is not None:
        figures += (_trustees(specification.invited),)
    statement = specification.participation_source.statement
    condition = (
        "All figures but the second hold on one condition: people take part at least as often as published,"
        f"{_together(specification).rstrip(',')}."
    )
    said = () if statement is None else (f"Where the participation comes from: {statement[language]}",)
    return Section(
        name="promise", title="What the design promises", figures=figures, paragraphs=(condition, *said)
    )


def _trustees(invited: Invited) -> KeyFigure:
    lost = invited.shares - invited.statements_needed
    return KeyFigure(
        label="Trustees",
        value=f"{invited.threshold} of {invited.shares}",
        meaning=f"So many open the answers together. Before, {invited.statements_needed} must state which"
        f" ballots there are, so {lost if lost else 'none'} of them may be lost.",
        safe="A larger threshold is safer; more trustees may be lost if there are more of them.",
    )


def sizes(specification: Specification, people: list[int]) -> Section:
    ordered = sorted(people)
    marks = ((float(specification.n_min_safe[0]), "n_min_safe"),) if len(specification.levels) == 1 else ()
    picture = histogram(
        alt=f"Histogram of the number of people in {len(people)} cells: from {ordered[0]} to {ordered[-1]},"
        f" median {ordered[len(ordered) // 2]}.",
        caption="How many cells have how many eligible people. Further to the right is safer.",
        values=people,
        x_label="eligible people in a cell",
        y_label="cells",
        marks=marks,
    )
    return Section(
        name="cells",
        title="Number and sizes of the cells",
        figures=(
            KeyFigure(
                label="Cells",
                value=whole(len(people)),
                meaning="Groups of people who cannot be told apart.",
                safe="Fewer, larger cells are safer; more cells keep more detail.",
            ),
            KeyFigure(
                label="Smallest cell",
                value=f"{whole(ordered[0])} people",
                meaning=f"Half of the cells have {whole(ordered[len(ordered) // 2])} or more;"
                f" the largest has {whole(ordered[-1])}.",
                safe=_SAFER_LARGE,
            ),
        ),
        pictures=(picture,),
    )


def map_of_cells(design: Design, people: list[int], language: str) -> tuple[Markup, dict[str, object]]:
    specification = design.specification
    acceptable = Decimal(specification.acceptable_cell_failure)
    failures = [metric.attained_cell_failure for metric in design.metrics]
    numbers = map_data(
        attributes=specification.attributes,
        language=language,
        people=people,
        centroids=specification.centroids,
        failures=failures,
        acceptable=acceptable,
        tuples=design.model.X.tolist() if specification.model.kind == "public" else (),
    )
    steps = [failure_step(failure, acceptable) for failure in failures]
    legend = [
        {"number": number, "text": text, "count": whole(steps.count(number))}
        for number, text in enumerate(STEPS)
        if steps.count(number)
    ]
    caption = (
        "Colour says how a cell's failure compares with the acceptable one. A cell of several categories"
    )
    caption += " stands at the most frequent one; inside a band its place has no meaning."
    if numbers["people"]:
        caption += " Dots are the tuples of the public model."
    elif specification.model.kind == "register":
        caption += " The people of the register are not drawn."
    html = environment().get_template("cell_map.html.j2").render(steps=legend, caption=caption)
    return Markup(html), numbers  # noqa: S704 (rendered with escaping)


def every_cell(design: Design, people: list[int], language: str) -> Section:
    specification = design.specification
    order = sorted(
        range(len(people)),
        key=lambda cell: (-design.metrics[cell].record_failure_given_participation, people[cell], cell),
    )
    shown = order[:MAX_TABLE_CELLS]
    rows = tuple(
        (
            str(cell),
            significant(design.metrics[cell].record_failure_given_participation),
            significant(design.metrics[cell].attained_cell_failure),
            significant(design.metrics[cell].record_failure),
            significant(design.metrics[cell].expected_unprotected_records),
            whole(people[cell]),
            "; ".join(_words(value, language) for value in describe_centroid(specification, cell)),
        )
        for cell in shown
    )
    left = len(order) - len(shown)
    note = f"{whole(left)} safer cells are not listed; design.json holds all of them." if left else ""
    columns = (
        Column(heading="Cell"),
        Column(heading="rbar′", hint="smaller is safer"),
        Column(heading="qbar", hint="smaller is safer"),
        Column(heading="rbar", hint="smaller is safer"),
        Column(heading="u", hint="smaller is safer"),
        Column(heading="People", hint="larger is safer"),
        Column(heading="Centre", hint="mean of its people", numeric=False),
    )
    first, more = rows[:OPEN_TABLE_CELLS], rows[OPEN_TABLE_CELLS:]
    tables = [DataTable(caption="Cells by the failure of a participant", columns=columns, rows=first)]
    if more:
        caption = f"The next {whole(len(more))} cells"
        tables.append(DataTable(caption=caption, columns=columns, rows=more, note=note, folded=True))
    return Section(
        name="every-cell",
        title="Every cell, worst first",
        paragraphs=(
            "rbar′ is the probability that a participant is not protected, qbar that the cell fails, rbar"
            " that an eligible person takes part and is not protected. u is how many answers a failing cell"
            " exposes on average. All are taken at the worst published participation.",
        ),
        tables=tuple(tables),
    )


def _words(value: CentroidValue, language: str) -> str:
    label = value.attribute.label[language]
    shown = value.label(language)
    text = f"{label} {_trimmed(shown) if value.attribute.is_number and shown else shown or 'no answer'}"
    if value.described.share is not None:
        text += f" ({_percent(value.described.share)})"
    elif value.described.missing_share is not None and Decimal(value.described.missing_share):
        text += f" ({_percent(value.described.missing_share)} without an answer)"
    return text


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(share: str) -> str:
    return f"{int(Decimal(share) * 100)} %"


def _of_districts(cells: Cells) -> tuple[tuple[str, str], ...]:
    if not isinstance(cells, DistrictCells):
        return ()
    shapes = ", ".join(dict.fromkeys(part.shape for part in cells.districts))
    sizes = [part.count for part in cells.districts]
    return (
        ("Districts, designed each by itself", f"{whole(len(sizes))}, of {shapes}"),
        ("Cells of a district", f"{whole(min(sizes))} to {whole(max(sizes))}"),
    )


def _of_the_file(design: Design) -> tuple[tuple[str, str], ...]:
    """Exact counts of a public model; of a register the published bound."""
    people = whole(design.specification.model.people)
    model = design.model
    if design.specification.model.kind != "public":
        return (("People, at least", people),)
    return (
        ("Records read", whole(model.records)),
        ("Incomplete records left out", whole(model.dropped)),
        ("People", people),
        ("Distinct combinations of quasi-identifiers", whole(model.n_tuples)),
    )


def making(design: Design, language: str) -> Section:
    specification = design.specification
    kinds = {"public": "public: its tuples may be seen by everybody", "register": "register: real people"}
    reused, name = "the cells of an earlier survey, used again", specification.algorithm.name
    committed = specification.model.kind == "register"
    kind_of_digest = "Commitment to the model" if committed else "Digest of the model (SHA-256)"
    facts = (
        ("Population file", design.model.source),
        ("Kind of model", kinds[specification.model.kind]),
        *_of_the_file(design),
        ("Microaggregation", ALGORITHMS[name].words if name in ALGORITHMS else reused),
        ("Shape of the cells", specification.cells.shape),
        *_of_districts(specification.cells),
        (
            kind_of_digest,
            specification.model.digest,
        ),
    )
    eligible = [
        sum(counts[level] for counts in specification.eligible) for level in range(len(specification.levels))
    ]
    levels = tuple(
        (_level(level), whole(count), whole(n), whole(safe))
        for level, count, n, safe in zip(
            specification.levels, eligible, specification.n_min, specification.n_min_safe, strict=True
        )
    )
    attributes = []
    start = 0
    for attribute in specification.attributes:
        weights = specification.weights[start : start + attribute.dimension]
        start += attribute.dimension
        attributes.append(
            (attribute.label[language], attribute.kind, whole(attribute.dimension), _span(tuple(weights)))
        )
    return Section(
        name="making",
        title="How it was made",
        tables=(
            data_table("The model and the method", ("What", "Value"), facts, texts=2),
            DataTable(
                caption="Participation",
                columns=(
                    Column(heading="Participation", hint="published level"),
                    Column(heading="People"),
                    Column(heading="n_min"),
                    Column(heading="n_min_safe", hint="used by the design"),
                ),
                rows=levels,
                note="A lower participation is the cautious assumption: it asks for larger cells.",
            ),
            DataTable(
                caption="Quasi-identifiers",
                columns=(
                    Column(heading="Attribute", numeric=False),
                    Column(heading="Kind", numeric=False),
                    Column(heading="Coordinates"),
                    Column(heading="Weight", hint="in squared distances"),
                ),
                rows=tuple(attributes),
            ),
        ),
    )
