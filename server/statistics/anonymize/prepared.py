"""A file that is ready to be divided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.anonymize.constraints import Secret
from server.statistics.anonymize.encoding import Encoding
from server.statistics.anonymize.methods import Method, estimate_seconds
from server.statistics.anonymize.ordinal import Orders
from server.statistics.anonymize.people import People
from server.statistics.anonymize.request import Request
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.microaggregation.dependence import joined
from server.statistics.microaggregation.preparation import Paths, group_means
from server.tables.column import DataColumn
from server.tables.data_file import DataFile


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """A block of quasi-identifiers that is grouped on its own; without blocks there is one of all.

    Attributes
    ----------
    columns : tuple of int
        Quasi-identifiers.
    matrix : CodedMatrix
        Their columns of the matrix.
    secret : CodedMatrix or None
        Confidential attributes, which count beside them with the weight ``dependence`` where that is asked.
    dependence : float
    nominal : tuple of (first, end)
        Columns of nominal attributes within `space`.
    trees : tuple of (Paths or None)
        Their hierarchies.
    gaps : int array, shape (n,)
        Equal where the same numbers and positions are missing; 0 everywhere where none is.
    """

    columns: tuple[int, ...]
    matrix: CodedMatrix
    secret: CodedMatrix | None
    dependence: float
    nominal: tuple[tuple[int, int], ...]
    trees: tuple[Paths | None, ...]
    gaps: IntArray

    def space(self) -> FloatArray:
        """Matrix in which records are grouped, made each time that it is asked for: nothing else holds it."""
        space = self.matrix[:]
        return space if self.secret is None else joined(space, self.secret[:], self.dependence)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A file that is ready to be divided, after everything that can be refused was.

    Attributes
    ----------
    request : Request
    method : Method
    original : DataFile
    columns : tuple of DataColumn
        Quasi-identifiers of the records that take part; ordinal ones with positions as their numbers.
    nominal : tuple of bool
        Per quasi-identifier.
    orders : mapping of column to order
        Of ordinal quasi-identifiers and confidential attributes.
    rows : int array
        Records of the original that take part.
    people : People
        Of these records.
    encoding, X
        All quasi-identifiers as one matrix, coded.
    parts : tuple of Part
    secrets : tuple of Secret
        Confidential attributes whose diversity is asked for; else none.
    distances, importances : float array or None
        Per value or record, in standard deviations; None without ``--breach``.
    warnings : tuple of str
    digits : tuple of (int or None)
        Per quasi-identifier, decimals of what is published; None for categories and what is not rounded.
    """

    request: Request
    method: Method
    original: DataFile
    columns: tuple[DataColumn, ...]
    nominal: tuple[bool, ...]
    orders: Orders
    rows: IntArray
    people: People
    encoding: Encoding
    X: CodedMatrix
    parts: tuple[Part, ...]
    secrets: tuple[Secret, ...]
    distances: FloatArray | None
    importances: FloatArray | None
    warnings: tuple[str, ...]
    digits: tuple[int | None, ...]

    @property
    def left_out(self) -> frozenset[str]:
        """Columns that are not written."""
        own = self.request.unpublished
        return frozenset({*self.request.drop, *own, *numbering(self.original, self.request)})

    def district_of(self, n: int) -> int:
        """Most records of a district of n rows of a matrix, or 0 if they are grouped whole."""
        constrained = self.request.constraints.given
        return 0 if self.method.whole or constrained else self.request.district_of(n)

    def divided(self, part: Part, divide: Callable[[FloatArray, People], IntArray]) -> IntArray:
        """Group of each record of a part, where ``divide`` groups the rows of a matrix.

        Records of one person or household are one row, at their mean; records that lack other numbers are
        never grouped together.
        """
        space = part.space()
        if self.people.units is not None:
            space = group_means(space, self.people.units)
            return divide(space, self.people.of_units())[self.people.units]
        if not part.gaps.any():
            return divide(space, self.people)
        labels = np.zeros(len(space), dtype=np.int64)
        groups = 0
        for pattern in range(int(part.gaps.max()) + 1):
            rows = np.flatnonzero(part.gaps == pattern)
            found = divide(space[rows], self.people.of(rows))
            labels[rows] = found + groups
            groups += int(found.max()) + 1
        return labels

    def estimate(self) -> float | None:
        """Seconds that the division will take, or None if it is over in a moment."""
        known: list[float] = []

        def measured(space: FloatArray, people: People) -> IntArray:
            seconds = estimate_seconds(
                self.method,
                space,
                people,
                blocks=part.nominal,
                trees=part.trees,
                options=self.request.options,
                district=self.district_of(len(space)),
            )
            known.extend([] if seconds is None else [seconds])
            return np.zeros(len(space), dtype=np.int64)

        for part in self.parts:
            self.divided(part, measured)
        return sum(known) if known else None


def numbering(original: DataFile, request: Request) -> tuple[str, ...]:
    """Columns that only number the records, unless somebody asked for them."""
    return tuple(name for name in original.index_columns() if name not in request.named)
