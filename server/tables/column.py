"""A column of a file: its distinct texts, one small integer per record, and what the values are taken for.

Files of people repeat few values very often, so this is compact at a million records, and whatever is
computed from a value (an attribute's vector, a rate, a number) is computed once per distinct text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray

Kind = Literal["numeric", "ordinal", "nominal", "other"]
_Value = TypeVar("_Value", bound=Hashable)


@dataclass(frozen=True, kw_only=True, eq=False)
class DataColumn:
    """One column: ``distinct[codes[row]]`` is the text of a record.

    Attributes
    ----------
    name : str
    distinct : tuple of (str or None)
        Texts of the values; None where there is none.
    codes : ndarray of int32, shape (n_records,)
        Read-only index into ``distinct``.
    kind : {"numeric", "ordinal", "nominal", "other"}
        What it is taken for; ``other`` is neither number nor category, for ``reason``.
    values : float array, shape (len(distinct),), or None
        The number that each text stands for, NaN where none; None for a column of texts. Of a column that
        `anonymize.ordinal.ranked` made: positions in ``order``.
    label : str
        The file's own description.
    value_labels : mapping of text to str
        Names of values, as statistical files have them.
    reason : str
        Why it is "other".
    decided : str
        As what it was taken and why, where that was in doubt.
    order : tuple of str
        Values from low to high, as texts, where the file knows an order; else empty.
    """

    name: str
    distinct: tuple[str | None, ...]
    codes: NDArray[np.int32]
    kind: Kind = "nominal"
    values: FloatArray | None = None
    label: str = ""
    value_labels: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    decided: str = ""
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    @classmethod
    def of(cls, name: str, texts: Sequence[str | None], **more: Any) -> DataColumn:
        """A column from the text of every record."""
        distinct, codes = coded(texts)
        return cls(name=name, distinct=distinct, codes=codes, **more)

    @classmethod
    def of_numbers(cls, name: str, numbers: FloatArray, **more: Any) -> DataColumn:
        """A column from the number of every record, NaN where there is none."""
        values, codes = np.unique(numbers, return_inverse=True)
        distinct = tuple(None if np.isnan(v) else number_text(v) for v in values.tolist())
        more.setdefault("kind", "numeric")
        return cls(
            name=name, distinct=distinct, codes=codes.reshape(-1).astype(np.int32), values=values, **more
        )

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, row: int) -> str | None: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str | None, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str | None, ...] | None:
        if isinstance(row, slice):
            return tuple(self.distinct[code] for code in self.codes[row].tolist())
        return self.distinct[int(self.codes[row])]

    def __iter__(self) -> Iterator[str | None]:
        return (self.distinct[code] for code in self.codes.tolist())

    @cached_property
    def texts(self) -> NDArray[np.object_]:
        """The text of every record, None where missing."""
        return np.array(self.distinct, dtype=object)[self.codes]

    @property
    def ranks(self) -> NDArray[np.int64]:
        """For each record the place of its text among the distinct ones in order, -1 where there is none."""
        rank = {text: place for place, text in enumerate(sorted(t for t in self.distinct if t is not None))}
        return np.array([-1 if text is None else rank[text] for text in self.distinct], np.int64)[self.codes]

    @cached_property
    def numbers(self) -> FloatArray | None:
        """The number of every record, NaN where missing; None if some value is no number."""
        return None if self.values is None else self.values[self.codes]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Records without a value."""
        return np.array([text is None for text in self.distinct], dtype=bool)[self.codes]

    @cached_property
    def decimals(self) -> int:
        """Most decimals of a number; 0 if all are whole."""
        return max((_decimals(text) for text in self.distinct if text is not None), default=0)

    def first_row(self, code: int) -> int:
        """Row in which a distinct text first appears."""
        return int(np.argmax(self.codes == code))

    def shown(self, text: str | None) -> str:
        """A value for people: its label beside its code."""
        if text is None:
            return "(missing)"
        label = self.value_labels.get(text)
        return f"{label} ({text})" if label else text


def coded(values: Sequence[_Value]) -> tuple[tuple[_Value, ...], NDArray[np.int32]]:
    """Distinct values in order of first appearance, and each one's place among them."""
    index: dict[_Value, int] = {}
    codes = np.fromiter((index.setdefault(v, len(index)) for v in values), np.int32, count=len(values))
    return tuple(index), codes


def of_single(numbers: FloatArray) -> FloatArray:
    """Numbers stored with 32 bits, as the shortest decimal that means them: 1.62, not 1.6200000047683716."""
    distinct, codes = np.unique(numbers.astype(np.float32), return_inverse=True)
    exact = [np.nan if np.isnan(v) else float(np.format_float_scientific(v)) for v in distinct]
    return np.array(exact, dtype=np.float64)[codes.reshape(-1)]


def number_text(value: float | np.floating[Any]) -> str:
    """Shortest exact decimal text of a float, whole numbers without a point."""
    return np.format_float_positional(value + 0.0, unique=True, trim="-")


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().replace(",", ".").partition("e")
    digits = len(mantissa.partition(".")[2].rstrip("0"))
    try:
        return max(digits - int(exponent or 0), 0)
    except ValueError:
        return 0  # no number
