"""SPSS .sav and Stata .dta: labels of what is published are kept, and how numbers and gaps are meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.tables.column import DataColumn, Kind, number_text, of_single
from server.tables.data_file import DATED, DataFile, Replacement, Understood
from server.tables.missing import USUAL, MissingValues
from server.tables.row_order import value_codes
from server.wording import quoted
from shared.errors import InputError, ModelFileError

_STORED: Final = {"int8": "int8", "int16": "int16", "int32": "int32"}
_SPSS_NUMBER: Final = re.compile(r"(F|COMMA|DOT|DOLLAR|PCT|E)[0-9]+(?:\.([0-9]+))?")
_STATA_NUMBER: Final = re.compile(r"%-?0?[0-9]+[.,]([0-9]+)fc?")
_STATA_DATE: Final = re.compile(r"%-?(t[a-zA-Z]|d)")
_MOST_LABELS: Final = 3
"""Labelled values that are shown where it is said what was decided."""
_MOST_GAPS: Final = 3
"""Single values that SPSS takes for missing in a column."""

_CLOCK: Final = re.compile(rb"[0-9]{2} [A-Z][a-z]{2} [0-9]{2}[0-9: ]+")
_NO_TIME: Final = {"SPSS": (92, b"01 Jan 8000:00:00"), "Stata": (0, b"01 Jan 1980 00:00")}
"""Format -> where it says when it was written (of Stata behind a mark), and what is said instead."""

_STATA_VERSIONS: Final = {113: 8, 114: 10, 115: 12, 117: 13, 118: 14, 119: 15}
"""Number of the format of a .dta -> version of Stata that writes it."""

_OLD_STATA_CLOCK: Final = 91
"""Where formats before 117 say when they were written."""

_DATES: Final = ("DATE", "TIME", "MOYR", "QYR", "WKYR", "MONTH", "WKDAY", "%t", "%d")


class StatisticalFile(DataFile):
    """A file of SPSS or Stata, read by pyreadstat without converting dates.

    Notes
    -----
    A number of which at least half the values have labels is nominal: the mean of two codes is no code. It
    is ordinal if SPSS calls it so, and stays a number if SPSS calls it a scale and some value has no label.
    Labels of missing codes do not count. User-defined missing values count as missing and are written as they
    were.
    pyreadstat stores Stata's small integers (byte, int) as long; their values are the same.

    Kept are names and variable labels of published columns, value labels and definitions of missing values
    for the values that are published, whether a column is nominal, ordinal or a scale, its decimals, and how
    dates are shown. Left behind are labels of values that no published record has, the label and the notes
    or characteristics of the file, widths (of texts and of what is shown: those of the longest original),
    weights, sets of variables, and the time of writing.
    """

    def __init__(self, path: Path, form: str, *, missing: MissingValues = USUAL) -> None:
        import pyreadstat

        try:
            frame, meta = _reader(form)(str(path), user_missing=True, disable_datetime_conversion=True)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, UnicodeError) as error:
            reason = str(error).splitlines()[0][:160] if str(error) else "damaged"
            raise ModelFileError(f"the file cannot be read as {form} ({reason})", where=path.name) from None
        self._frame: Any = frame
        self._meta: Any = meta
        self.form = form
        self._version = _stata_version(path) if form == "Stata" else 0
        self._begin(path.name, tuple(frame.columns), len(frame), missing)
        self.understood = Understood(form=form.lower())

    def _read(self, name: str) -> DataColumn:
        """The column with its labels; numbers with value labels are nominal."""
        label = self._meta.column_names_to_labels.get(name) or ""
        form = str(self._meta.original_variable_types.get(name) or "").upper()
        labels = {
            number_text(code) if isinstance(code, int | float) else str(code): str(text)
            for code, text in self._meta.variable_value_labels.get(name, {}).items()
        }
        spans = self._meta.missing_ranges.get(name, ())
        numbers = self._numbers(name)
        if numbers is None:
            absent = {span["lo"] for span in spans}
            raw = self._frame[name].tolist()
            texts = [None if v is None or v != v or v == "" or v in absent else str(v) for v in raw]
            return DataColumn.of(name, texts, label=label, value_labels=labels)
        for span in spans:
            if not isinstance(span["lo"], str):
                numbers[(numbers >= span["lo"]) & (numbers <= span["hi"])] = np.nan
        dated = any(word.upper() in form for word in _DATES)
        kind, decided = self._kind(name, numbers, labels)
        return DataColumn.of_numbers(
            name,
            numbers,
            kind="other" if dated else kind,
            order=self._order(name, numbers) if kind != "numeric" else (),
            label=label,
            value_labels=labels,
            reason=DATED if dated else "",
            decided="" if dated else decided,
        )

    def _kind(self, name: str, numbers: FloatArray, labels: Mapping[str, str]) -> tuple[Kind, str]:
        """What a column of numbers is, and why, where labels leave a doubt.

        Labels on missing codes, or on the ends of a scale, make no category.
        """
        occurring = [number_text(v) for v in np.unique(numbers[~np.isnan(numbers)]).tolist()]
        labelled = sum(text in labels for text in occurring)
        if not labels or not labelled:
            return "numeric", "as numbers: its labels stand on no value that is given" if labels else ""
        measure = self._meta.variable_measure.get(name) or "unknown"
        if labelled == len(occurring) and measure != "scale":
            return ("ordinal" if measure == "ordinal" else "nominal"), ""
        shown = [f'{text} "{labels[text]}"' for text in occurring if text in labels][:_MOST_LABELS]
        more = ", …" if labelled > len(shown) else ""
        said = f"{labelled} of its {len(occurring)} values have labels ({', '.join(shown)}{more})"
        if measure != "unknown":
            said += f", and the file calls it {measure}"
        if labelled < len(occurring) and (measure == "scale" or 2 * labelled < len(occurring)):
            return "numeric", f"as numbers: {said}"
        if measure == "ordinal":
            return "ordinal", f"as ordered categories: {said}"
        return "nominal", f"as categories: {said}"

    def _order(self, name: str, numbers: FloatArray) -> tuple[str, ...]:
        """Codes of a labelled column from low to high, those of missing values left out."""
        labels = self._meta.variable_value_labels.get(name, {})
        codes = {float(code) for code in labels if isinstance(code, int | float)}
        for span in self._meta.missing_ranges.get(name, ()):
            codes = {code for code in codes if not span["lo"] <= code <= span["hi"]}
        codes |= set(numbers[~np.isnan(numbers)].tolist())
        return tuple(number_text(code) for code in sorted(codes))

    def _numbers(self, name: str) -> FloatArray | None:
        """Numbers of a column, NaN where missing or tagged as missing; None for a column of texts."""
        values = self._frame[name]
        if values.dtype.kind in "biuf":
            numbers = np.array(values.to_numpy(dtype=np.float64))
            return of_single(numbers) if self._stored(name) == "float" else numbers
        if self._stored(name) == "string":
            return None
        tags = set(self._meta.missing_user_values.get(name) or ())
        raw = values.to_numpy(dtype=object)
        return np.array([np.nan if v is None or v in tags else float(v) for v in raw], dtype=np.float64)

    def _stored(self, name: str) -> str:
        return str(self._meta.readstat_variable_types.get(name))

    def _keys(self, name: str) -> IntArray:
        values = self._frame[name]
        if values.dtype.kind in "biuf":
            return np.asarray(np.unique(values.to_numpy(), return_inverse=True)[1], dtype=np.int64).reshape(
                -1
            )
        return value_codes([f"{type(value).__name__} {value!r}" for value in values.tolist()])

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import pandas
        import pyreadstat

        columns = {}
        for name in names:
            new = replace.get(name)
            if new is not None and new.dtype.kind == "f":
                columns[name] = self._compact(name, np.asarray(new[rows], dtype=np.float64))
            elif new is not None and new.dtype.kind == "O":
                columns[name] = new[rows]
            else:
                values = self._frame[name].to_numpy()
                columns[name] = self._compact(name, values[rows if new is None else new[rows]].copy())
        frame = pandas.DataFrame(columns)
        # What stands there as text now has neither labels of codes nor a format of numbers.
        own = [name for name in names if name not in replace or replace[name].dtype.kind != "O"]
        labels = {name: self._published_labels(name, frame[name].tolist()) for name in own}
        formats = {name: self._format(name) for name in own}
        common: dict[str, Any] = {
            "column_labels": {
                name: label
                for name, label in self._meta.column_names_to_labels.items()
                if name in names and label
            },
            "variable_value_labels": {name: named for name, named in labels.items() if named},
            "variable_format": {name: form for name, form in formats.items() if form},
        }
        try:
            if self.form == "SPSS":
                gaps = {name: self._published_gaps(name, frame[name].tolist()) for name in own}
                pyreadstat.write_sav(
                    frame,
                    str(path),
                    missing_ranges={name: spans for name, spans in gaps.items() if spans},
                    variable_measure={n: m for n, m in self._meta.variable_measure.items() if n in own and m},
                    **common,
                )
            else:
                tags = {name: self._published_tags(name, frame[name].tolist()) for name in own}
                pyreadstat.write_dta(
                    frame,
                    str(path),
                    missing_user_values={n: found for n, found in tags.items() if found},
                    version=self._version,
                    **common,
                )
        except pyreadstat.ReadstatError as error:  # of a full disk too, without its number
            raise OSError(str(error)) from None
        without_clock(path, self.form)
        self._check(path, frame)

    def _compact(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        """Values as the writer wants them: whole numbers of Stata as such, and gaps that it would lose."""
        stored = _STORED.get(self._stored(name))
        if self.form == "Stata" and stored and values.dtype.kind in "biuf":
            if np.isfinite(values).all() and np.array_equal(values.astype(stored), values):
                return values.astype(stored)
        elif values.dtype.kind == "O" and self._numbers(name) is not None:
            # pyreadstat writes a missing value among tagged integers as 0, among tagged floats right.
            listed = values.tolist()
            if any(isinstance(v, float) for v in listed) and any(isinstance(v, str) for v in listed):
                return np.array([v if isinstance(v, str) else float(v) for v in listed], object)
        return values

    def _published_labels(self, name: str, values: list[Any]) -> dict[Any, str]:
        """Value labels of the values that occur."""
        occurring = {_plain(value) for value in values}
        labels = self._meta.variable_value_labels.get(name, {})
        return {code: str(text) for code, text in labels.items() if code in occurring}

    def _published_gaps(self, name: str, values: list[Any]) -> list[Any]:
        """Values that count as missing, of those that occur: SPSS takes three, or one range of numbers."""
        spans = self._meta.missing_ranges.get(name, ())
        occurring = {
            value
            for value in values
            if _plain(value) is not None
            for span in spans
            if isinstance(value, str) == isinstance(span["lo"], str) and span["lo"] <= value <= span["hi"]
        }
        if len(occurring) <= _MOST_GAPS:
            return sorted(occurring)
        return [
            _around(span, occurring) for span in spans if any(_within(value, span) for value in occurring)
        ]

    def _published_tags(self, name: str, values: list[Any]) -> list[str]:
        """Letters of Stata's missing values that occur."""
        tags = (self._meta.missing_user_values or {}).get(name) or ()
        occurring = {value for value in values if isinstance(value, str)}
        return [tag for tag in tags if tag in occurring]

    def _format(self, name: str) -> str:
        """How numbers and dates are shown; widths, which follow the longest original value, are not kept."""
        form = str(self._meta.original_variable_types.get(name) or "")
        if self.form == "SPSS":
            if form.upper().startswith(_DATES):
                return form
            number = _SPSS_NUMBER.fullmatch(form.upper())
            if number is None:
                return ""
            decimals = int(number[2] or 0)
            return f"{number[1]}{max(8, decimals + 6)}.{decimals}"
        date, number = _STATA_DATE.match(form), _STATA_NUMBER.fullmatch(form)
        if date is not None:
            return f"%{date[1]}" if date[1] != "d" else "%td"
        return f"%{max(9, int(number[1]) + 7)}.{number[1]}f" if number is not None else ""

    def _check(self, path: Path, frame: Any) -> None:
        """Read what was written: a value that the library changed on its way must not go unnoticed."""
        again: Any = _reader(self.form)(str(path), user_missing=True, disable_datetime_conversion=True)[0]
        for name in frame.columns:
            before, after = frame[name].tolist(), again[name].tolist()
            if any(_plain(b) != _plain(a) for b, a in zip(before, after, strict=True)):
                raise InputError(
                    f"the values of {quoted(name)} cannot be written as {self.form} without change",
                    where=self.source,
                    remedy="Leave the column out with --drop, or convert the file to CSV or Parquet.",
                )


def _reader(form: str) -> Any:  # pyreadstat's two readers have different signatures
    import pyreadstat

    return pyreadstat.read_sav if form == "SPSS" else pyreadstat.read_dta


def _within(value: Any, span: Mapping[str, Any]) -> bool:
    return (
        not isinstance(value, str) and not isinstance(span["lo"], str) and span["lo"] <= value <= span["hi"]
    )


def _around(span: Mapping[str, Any], occurring: set[Any]) -> Any:
    """The span, no wider than the values that occur in it."""
    inside = [value for value in occurring if _within(value, span)]
    return {"lo": min(inside), "hi": max(inside)}


def _stata_version(path: Path) -> int:
    """The version of Stata that writes the format of a file, as pyreadstat counts them; else that of 118."""
    with path.open("rb") as file:
        start = file.read(64)
    release = re.match(rb"<stata_dta><header><release>([0-9]+)", start)
    return _STATA_VERSIONS.get(int(release[1]) if release else start[0], 14)


def without_clock(path: Path, form: str) -> None:
    """Overwrite when the file was written: the same values give the same bytes."""
    place, text = _NO_TIME[form]
    with path.open("r+b") as file:
        start = file.read(4096)
        if form == "Stata":
            mark = start.find(b"<timestamp>\x11")
            place = mark + len(b"<timestamp>\x11") if mark >= 0 else _OLD_STATA_CLOCK
        file.seek(place)
        if not _CLOCK.fullmatch(file.read(len(text))):
            raise RuntimeError(f"pyreadstat does not write the time of {form} where it stood")
        file.seek(place)
        file.write(text)


def _plain(value: Any) -> Any:
    return None if value is None or value != value or value == "" else value
