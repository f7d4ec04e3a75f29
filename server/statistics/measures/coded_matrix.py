"""A matrix whose rows are made when they are looked at: ten million whole ones of six numbers are 0.5 GB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from server.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodedMatrix:
    """A matrix (n x d) as the different values of each column, and which of them each row has.

    ``matrix[rows]`` makes these rows, and ``matrix[:, columns]`` is a coded matrix again. Where numpy is
    given one as an array, all of it is made.

    Attributes
    ----------
    values : sequence of d float arrays, shape (m,)
        Values that occur in a column, and maybe others.
    codes : sequence of d int arrays, shape (n,)
        Place of each row's value among them.
    """

    values: Sequence[FloatArray]
    codes: Sequence[NDArray[Any]]

    def __post_init__(self) -> None:
        if not self.codes or len(self.codes) != len(self.values):
            raise ValueError("a coded matrix has columns, each with values and codes")
        if len({len(codes) for codes in self.codes}) > 1:
            raise ValueError("the columns have different lengths")

    def __len__(self) -> int:
        return len(self.codes[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.codes)

    @overload
    def __getitem__(self, wanted: slice | IntArray) -> FloatArray: ...
    @overload
    def __getitem__(self, wanted: tuple[slice, slice | Sequence[int]]) -> CodedMatrix: ...
    def __getitem__(
        self, wanted: slice | IntArray | tuple[slice, slice | Sequence[int]]
    ) -> FloatArray | CodedMatrix:
        if isinstance(wanted, tuple):
            rows, columns = wanted
            chosen = range(self.shape[1])[columns] if isinstance(columns, slice) else columns
            return CodedMatrix(
                values=[self.values[column] for column in chosen],
                codes=[self.codes[column][rows] for column in chosen],
            )
        parts = [codes[wanted] for codes in self.codes]
        made = np.empty((len(parts[0]), len(parts)))
        for column, (values, codes) in enumerate(zip(self.values, parts, strict=True)):
            made[:, column] = values[codes]
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        made = self[:]
        return made if dtype is None else made.astype(dtype)

    def varies(self, column: int) -> bool:
        """Whether two rows of a column have different values."""
        occurring = self.values[column][np.flatnonzero(np.bincount(self.codes[column]))]
        return bool((occurring != occurring[0]).any())

    def ranks(self, column: int) -> NDArray[np.int32]:
        """Numbers of a column's values that are equal, and in order, where the values are."""
        places = np.unique(self.values[column], return_inverse=True)[1].reshape(-1)
        return np.asarray(places.astype(np.int32)[self.codes[column]])


def matrix_of(X: ArrayLike) -> CodedMatrix | NDArray[Any]:
    """X as it is if it is coded, else as an array."""
    return X if isinstance(X, CodedMatrix) else np.asarray(X)


def column_ranks(X: CodedMatrix | NDArray[Any], column: int) -> NDArray[Any]:
    """Numbers of a column that are equal, and in order, where its values are."""
    return X.ranks(column) if isinstance(X, CodedMatrix) else X[:, column]
