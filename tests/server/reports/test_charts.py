"""Pictures that take their colours from the page and are the same bytes each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from unicodedata import east_asian_width

import pytest
from markupsafe import Markup

from server.reports.charts import Bar, Line, bar_chart, distribution, histogram, line_chart


def chart(**options: object) -> Markup:
    lines = (
        Line(label="first & <b>", x=(1e-9, 1e-6, 1e-3), y=(60, 50, 30)),
        Line(label="$second$", x=(1e-9, 1e-6, 1e-3), y=(600, 500, 300)),
    )
    fields: dict[str, object] = {
        "alt": 'Falls "steeply"',
        "lines": lines,
        "x_label": "failure",
        "y_label": "people",
        "mark": (1e-6, 50),
        "mark_label": "today",
        "log_x": True,
    }
    return line_chart(**fields | options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"log_y": True}, {"steps": True}, {"mark": None}])
def test_a_chart_is_well_formed_named_and_without_fixed_colours(options: dict[str, object]) -> None:
    svg = chart(**options)
    root = ET.fromstring(svg)  # noqa: S314 (our own drawing)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == 'Falls "steeply"'
    assert "style" not in svg
    assert "font-family" not in svg
    assert not re.search(r"#[0-9a-fA-F]{6}\b", svg)
    assert "var(--series-1)" in svg
    assert "currentColor" in svg
    assert "$second$" in svg
    assert "first &amp; &lt;b" in svg


def test_pictures_of_one_page_have_no_names_that_could_clash() -> None:
    assert not re.search(r"\bid=|href=|url\(", chart())


def test_powers_of_ten_are_written_out() -> None:
    assert "10⁻⁹" in chart()


def test_same_input_same_bytes() -> None:
    assert chart() == chart()


def test_a_single_point_is_visible() -> None:
    svg = chart(lines=(Line(label="one", x=(1e-6,), y=(5,)),), mark=None)
    assert re.search(r'<path d="M[^"]+" fill="var\(--series-1\)"/>', svg)


def test_more_lines_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 16 lines"):
        chart(lines=(Line(label="x", x=(1,), y=(1,)),) * 17)
    with pytest.raises(ValueError, match="at least one"):
        Line(label="x", x=(), y=())


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5], (("5", "1"),)),
        ([5, 6, 6, 9], (("5", "1"), ("6", "2"), ("9", "1"))),
        ([1, 60], (("1 to 2", "1"), ("59 to 60", "1"))),
    ],
)
def test_histogram_bins_are_whole_numbers(values: list[int], expected: tuple[tuple[str, str], ...]) -> None:
    marks = ((5, "limit"),)
    picture = histogram(alt="x", caption="", values=values, x_label="x", y_label="y", marks=marks)
    assert picture.data is not None
    assert picture.data.rows == expected
    assert "limit" in picture.svg


def test_histogram_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to count"):
        histogram(alt="x", caption="", values=[], x_label="x", y_label="y")


def test_classes_of_one_size_have_whole_numbers_below_them() -> None:
    svg = histogram(alt="", caption="", values=[5] * 60, x_label="size", y_label="classes").svg
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    assert "5" in texts
    assert "6" in texts
    assert not any("." in text for text in texts)


def test_numbers_below_a_chart_do_not_run_into_each_other() -> None:
    line = Line(label="a", x=(0.0, 203_000.0), y=(0.0, 1.0))
    svg = line_chart(alt="", lines=[line], x_label="income", y_label="share")
    labels = re.findall(r'<text[^>]* x="([0-9.]+)"[^>]*>[0-9]{4,}</text>', svg)
    centres = sorted(float(x) for x in labels)
    assert len(centres) >= 2
    assert min(b - a for a, b in pairwise(centres)) > 6 * 9.5 * 0.64


LONG = "Zusammengesetzte Bezeichnung der Messreihe mit Wohnungsgeberbestätigungsnummern und mehr"
ARABIC = "نسبة المشاركة في المدينة بحسب أقل تقدير ممكن للسكان في كل مجموعة من المجموعات"
CHINESE = "每个单元格中符合条件的人数，按照今天的选择计算，并且包括所有的家庭成员和居民"


@pytest.mark.parametrize("label", ["x", LONG, ARABIC, CHINESE, "W" * 300])
@pytest.mark.parametrize("x", [(0, 203_000.0), (1e9, 1e9 + 500), (3, 3), (1e-7, 5e-7), (-1e-5, 1e-5)])
@pytest.mark.parametrize("log_x", [False, True])
def test_no_text_stands_outside_of_the_picture(label: str, x: tuple[float, float], *, log_x: bool) -> None:
    lines = [Line(label=f"{label} {number}", x=x, y=(1e-9, 3e8)) for number in range(5)]
    for svg in (
        line_chart(alt="", lines=lines, x_label=label, y_label=label, log_x=log_x and x[0] > 0),
        bar_chart([Bar(label=label, share=0.4, low=0.3, high=1, unweighted=0.5)], title=label),
        distribution([(label, 3), (label, 4)], alt=""),
    ):
        root = ET.fromstring(svg)  # noqa: S314 (our own drawing)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        left = 0.0
        for element in root.iter():
            if element.tag.endswith("}g"):
                left = float(re.findall(r"[0-9.]+", element.attrib["transform"])[0])
        plot = {id(text) for group in root for text in group if group.tag.endswith("}g")}
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            size = float(text.get("font-size", "12"))
            long = sum(size if east_asian_width(letter) in "WF" else 0.6 * size for letter in text.text or "")
            start = float(text.attrib["x"]) + (left if id(text) in plot else 0)
            start -= {"middle": long / 2, "end": long}.get(text.get("text-anchor", ""), 0)
            assert start >= -0.5
            assert start + long <= width + 0.5
            assert float(text.attrib["y"]) <= height


def test_points_without_a_place_are_left_out() -> None:
    line = Line(label="a", x=(1, 2, 3, 4), y=(0, 0.1, float("inf"), 0.01))
    svg = line_chart(alt="", lines=[line], x_label="x", y_label="y", log_y=True)
    path = re.search(r'<path d="([^"]+)" fill="none" stroke="var\(--series-1\)"', svg)
    assert path is not None
    assert len(re.findall("[ML]", path[1])) == 2
    nothing = Line(label="a", x=(1,), y=(0,))
    assert "<svg" in line_chart(alt="", lines=[nothing], x_label="x", y_label="y", log_y=True)


def test_points_that_stand_where_others_do_are_drawn_once() -> None:
    many = Line(label="a", x=tuple(i // 100 for i in range(300)), y=tuple(i // 100 for i in range(300)))
    svg = line_chart(alt="", lines=[many], x_label="x", y_label="y", steps=True)
    assert len(svg) < 3000
