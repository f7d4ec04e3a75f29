"""A masked table beside its original, piece by piece: no measure makes a copy of a whole table.

Sums are those of numpy within a piece, and pieces are added in their order. A table of one piece is therefore
measured as if there were none, to the last bit; of a larger one the last digits depend on where it is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from server.arrays import BoolArray, FloatArray, Int32Array
from server.executor import slices
from server.statistics.measures.coded_matrix import matrix_of
from server.statistics.microaggregation.preparation import data_matrix

PIECE: Final = 1 << 20
"""Records."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scale:
    """What the columns of a table are measured in: their standard deviations, or the units that they have.

    Attributes
    ----------
    exponents : int array, shape (d,)
        Powers of two by which columns are divided first, as in `preparation.standardize`.
    means, deviations : float arrays, shape (d,)
        Of the divided columns; what is constant has deviation 1.
    constant : bool array, shape (d,)
    """

    exponents: Int32Array
    means: FloatArray
    deviations: FloatArray
    constant: BoolArray

    @classmethod
    def of(cls, X: ArrayLike) -> Scale:
        """Standard deviations (population) of a table (n x d), finite."""
        parts = pieces_of(X)
        exponents = np.frexp(np.max([np.abs(part).max(axis=0) for part in pieces_of(X)], axis=0))[1]
        first = np.ldexp(next(parts)[0], -exponents)

        def divided() -> Iterator[FloatArray]:
            return (np.ldexp(part, -exponents) for part in pieces_of(X))

        constant = np.all([(part == first).all(axis=0) for part in divided()], axis=0)
        n = np.shape(X)[0]
        means = np.where(constant, first, total(part.sum(axis=0) for part in divided()) / n)
        squares = total(((part - means) ** 2).sum(axis=0) for part in divided())
        return cls(
            exponents=exponents,
            means=means,
            deviations=np.where(constant, 1.0, np.sqrt(squares / n)),
            constant=constant,
        )

    @classmethod
    def given(cls, X: ArrayLike) -> Scale:
        """Units as they are, about the mean."""
        n, d = np.shape(X)
        return cls(
            exponents=np.zeros(d, np.int32),
            means=total(part.sum(axis=0) for part in pieces_of(X)) / n,
            deviations=np.ones(d),
            constant=np.zeros(d, dtype=bool),
        )

    def of_column(self, column: int) -> Scale:
        """That of one column."""
        one = slice(column, column + 1)
        return Scale(
            exponents=self.exponents[one],
            means=self.means[one],
            deviations=self.deviations[one],
            constant=self.constant[one],
        )

    def own(self, part: FloatArray) -> FloatArray:
        """Rows of the table itself, about the means in deviations."""
        return np.asarray((np.ldexp(part, -self.exponents) - self.means) / self.deviations, dtype=np.float64)

    def other(self, part: FloatArray) -> FloatArray:
        """Rows of another table, in the same."""
        units = np.where(self.constant, 0, self.exponents)
        means = np.ldexp(self.means, self.exponents)
        return np.asarray((part - means) / np.ldexp(self.deviations, units), dtype=np.float64)


def pieces_of(X: ArrayLike) -> Iterator[FloatArray]:
    """A table (n x d) as matrices of at most `PIECE` rows.

    Raises
    ------
    ValueError
        As `preparation.data_matrix`.
    """
    values = matrix_of(X)
    if len(values.shape) != 2 or 0 in values.shape:
        yield data_matrix(values)  # it says what is the matter
    for rows in rows_of(len(values)):
        yield data_matrix(values[rows])


def rows_of(n: int) -> list[slice]:
    """The rows of each piece of a table of n."""
    return slices(n, PIECE)


def aligned_pieces(
    original: ArrayLike, masked: ArrayLike, *, scaled: bool = False, scale: Scale | None = None
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Both tables (n x d) in the original's standard deviations, or as they are if they are ``scaled``.

    A ``scale`` that is known is not found out again.

    Raises
    ------
    ValueError
        Missing or infinite values (named), or different shapes.
    """
    if np.shape(original) != np.shape(masked):
        raise ValueError(f"the original is {np.shape(original)} and the masked data {np.shape(masked)}")
    scale = scale or (Scale.given(original) if scaled else Scale.of(original))
    for before, after in zip(pieces_of(original), pieces_of(masked), strict=True):
        yield scale.own(before), scale.other(after)


def total(parts: Iterable[Any]) -> Any:
    """The sum of some numbers or arrays, from the first to the last."""
    return reduce(add, parts)
