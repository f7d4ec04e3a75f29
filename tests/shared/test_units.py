"""Units of law: cells of their own, names, neighbours, and which of them were joined."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.attributes import Lookup
from shared.attributes.lookup import Entry
from shared.cells import UnitCells, parse_cells
from shared.declarations import ReleaseRule
from shared.errors import SpecificationError
from shared.invitation import Invitation
from shared.joining import row_of
from shared.soundness import examine
from shared.specification import Specification
from shared.units import names_of_units, neighbourhood, units_joined, units_of
from tests.builders import (
    ORGANIZER_KEY,
    age,
    both,
    build_specification,
    public_bytes,
    register_cells,
    sex,
    sign,
    small_rows,
    small_specification,
)
from tests.elections import election_specification
from tests.unit_cells import WEIGHTS, band_cells, election_of_units, unit_cells

ATTRIBUTES = (age(), sex())
RANGES = tuple(bounds for attribute in ATTRIBUTES for bounds in attribute.coordinate_ranges)


def test_no_box_has_people_of_two_units() -> None:
    cells, quick = unit_cells(), unit_cells().assigner()
    assert (cells.count, cells.compared, cells.members) == (8, 4, (range(4), range(4, 8)))
    for a, f in itertools.product(range(100), (0, 1)):
        x = (a, f, 1 - f)
        band = min(range(4), key=lambda i: (abs(a - (12, 37, 62, 87)[i]), i))
        assert cells.assign(x) == quick(x) == band + 4 * (1 - f)
        assert cells.assign(x) in cells.members[cells.part_of(x)]
    assert cells.part_of((5, 1, 1)) == 0, "nobody answers so"
    assert cells.largest_value(RANGES) == band_cells(1).largest_value(RANGES)
    assert cells.parts == (band_cells(1), band_cells(0))


def test_a_specification_with_units_survives_a_round_trip() -> None:
    specification = election_of_units()
    assert Specification.parse(specification.to_bytes()) == specification
    assert row_of(specification).units == ((0, 4), (4, 8))
    assert row_of(small_specification()).units == ()


def change(*path: str | int, to: Any) -> Callable[[Any], None]:
    """Put a value into a document."""

    def put(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return put


@pytest.mark.parametrize(
    ("defect", "where"),
    [
        (change("cells", "units", 1, "values", to=["female"]), "cells.units"),
        (change("cells", "units", 1, "values", to=["female", "male"]), "cells.units"),
        (change("cells", "units", 1, "values", to=[]), "cells.units"),
        (change("cells", "units", 1, "values", to=["else"]), "cells.units"),
        (change("cells", "attribute", to="height"), "cells.attribute"),
        (change("cells", "attribute", to="age"), "cells.attribute"),
        (change("attributes", 1, "missing", to="own-category"), "weights"),
        (change("cells", "units", 0, "cells", to=unit_cells().to_object()), "cells.units[0].cells"),
        (change("cells", "units", to=[]), "cells.units"),
        (change("release", "row", to=[0, 1, 2, 7, 3, 6, 5, 4]), "release.row"),
        (change("release", "row", to=[0, 1, 2, 3, 7, 6, 5, 5]), "release.row"),
    ],
)
def test_units_that_do_not_fit_are_refused(defect: Callable[[Any], None], where: str) -> None:
    document = json.loads(election_of_units().to_bytes())
    defect(document)
    with pytest.raises(SpecificationError) as caught:
        Specification.parse(json.dumps(document).encode())
    assert caught.value.where.startswith(where)


def test_an_answer_that_may_be_missing_makes_no_units() -> None:
    with pytest.raises(SpecificationError, match="may be missing"):
        UnitCells.of(
            (1, 1, 1, 1), (age(), sex(missing="own-category")), "sex",
            [(("female",), band_cells(1)), (("male",), band_cells(0))],
        )  # fmt: skip


def test_units_are_joined_by_counts_alone() -> None:
    cells = unit_cells()
    with pytest.raises(SpecificationError, match="numbers of answers alone"):
        Specification.parse(small_specification(cells=cells, row=tuple(range(8))).to_bytes())
    with pytest.raises(SpecificationError):
        parse_cells(cells.to_object(), "cells", WEIGHTS, RANGES)


def quarters(*places: int) -> Lookup:
    """Three parts of town."""
    names = ("North", "South", "West")
    entries = tuple(Entry(value=n, vector=(p,)) for n, p in zip(names, places, strict=True))
    return Lookup(
        name="quarter", label=both("Q"), help=both(""), missing="refused", axes=("x",), entries=entries
    )


def test_two_units_at_one_place_are_refused() -> None:
    one = replace(band_cells(1), weights=(1,), sites=((0,),), offsets=(0,))
    apart = [(("North", "South"), one), (("West",), one)]
    assert UnitCells.of((1,), (quarters(3, 3, 4),), "quarter", apart).assign((4,)) == 1
    with pytest.raises(SpecificationError, match="tell them apart"):
        UnitCells.of((1,), (quarters(4, 3, 4),), "quarter", apart)


def test_units_have_the_names_of_their_answers() -> None:
    specification = election_of_units(row=(7, 6, 5, 4, 0, 1, 2, 3))
    assert [(unit.name["de"], unit.boxes) for unit in units_of(specification)] == [
        ("Männlich", (4, 5, 6, 7)), ("Weiblich", (0, 1, 2, 3)),
    ]  # fmt: skip
    assert units_of(small_specification()) == ()
    one = replace(band_cells(1), weights=(1,), sites=((0,),), offsets=(0,))
    parts = [(("North", "West"), one), (("South",), one)]
    quarter = quarters(0, 1, 2)
    plain = replace(
        specification,
        attributes=(quarter,),
        cells=UnitCells.of((1,), (quarter,), "quarter", parts),
        row=(1, 0),
    )
    assert [unit.name["en"] for unit in units_of(plain)] == ["South", "North, West"]


def test_neighbours_are_those_of_the_unit() -> None:
    specification = election_of_units()
    women, men = units_of(specification)
    for cell, boxes, unit, units in (
        (0, (1,), women, (men,)),
        (3, (2,), women, (men,)),
        (6, (7, 5), men, (women,)),
    ):
        found = neighbourhood(specification, cell)
        assert (found.boxes, found.unit, found.units) == (boxes, unit, units)
    found = neighbourhood(small_specification(), 3)
    assert (found.boxes, found.unit, found.units) == ((2, 4), None, ())


def test_units_that_a_group_crosses_are_one() -> None:
    specification = election_of_units()
    alone = [(cell,) for cell in range(8)]
    assert units_joined(specification, alone) == ((0,), (1,))
    assert units_joined(specification, [(0, 1), (2,), (3, 7), (4, 5, 6)]) == ((0, 1),)


def test_a_register_in_units_is_sound_and_its_points_are_in_the_unit() -> None:
    own = register_cells()
    parts = [
        (values, replace(own, sites=own.sites[f::2], offsets=own.offsets[f::2]))
        for values, f in ((("female",), 1), (("male",), 0))
    ]
    cells = UnitCells.of(own.weights, ATTRIBUTES, "sex", parts)
    rule = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)
    specification = build_specification(
        attributes=ATTRIBUTES, rows=small_rows(), cells=cells, kind="register", release=rule
    )
    assert {point[1:] for point in specification.centroids[:4]} == {("1.0000", "0.0000")}
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    invitation = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
    assert examine(envelope, [True], invitation).line("check.model-shape").outcome == "passed"
    finer = replace(parts[1][1], sites=((166, 0, 10), *parts[1][1].sites[1:]))
    other = UnitCells.of(own.weights, ATTRIBUTES, "sex", [parts[0], (("male",), finer)])
    envelope = sign(replace(specification, cells=other).to_bytes(), ORGANIZER_KEY)
    refused = examine(envelope, [True], invitation).line("check.model-shape").error
    assert refused is not None
    assert refused.where.startswith("cells.units[1].cells.sites[0]")


def test_a_group_has_the_names_of_its_units() -> None:
    specification = election_of_units()
    assert names_of_units(specification, (0, 1), "en") == ("Female",)
    assert names_of_units(specification, (3, 7), "en") == ("Female", "Male")
    assert names_of_units(election_specification(), (0, 1), "en") == ()
