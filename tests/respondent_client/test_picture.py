from __future__ import annotations

import json
from dataclasses import replace

import pytest

from respondent_client import picture as picture_module
from respondent_client.picture import MAX_GRID, MAX_GROUPS, MAX_TICKS, axes_of, best_axes, draw
from shared.attributes import Category, Entry, Lookup, Ordinal
from shared.cells import PowerDiagram
from shared.model import ModelRow
from shared.specification import Specification
from tests.builders import age, both, build_specification, sex, small_specification


def place_names() -> Lookup:
    entries = tuple(Entry(value=f"{x}{y}", vector=(x, y)) for x in range(5) for y in range(4))
    return Lookup(
        name="place",
        label=both("Place"),
        help=both(""),
        missing="own-category",
        axes=("east", "north"),
        entries=entries,
    )


def health() -> Ordinal:
    words = ("bad", "fair", "good")
    return Ordinal(
        name="health",
        label=both("Health"),
        help=both(""),
        missing="refused",
        categories=tuple(Category(value=word, label=both(word)) for word in words),
    )


def mixed() -> Specification:
    attributes = (place_names(), health(), age(missing="own-category"))
    rows = [
        ModelRow(vector=(x, y, 0, h, a, 0), level=0, people=5)
        for x in range(5)
        for y in range(4)
        for h in range(3)
        for a in (20, 60)
    ]
    sites = tuple((x, y, 0, 1, 40, 0) for x in (1, 3) for y in (1, 3))
    cells = PowerDiagram(weights=(100, 100, 100, 10, 1, 100), resolution=1, sites=sites, offsets=(0,) * 4)
    return build_specification(attributes=attributes, rows=rows, cells=cells)


def numbers(maximum: str) -> Specification:
    rows = [ModelRow(vector=(a, 1, 0), level=0, people=20) for a in (0, 1)]
    cells = PowerDiagram(weights=(1, 0, 0), resolution=1, sites=((0, 0, 0),), offsets=(0,))
    return build_specification(attributes=(age(maximum=maximum), sex()), rows=rows, cells=cells)


def test_axes_are_places_categories_and_numbers() -> None:
    axes = axes_of(mixed())
    assert [axis.label["en"] for axis in axes] == ["Place: east", "Place: north", "Health", "Age"]
    far = (9, 9, 1, 9, 9, 1)
    moved = [axis.moved(far, 1) for axis in axes]
    assert moved == [(1, 9, 0, 9, 9, 1), (9, 1, 0, 9, 9, 1), (9, 9, 1, 1, 9, 1), (9, 9, 1, 9, 1, 0)]
    assert best_axes(axes) == [0, 1], "a map comes first"
    assert best_axes(axes_of(small_specification())) == [0, 1]
    assert [tick["text"]["de"] for tick in axes[2].ticks()] == ["bad", "fair", "good"]


def test_ticks_are_few_and_within_the_axis() -> None:
    for maximum in ("1", "2", "9", "99", "100", "12345"):
        axis = axes_of(numbers(maximum))[0]
        ticks = axis.ticks()
        assert 2 <= len(ticks) <= MAX_TICKS + 1
        assert all(axis.of.low <= tick["at"] <= axis.of.high for tick in ticks)


def test_the_shaded_region_is_where_the_mapping_leads_to_the_same_cell() -> None:
    specification = small_specification()
    across, up = axes_of(specification)
    vector = (43, 1, 0)
    cell = specification.cells.assign(vector)
    region = draw(specification, vector, cell, across, up)["region"]
    inside = {(region["columns"][i], region["rows"][j]) for i, j in region["inside"]}
    assert len(region["columns"]) == MAX_GRID
    for a in region["columns"]:
        for category in region["rows"]:
            expected = specification.cells.assign((a, int(category == 0), int(category == 1))) == cell
            assert ((a, category) in inside) == expected


def test_moving_along_an_axis_gives_the_missing_value_back() -> None:
    axes = axes_of(mixed())
    nowhere = (2, 1, 1, 0, 49, 1)
    assert axes[0].moved(nowhere, 4) == (4, 1, 0, 0, 49, 1)
    assert axes[3].moved(nowhere, 7) == (2, 1, 1, 0, 7, 0)


def test_she_and_her_group_are_marked_and_the_others_are_all_there() -> None:
    specification = small_specification()
    across, up = axes_of(specification)
    picture = draw(specification, (43, 1, 0), specification.cells.assign((43, 1, 0)), across, up)
    assert picture["me"] == {"x": 43.0, "y": 0.0}
    assert picture["own"]["people"] == 25
    assert picture["shown"] == len(picture["groups"]) == 7
    assert picture["total"] == 8
    json.dumps(picture, allow_nan=False)


@pytest.mark.parametrize("max_work", [100, 2_400_000])
def test_many_groups_are_thinned_to_the_nearest(max_work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n_cells = MAX_GROUPS + 50
    monkeypatch.setattr(picture_module, "MAX_WORK", max_work)
    rows = [ModelRow(vector=(a, 1, 0), level=0, people=30) for a in range(n_cells)]
    sites = tuple((a, 0, 0) for a in range(n_cells))
    cells = PowerDiagram(weights=(1, 0, 0), resolution=1, sites=sites, offsets=(0,) * n_cells)
    attributes = (age(maximum=str(n_cells - 1)), sex())
    specification = build_specification(attributes=attributes, rows=rows, cells=cells)
    across, up = axes_of(specification)
    picture = draw(specification, (100, 1, 0), 100, across, up)
    assert picture["shown"] == MAX_GROUPS
    assert max(abs(x - 100) for x, _, _ in picture["groups"]) <= MAX_GROUPS
    assert (picture["region"] is None) == (max_work == 100), "shading is left out when it would take too long"


def with_regions() -> Specification:
    west, east = {"en": "West", "de": "Westen"}, {"en": "East", "de": "Osten"}
    place = place_names()
    entries = tuple(replace(entry, region=int(entry.vector[0] > 1)) for entry in place.entries)
    labels = ({"en": "To the east", "de": "Nach Osten"}, both("north"))
    place = replace(place, entries=entries, regions=(west, east), axis_labels=labels)
    specification = mixed()
    return replace(specification, attributes=(place, *specification.attributes[1:]))


def test_a_map_names_its_regions_and_not_the_grid() -> None:
    specification = with_regions()
    axes = axes_of(specification)
    assert [axis.label["de"] for axis in axes[:2]] == ["Place: Nach Osten", "Place: north"]
    vector = (1, 1, 0, 1, 40, 0)
    drawn = draw(specification, vector, 0, axes[0], axes[1])
    assert [(p["text"]["en"], p["x"], p["y"]) for p in drawn["places"]] == [
        ("West", 0.5, 1.5),
        ("East", 3, 1.5),
    ]
    assert drawn["across"]["ticks"] == drawn["up"]["ticks"] == []
    over_age = draw(specification, vector, 0, axes[0], axes[3])
    assert over_age["places"] == []
    assert [(tick["at"], tick["text"]["de"]) for tick in over_age["across"]["ticks"]] == [
        (0.5, "Westen"),
        (3, "Osten"),
    ]
    assert draw(mixed(), vector, 0, *axes_of(mixed())[:2])["places"] == []


def test_names_of_regions_that_would_stand_on_each_other_are_left_out() -> None:
    place = place_names()
    entries = tuple(Entry(value=str(x), vector=(x, 0), region=x) for x in range(20))
    regions = tuple(both(f"Region {x}") for x in range(20))
    (axis, _) = replace(place, entries=entries, regions=regions).picture_axes
    ticks = picture_module.Axis(label=both("Place"), attribute=place, start=0, of=axis).ticks()
    assert 2 <= len(ticks) <= MAX_TICKS
