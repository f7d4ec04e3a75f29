"""What the desk shows and suggests of a column."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from server.desk.columns import column_views
from server.tables.csv_file import CsvFile
from tests.server.desk.test_mistakes import choose, mend, use
from tests.server.desk.visitor import Visitor, people_csv


def heights(texts: list[str]) -> list[float]:
    """Of the bars that are drawn, in parts of the highest."""
    (view,) = column_views(CsvFile(("x\n" + "\n".join(texts) + "\n").encode()), "en")
    drawn = [float(part) for part in re.findall(r"v-([0-9.]+)", str(view.picture))]
    return [height / max(drawn) for height in drawn]


@pytest.mark.parametrize("last", [4, 24, 25, 47, 75, 79, 101, 1000, 44_000])
def test_numbers_that_are_equally_frequent_have_equal_bars(last: int) -> None:
    drawn = heights([str(number) for number in range(1, last + 1)] * 2)
    assert len(drawn) == min(last, 24)
    assert min(drawn) >= 0.99


def test_days_of_birth_stand_in_their_order() -> None:
    days = [f"{1 + i % 28:02}.{1 + i % 12:02}.{1940 + i % 60}" for i in range(600)]
    (view,) = column_views(CsvFile(("born\n" + "\n".join(days) + "\n").encode()), "en")
    assert re.findall(r">(\d+)</text>", str(view.picture)) == ["1940", "1999"]
    assert min(heights(days)) >= 0.99


def test_an_open_end_is_taken_as_one(visitor: Visitor) -> None:
    """Ages of a public table end in "90+", and nobody of 95 may be refused for it."""
    file = people_csv(
        visitor.folder / "people.csv", age=lambda i, c: "80+" if i % 9 == 0 else str(c.randint(18, 79))
    )
    page = choose(visitor, file)
    assert "“80+” stands for 80 and more." in page
    assert "Perhaps no values" not in page
    assert ">80+</text>" in page
    assert 'aria-label="Use as attribute: age"' not in page
    page = mend(visitor, "ends", "age")
    assert "What to do" not in page
    (entry,) = visitor.desk.draft().attributes
    assert (entry["maximum"], entry["open_above"], "missing" in entry) == ("80", True, False)
    age = visitor.desk.model().attributes[0]
    assert age.vector("95") == age.vector("80") != age.vector("79")
    assert "80+" in file.read_text(), "the file of before stays"


def test_what_is_put_in_is_called_by_the_desks_language(visitor: Visitor) -> None:
    visitor.post("/language", {"language": "de"})
    file = people_csv(
        visitor.folder / "people.csv",
        born=lambda _i, c: f"{c.randint(1940, 2005)}-01-15",
        work=lambda i, c: "Fischer" if i < 3 else c.choice(("Rente", "angestellt")),
    )
    choose(visitor, file)
    mend(visitor, "age", "born")
    mend(visitor, "join", "work")
    use(visitor, "work")
    assert visitor.desk.table().names == ("age", "sex", "Alter", "work")
    assert visitor.desk.draft().attributes[0]["categories"] == ["Rente", "andere", "angestellt"]


def test_ages_as_statistical_offices_write_them_become_numbers_with_open_ends(visitor: Visitor) -> None:
    def text(row: int, _chance: object) -> str:
        age = row % 91
        return f"{age}-Jährige" if 0 < age < 90 else "90 Jahre und mehr" if age else "unter 1 Jahr"

    choose(visitor, people_csv(visitor.folder / "people.csv", 910, age=text))
    assert "What to do" not in mend(visitor, "ends", "age")
    (entry,) = visitor.desk.draft().attributes
    ends = {key: entry[key] for key in ("minimum", "maximum", "open_below", "open_above")}
    assert ends == {"minimum": "1", "maximum": "90", "open_below": True, "open_above": True}
    assert visitor.desk.model().n_people == 910


def table_of_counts(path: Path, *, without: int = 0) -> Path:
    """Of ages, sexes and districts as a statistical office publishes them."""
    chance = Random(3)
    rows = [
        f"{age},{sex},{district},{chance.randint(30, 90)}"
        for age in range(18, 91) for sex in ("f", "m") for district in ("North", "South")
    ][without:]  # fmt: skip
    path.write_text("\n".join(["age,sex,district,people", *rows, ""]))
    return path


@pytest.mark.parametrize("without", [0, 20])
def test_a_column_that_counts_people_is_taken_as_one(visitor: Visitor, without: int) -> None:
    """Each row was one person, and the number one more attribute."""
    page = choose(visitor, table_of_counts(visitor.folder / "table.csv", without=without))
    assert "how many people each stands for" in page
    assert 'aria-label="Use as attribute: people"' not in page
    page = mend(visitor, "count", "people")
    assert "counts people" in page
    assert visitor.desk.draft().section("model")["count_column"] == "people"
    use(visitor, "age", "sex")
    assert visitor.desk.model().n_people > 5_000


def test_a_number_in_a_list_of_people_counts_nobody(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", income=lambda _i, c: str(c.randint(1, 4000)))
    assert "how many people each stands for" not in choose(visitor, file)
    cut = table_of_counts(visitor.folder / "table.csv")
    cut.write_text("\n".join(cut.read_text().splitlines()[::3]))
    assert "how many people each stands for" not in choose(visitor, cut), "most combinations are missing"


def test_in_a_table_of_counts_pictures_and_rare_categories_are_of_people(visitor: Visitor) -> None:
    def people(age: int, work: str) -> int:
        alone, both = int(age == 25), 2 * (age == 26)
        return {"farm": 500 * (age == 20), "sea": alone, "lake": both, "office": 90, "shop": 30}[work]

    works = ("farm", "sea", "lake", "office", "shop")
    rows = [f"{age},{work},{people(age, work)}" for age in range(20, 32) for work in works]
    file = visitor.folder / "table.csv"
    file.write_text("\n".join(["age,work,people", *rows, ""]))
    choose(visitor, file)
    page = mend(visitor, "count", "people")
    assert "sea (1), lake (2)" in page
    assert "farm (" not in page
    names = re.search(r">office</text>.*?>(\w+)</text>", page)
    assert names is not None, "the most people first"
    assert names[1] == "sea", "the fewest last"
    assert "Join rare ones to “other”" in page
    page = mend(visitor, "join", "work")
    assert set(visitor.desk.table().exact("work").texts) == {"farm", "office", "shop", "other"}
    assert "other (3)" in page
    assert "Join rare ones" not in page, "one alone would only get another name"


def test_a_table_as_an_office_publishes_it_becomes_one_of_counts(visitor: Visitor) -> None:
    lines = [
        "Population;;", "31.12.2025;;", "age;male;female",
        *(f"{low} to {low + 9};{1_000 + low};{900 + 2 * low}" for low in range(20, 80, 10)),
        "all;6.270;5.940", "Source: statistics;;",
    ]  # fmt: skip
    file = visitor.folder / "office.csv"
    file.write_text("\n".join(lines) + "\n")
    assert "Take the titles away" in choose(visitor, file)
    page = mend(visitor, "titles")
    assert "Take the titles away" not in page
    assert "What “male” and “female” are, in a word" in page
    assert "Left out as totals: all." in page
    form = {"mend": "cross", "page": "population"}
    for name in ("", "age", "people"):
        refused = visitor.told("/population/mend", form | {"across": name}, "/population")
        assert "the columns need a name of their own" in refused
    page = visitor.told("/population/mend", form | {"across": "sex"}, "/population")
    assert "Do several columns count people?" not in page
    assert visitor.desk.draft().section("model")["count_column"] == "people"
    use(visitor, "age", "sex")
    model = visitor.desk.model()
    assert (model.n_people, model.n_tuples) == (6_270 + 5_940, 12)


def test_what_is_no_table_of_an_office_is_not_mended_as_one(visitor: Visitor) -> None:
    page = choose(visitor, people_csv(visitor.folder / "people.csv"))
    assert "Take the titles away" not in page
    assert "Do several columns count people?" not in page
    assert "no titles stand above" in mend(visitor, "titles")
    form = {"mend": "cross", "page": "population", "across": "sex"}
    assert "this is no cross table" in visitor.told("/population/mend", form, "/population")
