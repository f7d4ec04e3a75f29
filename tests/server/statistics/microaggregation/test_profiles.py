"""Profiles tell all that their coordinates say, of tuples with any number of categories."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from server.statistics.microaggregation.profiles import Profiles
from tests.server.statistics.microaggregation.matrices import with_categories


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 400),
    categories=st.lists(st.integers(1, 80), max_size=3),
    fold=st.integers(1, 9),
)
def test_they_are_the_tuples(seed: int, n: int, categories: list[int], fold: int) -> None:
    points = with_categories(np.random.default_rng(seed), n, categories).astype(float) // fold
    tuples = Profiles.of(points)
    again = np.empty_like(points)
    again[:, tuples.other] = tuples.rest
    again[:, tuples.binary] = np.where(tuples.is_high[tuples.profile], tuples.high, tuples.low)
    assert (again == points).all()
    assert len(np.unique(tuples.is_high, axis=0)) == len(tuples.is_high)
    assert (np.sort(tuples.order) == np.arange(n)).all()
    for number, (a, b) in enumerate(zip(tuples.start[:-1], tuples.start[1:], strict=True)):
        assert a < b
        assert (tuples.profile[tuples.order[a:b]] == number).all()
        assert (np.diff(tuples.order[a:b]) > 0).all()
    assert len(tuples.is_high) <= max(1, n // 8)


def test_all_of_few_categories_and_some_of_very_many() -> None:
    generator = np.random.default_rng(1)
    few = Profiles.of(with_categories(generator, 2000, [26, 2]).astype(float))
    assert few.binary.tolist() == [*range(2, 30)]
    every = np.concatenate([np.eye(600, dtype=np.int64)] * 2)
    many = Profiles.of(every.astype(float))
    assert many.binary.tolist() == [*range(len(many.is_high) - 1)]
    assert len(many.is_high) == 1200 // 8
