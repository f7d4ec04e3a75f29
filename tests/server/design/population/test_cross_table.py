"""Tables as offices publish them: which are cross tables, and what stands in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.design.population.cross_table import CrossTable, find_cross_table, header_below
from server.tables.csv_file import CsvFile

OFFICE = """Bevölkerung nach Alter und Geschlecht;;;
Stichtag: 31.12.2025;;;
Alter;männlich;weiblich;zusammen
18 bis 24;1.204;1.166;2.370
25 bis 34;2.310;2.295;4.605
35 bis 49;–;17;17
Insgesamt;3.514;3.478;6.992
Quelle: Statistik;;;
"""


def read(text: str) -> CsvFile:
    return CsvFile(text.encode(), source="table.csv")


def found(text: str) -> CrossTable:
    cross = find_cross_table(read(text))
    assert cross is not None
    return cross


def test_the_header_below_titles_is_the_first_row_that_is_full() -> None:
    table = read(OFFICE)
    assert header_below(table) == 1
    assert find_cross_table(table) is None
    assert header_below(read("a;b\n1;2\n")) is None
    assert header_below(read("Title;;\n;;\nx;;1\n")) is None
    assert header_below(read("Title;;\na;a;b\n1;2;3\n")) is None, "two columns of one name are no header"
    assert header_below(read("Title;;\nage;sex;\n;m;f\n18 to 24;1.204;1.166\n")) is None, "in two rows"


def test_totals_at_both_ends_are_left_out_and_thousands_read() -> None:
    cross = found("\n".join(OFFICE.splitlines()[2:-1]) + "\n")
    assert cross.keys == ("Alter",)
    assert cross.across == ("männlich", "weiblich")
    assert cross.rows == (0, 1, 2)
    assert cross.people.tolist() == [[1204, 1166], [2310, 2295], [0, 17]]
    assert cross.totals == ("Insgesamt", "zusammen")
    assert cross.evident


@pytest.mark.parametrize("mark", ["1,204", "1'204", "1 204", "1\u00a0204", "1\u202f204", "1204"])
def test_thousands_are_grouped_in_many_ways(mark: str) -> None:
    cross = found(f"age;m;f\n18 to 24;{mark};2\n25 to 34;3;4\n")
    assert cross.people.tolist() == [[1204, 2], [3, 4]]


def test_totals_of_each_category_are_left_out() -> None:
    rows = ["sex;age;north;south"]
    for sex, factor in (("m", 1), ("f", 2), ("all", 3)):
        for age, people in (("young", 5), ("old", 7), ("all", 12)):
            rows.append(
                f"{sex};{age};{people * factor};{people * factor + 3 * factor * (1 + (age == 'all'))}"
            )
    cross = found("\n".join(rows) + "\n")
    assert cross.keys == ("sex", "age")
    assert cross.rows == (0, 1, 3, 4)
    assert cross.people.tolist() == [[5, 8], [7, 10], [10, 16], [14, 20]]
    assert cross.totals == ("all",)


def test_single_years_beside_a_category_are_no_counts() -> None:
    rows = [f"{sex};{age};{age + 1};{age + 2};{age + 3}" for sex in "mf" for age in range(20, 30)]
    cross = found("\n".join(["sex;age;a;b;c", *rows]) + "\n")
    assert cross.keys == ("sex", "age")
    assert cross.across == ("a", "b", "c")
    assert not cross.evident


@pytest.mark.parametrize(
    "text",
    [
        "age;m;f\n18 to 24;.;2\n25 to 34;3;4\n",  # a point hides how many there are
        "age;m;f\n18 to 24;1.5;2\n25 to 34;3;4\n",
        "age;m;f\n18 to 24;;2\n25 to 34;3;4\n",
        "age;m;f\n;1;2\n25 to 34;3;4\n",
        "age;m\n18 to 24;1\n25 to 34;3\n",
        "name;account;tax\nA;12345678901234567890;1\nB;98765432109876543210;2\n",
        "age;m;f\n18 to 24;1;2\n",
        "age;m;f\n20;1;2\n20;1;2\n",
        "age;m;f\nyoung;1;2\nold;3;4\nall;4;6\nall;4;6\n",
        "age;m;all\nyoung;1;1\nold;3;3\n",
        "age;m;f\n" + "".join(f"{number};1;2\n" for number in range(10_001)),
    ],
)
def test_what_else_holds_numbers_is_no_cross_table(text: str) -> None:
    assert find_cross_table(read(text)) is None


@pytest.mark.parametrize("people", [60, 10_000])
def test_a_list_of_people_is_not_evidently_one(people: int) -> None:
    rows = [f"P{number};{20 + number % 40};{1000 + 37 * number}" for number in range(people)]
    assert not found("\n".join(["id;age;income", *rows]) + "\n").evident


@given(
    st.lists(st.lists(st.integers(1, 2_000_000), min_size=3, max_size=3), min_size=2, max_size=6),
    st.booleans(),
)
def test_whatever_an_office_adds_up_the_same_people_are_found(people: list[list[int]], beside: bool) -> None:
    rows = [*people, [sum(column) for column in zip(*people, strict=True)]]
    texts = [";".join(map(str, [*row, sum(row)] if beside else row)) for row in rows]
    header = "key;a;b;c" + ";all" * beside
    cross = found("\n".join([header, *(f"group {n};{text}" for n, text in enumerate(texts))]) + "\n")
    assert cross.across == ("a", "b", "c")
    assert cross.people.tolist() == people
