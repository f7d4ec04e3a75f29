"""Pictures: valid, with alternative texts and the page's colours, published values as marks."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from server.reports.charts import Line, standalone
from server.statistics.reproduction.drawing import alternative, picture
from server.statistics.reproduction.views import Figure

FIGURE = Figure(
    name="curve",
    title="Loss against k",
    x_label="k",
    y_label="loss",
    curves=(
        Line(label="ours", x=(1.0, 10.0, 100.0), y=(1.0, 0.1, 1e-4)),
        Line(label="theirs", x=(1.0, 10.0), y=(1.1, 0.1), published=True),
    ),
    log_x=True,
    log_y=True,
)


def many(count: int) -> Figure:
    curves = tuple(Line(label=f"curve {i}", x=(1.0, 2.0), y=(float(i + 1), i + 2.0)) for i in range(count))
    return Figure(name="many", title="Many", x_label="x", y_label="y", curves=curves)


def test_the_picture_says_what_it_shows() -> None:
    root = ElementTree.fromstring(picture(FIGURE))  # noqa: S314 - our own drawing
    assert root.get("role") == "img"
    said = root.get("aria-label")
    assert said == alternative(FIGURE)
    assert "ours: 1 to 0.0001" in said
    assert "theirs: 1.1 to 0.1 (published)" in said


def test_the_picture_takes_the_colours_of_the_page() -> None:
    svg = str(picture(FIGURE))
    assert "currentColor" in svg
    assert "var(--series-1)" in svg
    assert "style=" not in svg
    assert not re.search(r"#0[1-7]0", svg)
    assert svg == str(picture(FIGURE))


def test_a_picture_of_its_own_knows_every_colour_it_uses() -> None:
    document = standalone(picture(many(9)))
    ElementTree.fromstring(document)  # noqa: S314 - our own drawing
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", document))
    assert len(used) >= 5
    assert all(f"{name}:" in document for name in used)
    assert "prefers-color-scheme: dark" in document


def test_published_values_are_marks_in_the_colour_of_ours() -> None:
    hidden = replace(FIGURE, curves=FIGURE.curves[:1])
    svg = str(picture(FIGURE))
    assert "theirs" in svg
    ring = 'fill="none" stroke="var(--series-1)" stroke-width="1.6"'
    assert svg.count(ring) == 2  # in the plot and in the legend
    assert ring not in str(picture(hidden))
    assert "var(--series-2)" not in svg


def test_many_curves_make_the_picture_grow_not_the_legend_cover_it() -> None:
    def height(figure: Figure) -> float:
        box = ElementTree.fromstring(picture(figure)).get("viewBox") or ""  # noqa: S314
        return float(box.split()[3])

    assert height(many(3)) < height(many(6)) < height(many(12))


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.93, 0.95), (1e-200, 1e-100), (-1.0, 1.0)])
def test_odd_ranges_can_be_drawn(values: tuple[float, float]) -> None:
    log = min(values) > 0
    figure = replace(FIGURE, curves=(Line(label="c", x=(1.0, 2.0), y=values),), log_y=log)
    assert "<svg" in str(picture(figure))
