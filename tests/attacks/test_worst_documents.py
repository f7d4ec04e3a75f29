"""Somebody signs the document that keeps a device busiest, within every limit, or just beyond.

Beyond a limit it is refused by name before any work is done. Within it the work takes seconds of a processor
in CPython, and some minutes in a browser; once it was days.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.attributes import Attribute, Entry, Lookup, Numeric
from shared.cells import Balls, Boxes, Cells, PowerDiagram, Prototypes
from shared.checks import check_cell_failure, check_failure_work, check_model_shape, check_n_min
from shared.errors import SoundnessError
from shared.limits import (
    MAX_BOXES_TO_COMPARE,
    MAX_CATEGORIES,
    MAX_FAILURE_WORK,
    MAX_RECOUNT_WORK,
    MAX_SPECIFICATION_BYTES,
    MAX_TILING_WORK,
)
from shared.model import ModelRow, format_model, model_digest
from shared.participation import ParticipationLevel
from shared.recount import Recount, check_recount_work
from shared.register import map_centroids
from shared.soundness import Examination
from shared.specification import Specification
from tests.builders import both, small_specification
from tests.vectors.surveys import altered, register

CPU_SECONDS = 90.0
"""For each check; measured: a quarter of it, on a machine with other work to do."""
D = 25
M = 400
TOP = 2**20


def numeric(name: str, top: int = TOP) -> Numeric:
    """Whole numbers up to a maximum."""
    return Numeric(
        name=name, label=both(name), help=both(""), missing="refused", minimum="0", maximum=str(top), step="1"
    )


ATTRIBUTES = tuple(numeric(f"q{j}") for j in range(D))
POINTS = tuple((TOP,) * (D - 1) + (i,) for i in range(M))
WEIGHTS = (1,) * D
SHAPES: dict[str, Cells] = {
    "balls": Balls(weights=WEIGHTS, references=POINTS, radii=(0,) * M, remainder="nearest"),
    "power-diagram": PowerDiagram(weights=WEIGHTS, resolution=1, sites=POINTS, offsets=(0,) * M),
    "boxes": Boxes(
        weights=WEIGHTS,
        boxes=tuple((*((c, TOP) for c in point[:-1]), (i, i)) for i, point in enumerate(POINTS)),
    ),
    "prototypes": Prototypes(weights=WEIGHTS, points=POINTS, cells=tuple(i % 2 for i in range(M))),
}


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _specification(
    cells: Cells, attributes: tuple[Attribute, ...] = ATTRIBUTES, **changes: Any
) -> Specification:
    """Not sound, but of a form that check 10 works on."""
    return replace(
        small_specification(),
        attributes=attributes,
        cells=cells,
        eligible=((1,),) * cells.count,
        **changes,
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_the_longest_recount(shape: str) -> None:
    """Rows that are far from every point, so that none of them ends the search early."""
    specification = _specification(SHAPES[shape])
    row = (0,) * (D - 1)
    rows = [ModelRow(vector=(*row, i), level=0, people=1) for i in range(100)]
    model = format_model(ATTRIBUTES, rows)
    check_recount_work(specification, model)
    most = MAX_RECOUNT_WORK // (M * D + 200 * D)
    examination = Examination(lines=(), verified=None, specification=specification)
    recount = Recount(examination, model)
    specification_of_model = replace(specification.model, digest=model_digest(model))
    object.__setattr__(recount, "_specification", replace(specification, model=specification_of_model))
    seconds = _seconds(lambda: recount.advance(100))
    assert recount.people == 100
    assert seconds * most / 100 < CPU_SECONDS
    with pytest.raises(SoundnessError, match="too large to be counted again") as caught:
        check_recount_work(specification, b"\n" * (most + 1))
    assert caught.value.code == "check.model"


def test_rows_that_are_long_to_read_count_too() -> None:
    """One cell, and attributes whose every value has to be read: there are no free rows."""
    one = PowerDiagram(weights=WEIGHTS, resolution=1, sites=POINTS[:1], offsets=(0,))
    with pytest.raises(SoundnessError, match="too large"):
        check_recount_work(_specification(one), b"\n" * 10**6)


def test_a_million_rows_and_twenty_thousand_cells() -> None:
    """What took days: 64 MB of rows, all cells, all coordinates."""
    cells = replace(SHAPES["power-diagram"], sites=POINTS * 50, offsets=(0,) * (50 * M))
    start = time.process_time()
    with pytest.raises(SoundnessError, match="too large"):
        check_recount_work(_specification(cells), b"0\n" * 10**6)
    assert time.process_time() - start < 1


def _tower(n: int, d: int) -> Specification:
    """Boxes that differ in their last coordinate only, and tile the domain."""
    attributes = (*(numeric(f"q{j}", 9) for j in range(d - 1)), numeric("last", n - 1))
    boxes = tuple(((0, 9),) * (d - 1) + ((i, i),) for i in range(n))
    cells = Boxes(weights=(1,) * d, boxes=boxes)
    sound = register(cells=small_specification().cells)
    return replace(sound, attributes=attributes, cells=cells, centroids=map_centroids(cells, attributes))


def test_the_longest_tiling() -> None:
    d = 2 * MAX_TILING_WORK // MAX_BOXES_TO_COMPARE**2
    fourth = _tower(MAX_BOXES_TO_COMPARE // 4, d)  # a sixteenth of the pairs
    assert 16 * _seconds(lambda: check_model_shape(fourth)) < CPU_SECONDS
    for beyond in (_tower(MAX_BOXES_TO_COMPARE, d + 2), _tower(MAX_BOXES_TO_COMPARE + 1, 2)):
        with pytest.raises(SoundnessError, match="too many to be compared") as caught:
            check_model_shape(beyond)
        assert caught.value.code == "check.model-shape"


def test_boxes_over_a_long_table() -> None:
    """Every pair of boxes asks how many of 50,000 places lie within both."""
    entries = tuple(Entry(value=f"v{i}", vector=(i,)) for i in range(MAX_CATEGORIES))
    table = Lookup(
        name="place", label=both("Place"), help=both(""), missing="refused", axes=("x",), entries=entries
    )
    boxes = tuple(((i, MAX_CATEGORIES - 1 - i),) for i in range(MAX_BOXES_TO_COMPARE))
    cells = Boxes(weights=(1,), boxes=boxes[::2] + boxes[1::2])
    hostile = replace(register(cells=small_specification().cells), attributes=(table,), cells=cells)

    def refused() -> None:
        with pytest.raises(SoundnessError, match=r"overlap|too many to be compared"):
            check_model_shape(hostile)

    assert _seconds(refused) < CPU_SECONDS
    apart = tuple(((2 * i, 2 * i + 1),) for i in range(MAX_BOXES_TO_COMPARE))
    hostile = replace(hostile, cells=Boxes(weights=(1,), boxes=apart))
    assert _seconds(refused) < CPU_SECONDS


def _varied(rows: int) -> Specification:
    """Twenty levels and k = 1000, in head counts that all differ."""
    levels = tuple(ParticipationLevel(low=f"0.{i:02d}", high=f"0.{i:02d}") for i in range(5, 25))
    eligible = tuple((5000 + i,) * len(levels) for i in range(rows))
    model = replace(small_specification().model, people=sum(map(sum, eligible)))
    return replace(
        small_specification(),
        model=model,
        levels=levels,
        k=1000,
        acceptable_cell_failure="0.01",
        cells=replace(small_specification().cells, sites=((0, 0, 0),) * rows, offsets=(0,) * rows),
        eligible=eligible,
    )


def test_the_longest_failures() -> None:
    most = MAX_FAILURE_WORK // (20 * 1000**2)
    check_failure_work(_varied(most))
    assert _seconds(lambda: check_cell_failure(_varied(1), {})) * most < CPU_SECONDS
    with pytest.raises(SoundnessError, match="too many and too varied"):
        check_cell_failure(_varied(most + 1), {})


def test_the_longest_n_min() -> None:
    def refused() -> None:
        with pytest.raises(SoundnessError):
            check_n_min(_varied(1))

    assert _seconds(refused) < CPU_SECONDS


def test_the_longest_document() -> None:
    """Eight megabytes of categories in letters that have to be looked at."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 2000)))

    def change(document: dict[str, Any]) -> None:
        document["attributes"][1]["help"] = {"en": "x" * 9000, "de": text}
        document["questionnaire"]["pages"] = [
            {
                "name": f"p{i}",
                "title": both(text),
                "elements": [
                    {"type": "boolean", "name": f"q{i}", "title": both(text), "description": both(text)}
                ],
            }
            for i in range(220)
        ]

    payload = altered(small_specification(), change)
    assert MAX_SPECIFICATION_BYTES * 0.9 < len(payload) < MAX_SPECIFICATION_BYTES
    assert _seconds(lambda: Specification.parse(payload)) < 10
