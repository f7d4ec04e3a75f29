"""Numbers are counted in steps, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.attributes import Numeric
from shared.errors import AnswerError, SpecificationError
from tests.builders import age
from tests.shared.strategies import numerics


def temperature(**changes: object) -> Numeric:
    """Tenths of a degree from 20.0 to 45.5."""
    return age(name="temperature", minimum="20", maximum="45.5", step="0.1", open_above=False, **changes)


def test_a_tenth_is_exact() -> None:
    assert temperature().vector("23.4") == (34,)
    assert all(temperature().vector(f"{20 + i / 10:.1f}") == (i,) for i in range(256))


@pytest.mark.parametrize(
    ("text", "canonical"), [("020.50", "20.5"), ("+21", "21"), ("45.5000", "45.5"), ("20.00", "20")]
)
def test_one_way_of_writing(text: str, canonical: str) -> None:
    assert temperature().canonical(text) == canonical


@given(numerics(), st.fractions(-100, 400))
def test_open_ends_and_rounding_follow_their_definition(attribute: Numeric, value: Fraction) -> None:
    low, high, step = map(Fraction, (attribute.minimum, attribute.maximum, attribute.step))
    value = Fraction(int(value * 1000), 1000)
    text = f"{'-' if value < 0 else ''}{abs(value.numerator * (1000 // value.denominator)) / 1000:.3f}"
    allowed = (value >= low or attribute.open_below) and (value <= high or attribute.open_above)
    clamped = min(max(value, low), high)
    steps = (clamped - low) / step
    on_step = steps.denominator == 1
    if not allowed or (attribute.rounding == "exact" and not on_step):
        with pytest.raises(AnswerError):
            attribute.vector(text)
        return
    nearest = {"exact": steps, "down": steps // 1, "nearest": (steps + Fraction(1, 2)) // 1}
    assert attribute.vector(text)[0] == nearest[attribute.rounding]


def test_halves_go_up() -> None:
    hours = age(step="2", maximum="98", rounding="nearest")
    assert [hours.vector(t) for t in ("0.9", "1", "2.9", "3", "97")] == [(0,), (1,), (1,), (2,), (49,)]


def test_top_coding_is_canonical() -> None:
    assert age().canonical("117") == "99"
    assert age(open_below=True).canonical("-3") == "0"
    for attribute, text in ((age(open_above=False), "100"), (age(), "-1")):
        with pytest.raises(AnswerError, match="out of range; expected 0 to 99"):
            attribute.vector(text)


def test_refusal_names_the_two_nearest_steps() -> None:
    with pytest.raises(AnswerError, match=r"23.45 lies between two steps.* 23.4 or 23.5"):
        temperature().vector("23.45")


def test_what_is_no_number_is_shortened() -> None:
    with pytest.raises(AnswerError) as caught:
        age().vector("x" * 10_000)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"minimum": "low"}, "is no decimal"),
        ({"maximum": "1e3"}, "is no decimal"),
        ({"step": "1/2"}, "is no decimal"),
        ({"step": "0"}, "whole number of steps"),
        ({"step": "-1"}, "whole number of steps"),
        ({"maximum": "0"}, "whole number of steps"),
        ({"step": "2"}, "whole number of steps"),
        ({"maximum": "9007199254740992"}, "too many steps"),
        ({"rounding": "up"}, "rounding rule 'up' is unknown"),
    ],
)
def test_impossible_declarations_are_refused(changes: dict[str, str], message: str) -> None:
    with pytest.raises(SpecificationError, match=message) as caught:
        age(**changes)
    assert caught.value.where == "attribute age"


def test_value_between_steps() -> None:
    assert temperature().value_at(Fraction(1, 2)) == Fraction("20.05")
