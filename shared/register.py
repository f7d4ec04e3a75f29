"""What a specification may say of the people of a register: a map, and one bound on every cell of it.

Everything that is published of a register is computed from a secret sample of it (the design leaves each
person out with a probability that :func:`left_out` fixes), and then only in the coarse form of this module,
so that no figure tells of fewer than three people:

- *head counts*: the least number of people that a cell of its level of participation needs, and no more;
- *people*: a lower bound with two digits;
- *weights*: four binary digits;
- *sites*: steps of more than three people's largest contribution to a mean, nothing between nobody and three;
- *centroids*: what the map itself says, not the people.

A device checks that form (check 8), and an auditor with the register and its salt all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from shared.attributes import Attribute
from shared.cells import Balls, Boxes, Cells, PowerDiagram
from shared.decimals import round_decimal
from shared.geometry import Ranges
from shared.limits import MAX_LEVELS, MAX_PEOPLE
from shared.specification import CENTROID_DIGITS, Specification, ranges_of

SEVERAL: Final = 3
"""No published figure may tell of fewer people."""
PEOPLE_DIGITS: Final = 2
WEIGHT_BITS: Final = 4
CERTAINTY: Final = 10_000
"""In one cell out of so many, at most, everybody of a smallest cell is in the secret sample."""
MAX_BOUNDS: Final = MAX_LEVELS * (MAX_LEVELS + 1) // 2
"""Different bounds that there can be: one level, or two."""
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


class Bounds:
    """What is published of the head counts of a register's cells: one of a few vectors.

    A cell is said to have, at one level of participation, the least number of people that is acceptable
    there; or half as many as a cell needs at a higher level, and at a lower one the least number that is
    acceptable with those. People beyond count for nothing, and people may count at a lower level than their
    own.

    Parameters
    ----------
    needs : sequence of int, length L
        ``n_min_safe`` of each level, ascending in participation.
    acceptable : callable
        Whether a cell of so many people per level (a tuple of length L) may exist.

    Notes
    -----
    Guarantee: if the bound of a cell is acceptable, so is the cell, for people who decide alone.
    Let K' count those of the bound but one who take part. When somebody is added or is more likely to take
    part, qbar changes with the sign of P{K' = 0} - P{K' = k-1}. The ratio of the latter to the former is an
    elementary symmetric function of the odds: it only grows, and is at least 1 at ``n_min_safe``. rbar' falls
    because the number of the others who take part grows stochastically. Where people decide together, design
    and audit compute the failure of the true cells as well.
    """

    def __init__(self, needs: Sequence[int], acceptable: Callable[[tuple[int, ...]], bool]) -> None:
        self._needs = tuple(needs)
        self._acceptable = acceptable
        self._least: dict[tuple[int, int | None], int] = {}

    def of(self, counts: Sequence[int]) -> tuple[int, ...] | None:
        """The bound of a cell of so many people per level; None if the cell must not exist.

        The highest level at which the people of that level and above suffice; where half a need is met above
        it, they count there. Bounds are their own bounds.
        """
        reached, half = 0, None
        for level in range(len(self._needs) - 1, -1, -1):
            reached += counts[level]
            for above in dict.fromkeys((None, half)):
                taken = 0 if above is None else self._half(above)
                least = self._least_at(level, above)
                if reached - taken >= least:
                    return self._vector(level, least, above)
            if half is None and reached >= self._half(level):
                half = level
        return None

    def _half(self, level: int) -> int:
        return -(-self._needs[level] // 2)

    def _vector(self, level: int, people: int, above: int | None) -> tuple[int, ...]:
        counts = [0] * len(self._needs)
        counts[level] = people
        if above is not None:
            counts[above] = self._half(above)
        return tuple(counts)

    def _least_at(self, level: int, above: int | None) -> int:
        """Fewest people of a level that make an acceptable cell, with half a need at the level ``above``."""
        if above is None:
            return self._needs[level]
        if (level, above) not in self._least:
            # Never fewer people than any cell has; from there on the failure falls.
            low, high = max(0, min(self._needs) - self._half(above)), self._needs[level]
            while low < high:
                middle = (low + high) // 2
                enough = self._acceptable(self._vector(level, middle, above))
                low, high = (low, middle) if enough else (middle + 1, high)
            found = self._acceptable(self._vector(level, low, above))
            self._least[level, above] = low if found else MAX_PEOPLE + 1
        return self._least[level, above]


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
    what no ball contains.
    """
    if isinstance(cells, PowerDiagram):
        points = [tuple(Fraction(value, cells.resolution) for value in site) for site in cells.sites]
    elif isinstance(cells, Boxes):
        points = [_middle_of_box(box, attributes) for box in cells.boxes]
    elif isinstance(cells, Balls):
        points = [tuple(map(Fraction, reference)) for reference in cells.references]
        if cells.count > len(points):
            points.append(_middle_of_box(ranges_of(attributes), attributes))
    else:
        raise ValueError("tabulated tuples of a register are never published")
    return tuple(tuple(round_decimal(value, CENTROID_DIGITS) for value in point) for point in points)


def _middle_of_box(box: Ranges, attributes: Sequence[Attribute]) -> tuple[Fraction, ...]:
    point: list[Fraction] = []
    for attribute in attributes:
        point += attribute.middle_of(box[len(point) : len(point) + attribute.dimension])
    return tuple(point)


def off_the_grid(specification: Specification, bounds: Bounds) -> tuple[str, str] | None:
    """The first figure of a register that is finer than this module allows: where, and what was expected."""
    needs, cells = specification.n_min_safe, specification.cells
    fit = {counts: counts == bounds.of(counts) for counts in set(specification.eligible)}
    for cell, counts in enumerate(specification.eligible):
        if not fit[counts]:
            return f"eligible[{cell}]", "no more people than make a cell acceptable"
    if specification.model.people != coarse_people(specification.model.people):
        return "model.people", f"a number with {PEOPLE_DIGITS} digits, then zeros"
    for j, weight in enumerate(specification.weights):
        if weight != coarse_weight(weight):
            return f"weights[{j}]", f"a number of {WEIGHT_BITS} binary digits, then zeros"
    if isinstance(cells, PowerDiagram):
        steps = site_steps(specification.coordinate_ranges, cells.resolution, min(needs))
        for i, site in enumerate(cells.sites):
            grids = zip(site, specification.coordinate_ranges, steps, strict=True)
            for j, (value, (low, high), step) in enumerate(grids):
                if not on_grid(value, cells.resolution * low, cells.resolution * high, step):
                    return f"cells.sites[{i}][{j}]", f"steps of {step} from {cells.resolution * low}"
    points = map_centroids(cells, specification.attributes)
    for cell, point in enumerate(points):
        for j, coordinate in enumerate(point):
            if specification.centroids[cell][j] != coordinate:
                return f"centroids[{cell}][{j}]", coordinate
    return None
