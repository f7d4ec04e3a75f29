"""Simulated households: they come or stay away as one, and cells fail as often as that makes them fail."""

from __future__ import annotations

import statistics
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.simulation.expectation import attained_failures
from server.simulation.households import failures_together, household_of
from server.simulation.population import read_people
from server.simulation.workflow import SimulationReport, simulate
from shared.errors import ModelFileError
from tests.server.simulation.people import N_PEOPLE, FakeRespondent, specification, write_file

EVEN: dict[str, Any] = {"kind": "even", "column": None, "attribute": None, "rates": []}
BY_COLUMN = EVEN | {"household_column": "home", "statement": None}
RATES = [{"upto": "2", "value": None, "rate": "0.3"}, {"upto": "59", "value": None, "rate": "0.6"}]


def with_homes(path: Path, home_of: Any) -> Path:
    """The people of the file, each with a household."""
    head, *lines = write_file(path).read_text("utf-8").splitlines()
    rows = [f"{line},{home_of(place, int(line.split(',')[0]))}" for place, line in enumerate(lines)]
    path.write_text("\n".join([f"{head},home", *rows]) + "\n", "utf-8")
    return path


def runs(people: Path, n_runs: int, **options: Any) -> list[SimulationReport]:
    return [simulate(FakeRespondent(specification(**options)), people, seed=seed) for seed in range(n_runs)]


def test_households_of_a_column_come_or_stay_away_as_one(tmp_path: Path) -> None:
    """Ten people of one age are a household: a cell of five fails if one comes, with 5/32 and not 0.0595."""
    people = with_homes(tmp_path / "people.csv", lambda _place, age: f"home {age}")
    reports = runs(people, 60, household_size=10, source=BY_COLUMN)
    for report in reports:
        assert report.failures.expected == pytest.approx(12 * 5 / 32)
        assert report.figures()["largest_household"] == 10
        assert all(count % 10 == 0 for count in report.head_counts)
        # What is promised is an upper bound of what households as large as this can do.
        assert report.failures.expected < report.promised_failed_cells
    spread = statistics.pvariance([count for report in reports for count in report.head_counts])
    assert spread == pytest.approx(125, rel=0.2)  # alone: 12.5
    observed = sum(report.failures.observed for report in reports)
    assert abs(observed - 60 * 12 * 5 / 32) < 4 * 9.7  # alone: 43 of 720 cells
    assert observed > 70


def test_a_household_is_one_across_cells_and_who_has_none_lives_alone(tmp_path: Path) -> None:
    def home(place: int, age: int) -> str:
        if age >= 10:
            return "?"
        return f"{place % 50}"  # somebody of the first cell with somebody of the second

    people = with_homes(tmp_path / "people.csv", home)
    (report,) = runs(people, 1, household_size=2, source=BY_COLUMN)
    assert report.head_counts[0] == report.head_counts[1]
    assert len(set(report.head_counts[2:])) > 1
    assert report.figures()["largest_household"] == 2
    assert report.failures.expected == pytest.approx(12 * 0.05946, rel=1e-3)


def test_a_declared_size_makes_the_worst_households_of_each_cell(tmp_path: Path) -> None:
    """12 households of four and one of two in each cell; 0 < K < 20 has the chance (2 x 794 - 1) / 2^13."""
    people = write_file(tmp_path / "people.csv")
    reports = runs(people, 40, household_size=4)
    one = reports[0]
    assert one.figures()["largest_household"] == 4
    assert one.failures.expected == pytest.approx(12 * (2 * 794 - 1) / 2**13)
    observed = sum(report.failures.observed for report in reports)
    assert abs(observed - 40 * one.failures.expected) < 4 * (40 * one.failures.expected) ** 0.5
    survey = specification(household_size=4)
    population = read_people(people, survey)
    households = household_of(population, survey)
    assert households is not None
    sizes = Counter(Counter(households.tolist()).values())
    assert sizes == {4: 12 * 12, 2: 12}
    cells = population.cell_of(survey.cells)
    assert all(len(set(cells[households == home].tolist())) == 1 for home in set(households.tolist()))


def test_people_who_decide_alone_need_no_households(tmp_path: Path) -> None:
    survey = specification()
    assert household_of(read_people(write_file(tmp_path / "people.csv"), survey), survey) is None


@pytest.mark.parametrize("correlation", [Fraction(0), Fraction(1, 20)])
def test_households_of_one_are_people_who_decide_alone(tmp_path: Path, correlation: Fraction) -> None:
    survey = specification(source={"kind": "rates", "column": None, "attribute": "age", "rates": RATES,
                                   "household_column": None, "statement": None})  # fmt: skip
    population = read_people(write_file(tmp_path / "people.csv"), survey)
    levels = tuple(level.lowest for level in population.model.levels)
    expected = attained_failures(population.eligible(survey), levels, survey.k, correlation)
    found = failures_together(population, survey, np.arange(N_PEOPLE), levels, correlation)
    assert [float(failure) for failure in found] == pytest.approx([float(failure) for failure in expected])


def test_of_a_household_of_two_levels_the_likelier_come_first(tmp_path: Path) -> None:
    """The first cell as two households, each of 15 people at 0.3 and 10 at 0.6, k = 20.

    A household sends 25 with 0.3, the 10 with 0.3, nobody with 0.4. K is 10 or 0 < K < 20 only if one sends
    10 and the other nobody: 2 x 0.3 x 0.4.
    """
    people = with_homes(tmp_path / "people.csv", lambda place, age: f"{place % 2}" if age < 5 else "?")
    source = BY_COLUMN | {"kind": "rates", "attribute": "age", "rates": RATES}
    survey = specification(household_size=10, source=source)
    population = read_people(people, survey)
    households = household_of(population, survey)
    assert households is not None
    levels = tuple(level.lowest for level in population.model.levels)
    assert levels == (Fraction(3, 10), Fraction(3, 5))
    found = failures_together(population, survey, households, levels, Fraction(0))
    assert float(found[0]) == pytest.approx(0.24)
    assert found[1] < Decimal("0.01")


def test_a_file_without_the_declared_households_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="home"):
        runs(write_file(tmp_path / "people.csv"), 1, household_size=2, source=BY_COLUMN)
