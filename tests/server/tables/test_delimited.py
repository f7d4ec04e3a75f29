"""Delimited files as people really have them."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.tables.csv_file import CsvFile
from server.tables.data_file import DataFile
from shared.errors import ModelFileError


def cells(table: DataFile) -> list[tuple[str | None, ...]]:
    return list(zip(*(column[:] for column in table.columns), strict=True))


def lines_of(table: DataFile) -> list[int]:
    return [int(table.place_of(row).split()[1]) for row in range(table.n_records)]


def refused(data: bytes, **options: object) -> str:
    with pytest.raises(ModelFileError) as error:
        CsvFile(data, source="town.csv", **options)  # type: ignore[arg-type]
    return str(error.value)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_every_common_dialect_reads_alike(separator: str, newline: str, encoding: str) -> None:
    text = (
        newline.join(separator.join(row) for row in (("name", "age"), ("Zoé", "31"), ("Bo", "4"))) + newline
    )
    table = CsvFile(text.encode(encoding), source="town.csv")
    assert table.names == ("name", "age")
    assert cells(table) == [("Zoé", "31"), ("Bo", "4")]
    assert table.understood.separator == separator
    assert lines_of(table) == [2, 3]


def test_text_is_exact() -> None:
    table = CsvFile(b"a,b\n 007 ,23.40\n1e3,-0.0\n")
    assert cells(table) == [(" 007 ", "23.40"), ("1e3", "-0.0")]


def test_quoted_line_breaks_keep_the_physical_line_of_the_next_record() -> None:
    table = CsvFile(b'a,b\n1,"two\nlines"\n\n3,"say ""hi"""\n')
    assert cells(table) == [("1", "two\nlines"), ("3", 'say "hi"')]
    assert lines_of(table) == [2, 5]
    assert table.where(1, "b") == 'table, line 5, column "b"'


def test_windows_characters_beyond_latin_1() -> None:
    table = CsvFile("a;b\n5 €;x\n".encode("cp1252"))
    assert (table.columns[0][0], table.understood.encoding) == ("5 €", "cp1252")


def test_decimal_comma_with_semicolon() -> None:
    table = CsvFile(b"p;x\n0,5;1\n0,25;2\n", numeric_columns=["p"])
    assert (table.understood.separator, table.understood.decimal) == (";", ",")
    assert table.number_text("0,25") == "0.25"


def test_decimal_comma_in_a_header_that_also_holds_commas() -> None:
    table = CsvFile(b"price, EUR;amount\n1,5;2\n2,5;3\n")
    assert table.names == ("price, EUR", "amount")


def test_quoted_decimal_commas_between_commas() -> None:
    table = CsvFile(b'p,x\n"0,5",1\n"0,25",2\n', numeric_columns=["p"])
    assert (table.understood.separator, table.understood.decimal) == (",", ",")


def test_wanted_names_decide_between_two_possible_separators() -> None:
    data = b"age,sex;town\n1,2;3\n"
    assert CsvFile(data, wanted=["town"]).names == ("town",)
    assert CsvFile(data, wanted=["age"]).names == ("age",)


def test_one_column() -> None:
    assert cells(CsvFile(b"age\n31\n4\n")) == [("31",), ("4",)]
    decimals = CsvFile(b"age\n31,5\n4,0\n", numeric_columns=["age"])
    assert (cells(decimals), decimals.understood.decimal) == ([("31,5",), ("4,0",)], ",")


def test_separator_can_be_set() -> None:
    assert cells(CsvFile(b"a|b\n1|2\n", separator="|")) == [("1", "2")]
    assert "the separator cannot be" in refused(b"a\n1\n", separator="||")


def test_unwanted_columns_are_not_kept_but_named_in_errors() -> None:
    table = CsvFile(b"age,sex\n1,m\n", wanted=["sex"])
    assert (table.header, table.names) == (("age", "sex"), ("sex",))
    with pytest.raises(ModelFileError, match=r'no column "agee".*Did you mean "age"'):
        table.column("agee")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "only empty lines"),
        (b"\n\r\n\n", "only empty lines"),
        (b"a,b\n", "a header but no record"),
        (b"a,b,a\n1,2,3\n", 'columns 1 and 3 are both called "a"'),
        (
            b"a,b\n1,2\n1,2,3\n4\n",
            "2 records have another width than the header:\n  line 3: the record has 3 cells",
        ),
        (b'a,b\n1,2\n3,"x\n4,5\n', "lines 3 to 4: a quote is opened and never closed"),
        (b'a,b\n1,"x"y\n', "line 2: after a closing quote"),
        (b"a,b\n1,\x002\n", "line 2: there is a NUL character"),
        (b"PK\x03\x04\x00\x00", "NUL"),
    ],
)
def test_unusable_files_are_refused_with_place_and_remedy(data: bytes, words: str) -> None:
    message = refused(data)
    assert words in message
    assert message.startswith("town.csv")


@pytest.mark.parametrize("limit_of_others", [131_072, 10**9])
def test_a_cell_that_never_ends(limit_of_others: int) -> None:
    before = csv.field_size_limit(limit_of_others)  # one for the process, and frictionless raises it
    try:
        assert "more than 131072 characters" in refused(b'a,b\n1,"' + b"x\n" * 100_000)
        assert csv.field_size_limit() == limit_of_others
    finally:
        csv.field_size_limit(before)


def test_ragged_records_are_listed_and_counted() -> None:
    message = refused(b"a,b\n" + b"1,2,3\n" * 25)
    assert message.count("the record has 3 cells") == 10
    assert "25 records have another width" in message
    assert "line 11" in message


def test_wrong_encoding_is_named_with_its_line() -> None:
    assert "line 2" in refused("a\né\n".encode("latin-1"), encoding="utf-8")
    for nonsense in ("klingon", "hex", "a\0b"):
        assert "there is no encoding" in refused(b"a\n1\n", encoding=nonsense)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"no such file"):
        CsvFile(tmp_path / "none.csv")
    with pytest.raises(ModelFileError, match="is a directory"):
        CsvFile(tmp_path)


_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@settings(max_examples=150, deadline=None)
@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.tuples(*[_text] * width), min_size=1, max_size=6)
    ),
    separator=st.sampled_from(",;\t"),
    newline=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_any_table_in_any_dialect_reads_back_the_same(
    rows: list[tuple[str, ...]], separator: str, newline: str, encoding: str, quoting: int
) -> None:
    header = [f"column{number}" for number in range(len(rows[0]))]
    if any("\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL  # a bare carriage return is a line end, but Python's writer may not quote it
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=newline, quoting=quoting)
    writer.writerow(header)
    writer.writerows(rows)
    table = CsvFile(out.getvalue().encode(encoding), wanted=header)
    assert table.names == tuple(header)
    assert cells(table) == rows
    lines = out.getvalue().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(lines[place - 1] for place in lines_of(table))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_end_in_a_traceback(data: bytes) -> None:
    try:
        table = CsvFile(data)
    except ModelFileError:
        return
    assert table.n_records > 0


def test_a_large_file_is_read_in_reasonable_time() -> None:
    data = b"age;sex;hours\n" + b"".join(
        b"%d;%s;%d,5\n" % (i % 90, b"mf"[i % 2 : i % 2 + 1], i % 60) for i in range(200_000)
    )
    start = time.process_time()
    reports: list[tuple[int, int]] = []
    table = CsvFile(data, numeric_columns=["hours"], progress=lambda *report: reports.append(report))
    assert reports == sorted(reports)
    assert reports[-1] == (200_001, 200_001)
    assert len(reports) > 2
    assert time.process_time() - start < 15
    assert (table.n_records, len(table.columns[0].distinct), table.understood.decimal) == (200_000, 90, ",")
    assert table.place_of(199_999) == "line 200001"
