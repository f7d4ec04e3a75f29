"""Parquet gives the same exact text as CSV."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from server.tables.files import read_table
from server.tables.parquet import read_parquet
from shared.errors import ModelFileError


def written(path: Path, **columns: object) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pyarrow.array([1, None, -7], pyarrow.int8()), ("1", None, "-7")),
        (pyarrow.array([2**64 - 1], pyarrow.uint64()), ("18446744073709551615",)),
        (pyarrow.array(["x", "", None]), ("x", "", None)),
        (pyarrow.array(["x", None], pyarrow.large_string()), ("x", None)),
        (pyarrow.array(["x", None], pyarrow.string_view()), ("x", None)),
        (pyarrow.array([True, False, None]), ("true", "false", None)),
        (pyarrow.array([Decimal("23.40"), None]), ("23.40", None)),
        (pyarrow.array([23.4, 39.0, None, float("nan"), -0.0, 1e-7, 1e22]),
         ("23.4", "39", None, None, "0", "0.0000001", "10000000000000000000000")),
        (pyarrow.array([23.4, 0.1], pyarrow.float32()), ("23.4", "0.1")),
        (pyarrow.array([1.5], pyarrow.float16()), ("1.5",)),
        (pyarrow.array(["a", "b", "a", None]).dictionary_encode(), ("a", "b", "a", None)),
        (pyarrow.array([5, 6, 5]).dictionary_encode(), ("5", "6", "5")),
        (pyarrow.array([None, None]), (None, None)),
    ],
)  # fmt: skip
def test_types_become_exact_text(tmp_path: Path, array: pyarrow.Array, texts: tuple[str | None, ...]) -> None:
    table = read_table(written(tmp_path / "town.data", x=array))
    assert table.columns[0][:] == texts
    assert (table.understood.form, table.place) == ("parquet", "row")
    assert table.where(0, "x") == 'town.data, row 1, column "x"'


def test_several_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "town.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"x": ["a", "b", "a", "c"]}), path, row_group_size=1)
    column = read_table(path).columns[0]
    assert column[:] == ("a", "b", "a", "c")
    assert column.texts == ("a", "b", "c")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (pyarrow.array([datetime.datetime(2020, 1, 1)]), "timestamp"),
        (pyarrow.array([datetime.date(2020, 1, 1)]), "date32"),
        (pyarrow.array([b"x"]), "binary"),
        (pyarrow.array([[1]]), "list"),
        (pyarrow.array([float("inf")]), "infinite"),
    ],
)
def test_types_without_exact_text_are_refused_only_where_wanted(
    tmp_path: Path, array: pyarrow.Array, words: str
) -> None:
    path = written(tmp_path / "town.parquet", x=array, y=pyarrow.array([1]))
    with pytest.raises(ModelFileError, match=words):
        read_table(path)
    assert read_table(path, wanted=["y"]).names == ("y",)


def test_numbers_in_text_columns_have_their_sign_found(tmp_path: Path) -> None:
    path = written(tmp_path / "town.parquet", x=pyarrow.array(["1,5", "2,5"]))
    assert read_table(path, numeric_columns=["x"]).understood.decimal == ","


def test_damaged_and_empty_files(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 this is not one PAR1")
    with pytest.raises(ModelFileError, match=r"damaged\.parquet"):
        read_table(damaged)
    with pytest.raises(ModelFileError, match="no record"):
        read_table(written(tmp_path / "empty.parquet", x=pyarrow.array([], pyarrow.int64())))
    with pytest.raises(ModelFileError, match="no such file"):
        read_parquet(tmp_path / "none.parquet")
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_parquet(tmp_path)


def test_repeated_names(tmp_path: Path) -> None:
    path = tmp_path / "double.parquet"
    one = pyarrow.array([1])
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays([one, one], names=["x", "x"]), path)
    with pytest.raises(ModelFileError, match='two columns are called "x"'):
        read_table(path)
