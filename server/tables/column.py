"""A column of a file: its distinct texts, one small integer per record, and what the values are taken for.

Files of people repeat few values very often, so this is compact at a million records, and whatever is
computed from a value (an attribute's vector, a rate, a number) is computed once per distinct text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray
from shared.limits import EXACT_BOUND

Kind = Literal["numeric", "ordinal", "nominal", "other"]
_Value = TypeVar("_Value", bound=Hashable)
_DIGITS: Final = re.compile(r"[+-]?[0-9]{16,}")
_TEXTS_AT_ONCE: Final = 4096
MOST_DECIMALS: Final = 1100
"""No float has more."""


class NumberTexts(Sequence[str | None]):
    """Texts of numbers, each made when it is asked for: a column of measurements has millions.

    Parameters
    ----------
    numbers : float array, shape (m,)
        All different; NaN for what is missing.
    """

    def __init__(self, numbers: FloatArray) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> NumberTexts: ...
    def __getitem__(self, place: int | slice) -> str | NumberTexts | None:
        if isinstance(place, slice):
            return NumberTexts(self.numbers[place])
        return _text_or_none(float(self.numbers[place]))

    def __iter__(self) -> Iterator[str | None]:
        for start in range(0, len(self), _TEXTS_AT_ONCE):
            yield from map(_text_or_none, self.numbers[start : start + _TEXTS_AT_ONCE].tolist())


Distinct: TypeAlias = tuple[str | None, ...] | NumberTexts
"""Texts of the values of a column."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DataColumn:
    """One column: ``distinct[codes[row]]`` is the text of a record.

    Attributes
    ----------
    name : str
    distinct : sequence of (str or None)
        Texts of the values, all different; None where there is none.
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
    distinct: Distinct
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
        more.setdefault("kind", "numeric")
        return cls(
            name=name,
            distinct=NumberTexts(values),
            codes=codes.reshape(-1).astype(np.int32),
            values=values,
            **more,
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

    @property
    def texts(self) -> NDArray[np.object_]:
        """The text of every record, None where missing."""
        return np.array([*self.distinct, None], dtype=object)[self.codes]

    @property
    def ranks(self) -> NDArray[np.int64]:
        """For each record the place of its text among the distinct ones in order, -1 where there is none."""
        rank = {text: place for place, text in enumerate(sorted(t for t in self.distinct if t is not None))}
        return np.array([-1 if text is None else rank[text] for text in self.distinct], np.int64)[self.codes]

    @property
    def numbers(self) -> FloatArray | None:
        """The number of every record, NaN where missing; None if some value is no number."""
        return None if self.values is None else self.values[self.codes]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Records without a value."""
        return self.absent[self.codes]

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Which of the distinct texts is none."""
        if isinstance(self.distinct, NumberTexts):
            return np.isnan(self.distinct.numbers)
        return np.array([text is None for text in self.distinct], dtype=bool)

    @property
    def decimals(self) -> int:
        """Most decimals of a number; 0 if all are whole."""
        return self.decimals_up_to(MOST_DECIMALS)

    def decimals_up_to(self, most: int) -> int:
        """The same, but no more than ``most``: a number that has them ends the search."""
        found = 0
        for text in self._with_decimals():
            found = max(found, _decimals(text))
            if found >= most:
                return most
        return found

    def _with_decimals(self) -> Iterator[str]:
        """Texts of numbers that may not be whole."""
        if isinstance(self.distinct, NumberTexts):
            numbers = self.distinct.numbers
            whole = (numbers == np.rint(numbers)) | np.isnan(numbers)
            return (text for text in NumberTexts(numbers[~whole]) if text is not None)
        return (text for text in self.distinct if text is not None)

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


def _text_or_none(value: float) -> str | None:
    return None if value != value else number_text(value)


def is_too_long(text: str) -> bool:
    """Whether a text is a whole number in digits of which a float may lose some: from 2^53 on."""
    return _DIGITS.fullmatch(text) is not None and abs(float(text)) >= EXACT_BOUND


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
