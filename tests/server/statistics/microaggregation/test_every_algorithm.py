"""What every algorithm promises: groups of at least k on any data, and no loss below the optimum's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from server.statistics.anonymize.methods import METHODS
from server.statistics.microaggregation.dependence import preserving_dependence
from server.statistics.microaggregation.exhaustive import exhaustive
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.m_d import m_d
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.mondrian import mondrian
from server.statistics.microaggregation.mu_approx import mu_approx
from server.statistics.microaggregation.pcl import on_grid, pcl
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.preparation import sse, sst
from server.statistics.microaggregation.refinement import refine
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.univariate import univariate
from server.statistics.microaggregation.v_mdav import v_mdav
from tests.reference.optimal_partition import least_loss
from tests.server.statistics.microaggregation.edge_list import adversarial, assert_partition
from tests.server.statistics.microaggregation.matrices import matrices

Labels = np.ndarray
Run = Callable[[np.ndarray, int, np.ndarray], Labels]
"""Labels of records X in groups of k people, `counts` of whom stand behind each record."""


def designed(cells: Callable[..., object]) -> Run:
    """A partition of distinct tuples on the integer grid, mapped back to the records."""

    def run(X: np.ndarray, k: int, counts: np.ndarray) -> Labels:
        # Of the 2^22 steps of the grid a few hundred are left, so that tuples meet.
        grid, people, inverse = canonical(on_grid(X) >> 14, counts[:, None])
        weights = (1,) * X.shape[1]
        labels: Labels = cells(grid, people, weights, SizeRule(minimum=(k,))).labels[inverse]  # type: ignore[attr-defined]
        return labels

    return run


def with_counts(algorithm: Callable[..., Labels], **options: object) -> Run:
    return lambda X, k, counts: algorithm(X, SizeRule.of_k(k), counts=counts, **options)


def refined(X: np.ndarray, k: int, counts: np.ndarray) -> Labels:
    start = mu_approx(X, SizeRule.of_k(k), counts=counts)
    return refine(X, start, SizeRule.of_k(k), counts=counts)


def dependent(X: np.ndarray, k: int, counts: np.ndarray) -> Labels:
    return preserving_dependence(mdav_records, X, X[:, ::-1], SizeRule.of_k(k), weight=0.5, counts=counts)


ALGORITHMS: dict[str, Run] = {
    **{method.name: with_counts(method.load()) for method in METHODS if not method.one_number},
    "v-mdav of clusters": with_counts(v_mdav, gamma=1.1),
    "relaxed mondrian": with_counts(mondrian, strict=False),
    "univariate": lambda X, k, counts: univariate(X[:, :1], SizeRule.of_k(k), counts=counts),
    "refine": refined,
    "preserving_dependence": dependent,
    "mdav of designs": designed(mdav),
    "power_diagram of designs": designed(power_diagram),
}
TESTED_BESIDE = ("m-d", "mu-approx", "pcl", "mondrian", "relaxed mondrian", "power_diagram of designs")
"""Their own test files run 1,000 examples; those of `pcl` run the power diagram."""


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in TESTED_BESIDE])
@settings(max_examples=1000, deadline=None)
@given(X=st.one_of(adversarial(), matrices(most=40, columns=5)), share=st.floats(0, 1), data=st.data())
def test_every_group_holds_k_people(name: str, X: np.ndarray, share: float, data: st.DataObject) -> None:
    n = len(X)
    counts = np.ones(n, dtype=np.int64)
    if data.draw(st.booleans(), label="several people behind a record"):
        counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    k = 1 + int(share**2 * (int(counts.sum()) - 1))  # small k more often
    before = X.copy(), counts.copy()
    labels = ALGORITHMS[name](X, k, counts)
    assert_partition(labels, n, k, counts)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(counts, before[1])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 9), k=st.integers(2, 4), ties=st.booleans())
@example(seed=1, n=12, k=3, ties=False)
@example(seed=2, n=12, k=4, ties=True)
def test_no_algorithm_is_better_than_the_optimum(seed: int, n: int, k: int, ties: bool) -> None:
    X = np.random.default_rng(seed).standard_normal((n, 2))
    X = X.round(0) if ties else X
    ones = np.ones(n, dtype=np.int64)
    least, whole = least_loss(X, k), sst(X)
    for name, run in ALGORITHMS.items():
        loss = sse(X, run(X, k, ones))
        if name == "univariate":  # optimal in its own column
            assert sse(X[:, :1], run(X, k, ones)) == pytest.approx(least_loss(X[:, :1], k), abs=1e-9)
        assert least - 1e-9 <= loss <= whole + 1e-9, name


@pytest.mark.parametrize("algorithm", [exhaustive, m_d, mdav_records, mondrian, pcl, univariate, v_mdav])
def test_values_whose_squares_overflow_are_refused_or_divided(algorithm: Callable[..., Labels]) -> None:
    X = 1e300 * np.random.default_rng(5).standard_normal((12, 1))
    if algorithm in (mondrian, pcl):  # they scale the data
        assert_partition(algorithm(X, SizeRule.of_k(3)), 12, 3)
        return
    with pytest.raises(ValueError, match=r"X\[0, 0\] is -8.*too large, standardize"):
        algorithm(X, SizeRule.of_k(3))


def test_algorithms_find_the_optimum_of_separated_clusters() -> None:
    """Twelve records in four places: whoever misses this does not look for near records."""
    place = np.repeat(np.arange(4), 3)
    corners = 100.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    X = corners[place] + np.random.default_rng(4).standard_normal((12, 2))
    least = least_loss(X, 3)
    for name, run in ALGORITHMS.items():
        if name != "univariate":
            assert sse(X, run(X, 3, np.ones(12, dtype=np.int64))) == pytest.approx(least), name
