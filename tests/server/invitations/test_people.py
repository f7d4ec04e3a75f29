"""Lists of people as organizers have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.invitations.people import People, read_people
from shared.errors import InputError


def _read(tmp_path: Path, text: str | bytes, **options: object) -> People:
    path = tmp_path / "people.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_people(path, **options)  # type: ignore[arg-type] # a test's business


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("name,town\nAnn Lee,York\n", ("Ann Lee", "York")),
        ("\ufeffVorname;Nachname;Straße;PLZ;Ort\nÄnne;Groß;Weg 1;10115;Berlin\n",
         ("Änne Groß", "Weg 1", "10115 Berlin")),
        ("Name\tCity\tCountry\nZoë\tGent\t\n", ("Zoë", "Gent")),
        ("Firma;Anrede;Vorname;Nachname\nBäcker;Frau;Eva;Ort\n", ("Bäcker", "Frau Eva Ort")),
    ],
)  # fmt: skip
def test_known_columns_become_an_address(tmp_path: Path, text: str, lines: tuple[str, ...]) -> None:
    assert _read(tmp_path, text).rows[0].lines == lines


def test_latin_1_is_understood(tmp_path: Path) -> None:
    assert _read(tmp_path, "name;town\nJörg;Köln\n".encode("latin-1")).rows[0].lines == ("Jörg", "Köln")


def test_lines_name_their_columns(tmp_path: Path) -> None:
    people = _read(tmp_path, "a,b,c\nx, y ,\n", lines=("{b}, {a}", "{c}"))
    assert people.rows[0].lines == ("y, x",)
    assert people.rows[0].cells == ("x", " y ", "")


def test_without_letters_no_column_needs_to_be_an_address(tmp_path: Path) -> None:
    people = _read(tmp_path, "mail\na@x.example\nb@x.example\n", letters=False)
    assert [person.cells for person in people.rows] == [("a@x.example",), ("b@x.example",)]
    with pytest.raises(InputError) as caught:
        _read(tmp_path, "mail\na@x.example\n")
    assert caught.value.code == "input.address"
    assert "--no-letters" in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "options", "code", "told"),
    [
        ("", {}, "input.model-file", "empty"),
        ("name\n", {}, "input.model-file", "no record"),
        ("name,town\nA,B\nC\n", {}, "input.model-file", "line 3"),
        ("name,town\nA,B\na , B\n", {}, "input.people", "line 3: the same person stands on line 2"),
        ("name,town\nA,B\n,\n", {}, "input.people", "line 3: the row is empty"),
        ("name,mail\nA,B\n,C\n", {}, "input.people", "line 3: there is neither name nor address"),
        ("name,Code\nA,B\n", {}, "input.people", '"Code"'),
        ("name,link\nA,B\n", {}, "input.people", '"link"'),
        ("name,town\nA,B\n", {"lines": ("{nam}",)}, "input.address", 'Did you mean "name"?'),
        ("name,town\nA,B\n", {"lines": ("Mr",)}, "input.address", "names no column"),
        ("name,town\nA,B\n", {"lines": ("{name}",) * 7}, "input.address", "7 lines"),
    ],
)
def test_what_cannot_be_used_is_named(
    tmp_path: Path, text: str, options: dict[str, object], code: str, told: str
) -> None:
    with pytest.raises(InputError) as caught:
        _read(tmp_path, text, **options)
    assert caught.value.code == code
    assert told in f"{caught.value.message} {caught.value.remedy}"


def test_two_people_with_one_address_are_noted_and_not_refused(tmp_path: Path) -> None:
    people = _read(tmp_path, "name,born\nAnn Lee,1950\nAnn Lee,1990\n")
    assert people.notes == ("the same name and address: line 2 and line 3",)
