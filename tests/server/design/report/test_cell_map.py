"""Integers from which the map is drawn."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.design.report.cell_map import NOWHERE, SCALE, failure_step, map_axes, map_data
from shared.attributes import Category, Entry, Lookup, Nominal, Numeric, Ordinal

TEXT = {"en": "Thing"}


def numeric(minimum: str = "17", maximum: str = "90", step: str = "1", missing: str = "refused") -> Numeric:
    return Numeric(
        name="n", label=TEXT, help=TEXT, missing=missing, minimum=minimum, maximum=maximum, step=step
    )


def categories(count: int) -> tuple[Category, ...]:
    return tuple(Category(value=f"v{i}", label={"en": f"Label {i}"}) for i in range(count))


NOMINAL = Nominal(name="c", label=TEXT, help=TEXT, missing="own-category", categories=categories(2))
ORDINAL = Ordinal(name="o", label=TEXT, help=TEXT, missing="refused", categories=categories(20))
LOOKUP = Lookup(
    name="p",
    label=TEXT,
    help=TEXT,
    missing="refused",
    axes=("x", "y"),
    entries=(Entry(value="a", vector=(-10, 0)), Entry(value="b", vector=(40, 5))),
)


def test_axes_of_every_kind() -> None:
    number, nominal, ordinal, east, north = map_axes((numeric(), NOMINAL, ORDINAL, LOOKUP), "en")
    assert (number.low, number.high, number.bands) == (0, 73 * SCALE, False)
    assert number.ticks == ((3000, "20"), (23000, "40"), (43000, "60"), (63000, "80"))
    assert [text for _, text in nominal.ticks] == ["Label 0", "Label 1", "no answer"]
    assert (nominal.low, nominal.high, nominal.bands) == (-500, 2500, True)
    assert [text for _, text in ordinal.ticks][:2] == ["Label 0", "Label 3"]
    assert (east.label, north.label) == ("Thing: x", "Thing: y")
    assert east.ticks[0] == (-10 * SCALE, "-10")


@settings(deadline=None)
@given(
    st.integers(-(10**6), 10**6),
    st.integers(1, 10**6),
    st.sampled_from(["0.001", "0.5", "1", "7", "1000"]),
)
def test_ticks_lie_on_the_axis_and_are_few(minimum: int, steps: int, step: str) -> None:
    maximum = minimum + steps * Decimal(step)
    (axis,) = map_axes((numeric(str(minimum), str(maximum), step),), "en")
    assert 1 <= len(axis.ticks) <= 7
    assert all(axis.low <= position <= axis.high for position, _ in axis.ticks)
    assert len({text for _, text in axis.ticks}) == len(axis.ticks)


def test_cells_stand_at_their_centroids() -> None:
    attributes = (numeric(), NOMINAL, LOOKUP)
    data = map_data(
        attributes=attributes,
        language="en",
        people=[57, 3],
        centroids=[
            ("12.5000", "0.2000", "0.7000", "0.1000", "-2.5000", "1.0000"),
            ("0.0000", "0.0000", "0.0000", "1.0000", "40.0000", "5.0000"),
        ],
        failures=[Decimal("1e-7"), Decimal("0.9")],
        acceptable=Decimal("1e-6"),
    )
    assert data["cells"] == [[57, 2, 12500, 1000, -2500, 1000], [3, 4, 0, 2000, 40000, 5000]]
    assert data["people"] == []


def test_people_without_a_value_do_not_pull_a_cell_to_the_middle() -> None:
    attribute = numeric(minimum="0", maximum="100", missing="own-category")
    shown = [
        map_data(
            attributes=(attribute,),
            language="en",
            people=[10],
            centroids=[centroid],
            failures=[Decimal(0)],
            acceptable=Decimal(1),
        )["cells"][0][2]
        for centroid in (("30.0000", "0.5000"), ("50.0000", "1.0000"), ("10.0000", "0.0000"))
    ]
    assert shown == [10 * SCALE, NOWHERE, 10 * SCALE]


def test_tuples_are_drawn_unless_they_are_too_many() -> None:
    def people(count: int) -> list[list[int]]:
        data = map_data(
            attributes=(numeric(maximum="1000000"),),
            language="en",
            people=[1],
            centroids=[("0.0000",)],
            failures=[Decimal(0)],
            acceptable=Decimal(1),
            tuples=[(value,) for value in range(count)],
        )
        return list(data["people"])

    assert people(3) == [[0], [1000], [2000]]
    assert people(100_001) == []


@pytest.mark.parametrize(
    ("failure", "step"),
    [("0", 0), ("1e-10", 0), ("1.1e-10", 1), ("1e-8", 1), ("1e-7", 2), ("1e-6", 3), ("1.0001e-6", 4)],
)
def test_colour_steps(failure: str, step: int) -> None:
    assert failure_step(Decimal(failure), Decimal("1e-6")) == step
