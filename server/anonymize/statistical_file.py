"""SPSS .sav and Stata .dta: variable labels, value labels, formats and missing values are kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from server.anonymize.data_file import DataColumn, DataFile, Replacement, column_of_numbers, number_text
from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray
from server.reading.table import quoted
from shared.errors import InputError

_STORED = {"int8": "int8", "int16": "int16", "int32": "int32"}
_DATES = ("DATE", "TIME", "MOYR", "QYR", "WKYR", "MONTH", "WKDAY", "%t", "%d")


class StatisticalFile(DataFile):
    """A file of SPSS or Stata, read by pyreadstat without converting dates.

    Notes
    -----
    A number whose values have labels is nominal: the mean of two codes is no code. It is ordinal if SPSS
    calls it so. User-defined missing values of SPSS and Stata count as missing and are written as they were.
    pyreadstat stores Stata's small integers (byte, int) as long; their values and formats are the same.
    """

    def __init__(self, path: Path, form: str) -> None:
        import pyreadstat

        self.source, self.form = path.name, form
        try:
            frame, meta = _reader(form)(str(path), user_missing=True, disable_datetime_conversion=True)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, UnicodeError) as error:
            reason = str(error).splitlines()[0][:160] if str(error) else "damaged"
            raise InputError(f"the file cannot be read as {form} ({reason})", where=self.source) from None
        self._frame: Any = frame
        self._meta: Any = meta
        self.names, self.n_records = tuple(frame.columns), len(frame)

    def column(self, name: str) -> DataColumn:
        """The column with its labels; numbers with value labels are nominal."""
        label = self._meta.column_names_to_labels.get(name) or ""
        values = self._frame[name]
        form = str(self._meta.original_variable_types.get(name) or "").upper()
        labels = {
            number_text(code) if isinstance(code, int | float) else str(code): str(text)
            for code, text in self._meta.variable_value_labels.get(name, {}).items()
        }
        numbers = self._numbers(name)
        if numbers is not None:
            for span in self._meta.missing_ranges.get(name, ()):
                if not isinstance(span["lo"], str):
                    numbers[(numbers >= span["lo"]) & (numbers <= span["hi"])] = np.nan
            dated = any(word.upper() in form for word in _DATES)
            order = self._order(name, numbers) if labels else ()
            ordinal = bool(order) and self._meta.variable_measure.get(name) == "ordinal"
            return column_of_numbers(
                name,
                numbers,
                kind="other" if dated else "ordinal" if ordinal else "nominal" if labels else "numeric",
                order=order,
                label=label,
                value_labels=labels,
                reason="it holds dates or times" if dated else "",
            )
        raw = values.to_numpy(dtype=object)
        absent = {span["lo"] for span in self._meta.missing_ranges.get(name, ())}
        texts = np.array(
            [None if v is None or v != v or v == "" or v in absent else str(v) for v in raw], dtype=object
        )
        return DataColumn(
            name=name,
            kind="nominal",
            numbers=None,
            texts=texts,
            label=label,
            value_labels=labels,
        )

    def _order(self, name: str, numbers: FloatArray) -> tuple[str, ...]:
        """Codes of a labelled column from low to high, those of missing values left out."""
        codes = {
            float(code) for code in self._meta.variable_value_labels[name] if isinstance(code, int | float)
        }
        for span in self._meta.missing_ranges.get(name, ()):
            codes = {code for code in codes if not span["lo"] <= code <= span["hi"]}
        codes |= set(numbers[~np.isnan(numbers)].tolist())
        return tuple(number_text(code) for code in sorted(codes))

    def _numbers(self, name: str) -> FloatArray | None:
        """Numbers of a column, NaN where missing or tagged as missing; None for a column of texts."""
        values = self._frame[name]
        if values.dtype.kind in "biuf":
            return np.array(values.to_numpy(dtype=np.float64))
        if str(self._meta.readstat_variable_types.get(name)) == "string":
            return None
        tags = set(self._meta.missing_user_values.get(name) or ())
        raw = values.to_numpy(dtype=object)
        return np.array([np.nan if v is None or v in tags else float(v) for v in raw], dtype=np.float64)

    def _write(
        self, path: Path, replace: Mapping[str, Replacement], names: tuple[str, ...], rows: IntArray
    ) -> None:
        import pyreadstat

        frame = self._frame[list(names)].iloc[rows].reset_index(drop=True)
        for name, new in replace.items():
            old = self._frame[name]
            if new.dtype.kind == "i":
                frame[name] = old.iloc[new[rows]].to_numpy()
            else:
                frame[name] = new[rows]
        for name in names:
            stored = _STORED.get(str(self._meta.readstat_variable_types.get(name)))
            if self.form == "Stata" and stored and frame[name].dtype.kind in "biuf":
                values = frame[name].to_numpy()
                if np.isfinite(values).all() and np.array_equal(values.astype(stored), values):
                    frame[name] = values.astype(stored)
            elif frame[name].dtype.kind == "O" and self._numbers(name) is not None:
                # pyreadstat writes a missing value among tagged integers as 0, among tagged floats right.
                values = frame[name].tolist()
                if any(isinstance(v, float) for v in values) and any(isinstance(v, str) for v in values):
                    frame[name] = np.array([v if isinstance(v, str) else float(v) for v in values], object)
        meta = self._meta

        def chosen(values: Mapping[str, Any] | None) -> dict[str, Any]:
            return {k: v for k, v in (values or {}).items() if k in names and v is not None}

        common: dict[str, Any] = {
            "file_label": meta.file_label or "",
            "column_labels": chosen(meta.column_names_to_labels),
            "variable_value_labels": chosen(meta.variable_value_labels),
            "variable_format": chosen(meta.original_variable_types),
        }
        if self.form == "SPSS":
            pyreadstat.write_sav(
                frame,
                str(path),
                missing_ranges=chosen(meta.missing_ranges),
                variable_measure=chosen(meta.variable_measure),
                variable_display_width=chosen(meta.variable_display_width),
                note=list(meta.notes or []) or "",
                **common,
            )
        else:
            pyreadstat.write_dta(
                frame, str(path), missing_user_values=chosen(meta.missing_user_values), **common
            )
        self._check(path, frame)

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


def _plain(value: Any) -> Any:
    return None if value is None or value != value or value == "" else value
