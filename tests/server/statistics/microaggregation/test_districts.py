"""Districts: every record in one, none too small, and nothing decided by the place in the file."""

from __future__ import annotations

import numpy as np
import pytest

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.districts import districts, in_districts, mended
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule


def anybody(_rows: IntArray) -> bool:
    return True


def made_up(kind: str, n: int) -> FloatArray:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(n, 3))
    if kind == "tied":
        return np.round(X, 1)
    if kind == "lognormal":
        return np.asarray(np.exp(2 * X))
    if kind == "mostly one value":
        X[draw.random(n) < 0.7] = 0
    if kind == "equal":
        X[:] = 4
    return X


@pytest.mark.parametrize("kind", ["normal", "tied", "lognormal", "mostly one value", "equal"])
@pytest.mark.parametrize(("n", "most"), [(1, 10), (999, 1000), (1001, 1000), (20_000, 1_000), (20_000, 37)])
def test_every_record_is_in_one_district_of_a_fit_size(kind: str, n: int, most: int) -> None:
    X = made_up(kind, n)
    found = districts(X, most, anybody)
    assert np.array_equal(np.sort(np.concatenate([district.rows for district in found])), np.arange(n))
    for district in found:
        assert (np.diff(district.rows) > 0).all()
        assert (X[district.rows] >= district.low).all()
        assert (X[district.rows] <= district.high).all()
    sizes = np.array([len(district.rows) for district in found])
    assert sizes.min() >= min(n, most / 4)
    if kind in ("normal", "lognormal"):
        assert sizes.max() <= most
    if kind == "equal":
        assert len(found) == 1


@pytest.mark.parametrize("kind", ["normal", "tied", "mostly one value"])
def test_the_order_of_the_records_does_not_matter(kind: str) -> None:
    X = made_up(kind, 5_000)
    order = np.random.default_rng(2).permutation(len(X))
    found = districts(X, 400, anybody)
    again = districts(X[order], 400, anybody)
    assert len(found) == len(again) > 4
    for one, other in zip(found, again, strict=True):
        assert np.array_equal(one.rows, np.sort(order[other.rows]))


def test_equal_records_are_never_divided() -> None:
    X = np.repeat(made_up("normal", 300), 20, axis=0)
    place = np.empty(len(X), np.int64)
    for number, district in enumerate(districts(X, 500, anybody)):
        place[district.rows] = number
    assert (place.reshape(300, 20) == place.reshape(300, 20)[:, :1]).all()


def test_no_district_is_made_of_too_few_people() -> None:
    X = made_up("normal", 4_000)
    people = np.zeros(4_000, np.int64)
    people[X[:, 0] > 0] = 1
    found = districts(X, 100, lambda rows: bool(people[rows].sum() >= 90))
    assert len(found) > 1
    assert all(people[district.rows].sum() >= 90 for district in found)


@pytest.mark.parametrize("kind", ["normal", "tied", "lognormal", "mostly one value", "equal"])
@pytest.mark.parametrize("counted", [False, True])
def test_mending_takes_back_what_the_cuts_lost(kind: str, counted: bool) -> None:
    n, k = 40_000, 4
    X = made_up(kind, n)
    counts = np.random.default_rng(5).integers(1, 3, n) if counted else None
    rule = SizeRule.of_k(k)

    def group(rows: IntArray) -> IntArray:
        return mdav_records(X[rows], rule, counts=None if counts is None else counts[rows])

    whole = sse(X, group(np.arange(n)), counts)
    cut = districts(X, 10_000, anybody)
    labels = in_districts(cut, group)
    given = labels.copy()
    mends = mended(X, labels, cut, rule, most=10_000, counts=counts)
    assert np.array_equal(labels, given)
    assert np.array_equal(np.unique(mends), np.arange(mends.max() + 1))
    assert np.bincount(mends, counts).min() >= k
    assert sse(X, mends, counts) <= sse(X, labels, counts)
    assert sse(X, mends, counts) <= 1.01 * whole
    if kind == "normal":
        assert sse(X, labels, counts) > 1.01 * whole  # there was something to take back
        assert not np.array_equal(mends, labels)
    if kind == "equal":
        assert mends is labels
