"""A cell in words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from shared.attributes import Attribute, Category
from shared.description import CentroidValue, describe_centroid, describe_mean
from shared.model import ModelRow
from tests.builders import age, both, build_specification, sex, small_cells, small_specification
from tests.shared.test_categorical import PLACES, place
from tests.vectors.surveys import band, small_prototypes


def told(value: CentroidValue) -> tuple[str | None, str | None, str | None]:
    """Value, share and share of missing values."""
    return value.described.value, value.described.share, value.described.missing_share


def describe(attribute: Attribute, *mean: str) -> CentroidValue:
    """The only attribute of a survey, at a mean."""
    specification = replace(small_specification(), attributes=(attribute,))
    (value,) = describe_mean(specification, [Fraction(m) for m in mean])
    return value


def test_centroid_of_a_cell() -> None:
    number, category = describe_centroid(small_specification(), 1)
    assert told(number) == (
        "12.00",
        None,
        None,
    )
    assert number.label("de") == "12.00"
    assert (category.described.value, category.described.share, category.label("de")) == (
        "female",
        "1.00",
        "Weiblich",
    )


def test_number_is_a_value_not_a_count_of_steps() -> None:
    attribute = age(minimum="-5", maximum="45", step="0.5")
    assert describe(attribute, "10.333").described.value == "0.17"
    assert describe(attribute, "0").described.value == "-5.00"


def test_most_frequent_category_with_its_share() -> None:
    value = describe(sex(), "0.666", "0.334")
    assert (value.described.value, value.described.share) == ("female", "0.67")
    assert describe(sex(), "0.5", "0.5").described.value == "female", "ties go to the first"


def test_people_without_a_category() -> None:
    attribute = sex(missing="own-category")
    some = describe(attribute, "0.6", "0.15", "0.25")
    assert told(some) == (
        "female",
        "0.60",
        "0.25",
    )
    most = describe(attribute, "0.2", "0.2", "0.6")
    assert (most.described.value, most.label("en"), most.described.missing_share) == (None, None, "0.60")


@pytest.mark.parametrize(
    ("mean", "value"), [("0", "low"), ("0.49", "low"), ("0.5", "middle"), ("1.5", "high"), ("2", "high")]
)
def test_nearest_of_ordered_categories(mean: str, value: str) -> None:
    described = describe(band(missing="refused"), mean)
    assert (described.described.value, described.label("en"), described.described.missing_share) == (
        value,
        value.title(),
        None,
    )


def test_people_without_a_value_are_taken_out_of_the_mean() -> None:
    # half of the people lie in the middle (1) because they said nothing, the others have "high" (2)
    described = describe(band(), "1.5", "0.5")
    assert (described.described.value, described.described.missing_share) == ("high", "0.50")
    # the mean was rounded to four decimals, so it may leave the domain a little
    assert describe(band(), "0.9997", "0.9999").described.value == "low"
    assert describe(band(), "1.0002", "0.9999").described.value == "high"


def test_nobody_has_a_value() -> None:
    for attribute, mean in (
        (band(), ("1", "1")),
        (age(missing="own-category"), ("49", "1")),
        (place(*PLACES, missing="own-category"), ("5", "3", "1")),
    ):
        described = describe(attribute, *mean)
        assert (described.described.value, described.label("en"), described.described.missing_share) == (
            None,
            None,
            "1.00",
        )


def test_number_of_those_who_gave_one() -> None:
    assert describe(age(missing="own-category"), "44.5", "0.5").described.value == "40.00"


def test_nearest_place() -> None:
    assert describe(place(*PLACES), "3.2", "8").described.value == "north"
    assert describe(place(*PLACES), "3", "-2").label("en") == "south"


def test_every_cell_of_a_survey_can_be_described() -> None:
    attributes: tuple[Attribute, ...] = (age(missing="own-category"), sex(), band(), place(*PLACES))
    dimension = sum(a.dimension for a in attributes)
    people: list[dict[str, Any]] = [
        {"age": str(i) if i % 3 else None, "sex": ("female", "male")[i % 2], "income": None, "place": "east"}
        for i in range(60)
    ]
    vectors = sorted(tuple(c for a in attributes for c in a.vector(p[a.name])) for p in people)
    rows = [ModelRow(vector=v, level=0, people=1) for v in dict.fromkeys(vectors)]
    cells = replace(
        small_prototypes(), weights=(1,) * dimension, points=(vectors[0], vectors[-1]), cells=(0, 1)
    )
    specification = build_specification(attributes=attributes, rows=rows, cells=cells)
    for cell in range(2):
        described = describe_centroid(specification, cell)
        assert [v.attribute for v in described] == list(attributes)
        assert described[2].described.value is None
        assert described[3].described.value == "east"


def test_middle_cell_of_the_builders() -> None:
    cells = replace(small_cells(), offsets=(0,) * 8)
    assert describe_centroid(small_specification(cells=cells), 6)[0].described.value == "87.00"


def test_a_category_is_counted_as_its_value_where_the_label_says_something_else() -> None:
    false = Category(value="female", label=both("joined in 2024"))
    attribute = sex(categories=(false, Category(value="male", label=both("Male"))))
    assert describe(attribute, "1", "0").counted_as("en") == "female"
    assert describe(attribute, "0", "1").counted_as("en") is None
    assert describe(age(), "12").counted_as("en") is None
