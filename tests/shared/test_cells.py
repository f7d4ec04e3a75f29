"""Every vector belongs to exactly one cell, the one that a slow reference finds."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.cells import Balls, Boxes, Cells, PowerDiagram, Prototypes, parse_cells
from shared.errors import SpecificationError
from shared.geometry import Ranges
from shared.limits import EXACT_BOUND, MAX_CELLS, MAX_CUT_DEPTH
from shared.strict_json import dumps, loads
from tests.shared.reference import ASSIGN
from tests.shared.strategies import cut_trees, domains, partitions, points
from tests.vectors.generate import FOLDER

SQUARE: Ranges = ((0, 9), (0, 9))


@given(partitions())
def test_every_admissible_vector_is_in_exactly_the_expected_cell(partition: tuple[Cells, Ranges]) -> None:
    cells, ranges = partition
    for x in itertools.product(*(range(low, high + 1) for low, high in ranges)):
        cell = cells.assign(x)
        assert 0 <= cell < cells.count
        assert cell == ASSIGN[cells.shape](x, cells)


@given(partitions(), st.data())
def test_one_vector_after_another_is_assigned_as_each_alone(
    partition: tuple[Cells, Ranges], data: st.DataObject
) -> None:
    cells, ranges = partition
    drawn = data.draw(st.lists(points(ranges), max_size=40))
    for vectors in (drawn, sorted(drawn)):
        assign = cells.assigner()
        assert [assign(x) for x in vectors] == [cells.assign(x) for x in vectors]


@given(partitions(), st.data())
def test_vectors_outside_the_domain_have_a_cell_too(
    partition: tuple[Cells, Ranges], data: st.DataObject
) -> None:
    cells, ranges = partition
    x = data.draw(st.tuples(*(st.integers(-(10**30), 10**30) for _ in ranges)))
    assert cells.assign(x) == ASSIGN[cells.shape](x, cells)


@given(partitions(), st.data())
def test_no_compared_number_exceeds_the_largest_value(
    partition: tuple[Cells, Ranges], data: st.DataObject
) -> None:
    cells, ranges = partition
    largest = cells.largest_value(ranges)
    x = data.draw(points(ranges))
    compared: list[int] = [0]
    if isinstance(cells, PowerDiagram):
        scaled = [cells.resolution * c for c in x]
        compared = [
            abs(sum(w * (a - b) ** 2 for a, b, w in zip(scaled, s, cells.weights)) + offset)
            for s, offset in zip(cells.sites, cells.offsets)
        ]
    elif isinstance(cells, Balls):
        compared = [*cells.radii]
    assert max(compared) <= largest


@given(partitions())
def test_geometry_survives_a_round_trip(partition: tuple[Cells, Ranges]) -> None:
    cells, ranges = partition
    document = loads(dumps(cells.to_object()), error=SpecificationError, where="", max_bytes=10**6)
    assert parse_cells(document, "cells", cells.weights, ranges) == cells


@pytest.mark.parametrize(
    "case", json.loads((FOLDER / "assignment.json").read_text("utf-8"))["cases"], ids=lambda c: c["name"]
)
def test_committed_vectors(case: dict[str, Any]) -> None:
    ranges = tuple((low, high) for low, high in case["ranges"])
    cells = parse_cells(case["cells"], "cells", tuple(case["weights"]), ranges)
    assert [cells.assign(tuple(x)) for x in case["vectors"]] == case["expected"]
    assert cells.largest_value(ranges) < EXACT_BOUND
    assert len(set(case["expected"])) > 1 or cells.shape == "power-diagram"


def test_the_first_ball_wins_and_its_border_belongs_to_it() -> None:
    balls = Balls(weights=(1,), references=((0,), (10,)), radii=(25, 36), remainder="last")
    assert [balls.assign((x,)) for x in (0, 5, 6, 10, 16, 17, -6)] == [0, 0, 1, 1, 1, 2, 2]
    assert balls.count == 3


@given(st.integers(-50, 50))
@example(5)
def test_ties_go_to_the_lowest_index(x: int) -> None:
    twice = PowerDiagram(weights=(1,), resolution=1, sites=((0,), (10,), (0,)), offsets=(0, 0, 0))
    assert twice.assign((x,)) == (0 if x <= 5 else 1)
    nearest = Balls(weights=(1,), references=((0,), (10,)), radii=(0, 0), remainder="nearest")
    assert nearest.assign((x,)) == (0 if x <= 5 else 1)
    boxes = Boxes(weights=(1,), boxes=(((0, 2),), ((8, 9),)))
    assert boxes.assign((x,)) == (0 if x <= 5 else 1)
    tabulated = Prototypes(weights=(1,), points=((0,), (10,)), cells=(1, 0))
    assert tabulated.assign((x,)) == (1 if x <= 5 else 0)


def test_a_smaller_offset_reaches_further() -> None:
    equal = PowerDiagram(weights=(1,), resolution=2, sites=((0,), (20,)), offsets=(0, 0))
    shifted = PowerDiagram(weights=(1,), resolution=2, sites=((0,), (20,)), offsets=(0, -81))
    assert [equal.assign((x,)) for x in (3, 4, 5, 6)] == [0, 0, 0, 1]
    assert [shifted.assign((x,)) for x in (3, 4, 5, 6)] == [0, 1, 1, 1]


BALLS = {"shape": "balls", "references": [[0, 0], [9, 9]], "radii": [4, 4], "remainder": "last"}
POWER = {"shape": "power-diagram", "resolution": 2, "sites": [[0, 0], [18, 18]], "offsets": [0, -3]}
BOXES = {"shape": "boxes", "boxes": [[[0, 4], [0, 9]], [[5, 9], [0, 9]]]}
DISTRICTS = {"shape": "districts", "tree": [[1, 4], [], []], "districts": [POWER, BOXES]}
PROTOTYPES = {"shape": "prototypes", "points": [[0, 0], [9, 9]], "cells": [0, 1]}


@pytest.mark.parametrize(
    "document", [BALLS, POWER, BOXES, PROTOTYPES, DISTRICTS], ids=lambda d: str(d["shape"])
)
def test_documents_that_the_refusals_below_start_from(document: dict[str, Any]) -> None:
    assert parse_cells(document, "cells", (1, 1), SQUARE).to_object() == document


@pytest.mark.parametrize(
    ("document", "where"),
    [
        (None, "cells"),
        ("balls", "cells"),
        ({"shape": "blob"}, "cells.shape"),
        ({"shape": 3}, "cells.shape"),
        ({"shape": ["balls"]}, "cells.shape"),
        (BALLS | {"resolution": 1}, "cells"),
        (BALLS | {"references": []}, "cells.references"),
        (BALLS | {"references": [[0, 0]]}, "cells"),
        (BALLS | {"references": [[0, 0], [9, 10]]}, "cells.references[1]"),
        (BALLS | {"references": [[0, 0], [-1, 0]]}, "cells.references[1]"),
        (BALLS | {"references": [[0, 0], [True, 0]]}, "cells.references[1]"),
        (BALLS | {"references": [[0, 0], [1]]}, "cells.references[1]"),
        (BALLS | {"references": [[0, 0], {}]}, "cells.references[1]"),
        (BALLS | {"radii": [4, -1]}, "cells.radii"),
        (BALLS | {"radii": [4, EXACT_BOUND + 1]}, "cells.radii"),
        (BALLS | {"radii": 4}, "cells.radii"),
        (BALLS | {"remainder": "first"}, "cells.remainder"),
        (POWER | {"resolution": 0}, "cells.resolution"),
        (POWER | {"resolution": 4097}, "cells.resolution"),
        (POWER | {"sites": [[0, 0], [18, 19]]}, "cells.sites[1]"),
        (POWER | {"offsets": [0]}, "cells"),
        (POWER | {"offsets": [0, -EXACT_BOUND - 1]}, "cells.offsets"),
        (BOXES | {"boxes": []}, "cells.boxes"),
        (BOXES | {"boxes": [[[0, 4]]]}, "cells.boxes[0]"),
        (BOXES | {"boxes": [{}]}, "cells.boxes[0]"),
        (BOXES | {"boxes": [[[4, 3], [0, 9]]]}, "cells.boxes[0]"),
        (BOXES | {"boxes": [[[0, 4, 5], [0, 9]]]}, "cells.boxes[0]"),
        (BOXES | {"boxes": [[[0, 10], [0, 9]]]}, "cells.boxes[0]"),
        (BOXES | {"boxes": [[3, [0, 9]]]}, "cells.boxes[0]"),
        (PROTOTYPES | {"cells": [0, 2]}, "cells"),
        (PROTOTYPES | {"cells": [1, 1]}, "cells"),
        (PROTOTYPES | {"cells": [0]}, "cells"),
        (PROTOTYPES | {"cells": [0, MAX_CELLS + 1]}, "cells.cells"),
        (DISTRICTS | {"tree": []}, "cells.tree"),
        (DISTRICTS | {"tree": [[]]}, "cells.tree"),
        (DISTRICTS | {"tree": [[], [], []]}, "cells.tree"),
        (DISTRICTS | {"tree": [[1, 4], [], [0, 4], []]}, "cells.tree"),
        (DISTRICTS | {"tree": [[1, 4], [], [], []]}, "cells.tree"),
        (DISTRICTS | {"tree": [[1, 4], [1, 4], [], [], []]}, "cells.tree[1]"),
        (DISTRICTS | {"tree": [[1, 4], [], [1, 4], [], []]}, "cells.tree[2]"),
        (DISTRICTS | {"tree": [[1, 9], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[1, -1], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[2, 4], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[-1, 4], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[1, 4, 5], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[1], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[1, True], [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [None, [], []]}, "cells.tree[0]"),
        (DISTRICTS | {"tree": [[1, 4], [0, 4], [], [], []]}, "cells"),
        (DISTRICTS | {"districts": [POWER]}, "cells.districts"),
        (DISTRICTS | {"districts": [POWER, None]}, "cells.districts[1]"),
        (DISTRICTS | {"districts": [POWER, BOXES | {"boxes": []}]}, "cells.districts[1].boxes"),
        (DISTRICTS | {"districts": [POWER, DISTRICTS]}, "cells.districts[1]"),
    ],
)
def test_malformed_geometry_is_refused_with_its_place(document: Any, where: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_cells(document, "cells", (1, 1), SQUARE)
    assert caught.value.where == where
    assert caught.value.expected


@given(st.data())
def test_a_leaf_is_where_its_box_is(data: st.DataObject) -> None:
    ranges = data.draw(domains().filter(lambda ranges: any(low < high for low, high in ranges)))
    tree = data.draw(cut_trees(ranges))
    boxes = tree.boxes(ranges)
    assert len(boxes) == tree.leaves
    for x in itertools.product(*(range(low, high + 1) for low, high in ranges)):
        inside = [i for i, box in enumerate(boxes) if all(a <= c <= b for c, (a, b) in zip(x, box))]
        assert inside == [tree.leaf_of(x)]


def chain(depth: int) -> list[list[int]]:
    """Cuts of which each lies above the one before."""
    return [node for value in range(depth) for node in ([0, value], [])] + [[]]


def test_leaves_lie_at_most_so_deep() -> None:
    ranges = ((0, 2 * MAX_CUT_DEPTH),)
    power = {"shape": "power-diagram", "resolution": 1, "sites": [[0]], "offsets": [0]}
    for depth in (MAX_CUT_DEPTH, MAX_CUT_DEPTH + 1):
        document = {"shape": "districts", "tree": chain(depth), "districts": [power] * (depth + 1)}
        if depth == MAX_CUT_DEPTH:
            assert parse_cells(document, "cells", (1,), ranges).count == depth + 1
            continue
        with pytest.raises(SpecificationError, match="too deep") as caught:
            parse_cells(document, "cells", (1,), ranges)
        assert caught.value.where == "cells.tree"
