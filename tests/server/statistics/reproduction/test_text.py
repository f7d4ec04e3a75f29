"""Text reports: aligned, complete, and wrapped."""

from __future__ import annotations

from server.statistics.reproduction.result import Curve, Figure
from server.statistics.reproduction.text import aligned, curve_rows, report_text
from tests.server.statistics.reproduction.examples import comparison, reproduction


def test_numbers_stand_flush_right_and_words_left() -> None:
    table = aligned(("data", "k"), (("census", 3), ("eia", 10), ("adult", None)))
    assert table.splitlines() == [
        "data     k",
        "------  --",
        "census   3",
        "eia     10",
        "adult    -",
    ]


def test_a_report_has_ours_beside_theirs_and_every_table_and_curve() -> None:
    text = report_text(reproduction(comparison(4.2), comparison(5.0)), "A small table")
    assert "2 values compared; 1 of 2 promised bounds are kept." in text
    line = next(line for line in text.splitlines() if line.startswith("census, k = 3") and "4.2" in line)
    assert line.split()[-7:] == ["4.2", "4", "+0.2", "+5", "%", "±", "0.5"]
    assert "not kept" in text
    assert "5.6922" in text
    assert "Loss against k (curve.svg)" in text
    assert "We differ.\n\nNobody knows why." in text
    assert "Worst difference: +25 %" in text


def test_without_published_values_the_report_says_so() -> None:
    assert "ours stand alone" in report_text(reproduction(), "A small table")


def test_curves_with_the_same_x_share_a_column() -> None:
    shared = Figure(
        "f", "F", "k", "loss", (Curve("a", (1.0, 2.0), (3.0, 4.5)), Curve("b", (1.0, 2.0), (5.0, 6.0)))
    )
    assert curve_rows(shared) == (("k", "a", "b"), ((1, 3, 5), (2, 4.5, 6)))
    columns, rows = curve_rows(reproduction().figures[0])
    assert columns == ("curve", "k", "loss")
    assert [row[0] for row in rows] == ["ours"] * 3 + ["theirs"] * 2
