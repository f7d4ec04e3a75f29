"""P3M by value and by record: the published table, the optimum by brute force, the constraints."""

from __future__ import annotations

import csv
import dataclasses
import json
from functools import partial
from pathlib import Path
from types import ModuleType

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.microaggregation import p3m_record as record_module
from server.statistics.microaggregation.constrained_quartics import minimize_quartics
from server.statistics.microaggregation.cubic import local_minima, real_roots
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.p3m import p3m
from server.statistics.microaggregation.p3m_record import p3m_record
from server.statistics.microaggregation.preparation import standardize
from server.statistics.microaggregation.size_rule import SizeRule
from tests.waiting import quickest


def data(folder: Path, name: str) -> np.ndarray:
    """A reference file, standardized; of EIA the eleven attributes of the literature."""
    with (folder / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    if name == "eia":
        columns = ["utilityid", *columns[5:]]
    return standardize(np.array([[float(row[column]) for column in columns] for row in rows]))[0]


def loss(x, labels, values, t, w, delta) -> float:
    squared = (x - values[labels]) ** 2
    return float((t * squared + (1 - t) * w * (squared - delta**2) ** 2).sum())


@pytest.mark.parametrize("name", ["tarragona", "census", "eia"])
def test_table_2_is_reproduced(
    name: str, reference_data: Path, reference_figures: Path, mdav_oracle: ModuleType
) -> None:
    printed = json.loads((reference_figures / "microaggregation.json").read_text())["p3m"]
    column = printed["table_2_w_0.001_delta_0.1_alpha_0.5"][name]["p3m"]
    X = data(reference_data, name)
    for k, expected in column.items():
        labels = mdav_oracle.mdav(X, int(k))
        result = p3m(X, labels, minimum_distance=0.1, importance=0.001)
        assert quickest(partial(p3m, X, labels, minimum_distance=0.1, importance=0.001)) < 0.3
        assert result.unmet == ()
        published = result.values[labels]
        satisfaction = 100 * (np.abs(X - published) >= 0.1).mean()
        assert satisfaction == pytest.approx(expected, abs=0.15)
        # In sample deviations, as in the paper, nearly to the last digit.
        sample = X * np.sqrt(1 - 1 / len(X))
        published = p3m(sample, labels, minimum_distance=0.1).values[labels]
        assert 100 * (np.abs(sample - published) >= 0.1).mean() == pytest.approx(expected, abs=0.035)
        published = result.values[labels]
        assert published.mean(0) == pytest.approx(X.mean(0), abs=1e-8)
        assert published.std(0) == pytest.approx(X.std(0), abs=1e-8)
        # The bound proves that no solver could do better.
        assert all(s.objective <= s.bound + 1e-5 * abs(s.bound) for s in result.solutions)


@pytest.mark.parametrize("seed", range(40))
def test_three_groups_reach_the_optimum_found_by_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], random.integers(2, 6, 3))
    n = len(labels)
    x = random.standard_normal(n) * random.choice([0.3, 1, 3])
    w, delta = 0.9 * random.random(n), random.random(n) * 2
    t = float(random.choice([0.0, 0.5, 0.9]))
    found = p3m(x[:, None], labels, minimum_distance=delta[:, None], importance=w[:, None], trade_off=t)
    # With three groups the two constraints leave a circle.
    size = np.bincount(labels).astype(float)
    basis = np.linalg.svd(np.sqrt(size)[None, :])[2][1:]
    angle = np.linspace(0, 2 * np.pi, 40_001)
    radius = np.sqrt(n) * x.std()
    circle = radius * (np.cos(angle)[:, None] * basis[0] + np.sin(angle)[:, None] * basis[1]) / np.sqrt(size)
    values = circle + x.mean()
    squared = (x - values[:, labels]) ** 2
    weight = 1 / (1 - w) ** 2
    best = (t * squared + (1 - t) * weight * (squared - delta**2) ** 2).sum(axis=1).min()
    assert found.unmet == ()
    reached = loss(x, labels, found.values[:, 0], t, weight, delta)
    assert reached == pytest.approx(found.solutions[0].objective)
    assert reached <= best * (1 + 1e-5) + 1e-9
    assert found.solutions[0].bound <= best + 1e-9


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_constraints_hold_or_are_reported(draw: st.DataObject) -> None:
    m = draw.draw(st.integers(1, 6))
    sizes = draw.draw(st.lists(st.integers(1, 5), min_size=m, max_size=m))
    labels = np.repeat(np.arange(m), sizes)
    value = st.floats(-20, 20).map(lambda number: round(number, 2))
    x = np.array(draw.draw(st.lists(value, min_size=len(labels), max_size=len(labels))))
    result = p3m(x[:, None], labels, minimum_distance=draw.draw(st.floats(0, 3)))
    published = result.values[labels, 0]
    assert np.isfinite(published).all()
    if result.unmet == ():
        assert published.mean() == pytest.approx(x.mean(), abs=1e-7 * (1 + x.std()))
        assert published.var() == pytest.approx(x.var(), rel=1e-7, abs=1e-12)
    if m == 1 and x.std() > 1e-6:
        assert result.unmet == (0,)


def test_many_tied_groups_are_divided_between_their_two_values() -> None:
    """Tight groups have two equally good values each, by the hundred: the dual ends on a kink."""
    random = np.random.default_rng(8)
    centres = np.repeat(random.standard_exponential(300) ** 3, 3)
    X = standardize((centres + 0.003 * random.standard_normal(900))[:, None])[0]
    labels = np.repeat(np.arange(300), 3)
    for distance in (0.1, 0.3, 0.8):
        for trade_off in (0.05, 0.25):
            result = p3m(X, labels, minimum_distance=distance, trade_off=trade_off)
            assert result.unmet == ()
            (solution,) = result.solutions
            assert result.values[labels].mean() == pytest.approx(0, abs=1e-7)
            assert result.values[labels].std() == pytest.approx(1, abs=1e-7)
            assert solution.objective <= solution.bound * 1.001


@pytest.mark.parametrize(("distance", "trade_off"), [(0.1, 0.0), (0.3, 0.0), (0.8, 0.25)])
def test_constraints_of_a_real_file_are_met_at_any_distance(
    distance: float, trade_off: float, reference_data: Path
) -> None:
    X = data(reference_data, "eia")
    labels = mdav_records(X, SizeRule.of_k(3))
    result = p3m(X, labels, minimum_distance=distance, trade_off=trade_off)
    assert result.unmet == ()
    assert all(s.objective <= s.bound * 1.002 + 1e-3 for s in result.solutions)


def test_one_group_of_a_varying_column_is_reported() -> None:
    result = p3m(np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]]), np.zeros(3, dtype=int))
    assert result.unmet == (0,)
    assert result.solutions[0].variance_error == pytest.approx(-1, abs=0.2)
    assert result.values[0, 1] == 5


def test_a_larger_importance_keeps_its_values_further_away() -> None:
    random = np.random.default_rng(1)
    X = standardize(random.standard_normal((60, 1)))[0]
    labels = np.argsort(np.argsort(X[:, 0])) // 5
    importance = np.zeros((60, 1))
    importance[labels == 3] = 0.97
    even = p3m(X, labels, minimum_distance=0.4)
    uneven = p3m(X, labels, minimum_distance=0.4, importance=importance)

    def breach(values):
        return ((np.abs(X - values[labels]) ** 2 - 0.16) ** 2)[labels == 3].sum()

    assert breach(uneven.values) < breach(even.values)


def test_importances_are_absolute(reference_data: Path) -> None:
    """The same for all, 0.2 and 0.9 used to give one file; by equation 14 they do not."""
    X = data(reference_data, "tarragona")
    labels = mdav_records(X, SizeRule.of_k(5))
    kept = []
    for w in (0.0, 0.2, 0.9):
        values = p3m(X, labels, importance=w).values
        # A common importance is a trade-off: t / (1 - t) against 1 / (1 - w)^2.
        assert p3m(X, labels, importance=0.0, trade_off=1 / (1 + (1 - w) ** -2)).values == pytest.approx(
            values, abs=1e-6
        )
        kept.append((np.abs(X - values[labels]) >= 0.1).mean())
    assert kept[0] < kept[1] < kept[2] - 0.05


def test_an_importance_of_1_is_a_constraint_and_what_cannot_keep_it_is_counted() -> None:
    generator = np.random.default_rng(6)
    X, labels = generator.standard_normal((60, 1)), np.arange(60) // 5
    one = np.zeros((60, 1))
    one[::10] = 1  # one of every other group; the rest keep mean and variance
    held = p3m(X, labels, minimum_distance=0.3, importance=one)
    assert held.unmet == ()
    assert held.missed == 0
    distance = np.abs(X - held.values[labels])[::10, 0]
    assert distance == pytest.approx(np.full(6, 0.3), abs=1e-3)
    every = p3m(X, labels, minimum_distance=0.3, importance=1.0)
    assert every.missed > 30  # no value is 0.3 away from five others
    assert p3m_record(X, labels, minimum_distance=0.3, importance=one[:, 0]).missed == 0
    assert p3m(X, labels, minimum_distance=0.3, importance=0.0).missed == 0


def test_counts_are_repeated_records() -> None:
    random = np.random.default_rng(3)
    X, counts, labels = random.standard_normal((12, 2)), random.integers(1, 5, 12), np.arange(12) // 3
    together = p3m(X, labels, counts=counts)
    repeated = p3m(np.repeat(X, counts, axis=0), np.repeat(labels, counts))
    assert together.values == pytest.approx(repeated.values, abs=1e-7)


def test_order_of_records_does_not_matter_and_input_is_unchanged() -> None:
    random = np.random.default_rng(4)
    X, labels = random.standard_normal((40, 3)), random.permutation(np.arange(40) // 5)
    before = X.copy()
    order = random.permutation(40)
    assert p3m(X[order], labels[order]).values == pytest.approx(p3m(X, labels).values, abs=1e-7)
    assert p3m_record(X[order], labels[order]).values == pytest.approx(p3m_record(X, labels).values, abs=1e-5)
    assert (before == X).all()


@pytest.mark.parametrize("method", [p3m, p3m_record])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.array([[np.nan], [1.0], [2.0], [3.0]])}, "NaN"),
        ({"X": np.zeros((0, 1))}, "non-empty"),
        ({"labels": np.array([0, 0, 1])}, "4 records and 3 labels"),
        ({"labels": np.array([0, 0, 2, 2])}, "empty group"),
        ({"minimum_distance": -1.0}, "not negative"),
        ({"minimum_distance": np.ones(7)}, "does not fit"),
        ({"importance": -0.1}, "from 0 to 1"),
        ({"importance": 1.1}, "from 0 to 1"),
        ({"importance": np.nan}, "importance holds missing"),
        ({"X": np.array([[1e50], [1.0], [2.0], [3.0]])}, "standardize first"),
        ({"X": np.array([[0.0], [1e-13], [0.0], [0.0]])}, "standardize first"),
        ({"minimum_distance": 1e50}, "minimum distance is too large"),
        ({"trade_off": 1.0}, "trade_off"),
        ({"counts": np.array([1, 1, 0, 1])}, "counts"),
    ],
)
def test_nonsense_is_refused_by_name(method, change, words) -> None:
    arguments = {"X": np.arange(4.0)[:, None], "labels": np.array([0, 0, 1, 1])} | change
    with pytest.raises(ValueError, match=words):
        method(arguments.pop("X"), arguments.pop("labels"), **arguments)


def test_ties_and_constant_columns_are_no_obstacle() -> None:
    X = np.column_stack([np.repeat([0.0, 1.0], 6), np.full(12, 3.0)])
    result = p3m(X, np.repeat([0, 1], 6), minimum_distance=0.5)
    assert result.unmet == ()
    assert sorted(result.values[:, 0]) == pytest.approx([0, 1])
    assert (result.values[:, 1] == 3).all()


@pytest.mark.parametrize("method", [p3m, p3m_record])
def test_a_constant_column_that_is_no_binary_fraction_keeps_its_value(method) -> None:
    """The mean of twelve 3.3 is not 3.3 in floating point."""
    generator = np.random.default_rng(1)
    X = np.column_stack([np.full(12, 3.3), generator.standard_normal(12)])
    result = method(X, np.arange(12) % 4, minimum_distance=0.5, counts=generator.integers(1, 99, 12))
    assert result.unmet == ()
    assert (result.values[:, 0] == 3.3).all()


@pytest.mark.parametrize("method", [p3m, p3m_record])
@pytest.mark.parametrize(
    ("place", "unit"), [(0, 1e-9), (0, 1e12), (0, 1e40), (1e6, 1), (1e8, 1), (1e12, 1), (-1e8, 1e3)]
)
def test_place_and_unit_of_a_column_do_not_matter(method, place: float, unit: float) -> None:
    """Values far from 0, and of any size, are those near 0 moved and stretched; constraints are met."""
    X, labels = np.random.default_rng(5).standard_normal((40, 2)), np.arange(40) % 10
    near = method(X, labels, minimum_distance=0.7, trade_off=0)
    far = method(place + unit * X, labels, minimum_distance=0.7 * unit, trade_off=0)
    assert far.unmet == near.unmet == ()
    digits = max(1e-6, 1e-15 * abs(place) / unit)
    assert (far.values - place) / unit == pytest.approx(near.values, abs=10 * digits)


def test_an_outlier_in_raw_units_is_no_obstacle() -> None:
    X = np.append(np.random.default_rng(2).standard_normal(29), 1e9)[:, None]
    for distance in (0.1, 1e3):
        assert p3m(X, np.arange(30) % 10, minimum_distance=distance).unmet == ()


def test_p3m_by_record_of_one_attribute_is_p3m() -> None:
    random = np.random.default_rng(5)
    X, labels = random.standard_normal((30, 1)), np.arange(30) // 3
    assert p3m_record(X, labels).values == pytest.approx(p3m(X, labels).values, abs=1e-6)


def test_p3m_by_record_keeps_records_away_and_constraints() -> None:
    random = np.random.default_rng(6)
    X = standardize(random.standard_normal((90, 3)))[0]
    labels = np.argsort(np.argsort(X[:, 0])) // 3
    calls: list[tuple[int, int]] = []
    result = p3m_record(
        X, labels, minimum_distance=1.0, trade_off=0.1, progress=lambda *step: calls.append(step)
    )
    assert result.unmet == ()
    published = result.values[labels]
    assert published.mean(0) == pytest.approx(X.mean(0), abs=1e-8)
    assert published.std(0) == pytest.approx(X.std(0), abs=1e-8)
    means = np.array([X[labels == g].mean(0) for g in range(30)])
    centroids = standardize(means[labels])[0]

    def objective(y):
        squared = ((X - y) ** 2).sum(1)
        return (0.1 * squared + 0.9 * (squared - 1) ** 2).sum()

    assert objective(published) < objective(centroids)
    assert calls[-1][0] == calls[-1][1]


def test_p3m_by_record_never_gives_up_a_constraint_that_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later sweep finds without keeping mean and variance is not taken, however good it is."""
    random = np.random.default_rng(9)
    X = standardize(random.standard_normal((30, 2)))[0]
    labels = np.arange(30) // 3
    solve, calls = record_module.minimize_quartics, []

    def forgetful(*arguments):
        solution = solve(*arguments)
        calls.append(solution)
        if len(calls) <= 2:
            return solution
        return dataclasses.replace(solution, variance_error=0.1, objective=-1e9, values=solution.values * 0)

    monkeypatch.setattr(record_module, "minimize_quartics", forgetful)
    result = p3m_record(X, labels, minimum_distance=1.0)
    assert len(calls) > 2
    assert result.unmet == ()
    assert result.values[labels].std(0) == pytest.approx(1, abs=1e-7)


def test_roots_are_those_of_slow_exact_arithmetic() -> None:
    random = np.random.default_rng(7)
    coefficients = random.standard_normal((4, 300)) * 10.0 ** random.integers(-3, 4, (4, 300))
    ours = real_roots(*coefficients)
    with mpmath.workdps(40):
        for column, roots in zip(coefficients.T, ours.T, strict=True):
            reference = mpmath.polyroots(
                [mpmath.mpf(float(value)) for value in column[::-1]], maxsteps=500, extraprec=200, asc=True
            )
            real = sorted(float(root.real) for root in reference if abs(root.imag) < abs(root) * 1e-20)
            assert np.sort(roots[~np.isnan(roots)]) == pytest.approx(real, rel=1e-9, abs=0)


@pytest.mark.parametrize("cubic", [(1, 0, 0, 0), (1, 0, 1, 0), (2, 0, -2, 0), (1, -3, 3, -1)])
def test_roots_at_zero_and_multiple_roots(cubic: tuple[int, ...]) -> None:
    roots = real_roots(*(np.array([float(value)]) for value in cubic))[:, 0]
    found = roots[~np.isnan(roots)]
    assert np.polyval(cubic, found) == pytest.approx(0, abs=1e-9)
    assert len(set(np.round(found, 6))) == len(
        {complex(r) for r in np.round(np.roots(cubic), 4) if r.imag == 0}
    )


def test_equal_minima_go_to_the_smaller_place() -> None:
    places, heights = local_minima(np.array([[1.0], [0.0], [-2.0], [0.0], [0.0]]))
    assert places[:, 0] == pytest.approx([-1, 1])
    assert heights[:, 0] == pytest.approx([-1, -1])


def test_a_constraint_between_two_equal_minima_is_met() -> None:
    """Two groups alike, wells at -1 and 1: the dual sends both the same way, a mean of 0 needs one each."""
    x = np.array([-0.5, 0.5, -0.5, 0.5])
    labels = np.array([0, 0, 1, 1])
    solution = minimize_quartics(x, labels, np.ones(4), 0.0, np.ones(4), np.ones(4))
    assert solution.met
    assert sorted(solution.values) == pytest.approx([-0.5, 0.5])
