"""Two categories that look alike: nearly everybody takes the first, and whoever takes the second is alone.

The census is true and counts half of the people in each. No reader can tell the two apart, so unlike a false
label (tests/attacks/test_false_labels.py) this has to be refused.
"""

from __future__ import annotations

from typing import Any

import pytest

from shared.attributes import Category
from shared.attributes.lookup import Entry, Lookup
from shared.errors import SpecificationError
from shared.soundness import Examination
from tests.builders import (
    ORGANIZER_KEY,
    age,
    both,
    sex,
    sign,
    small_model,
    small_specification,
)
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import altered, fragment_of

ALIKE = {
    "the same": ("Zürich", "Zürich"),
    "composed and decomposed": ("Z\u00fcrich", "Zu\u0308rich"),
    "compatible by canon": ("\u00c5land", "\u212bland"),
    "a blank that does not break": ("Bad Ems", "Bad\u00a0Ems"),
    "two blanks": ("Bad Ems", "Bad  Ems"),
    "a line break": ("Bad Ems", "Bad\nEms"),
    "joined as without": ("\u0645\u0647", "\u0645\u200d\u0647"),
}
CASES = pytest.mark.parametrize(("first", "second"), ALIKE.values(), ids=ALIKE)


def examined(payload: bytes) -> Examination:
    envelope = sign(payload, ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model())


@CASES
def test_a_device_refuses_labels_that_look_alike(first: str, second: str) -> None:
    def relabel(document: dict[str, Any]) -> None:
        one, other = document["attributes"][1]["categories"]
        one["label"]["de"], other["label"]["de"] = first, second

    refusal = examined(altered(small_specification(), relabel)).refusal
    assert refusal is not None
    assert refusal.code == "check.form"
    assert refusal.error is not None
    assert "the labels in de look alike" in refusal.error.message


@CASES
def test_values_are_told_apart_in_every_kind_of_list(first: str, second: str) -> None:
    if first == second:
        return
    values = first, second
    with pytest.raises(SpecificationError, match="look alike"):
        sex(categories=tuple(Category(value=v, label=both(f"{i}")) for i, v in enumerate(values)))
    with pytest.raises(SpecificationError, match="look alike"):
        Lookup(
            name="town",
            label=both("Town"),
            help=both(""),
            missing="refused",
            axes=("x",),
            entries=tuple(Entry(value=v, vector=(i,)) for i, v in enumerate(values)),
        )


def test_categories_that_differ_in_what_is_seen_are_taken() -> None:
    for values in (("a", "A"), ("m2", "m²"), ("Zürich", "Zurich"), ("\u0645\u200c\u0647", "\u0645\u0647")):
        assert sex(categories=tuple(Category(value=v, label=both(v)) for v in values)).listed == values


def test_two_attributes_do_not_share_a_name() -> None:
    survey = small_specification(attributes=(age(name="gr\u00f6\u00dfe"), sex(name="gro\u0308\u00dfe")))
    refusal = examined(survey.to_bytes()).refusal
    assert refusal is not None
    assert refusal.code == "check.form"
