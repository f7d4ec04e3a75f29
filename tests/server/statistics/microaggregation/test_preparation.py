"""Standardizing, encoding, group means and sums of squares."""

from __future__ import annotations

import numpy as np
import pytest

from server.statistics.microaggregation.preparation import (
    data_matrix,
    encode,
    group_means,
    mean_and_deviation,
    sse,
    sst,
    standardize,
)


def test_standardize_is_undone_by_its_own_numbers() -> None:
    X = np.random.default_rng(1).normal(7, 3, (50, 3))
    X[:, 1] = 0.1
    Z, means, deviations = standardize(X)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose((Z**2).mean(axis=0), [1, 0, 1])
    np.testing.assert_allclose(Z * deviations + means, X)
    assert (Z[:, 1] == 0).all()
    assert deviations[1] == 1


def test_every_attribute_has_the_same_say() -> None:
    rng = np.random.default_rng(2)
    table = {
        "age": rng.integers(18, 90, 100),
        "member": rng.integers(0, 2, 100).astype(bool),
        "town": rng.choice(["a", "b", "c"], 100),
        "country": ["x"] * 100,
    }
    X = encode(table)
    widths = np.split(X, [1, 2, 5], axis=1)
    assert X.shape == (100, 6)
    np.testing.assert_allclose([(block**2).sum() for block in widths], [100, 100, 100, 0], atol=1e-12)


def test_categories_are_equally_far_apart() -> None:
    X = encode({"town": ["a", "b", "c", "a", "a"]})
    shares = np.array([0.6, 0.2, 0.2])
    apart = 2 / (shares * (1 - shares)).sum()
    np.testing.assert_allclose(((X[0] - X[1]) ** 2).sum(), apart)
    np.testing.assert_allclose(((X[1] - X[2]) ** 2).sum(), apart)
    assert ((X[0] - X[3]) ** 2).sum() == 0


def test_two_categories_are_as_far_apart_as_their_numbers() -> None:
    words, numbers = encode({"x": ["n", "y", "n"]}), encode({"x": [0, 1, 0]})
    np.testing.assert_allclose(((words[0] - words[1]) ** 2).sum(), ((numbers[0] - numbers[1]) ** 2).sum())


@pytest.mark.parametrize("values", [["a", None], [1.0, np.nan], np.array(["a", np.nan], dtype=object)])
def test_missing_values_are_refused_by_name(values: object) -> None:
    with pytest.raises(ValueError, match="'income' has a missing"):
        encode({"income": values})


def test_tables_without_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="no column"):
        encode({})
    with pytest.raises(ValueError, match="'b' has 1 values"):
        encode({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError, match="'a' must be a list"):
        encode({"a": [[1, 2]]})
    with pytest.raises(ValueError, match="not <U1"):
        data_matrix(np.array([["a"]]))


def test_means_and_squares_of_counts_are_those_of_repeated_records() -> None:
    rng = np.random.default_rng(3)
    X, labels, counts = (
        rng.normal(1e8, 1, (30, 2)),
        rng.permutation(np.arange(30) % 4),
        rng.integers(1, 5, 30),
    )
    again, labels_again = np.repeat(X, counts, axis=0), np.repeat(labels, counts)
    np.testing.assert_allclose(group_means(X, labels, counts), group_means(again, labels_again), rtol=1e-14)
    direct = sum(
        ((rows - rows.mean(axis=0)) ** 2).sum() for g in range(4) for rows in [again[labels_again == g]]
    )
    np.testing.assert_allclose(sse(X, labels, counts), direct, rtol=1e-6)
    np.testing.assert_allclose(sse(again, labels_again), direct, rtol=1e-6)
    np.testing.assert_allclose(sst(X, counts), again.var(axis=0).sum() * len(again), rtol=1e-6)


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**600, 2.0**-600, 2.0**-1000])
def test_huge_and_tiny_columns_are_standardized_like_others(factor: float) -> None:
    """Their squares overflow or vanish; the column must neither warn nor lose its say."""
    X = np.random.default_rng(3).standard_normal((40, 2))
    Z, means, deviations = standardize(X)
    scaled, there, wide = standardize(X * [1, factor])
    np.testing.assert_array_equal(scaled, Z)
    np.testing.assert_array_equal(there, means * [1, factor])
    np.testing.assert_array_equal(wide, deviations * [1, factor])
    np.testing.assert_array_equal(encode({"x": X[:, 0] * factor}), encode({"x": X[:, 0]}))


@pytest.mark.parametrize("factor", [1.0, 2.0**1000, 2.0**-1000])
def test_mean_and_deviation_are_those_of_repeated_records_in_any_unit(factor: float) -> None:
    values, counts = np.random.default_rng(4).normal(3, 2, 30), np.arange(1, 31)
    repeated = np.repeat(values, counts)
    expected = repeated.mean() * factor, repeated.std() * factor
    np.testing.assert_allclose(mean_and_deviation(values * factor, counts), expected, rtol=1e-12)
    assert mean_and_deviation(np.full(3, 0.1) * factor) == (0.1 * factor, 0.0)
