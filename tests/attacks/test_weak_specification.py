"""An organizer signs a promise that protects nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shared.checks import check_cell_failure
from shared.errors import SoundnessError
from shared.soundness import Examination
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, register_cells, sign, small_model, small_specification
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import altered, districts_of, fragment_of, register, small_balls, small_boxes

Change = Callable[[dict[str, Any]], Any]


def examined(payload: bytes) -> Examination:
    """As a device does, the signature and the invitation being in order."""
    envelope = sign(payload, ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model())


def participation(low: str, high: str | None = None) -> Change:
    """Claim another participation, and leave all else."""
    return lambda d: d["participation"].update(levels=[{"low": low, "high": high or low}])


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda d: d["anonymity"].update(k=2), {"check.floor", "check.n-min"}),
        (lambda d: d["anonymity"].update(acceptable_cell_failure="0.5"), {"check.floor", "check.n-min"}),
        (
            lambda d: d["anonymity"].update(acceptable_cell_failure="1e-9"),
            {"check.n-min", "check.cell-failure"},
        ),
        (participation("0.9"), {"check.floor", "check.n-min"}),
        (participation("0.3"), {"check.n-min", "check.cell-failure"}),
        (participation("0.99"), {"check.floor", "check.n-min"}),
        (participation("0.5", "0.99"), {"check.floor"}),
        (participation("0.000001"), {"check.floor", "check.n-min", "check.cell-failure"}),
        (lambda d: d["anonymity"].update(n_min=[3], n_min_safe=[3]), {"check.n-min"}),
        (lambda d: d["anonymity"].update(k=4), {"check.form"}),
        (lambda d: d["eligible"].__setitem__(0, [3]), {"check.form"}),
        (
            lambda d: (d["eligible"].__setitem__(0, [3]), d["eligible"].__setitem__(1, [47])),
            {"check.cell-failure"},
        ),
        (lambda d: d["permissions"].update(free_text="yes"), {"check.form"}),
        (lambda d: d["stored"].append("ip"), {"check.form"}),
    ],
)
def test_each_weakened_promise_is_refused(change: Change, codes: set[str]) -> None:
    examination = examined(altered(small_specification(), change))
    assert {line.code for line in examination.lines if line.outcome == "refused"} == codes


@pytest.mark.parametrize("cells", [small_balls(), small_balls(remainder="nearest")], ids=["last", "nearest"])
def test_a_register_cannot_be_passed_off_as_balls(cells: Any) -> None:
    refusal = examined(register(cells).to_bytes()).refusal
    assert refusal is not None
    assert refusal.code == "check.model-shape"


def test_a_register_declared_public_has_to_show_its_model() -> None:
    """Without the model, or with another one, nothing is sound."""
    envelope = sign(small_specification(cells=small_balls()).to_bytes(), ORGANIZER_KEY)
    refusal = examine_bytes(envelope.to_bytes(), fragment_of(envelope), b"age,sex,level,people\n").refusal
    assert refusal is not None
    assert refusal.code == "check.model"
    open_check = examine_bytes(envelope.to_bytes(), fragment_of(envelope))
    assert open_check.must_recount


def test_the_honest_surveys_are_sound() -> None:
    for specification in (small_specification(), register(register_cells()), register(small_boxes())):
        assert examined(specification.to_bytes()).sound()


@pytest.mark.parametrize(
    "cells", [register_cells(), districts_of(register_cells(), 51)], ids=["whole", "districts"]
)
def test_cells_do_not_have_more_people_than_the_register(cells: Any) -> None:
    """Everybody knows that 60 people work here. Eight groups of at least 18 need 144: most are invented."""
    payload = altered(register(cells), lambda d: d["model"].update(people=60))
    examination = examined(payload)
    assert [line.code for line in examination.lines if line.outcome == "refused"] == ["check.cell-failure"]
    with pytest.raises(SoundnessError, match="more than the register has"):
        examination.sound()


def test_a_device_with_one_part_of_many_adds_up_all_cells() -> None:
    whole, parts = register(districts_of(register_cells(), 51)).in_parts()
    lying = altered(whole, lambda d: d["model"].update(people=60))
    specification = Specification.parse(lying, parts.get, needed=(0,))
    with pytest.raises(SoundnessError, match="140 people together"):
        check_cell_failure(specification, {})
