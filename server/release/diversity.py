"""How much a group of answers discloses by itself: distinct values, closeness to the table, unanimity.

A group of at least k people hides who gave which answer. It does not hide an answer that all of them gave.
The three measures here are taken per confidential attribute (a question, seen as values in a domain) and per
group of cells that would appear together in the released table.

Missing answers are not values: nobody is protected by a neighbour who skipped the question, so distinct
values and distributions are those of the answers given. A group in which nobody answered discloses nothing.

References
----------
A. Machanavajjhala et al., l-Diversity: Privacy Beyond k-Anonymity, ACM TKDD 1(1), 2007 (distinct
l-diversity). T. M. Truta, B. Vinay, Privacy Protection: p-Sensitive k-Anonymity Property, ICDEW 2006.
N. Li, T. Li, S. Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and l-Diversity, ICDE 2007
(equal distance: section 5.2 "categorical attributes"; ordered distance: section 5.1 "numerical attributes").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from server.statistics.measures.closeness import Histogram, earth_movers_distance

Measure = Literal["nominal", "ordered", "mark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidentialAttribute:
    """The answers to one question, cell by cell.

    Attributes
    ----------
    name : str
        Name of the question.
    measure : {"nominal", "ordered", "mark"}
        ``nominal``: any two values are equally far; ``ordered``: values are ranks; ``mark``: 1 if the option
        was ticked, else 0, looked at for unanimity only (a rare option is not a lack of diversity).
    domain_size : int or None
        Number of values that the question admits; ``None`` if only those that occur are known (numbers).
    values : tuple of tuple of (int or None)
        Per cell the value of each answer, as its index in the domain; ``None`` where none was given.
    """

    name: str
    measure: Measure
    domain_size: int | None
    values: tuple[tuple[int | None, ...], ...]

    def __post_init__(self) -> None:
        if self.measure not in ("nominal", "ordered", "mark"):
            raise ValueError(f"unknown measure {self.measure!r}")
        if self.domain_size is not None and self.domain_size < 1:
            raise ValueError("a domain has at least one value")
        for cell in self.values:
            for value in cell:
                if value is not None and not 0 <= value < (self.domain_size or value + 1):
                    raise ValueError(f"value {value} of {self.name} lies outside its domain")

    @property
    def judged(self) -> bool:
        """Whether the signed diversity policy applies to this attribute."""
        return self.measure != "mark"

    def histogram(self, cells: Iterable[int]) -> dict[int, int]:
        """Number of times that each value was given in these cells together."""
        counts: Counter[int] = Counter()
        for cell in cells:
            counts.update(value for value in self.values[cell] if value is not None)
        return dict(counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """What one group discloses about one confidential attribute.

    Attributes
    ----------
    name : str
        Name of the question.
    given : int
        Number of people of the group who answered it.
    distinct_values : int
        Number of different answers; higher is safer.
    closeness : Fraction
        Earth mover's distance, 0 to 1, between the group's distribution and that of the released table;
        lower is safer.
    unanimous : bool
        Everybody who answered gave the same answer (for a mark: ticked the option).
    """

    name: str
    given: int
    distinct_values: int
    closeness: Fraction
    unanimous: bool


def measure_group(attribute: ConfidentialAttribute, cells: Iterable[int], table: Histogram) -> Diversity:
    """Measure what a group of cells discloses about one attribute.

    Parameters
    ----------
    attribute : ConfidentialAttribute
        The answers.
    cells : iterable of int
        The cells of the group.
    table : Mapping of int to int
        Histogram of the attribute over the whole released table.
    """
    return measure_histogram(attribute, attribute.histogram(cells), table)


def measure_histogram(attribute: ConfidentialAttribute, group: Histogram, table: Histogram) -> Diversity:
    """As :func:`measure_group`, of a group whose values were counted."""
    unanimous = len(group) == 1 and (attribute.measure != "mark" or 1 in group)
    return Diversity(
        name=attribute.name,
        given=sum(group.values()),
        distinct_values=len(group),
        closeness=earth_movers_distance(
            group, table, ordered=attribute.measure == "ordered", domain_size=attribute.domain_size
        ),
        unanimous=unanimous,
    )
