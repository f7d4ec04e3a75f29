"""Hypothesis strategies that several tests share: attributes, partitions, JSON."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import strategies as st

from shared.attributes import Attribute, Category, Cyclic, Entry, Lookup, Nominal, Numeric, Ordinal
from shared.cells import Balls, Boxes, Cells, CutTree, DistrictCells, PowerDiagram, Prototypes
from shared.characters import clean_value
from shared.decimals import format_decimal
from shared.geometry import Ranges, Vector
from tests.builders import both
from tests.kinds import ByKind

MISSING = st.sampled_from(("refused", "own-category"))
VALUES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")).filter(clean_value), min_size=1, max_size=8
)

KEYS = st.binary(min_size=32, max_size=32).map(
    lambda secret: Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()
)
"""Public keys of Ed25519."""


def _common(name: str, missing: str) -> dict[str, Any]:
    return {"name": name, "label": both(name.title()), "help": both(""), "missing": missing}


@st.composite
def numerics(draw: st.DrawFn, name: str = "number") -> Numeric:
    """Up to 300 steps, with up to two decimals."""
    step = Fraction(draw(st.integers(1, 60)), draw(st.sampled_from((1, 2, 5, 10, 100))))
    low = Fraction(draw(st.integers(-5000, 5000)), 100)
    high = low + step * draw(st.integers(1, 300))
    return Numeric(
        **_common(name, draw(MISSING)),
        minimum=format_decimal(low),
        maximum=format_decimal(high),
        step=format_decimal(step),
        open_below=draw(st.booleans()),
        open_above=draw(st.booleans()),
        rounding=draw(st.sampled_from(("exact", "down", "nearest"))),
    )


@st.composite
def _categories(draw: st.DrawFn) -> tuple[Category, ...]:
    """Two to six."""
    values = draw(st.lists(VALUES, min_size=2, max_size=6, unique=True))
    return tuple(Category(value=v, label=both(v)) for v in values)


@st.composite
def ordinals(draw: st.DrawFn, name: str = "order") -> Ordinal:
    """Ordered categories."""
    return Ordinal(**_common(name, draw(MISSING)), categories=draw(_categories()))


@st.composite
def nominals(draw: st.DrawFn, name: str = "category") -> Nominal:
    """Unordered categories."""
    return Nominal(**_common(name, draw(MISSING)), categories=draw(_categories()))


@st.composite
def cyclics(draw: st.DrawFn, name: str = "cycle") -> Cyclic:
    """Three to nine steps."""
    values = draw(st.lists(VALUES, min_size=3, max_size=9, unique=True))
    categories = tuple(Category(value=v, label=both(v)) for v in values)
    return Cyclic(**_common(name, draw(MISSING)), categories=categories)


@st.composite
def lookups(draw: st.DrawFn, name: str = "place") -> Lookup:
    """Up to eight categories in a plane, some at the same place."""
    values = draw(st.lists(VALUES, min_size=2, max_size=8, unique=True))
    axes = tuple(f"axis {i}" for i in range(draw(st.integers(1, 3))))
    coordinate = st.integers(-4, 4)
    entries = tuple(Entry(value=v, vector=tuple(draw(coordinate) for _ in axes)) for v in values)
    return Lookup(**_common(name, draw(MISSING)), axes=axes, entries=entries)


DRAWN: dict[str, Callable[[str], st.SearchStrategy[Attribute]]] = ByKind(
    "tests/shared/strategies.py, DRAWN",
    {
        "numeric": numerics,
        "ordinal": ordinals,
        "nominal": nominals,
        "cyclic": cyclics,
        "lookup": lookups,
    },
)
"""Declarations of every kind, by a name."""


def attributes(name: str = "attribute") -> st.SearchStrategy[Attribute]:
    """Any quasi-identifier."""
    return st.one_of(*(drawn(name) for drawn in DRAWN.values()))


def admissible(attribute: Attribute) -> list[str | None]:
    """Every canonical answer."""
    first: dict[Vector, str] = {}
    for value in attribute.listed:
        first.setdefault(attribute.vector(value), value)
    texts: list[str | None] = list(first.values())
    if isinstance(attribute, Numeric):
        texts = [format_decimal(attribute.value_at(Fraction(i))) for i in range(attribute.last + 1)]
    return [*texts, None] if attribute.takes_missing else texts


@st.composite
def domains(draw: st.DrawFn) -> Ranges:
    """One to three small coordinates."""
    ends = st.tuples(st.integers(-6, 6), st.integers(0, 7))
    return tuple((low, low + width) for low, width in draw(st.lists(ends, min_size=1, max_size=3)))


def points(ranges: Ranges, resolution: int = 1) -> st.SearchStrategy[Vector]:
    """Vectors within a domain."""
    return st.tuples(*(st.integers(resolution * low, resolution * high) for low, high in ranges))


@st.composite
def cut_trees(draw: st.DrawFn, ranges: Ranges) -> CutTree:
    """Of a domain of more than one point: at most three cuts deep."""

    def nodes(box: Ranges, depth: int) -> list[tuple[int, int] | None]:
        wide = [j for j, (low, high) in enumerate(box) if low < high]
        if depth and (not wide or depth > 2 or draw(st.booleans())):
            return [None]
        j = draw(st.sampled_from(wide))
        low, high = box[j]
        value = draw(st.integers(low, high - 1))
        sides = ((*box[:j], bounds, *box[j + 1 :]) for bounds in ((low, value), (value + 1, high)))
        return [(j, value), *(node for side in sides for node in nodes(side, depth + 1))]

    return CutTree(nodes=tuple(nodes(ranges, 0)))


@st.composite
def partitions(draw: st.DrawFn) -> tuple[Cells, Ranges]:
    """Cells of any shape over a small domain; small numbers make ties common."""
    ranges = draw(domains())
    weights = draw(st.tuples(*(st.integers(0, 4) for _ in ranges)))
    if not draw(st.integers(0, 4)) and any(low < high for low, high in ranges):
        tree = draw(cut_trees(ranges))
        parts = tuple(draw(plain_cells(ranges, weights)) for _ in range(tree.leaves))
        return DistrictCells(weights=weights, tree=tree, districts=parts), ranges
    return draw(plain_cells(ranges, weights)), ranges


@st.composite
def plain_cells(draw: st.DrawFn, ranges: Ranges, weights: Vector) -> Cells:
    """Cells that are not put together."""
    shape = draw(st.sampled_from(("balls", "power-diagram", "boxes", "prototypes")))
    m = draw(st.integers(1, 6))
    if shape == "boxes":
        boxes = tuple(
            tuple((min(a, b), max(a, b)) for a, b in zip(draw(points(ranges)), draw(points(ranges))))
            for _ in range(m)
        )
        return Boxes(weights=weights, boxes=boxes)
    resolution = draw(st.integers(1, 4)) if shape == "power-diagram" else 1
    sites = tuple(draw(points(ranges, resolution)) for _ in range(m))
    if shape == "balls":
        radii = tuple(draw(st.integers(0, 40)) for _ in sites)
        remainder = draw(st.sampled_from(("last", "nearest")))
        return Balls(weights=weights, references=sites, radii=radii, remainder=remainder)
    if shape == "power-diagram":
        offsets = tuple(draw(st.integers(-60, 60)) for _ in sites)
        return PowerDiagram(weights=weights, resolution=resolution, sites=sites, offsets=offsets)
    labels = [draw(st.integers(0, m - 1)) for _ in sites]
    dense = {label: i for i, label in enumerate(sorted(set(labels)))}
    return Prototypes(weights=weights, points=sites, cells=tuple(dense[v] for v in labels))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
"""Any JSON value without floats."""
