"""What every kind of attribute brings for pages, tables and pictures."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from shared.attributes import KINDS, Attribute, Numeric
from tests.builders import LANGUAGES, age, sex
from tests.kinds import MADE
from tests.shared.strategies import admissible

BOTH_RULES = pytest.mark.parametrize("missing", ["refused", "own-category"])
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
FORMS = {
    "number": {"minimum", "maximum", "step", "open_below", "open_above", "rounding", "fractional"},
    "choice": {"categories"},
    "entry": {"values", "labels"},
}


def mean(attribute: Attribute, *texts: str | None) -> list[Fraction]:
    """Mean vector of people with these answers."""
    vectors = [attribute.vector(text) for text in texts]
    return [Fraction(sum(column), len(vectors)) for column in zip(*vectors, strict=True)]


def test_a_kind_that_lacks_something_cannot_be_declared() -> None:
    """What mypy says before: every class is final and has nothing abstract left."""
    for name, kind in KINDS.items():
        assert kind.kind == name
        assert not kind.__abstractmethods__, (name, kind.__abstractmethods__)
        assert getattr(kind, "__final__", False), name


@EVERY_KIND
@BOTH_RULES
def test_columns_and_values_belong_together(kind: str, missing: str) -> None:
    attribute = MADE[kind](missing=missing)
    answers = admissible(attribute)
    means = [mean(attribute, *answers), *(mean(attribute, text) for text in answers)]
    for language in LANGUAGES:
        columns, shares = attribute.columns(language), attribute.share_columns(language)
        names = [column.name for column in (*columns, *shares)]
        assert columns[0].name == attribute.name
        assert len(set(names)) == len(names)
        for point in means:
            values = attribute.column_values(point)
            assert len(values) == len(columns)
            assert len(attribute.share_values(point)) == len(shares)
            for column, value in zip(
                (*columns, *shares), (*values, *attribute.share_values(point)), strict=True
            ):
                assert value or column.can_be_missing
                if value and column.minimum is not None and column.maximum is not None:
                    assert Fraction(column.minimum) <= Fraction(value) <= Fraction(column.maximum)
                if value and column.categories:
                    assert value in dict(column.categories)


@EVERY_KIND
@BOTH_RULES
def test_people_who_answer_alike_are_described_by_their_answer(kind: str, missing: str) -> None:
    attribute = MADE[kind](missing=missing)
    for text in admissible(attribute):
        point = mean(attribute, text)
        described = attribute.describe(point)
        value = described.value
        assert (value is None) == (text is None)
        assert (described.missing_share is not None) == attribute.takes_missing
        if text is not None:
            assert value is not None
            assert attribute.canonical(value) == text
            assert attribute.canonical(attribute.column_values(point)[0]) == text
            if attribute.listed:
                assert value in attribute.listed
    if attribute.takes_missing:
        first = admissible(attribute)[0]
        assert attribute.describe(mean(attribute, first, first, None)).missing_share == "0.33"
        assert (
            attribute.describe(mean(attribute, first, first, None)).value
            == attribute.describe(mean(attribute, first)).value
        )


@EVERY_KIND
@BOTH_RULES
def test_every_answer_has_its_place_on_every_axis(kind: str, missing: str) -> None:
    attribute = MADE[kind](missing=missing)
    axes = attribute.picture_axes
    assert axes
    start = attribute.vector(admissible(attribute)[0])
    seen = set()
    for text in admissible(attribute):
        if text is None:
            continue
        vector = attribute.vector(text)
        seen.add(tuple(attribute.position(axis, list(map(Fraction, vector))) for axis in axes))
        moved = start
        for axis in axes:
            place = attribute.position(axis, list(map(float, vector)))
            assert axis.low <= place <= axis.high
            assert place == attribute.position(axis, list(map(Fraction, vector)))
            moved = attribute.moved(axis, moved, int(place))
        assert moved == vector, "the axes together reach every answer"
        if attribute.takes_missing:
            assert attribute.moved(axes[0], attribute.vector(None), int(place))[-1] == 0
    assert len(seen) == len([text for text in admissible(attribute) if text is not None])
    for axis in axes:
        assert len(axis.names) in (0, axis.high + 1, axis.high)
        assert all(set(name) == set(LANGUAGES) for name in axis.names)


@EVERY_KIND
@BOTH_RULES
def test_a_box_has_a_middle_and_counting_takes_steps(kind: str, missing: str) -> None:
    attribute = MADE[kind](missing=missing)
    middle = attribute.middle_of(attribute.coordinate_ranges)
    for value, (low, high) in zip(middle, attribute.coordinate_ranges, strict=True):
        assert low <= value <= high
    for text in admissible(attribute):
        vector = attribute.vector(text)
        assert attribute.middle_of(tuple((value, value) for value in vector)) == vector
    assert attribute.counting_steps >= attribute.dimension


@EVERY_KIND
def test_the_form_field_is_one_that_the_page_draws(kind: str) -> None:
    attribute = MADE[kind]()
    field = json.loads(json.dumps(attribute.form_field()))
    assert set(field) - {"form"} == FORMS[field["form"]]
    assert [c.value for c in attribute.labelled] in ([], list(attribute.listed))
    assert attribute.is_number == (field["form"] == "number") == (not attribute.listed)


def test_open_ends_and_fractions_are_said() -> None:
    open_ended = age(open_below=True, open_above=True)
    text = open_ended.columns("en")[0].description
    low, high = open_ended.minimum, open_ended.maximum
    assert f"; {low} stands for {low} or less; {high} stands for {high} or more." in text
    number = MADE["numeric"]()
    assert isinstance(number, Numeric)
    assert number.form_field()["fractional"]
    assert number.column_values(mean(number, "1", "2"))[0] == "1.50"


def test_every_category_has_its_share() -> None:
    attribute = sex(missing="own-category")
    point = mean(attribute, "female", "female", "male", None)
    assert attribute.share_values(point) == ("0.500", "0.250", "0.250")
    assert [column.name for column in attribute.share_columns("en")][-1] == "sex_missing"
