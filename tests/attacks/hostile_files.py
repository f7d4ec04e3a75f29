"""Files of a street survey with a canary in every place that their format has beside the values.

``CANARY`` stands in names and values of the dropped column, in the records that are left out and in metadata,
never in what is published. Streets and incomes are the quasi-identifiers, each of one record only.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
from openpyxl.comments import Comment
from openpyxl.packaging.custom import StringProperty
from openpyxl.styles import Font, NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

N = 60
LEFT_OUT = 4
DROPPED = "nameCANARY"
ILLNESSES = ("flu", "cold", "ache")


def survey() -> pd.DataFrame:
    """Records sorted by income; the last ones have no street."""
    random = np.random.default_rng(8)
    cents = np.sort(random.integers(10**8, 10**9, N) | 1)
    frame = pd.DataFrame(
        {
            DROPPED: [f"person{i}CANARY" for i in range(N)],
            "street": [f"street-{i:04}" for i in random.choice(9999, N, replace=False)],
            "income": cents / 100,
            "illness": random.choice(ILLNESSES, N),
        }
    )
    frame.loc[N - LEFT_OUT :, "street"] = None
    frame.loc[N - LEFT_OUT :, "illness"] = "goneCANARY"
    return frame


def write_csv(path: Path) -> None:
    """A blank behind a street marks one person."""
    frame = survey()
    frame.loc[::3, "street"] += " "
    frame.to_csv(path, index=False)


def write_parquet(path: Path) -> None:
    """Dictionaries, attributes, geographic bounds, metadata of fields, row numbers, many row groups."""
    frame = survey()
    frame["street"] = frame["street"].astype("category")
    levels = [*ILLNESSES, "neverCANARY", "goneCANARY"]
    frame["illness"] = pd.Categorical(frame["illness"], levels, ordered=True)
    frame.attrs["sourceCANARY"] = "listCANARY"
    table = pa.Table.from_pandas(frame.sample(frac=1, random_state=1).sort_values("income"))
    bounds = {"columns": {"street": {"bbox": ["CANARY", 41.39, 2.17, 41.4]}}}
    metadata = {**(table.schema.metadata or {}), b"geo": json.dumps(bounds).encode(), b"noteCANARY": b"1"}
    fields = [field.with_metadata({"fieldCANARY": "x"}) for field in table.schema]
    where = pa.struct([pa.field("house", pa.int8(), metadata={"innerCANARY": "x"})])
    table = table.cast(pa.schema(fields)).append_column(
        pa.field("where", where), pa.array([{"house": 1}] * N, where)
    )
    table = table.append_column("paper", pa.array(['{"a":1}'] * N, pa.json_(pa.string())))
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=7)


def write_xlsx(path: Path) -> None:
    """Other sheets, names, comments, styles, properties, headings of printed pages, lists to choose from."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "sheetCANARY"
    frame = survey()
    sheet.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        sheet.append(list(row))
    for line, (cell,) in enumerate(sheet["C2" : f"C{N + 1}"]):
        cell.number_format = f'0.00"CANARY{line}"'
    sheet["B3"].comment = Comment("commentCANARY", "authorCANARY")
    sheet["B4"].hyperlink = "https://example.org/CANARY"
    book.add_named_style(NamedStyle(name="styleCANARY", font=Font(name="fontCANARY")))
    sheet["B5"].style = "styleCANARY"
    sheet.oddHeader.center.text = "headingCANARY"
    choice = DataValidation(type="list", formula1='"chooseCANARY,other"')
    choice.add("D2:D60")
    sheet.add_data_validation(choice)
    sheet.auto_filter.ref = "A1:D61"
    sheet.auto_filter.add_filter_column(3, ["filterCANARY"])
    sheet.column_dimensions["A"].width = 77.25
    hidden = book.create_sheet("otherCANARY")
    hidden.sheet_state = "hidden"
    book.defined_names["definedCANARY"] = DefinedName("definedCANARY", attr_text="otherCANARY!$A$1")
    for name in ("creator", "title", "subject", "description", "keywords", "category", "lastModifiedBy"):
        setattr(book.properties, name, f"{name}CANARY")
    book.custom_doc_props.append(StringProperty(name="customCANARY", value="CANARY"))
    book.save(path)


def write_sav(path: Path) -> None:
    """Labels of the file, the dropped variable and codes that nobody has; notes; gaps; long texts."""
    frame = survey()
    frame["code"] = [1.0, 2.0] * (N // 2)
    frame.loc[N - LEFT_OUT :, "code"] = 3.0
    frame[DROPPED] += " " * 5 + "longCANARY" * 20
    pyreadstat.write_sav(
        frame.fillna({"street": ""}),
        str(path),
        file_label="fileCANARY",
        note=["noteCANARY", "secondCANARY"],
        column_labels={DROPPED: "labelCANARY", "income": "Income of the year"},
        variable_value_labels={"code": {1.0: "one", 2.0: "two", 3.0: "codeCANARY", 4.0: "unusedCANARY"}},
        missing_ranges={"illness": ["gapCANA"], "code": [{"lo": 3.0, "hi": 987654321.5}]},
        variable_format={"income": "F40.2"},
        variable_display_width={"street": 77},
    )


def write_dta(path: Path) -> None:
    """As SPSS, and a characteristic, which no library for Python writes."""
    frame = survey()
    frame["code"] = np.array([1, 2] * (N // 2), dtype="int32")
    frame.loc[N - LEFT_OUT :, "code"] = 3
    pyreadstat.write_dta(
        frame.fillna({"street": ""}),
        str(path),
        file_label="fileCANARY",
        column_labels={DROPPED: "labelCANARY", "income": "Income of the year"},
        variable_value_labels={"code": {1: "one", 2: "two", 3: "codeCANARY", 4: "unusedCANARY"}},
    )
    data = path.read_bytes()
    note = b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + b"textCANARY\0"
    block = b"<ch>" + struct.pack("<I", len(note)) + note + b"</ch>"
    place = data.index(b"<characteristics>") + len(b"<characteristics>")
    data = data[:place] + block + data[place:]
    table = data.index(b"<map>") + len(b"<map>")
    offsets = struct.unpack_from("<14Q", data, table)
    moved = [offset if offset < place else offset + len(block) for offset in offsets]
    path.write_bytes(data[:table] + struct.pack("<14Q", *moved) + data[table + 14 * 8 :])


WRITERS: dict[str, Callable[[Path], None]] = {
    "csv": write_csv,
    "parquet": write_parquet,
    "xlsx": write_xlsx,
    "sav": write_sav,
    "dta": write_dta,
}
