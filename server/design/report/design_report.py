"""report.html of a finished design: what it promises, what it costs, and every number behind that."""

from __future__ import annotations

from server.design.report.design_input import Curve, CurveLine, DesignReportInput
from server.design.report.design_sections import (
    every_cell,
    making,
    map_of_cells,
    price,
    promise,
    sizes,
    summary,
)
from server.reports.page import Page, Section, render

__all__ = ["Curve", "CurveLine", "DesignReportInput", "render_design_report"]


def render_design_report(data: DesignReportInput) -> bytes:
    """Return the report as one self-contained HTML document.

    Guarantee: of a register, the document holds only what its specification holds: head counts and centroids
    of cells, never a tuple of a person. The same input gives the same bytes.
    """
    specification = data.specification
    language = specification.languages[0]
    people = [specification.people_in(cell) for cell in range(specification.cells.count)]
    contents, map_numbers = map_of_cells(data, people, language)
    page = Page(
        kind="Design report",
        title=specification.title[language],
        title_language=language,
        summary=summary(data, people),
        warnings=data.warnings,
        sections=(
            promise(data, language),
            sizes(data, people),
            Section(
                name="map",
                title="Where the cells lie",
                paragraphs=(
                    "Each disc is a cell at the mean of its people; its area grows with their number. "
                    "Choose any two quasi-identifiers.",
                ),
                contents=contents,
            ),
            *price(data),
            every_cell(data, people, language),
            making(data, language),
        ),
        script="cell_map.js",
        data=map_numbers,
        command=data.command,
    )
    return render(page)
