"""All kinds of quasi-identifiers keep the same promises."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.attributes import KINDS, Attribute, Lookup, Nominal, Numeric, Ordinal, parse_attribute
from shared.errors import AnswerError, SpecificationError
from shared.limits import MAX_COORDINATES
from tests.builders import LANGUAGES, age, sex
from tests.kinds import MADE
from tests.shared.strategies import DRAWN, VALUES, admissible
from tests.shared.test_categorical import PLACES, place
from tests.vectors.surveys import band

HOSTILE = [
    "inf",
    "-inf",
    "nan",
    "NaN",
    "1e5",
    "1E5",
    "0x1F",
    "1_000",
    "1,5",
    "٣٤",
    "３４",
    "²",
    "½",
    "१२",
    "1/2",
    "--1",
    "+-1",
    "1.",
    ".5",
    "1.2.3",
    "True",
    "None",
    "null",
    "\x00",
    "12\x00",
    "\ufeff12",
    "1" * 10_000,
    "9" * 31,
    "a" * 100_000,
    "<script>",
    "'; DROP TABLE answer; --",
    "\ud800",
]


EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_answer_vector_and_canonical_text_are_one_to_one(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    text = data.draw(st.sampled_from(admissible(attribute)))
    vector = attribute.vector(text)
    assert attribute.text_of(vector) == text
    assert attribute.canonical(text) == text
    assert attribute.vector(attribute.text_of(vector)) == vector


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_vectors_lie_within_the_ranges_and_are_distinct(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    vectors = [attribute.vector(text) for text in admissible(attribute)]
    assert len(set(vectors)) == len(vectors)
    assert attribute.dimension == len(attribute.coordinate_ranges)
    for vector in vectors:
        assert len(vector) == attribute.dimension
        for value, (low, high) in zip(vector, attribute.coordinate_ranges, strict=True):
            assert type(value) is int
            assert low <= value <= high


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_no_other_vector_has_an_answer(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    known = {attribute.vector(text) for text in admissible(attribute)}
    around = [range(low - 1, high + 2) for low, high in attribute.coordinate_ranges]
    for vector in itertools.islice(itertools.product(*around), 2000):
        if vector not in known:
            with pytest.raises(AnswerError):
                attribute.text_of(vector)
    for wrong_length in ((), (0,) * (attribute.dimension + 1)):
        with pytest.raises(AnswerError):
            attribute.text_of(wrong_length)


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_answers_within_bounds_are_counted_as_by_brute_force(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    bounds = []
    for low, high in attribute.coordinate_ranges:
        ends = st.integers(low - 2, high + 2)
        bounds.append((data.draw(ends), data.draw(ends)))
    ranges = tuple(bounds)
    slow = sum(
        all(low <= value <= high for value, (low, high) in zip(attribute.vector(text), ranges, strict=True))
        for text in admissible(attribute)
    )
    assert attribute.count_within(ranges) == slow
    assert attribute.count_within(attribute.coordinate_ranges) == len(admissible(attribute))


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_every_text_gives_a_vector_of_the_domain_or_an_answer_error(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    text = data.draw(st.one_of(st.text(max_size=12), VALUES, st.sampled_from(HOSTILE)))
    try:
        vector = attribute.vector(text)
    except AnswerError as problem:
        assert problem.where == attribute.name  # noqa: PT017 - both outcomes are right
        assert len(str(problem)) < 1000  # noqa: PT017
    else:
        assert vector in {attribute.vector(t) for t in admissible(attribute)}


@pytest.mark.no_cover
@EVERY_KIND
@given(st.data())
def test_a_missing_answer_is_refused_or_has_its_own_category(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    for text in (None, "", "  ", "\t"):
        if attribute.takes_missing:
            assert attribute.canonical(text) is None
            assert attribute.vector(text)[-1] == 1
        else:
            with pytest.raises(AnswerError, match="the value is missing"):
                attribute.vector(text)


@EVERY_KIND
@given(st.data())
def test_declaration_survives_a_round_trip(kind: str, data: st.DataObject) -> None:
    attribute = data.draw(DRAWN[kind](kind))
    assert parse_attribute(attribute.to_object(), "attributes[0]", LANGUAGES) == attribute


@EVERY_KIND
def test_one_declaration_of_each_kind(kind: str) -> None:
    make = MADE[kind]
    strict, lenient = make(missing="refused"), make(missing="own-category")
    with pytest.raises(AnswerError, match="the value is missing"):
        strict.vector(" ")
    assert strict.dimension == lenient.dimension - 1
    assert lenient.text_of(lenient.vector(None)) is None
    for attribute in (strict, lenient):
        for text in admissible(attribute):
            assert attribute.canonical(text) == text
        low = [low for low, _ in attribute.coordinate_ranges]
        for vector in ((), (*low, 0), tuple(c - 1 for c in low), tuple(c + 1000 for c in low)):
            with pytest.raises(AnswerError, match="no answer has the vector"):
                attribute.text_of(vector)
    if lenient.kind != "nominal":
        with pytest.raises(AnswerError, match="no answer has the vector"):
            lenient.text_of((*(low for low, _ in lenient.coordinate_ranges[:-1]), 1))


@EVERY_KIND
@pytest.mark.parametrize("missing", ["refused", "own-category"])
def test_small_boxes_are_counted_as_by_brute_force(kind: str, missing: str) -> None:
    make = MADE[kind]
    attribute: Attribute = make(missing=missing)
    vectors = [attribute.vector(text) for text in admissible(attribute)]
    choices = [((low - 1, low), (low, high), (high, high + 1)) for low, high in attribute.coordinate_ranges]
    for ranges in itertools.product(*choices):
        slow = sum(all(a <= c <= b for c, (a, b) in zip(v, ranges, strict=True)) for v in vectors)
        assert attribute.count_within(ranges) == slow


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("attribute", [age(), sex(), band(), place(*PLACES)], ids=lambda a: str(a.kind))
def test_hostile_texts_are_refused(attribute: Attribute, text: str) -> None:
    with pytest.raises(AnswerError) as caught:
        attribute.vector(text)
    assert len(str(caught.value)) < 300


def test_blanks_around_an_answer_do_not_matter() -> None:
    assert age().vector(" 17\n") == age().vector("17")
    assert sex().vector(" male ") == sex().vector("male")


@pytest.mark.parametrize("name", ["", " age", "age "])
def test_unusable_names_are_refused(name: str) -> None:
    with pytest.raises(SpecificationError, match="unusable"):
        age(name=name)


def test_unknown_rule_for_missing_values_is_refused() -> None:
    with pytest.raises(SpecificationError, match="the rule for missing values 'ignored' is unknown"):
        sex(missing="ignored")


def test_missing_values_of_ordered_kinds_lie_in_the_middle() -> None:
    assert age(missing="own-category").vector(None) == (49, 1)
    assert band().vector(None) == (1, 1)
    assert band().vector("middle") == (1, 0)


@pytest.mark.parametrize("kind", ["numeric", "ordinal", "nominal", "lookup"])
def test_each_kind_has_its_own_fields(kind: str) -> None:
    with pytest.raises(SpecificationError, match="is missing"):
        parse_attribute({"kind": kind}, "attributes[0]", LANGUAGES)


@pytest.mark.parametrize(
    "value", [None, [], "numeric", {}, {"kind": 3}, {"kind": ["numeric"]}, {"kind": "text"}]
)
def test_what_is_no_attribute_is_refused(value: Any) -> None:
    with pytest.raises(SpecificationError) as caught:
        parse_attribute(value, "attributes[0]", LANGUAGES)
    assert caught.value.where.startswith("attributes[0]")


def test_unknown_kind_is_named() -> None:
    declaration = {name: v for name, v in sex().to_object().items() if name != "categories"}
    with pytest.raises(SpecificationError, match=r"attributes\[0\].kind: 'text' stands here"):
        parse_attribute(declaration | {"kind": "text"}, "attributes[0]", LANGUAGES)


def test_a_nominal_attribute_cannot_have_more_categories_than_coordinates() -> None:
    categories = [
        {"value": str(i), "label": dict.fromkeys(LANGUAGES, str(i))} for i in range(MAX_COORDINATES + 1)
    ]
    document = sex().to_object() | {"categories": categories}
    with pytest.raises(SpecificationError, match="257 entries stand here"):
        parse_attribute(document, "attributes[0]", LANGUAGES)
    parsed = parse_attribute(document | {"kind": "ordinal"}, "attributes[0]", LANGUAGES)
    assert parsed.coordinate_ranges == ((0, 256),)


def test_kinds_are_told_apart() -> None:
    assert [c.kind for c in (Numeric, Ordinal, Nominal, Lookup)] == [
        "numeric",
        "ordinal",
        "nominal",
        "lookup",
    ]


def test_only_a_number_with_an_open_end_takes_in_what_lies_beyond() -> None:
    assert age().open_range == ("0", "99")
    assert age(open_above=False).open_range is None
    assert sex().open_range is None
