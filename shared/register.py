"""What a specification may say of the people of a register: a map, and one bound on every cell of it.

Everything that is published of a register is computed from a secret sample of it (the design leaves each
person out with a probability that :func:`left_out` fixes), and then only in the coarse form of this module,
so that no figure tells of fewer than three people:

- *head counts*: the least number of people that a cell of its level of participation needs, and no more;
- *people*: a lower bound with two digits;
- *weights*: four binary digits;
- *sites*: steps of more than three people's largest contribution to a mean, nothing between nobody and three;
- *cuts* between districts: the same steps;
- *centroids*: what the map itself says, not the people.

A device checks that form (check 8), and an auditor with the register and its salt all the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Final

from shared.attributes import Attribute
from shared.cell_tables import CENTROID_DIGITS
from shared.cells import (
    Balls,
    Boxes,
    Cells,
    CutTree,
    DistrictCells,
    PowerDiagram,
    ReferencedCells,
    UnitCells,
)
from shared.decimals import round_decimal
from shared.geometry import Ranges
from shared.specification import Specification, ranges_of

SEVERAL: Final = 3
"""No published figure may tell of fewer people."""
PEOPLE_DIGITS: Final = 2
WEIGHT_BITS: Final = 4
CERTAINTY: Final = 10_000
"""In one cell out of so many, at most, everybody of a smallest cell is in the secret sample."""
SHARES: Final = 256
"""The share that is left out is a whole number of 1/256: one random byte decides on a person."""


def left_out(need: int) -> int:
    """How many 256ths of a register its secret sample leaves out.

    Parameters
    ----------
    need : int
        Fewest people of a cell (the smallest ``n_min_safe``), >= 1.

    Notes
    -----
    The least b >= 1 with (1 - b/256)^need <= 1/10000. Whoever knows everybody but one person
    learns for certain that she is in a cell only if all of the cell's ``need`` people are in the sample. It
    costs about nine people a cell, whatever the need.
    """
    return next(b for b in range(1, SHARES) if (SHARES - b) ** need * CERTAINTY <= SHARES**need)


def bound_of(counts: Sequence[int], needs: Sequence[int]) -> tuple[int, ...] | None:
    """What is published of the people of a register's cell: as many as one needs at one level, no more.

    The highest level at which the people of that level and above suffice; those beyond count for nothing, and
    those above at this level. None if there is no such level: then the cell must not exist.

    Parameters
    ----------
    counts : sequence of int, length L
        People per level, ascending in participation.
    needs : sequence of int, length L
        ``n_min_safe`` of each level.

    Notes
    -----
    Guarantee: the cell fails no more often than its bound, for people who decide alone.
    Let K' count those of the bound but one who take part. When somebody is added or is more likely to take
    part, qbar changes with the sign of P{K' = 0} - P{K' = k-1}. The ratio of the latter to the former is an
    elementary symmetric function of the odds: it only grows, and is at least 1 at ``n_min_safe``. rbar' falls
    because the number of the others who take part grows stochastically. Where people decide together, design
    and audit compute the failure of the true cells as well.

    A bound of two levels, with fewer people at each, would make cells a little finer and tell of half a need:
    everybody of one is in the secret sample in one case of a hundred, see :func:`left_out`.
    """
    reached = 0
    for level in range(len(needs) - 1, -1, -1):
        reached += counts[level]
        if reached >= needs[level]:
            return tuple(needs[level] if i == level else 0 for i in range(len(needs)))
    return None


def coarse_people(people: int) -> int:
    """Rounded down to two digits."""
    unit: int = 10 ** max(0, len(str(people)) - PEOPLE_DIGITS)
    return people // unit * unit


def coarse_weight(weight: int) -> int:
    """Rounded down to four binary digits."""
    shift = max(0, weight.bit_length() - WEIGHT_BITS)
    return weight >> shift << shift


def site_steps(ranges: Ranges, resolution: int, need: int) -> tuple[int, ...]:
    """Step of the sites in each coordinate, in units of 1/resolution.

    More than three people's largest contribution to the mean of ``need`` people: 3 (high - low) / need,
    upwards.
    """
    return tuple(max(1, -(-SEVERAL * resolution * (high - low) // need)) for low, high in ranges)


def on_grid(value: int, low: int, high: int, step: int) -> bool:
    """Whether a coordinate of a site is one of low, low + step, ..., or high."""
    return value == high or (value - low) % step == 0


def map_centroids(cells: Cells, attributes: Sequence[Attribute]) -> tuple[tuple[str, ...], ...]:
    """What stands for the centroid of each cell of a register: a function of the map alone.

    The site of a power diagram; the middle of a box, where every category inside counts alike and nobody is
    taken to lack a value unless everybody must; the reference of a ball, and the middle of the domain for
    what no ball contains. In a unit the mean place of its answers stands for the attribute of units.
    """
    points = _map_points(cells, attributes)
    # Sites lie on a grid of few values: each of those is written once.
    texts = {value: round_decimal(value, CENTROID_DIGITS) for value in set(chain.from_iterable(points))}
    return tuple(tuple(texts[value] for value in point) for point in points)


def _map_points(cells: Cells, attributes: Sequence[Attribute]) -> list[tuple[Fraction, ...]]:
    if isinstance(cells, UnitCells):
        points = []
        for unit in cells.units:
            end = cells.first + len(unit.places[0])
            mean = tuple(Fraction(sum(axis), len(axis)) for axis in zip(*unit.places, strict=True))
            points += [
                (*point[: cells.first], *mean, *point[end:]) for point in _map_points(unit.cells, attributes)
            ]
        return points
    if isinstance(cells, DistrictCells):
        return [point for part in cells.districts for point in _map_points(part, attributes)]
    if isinstance(cells, ReferencedCells):
        return [()] * cells.count
    if isinstance(cells, PowerDiagram):
        places = {value: Fraction(value, cells.resolution) for value in set(chain.from_iterable(cells.sites))}
        points = [tuple(places[value] for value in site) for site in cells.sites]
    elif isinstance(cells, Boxes):
        points = [_middle_of_box(box, attributes) for box in cells.boxes]
    elif isinstance(cells, Balls):
        points = [tuple(map(Fraction, reference)) for reference in cells.references]
        if cells.count > len(points):
            points.append(_middle_of_box(ranges_of(attributes), attributes))
    else:
        raise ValueError("tabulated tuples of a register are never published")
    return points


def _middle_of_box(box: Ranges, attributes: Sequence[Attribute]) -> tuple[Fraction, ...]:
    point: list[Fraction] = []
    for attribute in attributes:
        point += attribute.middle_of(box[len(point) : len(point) + attribute.dimension])
    return tuple(point)


def off_the_grid(specification: Specification) -> tuple[str, str] | None:
    """The first figure of a register that is finer than this module allows: where, and what was expected."""
    needs, cells = specification.n_min_safe, specification.cells
    fit = {counts: counts == bound_of(counts, needs) for counts in set(specification.eligible) if counts}
    for cell in specification.held:
        if not fit[specification.eligible[cell]]:
            return f"eligible[{cell}]", "no more people than make a cell acceptable"
    if specification.model.people != coarse_people(specification.model.people):
        return "model.people", f"a number with {PEOPLE_DIGITS} digits, then zeros"
    for j, weight in enumerate(specification.weights):
        if weight != coarse_weight(weight):
            return f"weights[{j}]", f"a number of {WEIGHT_BITS} binary digits, then zeros"
    if isinstance(cells, DistrictCells) and (finer := _off_the_grid_of_cuts(specification, cells.tree)):
        return finer
    for number, part in enumerate(cells.parts):
        if finer := _off_the_grid_of_sites(specification, part, cells.part_path.format(number)):
            return finer
    points = map_centroids(cells, specification.attributes)
    for cell, point in enumerate(points):
        for j, coordinate in enumerate(point):
            if specification.centroids[cell][j] != coordinate:
                return f"centroids[{cell}][{j}]", coordinate
    return None


def _off_the_grid_of_cuts(specification: Specification, tree: CutTree) -> tuple[str, str] | None:
    ranges = specification.coordinate_ranges
    steps = site_steps(ranges, 1, min(specification.n_min_safe))
    for place, cut in enumerate(tree.nodes):
        if cut is not None:
            coordinate, value = cut
            (low, high), step = ranges[coordinate], steps[coordinate]
            if not on_grid(value, low, high, step):
                return f"cells.tree[{place}]", f"steps of {step} from {low}"
    return None


def _off_the_grid_of_sites(specification: Specification, cells: Cells, place: str) -> tuple[str, str] | None:
    if not isinstance(cells, PowerDiagram):
        return None
    ranges, resolution = specification.coordinate_ranges, cells.resolution
    steps = site_steps(ranges, resolution, min(specification.n_min_safe))
    for i, site in enumerate(cells.sites):
        for j, (value, (low, high), step) in enumerate(zip(site, ranges, steps, strict=True)):
            if not on_grid(value, resolution * low, resolution * high, step):
                return f"{place}.sites[{i}][{j}]", f"steps of {step} from {resolution * low}"
    return None
