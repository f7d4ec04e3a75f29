"""How the centroid of a group of cells appears in the released tables.

The quasi-identifiers of a person are on her own device only. What the tables show in their place is the mean
of the eligible people of her group, which the specification published before anybody answered; of a register
it published a point of the map instead (:mod:`shared.register`), and the tables show that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from server.release.columns import TableColumn
from shared.attributes import Attribute, Lookup, Nominal, Numeric, Ordinal
from shared.decimals import round_decimal

SHARE_DIGITS = 3
POSITION_DIGITS = 2


def group_mean(
    cells: Iterable[int], centroids: Sequence[Sequence[str]], eligible: Sequence[Sequence[int]]
) -> tuple[Fraction, ...]:
    """Mean vector of the eligible people of some cells, exactly.

    Parameters
    ----------
    cells : iterable of int
        At least one cell.
    centroids : sequence of sequence of str
        Mean vector of each cell, as decimals.
    eligible : sequence of sequence of int
        Eligible people of each cell per participation level.
    """
    members = [(sum(eligible[cell]), [Fraction(text) for text in centroids[cell]]) for cell in cells]
    people = sum(count for count, _ in members)
    return tuple(
        sum((count * value for (count, _), value in zip(members, column, strict=True)), Fraction(0)) / people
        for column in zip(*(vector for _, vector in members), strict=True)
    )


def attribute_columns(attribute: Attribute, language: str) -> tuple[TableColumn, ...]:
    """Columns that describe the centroid of a group in one quasi-identifier."""
    label, name = attribute.label[language], attribute.name
    absent = attribute.takes_missing
    group = "of the eligible people of the group (of a register rounded), not of the person"
    columns: list[TableColumn]
    if isinstance(attribute, Numeric):
        columns = [
            TableColumn(
                name=name,
                type="number",
                title=label,
                description=f"Mean {group}{_open_ends(attribute)}.",
                unit="as in the title",
                minimum=attribute.minimum,
                maximum=attribute.maximum,
                can_be_missing=absent,
            )
        ]
    elif isinstance(attribute, Ordinal):
        categories = tuple((c.value, c.label[language]) for c in attribute.categories)
        columns = [
            TableColumn(
                name=name,
                type="string",
                title=label,
                description=f"Category nearest to the mean position {group}.",
                categories=categories,
                ordered=True,
                can_be_missing=absent,
            ),
            TableColumn(
                name=f"{name}_position",
                type="number",
                title=f"{label}: mean position",
                description=f"Mean position {group}; 0 is the first category.",
                unit="position in the order of the categories",
                minimum="0",
                maximum=str(len(categories) - 1),
                can_be_missing=absent,
            ),
        ]
    elif isinstance(attribute, Nominal):
        columns = [
            TableColumn(
                name=name,
                type="string",
                title=label,
                description=f"Most frequent category {group}; empty if that is a missing value.",
                categories=tuple((c.value, c.label[language]) for c in attribute.categories),
                can_be_missing=absent,
            ),
            _share(f"{name}_share", f"{label}: share", f"Share of that category among those {group[3:]}."),
        ]
    elif isinstance(attribute, Lookup):
        columns = [
            TableColumn(
                name=name,
                type="string",
                title=label,
                description=f"Entry of the table whose place is nearest to the mean place {group}.",
                can_be_missing=absent,
            )
        ]
        for axis, (low, high) in zip(attribute.axes, attribute.coordinate_ranges, strict=False):
            columns.append(
                TableColumn(
                    name=f"{name}_{axis}",
                    type="number",
                    title=f"{label}: {axis}",
                    description=f"Mean place {group}, along {axis}.",
                    unit=f"units of the table's {axis}",
                    minimum=str(low),
                    maximum=str(high),
                    can_be_missing=absent,
                )
            )
    else:
        raise TypeError(f"no columns for an attribute of kind {attribute.kind!r}")
    if absent and not isinstance(attribute, Nominal):
        columns.append(
            _share(f"{name}_missing", f"{label}: missing", f"Share without a value among those {group[3:]}.")
        )
    return tuple(columns)


def attribute_values(attribute: Attribute, mean: Sequence[Fraction]) -> tuple[str, ...]:
    """Values of :func:`attribute_columns` for a mean vector; empty texts where nobody has a value.

    Parameters
    ----------
    attribute : Attribute
        The quasi-identifier.
    mean : sequence of Fraction, length ``attribute.dimension``
        Mean of its coordinates over the eligible people of the group.
    """
    if isinstance(attribute, Nominal):
        place = max(range(len(mean)), key=lambda index: (mean[index], -index))
        value = attribute.categories[place].value if place < len(attribute.categories) else ""
        return (value, round_decimal(mean[place], SHARE_DIGITS))
    present, marks = _without_missing(attribute, mean)
    if isinstance(attribute, Numeric):
        digits = len(attribute.step.partition(".")[2]) + 1
        number = "" if present is None else round_decimal(attribute.value_at(present[0]), digits)
        return (number, *marks)
    if isinstance(attribute, Ordinal):
        if present is None:
            return ("", "", *marks)
        nearest = min(int(present[0] + Fraction(1, 2)), len(attribute.categories) - 1)
        return (attribute.categories[nearest].value, round_decimal(present[0], POSITION_DIGITS), *marks)
    if isinstance(attribute, Lookup):
        if present is None:
            return ("",) * (1 + len(attribute.axes)) + marks
        place_of = min(attribute.entries, key=lambda entry: _squared(entry.vector, present)).value
        return (place_of, *(round_decimal(value, POSITION_DIGITS) for value in present), *marks)
    raise TypeError(f"no columns for an attribute of kind {attribute.kind!r}")


def share_columns(attribute: Attribute, language: str) -> tuple[TableColumn, ...]:
    """Columns of cells.csv with the share of each category in a group: of nominal quasi-identifiers.

    A category that is nowhere the most frequent one would vanish without them. Of the other kinds the
    specification holds no shares.
    """
    if not isinstance(attribute, Nominal):
        return ()
    label, people = attribute.label[language], "the eligible people of the group (of a register rounded)"
    shares = [
        _share(
            f"{attribute.name}_share_{category.value}",
            f"{label}: share of {category.label[language]}",
            f"Share of this category among {people}.",
        )
        for category in attribute.categories
    ]
    if attribute.takes_missing:
        shares.append(
            _share(f"{attribute.name}_missing", f"{label}: missing", f"Share without a value among {people}.")
        )
    return tuple(shares)


def share_values(attribute: Attribute, mean: Sequence[Fraction]) -> tuple[str, ...]:
    """Values of :func:`share_columns`; parameters as :func:`attribute_values`."""
    if not isinstance(attribute, Nominal):
        return ()
    return tuple(round_decimal(share, SHARE_DIGITS) for share in mean)


def _share(name: str, title: str, description: str) -> TableColumn:
    return TableColumn(
        name=name,
        type="number",
        title=title,
        description=description,
        unit="share, 0 to 1",
        minimum="0",
        maximum="1",
    )


def _open_ends(attribute: Numeric) -> str:
    """Say what the ends of an open range stand for."""
    below = f"; {attribute.minimum} stands for {attribute.minimum} or less" if attribute.open_below else ""
    above = f"; {attribute.maximum} stands for {attribute.maximum} or more" if attribute.open_above else ""
    return below + above


def _without_missing(
    attribute: Attribute, mean: Sequence[Fraction]
) -> tuple[tuple[Fraction, ...] | None, tuple[str, ...]]:
    """Mean of those who have a value, and the share of the others; None if nobody has.

    A missing value lies in the middle of the domain (see :class:`shared.attributes.Attribute`), so the mean
    of the others is (mean - share * middle) / (1 - share), kept within the domain against the rounding of the
    published centroid.
    """
    ranges = attribute.coordinate_ranges
    if not attribute.takes_missing:
        return tuple(_clip(value, bounds) for value, bounds in zip(mean, ranges, strict=True)), ()
    *values, share = mean
    marks = (round_decimal(share, SHARE_DIGITS),)
    if share >= 1:
        return None, marks
    middles = attribute.vector(None)
    return (
        tuple(
            _clip((value - share * middle) / (1 - share), bounds)
            for value, middle, bounds in zip(values, middles, ranges, strict=False)
        ),
        marks,
    )


def _clip(value: Fraction, bounds: tuple[int, int]) -> Fraction:
    return max(Fraction(bounds[0]), min(Fraction(bounds[1]), value))


def _squared(vector: Sequence[int], mean: Sequence[Fraction]) -> Fraction:
    return sum(((value - place) ** 2 for place, value in zip(vector, mean, strict=True)), Fraction(0))
