"""What a reproduction reads: the reference data sets, and the published figures where they are at hand.

Neither is part of the project. A folder of data holds one CSV file a data set; a folder of published
figures holds JSON files.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from shared.errors import InputError

EIA_ATTRIBUTES: Final = (
    "utilityid",
    "resrevenue",
    "ressales",
    "comrevenue",
    "comsales",
    "indrevenue",
    "indsales",
    "othrevenue",
    "othrsales",
    "totrevenue",
    "totsales",
)
"""The "11 numerical attributes" of the literature; the file has four more columns."""

MATRICES: Final = {"census": (1080, 13), "tarragona": (834, 13), "eia": (4092, 11)}
"""Data sets of numbers -> records and attributes."""
TABLES: Final = {"adult": (48842, 15), "breast_cancer_wisconsin": (699, 11), "heart_cleveland": (303, 14)}
"""Data sets of texts -> records and columns."""
_REMEDY: Final = (
    "Name the folder with --data or the environment variable ROOMFUL_REFERENCE_DATA; "
    "docs/reproduction.md says where the files come from."
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Folders to read from.

    Attributes
    ----------
    data : Path or None
        Folder of data sets.
    published : Path or None
        Folder of published figures; without it, ours stand alone.
    """

    data: Path | None
    published: Path | None

    def missing(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the named data sets that cannot be read from here."""
        return tuple(name for name in names if self.data is None or not self._path(name).is_file())

    def matrix(self, name: str) -> tuple[tuple[str, ...], NDArray[np.float64]]:
        """Return names of the attributes, and the records as an n x d matrix, as they stand in the file.

        Parameters
        ----------
        name : {"census", "tarragona", "eia"}
            For EIA the eleven attributes of the literature (`EIA_ATTRIBUTES`), otherwise every column.

        Raises
        ------
        InputError
            If the data set is not there, holds anything but numbers, or has another size than the published.
        """
        header, rows = self._read(name)
        wanted = EIA_ATTRIBUTES if name == "eia" else header
        try:
            places = [header.index(column) for column in wanted]
            values = np.array([[float(row[place]) for place in places] for row in rows], dtype=np.float64)
        except (ValueError, IndexError) as error:
            raise self._unusable(name) from error
        if values.shape != MATRICES[name] or not np.isfinite(values).all():
            raise self._unusable(name)
        return wanted, values

    def table(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the texts of each column as they stand in the file, missing values as ``?``.

        Parameters
        ----------
        name : {"adult", "breast_cancer_wisconsin", "heart_cleveland"}

        Raises
        ------
        InputError
            If the data set is not there, or has another size than the published.
        """
        header, rows = self._read(name)
        sizes = {len(header), *map(len, rows)}
        if (len(rows), *sizes) != TABLES[name]:
            raise self._unusable(name)
        return dict(zip(header, zip(*rows, strict=True), strict=True))

    def figures(self, file: str, *keys: str | int) -> Any:
        """Return the value under ``keys`` in a JSON file of published figures, or None where there is none.

        Parameters
        ----------
        file : str
            File name without ending, such as ``"microaggregation"``.
        keys : str or int
            Path into the document.

        Raises
        ------
        InputError
            If the file is there and is no JSON.
        """
        if self.published is None:
            return None
        path = self.published / f"{file}.json"
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise InputError(
                "the published figures cannot be read",
                where=str(path),
                expected="a JSON file",
                remedy="Name another folder with --published.",
                code="input.published",
            ) from error
        for key in keys:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def figure_rows(self, file: str, name: str, fields: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return a published table: rows that each have the named fields; no rows where there is none.

        Raises
        ------
        InputError
            If it is there, and looks otherwise.
        """
        rows = self.figures(file, name)
        if rows is None:
            return []
        if not isinstance(rows, list) or not all(isinstance(r, dict) and {*fields} <= {*r} for r in rows):
            raise InputError(
                "this table of published figures looks otherwise",
                where=f"{file}.json, {name}",
                expected=f"a list of objects, each with {', '.join(fields)}",
                remedy="Name another folder with --published.",
                code="input.published",
            )
        return rows

    def _path(self, name: str) -> Path:
        if self.data is None:
            raise self.refusal((name,))
        return self.data / f"{name}.csv"

    def _read(self, name: str) -> tuple[tuple[str, ...], list[list[str]]]:
        path = self._path(name)
        try:
            with path.open(encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
        except FileNotFoundError as error:
            raise self.refusal((name,)) from error
        except (OSError, ValueError, csv.Error) as error:
            raise self._unusable(name) from error
        return tuple(header), [row for row in rows if row]

    def refusal(self, names: tuple[str, ...]) -> InputError:
        """Error that says which data sets are not there, and how to give them."""
        files = ", ".join(f"{name}.csv" for name in names)
        return InputError(
            f"data that this needs is missing: {files}",
            where=str(self.data) if self.data else "",
            expected="a folder that holds it",
            remedy=_REMEDY,
            code="input.data-missing",
        )

    def _unusable(self, name: str) -> InputError:
        records, columns = (MATRICES | TABLES)[name]
        kind = "numbers" if name in MATRICES else "values"
        return InputError(
            "this is not the data set that was published",
            where=str(self._path(name)),
            expected=f"a CSV file with a heading and {records} records of {columns} {kind}",
            remedy="Fetch it again.",
            code="input.data",
        )
