"""Looking ahead from totals of days, in tens."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from server.desk.forecast import Told, closing_day, forecast, note_total

DAY = date(2030, 5, 1)


def told(*totals: int) -> tuple[Told, ...]:
    return tuple(Told(day=DAY + timedelta(days=n), total=total) for n, total in enumerate(totals))


@pytest.mark.parametrize(
    ("totals", "days", "people", "expected"),
    [
        ((0, 100, 200), 2, 9999, (400, 400)),  # steadily
        ((0, 100, 150), 1, 9999, (170, 200)),  # half as many on the second day: 150 + 50 x 1/2, or 150 + 50
        ((0, 100, 150), 1, 180, (170, 180)),  # there are no more people
        ((0, 100), 3, 9999, (100, 400)),  # of one day nobody knows whether it slows
        ((100, 100, 100), 5, 9999, (100, 100)),
        ((100, 90, 120), 1, 9999, (150, 150)),  # told totals of invited surveys may go down
        ((0, 0, 0, 300), 1, 9999, (450, 450)),  # it was asked for on the last day
    ],
)
def test_the_forecast_by_hand(
    totals: tuple[int, ...], days: int, people: int, expected: tuple[int, int]
) -> None:
    last = DAY + timedelta(days=len(totals) - 1)
    found = forecast(told(*totals), last + timedelta(days=days), so_far=totals[-1], people=people)
    assert found is not None
    assert (found.low, found.high) == expected


def test_nothing_is_foreseen_from_one_day_or_for_today() -> None:
    assert forecast(told(100), DAY + timedelta(days=9), so_far=0, people=999) is None
    assert forecast(told(0, 100), DAY + timedelta(days=1), so_far=0, people=999) is None


def test_what_is_there_is_not_foreseen_to_go() -> None:
    found = forecast(told(0, 0), DAY + timedelta(days=2), so_far=18, people=999)
    assert found is not None
    assert (found.low, found.high) == (10, 20)


def test_one_total_a_day_is_noted_in_tens(tmp_path: Path) -> None:
    note_total(tmp_path, 17, DAY)
    note_total(tmp_path, 99, DAY)
    assert note_total(tmp_path, 123, DAY + timedelta(days=1)) == told(10, 120)
    assert (tmp_path / "totals.csv").read_text() == "day,total\n2030-05-01,10\n2030-05-02,120\n"
    (tmp_path / "totals.csv").write_text("day,total\nx\n")
    assert note_total(tmp_path, 30, DAY) == told(30)


def test_the_day_is_the_signed_one_or_a_week_ahead() -> None:
    assert closing_day("2030-12-01T08:00:00Z", DAY) == date(2030, 12, 1)
    assert closing_day(None, DAY) == date(2030, 5, 8)
