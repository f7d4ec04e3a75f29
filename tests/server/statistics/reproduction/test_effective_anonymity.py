"""Tables II to IV and the exact grid, beside the published values and without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.effective_anonymity import table_2, table_3, table_4
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Reproduction
from tests.server.statistics.reproduction.examples import silent

ENTRIES = [name for name in CATALOGUE if name.startswith("anonymity-")]


def reproduced(name: str, published: Path | None) -> Reproduction:
    return CATALOGUE[name].function()(Inputs(None, published), silent)


@pytest.mark.parametrize(
    ("name", "compared"),
    [
        ("anonymity-table-3", 60),
        ("anonymity-table-4", 18),
        ("anonymity-low-participation", 30),
        ("anonymity-grid", 548),
    ],
)
def test_every_published_value_is_met(reference_figures: Path, name: str, compared: int) -> None:
    found = reproduced(name, reference_figures)
    assert len(found.comparisons) == len(found.promised) == compared
    assert found.broken == ()


def test_bounds_of_printed_values_are_half_a_unit_of_their_last_digit(reference_figures: Path) -> None:
    for item in table_3(Inputs(None, reference_figures), silent).comparisons:
        exponent = int(f"{item.published:.2e}".partition("e")[2])
        expected = 0 if item.measure == "n_min" else 0.005 * 10.0**exponent
        assert item.tolerance == pytest.approx(expected)


@pytest.mark.parametrize("name", ENTRIES)
def test_without_published_values_ours_stand_alone(name: str) -> None:
    found = reproduced(name, None)
    assert found.name == name
    assert found.comparisons == ()
    assert found.tables or found.figures
    assert found.explanation


def test_the_grids_are_the_same_without_published_values(reference_figures: Path) -> None:
    alone = table_3(Inputs(None, None), silent).tables[0].rows
    beside = table_3(Inputs(None, reference_figures), silent).tables[0].rows
    assert set(alone) == set(beside)
    alone = table_4(Inputs(None, None), silent).tables[0].rows
    assert set(alone) == set(table_4(Inputs(None, reference_figures), silent).tables[0].rows)


def test_the_last_cell_takes_who_is_left_over() -> None:
    rows = table_4(Inputs(None, None), silent).tables[0].rows
    for k, people, _, _, n, cells, exact, closed in rows:
        assert cells == people // n  # type: ignore[operator]
        assert exact <= closed  # type: ignore[operator]
        assert (exact == pytest.approx(closed)) == (people % n == 0 or closed / exact < 1 + 1e-6)  # type: ignore[operator]
        assert k in (10, 50)


def test_table_2_grows_with_k_and_falls_with_participation() -> None:
    found = table_2(Inputs(None, None), silent)
    assert [table.name for table in found.tables] == ["n-min-1e2", "n-min-1e4", "n-min-1e6", "n-min-1e8"]
    for table in found.tables:
        numbers = [[int(value or 0) for value in row] for row in table.rows]
        assert all(row[1:] == sorted(row[1:], reverse=True) for row in numbers)
        assert all(list(column) == sorted(column) for column in zip(*numbers, strict=True))
    assert found.tables[2].rows[2] == (10, 119, 53, 29, 20)
