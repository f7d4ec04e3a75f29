"""Published participation: levels, ranges, and where they come from."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.decimals import format_decimal
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import HOUSEHOLD_SIZES, MAX_LEVELS
from shared.participation import (
    GRID,
    Dependence,
    ParticipationLevel,
    ParticipationSource,
    Rate,
    check_levels,
    parse_levels,
    published_household_size,
    published_level,
)


def level(low: str, high: str | None = None) -> ParticipationLevel:
    """One value or a range."""
    return ParticipationLevel(low=low, high=high or low)


def test_level_is_exact() -> None:
    assert level("0.1").lowest == Fraction(1, 10)
    assert not level("0.50", "0.5").is_range
    assert level("0.4", "0.6").is_range
    assert level("0.4", "1").highest == 1


@pytest.mark.parametrize(
    ("low", "high"), [("0.6", "0.4"), ("0", "0.5"), ("0.5", "1.1"), ("x", "0.5"), ("0.5", "")]
)
def test_impossible_levels_are_refused(low: str, high: str) -> None:
    with pytest.raises(SpecificationError, match="is impossible"):
        ParticipationLevel(low=low, high=high)


@given(st.fractions(0, 1))
def test_published_levels_are_rounded_down_to_the_grid(rate: Fraction) -> None:
    text = published_level(rate)
    if rate < Fraction(1, 20):
        assert text is None
        return
    assert text is not None
    published = Fraction(text)
    assert published <= rate < published + Fraction(1, 20)
    assert (published * 20).denominator == 1


def test_published_levels_are_texts_of_a_specification() -> None:
    assert [published_level(Fraction(t)) for t in ("0.05", "0.5", "0.549", "1")] == [
        "0.05",
        "0.5",
        "0.5",
        "1",
    ]


@pytest.mark.parametrize(
    "levels",
    [
        [{"low": "0.5", "high": "0.5"}],
        [{"low": "0.4", "high": "0.6"}],
        [{"low": "0.2", "high": "0.2"}, {"low": "0.3", "high": "0.3"}],
        [
            {"low": text, "high": text}
            for text in (format_decimal(i * GRID) for i in range(1, 1 + MAX_LEVELS))
        ],
    ],
)
def test_levels_are_read(levels: list[dict[str, str]]) -> None:
    assert [{"low": x.low, "high": x.high} for x in parse_levels(levels, "levels")] == levels


@pytest.mark.parametrize(
    ("levels", "where"),
    [
        ([], "levels"),
        ({}, "levels"),
        (None, "levels"),
        ([{"low": "0.5", "high": "0.5"}] * (MAX_LEVELS + 1), "levels"),
        ([{"low": "0.5", "high": "0.5"}] * 2, "levels"),
        ([{"low": "0.5", "high": "0.5"}, {"low": "0.50", "high": "0.50"}], "levels"),
        ([{"low": "0.6", "high": "0.6"}, {"low": "0.5", "high": "0.5"}], "levels"),
        ([{"low": "0.2", "high": "0.3"}, {"low": "0.5", "high": "0.5"}], "levels"),
        ([{"low": "0.2", "high": "0.2"}, {"low": "0.51", "high": "0.51"}], "levels"),
        ([{"low": "0.2"}], "levels[0]"),
        ([{"low": "0.2", "high": 1}], "levels[0].high"),
        ([{"low": "2", "high": "3"}], "participation"),
        (["0.5"], "levels[0]"),
    ],
)
def test_levels_that_contradict_each_other_are_refused(levels: Any, where: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_levels(levels, "levels")
    assert caught.value.where == where


def test_levels_are_checked_without_a_document_too() -> None:
    check_levels((level("0.1"), level("0.2")), "levels")
    with pytest.raises(SpecificationError, match="contradict each other"):
        check_levels((level("0.1", "0.15"), level("0.2")), "levels")


EVEN: dict[str, Any] = {
    "kind": "even",
    "column": None,
    "attribute": None,
    "rates": [],
    "household_column": None,
    "statement": None,
}
SAID = EVEN | {"household_column": "home", "statement": {"en": "Last year.", "de": "Voriges Jahr."}}
COLUMN = EVEN | {"kind": "column", "column": "p"}
RATES = EVEN | {
    "kind": "rates",
    "attribute": "age",
    "rates": [
        {"upto": "29", "value": None, "rate": "0.4"},
        {"upto": None, "value": "unknown", "rate": "0.5"},
    ],
}


@pytest.mark.parametrize("document", [EVEN, COLUMN, RATES, SAID])
def test_source_survives_a_round_trip(document: dict[str, Any]) -> None:
    assert ParticipationSource.parse(document, "source", ("en", "de")).to_object() == document


@pytest.mark.parametrize(
    ("document", "where"),
    [
        (None, "source"),
        (EVEN | {"kind": "guess"}, "source.kind"),
        (EVEN | {"column": "p"}, "source.kind"),
        (EVEN | {"household_column": " home"}, "source.household_column"),
        (EVEN | {"household_column": 2}, "source.household_column"),
        (EVEN | {"statement": "Last year."}, "source.statement"),
        (EVEN | {"statement": {"en": "Last year."}}, "source.statement"),
        (EVEN | {"statement": {"en": "Last year.", "de": ""}}, "source.statement.de"),
        (EVEN | {"attribute": "age"}, "source.kind"),
        (EVEN | {"rates": RATES["rates"]}, "source.kind"),
        (COLUMN | {"column": None}, "source.column"),
        (COLUMN | {"attribute": "age"}, "source.kind"),
        (RATES | {"attribute": None}, "source.attribute"),
        (RATES | {"column": "p"}, "source.kind"),
        (RATES | {"rates": {}}, "source.rates"),
        (RATES | {"rates": [{"upto": "29", "value": "x", "rate": "0.4"}]}, "participation.rates"),
        (RATES | {"rates": [{"upto": None, "value": None, "rate": "0.4"}]}, "participation.rates"),
        (RATES | {"rates": [{"upto": "29", "value": None, "rate": "0"}]}, "participation.rates"),
        (RATES | {"rates": [{"upto": 29, "value": None, "rate": "0.4"}]}, "source.rates[0].upto"),
        (RATES | {"rates": [{"upto": "29", "rate": "0.4"}]}, "source.rates[0]"),
    ],
)
def test_unclear_sources_are_refused(document: Any, where: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        ParticipationSource.parse(document, "source", ("en", "de"))
    assert caught.value.where == where


def test_rate_for_a_category() -> None:
    assert Rate(rate="0.35", value="rural").upto is None


@pytest.mark.parametrize("correlation", ["0", "0.000", "0.000001", "0.005", "0.2"])
@pytest.mark.parametrize("size", HOUSEHOLD_SIZES)
def test_dependence_is_read(correlation: str, size: int) -> None:
    dependence = dependence_of({"correlation": correlation, "household_size": size})
    assert dependence == Dependence(correlation=correlation, household_size=size)
    assert dependence.is_none is (size == 1 and float(correlation) == 0)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"correlation": "0.201"}, "participation.correlation"),
        ({"correlation": "0.0000001"}, "participation.correlation"),
        ({"correlation": "-0.1"}, "participation.correlation"),
        ({"correlation": "1e-3"}, "participation.correlation"),
        ({"correlation": "some"}, "participation.correlation"),
        ({"correlation": None}, "participation.correlation"),
        ({"correlation": 0}, "participation.correlation"),
        ({"household_size": 0}, "participation.household_size"),
        ({"household_size": 7}, "participation.household_size"),
        ({"household_size": 21}, "participation.household_size"),
        ({"household_size": "2"}, "participation.household_size"),
        ({"household_size": True}, "participation.household_size"),
    ],
)
def test_dependence_that_is_not_published_is_refused(changes: dict[str, Any], where: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        dependence_of({"correlation": "0", "household_size": 1} | changes)
    assert caught.value.where == where


def dependence_of(document: dict[str, Any]) -> Dependence:
    """As a specification's participation says it."""
    return Dependence.parse(Fields(document, "participation", document, error=SpecificationError))


@pytest.mark.parametrize(
    ("correlation", "lowest", "fine"),
    [("0.2", "0.25", True), ("0.2", "0.249", False), ("0.01", "0.01", False), ("0", "1e-999", True)],
)
def test_a_correlation_that_empties_cells_is_refused(correlation: str, lowest: str, fine: bool) -> None:
    """rho <= pi (1 - rho): else the beta distribution of the cell's chance is unbounded at 0."""
    dependence, levels = Dependence(correlation=correlation), (level(lowest, "0.9"),)
    if fine:
        dependence.check(levels)
        return
    with pytest.raises(SpecificationError, match="too strong for a participation of"):
        dependence.check(levels)


def test_household_sizes_are_published_rounded_up() -> None:
    assert [published_household_size(n) for n in (1, 2, 7, 9, 20, 21)] == [1, 2, 8, 10, 20, None]


def test_dependence_has_a_kind_for_its_sentence() -> None:
    kinds = [
        Dependence(correlation=correlation, household_size=size).kind
        for correlation, size in (("0", 1), ("0.01", 1), ("0.0", 2), ("0.01", 2))
    ]
    assert kinds == ["alone", "correlation", "households", "together"]
