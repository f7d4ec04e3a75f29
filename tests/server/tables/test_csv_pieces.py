"""A large CSV that is read by pieces is what it is when it is read whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.tables import csv_file, csv_pieces
from server.tables.data_file import OfGroups
from server.tables.files import Reading, open_data
from shared.errors import RoomfulError
from tests.server.tables.test_counting import ODD

REGULAR = (
    "plain",
    "no last line end",
    "windows",
    "empty lines",
    "mark",
    "utf-16",
    "cp1250",
    "semicolons",
    "quoted header",
    "quotes",
    "quoted line ends",
    "unnamed column",
)


def said(path: Path, reading: Reading | None = None) -> object:
    """Everything that a file tells, what it is when it is written again, or the words that refuse it."""
    try:
        file = open_data(path, reading)
    except RoomfulError as error:
        return str(error)
    out = path.with_name("again.csv")
    file.write(out, replace={})
    kept, new = out.read_bytes(), np.linspace(-1, 2, file.n_records)
    groups = np.arange(file.n_records) // 3
    replaced = {
        file.names[0]: OfGroups(values=new[: groups.max() + 1], groups=groups),
        file.names[-1]: np.arange(file.n_records)[::-1].copy(),
    }
    file.write(out, replace=replaced, rows=np.arange(file.n_records)[::-2])
    return (
        (file.header, file.names, file.n_records, file.understood, file.equal_rows, file.options()),
        [(tuple(column.distinct), column.codes.tolist()) for column in file.columns],
        [(file.column(name).kind, file.column(name).decided) for name in file.names],
        [file.place_of(row) for row in range(file.n_records)],
        kept,
        out.read_bytes(),
    )


@pytest.mark.parametrize("block", [1, 20, 48, 1000])
@pytest.mark.parametrize("name", ODD)
def test_pieces_of_any_size_say_what_the_whole_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, block: int
) -> None:
    path = tmp_path / "town.csv"
    path.write_bytes(ODD[name])
    ways = (None, Reading(separator=","), Reading(encoding="cp1252"), Reading(separator='"'))
    whole = [said(path, reading) for reading in ways]
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", block)
    monkeypatch.setattr(csv_file, "_PIECE_RECORDS", 4)
    assert [said(path, reading) for reading in ways] == whole


@pytest.mark.parametrize("name", REGULAR)
def test_regular_files_are_read_by_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The comparison above would be empty if every file were read whole."""
    path = tmp_path / "town.csv"
    path.write_bytes(ODD[name])
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 20)
    monkeypatch.setattr(csv_file, "read_bytes", lambda *_, **__: pytest.fail("read whole"))
    assert open_data(path).n_records


def test_a_file_of_one_block_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "town.csv"
    path.write_bytes(ODD["plain"])
    monkeypatch.setattr(csv_file, "content_of", lambda *_, **__: pytest.fail("read by pieces"))
    assert open_data(path).n_records == 27
