"""One function from bytes to a specification."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import AnswerError, QuestionnaireError, SpecificationError
from shared.limits import MAX_ALL_CELLS, MAX_SPECIFICATION_BYTES
from shared.specification import Specification, ranges_of
from shared.strict_json import dumps
from tests.builders import age, sex, small_specification
from tests.vectors.surveys import (
    altered,
    band,
    register,
    small_balls,
    small_boxes,
    small_prototypes,
    uneven_survey,
)

SMALL = small_specification()
Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize(
    "specification",
    [
        SMALL,
        small_specification(cells=small_balls()),
        small_specification(cells=small_prototypes()),
        register(small_boxes()),
        uneven_survey()[0],
    ],
    ids=["power-diagram", "balls", "prototypes", "register", "uneven"],
)
def test_specification_survives_a_round_trip(specification: Specification) -> None:
    data = specification.to_bytes()
    assert Specification.parse(data) == specification
    assert Specification.parse(data).to_bytes() == data


def test_the_same_specification_gives_the_same_bytes() -> None:
    assert small_specification().to_bytes() == SMALL.to_bytes()


@pytest.mark.parametrize("earlier", ["roomful/1", "roomful/2"])
def test_a_document_of_an_earlier_protocol_is_refused_with_what_to_do(earlier: str) -> None:
    """Whatever else it holds: its fields may have other names."""
    with pytest.raises(SpecificationError, match=f"signed under {earlier}") as caught:
        Specification.parse(dumps({"protocol": earlier, "field": "of old"}))
    assert caught.value.where == "protocol"
    assert "Design and sign it again" in caught.value.remedy


def test_vector_of_a_person() -> None:
    assert SMALL.vector({"sex": "male", "age": "17"}) == (17, 0, 1)
    assert uneven_survey()[0].vector({"sex": "male"}) == (1, 1, 0, 1)
    assert SMALL.coordinate_ranges == ranges_of((age(), sex())) == ((0, 99), (0, 1), (0, 1))
    assert SMALL.people_in(3) == 25


def test_vector_refuses_what_is_missing_or_unknown() -> None:
    with pytest.raises(AnswerError, match="the value is missing"):
        SMALL.vector({"age": "17"})
    with pytest.raises(AnswerError, match="no such quasi-identifier") as caught:
        SMALL.vector({"age": "17", "sex": "male", "e" * 500: "x"})
    assert caught.value.where == "e" * 80


def rates(attribute: str, upto: str | None = None, value: str | None = None) -> dict[str, Any]:
    """A source of rates with one rate, or none."""
    given = [{"upto": upto, "value": value, "rate": "0.5"}] if upto or value else []
    source = {"kind": "rates", "column": None, "attribute": attribute, "rates": given}
    return source | {"household_column": None, "statement": None}


def at(*path: str | int) -> Callable[[Any], Change]:
    """A change that puts a value at a place."""

    def to(value: Any) -> Change:
        def change(document: dict[str, Any]) -> None:
            place: Any = document
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value

        return change

    return to


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (at("protocol")("roomful/0"), "protocol"),
        (at("languages")([]), "languages"),
        (at("languages")(["en", "Deutsch"]), "languages"),
        (at("languages")(["en", "en"]), "languages"),
        (at("languages")(["en"]), "attributes[0].label"),
        (at("title")({"en": "", "de": "x"}), "title.en"),
        (at("title")("Health"), "title"),
        (at("description")({"en": "x"}), "description"),
        (at("organizer")({"name": "Institute"}), "organizer"),
        (at("organizer", "contact")(""), "organizer.contact"),
        (at("attributes")([]), "attributes"),
        (at("attributes", 1)(age().to_object()), "attributes"),
        (at("attributes", 0, "name")("people"), "attributes"),
        (at("attributes", 0, "name")("level"), "attributes"),
        (at("attributes", 0, "step")("0"), "attribute age"),
        (at("weights")([1, 5000]), "weights"),
        (at("weights")([1, 5000, -1]), "weights"),
        (at("weights")([1, 5000, 2**53 + 1]), "weights"),
        (at("participation", "levels")([]), "participation.levels"),
        (at("participation", "source", "kind")("column"), "participation.source.column"),
        (at("participation", "source", "statement")({"en": "So it is."}), "participation.source.statement"),
        (at("participation", "correlation")("0.3"), "participation.correlation"),
        (at("participation", "household_size")(7), "participation.household_size"),
        (at("participation", "households")(2), "participation"),
        (at("participation", "source")(rates("income", upto="30")), "participation.source"),
        (at("participation", "source")(rates("age")), "participation.source"),
        (at("participation", "source")(rates("age", value="30")), "participation.source"),
        (at("participation", "source")(rates("sex", upto="30")), "participation.source"),
        (at("anonymity", "k")(1), "anonymity.k"),
        (at("anonymity", "k")(1001), "anonymity.k"),
        (at("anonymity", "acceptable_cell_failure")("0"), "anonymity.acceptable_cell_failure"),
        (at("anonymity", "acceptable_cell_failure")("2"), "anonymity.acceptable_cell_failure"),
        (at("anonymity", "n_min")([18, 18]), "anonymity.n_min"),
        (at("anonymity", "n_min_safe")([1]), "anonymity.n_min_safe"),
        (at("model", "kind")("secret"), "model.kind"),
        (at("model", "digest")("00"), "model.digest"),
        (at("model", "people")(0), "model.people"),
        (at("model", "people")(201), "eligible"),
        (at("model", "reading", "incomplete")("guess"), "model.reading.incomplete"),
        (at("algorithm", "name")(" mdav"), "algorithm.name"),
        (at("algorithm", "parameters")([]), "algorithm.parameters"),
        (at("algorithm", "parameters")({"k": [1]}), "algorithm.parameters"),
        (at("algorithm", "parameters")({"k": True}), "algorithm.parameters"),
        (at("cells", "shape")("balls"), "cells"),
        (at("eligible")([[25]] * 7), "eligible"),
        (at("eligible")([[25]] * (MAX_ALL_CELLS + 2)), "eligible"),
        (at("eligible", 0)([25, 0]), "eligible[0]"),
        (at("eligible", 0)([0]), "eligible[0]"),
        (at("eligible", 0)([-1]), "eligible[0]"),
        (at("eligible", 0)(25), "eligible[0]"),
        (at("centroids")([]), "centroids"),
        (at("centroids", 0)(["1.0000", "0.0000"]), "centroids[0]"),
        (at("centroids", 0)("1.0000"), "centroids[0]"),
        (at("centroids", 0, 0)("1.000"), "centroids[0]"),
        (at("centroids", 0, 0)("٣.0000"), "centroids[0]"),
        (at("centroids", 0, 0)(1), "centroids[0]"),
        (at("questionnaire")({}), "questionnaire"),
        (
            at("questionnaire", "pages", 0, "elements", 1, "type")("html"),
            "questionnaire.pages[0].elements[1]",
        ),
        (at("stored")(["cell", "time"]), "stored"),
        (at("stored")(["cell", "cell"]), "stored"),
        (at("retention_days")(0), "retention_days"),
        (at("retention_days")("365"), "retention_days"),
        (at("release", "rule")("publish"), "release.rule"),
        (at("release", "minimum")(2), "release.minimum"),
        (at("release", "distinct_values")(0), "release.distinct_values"),
        (at("release", "row")([0, 1, 2, 3, 4, 5, 6, 6]), "release.row"),
        (at("release", "row")(list(range(7))), "release.row"),
        (at("release", "t_closeness")("1.5"), "release.t_closeness"),
        (at("release", "t_closeness")(0), "release.t_closeness"),
        (at("permissions", "free_text")(1), "permissions.free_text"),
        (at("permissions", "balls_from_register")(None), "permissions.balls_from_register"),
    ],
)
def test_each_field_is_refused_with_its_place(change: Change, where: str) -> None:
    with pytest.raises((SpecificationError, QuestionnaireError)) as caught:
        Specification.parse(altered(SMALL, change))
    assert caught.value.where == where
    assert caught.value.expected


def test_more_coordinates_than_the_limit_are_refused() -> None:
    categories = [{"value": str(i), "label": {"en": str(i), "de": str(i)}} for i in range(150)]
    wide = [sex(name=name).to_object() | {"categories": categories} for name in ("a", "b")]
    with pytest.raises(SpecificationError, match="300 coordinates are too many"):
        Specification.parse(altered(SMALL, at("attributes")(wide)))


def test_optional_values_are_kept() -> None:
    closeness = Specification.parse(altered(SMALL, at("release", "t_closeness")("0.2")))
    assert closeness.release.t_closeness == "0.2"
    parameters = Specification.parse(altered(SMALL, at("algorithm", "parameters")({"seed": 7, "init": "x"})))
    assert parameters.algorithm.parameters == {"seed": 7, "init": "x"}
    assert parameters.algorithm.name == "power-diagram"


def test_size_is_bounded_before_it_is_read() -> None:
    with pytest.raises(SpecificationError, match="bytes are too many"):
        Specification.parse(b" " * (MAX_SPECIFICATION_BYTES + 1))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(SpecificationError):
        Specification.parse(data)


def test_own_category_is_part_of_the_document() -> None:
    specification, _ = uneven_survey()
    assert specification.attributes[0] == band()
    assert specification.weights == (4, 9, 1, 1)


@pytest.mark.parametrize(("attribute", "end"), [("age", {"upto": "120"}), ("sex", {"value": "male"})])
def test_rates_by_a_declared_attribute_are_read(attribute: str, end: dict[str, str]) -> None:
    document = json.loads(small_specification().to_bytes())
    document["participation"]["source"] = rates(attribute, **end)
    assert Specification.parse(dumps(document)).participation_source.attribute == attribute
