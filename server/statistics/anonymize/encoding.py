"""Columns as one matrix in which every attribute has the same say, fitted once and applied to masked data.

The scaling is that of `server.statistics.microaggregation.preparation.encode`: a number becomes one
standardized column,
a nominal attribute its centred indicators over sqrt(sum p (1 - p)), so that each adds n to the total sum of
squares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.statistics.measures.coded_matrix import CodedMatrix
from server.statistics.microaggregation.preparation import mean_and_deviation
from server.tables.column import DataColumn

_MISSING: Final = "\0missing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """One attribute within the matrix.

    Attributes
    ----------
    name : str
    nominal : bool
    first, end : int
        Its columns in the matrix.
    centre, scale : float arrays
        Entry = (value - centre) / scale.
    categories : object array
        Of a nominal attribute, in text order; a missing value is a category of its own.
    """

    name: str
    nominal: bool
    first: int
    end: int
    centre: FloatArray
    scale: float
    categories: NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Encoding:
    """Where each attribute stands in the matrix, and its scale.

    Build one with `Encoding.fit`.
    """

    blocks: tuple[Block, ...]

    @classmethod
    def fit(
        cls, columns: Sequence[DataColumn], nominal: Sequence[bool], people: IntArray | None = None
    ) -> Encoding:
        """Learn the scales from the original columns, each record counting for its ``people``."""
        blocks: list[Block] = []
        first = 0
        for column, is_nominal in zip(columns, nominal, strict=True):
            if is_nominal:
                held = np.bincount(column.codes, people, minlength=len(column.distinct))
                occurring = np.flatnonzero(held)
                categories, order = np.unique(_texts(column)[occurring].astype(str), return_index=True)
                counts = held[occurring][order]
                shares = counts / counts.sum()
                variance = float((shares * (1 - shares)).sum())
                centre, scale, width = shares, float(np.sqrt(variance)) if variance > 0 else 1.0, len(shares)
            else:
                numbers = _values(column)[column.codes]
                given = ~np.isnan(numbers)
                mean, deviation = mean_and_deviation(
                    numbers[given], None if people is None else people[given]
                )
                centre = np.array([mean])
                scale, width, categories = deviation or 1.0, 1, np.array([], dtype=str)
            blocks.append(
                Block(
                    name=column.name,
                    nominal=is_nominal,
                    first=first,
                    end=first + width,
                    centre=centre,
                    scale=scale,
                    categories=categories.astype(object),
                )
            )
            first += width
        return cls(blocks=tuple(blocks))

    def matrix(
        self,
        columns: Sequence[DataColumn],
        placed: Callable[[Block, DataColumn, FloatArray], None] | None = None,
    ) -> CodedMatrix:
        """Encode columns, the originals or masked ones; a category that was never seen is none.

        ``placed`` may change the entries (m x width) of the different values of a column, in place.
        """
        values: list[FloatArray] = []
        codes: list[NDArray[np.int32]] = []
        for block, column in zip(self.blocks, columns, strict=True):
            if block.nominal:
                raw = (_texts(column)[:, None] == block.categories).astype(np.float64)
            else:
                raw = _values(column)[:, None]
            # A number that is missing stands at the mean, among records that all lack it.
            entries = np.nan_to_num((raw - block.centre) / block.scale)
            if placed is not None:
                placed(block, column, entries)
            values += list(np.ascontiguousarray(entries.T))
            codes += [column.codes] * (block.end - block.first)
        return CodedMatrix(values=values, codes=codes)


def _texts(column: DataColumn) -> NDArray[np.object_]:
    """The different texts, and what stands for none."""
    return np.array([_MISSING if text is None else text for text in column.distinct], dtype=object)


def _values(column: DataColumn) -> FloatArray:
    values = column.values
    if values is None or np.isnan(values)[column.codes].all():
        raise ValueError(f"column {column.name!r} has values that are no numbers")
    return values


def selected(column: DataColumn, rows: NDArray[np.int64]) -> DataColumn:
    """The column for some records only, or for records as often as ``rows`` names them."""
    return replace(column, codes=column.codes[rows])
