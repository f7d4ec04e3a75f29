"""Columns of distinct texts."""

from __future__ import annotations

import numpy as np
import pytest

from server.tables.column import DataColumn
from server.tables.csv_file import CsvFile
from server.tables.data_file import Understood
from server.tables.files import open_data
from server.wording import nearest_name, quoted, shortened_list
from shared.errors import ModelFileError


def test_a_column_behaves_like_a_sequence_and_is_read_only() -> None:
    table = CsvFile(b"x,y\na,1\nb,2\na,3\n")
    column = table.column("x")
    assert (len(column), column[2], column[1:], tuple(column)) == (3, "a", ("b", "a"), ("a", "b", "a"))
    assert column.first_row(1) == 1
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1
    with pytest.raises(ValueError, match="decimal sign"):
        Understood(form="csv", decimal="'")


def test_shown_values_are_short_and_printable() -> None:
    assert quoted("a\nb\0") == '"a\\nb\\x00"'
    assert quoted("x" * 100) == f'"{"x" * 40}…"'
    assert quoted(None) == "(missing)"
    assert shortened_list(tuple("abc"), 2) == '"a", "b" and 1 more'
    assert nearest_name("AGE", ("sex", "age")) == 'Did you mean "age"? '
    assert nearest_name("zzz", ("sex", "age")) == ""


def test_a_file_that_is_not_there(tmp_path: object) -> None:
    with pytest.raises(ModelFileError, match="no such file"):
        open_data(tmp_path / "none.csv")  # type: ignore[operator]


def test_ranks_are_those_of_the_sorted_texts() -> None:
    texts = ["b", None, "a", "", "b", "B", "10", "9", None, "ä"]
    column = DataColumn.of("x", texts)
    ordered = sorted({text for text in texts if text is not None})
    assert column.ranks.tolist() == [-1 if text is None else ordered.index(text) for text in texts]
    assert DataColumn.of_numbers("x", np.array([2.0, np.nan, 10.0, 2.0])).ranks.tolist() == [1, -1, 0, 1]
