"""Parquet gives the same exact text as CSV."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from server.tables import parquet_file
from server.tables.data_file import OfGroups
from server.tables.files import open_data
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
        (pyarrow.array([23.4, 39.0, None, float("nan"), -0.0, 1e-7, 1e22, float("inf")]),
         ("23.4", "39", None, None, "0", "0.0000001", "10000000000000000000000", "inf")),
        (pyarrow.array([23.4, 0.1], pyarrow.float32()), ("23.4", "0.1")),
        (pyarrow.array([1.5], pyarrow.float16()), ("1.5",)),
        (pyarrow.array(["a", "b", "a", None]).dictionary_encode(), ("a", "b", "a", None)),
        (pyarrow.array([5, 6, 5]).dictionary_encode(), ("5", "6", "5")),
        (pyarrow.array([None, None]), (None, None)),
    ],
)  # fmt: skip
def test_types_become_exact_text(tmp_path: Path, array: pyarrow.Array, texts: tuple[str | None, ...]) -> None:
    table = open_data(written(tmp_path / "town.data", x=array))
    assert table.columns[0][:] == texts
    assert table.understood.form == "parquet"
    assert table.where(0, "x") == 'town.data, row 1, column "x"'


def test_several_row_groups(tmp_path: Path) -> None:
    path = tmp_path / "town.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"x": ["a", "b", "a", "c"]}), path, row_group_size=1)
    column = open_data(path).columns[0]
    assert column[:] == ("a", "b", "a", "c")
    assert column.distinct == ("a", "b", "c")


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (pyarrow.array([datetime.datetime(2020, 1, 1)]), "dates or times"),
        (pyarrow.array([datetime.date(2020, 1, 1)]), "dates or times"),
        (pyarrow.array([b"x"]), "binary"),
        (pyarrow.array([[1]]), "list"),
    ],
)
def test_what_is_no_number_and_no_category_says_why(tmp_path: Path, array: pyarrow.Array, words: str) -> None:
    file = open_data(written(tmp_path / "town.parquet", x=array, y=pyarrow.array([1])))
    assert file.exact("x").kind == "other"
    assert words in file.exact("x").reason
    assert file.exact("y").kind == "numeric"


def test_numbers_in_text_columns_have_their_sign_found(tmp_path: Path) -> None:
    path = written(tmp_path / "town.parquet", x=pyarrow.array(["1,5", "2,5"]))
    assert open_data(path, numeric_columns=["x"]).understood.decimal == ","


def test_damaged_and_empty_files(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 this is not one PAR1")
    with pytest.raises(ModelFileError, match=r"damaged\.parquet"):
        open_data(damaged)
    with pytest.raises(ModelFileError, match="no record"):
        open_data(written(tmp_path / "empty.parquet", x=pyarrow.array([], pyarrow.int64())))
    with pytest.raises(ModelFileError, match="no such file"):
        open_data(tmp_path / "none.parquet")
    with pytest.raises(ModelFileError, match="cannot be read"):
        open_data(tmp_path)


def test_repeated_names(tmp_path: Path) -> None:
    path = tmp_path / "double.parquet"
    one = pyarrow.array([1])
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays([one, one], names=["x", "x"]), path)
    with pytest.raises(ModelFileError, match='two columns are called "x"'):
        open_data(path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "town.parquet", age=[1, 2, 3], sex=["m", "f", "m"])
    file = open_data(path)
    assert file.column("age").distinct[0] == "1"
    written(path, age=[1, 2], sex=["f", "f"])
    with pytest.raises(ModelFileError, match="changed while it was read"):
        file.column("sex")


@pytest.mark.parametrize("length", [1, 7, 1000])
def test_a_file_is_the_same_in_whatever_pieces_it_is_written(
    length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(2)
    path = written(
        tmp_path / "town.parquet",
        age=draw.integers(0, 99, 1200),
        name=[f"n{i % 50}" for i in range(1200)],
        sex=pyarrow.array(draw.choice(["m", "f"], 1200)).dictionary_encode(),
        size=draw.normal(size=1200),
    )
    file = open_data(path)
    groups = np.arange(1200) // 4
    new = {"age": OfGroups(values=draw.normal(size=300), groups=groups)}
    new["sex"] = OfGroups(values=np.arange(0, 1200, 4), groups=groups)
    rows = file.order(new, rows=np.arange(1200)[::-1])
    file.write(tmp_path / "whole.parquet", replace=new, rows=rows)
    each = {name: value[np.arange(1200)] for name, value in new.items()}
    assert (file.order(each, rows=np.arange(1200)[::-1]) == rows).all()
    file.write(tmp_path / "each.parquet", replace=each, rows=rows)
    whole = pyarrow.parquet.read_table(tmp_path / "whole.parquet")
    pyarrow.parquet.write_table(whole, tmp_path / "at-once.parquet")
    assert (tmp_path / "at-once.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert (tmp_path / "each.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    monkeypatch.setattr(parquet_file, "PIECE_RECORDS", length)
    file.write(tmp_path / "pieces.parquet", replace=new, rows=rows)
    assert pyarrow.parquet.read_table(tmp_path / "pieces.parquet").equals(whole)
