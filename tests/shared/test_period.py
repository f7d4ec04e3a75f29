"""The signed period, and moments as texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.days import is_moment
from shared.errors import SpecificationError
from shared.period import Period
from shared.specification import Specification
from tests.builders import small_specification

OPENS, CLOSES = "2030-12-01T08:00:00Z", "2030-12-15T23:00:00Z"
MOMENTS = st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9999, 1, 1))


def written(moment: datetime) -> str:
    return moment.replace(microsecond=0).isoformat() + "Z"


@given(MOMENTS, st.integers(1, 10**6))
def test_moments_are_those_of_the_calendar_and_in_its_order(moment: datetime, seconds: int) -> None:
    later = written(moment + timedelta(seconds=seconds)) if moment.year < 9900 else written(moment)
    assert is_moment(written(moment))
    assert written(moment) <= later


@pytest.mark.parametrize(
    "text",
    ["", "2030-12-01", "2030-12-01T08:00Z", "2030-12-01T24:00:00Z", "2030-02-29T08:00:00Z",
     "2030-12-01T08:00:00", "2030-12-01T08:60:00Z", "2030-12-01 08:00:00Z",
     "2030-12-01T08:00:00+01:00", "٢٠٣٠-12-01T08:00:00Z"],
)  # fmt: skip
def test_what_is_no_moment_is_refused(text: str) -> None:
    assert not is_moment(text)
    with pytest.raises(SpecificationError) as caught:
        Period(opens=text)
    assert caught.value.where == "period.opens"


@pytest.mark.parametrize("given", [{}, {"opens": CLOSES, "closes": OPENS}, {"opens": OPENS, "closes": OPENS}])
def test_a_period_without_length_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(SpecificationError, match=r"neither beginning nor end|closes before"):
        Period(**given)


def test_it_holds_from_its_first_moment_until_before_its_last() -> None:
    period = Period(opens=OPENS, closes=CLOSES)
    assert period.is_before("2030-12-01T07:59:59Z")
    assert not period.is_before(OPENS)
    assert not period.is_over("2030-12-15T22:59:59Z")
    assert period.is_over(CLOSES)
    assert not Period(opens=OPENS).is_over("9999-01-01T00:00:00Z")
    assert not Period(closes=CLOSES).is_before("1000-01-01T00:00:00Z")


@pytest.mark.parametrize("period", [None, Period(opens=OPENS), Period(closes=CLOSES)])
def test_a_specification_names_it_only_where_it_is_declared(period: Period | None) -> None:
    specification = small_specification(period=period)
    assert ("period" in specification.to_object()) == (period is not None)
    assert Specification.parse(specification.to_bytes()) == specification


@pytest.mark.parametrize("value", [None, {}, {"opens": 1, "closes": None}, {"opens": None, "closes": None}])
def test_a_damaged_period_is_refused_by_name(value: object) -> None:
    with pytest.raises(SpecificationError) as caught:
        Period.parse(value)
    assert caught.value.where.startswith("period")


def test_the_clock_of_a_server_writes_moments() -> None:
    assert is_moment(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
