"""The written file is a function of the published records: any order of the original gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.statistics.anonymize.masking import mask
from server.statistics.anonymize.preparation import prepare
from server.statistics.anonymize.request import Request
from server.tables.files import open_data
from server.tables.row_order import published_order, value_codes
from tests.data_files import N, town

WRITE = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: pq.write_table(
        pa.Table.from_pandas(frame.assign(note=frame["note"].astype("category")), preserve_index=False), path
    ),
    "xlsx": lambda frame, path: frame.replace("=1+1", "1+1").to_excel(path, index=False),
    "sav": lambda frame, path: pyreadstat.write_sav(frame, str(path)),
    "dta": lambda frame, path: pyreadstat.write_dta(frame, str(path)),
}


@pytest.mark.parametrize("form", WRITE)
def test_the_order_of_the_original_leaves_no_trace(form: str, tmp_path: Path) -> None:
    """Age is published by group of ten records, sex as one category, the rest as it is."""
    frame = town()
    group = np.arange(N) // 10
    written = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(N)
        path, out = tmp_path / f"{seed}.{form}", tmp_path / f"out{seed}.{form}"
        WRITE[form](frame.iloc[order], path)
        file = open_data(path)
        man = int(np.flatnonzero(frame["sex"].to_numpy()[order] == "m")[seed])
        replace = {"age": group[order] + 0.5, "sex": np.full(N, man)}
        rows = np.flatnonzero(group[order] > 0)
        file.write(out, replace=replace, drop=("name",), rows=file.order(replace, drop=("name",), rows=rows))
        written.append(out.read_bytes())
    assert written[0] == written[1] == written[2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60), st.randoms())
def test_equal_records_in_any_order_come_out_in_one(rows: list[tuple[int, int]], random) -> None:
    shuffled = random.sample(rows, len(rows))
    for table in (rows, shuffled):
        order = published_order([np.array([row[i] for row in table]) for i in range(2)])
        assert sorted(order.tolist()) == list(range(len(rows)))
    first, second = (
        [table[i] for i in published_order([np.array([row[j] for row in table]) for j in range(2)])]
        for table in (rows, shuffled)
    )
    assert first == second


def test_a_sorted_file_is_not_sorted_when_it_is_published() -> None:
    order = published_order([np.arange(1_000)])
    assert abs(np.corrcoef(order, np.arange(1_000))[0, 1]) < 0.1
    assert len({place // 100 for place in order[:40].tolist()}) == 10, "the first records come from all over"


def test_codes_follow_the_texts() -> None:
    assert value_codes(["b", "a", "b", ""]).tolist() == [2, 1, 2, 0]


def test_the_report_measures_the_records_that_it_wrote(tmp_path: Path) -> None:
    """Every record is measured against its own original, wherever it went."""
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    town().to_csv(path, index=False)
    request = Request(quasi_identifiers=("age", "height"), k=5, method="mdav", drop=("note",))
    masked = mask(prepare(path, out, request), out)
    assert sorted(masked.rows.tolist()) == list(range(N))
    names = open_data(out).column("name").texts
    assert names.tolist() == town()["name"].to_numpy()[masked.rows].tolist()
    published = open_data(out).column("age").numbers
    for number in np.unique(masked.classes):
        assert len(set(published[masked.classes == number])) == 1


def test_row_numbers_of_pandas_are_left_out_unless_they_are_asked_for(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    town().sort_values("age").to_parquet(path)
    request = {"quasi_identifiers": ("age",), "k": 5, "method": "mdav"}
    masked = mask(prepare(path, out, Request(**request)), out)
    assert "__index_level_0__" not in pq.read_schema(out).names
    assert any("__index_level_0__" in warning and "left out" in warning for warning in masked.warnings)
    mask(prepare(path, out, Request(**request, confidential=("__index_level_0__",))), out)
    assert "__index_level_0__" in pq.read_schema(out).names


def test_a_spelling_of_one_record_is_not_published(tmp_path: Path) -> None:
    """The first woman of the file is written with a blank; her group must not be known by it."""
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_text("sex,ill\n" + "f ,x\n" + "f,x\n" * 4 + "m,x\n" * 5)
    mask(prepare(path, out, Request(quasi_identifiers=("sex",), k=5, method="mdav")), out)
    assert out.read_text().count("f ,") == 0
    book = pd.DataFrame({"code": [1, "1", "1", "1", 2, 2, "2", "2"]}, dtype=object)
    book.to_excel(tmp_path / "a.xlsx", index=False)
    request = Request(quasi_identifiers=("code",), nominal=("code",), k=4, method="mdav")
    mask(prepare(tmp_path / "a.xlsx", tmp_path / "b.xlsx", request), tmp_path / "b.xlsx")
    assert len(set(map(repr, pd.read_excel(tmp_path / "b.xlsx", dtype=object)["code"]))) == 2
