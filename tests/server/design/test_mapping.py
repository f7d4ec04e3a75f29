"""assign_many equals shared's assign, tuple by tuple, for every shape and on every edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from server.design import mapping
from server.design.mapping import assign_many
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.size_rule import SizeRule
from shared.cells import Balls, Boxes, Cells, PowerDiagram, Prototypes
from shared.geometry import Ranges
from tests.shared.strategies import partitions

SMALL = st.integers(-4, 4)


def slowly(cells: Cells, X: np.ndarray) -> list[int]:
    return [cells.assign(tuple(x)) for x in X.tolist()]


@st.composite
def geometry(draw: st.DrawFn, shape: str) -> tuple[Cells, np.ndarray]:
    d = draw(st.integers(1, 3))
    m = draw(st.integers(1, 6))
    weights = tuple(draw(st.lists(st.integers(0, 3), min_size=d, max_size=d)))
    points = tuple(tuple(row) for row in draw(arrays(np.int64, (m, d), elements=SMALL)).tolist())
    X = draw(arrays(np.int64, (draw(st.integers(1, 12)), d), elements=SMALL))
    numbers = st.lists(st.integers(-12, 12), min_size=m, max_size=m).map(tuple)
    if shape == "balls":
        radii = tuple(abs(r) for r in draw(numbers))
        rule = draw(st.sampled_from(("last", "nearest")))
        return Balls(weights=weights, references=points, radii=radii, remainder=rule), X
    if shape == "power-diagram":
        resolution = draw(st.integers(1, 3))
        return PowerDiagram(weights=weights, resolution=resolution, sites=points, offsets=draw(numbers)), X
    if shape == "boxes":
        sizes = draw(arrays(np.int64, (m, d), elements=st.integers(0, 3)))
        boxes = tuple(
            tuple((a, a + int(s)) for a, s in zip(p, size, strict=True))
            for p, size in zip(points, sizes, strict=True)
        )
        return Boxes(weights=weights, boxes=boxes), X
    return Prototypes(weights=weights, points=points, cells=tuple(min(i, 2) for i in range(m))), X


@pytest.mark.parametrize("shape", ["balls", "power-diagram", "boxes", "prototypes"])
@given(data=st.data())
def test_equals_assign(shape: str, data: st.DataObject) -> None:
    cells, X = data.draw(geometry(shape))
    before = X.copy()
    assert assign_many(cells, X).tolist() == slowly(cells, X)
    assert (before == X).all()


def test_ties_go_to_the_lowest_index() -> None:
    diagram = PowerDiagram(weights=(1,), resolution=2, sites=((-2,), (2,)), offsets=(0, 0))
    assert assign_many(diagram, np.array([[0]])).tolist() == [0]


def test_containment_beats_a_distance_of_zero() -> None:
    boxes = Boxes(weights=(0,), boxes=(((5, 6),), ((0, 1),)))
    assert assign_many(boxes, np.array([[0]])).tolist() == slowly(boxes, np.array([[0]])) == [1]


def test_nobody() -> None:
    balls = Balls(weights=(1,), references=((0,),), radii=(1,), remainder="last")
    assert assign_many(balls, np.empty((0, 1), dtype=np.int64)).shape == (0,)


@pytest.mark.parametrize("offset", [0, 1])
def test_exact_at_the_bound_and_beyond(offset: int) -> None:
    """At 2^53 a float64 cannot tell neighbours apart: there Python's integers take over."""
    width = 94906265 + offset  # 94906265^2 < 2^53 <= 94906266^2
    X = np.array([[0], [width // 2], [width // 2 + 1], [width]])
    for cells in (
        PowerDiagram(weights=(1,), resolution=1, sites=((0,), (width,)), offsets=(0, 0)),
        Prototypes(weights=(1,), points=((0,), (width,)), cells=(0, 1)),
        Balls(weights=(1,), references=((0,),), radii=((width - 1) ** 2,), remainder="last"),
        Boxes(weights=(1,), boxes=(((0, 0),), ((width, width),))),
    ):
        assert assign_many(cells, X).tolist() == slowly(cells, X)


def test_blocks_join(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(7)
    X = generator.integers(-50, 50, (200, 3))
    low = generator.integers(-50, 50, (9, 3))
    boxes = tuple(tuple((a, a + 9) for a in row) for row in low.tolist())
    cells = Boxes(weights=(1, 2, 3), boxes=boxes)
    whole = assign_many(cells, X)
    monkeypatch.setattr(mapping, "_BLOCK_ENTRIES", 20)
    assert (assign_many(cells, X) == whole).all()


@pytest.mark.parametrize("remainder", ["last", "nearest"])
@pytest.mark.parametrize("together", [1, 3, 64])
def test_balls_are_tried_in_their_order(
    remainder: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping, "_TOGETHER", together)
    generator = np.random.default_rng(8)
    X = generator.integers(-50, 50, (300, 3))
    references = tuple(tuple(row) for row in generator.integers(-50, 50, (40, 3)).tolist())
    radii = tuple(generator.integers(0, 3000, 40).tolist())
    cells = Balls(weights=(1, 2, 3), references=references, radii=radii, remainder=remainder)
    labels = assign_many(cells, X)
    assert labels.tolist() == slowly(cells, X)
    assert len(set(labels.tolist())) > 20


@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_real_tuples_keep_the_cell_of_the_design(reference_data: Path, name: str) -> None:
    raw = np.loadtxt(reference_data / f"{name}.csv", delimiter=",", skiprows=1)
    values = np.round((raw - raw.mean(axis=0)) / raw.std(axis=0) * 2**10).astype(np.int64)
    X, people, _ = canonical(values, np.ones((len(values), 1), dtype=np.int64))
    weights = (1,) * X.shape[1]
    balls = mdav(X, people, weights, SizeRule(minimum=(10,)))
    references = tuple(tuple(row) for row in balls.references.tolist())
    nearest = Balls(
        weights=weights, references=references, radii=tuple(balls.radii.tolist()), remainder="nearest"
    )
    # With the rule "last", the last ball is left out: its people are what no ball contains.
    last = Balls(
        weights=weights, references=references[:-1], radii=tuple(balls.radii[:-1].tolist()), remainder="last"
    )
    power = power_diagram(X, people, weights, SizeRule(minimum=(10,)))
    diagram = PowerDiagram(
        weights=weights,
        resolution=power.resolution,
        sites=tuple(tuple(row) for row in power.sites.tolist()),
        offsets=tuple(power.offsets.tolist()),
    )
    for cells, labels in ((nearest, balls.labels), (last, balls.labels), (diagram, power.labels)):
        assert (assign_many(cells, X) == labels).all()
        assert slowly(cells, X[::7]) == labels[::7].tolist()


@given(partitions(), st.data())
def test_equals_assign_within_a_domain_and_outside(
    partition: tuple[Cells, Ranges], data: st.DataObject
) -> None:
    """Of every shape, those that are put together too."""
    cells, ranges = partition
    X = data.draw(arrays(np.int64, (data.draw(st.integers(1, 12)), len(ranges)), elements=st.integers(-9, 9)))
    assert assign_many(cells, X).tolist() == slowly(cells, X)
