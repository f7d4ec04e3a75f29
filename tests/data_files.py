"""A small town in every format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

N = 40


def town() -> pd.DataFrame:
    """Age whole, height with decimals, sex in words, illness confidential, a note with traps."""
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(N)],
            "age": random.integers(18, 90, N),
            "height": np.round(random.normal(1.7, 0.1, N), 2),
            "sex": random.choice(["f", "m"], N),
            "illness": random.choice(["flu", "cold", "ache"], N),
            "note": ["a,b", 'say "x"', "", " ", "=1+1"] * 8,
        }
    )


def write_csv(path: Path) -> None:
    town().to_csv(path, index=False)


def write_parquet(path: Path) -> None:
    frame = town().set_index("name")
    table = pa.Table.from_pandas(frame.astype({"age": "int16", "height": "float32"}))
    field = table.schema.field("age").with_metadata({"unit": "years"})
    position = table.schema.get_field_index("age")
    pq.write_table(table.cast(table.schema.set(position, field)), path)


def write_sav(path: Path) -> None:
    frame = town()
    frame["sex"] = (frame["sex"] == "m") + 1
    pyreadstat.write_sav(
        frame,
        str(path),
        file_label="Town",
        column_labels={"age": "Age in years", "sex": "Sex"},
        variable_value_labels={"sex": {1: "female", 2: "male"}, "age": {}},
        variable_measure={"age": "scale", "sex": "nominal"},
        variable_format={"age": "F3.0", "height": "F8.2"},
        missing_ranges={"height": [9.99]},
    )


def write_dta(path: Path) -> None:
    frame = town()
    frame["sex"] = ((frame["sex"] == "m") + 1).astype("int8")
    frame["age"] = frame["age"].astype("int32")
    pyreadstat.write_dta(
        frame,
        str(path),
        column_labels={"age": "Age in years"},
        variable_value_labels={"sex": {1: "female", 2: "male"}},
    )


def write_xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Town"
    frame = town()
    sheet.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        sheet.append([v.item() if hasattr(v, "item") else v or None for v in row])
    for (cell,) in sheet["C2" : f"C{N + 1}"]:
        cell.number_format = "0.00"
    for (cell,) in sheet["F2" : f"F{N + 1}"]:
        if cell.value:
            cell.data_type = "s"
    sheet.column_dimensions["A"].width = 33
    sheet.freeze_panes = "A2"
    book.save(path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "sav": write_sav,
    "dta": write_dta,
    "xlsx": write_xlsx,
}
