"""Diversity and closeness as constraints: groups are united until every one of them keeps them.

All three only improve when groups are united: what two groups keep is kept by their union
(Machanavajjhala et al. 2007, section 4; Li, Li, Venkatasubramanian 2007, section 3). So uniting ends, at the
latest with all records in one group, and groups that happen to publish the same values keep them as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.measures.diversity import coded
from server.tables.column import DataColumn
from server.wording import quoted
from shared.errors import DesignError, InputError

_CANDIDATES: Final = 8
"""Nearest groups among which the first that mends a group is taken."""

_SLACK: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What every group keeps, of every confidential attribute.

    Attributes
    ----------
    distinct : int or None
        Fewest different values.
    recursive : (c, l) or None
        The most frequent value occurs less than c times as often as all from the l-th on together.
    closeness : float or None
        Greatest earth mover's distance from the table: ordered for numbers and orders, else equal.
    """

    distinct: int | None = None
    recursive: tuple[float, int] | None = None
    closeness: float | None = None

    @classmethod
    def parse(cls, distinct: int | None, recursive: str | None, closeness: float | None) -> Constraints:
        """Read the options of a command line.

        Raises
        ------
        InputError
            For a pair that is none, or a distance outside [0, 1].
        """
        pair = None
        if recursive is not None:
            c, comma, least = recursive.partition(",")
            try:
                pair = (float(c), int(least))
            except ValueError:
                pair = (math.nan, 0)
            if not comma or not 0 < pair[0] < math.inf or pair[1] < 2:
                raise InputError(
                    f"{recursive!r} is no pair of C and L",
                    where="--recursive-diversity",
                    expected="a number above 0 and a whole number from 2 on, such as 3,2",
                )
        if closeness is not None and not 0 <= closeness <= 1:
            raise InputError("--t-closeness lies between 0 and 1")
        return cls(distinct=distinct, recursive=pair, closeness=closeness)

    @property
    def given(self) -> bool:
        """Whether anything is asked for."""
        return (self.distinct, self.recursive, self.closeness) != (None, None, None)

    def described(self) -> str:
        """In words, for report and refusal."""
        parts = []
        if self.distinct is not None:
            parts.append(f"at least {self.distinct} different values")
        if self.recursive is not None:
            c, least = self.recursive
            parts.append(f"({c:g}, {least})-diversity")
        if self.closeness is not None:
            parts.append(f"a distance of at most {self.closeness:g} from the table")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Secret:
    """A confidential attribute of the records that take part.

    Attributes
    ----------
    name : str
    codes : int array, shape (n,)
        -1 where missing.
    table : float array
        Share of each value.
    ordered : bool
    """

    name: str
    codes: IntArray
    table: FloatArray
    ordered: bool

    @classmethod
    def of(cls, column: DataColumn, people: IntArray | None) -> Secret:
        """From a column, an ordinal one with positions as its numbers."""
        numbers = column.numbers if column.kind in ("numeric", "ordinal") else None
        codes, values = coded(column.texts if numbers is None else numbers)
        size = len(values)
        if column.kind == "ordinal" and numbers is not None:
            codes, size = np.nan_to_num(numbers, nan=-1).astype(np.int64), len(column.order)
        given = codes >= 0
        if not given.any():
            raise InputError(f"the confidential attribute {quoted(column.name)} has no value at all")
        held = np.bincount(codes[given], None if people is None else people[given], size)
        return cls(name=column.name, codes=codes, table=held / held.sum(), ordered=numbers is not None)

    def histogram(self, rows: IntArray, people: IntArray | None) -> FloatArray:
        """Occurrences of the values in some records."""
        codes = self.codes[rows]
        given = codes >= 0
        weights = None if people is None else people[rows][given]
        return np.bincount(codes[given], weights, len(self.table)).astype(np.float64)

    def lacking(self, held: FloatArray, asked: Constraints) -> str:
        """What a histogram lacks, in words; empty if it keeps all that is asked."""
        distinct = int((held > 0).sum())
        if asked.distinct is not None and distinct < asked.distinct:
            return f"{distinct} different values of {quoted(self.name)}"
        if asked.recursive is not None:
            c, least = asked.recursive
            falling = np.sort(held)[::-1]
            rest = falling[least - 1 :].sum()
            if not falling[0] < c * rest:
                ratio = f"{falling[0] / rest:.3g}" if rest > 0 else "infinitely many"
                return f"a most frequent value of {quoted(self.name)} that occurs {ratio} times as often"
        if asked.closeness is not None:
            distance = self.distance(held)
            if distance > asked.closeness + _SLACK:
                return f"a distance of {distance:.4g} in {quoted(self.name)}"
        return ""

    def distance(self, held: FloatArray) -> float:
        """Earth mover's distance of a histogram from the table."""
        if not held.any():
            return 1.0
        difference = held / held.sum() - self.table
        if self.ordered:
            return float(np.abs(np.cumsum(difference)[:-1]).sum() / max(len(self.table) - 1, 1))
        return float(np.abs(difference).sum() / 2)


def united(
    space: FloatArray,
    labels: IntArray,
    secrets: Sequence[Secret],
    asked: Constraints,
    *,
    people: IntArray | None = None,
    gaps: IntArray | None = None,
) -> IntArray:
    """Unite groups until each keeps the constraints.

    Parameters
    ----------
    space : float array, shape (n, d)
    labels : int array, shape (n,)
    secrets : sequence of Secret
    asked : Constraints
    people : int array, shape (n,), optional
    gaps : int array, shape (n,), optional
        Only groups of equal numbers are united.

    Raises
    ------
    DesignError
        If all records together do not keep them; it says how near they come.

    Notes
    -----
    The smallest group that falls short is united with the first among the nearest that mends it, or with the
    nearest. O(m (m + v)) with m groups and v values, in the worst case of every group falling short.
    """
    members = _members(labels)
    held = [[secret.histogram(rows, people) for secret in secrets] for rows in members]
    kinds = np.array([0 if gaps is None else int(gaps[rows[0]]) for rows in members])
    centroids = np.stack([space[rows].mean(axis=0) for rows in members])
    sizes = np.array([len(rows) for rows in members], dtype=np.float64)
    alive = np.ones(len(members), dtype=bool)

    def lacking(histograms: Sequence[FloatArray]) -> str:
        found = (secret.lacking(h, asked) for secret, h in zip(secrets, histograms, strict=True))
        return next((words for words in found if words), "")

    short = {group: words for group in range(len(members)) if (words := lacking(held[group]))}
    while short:
        group = min(short, key=lambda g: (sizes[g], g))
        others = np.flatnonzero(alive & (kinds == kinds[group]))
        others = others[others != group]
        if not len(others):
            raise DesignError(
                f"the groups cannot keep what is asked: together they have {short[group]}",
                where=f"{len(members[group])} records",
                expected=asked.described(),
                remedy="Ask for less, or leave the attribute out of --confidential.",
            )
        distances = ((centroids[others] - centroids[group]) ** 2).sum(axis=1)
        nearest = others[np.argsort(distances, kind="stable")[:_CANDIDATES]].tolist()
        both = [[a + b for a, b in zip(held[group], held[other], strict=True)] for other in nearest]
        chosen = next((i for i, histograms in enumerate(both) if not lacking(histograms)), 0)
        other = nearest[chosen]
        total = sizes[group] + sizes[other]
        centroids[other] = (centroids[group] * sizes[group] + centroids[other] * sizes[other]) / total
        members[other] = np.concatenate([members[other], members[group]])
        held[other], sizes[other], alive[group] = both[chosen], total, False
        del short[group]
        short.pop(other, None)
        if words := lacking(held[other]):
            short[other] = words
    result = np.zeros(len(labels), dtype=np.int64)
    for number, group in enumerate(np.flatnonzero(alive).tolist()):
        result[members[group]] = number
    return result


def unkept(
    labels: IntArray, secrets: Sequence[Secret], asked: Constraints, people: IntArray | None
) -> tuple[int, ...]:
    """Classes that do not keep the constraints."""
    return tuple(
        group
        for group, own in enumerate(_members(labels))
        if any(secret.lacking(secret.histogram(own, people), asked) for secret in secrets)
    )


def _members(labels: IntArray) -> list[IntArray]:
    """Records of each group."""
    return np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
