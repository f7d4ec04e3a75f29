"""The report of a finished design."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from server.design.curves import DesignCurves, FailureCurve, NeedCurve
from server.design.design import Design
from server.design.population.model import Model
from server.design.report.design_report import render_design_report
from server.tables.data_file import Understood
from shared.effective_anonymity import table_failure, worst_cell_metrics
from shared.participation import ParticipationLevel
from tests.accessibility import breaches
from tests.builders import age, small_cells, small_rows, small_specification
from tests.vectors.surveys import districts_of

CURVES = DesignCurves(
    needs=(
        NeedCurve(
            level=ParticipationLevel(low="0.5", high="0.5"),
            failures=(small_specification().acceptable_cell_failure, "1e-6"),
            n_min=(16, 24),
            n_min_safe=(17, 25),
        ),
    ),
    failures=(
        FailureCurve(label="each alone", shares=("0.5", "1"), unprotected=(Decimal("0.1"), Decimal("1e-7"))),
    ),
    distortions=(),
    tuples=200,
    sampled_tuples=200,
    sampled_people=200,
)


def design_of(kind: str = "public", **changes: Any) -> Design:
    """A design with a model of 200 people, of whom a register may show nobody."""
    specification = small_specification(kind=kind)
    metrics = tuple(
        worst_cell_metrics(counts, specification.levels, specification.k) for counts in specification.eligible
    )
    rows = np.array([row.vector for row in small_rows()], dtype=np.int64)
    model = Model(
        source="town.csv",
        understood=Understood.__new__(Understood),
        attributes=specification.attributes,
        X=rows,
        people=np.ones((len(rows), 1), dtype=np.int64),
        levels=specification.levels,
        records=201,
        dropped=1,
        equal_rows=None,
        rows=np.arange(len(rows)),
        tuple_of_record=np.arange(len(rows)),
        largest_household=1,
        warnings=("17 rows are equal.",),
    )
    fields: dict[str, Any] = {
        "specification": specification,
        "model": model,
        "basis": model,
        "labels": np.zeros(len(rows), dtype=np.int64),
        "metrics": metrics,
        "half": metrics,
        "table_failure": table_failure([metric.attained_cell_failure for metric in metrics]),
        "distortion": 0.0123,
        "refused": False,
        "warnings": (*model.warnings, "Look at <this>."),
    }
    return Design(**fields | changes)


def report_of(design: Design) -> str:
    return render_design_report(design, CURVES, "roomful design survey.toml --out DIR").decode("utf-8")


def numbers(document: str) -> dict[str, Any]:
    match = re.search(r'id="page-data">(.*?)</script>', document, re.DOTALL)
    assert match is not None
    value: dict[str, Any] = json.loads(match[1])
    return value


def test_same_input_same_bytes() -> None:
    assert report_of(design_of()) == report_of(design_of())


def test_what_the_issue_asks_for_is_there() -> None:
    text = report_of(design_of())
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


def test_districts_are_counted() -> None:
    whole = design_of()
    assert "Districts, designed each by itself" not in report_of(whole)
    cells = districts_of(small_cells(), 49)
    text = report_of(replace(whole, specification=replace(whole.specification, cells=cells)))
    assert "Districts, designed each by itself" in text
    assert "2, of power-diagram" in text
    assert "4 to 4" in text


def test_cells_are_listed_worst_first() -> None:
    data = design_of()
    changed = tuple(
        replace(metric, record_failure_given_participation=Decimal(cell) / 1000)
        for cell, metric in enumerate(data.metrics)
    )
    text = report_of(replace(data, metrics=changed))
    table = text[text.index("Cells by the failure of a participant") :]
    assert [int(n) for n in re.findall(r'<th scope="row" class="number">(\d+)</th>', table)][:8] == [
        *range(7, -1, -1)
    ]
    assert "Age 12; Sex Female (100 %)" in table


def test_a_register_shows_cells_and_nobody() -> None:
    data = design_of("register")
    document = report_of(data)
    assert numbers(document)["people"] == []
    assert len(numbers(document)["cells"]) == 8
    assert "The people of the register are not drawn" in document
    assert "Look at" in document
    assert "17 rows are equal" not in document
    assert "Records read" not in document
    assert ">201<" not in document
    everything = report_of(design_of())
    assert numbers(everything)["people"]
    assert "17 rows are equal" in everything
    assert "Records read" in everything
    assert ">201<" in everything


def test_several_levels_and_a_range() -> None:
    levels = (ParticipationLevel(low="0.4", high="0.4"), ParticipationLevel(low="0.6", high="0.6"))
    data = design_of()
    two = replace(
        data.specification,
        levels=levels,
        n_min=(20, 10),
        n_min_safe=(21, 11),
        eligible=tuple((count[0] - 1, 1) for count in data.specification.eligible),
    )
    text = report_of(replace(data, specification=two))
    assert "which differ from 0.4 to 0.6" in text
    assert "11 to 21" in text
    ranged = replace(data.specification, levels=(ParticipationLevel(low="0.4", high="0.6"),))
    text = report_of(replace(data, specification=ranged))
    assert "any probability from 0.4 to 0.6" in text
    assert "0.4 to 0.6</th>" in text


def test_only_the_worst_cells_of_many_are_listed() -> None:
    people = [age(missing="own-category")]
    text = report_of(_many(people, 600))
    assert "100 safer cells are not listed" in text
    assert "without an answer" in text


def _many(attributes: list[Any], count: int) -> Design:
    from shared.cells import Prototypes

    data = design_of("register")
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


@pytest.fixture
def tab(tmp_path: Path, browser: Browser) -> Iterator[Tab]:
    (tmp_path / "report.html").write_text(report_of(design_of()), "utf-8")
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
    tab.emulate_media(color_scheme=scheme)
    violations = breaches(tab).response["violations"]
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in violations] == []


def test_uneven_participation_is_told_for_a_mean_and_for_the_worst_off() -> None:
    assert "worst-off person" not in report_of(design_of())
    levels = (ParticipationLevel(low="0.5", high="0.5"), ParticipationLevel(low="0.9", high="0.9"))
    small = small_specification()
    eligible = tuple((n // 2, n - n // 2) for (n,) in small.eligible)
    needs = {"n_min": 2 * small.n_min, "n_min_safe": 2 * small.n_min_safe}
    specification = replace(small, levels=levels, eligible=eligible, **needs)
    metrics = tuple(worst_cell_metrics(counts, levels, specification.k) for counts in eligible)
    changes: dict[str, Any] = {"specification": specification, "metrics": metrics, "half": metrics}
    text = report_of(design_of(**changes))
    assert "The same for the worst-off person of that cell" in text
    assert "The same as the mean over people, in that cell" in text
