"""A declaration of every kind of attribute, for tests that go over :data:`shared.attributes.KINDS`.

A kind that is missing here fails all of them by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from shared.attributes import Attribute, Category, Cyclic, Entry, Lookup, Nominal, Numeric, Ordinal
from tests.builders import both

Value = TypeVar("Value")


class ByKind(dict[str, Value]):
    """What stands for each kind, at `place`; a kind that is missing is told with it."""

    def __init__(self, place: str, entries: Mapping[str, Value]) -> None:
        super().__init__(entries)
        self.place = place

    def __missing__(self, kind: str) -> Value:
        raise AssertionError(f"{self.place}: add an entry {kind!r}")


def _common(more: dict[str, Any]) -> dict[str, Any]:
    return {"name": "a", "label": both("A"), "help": both(""), "missing": "refused"} | more


def _categories(*values: str) -> tuple[Category, ...]:
    return tuple(Category(value=value, label=both(value.title())) for value in values)


MADE: dict[str, Callable[..., Attribute]] = ByKind(
    "tests/kinds.py, MADE",
    {
        "numeric": lambda **more: Numeric(**_common(more), minimum="0", maximum="9", step="0.5"),
        "ordinal": lambda **more: Ordinal(**_common(more), categories=_categories("low", "middle", "high")),
        "nominal": lambda **more: Nominal(**_common(more), categories=_categories("red", "green", "blue")),
        "cyclic": lambda **more: Cyclic(**_common(more), categories=_categories(*map(str, range(1, 13)))),
        "lookup": lambda **more: Lookup(
            **_common(more),
            axes=("east", "north"),
            entries=(
                Entry(value="here", vector=(0, 0), label={"en": "1 Here", "de": "1 Hier"}, region=0),
                Entry(value="there", vector=(8, 3), label={"en": "2 There", "de": "2 Dort"}, region=0),
                Entry(value="far", vector=(-5, 9), label={"en": "3 Far", "de": "3 Fern"}, region=1),
            ),
            axis_labels=(
                {"en": "To the east", "de": "Nach Osten"},
                {"en": "To the north", "de": "Nach Norden"},
            ),
            regions=({"en": "Town", "de": "Stadt"}, {"en": "Country", "de": "Land"}),
        ),
    },
)
"""One declaration of each kind; ``missing`` and the like can be given."""

DECLARED: dict[str, str] = ByKind(
    "tests/kinds.py, DECLARED",
    {
        "numeric": "minimum = 0\nmaximum = 9\n",
        "ordinal": 'categories = ["low", "middle", "high"]\n',
        "nominal": 'categories = ["red", "green", "blue"]\n',
        "cyclic": f"categories = {[str(month) for month in range(1, 13)]}\n",
        "lookup": 'table = "places.csv"\naxes = { east = "To the east" }\n'
        'labels = "called"\nregions = "part"\n',
    },
)
"""The keys of each kind in a survey.toml."""

PLACES = "value,east,north,called,part\nhere,0,0,1 Here,Town\nthere,8,3,2 There,Town\nfar,-5,9,3 Far,\n"
"""places.csv."""

ANSWERS: dict[str, tuple[str, ...]] = ByKind(
    "tests/kinds.py, ANSWERS",
    {
        "numeric": tuple(map(str, range(10))),
        "ordinal": ("low", "middle", "high"),
        "nominal": ("red", "green", "blue"),
        "cyclic": tuple(str(month) for month in range(1, 13)),
        "lookup": ("here", "there", "far"),
    },
)
"""What people answer to those."""
