"""Pictures that take their colours from the page and are the same bytes each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from markupsafe import Markup

from server.reports.charts import Line, histogram, line_chart


def chart(name: str = "one", **options: object) -> Markup:
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
    return line_chart(name=name, **fields | options)  # type: ignore[arg-type]


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


def test_names_are_distinct_between_pictures_and_references_resolve() -> None:
    one, two = chart("one"), chart("two")
    names = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, two)]
    assert not names[0] & names[1]
    for svg, own in zip((one, two), names, strict=True):
        references = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)
        assert references
        assert all((a or b) in own for a, b in references)


def test_powers_of_ten_are_written_out() -> None:
    assert "10⁻⁹" in chart()


def test_same_input_same_bytes() -> None:
    assert chart() == chart()


def test_a_single_point_is_visible() -> None:
    svg = chart(lines=(Line(label="one", x=(1e-6,), y=(5,)),), mark=None)
    assert "<use" in svg


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
    picture = histogram(name="h", alt="x", caption="", values=values, x_label="x", y_label="y", marks=marks)
    assert picture.data is not None
    assert picture.data.rows == expected
    assert "limit" in picture.svg


def test_histogram_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to count"):
        histogram(name="h", alt="x", caption="", values=[], x_label="x", y_label="y")


def test_classes_of_one_size_have_whole_numbers_below_them() -> None:
    svg = histogram(name="h", alt="", caption="", values=[5] * 60, x_label="size", y_label="classes").svg
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    assert "5" in texts
    assert "6" in texts
    assert not any("." in text for text in texts)


def test_numbers_below_a_chart_do_not_run_into_each_other() -> None:
    line = Line(label="a", x=(0.0, 203_000.0), y=(0.0, 1.0))
    svg = line_chart(name="c", alt="", lines=[line], x_label="income", y_label="share")
    labels = re.findall(r'<text[^>]* x="([0-9.]+)"[^>]*>[0-9]{4,}</text>', svg)
    centres = sorted(float(x) for x in labels)
    assert len(centres) >= 2
    assert min(b - a for a, b in pairwise(centres)) > 6 * 9.5 * 0.64
