"""Records: what is promised, on the side that counts, and what a reproduction says of its figures."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from server.statistics.reproduction.result import Record, Sense
from server.statistics.reproduction.text import aligned, percent, promised, report_text, shown, signed, worst
from server.statistics.reproduction.views import Table
from tests.server.statistics.reproduction.examples import record, reproduction


def bound(ours: float, sense: Sense, tolerance: float | None = 0.0) -> Record:
    return Record(at={}, measure="m", ours=ours, published=4.0, tolerance=tolerance, sense=sense)


def test_differences_are_ours_minus_theirs() -> None:
    item = record(5.0, 4.0)
    assert (item.difference, item.relative, item.excess) == (1.0, 0.25, 1.0)
    assert record(0.0, 0.0).relative == 0
    assert record(1.0, 0.0).relative is None


@pytest.mark.parametrize(
    ("ours", "tolerance", "sense", "kept"),
    [
        (4.5, 0.5, "equal", True),
        (3.4, 0.5, "equal", False),
        (9.0, None, "equal", None),
        (1.0, 0.0, "at-most", True),
        (4.1, 0.0, "at-most", False),
        (9.0, 0.0, "at-least", True),
        (3.9, 0.0, "at-least", False),
        (0.1 + 0.2 + 3.7, 0.0, "equal", True),
    ],
)
def test_a_promise_is_judged_on_the_side_that_counts(
    ours: float, tolerance: float | None, sense: Sense, kept: bool | None
) -> None:
    assert bound(ours, sense, tolerance).kept is kept


def test_the_worst_is_the_largest_relative_miss() -> None:
    small_but_worse = record(0.2, 0.1, None)
    found = reproduction(record(110.0, 100.0), small_but_worse, bound(0.1, "at-most"))
    assert found.worst == small_but_worse
    assert found.broken == (record(110.0, 100.0),)
    assert len(found.promised) == 2
    assert reproduction().worst is None
    assert reproduction(small_but_worse, record(1.0, 0.0)).worst == record(1.0, 0.0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_only_finite_numbers_and_promises_about_something(value: float) -> None:
    for arguments in ({"ours": value}, {"tolerance": value}):
        with pytest.raises(ValueError, match="finite"):
            record(**arguments)
    with pytest.raises(ValueError, match="nothing is published"):
        Record(at={}, measure="m", ours=1.0, tolerance=1.0)


def test_a_verdict_for_each_published_figure() -> None:
    equal = Record(at={"figure": "Figure 1"}, measure="m", ours=3.14159, published=3.14, digit=0.01)
    near = replace(equal, at={"figure": "Figure 2"}, ours=3.2)
    alone = Record(at={"figure": "Figure 3"}, measure="m", ours=1.0)
    limit = replace(bound(1.0, "at-most"), at={"figure": "Figure 4"})
    found = reproduction(equal, near, alone, limit).verdicts()
    assert found["Figure 1"] == "equal: all 1 values, to the last printed digit"
    assert found["Figure 2"].startswith("within 1.9 % (most at Figure 2); 0 of 1 values equal")
    assert found["Figure 3"].startswith("computed anew; no numbers")
    assert found["Figure 4"] == "1 of 1 bounds kept"
    missed = reproduction(limit, replace(limit, ours=9.0)).verdicts()["Figure 4"]
    assert missed == f"1 of 2 bounds kept; not reproduced: {limit.where}, {limit.measure}"
    missing = replace(reproduction(), why_not="no data")
    assert missing.verdicts() == {"Table 9": "not reproduced: no data"}
    assert (
        replace(reproduction(near), why_not="no data")
        .verdicts()["Figure 2"]
        .startswith("not reproduced: no data; within")
    )


def test_numbers_are_readable_and_signed() -> None:
    assert [shown(v) for v in (None, "x", 7, 0.0, 1 / 3, 6.05e-6, 47.98)] == (
        ["-", "x", "7", "0", "0.33333", "6.05 × 10⁻⁶", "47.98"]
    )
    assert (signed(0.5), signed(-0.5), signed(0.0)) == ("+0.5", "−0.5", "0")
    assert (percent(0.0125), percent(None)) == ("+1.25 %", "-")
    assert promised(record(4.2, 4.0, 0.5)) == "± 0.5"
    assert promised(record(5.0, 4.0, 0.5)) == "± 0.5, not kept"
    assert promised(record(tolerance=None)) == "-"
    assert promised(bound(1.0, "at-most")) == "at most that"
    assert promised(bound(1.0, "at-least", 0.1)) == "at least that ± 0.1, not kept"
    assert worst(None) == "nothing to compare with"
    assert worst(record(5.0, 4.0)) == "+25 %: 5 beside 4 (census <b>, k = 3, loss)"
    assert worst(bound(5.0, "at-most")) == "5 where at most 4 is asked (m)"


def test_a_report_is_aligned_complete_and_says_what_is_kept() -> None:
    table = aligned(Table(columns=("data", "k"), rows=(("census", 3), ("eia", 10), ("adult", None))))
    assert table.splitlines() == ["data     k", "------  --", "census   3", "eia     10", "adult    -"]
    text = report_text(reproduction(record(4.2), record(5.0, k=5)))
    assert "2 values compared; 1 of 2 promised bounds are kept." in text
    line = next(line for line in text.splitlines() if line.startswith("census <b>, k = 3"))
    assert line.split()[-7:] == ["4.2", "4", "+0.2", "+5", "%", "±", "0.5"]
    assert "± 0.5, not kept" in text
    assert "Loss against k (curve.svg)" in text
    assert "We differ.\n\nNobody knows why." in text
    assert "Table 9: within 25 %" in text
    assert "ours stand alone" in report_text(reproduction())
