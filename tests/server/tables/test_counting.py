"""A register that is counted by pieces says what one says that is read record by record."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from server.design.population.model import Model, read_population
from server.tables import counting, csv_pieces, files, parquet_file
from server.tables.files import Reading, open_counted, open_data
from shared.attributes import Attribute, Category, Nominal, Numeric
from shared.errors import RoomfulError
from shared.model import ReadingRules
from shared.participation import ParticipationLevel, ParticipationSource, Rate

HALF: Final = ParticipationLevel(low="0.5", high="0.5")
EVEN: Final = ParticipationSource(kind="even")
HEADER: Final = ["age", "town", "note"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 48)
    monkeypatch.setattr(parquet_file, "PIECE_RECORDS", 3)
    monkeypatch.setattr(counting, "_FEWEST_WAITING", 4)


def attributes(towns: str = "Aé\nB,ü\nC") -> tuple[Attribute, ...]:
    text = {"en": "x"}
    categories = tuple(Category(value=town, label={"en": town}) for town in towns.split("\n"))
    return (
        Numeric(name="age", label=text, help=text, missing="refused", minimum="0", maximum="9", step="0.5"),
        Nominal(name="town", label=text, help=text, missing="own-category", categories=categories),
    )


def rules(**more: Any) -> ReadingRules:
    usual: dict[str, Any] = {
        "count_column": None,
        "missing_markers": ("?",),
        "incomplete": "drop",
        "required_columns": (),
    }
    return ReadingRules(**usual | more)


def said(path: Path, apart: bool, source: ParticipationSource, reading: Reading, **more: Any) -> object:
    """Everything that a design takes from a file, or the words in which it is refused."""
    level = HALF if source.kind == "even" else None
    try:
        model: Model = read_population(path, attributes(), rules(**more), source, level, reading, apart=apart)
    except RoomfulError as error:
        return str(error)
    return (
        model.canonical_text(),
        model.levels,
        (model.records, model.dropped, model.equal_rows, model.largest_household, model.warnings),
        (model.source, model.understood),
    )


def assert_same(
    path: Path, *, source: ParticipationSource = EVEN, reading: Reading | None = None, **more: Any
) -> object:
    counted = said(path, False, source, reading or Reading(), **more)
    assert counted == said(path, True, source, reading or Reading(), **more)
    return counted


def csv(*lines: str, end: str = "\n") -> str:
    return end.join(("age,town,note", *lines)) + end


PLAIN: Final = ("1,C,x", "2,Aé,y", "1,C,x", "3,C,z", "?,C,z", "1,C,w", "2.5,,", "9,Aé,y", "2,Aé,y") * 3
ODD: Final[dict[str, bytes]] = {
    "plain": csv(*PLAIN).encode(),
    "no last line end": csv(*PLAIN).rstrip("\n").encode(),
    "windows": csv(*PLAIN, end="\r\n").encode(),
    "old macintosh": csv(*PLAIN, end="\r").encode(),
    "mixed line ends": csv(*PLAIN).replace("3,C,z\n", "3,C,z\r").replace("9,Aé,y\n", "9,Aé,y\r\n").encode(),
    "empty lines": csv("", *PLAIN[:4], "", "", *PLAIN[4:], "", "").encode(),
    "empty lines before the header": ("\n\n" + csv(*PLAIN)).encode(),
    "empty windows lines": csv("", *PLAIN[:4], "", *PLAIN[4:], "", end="\r\n").encode(),
    "mark": csv(*PLAIN).encode("utf-8-sig"),
    "utf-16": csv(*PLAIN).encode("utf-16"),
    "latin-1": csv(*PLAIN).encode("latin-1"),
    "cp1250": csv(*PLAIN, "1,C,żółw", "2,C,źdźbło").encode("cp1250"),
    "semicolons": csv(*PLAIN)
    .replace(".", ";")
    .replace(",", "|")
    .replace("|", ";")
    .replace("2;5", "2,5")
    .encode(),
    "tabs": csv(*PLAIN).replace(",", "\t").encode(),
    "blanks around texts": csv(*(f" {line.replace(',', ' , ')} " for line in PLAIN)).encode(),
    "quoted header": csv(*PLAIN).replace("note", '"no\nte"').encode(),
    "quotes": csv(*PLAIN, '1,"B,ü",q', *PLAIN, '2,"C","say ""hi"""', *PLAIN).encode(),
    "quoted line ends": csv(*PLAIN, '1,"C","two\r\nlines, \n\nthen"', "2,C,x", *PLAIN, "7.1,C,").encode(),
    "long cell": csv(*PLAIN, "1,C," + "x" * 131_072, "2,C,y").encode(),
    "too long cell": csv(*PLAIN, "1,C," + "x" * 131_073, "2,C,y").encode(),
    "vertical tabs and separators of Unicode": csv("1,C,a\x0bb", "2,C,\x0c\x85", "3,C,\u2028").encode(),
    "nothing but blanks": csv(*PLAIN, "   ").encode(),
    "header alone": b"age,town,note\n",
    "empty": b"",
    "only line ends": b"\n\r\n",
    "short record": csv(*PLAIN, "1,C", *PLAIN, "1").encode(),
    "long record": csv(*PLAIN, "1,C,x,y").encode(),
    "open quote": csv(*PLAIN, '1,"C,x', *PLAIN).encode(),
    "text behind a quote": csv(*PLAIN, '1,"C"d,x').encode(),
    "quote within a cell": csv(*PLAIN, '1,C,5" pipe', *PLAIN).encode(),
    "NUL": csv(*PLAIN, "1,C,\0").encode(),
    "not utf-8 late": csv(*PLAIN).encode() + "1,C,ü\n".encode("latin-1"),
    "column lacks": b"age,note\n1,x\n",
    "no wanted column": b"a,b\n1,x\n",
    "two columns of one name": b"age,town,town\n1,C,C\n",
    "unnamed column": b"age,town,\n1,C,x\n1,C,y\n1,C,x\n",
    "out of the domain": csv(*PLAIN, "10,C,x", "1,D,x", *PLAIN, "10,C,y", "11,D,x", "0.2,C,").encode(),
    "many problems": csv(*PLAIN, *(f"{n},D{n},x" for n in range(20, 60)), *PLAIN, "25,C,x").encode(),
    "decimals both ways": csv("1.5,C,x", "2,C,x").encode() + b'"1,5",C,y\n',
    "thousands": csv("1.500,C,x", "2,C,x").encode(),
    "doubtful": csv("1.234,C,x", "1,C,y").encode(),
    "nobody complete": csv("?,C,x", ",C,y").encode(),
    "numbers written in several ways": csv("1,C,x", "1.0,C,x", "01,C,x", "+1,C,x").encode(),
}


@pytest.mark.parametrize("name", ODD)
def test_every_odd_file_says_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / "town.csv"
    path.write_bytes(ODD[name])
    assert_same(path)
    assert_same(path, incomplete="refuse")
    assert_same(path, required_columns=("note",))
    assert_same(path, reading=Reading(separator=","))
    assert_same(path, reading=Reading(encoding="cp1252"))
    assert_same(path, reading=Reading(separator='"'))
    assert_same(path, reading=Reading(encoding="utf-99"))
    assert_same(path, reading=Reading(decimal=","))


def test_what_can_be_counted_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above would be empty if every file were opened whole."""
    path = tmp_path / "town.csv"
    monkeypatch.setattr(files, "open_data", lambda *_, **__: pytest.fail("opened whole"))
    for name in ("plain", "windows", "empty lines", "mark", "utf-16", "cp1250", "quotes", "quoted line ends"):
        path.write_bytes(ODD[name])
        table = open_counted(path, wanted={"age", "town"}, numeric_columns=["age"])
        assert table.times is not None
        assert len(table.times) < table.times.sum(), name


@pytest.mark.parametrize("seed", range(60))
def test_random_files_say_the_same(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    cells = [
        "1",
        "2",
        "2.5",
        " 3",
        "C",
        "Aé",
        "",
        "?",
        "x",
        '"C"',
        '"B,ü"',
        '"a""b"',
        "11",
        '"two\nlines"',
        'o"k',
    ]
    weights = [9, 9, 3, 2, 6, 6, 2, 1, 4] + ([1, 2, 1, 1, 1, 0] if seed % 2 else [0] * 6)
    weights[12] = seed % 3 == 0
    weights[14] = seed % 7 == 0
    records = []
    for _ in range(draw.randint(1, 60)):
        age, town, note = (
            draw.choices(cells[:4], k=1)[0],
            draw.choice(["C", "Aé", "", "?", '"B,ü"' if seed % 2 else "C"]),
            draw.choices(cells, weights)[0],
        )
        records.append(",".join((age, town, note)) if draw.random() > 0.01 else age)
        records += [""] * (draw.random() < 0.05)
    end = draw.choice(["\n", "\r\n", "\r"])
    path = tmp_path / "town.csv"
    path.write_bytes(csv(*records, end=end).encode(draw.choice(["utf-8", "latin-1", "utf-16"])))
    assert_same(path)
    assert_same(path, incomplete="refuse", required_columns=("note",))


@pytest.mark.parametrize("pieces", [1, 3, 1000])
def test_counts_participation_and_households(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 40 * pieces)
    draw = random.Random(3)
    lines = ["age,town,n,p,home"]
    for _ in range(300):
        age, town = draw.randint(0, 9), draw.choice("CC?")
        lines.append(
            f"{age},{town},{draw.randint(0, 3)},{draw.choice(['0.5', '0.52', '.9'])},{draw.randint(0, 40)}"
        )
    path = tmp_path / "town.csv"
    path.write_text("\n".join(lines))
    by_column = ParticipationSource(kind="column", column="p", household_column="home")
    rates = (Rate(rate="0.5", upto="5"), Rate(rate="0.7", upto="8"))
    by_rate = ParticipationSource(kind="rates", attribute="age", rates=rates)
    assert_same(path, source=by_column)
    assert_same(path, source=by_column, count_column="n")
    assert "has no response rate" in str(assert_same(path, source=by_rate, count_column="n"))
    path.write_text("\n".join([*lines, "1,C,-1,2,0", "1,C,-1,0.01,0", "2,C,x,0.5,1", "2,C,-1,0.5,1"]))
    assert "is not a number of people" in str(assert_same(path, source=by_column, count_column="n"))


@pytest.mark.parametrize(
    ("ids", "counted"),
    [
        (["a", "b", "c", "d"], True),
        (["a", "b", " a ", "d"], False),
        (["a", "", "c", "d"], False),
        (["a", "?", "c", "d"], False),
        (["a", "b", "a", "a"], False),
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_identities(tmp_path: Path, ids: list[str], counted: bool, form: str) -> None:
    path = tmp_path / f"town.{form}"
    if form == "csv":
        path.write_text("age,id,town\n" + "".join(f"1,{name},C\n" for name in ids))
    else:
        table = {"age": [1] * 4, "id": [name or None for name in ids], "town": ["C"] * 4}
        pyarrow.parquet.write_table(pyarrow.table(table), path)
    found = assert_same(path, id_column="id")
    assert isinstance(found, str) is not counted
    assert_same(path, id_column="nobody")
    opened = open_counted(
        path, wanted={"age", "town"}, numeric_columns=["age"], identity="id", markers=("?",)
    )
    assert (opened.times is not None) is counted


def test_parquet_of_every_type_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "town.parquet"
    towns = ["C", None, "C", "Aé", "C", "C", None, "Aé"]
    ages: dict[str, Callable[[], Any]] = {
        "integers": lambda: pyarrow.array([1, 2, 1, None, 1, 1, 2, 1]),
        "floats": lambda: pyarrow.array([1.0, 2.5, 1.0, float("nan"), -0.0, 0.0, 2.5, None]),
        "singles": lambda: pyarrow.array([1.0, 2.5, 1.0, 1.0, 0.5, 0.0, 2.5, 1.0], pyarrow.float32()),
        "texts": lambda: pyarrow.array(["1", " 2.5", "1", "?", "", "1.0", "2,5", "1"]),
        "views": lambda: pyarrow.array(["1", "2.5", "1", None, "", "1.0", "2", "1"], pyarrow.string_view()),
        "decimals": lambda: pyarrow.array([Decimal("1.50"), Decimal("2.00")] * 4),
        "truth": lambda: pyarrow.array([True, False] * 4),
        "dates": lambda: pyarrow.array([1] * 8, pyarrow.date32()),
        "dictionary": lambda: pyarrow.array(["1", "2", "1", None, "3", "1", "2", "1"]).dictionary_encode(),
        "identifiers late": lambda: pyarrow.array([1, 2, 1, 2, 1, 2, 1, 2**60]),
        "nothing": lambda: pyarrow.nulls(8),
        "lists": lambda: pyarrow.array([[1]] * 8),
    }
    for name, age in ages.items():
        for note in (towns, [1, 1, 2, 2, 1, 1, None, 2], [0.0, -0.0, float("nan"), None] * 2, [[1]] * 8):
            table = {"age": age(), "town": towns, "note": note}
            pyarrow.parquet.write_table(pyarrow.table(table), path)
            assert_same(path), name
            assert_same(path, incomplete="refuse"), name
            assert_same(path, required_columns=("note",)), name
    pyarrow.parquet.write_table(pyarrow.table({"age": [1, 2] * 9, "town": ["C"] * 18}).slice(0, 0), path)
    assert_same(path)
    path.write_bytes(path.read_bytes()[:-9])
    assert_same(path)


def test_columns_and_places_are_those_of_the_file_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    path.write_bytes(ODD["empty lines"])
    whole = open_data(path, wanted={"age", "town"}, numeric_columns=["age"])
    counted = open_counted(path, wanted={"age", "town"}, numeric_columns=["age"])
    assert (counted.header, counted.names) == (whole.header, whole.names)
    for name in whole.names:
        assert tuple(counted.exact(name).distinct) == tuple(whole.exact(name).distinct)
    rows = list(zip(*(column[:] for column in whole.columns), strict=True))
    kept = list(zip(*(column[:] for column in counted.columns), strict=True))
    assert kept == list(dict.fromkeys(rows))
    assert counted.times is not None
    assert counted.times.tolist() == [rows.count(row) for row in kept]
    assert [counted.place_of(i) for i in range(len(kept))] == [
        whole.place_of(rows.index(row)) for row in kept
    ]
    assert counted.behind(np.arange(2)) == counted.times[:2].sum()
    with pytest.raises(TypeError, match="not written"):
        counted.write(tmp_path / "new.csv", replace={})


def test_more_combinations_than_a_key_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_pieces, "BLOCK_BYTES", 1000)
    draw = random.Random(5)
    names = [f"c{i}" for i in range(30)]
    rows = [[str(draw.randint(0, 40)) for _ in names] for _ in range(50)]
    path = tmp_path / "town.csv"
    path.write_text("\n".join([",".join(names), *(",".join(draw.choice(rows)) for _ in range(400))]))
    counted = open_counted(path, wanted=names, numeric_columns=[])
    whole = open_data(path, wanted=names)
    assert counted.n_records == 50
    listed = list(zip(*(column[:] for column in whole.columns), strict=True))
    assert list(zip(*(column[:] for column in counted.columns), strict=True)) == list(dict.fromkeys(listed))
    assert counted.equal_rows == whole.equal_rows
