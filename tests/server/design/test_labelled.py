"""Prototypes of any partition: exact distances, every cell acceptable, kept as it is where possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from server.design import labelled
from server.design.labelled import exact_matrix, tabulate
from server.statistics.microaggregation.geometry import canonical, sums_by_label
from server.statistics.microaggregation.size_rule import SizeRule


@settings(max_examples=200)
@given(data=st.data())
def test_distances_are_whole_numbers_near_the_weighted_ones(data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 4))
    X = data.draw(arrays(np.int64, (5, d), elements=st.integers(-(2**12), 2**12)))
    weights = tuple(data.draw(st.lists(st.integers(0, 2**25), min_size=d, max_size=d)))
    matrix = exact_matrix(X, weights)
    assert (matrix == np.rint(matrix)).all()
    w = [int(v) for v in weights]
    rows = [[int(v) for v in row] for row in X.tolist()]
    scale = None
    for i in range(5):
        for j in range(i):
            exact = sum((int(a) - int(b)) ** 2 for a, b in zip(matrix[i], matrix[j], strict=True))
            assert exact < 2**53
            assert ((matrix[i] - matrix[j]) ** 2).sum() == exact
            weighted = sum(v * (a - b) ** 2 for v, a, b in zip(w, rows[i], rows[j], strict=True))
            if weighted == 0:
                assert exact == 0
            elif scale is None:
                scale = exact / weighted
            elif min((v for v in w if v), default=0) >= 1024:
                assert exact / weighted == pytest.approx(scale, rel=0.07)


Population = tuple[np.ndarray, np.ndarray, tuple[int, ...], np.ndarray]


@st.composite
def labelled_tuples(draw: st.DrawFn, levels: int) -> Population:
    d = draw(st.integers(1, 3))
    X = draw(arrays(np.int64, (draw(st.integers(1, 30)), d), elements=st.integers(-5, 5)))
    people = draw(arrays(np.int64, (len(X), levels), elements=st.integers(1, 3)))
    X, people, _ = canonical(X, people)
    weights = tuple(draw(st.lists(st.integers(1, 3), min_size=d, max_size=d)))
    labels = draw(arrays(np.int64, len(X), elements=st.integers(0, 5)))
    return X, people, weights, np.unique(labels, return_inverse=True)[1].reshape(-1)


@settings(max_examples=200, deadline=None)
@given(
    data=st.data(), levels=st.integers(1, 2), minimum=st.integers(1, 8), work=st.sampled_from((0, 60, 9999))
)
def test_every_cell_is_acceptable(data: st.DataObject, levels: int, minimum: int, work: int) -> None:
    X, people, weights, labels = data.draw(labelled_tuples(levels))
    if levels == 1:
        rule = SizeRule(minimum=(minimum,))
    else:
        rule = SizeRule(minimum=(minimum, 2 * minimum), predicate=lambda c: 2 * c[0] + c[1] >= 2 * minimum)
    if not rule.acceptable(people.sum(axis=0)):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled, "WORK", work)
        cells = tabulate(X, people, weights, labels, rule)
    mapped = np.array([cells.assign(x) for x in X.tolist()])
    counts = sums_by_label(people, mapped, cells.count)
    assert all(rule.acceptable(row) for row in counts)
    assert len(cells.points) <= max(labels.max() + 1, work // len(X))
    before = sums_by_label(people, labels, int(labels.max()) + 1)
    if work == 9999 and all(rule.acceptable(row) for row in before):
        assert (mapped == labels).all()


def test_a_deficient_cell_goes_to_its_neighbours_point_by_point() -> None:
    X = np.array([[0], [1], [4], [6], [9], [10]])
    people = np.ones((6, 1), dtype=np.int64)
    cells = tabulate(X, people, (1,), np.array([0, 0, 1, 1, 2, 2]), SizeRule(minimum=(3,)))
    # The first is dissolved into the second, which then has enough; the third follows.
    assert cells.count == 1
    X[3], people[[0, 5]] = 8, 5
    cells = tabulate(X, people, (1,), np.array([0, 0, 1, 1, 2, 2]), SizeRule(minimum=(3,)))
    assert [cells.assign(x) for x in X.tolist()] == [0, 0, 0, 1, 1, 1]


def test_condensed_tables_keep_the_tuples_that_would_stray(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(12)[:, None]
    people = np.ones((12, 1), dtype=np.int64)
    labels = np.array([0] * 9 + [1] * 3)
    monkeypatch.setattr(labelled, "WORK", 12 * 2)
    centres = tabulate(X, people, (1,), labels, SizeRule(minimum=(2,)))
    assert centres.points == ((4,), (10,))
    monkeypatch.setattr(labelled, "WORK", 12 * 4)
    more = tabulate(X, people, (1,), labels, SizeRule(minimum=(2,)))
    assert [more.assign((x,)) for x in range(12)] == labels.tolist()
    assert len(more.points) <= 4
