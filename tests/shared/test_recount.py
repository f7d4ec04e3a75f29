"""Check 10: a public model is counted again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import shared.recount
from shared.cells import PowerDiagram
from shared.checks import MODEL
from shared.errors import SoundnessError
from shared.model import ModelRow, format_model, model_digest
from shared.recount import ROW_WORK, Recount, centroid, check_recount_work
from shared.soundness import Examination
from tests.builders import (
    ORGANIZER_KEY,
    age,
    build_specification,
    sex,
    sign,
    small_model,
    small_rows,
    small_specification,
)
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import altered, fragment_of, small_balls, uneven_survey

ATTRIBUTES = (age(), sex())
SMALL = small_specification()


def examined(payload: bytes) -> Examination:
    """Checks 1 to 9."""
    envelope = sign(payload, ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope))


def refusal(payload: bytes, model: bytes) -> str:
    """What check 10 says against a model."""
    examination = Recount(examined(payload), model).finish()
    assert examination.refusal is not None
    assert examination.refusal.code == "check.model"
    with pytest.raises(SoundnessError) as caught:
        examination.sound()
    assert caught.value.code == "check.model"
    return str(examination.refusal.error)


def with_model(rows: list[ModelRow], **changes: Any) -> tuple[bytes, bytes]:
    """The small survey, signed for another model."""
    model = format_model(ATTRIBUTES, rows)

    def change(document: dict[str, Any]) -> None:
        document["model"].update(digest=model_digest(model), **changes)

    return altered(SMALL, change), model


def test_an_honest_model_passes_in_small_steps() -> None:
    recount = Recount(examined(SMALL.to_bytes()), small_model())
    assert (recount.people, recount.total) == (0, 200)
    seen = []
    while not recount.advance(7):
        seen.append(recount.people)
    assert seen == list(range(7, 200, 7))
    examination = recount.finish()
    assert examination.line(MODEL).outcome == "passed"
    assert examination.sound().specification == SMALL


def test_a_long_model_is_counted_to_its_end() -> None:
    attributes = (age(maximum="1499"),)
    rows = [ModelRow(vector=(a,), level=0, people=1) for a in range(1500)]
    cells = PowerDiagram(weights=(1,), resolution=1, sites=((100,), (1400,)), offsets=(0, 0))
    specification = build_specification(attributes=attributes, rows=rows, cells=cells)
    examination = Recount(examined(specification.to_bytes()), format_model(attributes, rows)).finish()
    assert examination.line(MODEL).figures == {"people": "1500", "cells": "2"}


def test_levels_are_counted_apart() -> None:
    specification, model = uneven_survey()
    assert Recount(examined(specification.to_bytes()), model).finish().refusal is None
    swapped = altered(specification, lambda d: d["eligible"][2].reverse())
    assert "group 2 holds [12, 15] people" in refusal(swapped, model)


def test_more_work_than_a_device_should_do_is_refused_before_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = small_model()
    work = model.count(b"\n") * (8 * 3 + ROW_WORK * 2)
    monkeypatch.setattr(shared.recount, "MAX_RECOUNT_WORK", work)
    assert Recount(examined(SMALL.to_bytes()), model).finish().refusal is None
    monkeypatch.setattr(shared.recount, "MAX_RECOUNT_WORK", work - 1)
    with pytest.raises(SoundnessError, match="too large to be counted again") as caught:
        check_recount_work(SMALL, model)
    assert caught.value.code == "check.model"


@pytest.mark.parametrize("place", [0, 57, 199])
def test_a_dropped_record(place: int) -> None:
    rows = small_rows()
    del rows[place]
    assert "not the one that was signed" in refusal(SMALL.to_bytes(), format_model(ATTRIBUTES, rows))
    payload, model = with_model(rows)
    assert "people; expected [25]" in refusal(payload, model)


@pytest.mark.parametrize("place", [0, 57, 199])
def test_an_added_person(place: int) -> None:
    rows = small_rows()
    rows[place] = replace(rows[place], people=2)
    payload, model = with_model(rows)
    assert "holds [26] people; expected [25]" in refusal(payload, model)


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 2), (3, 6)])
def test_swapped_cells(first: int, second: int) -> None:
    def swap(document: dict[str, Any]) -> None:
        sites = document["cells"]["sites"]
        sites[first], sites[second] = sites[second], sites[first]

    assert f"group {first} has another centroid" in refusal(altered(SMALL, swap), small_model())


@pytest.mark.parametrize("radius", [28**2, 30**2, 29**2 + 2 * 29])
def test_a_moved_radius(radius: int) -> None:
    balls = small_specification(cells=small_balls())
    moved = altered(balls, lambda d: d["cells"]["radii"].__setitem__(2, radius))
    model = small_model()
    if radius == 29**2 + 2 * 29:  # no record lies between the two radii: the same cells
        assert Recount(examined(moved), model).finish().refusal is None
    else:
        assert "group 2 holds" in refusal(moved, model)


def test_a_moved_person_of_the_same_cell_moves_the_centroid() -> None:
    rows = small_rows()
    rows[0], rows[2] = replace(rows[0], people=2), replace(rows[2], people=1)
    rows = [row for i, row in enumerate(rows) if i != 2]
    payload, model = with_model(rows)
    assert "has another centroid" in refusal(payload, model)


def test_a_model_that_breaks_off_is_refused() -> None:
    model = small_model() + b"100,male,0"
    payload = altered(SMALL, lambda d: d["model"].update(digest=model_digest(model)))
    assert "model, line 202" in refusal(payload, model)


def test_what_was_refused_cannot_be_recounted() -> None:
    with pytest.raises(ValueError, match="cannot be recounted"):
        Recount(examine_bytes(b"", ""), small_model())


@pytest.mark.parametrize("end", [b"", b"100,male,0"])
def test_counting_on_after_the_end_changes_nothing(end: bytes) -> None:
    model = small_model() + end
    payload = altered(SMALL, lambda d: d["model"].update(digest=model_digest(model)))
    recount = Recount(examined(payload), model)
    while not recount.advance(500):
        pass
    outcomes = [recount.finish().line(MODEL).outcome for _ in range(3)]
    assert outcomes == ["refused" if end else "passed"] * 3


def test_centroid_has_four_exact_decimals() -> None:
    assert centroid([1, -2, 0], 3) == ("0.3333", "-0.6667", "0.0000")
