"""The report of a finished design."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from server.design.report.design_report import Curve, CurveLine, DesignReportInput, render_design_report
from shared.effective_anonymity import table_failure, worst_cell_metrics
from shared.participation import ParticipationLevel
from tests.builders import age, small_rows, small_specification

CURVES = (
    Curve(
        name="need",
        title="Stricter asks for more.",
        x_label="failure",
        y_label="people",
        lines=(CurveLine(label="n_min_safe", x=("1e-6", "1e-3"), y=("25", "17")),
               CurveLine(label="n_min", x=("1e-6", "1e-3"), y=("24", "16"))),
        mark=("1e-3", "17"),
        log_x=True,
    ),
    Curve(name="empty", title="Nothing.", x_label="x", y_label="y", lines=(CurveLine(label="", x=(), y=()),)),
)  # fmt: skip


def report_input(kind: str = "public", **changes: Any) -> DesignReportInput:
    specification = small_specification(kind=kind)
    metrics = tuple(
        worst_cell_metrics(counts, specification.levels, specification.k) for counts in specification.eligible
    )
    fields: dict[str, Any] = {
        "specification": specification,
        "metrics": metrics,
        "half": metrics,
        "table_failure": table_failure([metric.attained_cell_failure for metric in metrics]),
        "distortion": 0.0123,
        "source": "town.csv",
        "records": 200 if kind == "public" else None,
        "dropped": 0 if kind == "public" else None,
        "n_tuples": 200 if kind == "public" else None,
        "warnings": ("Look at <this>.",),
        "curves": CURVES,
        "tuples": tuple(row.vector for row in small_rows()) if kind == "public" else (),
        "command": "roomful design survey.toml --out DIR",
    }
    return DesignReportInput(**fields | changes)


def numbers(document: bytes) -> dict[str, Any]:
    match = re.search(rb'id="page-data">(.*?)</script>', document, re.DOTALL)
    assert match is not None
    value: dict[str, Any] = json.loads(match[1])
    return value


def test_same_input_same_bytes() -> None:
    assert render_design_report(report_input()) == render_design_report(report_input())


def test_what_the_issue_asks_for_is_there() -> None:
    text = render_design_report(report_input()).decode("utf-8")
    figures = ("n_min_safe", "n_min", "rbar′", "qbar", "rbar", "tbar", "Distortion (D)")
    others = (
        "smaller is safer",
        "Look at &lt;this&gt;.",
        "Health in Smallville",
        "town.csv",
        ">today's choice<",
    )
    for words in (*figures, *others):
        assert words in text
    assert text.index("Look at") < text.index("What the design promises")
    assert text.index("rbar′") < text.index("qbar")
    assert "Nothing." not in text


def test_cells_are_listed_worst_first() -> None:
    data = report_input()
    changed = tuple(
        replace(metric, record_failure_given_participation=Decimal(cell) / 1000)
        for cell, metric in enumerate(data.metrics)
    )
    text = render_design_report(replace(data, metrics=changed)).decode("utf-8")
    table = text[text.index("Cells by the failure of a participant") :]
    assert [int(n) for n in re.findall(r'<th scope="row" class="number">(\d+)</th>', table)][:8] == [
        *range(7, -1, -1)
    ]
    assert "Age 12; Sex Female (100 %)" in table


def test_a_register_shows_cells_and_nobody() -> None:
    data = report_input("register")
    document = render_design_report(data)
    assert numbers(document)["people"] == []
    assert len(numbers(document)["cells"]) == 8
    assert "The people of the register are not drawn" in document.decode("utf-8")
    with pytest.raises(ValueError, match="tuples and exact"):
        report_input("register", tuples=((1, 0, 1),))
    with pytest.raises(ValueError, match="tuples and exact"):
        report_input("register", records=200)


def test_several_levels_and_a_range() -> None:
    levels = (ParticipationLevel(low="0.4", high="0.4"), ParticipationLevel(low="0.6", high="0.6"))
    data = report_input()
    two = replace(
        data.specification,
        levels=levels,
        n_min=(20, 10),
        n_min_safe=(21, 11),
        eligible=tuple((count[0] - 1, 1) for count in data.specification.eligible),
    )
    text = render_design_report(replace(data, specification=two)).decode("utf-8")
    assert "which differ from 0.4 to 0.6" in text
    assert "11 to 21" in text
    ranged = replace(data.specification, levels=(ParticipationLevel(low="0.4", high="0.6"),))
    text = render_design_report(replace(data, specification=ranged)).decode("utf-8")
    assert "any probability from 0.4 to 0.6" in text
    assert "0.4 to 0.6</th>" in text


def test_only_the_worst_cells_of_many_are_listed() -> None:
    people = [age(missing="own-category")]
    text = render_design_report(_many(people, 600)).decode("utf-8")
    assert "100 safer cells are not listed" in text
    assert "without an answer" in text


def _many(attributes: list[Any], count: int) -> DesignReportInput:
    from shared.cells import Prototypes

    data = report_input(curves=(), tuples=())
    cells = Prototypes(
        weights=(1, 1), points=tuple((i % 100, i // 100) for i in range(count)), cells=tuple(range(count))
    )
    specification = replace(
        data.specification,
        attributes=tuple(attributes),
        cells=cells,
        eligible=((30,),) * count,
        centroids=(("40.0000", "0.2500"),) * count,
    )
    return replace(
        data, specification=specification, metrics=data.metrics[:1] * count, half=data.half[:1] * count
    )


def test_inconsistent_input_is_refused() -> None:
    with pytest.raises(ValueError, match="differ in number"):
        report_input(metrics=())
    with pytest.raises(ValueError, match="one name"):
        report_input(curves=(CURVES[0], CURVES[0]))


@pytest.fixture
def tab(tmp_path: Path, browser: Browser) -> Iterator[Tab]:
    (tmp_path / "report.html").write_bytes(render_design_report(report_input()))
    page = browser.new_page(viewport={"width": 360, "height": 800})
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "report.html").as_uri())
    yield page
    page.close()
    assert problems == []


@pytest.mark.browser
def test_the_map_is_drawn_from_the_disk_and_follows_the_choice(tab: Tab) -> None:
    discs = tab.locator("#map-picture circle.cell")
    assert discs.count() == 8
    label = tab.locator("#map-picture svg").get_attribute("aria-label")
    assert label == "Map of 8 cells. From left to right: Age. From bottom to top: Sex."
    tab.locator("#map-x").select_option(label="Sex")
    tab.locator("#map-y").select_option(label="Age")
    label = tab.locator("#map-picture svg").get_attribute("aria-label")
    assert label == "Map of 8 cells. From left to right: Sex. From bottom to top: Age."
    assert tab.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(tab: Tab, scheme: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    tab.emulate_media(color_scheme=scheme)
    violations = Axe().run(tab).response["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in violations] == []
