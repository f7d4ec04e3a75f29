"""The twelve mistakes: each is named on the page, with what to do, and none ends in a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.server.desk.visitor import Visitor, people_csv


def half_pounds(_row: int, chance: Random) -> str:
    return f"{chance.randint(1, 40)},5"


def birth_date(_row: int, chance: Random) -> str:
    return f"{chance.randint(1940, 2005)}-{chance.randint(1, 12):02}-15"


def postcode(_row: int, chance: Random) -> str:
    return f"0{chance.randint(1000, 9999)}"


def member(row: int, _chance: Random) -> str:
    return f"M{row:05}"


def choose(visitor: Visitor, file: Path) -> str:
    """Take a file of the folder; what the page then says."""
    return visitor.told("/population/file", {"file": file.name, "page": "population"}, "/population")


def use(visitor: Visitor, *names: str) -> str:
    """Take columns as attributes; what the page then says."""
    for name in names:
        page = visitor.told(
            "/population/attribute", {"name": name, "action": "use", "page": "population"}, "/population"
        )
    return page


def mend(visitor: Visitor, name: str, column: str = "") -> str:
    return visitor.told(
        "/population/mend", {"mend": name, "column": column, "page": "population"}, "/population"
    )


def promise(visitor: Visitor, **values: str) -> str:
    usual = {
        "k": "5", "failure": "1e-4", "low": "0.5", "high": "0.5", "correlation": "0", "household_size": "1",
        "algorithm": "power-diagram", "page": "promise",
    }  # fmt: skip
    return visitor.told("/promise", usual | values, "/promise")


def test_a_wrong_separator_is_seen_and_corrected(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", separator=";")
    assert "2 columns" in choose(visitor, file)
    page = visitor.told("/population/reading", {"separator": ",", "kind": "register"}, "/population")
    assert "age;sex" in page or "What to do:" in page
    page = visitor.told("/population/reading", {"separator": ";", "kind": "register"}, "/population")
    assert "2 columns" in page


def test_a_decimal_comma_is_understood_and_can_be_corrected(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", separator=";", income=half_pounds)
    page = choose(visitor, file)
    assert "decimal sign <code>,</code>" in page
    assert "From 1.5 to 40.5" in page
    wrong = visitor.told("/population/reading", {"decimal": ".", "kind": "register"}, "/population")
    assert "decimal sign <code>.</code>" in wrong


def test_a_misspelt_column_is_named(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv")
    (visitor.folder / "survey.toml").write_text(
        f'[model]\nfile = "{file.name}"\nkind = "register"\n'
        '[[attributes]]\nname = "aeg"\nkind = "numeric"\nminimum = 18\nmaximum = 80\n'
    )
    page = visitor.text("/population")
    assert "The attribute aeg is no column of this file." in page
    assert "there is no column" in page


def test_a_category_that_nobody_has_is_warned_of(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "sex")
    page = visitor.told(
        "/population/attribute",
        {"name": "sex", "action": "save", "kind": "nominal", "categories": "female\nmale\nfemal"},
        "/population",
    )
    assert "Nobody in the model has the sex" in page
    assert "check the spelling" in page


def test_forty_five_years_are_named_and_mended(visitor: Visitor) -> None:
    file = people_csv(
        visitor.folder / "people.csv", age=lambda i, c: "45 years" if i == 3 else str(c.randint(18, 79))
    )
    assert "45 years" in choose(visitor, file)
    mend(visitor, "units", "age")
    page = use(visitor, "age", "sex")
    assert "45 years" not in page
    assert "600 people" in page
    assert "45 years" in file.read_text()  # the old file is untouched


def test_a_unit_in_every_row_is_named_and_mended(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", income=lambda _, chance: f"{chance.randint(1, 40)} EUR")
    assert "Numbers with a unit" in choose(visitor, file)
    assert "From 1 to 40" in mend(visitor, "units", "income")


def test_birth_dates_are_named_and_become_ages(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", born=birth_date)
    page = choose(visitor, file)
    assert "a birth date singles people out" in page
    page = mend(visitor, "age", "born")
    assert "born age" in page
    assert "birth date" not in page


def test_postcodes_with_leading_zeros_stay_codes_and_can_be_joined(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", postcode=postcode)
    page = choose(visitor, file)
    assert "Codes with leading zeros" in page
    page = mend(visitor, "prefix", "postcode")
    assert "9 different values" in page
    assert "leading zeros are kept" in page
    assert '"01"' in (use(visitor, "postcode"), (visitor.folder / "survey.toml").read_text())[1]


def test_empty_rows_are_named_and_can_be_left_out(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv")
    file.write_text(file.read_text() + ",\n,\n")
    choose(visitor, file)
    use(visitor, "age", "sex")
    text = (visitor.folder / "survey.toml").read_text().replace('missing = "own-category"\n', "")
    (visitor.folder / "survey.toml").write_text(text)
    assert "line 602" in visitor.text("/population")
    page = mend(visitor, "drop")
    assert "2 incomplete records were dropped" in page


def test_duplicates_are_named_and_can_be_left_out(visitor: Visitor) -> None:
    file = people_csv(visitor.folder / "people.csv", member=member)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[1], lines[2]]) + "\n")
    page = choose(visitor, file)
    assert "2 rows are equal to an earlier one" in page
    assert "it names people" in page
    page = mend(visitor, "id", "member")
    use(visitor, "age", "sex")
    assert "stands in the file" in visitor.text("/population") or "twice" in visitor.text("/population")
    page = mend(visitor, "repeats")
    assert "600 records" in page
    assert "600 people" in page


def test_too_small_a_register_is_named(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv", 40))
    use(visitor, "age", "sex")
    page = promise(visitor)
    assert "too few for two cells" in page
    assert "Use a larger population" in page


def test_too_large_a_k_is_named(visitor: Visitor) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age", "sex")
    assert "too few for two cells" in promise(visitor, k="300")
    assert "no number of answers" in promise(visitor, k="1000000")


@pytest.mark.parametrize(("rate", "said"), [("0", "this is no probability"), ("30", "For 30 % write 0.3.")])
def test_participation_0_or_30_is_named(visitor: Visitor, rate: str, said: str) -> None:
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age", "sex")
    page = promise(visitor, low=rate, high=rate)
    assert said in page
    assert f'value="{rate}"' in page  # what was typed is still there
    assert "participation" not in (visitor.folder / "survey.toml").read_text()


def test_what_went_wrong_is_told_by_the_page_and_lost_to_none_of_its_parts(visitor: Visitor) -> None:
    """The figures beside a form that is refused are asked for on their own."""
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    visitor.post("/promise", {"k": "none", "page": "promise"})
    visitor.get("/promise", **{"HX-Request": "true"})
    assert visitor.desk.problem is not None
    message = str(visitor.desk.problem.message)
    assert message in visitor.text("/promise")
    assert message not in visitor.text("/promise"), "once"
