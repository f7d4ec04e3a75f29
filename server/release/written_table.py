"""CSV files as a release writes them, read again."""

from __future__ import annotations

import csv
import io
from typing import Any


def written_table(data: bytes) -> tuple[list[str], list[dict[str, Any]]]:
    """Header and rows of a CSV file of a release; a row that is ragged has None as key or value.

    A field may be as long as the file: a group of many cells names all of them in one.

    Raises
    ------
    csv.Error
        If it is no CSV.
    """
    before = csv.field_size_limit(len(data) + 1)
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
        return list(reader.fieldnames or ()), list(reader)
    finally:
        csv.field_size_limit(before)
