"""Ordinal and nominal attributes, and tables of places."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from shared.attributes import Category, Entry, Lookup, Nominal, parse_attribute
from shared.errors import AnswerError, SpecificationError
from shared.limits import EXACT_BOUND
from tests.builders import both, sex
from tests.vectors.surveys import band


def place(
    *entries: tuple[str, tuple[int, ...]], axes: tuple[str, ...] = ("east", "north"), **more: Any
) -> Lookup:
    """A table of places."""
    table = tuple(Entry(value=v, vector=x) for v, x in entries)
    common = {"name": "place", "label": both("Place"), "help": both(""), "missing": "refused"}
    return Lookup(**common | more, axes=axes, entries=table)


PLACES = (("north", (3, 9)), ("south", (3, -2)), ("Süd", (3, -2)), ("east", (8, 0)))


def test_order_of_categories() -> None:
    assert [band(missing="refused").vector(t) for t in ("low", "middle", "high")] == [(0,), (1,), (2,)]


def test_nominal_categories_are_equally_far() -> None:
    colours = Nominal(
        name="colour",
        label=both("Colour"),
        help=both(""),
        missing="own-category",
        categories=tuple(Category(value=v, label=both(v)) for v in ("red", "green", "blue")),
    )
    vectors = [colours.vector(t) for t in ("red", "green", "blue", None)]
    far = {sum((a - b) ** 2 for a, b in zip(x, y)) for x in vectors for y in vectors if x != y}
    assert far == {2}


@pytest.mark.parametrize(
    "values",
    [[], ["one"], ["a", "a"], ["a", ""], ["a", " b"], ["a", "b "], ["\u00e9", "e\u0301"]],
)
def test_unusable_categories_are_refused(values: list[str]) -> None:
    categories = tuple(Category(value=v, label=both(v)) for v in values)
    for make in (band, sex):
        with pytest.raises(SpecificationError) as caught:
            make(categories=categories)
        assert caught.value.where.startswith("attribute ")


def test_unknown_category_names_some_that_are_known() -> None:
    with pytest.raises(AnswerError) as caught:
        sex().vector("other")
    assert str(caught.value) == "sex: 'other' is not a category; expected one of female, male"
    many = tuple(Category(value=f"c{i}", label=both(str(i))) for i in range(9))
    with pytest.raises(AnswerError, match=r"c0, c1, c2, c3, c4, c5, \.\.\. \(9 categories\)"):
        band(categories=many).vector("x" * 1000)


def test_categories_tell_capitals_apart() -> None:
    with pytest.raises(AnswerError):
        sex().vector("Female")


def test_places_at_the_same_point_are_the_same_answer() -> None:
    table = place(*PLACES)
    assert table.canonical("Süd") == "south"
    assert table.coordinate_ranges == ((3, 8), (-2, 9))
    assert table.count_within(((3, 3), (-2, 9))) == 2


def test_missing_place_is_in_the_middle() -> None:
    table = place(*PLACES, missing="own-category")
    assert table.vector(None) == (5, 3, 1)
    assert table.vector("east") == (8, 0, 0)
    with pytest.raises(AnswerError):
        table.text_of((8, 0, 1))
    everywhere = table.coordinate_ranges[:2]
    assert [table.count_within((*everywhere, mark)) for mark in ((0, 0), (1, 1), (0, 1))] == [3, 1, 4]
    assert table.count_within(((8, 8), (-2, 9), (0, 1))) == 1, "the missing answer lies in the middle"


@pytest.mark.parametrize(
    ("entries", "axes", "message"),
    [
        ([("a", (1, 2))], ("x", "y"), "too few"),
        ([("a", (1, 2)), ("a", (3, 4))], ("x", "y"), "repeated"),
        ([("a", (1, 2)), (" b", (3, 4))], ("x", "y"), "unusable"),
        ([("a", (1, 2)), ("", (3, 4))], ("x", "y"), "unusable"),
        ([("a", (1, 2)), ("b", (3,))], ("x", "y"), "wrong length"),
        ([("a", ()), ("b", ())], (), "wrong length"),
        ([("a", (1, 2)), ("b", (3, -EXACT_BOUND))], ("x", "y"), "too large"),
    ],
)
def test_unusable_tables_are_refused(
    entries: list[tuple[str, tuple[int, ...]]], axes: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SpecificationError, match=message):
        place(*entries, axes=axes)


def called(*labels: str | None, regions: tuple[int | None, ...] = (None, None)) -> tuple[Entry, ...]:
    """Two entries with labels in two languages."""
    return tuple(
        Entry(value=value, vector=(i,), label=None if label is None else both(label), region=region)
        for i, (value, label, region) in enumerate(zip(("a", "b"), labels, regions, strict=True))
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"entries": called("A", None)}, "a row of the table has no label"),
        ({"entries": called("Same", "same ")}, "a label stands for two rows"),
        ({"entries": called("b", "B 2")}, "a label stands for two rows"),
        ({"axis_labels": (both("East"), both("North"))}, "the names of the axes do not fit"),
        ({"regions": (both("Town"),)}, "the regions are not those of the rows"),
        (
            {"entries": called("A", "B", regions=(1, None)), "regions": (both("Town"),)},
            "not those of the rows",
        ),
    ],
)
def test_words_of_a_table_by_which_two_places_could_be_taken_for_one_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    common = {"name": "place", "label": both("Place"), "help": both(""), "missing": "refused"}
    with pytest.raises(SpecificationError, match=message):
        Lookup(**common | {"axes": ("east",), "entries": called("A", "B")} | changes)


def test_words_of_a_table_stand_in_the_document_only_where_they_are_declared() -> None:
    plain = place(("a", (0, 0)), ("b", (2, 4))).to_object()
    assert set(plain) == {"name", "kind", "label", "help", "missing", "axes", "entries"}
    assert plain["entries"][0] == {"value": "a", "vector": [0, 0]}
    full = Lookup(
        name="place",
        label=both("Place"),
        help=both(""),
        missing="refused",
        axes=("east",),
        entries=called("A", "b", regions=(0, None)),
        axis_labels=({"en": "East", "de": "Osten"},),
        regions=({"en": "Town", "de": "Stadt"},),
    )
    assert parse_attribute(full.to_object(), "attributes[0]", ("en", "de")) == full
    (axis,) = full.picture_axes
    assert (axis.called("de"), axis.regions) == ("Osten", ((Fraction(0), {"en": "Town", "de": "Stadt"}),))
    assert full.columns("de")[1].title == "Place: Osten"
    assert full.columns("de")[1].name == "place_east"
    assert [category.counted_as("en") for category in full.labelled] == [None, None]


@pytest.mark.parametrize("name", ["axis_labels", "regions"])
def test_an_empty_list_of_words_is_refused_as_it_says_nothing(name: str) -> None:
    document = place(("a", (0, 0)), ("b", (2, 4))).to_object() | {name: []}
    with pytest.raises(SpecificationError) as caught:
        parse_attribute(document, "attributes[0]", ("en", "de"))
    assert caught.value.where == f"attributes[0].{name}"
    with pytest.raises(SpecificationError) as caught:
        parse_attribute(document | {name: [both("x"), {"en": ""}]}, "attributes[0]", ("en", "de"))
    assert caught.value.where == f"attributes[0].{name}[1]"
