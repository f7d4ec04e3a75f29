"""Decimal point or comma, and never a silent thousand."""

from __future__ import annotations

import pytest

from server.tables.csv_file import CsvFile
from shared.errors import ModelFileError


def sign(*texts: str, decimal: str | None = None, numeric: bool = True) -> str:
    data = "x\n" + "".join(f'"{text}"\n' for text in texts)
    table = CsvFile(
        data.encode(), source="town.csv", decimal=decimal, numeric_columns=["x"] if numeric else None
    )
    return table.understood.decimal


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("1", "2"), "."),
        (("1.5", "2"), "."),
        (("1,5", "2", ""), ","),
        (("0,125",), ","),
        (("1.250", "12.5"), "."),
        (("1.250", "4000"), "."),
        (("?", "2,5", "n/a"), ","),
    ],
)
def test_sign_is_found(texts: tuple[str, ...], expected: str) -> None:
    assert sign(*texts) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1.234.567",
        "1,234,567",
        "1.234,5",
        "1,234.5",
        "1 234",
        "1'234",
        "1’234’567",
        "1\u00a0234,5",
        "-1.234.567,89",
    ],
)
@pytest.mark.parametrize("decimal", [None, ".", ","])
def test_thousands_separators_are_refused(text: str, decimal: str | None) -> None:
    with pytest.raises(ModelFileError, match="thousands") as error:
        sign("1", text, decimal=decimal)
    assert error.value.where == 'town.csv, line 3, column "x"'
    assert "Remove" in error.value.remedy


@pytest.mark.parametrize("text", ["1.234", "12,345", "-1.500"])
def test_doubtful_thousands_are_refused_until_the_sign_is_named(text: str) -> None:
    with pytest.raises(ModelFileError, match="can be read as") as error:
        sign("17", text)
    mark = "." if "." in text else ","
    assert f'decimal = "{mark}"' in error.value.remedy
    assert sign("17", text, decimal=mark) == mark


def test_both_signs_are_refused_with_both_places() -> None:
    with pytest.raises(ModelFileError, match=r'"1.5" has a decimal point, but "2,5" \(line 3') as error:
        sign("1.5", "2,5")
    assert error.value.where == 'town.csv, line 2, column "x"'


def test_a_text_against_the_named_sign_is_refused() -> None:
    with pytest.raises(ModelFileError, match='does not have the decimal sign ","'):
        sign("1.5", decimal=",")


def test_an_impossible_sign_is_refused() -> None:
    with pytest.raises(ModelFileError, match="the decimal sign cannot be"):
        sign("1", decimal="'")


def test_columns_that_are_not_declared_numeric_vote_and_never_raise() -> None:
    assert sign("1,5", "2,5", numeric=False) == ","
    assert sign("192.168.100.200", "1.234.567", numeric=False) == "."
    assert sign("one, two", "1,5", numeric=False) == "."
