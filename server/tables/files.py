"""One door for files of either form."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from server.progress import Progress
from server.tables.delimited import read_delimited
from server.tables.parquet import MAGIC, read_parquet
from server.tables.table import Table


def read_table(
    path: Path,
    *,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    wanted: Collection[str] | None = None,
    numeric_columns: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Table:
    """Read CSV or Parquet, told apart by the first bytes and not by the name.

    Parameters and errors are those of `read_delimited` and `read_parquet`.
    """
    try:
        with path.open("rb") as file:
            is_parquet = file.read(len(MAGIC)) == MAGIC
    except OSError:
        is_parquet = False  # the reader below says what is the matter
    if is_parquet:
        return read_parquet(path, wanted=wanted, numeric_columns=numeric_columns, decimal=decimal)
    return read_delimited(
        path,
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        wanted=wanted,
        numeric_columns=numeric_columns,
        progress=progress,
    )
