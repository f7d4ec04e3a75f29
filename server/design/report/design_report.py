"""report.html of a finished design: what it promises, what it costs, and every number behind that."""

from __future__ import annotations

from typing import Final

from server.design.curves import DesignCurves
from server.design.design import Design
from server.design.report.design_sections import every_cell, making, map_of_cells, promise, sizes, summary
from server.design.report.price import price
from server.reports.page import Page, Section, render

MAP_SCRIPT: Final = "cell_map.js"


def render_design_report(design: Design, curves: DesignCurves, command: str) -> bytes:
    """Return the report as one self-contained HTML document.

    Guarantee: of a register, the document holds only what its specification holds: head counts and centroids
    of cells, never a tuple of a person, a count of records or a warning about them. The same input gives the
    same bytes.
    """
    specification, model = design.specification, design.model
    of_the_file = () if specification.model.kind == "public" else model.warnings
    language = specification.languages[0]
    people = [specification.people_in(cell) for cell in range(specification.cells.count)]
    contents, map_numbers = map_of_cells(design, people, language)
    page = Page(
        kind="Design report",
        title=specification.title[language],
        title_language=language,
        summary=summary(specification, people),
        warnings=tuple(warning for warning in design.warnings if warning not in of_the_file),
        sections=(
            promise(design, language),
            sizes(specification, people),
            Section(
                name="map",
                title="Where the cells lie",
                paragraphs=(
                    "Each disc is a cell at the mean of its people; its area grows with their number. "
                    "Choose any two quasi-identifiers.",
                ),
                contents=contents,
            ),
            Section(
                name="price",
                title="The price of the guarantee",
                paragraphs=("What another choice would cost. The diamond marks today's choice.",),
                pictures=price(curves, specification.acceptable_cell_failure),
            ),
            every_cell(design, people, language),
            making(design, language),
        ),
        script=MAP_SCRIPT,
        data=map_numbers,
        command=command,
    )
    return render(page)
