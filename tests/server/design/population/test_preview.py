"""What an organizer sees of her file before anything is designed."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from server.design.population.model import Model
from server.design.population.preview import (
    describe_table,
    preview_table,
    suggest_attributes,
    suggested_categories,
)
from server.tables.csv_file import CsvFile
from server.tables.files import open_data
from shared.errors import ModelFileError

TOWN = "age;wage;sex;note\n17;1,5;m;\n30;2,25;f;\n?;2;f;\n45;;m;\n" + "".join(
    f"{a};3;m;\n" for a in range(46, 60)
)


def test_columns_are_told_apart() -> None:
    age, wage, sex, note = preview_table(CsvFile(TOWN.encode()))
    assert (age.kind, age.lowest, age.highest, age.step, age.suspects) == ("number", "17", "59", "1", ("?",))
    assert (wage.kind, wage.lowest, wage.highest, wage.step, wage.missing) == (
        "number",
        "1.5",
        "3",
        "0.01",
        1,
    )
    assert (sex.kind, sex.distinct, sex.values) == ("text", 2, ("m", "f"))
    assert (note.kind, note.missing, note.values) == ("empty", 18, ())


def test_description_says_what_was_understood() -> None:
    text = describe_table(CsvFile(TOWN.encode(), source="town.csv"))
    assert text.startswith(
        "town.csv: 18 records, 4 columns\nseparator semicolon, decimal comma, encoding utf-8\n"
    )
    assert '  age   numbers from 17 to 59, step 1; no value? "?"\n' in text
    assert '  sex   text, 2 distinct: "m", "f"\n' in text
    assert "  note  nothing; 18 empty\n" in text


def test_suggested_attributes_are_a_survey_that_reads_the_file(model: Callable[..., Model]) -> None:
    data = 'age,sex\n17,m\n30,"f ""x"""\n45,m\n'
    suggestion = suggest_attributes(CsvFile(data.encode()), ("age", "sex"))
    old = (
        '[[attributes]]\nname = "age"\nkind = "numeric"\nminimum = 0\nmaximum = 90\nopen_above = true\n'
        '[[attributes]]\nname = "sex"\nkind = "nominal"\ncategories = ["f", "m"]\n'
    )
    assert model(data, (old, suggestion)).X.tolist() == [[0, 0, 1], [13, 1, 0], [28, 0, 1]]


def test_many_values_and_missing_ones_are_pointed_out() -> None:
    data = "place,p\n" + "".join(f"town {i},0.5\n" for i in range(60)) + ",NA\n"
    suggestion = suggest_attributes(CsvFile(data.encode()), ("place", "p"))
    place, p = tomllib.loads(suggestion)["attributes"]
    assert (place["kind"], place["table"], place["missing"]) == ("lookup", "place.csv", "own-category")
    assert (p["kind"], p["minimum"]) == ("numeric", "0.5")
    with pytest.raises(ModelFileError, match="no column"):
        suggest_attributes(CsvFile(data.encode()), ("plaice",))


def test_adult(reference_data: Path) -> None:
    previews = {column.name: column for column in preview_table(open_data(reference_data / "adult.csv"))}
    assert (previews["age"].lowest, previews["age"].highest) == ("17", "90")
    assert previews["workclass"].suspects == ("?",)
    assert (previews["sex"].kind, previews["sex"].distinct) == ("text", 2)


def ages(*beyond: str, times: int = 12) -> CsvFile:
    """Ages from 18 to 79, each ``times``, and texts beyond them."""
    texts = [str(age) for age in range(18, 80)] * times + list(beyond)
    return CsvFile(("age\n" + "\n".join(texts) + "\n").encode())


@pytest.mark.parametrize(
    ("text", "side", "end"),
    [
        ("80+", "open_above", "80"),
        ("80 und mehr", "open_above", "80"),
        ("80 Jahre und älter", "open_above", "80"),
        (">= 80", "open_above", "80"),
        ("85 years and over", "open_above", "85"),
        ("unter 18", "open_below", "18"),
        ("younger than 18", "open_below", "18"),
    ],
)
def test_a_text_for_everybody_beyond_is_an_open_end(text: str, side: str, end: str) -> None:
    table = ages(*[text] * 15)
    (age,) = preview_table(table)
    assert (age.kind, age.ends, age.suspects) == ("number", {side: (text, end)}, ())
    assert f'and beyond: "{text}"' in describe_table(table)
    (entry,) = tomllib.loads(suggest_attributes(table, ("age",)))["attributes"]
    assert entry[side] is True
    assert entry["maximum" if side == "open_above" else "minimum"] == end
    assert "missing" not in entry


def test_in_a_table_of_counts_an_end_is_as_frequent_as_any_number() -> None:
    (age,) = preview_table(ages("80+", "80+", times=2))
    assert age.ends == {"open_above": ("80+", "80")}


@pytest.mark.parametrize("odd", [["95 years"], ["45 years"] * 15, ["80+", "85+"] * 15, ["none"] * 15])
def test_what_is_rare_or_within_or_not_one_is_no_open_end(odd: list[str]) -> None:
    (age,) = preview_table(ages(*odd))
    assert age.ends == {}
    assert set(age.suspects) == set(odd)


def test_ages_as_statistical_offices_write_them() -> None:
    texts = ["unter 1 Jahr", *(f"{age}-Jährige" for age in range(1, 90)), "90 Jahre und mehr"]
    rows = [f"{text},{40 + i}" for i, text in enumerate(texts)]
    table = CsvFile("\n".join(["Alter,Anzahl", *rows, ""]).encode())
    age, _ = preview_table(table)
    assert (age.kind, age.suspects) == ("unit", ())
    assert age.ends == {"open_below": ("unter 1 Jahr", "1"), "open_above": ("90 Jahre und mehr", "90")}
    (entry,) = tomllib.loads(suggest_attributes(table, ("Alter",)))["attributes"]
    ends = {"minimum": "1", "open_below": True, "maximum": "90", "open_above": True}
    assert entry == {"name": "Alter", "kind": "numeric", **ends}


@pytest.mark.parametrize("same", [0, 1])
def test_the_ages_of_a_register_are_no_counts(same: int) -> None:
    """Each of 60 people has a number of her own, or nearly, and with the sex there are 120 combinations."""
    people = "".join(f"{20 + i % 15},{'fm'[i % 2]},{1000 + max(i, same)}\n" for i in range(60))
    columns = preview_table(CsvFile(f"age,sex,id\n{people}".encode()))
    assert [column.counts for column in columns] == [False, False, False]
    rows = "".join(f"{age},{sex},{age % 7}\n" for age in range(20, 50) for sex in "fm")
    assert [c.counts for c in preview_table(CsvFile(f"age,sex,n\n{rows}".encode()))] == [False, False, True]


@pytest.mark.parametrize(
    ("texts", "kind"), [([".5", "5.", "-.25"], "text"), (["1e5", *map(str, range(20))], "number")]
)
def test_numbers_in_short_are_none_that_mean_no_value(texts: list[str], kind: str) -> None:
    table = CsvFile(("sex,x\n" + "".join(f"f,{text}\n" for text in texts)).encode())
    (_, column) = preview_table(table)
    assert (column.kind, column.suspects) == (kind, ())
    assert f'"{texts[0]}" is a number to `anonymize`' in describe_table(table)


def test_a_column_has_one_line_whatever_its_name_holds() -> None:
    table = CsvFile(b'"age\nin years",sex\n34,f\n35,m\n', source="a.csv")
    lines = describe_table(table).splitlines()
    assert lines[-2:] == [
        "  age\\nin years  numbers from 34 to 35, step 1",
        '  sex            text, 2 distinct: "f", "m"',
    ]


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        (
            ["80 und mehr", "18 bis 24", "unter 18", "25 bis 79"],
            ["unter 18", "18 bis 24", "25 bis 79", "80 und mehr"],
        ),
        (["5-9", "10-14", "0-4"], ["0-4", "5-9", "10-14"]),
        (["20 à 30", "30 à 40", "40+"], ["20 à 30", "30 à 40", "40+"]),
        (["5-9", "8-14", "0-4"], []),  # they overlap
        (["18 bis 24", "ab 90", "ab 80", "25 bis 79"], []),
        (["18 bis 24", "40", "25 bis 79"], []),
        (["18 bis 24", "25 bis 79", "unbekannt"], []),
        (["9-5", "14-10"], []),
        (["Bezirk 1", "Bezirk 2", "Bezirk 3"], []),
    ],
)
def test_spans_are_suggested_in_their_order(values: list[str], ordered: list[str]) -> None:
    table = CsvFile("\n".join(["age", *values, ""]).encode())
    (column,) = preview_table(table)
    kind, found = suggested_categories(table, column)
    assert (kind, found) == (("ordinal", ordered) if ordered else ("nominal", sorted(values)))
