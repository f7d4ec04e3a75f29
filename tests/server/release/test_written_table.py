"""A release's own tables are read whatever the length of their fields."""

from __future__ import annotations

import csv

import pytest

from server.release.written_table import written_table


def test_a_group_of_very_many_cells_is_one_field() -> None:
    before = csv.field_size_limit()
    cells = " ".join(map(str, range(88_000)))
    header, rows = written_table(f"group,cells\n0,{cells}\n".encode())
    assert (header, rows) == (["group", "cells"], [{"group": "0", "cells": cells}])
    assert csv.field_size_limit() == before


def test_the_limit_of_others_stays_after_an_error() -> None:
    before = csv.field_size_limit()
    with pytest.raises(csv.Error):
        written_table(b'group\n"0')
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("data", [b"a,b\n1\n", b"a,b\n1,2,3\n"])
def test_ragged_rows_show(data: bytes) -> None:
    (row,) = written_table(data)[1]
    assert None in row or None in row.values()
