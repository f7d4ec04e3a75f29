"""Formats: values that are not replaced come back as they were; nasty files are read right or refused."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from server.statistics.anonymize.masking import mask
from server.statistics.anonymize.preparation import prepare
from server.statistics.anonymize.request import Request
from server.tables.column import number_text
from server.tables.doubts import refuse_doubtful
from server.tables.files import Reading, form_of, open_data
from shared.errors import InputError, RoomfulError
from tests.data_files import N, town, write_csv, write_sav, write_xlsx


def test_a_town_is_read_the_same_from_every_format(town_file: Path) -> None:
    file, frame = open_data(town_file), town()
    assert file.n_records == N
    age, height, sex = (file.column(name) for name in ("age", "height", "sex"))
    assert (age.kind, height.kind, sex.kind) == ("numeric", "numeric", "nominal")
    assert age.numbers == pytest.approx(frame["age"])
    assert height.numbers == pytest.approx(frame["height"], rel=1e-6)
    assert age.decimals == 0
    assert height.decimals >= 2
    assert not sex.missing.any()


def test_replacing_and_leaving_out(town_file: Path) -> None:
    file = open_data(town_file)
    rows = np.array([0, 2, 5])
    age = np.arange(N, dtype=np.float64)
    sex = np.zeros(N, dtype=np.int64)
    out = town_file.with_stem("out")
    file.write(out, replace={"age": age, "sex": sex}, drop=("illness",), rows=rows)
    again = open_data(out)
    assert again.names == tuple(name for name in file.names if name != "illness")
    assert again.column("age").numbers.tolist() == [0, 2, 5]
    assert set(again.column("sex").texts) == {file.column("sex").texts[0]}
    assert again.column("note").texts.tolist() == file.column("note").texts[rows].tolist()
    assert again.column("height").numbers.tolist() == file.column("height").numbers[rows].tolist()
    assert not list(out.parent.glob(".*partial"))


def test_csv_untouched_is_the_same_text(town_csv: Path) -> None:
    out = town_csv.with_stem("out")
    open_data(town_csv).write(out, replace={})
    assert out.read_text() == town_csv.read_text()


def test_csv_keeps_separator_decimal_sign_encoding_line_ends_and_mark(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_bytes("größe;ort\r\n1,5;Köln\r\n2,25;Ö\r\n".encode("cp1252"))
    file = open_data(path)
    assert file.column("größe").numbers.tolist() == [1.5, 2.25]
    file.write(out, replace={"größe": np.array([1.75, 1.75])})
    assert out.read_bytes() == "größe;ort\r\n1,75;Köln\r\n1,75;Ö\r\n".encode("cp1252")
    path.write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")
    open_data(path).write(out, replace={})
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.50", "?"], "numeric"),
        (["1e3", "-.5", ""], "numeric"),
        (["01067", "99999", "1"], "nominal"),
        (["1", "two", "3"], "nominal"),
        (["", "NA", "?"], "nominal"),
        (["0.5", "0", "-0.25"], "numeric"),
    ],
)
def test_kinds_of_csv_columns(tmp_path: Path, cells: list[str], kind: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f"{cell},0\n" for cell in cells))
    column = open_data(path).column("x")
    assert column.kind == kind
    assert column.missing.sum() == sum(cell in ("", "?", "NA") for cell in cells)


def test_parquet_keeps_types_and_no_metadata(tmp_path: Path) -> None:
    from tests.data_files import write_parquet

    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write_parquet(path)
    open_data(path).write(out, replace={"age": np.full(N, 40.0), "height": np.full(N, 1.625)})
    before, after = pq.read_table(path), pq.read_table(out)
    assert before.schema.equals(after.schema)
    assert before.schema.metadata
    assert after.schema.metadata is None
    assert all(field.metadata is None for field in after.schema)
    frame = pd.read_parquet(out)
    assert frame["name"].tolist() == town()["name"].tolist()
    assert frame["age"].dtype == np.int16
    assert set(frame["height"]) == {np.float32(1.625)}


def test_parquet_special_types(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.table(
        {
            "price": pa.array([Decimal(1), Decimal(2), Decimal(3)], pa.decimal128(8, 2)),
            "city": pa.array(["a", "b", None]).dictionary_encode(),
            "day": pa.array([1, 2, 3], pa.date32()),
            "id": pa.array([2**60, 2**60 + 1, 5]),
            "yes": [True, False, None],
            "whole": [1, 2, 3],
        }
    )
    pq.write_table(table, path)
    file = open_data(path)
    assert [file.column(name).kind for name in ("price", "city", "day", "yes")] == [
        "numeric",
        "nominal",
        "other",
        "nominal",
    ]
    assert file.column("id").kind == "other"
    new = {"price": np.array([1.125, 2.5, 2.5]), "city": np.array([1, 1, 1]), "whole": np.full(3, 1.5)}
    file.write(out, replace=new)
    after = pq.read_table(out)
    assert [str(value) for value in after["price"].to_pylist()] == ["1.12", "2.50", "2.50"]
    assert after["city"].to_pylist() == ["b", "b", "b"]
    assert after["day"].equals(table["day"])
    assert after["id"].equals(table["id"])
    assert after["whole"].to_pylist() == [1.5, 1.5, 1.5]


def test_sav_keeps_labels_measures_and_decimals_and_no_label_of_the_file(tmp_path: Path) -> None:
    path, out = tmp_path / "a.sav", tmp_path / "b.sav"
    write_sav(path)
    file = open_data(path)
    sex = file.column("sex")
    assert sex.shown("1") == "female (1)"
    assert file.column("age").label == "Age in years"
    file.write(out, replace={"age": np.full(N, 40.0)})
    before, after = (pyreadstat.read_sav(p, user_missing=True)[1] for p in (path, out))
    for name in ("column_names_to_labels", "variable_value_labels", "variable_measure"):
        assert getattr(after, name) == getattr(before, name), name
    assert (before.file_label, after.file_label) == ("Town", None)
    assert after.original_variable_types["age"] == "F8.0"
    assert after.original_variable_types["height"] == "F8.2"
    assert before.missing_ranges
    assert not after.missing_ranges, "nobody's height is 9.99"


def test_sav_user_missing_values_and_dates(tmp_path: Path) -> None:
    path, out = tmp_path / "a.sav", tmp_path / "b.sav"
    frame = pd.DataFrame(
        {
            "income": [10.0, 99.0, np.nan],
            "town": ["x", "", "y"],
            "born": pd.to_datetime(["2001-02-03", "1999-12-31", None]),
        }
    )
    pyreadstat.write_sav(frame, str(path), missing_ranges={"income": [99]})
    file = open_data(path)
    assert file.column("income").missing.tolist() == [False, True, True]
    assert file.column("town").missing.tolist() == [False, True, False]
    assert file.column("born").kind == "other"
    file.write(out, replace={})
    before, after = (pyreadstat.read_sav(p, user_missing=True)[0] for p in (path, out))
    pd.testing.assert_frame_equal(before, after)


def test_dta_keeps_labels(tmp_path: Path) -> None:
    from tests.data_files import write_dta

    path, out = tmp_path / "a.dta", tmp_path / "b.dta"
    write_dta(path)
    open_data(path).write(out, replace={"age": np.full(N, 40.0)})
    (before_frame, before), (after_frame, after) = pyreadstat.read_dta(path), pyreadstat.read_dta(out)
    assert after.column_names_to_labels == before.column_names_to_labels
    assert after.variable_value_labels == before.variable_value_labels
    assert after_frame.dtypes.equals(before_frame.dtypes)
    assert after.readstat_variable_types == before.readstat_variable_types


def test_dta_tagged_missing_values(tmp_path: Path) -> None:
    path, out = tmp_path / "a.dta", tmp_path / "b.dta"
    frame = pd.DataFrame({"x": pd.Series([1.0, "a", 3.0, np.nan], dtype=object), "y": [1.5, 2.5, np.nan, 0]})
    pyreadstat.write_dta(frame, str(path), missing_user_values={"x": ["a"]})
    file = open_data(path)
    assert file.column("x").kind == "numeric"
    assert file.column("x").missing.tolist() == [False, True, False, True]
    file.write(out, replace={})
    after = pyreadstat.read_dta(out, user_missing=True)[0]["x"].tolist()
    assert after[:3] == [1, "a", 3]
    assert np.isnan(after[3])


def test_a_library_that_changes_values_on_the_way_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "a.sav", tmp_path / "b.sav"
    write_sav(path)
    file = open_data(path)
    honest = pyreadstat.write_sav
    monkeypatch.setattr(
        pyreadstat, "write_sav", lambda frame, *a, **k: honest(frame.assign(age=0.0), *a, **k)
    )
    with pytest.raises(InputError, match="without change"):
        file.write(out, replace={})
    assert not out.exists()


def test_excel_keeps_common_formats_and_leaves_everything_else_behind(tmp_path: Path) -> None:
    from tests.data_files import write_xlsx

    path, out = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    write_xlsx(path)
    book = openpyxl.load_workbook(path)
    book.create_sheet("Raw")["A1"] = "secret"
    book["Town"]["A2"].comment = openpyxl.comments.Comment("secret", "me")
    book.save(path)
    with pytest.raises(InputError, match="several sheets"):
        open_data(path)
    with pytest.raises(InputError, match="no sheet"):
        open_data(path, Reading(sheet="Villages"))
    open_data(path, Reading(sheet="Town")).write(out, replace={"age": np.full(N, 40.0)})
    after = openpyxl.load_workbook(out)
    assert after.sheetnames == ["Data"]
    sheet = after["Data"]
    assert sheet["A2"].comment is None
    assert sheet["C2"].number_format == "0.00"
    assert sheet["B2"].value == 40
    assert isinstance(sheet["B2"].value, int)
    assert sheet.column_dimensions["A"].width != 33
    assert sheet.freeze_panes == "A2"
    assert (sheet["F6"].value, sheet["F6"].data_type) == ("=1+1", "s")


def test_excel_formulas_dates_and_empty_sheets(tmp_path: Path) -> None:
    import datetime

    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active.append(["x", "day", None])
    book.active.append([1, datetime.date(2020, 1, 1), "y"])
    book.save(path)
    file = open_data(path)
    assert file.names == ("x", "day", "(column 3)")
    assert file.column("day").kind == "other"
    book.active["A2"] = "=1+1"
    book.save(path)
    with pytest.raises(InputError, match="A2 holds a formula"):
        open_data(path)
    openpyxl.Workbook().save(path)
    with pytest.raises(InputError):
        open_data(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "sav", "dta", "xlsx"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 300, b"PK\x03\x04 no archive", b"PAR1 no table"])
def test_damaged_files_are_refused(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(content)
    with pytest.raises(RoomfulError):
        open_data(path)


def test_names_and_options_that_do_not_fit(tmp_path: Path, town_csv: Path) -> None:
    with pytest.raises(InputError, match="suffix"):
        form_of(tmp_path / "a.ods")
    with pytest.raises(InputError, match="no such file"):
        open_data(tmp_path / "b.csv")
    (tmp_path / "c.csv").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        open_data(tmp_path / "c.csv")
    with pytest.raises(InputError, match="--sheet is for Excel"):
        open_data(town_csv, Reading(sheet="x"))
    with pytest.raises(InputError, match="--decimal is for CSV"):
        open_data(tmp_path / "a.sav", Reading(decimal=","))
    with pytest.raises(InputError, match=r"no column \"Age\""):
        open_data(town_csv).column("Age")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_csv(path)
    with pytest.raises(InputError, match="cannot be written"):
        open_data(path).write(tmp_path / "no" / "b.csv", replace={})


def test_infinite_numbers_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0, float("inf")]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"row 2: .x. is .inf., too large"):
        open_data(tmp_path / "a.parquet").usable("x")
    (tmp_path / "a.csv").write_text("x,y\n1e999,1\n2,2\n")
    with pytest.raises(InputError, match=r"line 2: .x. is .1e999., too large"):
        open_data(tmp_path / "a.csv").usable("x")


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (1e22, "1" + "0" * 22)])
def test_number_texts(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a\n1\n2\n3\nx5\n", r"line 5: most values of .a. are numbers, and .x5. is none"),
        ("a;b\n1.234,5;x\n2.345,6;y\n", r"looks like numbers, such as .1\.234,5."),
        ("a;b\n1.5;x\n2,5;y\n", "looks like a number"),
        ("a;b\n950;x\n1,200;y\n", r"line 3: .1,200. of .a. can be 1200 or .* --decimal ,"),
    ],
)
def test_numbers_with_typing_errors_are_no_categories(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    file = open_data(path)
    with pytest.raises(InputError, match=words):
        refuse_doubtful(file.column("a"), file)


@pytest.mark.parametrize(
    "text",
    [
        "a\n01067\n80331\n10115\n",
        "a\nf\nm\n1\n",
        'a\n""\n""\n',
        "a\n1\n2\n",
        "a;b\n1200;x\n1,200;y\n",
        "a;b\n0,950;x\n1,200;y\n",
    ],
)
def test_codes_and_plain_numbers_are_not_doubted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    file = open_data(path)
    refuse_doubtful(file.column("a"), file)


def test_messages_of_a_csv_name_options_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1\n2,3,4\n")
    with pytest.raises(InputError, match="--separator, or separator in"):
        open_data(path)
    path.write_text("a|b\n1|x\n")
    with pytest.raises(InputError, match="or the separator"):
        open_data(path).column("a")


def test_numbers_whose_squares_overflow_are_refused_where_they_count(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,1\n-1e200,2\n")
    file = open_data(path)
    with pytest.raises(InputError, match=r"line 3: .a. is .-1e200., too large"):
        file.usable("a")
    assert file.usable("b").decimals == 0


def test_merged_cells_of_a_sheet_are_refused_and_rows_are_those_people_see(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["age"], [1], [2], ["x"], [4]):
        book.active.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    file = open_data(path)
    with pytest.raises(InputError, match=r"a\.xlsx, row 4: most values"):
        refuse_doubtful(file.column("age"), file)
    book.active.merge_cells("A2:A3")
    book.save(path)
    with pytest.raises(InputError, match="A2:A3 are merged"):
        open_data(path)


def test_columns_that_cannot_be_computed_with_may_stand_beside_those_that_are_masked(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    table = pa.table(
        {
            "age": list(range(10)),
            "id": [2**60 + i for i in range(10)],
            "rate": [1.5, float("inf")] * 5,
            "view": pa.array(["x", "y"] * 5).cast(pa.string_view()),
        }
    )
    pq.write_table(table, path)
    request = Request(quasi_identifiers=("age",), k=5, method="mdav", keep_order=True)
    mask(prepare(path, out, request), out)
    after = pq.read_table(out)
    assert all(after[name].to_pylist() == table[name].to_pylist() for name in ("id", "rate", "view"))
    mask(prepare(path, out, replace(request, drop=("id", "rate"))), out)
    assert pq.read_table(out).column_names == ["age", "view"]
    (tmp_path / "a.csv").write_text("age,big\n" + "".join(f"{i},1e400\n" for i in range(10)))
    prepare(tmp_path / "a.csv", tmp_path / "b.csv", request)


def test_identifiers_too_long_for_floats_are_no_quasi_identifiers(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [2**60 + i for i in range(10)]}), path)
    request = Request(quasi_identifiers=("id",), k=5, method="mdav")
    with pytest.raises(InputError, match=r"\"id\" cannot be a quasi-identifier: .*2\^53"):
        prepare(path, tmp_path / "b.parquet", request)
    assert open_data(path).column("id").texts[1] == str(2**60 + 1)


def test_parquet_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    with pytest.raises(InputError, match=r"two columns are called .a."):
        open_data(path)


def test_parquet_values_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    view = pa.array(["x", "y"]).cast(pa.string_view())
    pq.write_table(pa.table({"view": view, "age": pa.array([1, 2], pa.int8())}), path)
    file = open_data(path)
    file.write(out, replace={}, rows=np.array([1]))
    assert pq.read_table(out).to_pylist() == [{"view": "y", "age": 2}]
    out.unlink()
    with pytest.raises(InputError, match=r"values of \"age\" do not fit its type int8"):
        file.write(out, replace={"age": np.array([300.0, 300.0])})
    assert not out.exists()


def test_csv_keeps_a_header_without_names_and_line_ends_of_utf_16(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    for data in (
        b",a\n0,5\n1,6\n",
        b"a , b\n5,6\n",
        b"a,b\r5,6\r7,8\r",
        b'a,b\n5,"x\r\ny"\n',
        "a,b\r\n5,ä\r\n".encode("utf-16"),
        b"\xfe\xff" + "a,b\r\n5,ä\r\n".encode("utf-16-be"),
    ):
        path.write_bytes(data)
        open_data(path).write(out, replace={})
        assert out.read_bytes() == data


def test_whole_numbers_keep_their_type_when_records_are_left_out(tmp_path: Path) -> None:
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(pa.table({"age": pa.array([None, *range(10)], pa.int16())}), path)
    mask(prepare(path, out, Request(quasi_identifiers=("age",), k=5, method="mdav", missing="drop")), out)
    assert pq.read_schema(out).field("age").type == pa.int16()


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b"<row", b"<raw"),
        ("xl/workbook.xml", b"visibility", b"visibilitv"),
        ("xl/worksheets/sheet1.xml", b"</worksheet>", b""),
    ],
)
def test_damaged_parts_of_a_workbook_are_refused(tmp_path: Path, part: str, old: bytes, new: bytes) -> None:
    path, damaged = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    write_xlsx(path)
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(damaged, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            assert name != part or old in data
            after.writestr(name, data.replace(old, new) if name == part else data)
    with pytest.raises(InputError, match=r"cannot be read as Excel"):
        open_data(damaged)


def test_texts_of_another_encoding_in_a_statistical_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(pd.DataFrame({"town": ["Köln"] * 9}), str(path))
    path.write_bytes(path.read_bytes().replace("Köln".encode(), b"K\xf6\xf6ln"))
    with pytest.raises(InputError, match=r"cannot be read as Stata"):
        open_data(path)


@pytest.mark.parametrize(
    ("name", "separator", "out", "fits"),
    [
        ("a.csv", ",", "out.tsv", False),
        ("a.csv", "\t", "out.tsv", True),
        ("a.tsv", "\t", "out.tsv", True),
        ("a.tsv", ",", "out.tsv", True),
        ("a.csv", ",", "out.txt", True),
    ],
)
def test_what_is_called_tsv_holds_tabs_unless_the_original_is_so_called(
    tmp_path: Path, name: str, separator: str, out: str, fits: bool
) -> None:
    path = tmp_path / name
    path.write_text(
        "".join(f"{a}{separator}{b}\n" for a, b in [("age", "ill"), *((i, "flu") for i in range(9))])
    )
    request = Request(quasi_identifiers=("age",), method="mdav", k=3, drop=("ill",))
    if fits:
        prepare(path, tmp_path / out, request)
        return
    with pytest.raises(InputError, match=r"out\.tsv.*separator") as caught:
        prepare(path, tmp_path / out, request)
    assert ".csv" in caught.value.expected


def test_a_workbook_tells_how_much_of_it_was_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in range(5_000):
        book.active.append((f"name {row}", row * 7919 % 5000))
    book.save(tmp_path / "long.xlsx")
    told: list[tuple[int, int]] = []
    table = open_data(tmp_path / "long.xlsx", progress=lambda done, total: told.append((done, total)))
    assert table.n_records == 4_999
    size = (tmp_path / "long.xlsx").stat().st_size
    assert told == sorted(told)
    assert len({done for done, _ in told}) > 5, "not only at its end"
    assert told[-1] == (size, size)
