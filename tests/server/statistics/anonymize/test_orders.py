"""Ordered categories, hierarchies, and numbers per value: from the command line to what is published."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from server.statistics.anonymize.confidential import confidential_measures
from server.statistics.anonymize.group_values import group_medians
from server.statistics.anonymize.hierarchy import read_hierarchy
from server.statistics.anonymize.ordinal import nearest_categories, orders_of, ranked
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.tables.column import DataColumn
from server.tables.files import open_data
from shared.errors import InputError

LEVELS = ("low", "mid", "high")


def frame() -> pd.DataFrame:
    random = np.random.default_rng(4)
    n = 80
    return pd.DataFrame(
        {"edu": random.choice(LEVELS, n), "age": random.integers(20, 80, n), "ill": ["x", "y"] * 40}
    )


def masked(path: Path, *more: str):
    out = path.with_stem("masked")
    arguments = [str(path), "--quasi-identifiers", "edu,age", "--confidential", "ill", "--k", "4"]
    arguments += ["--keep-order"]
    result = CliRunner().invoke(
        anonymize, [*arguments, "--out", str(out), "--json", *more], catch_exceptions=False
    )
    assert result.exit_code == 0
    return open_data(out), json.loads(result.stdout)


def text_column(values: list[str | None], **more) -> DataColumn:
    return DataColumn.of("edu", values, **more)


def test_an_order_is_released_as_its_categories_in_every_format(tmp_path: Path) -> None:
    """The same table in five formats is masked alike, whether the order is named or the file knows it."""
    table = frame()
    codes = table.assign(edu=table["edu"].map({"low": 1, "mid": 2, "high": 3}))
    labels = {"edu": {1: "low", 2: "mid", 3: "high"}}
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_excel(tmp_path / "a.xlsx", index=False)
    table.assign(edu=pd.Categorical(table["edu"], LEVELS, ordered=True)).to_parquet(tmp_path / "a.parquet")
    pyreadstat.write_sav(
        codes, str(tmp_path / "a.sav"), variable_value_labels=labels, variable_measure={"edu": "ordinal"}
    )
    pyreadstat.write_dta(codes, str(tmp_path / "a.dta"), variable_value_labels=labels)
    named = ("--ordinal", "edu=low,mid,high")
    found = {}
    for suffix, more in (
        ("csv", named),
        ("xlsx", named),
        ("parquet", ()),
        ("sav", ()),
        ("dta", ("--ordinal", "edu")),
    ):
        file, document = masked(tmp_path / f"a.{suffix}", *more)
        column = file.column("edu")
        found[suffix] = [column.value_labels.get(text, text) for text in column.texts.tolist()]
        assert len(document["orders"]["edu"]) == 3
    assert all(values == found["csv"] for values in found.values())
    assert set(found["csv"]) <= set(LEVELS)
    assert pq.read_table(tmp_path / "masked.parquet").schema.field("edu").type.ordered
    page = (tmp_path / "masked.csv.report.html").read_text("utf-8")
    assert "publishes the median of its categories" in page


def test_a_group_publishes_the_middle_of_an_order_and_else_the_most_frequent(tmp_path: Path) -> None:
    table = pd.DataFrame({"edu": ["low"] * 3 + ["mid"] * 2 + ["high"] * 3, "age": 30, "ill": "x"})
    table.to_csv(tmp_path / "a.csv", index=False)
    ordered, _ = masked(tmp_path / "a.csv", "--ordinal", "edu=low,mid,high", "--k", "8")
    nominal, _ = masked(tmp_path / "a.csv", "--k", "8")
    assert set(ordered.column("edu").texts) == {"mid"}
    assert set(nominal.column("edu").texts) == {"high"}


def test_a_group_publishes_the_median_and_not_the_category_nearest_to_the_mean(tmp_path: Path) -> None:
    """Positions 0 0 0 0 0 2 2 2 of low, mid, high: the mean is 0.75, so that "mid" was published."""
    table = pd.DataFrame({"edu": ["low"] * 5 + ["high"] * 3 + ["mid"] * 8, "ill": "x"})
    table["age"] = [30] * 8 + [80] * 8
    table.to_csv(tmp_path / "a.csv", index=False)
    file, _ = masked(tmp_path / "a.csv", "--ordinal", "edu=low,mid,high", "--k", "8", "--method", "mondrian")
    assert file.column("edu").texts.tolist() == ["low"] * 8 + ["mid"] * 8


def test_the_file_itself_can_be_overruled(tmp_path: Path) -> None:
    table = frame()
    table.assign(edu=pd.Categorical(table["edu"], LEVELS, ordered=True)).to_parquet(tmp_path / "a.parquet")
    assert "orders" in masked(tmp_path / "a.parquet")[1]
    assert "orders" not in masked(tmp_path / "a.parquet", "--nominal", "edu")[1]


def test_an_ordered_column_that_is_not_named_stays_as_it_is(tmp_path: Path) -> None:
    """Missing codes of SPSS have a label but no place in the order."""
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"h": [1.0, 3.0, 9.0, 4.0]}),
        str(path),
        variable_value_labels={"h": {1: "bad", 3: "good", 9: "refused"}},
        variable_measure={"h": "ordinal"},
        missing_ranges={"h": [9]},
    )
    column = open_data(path).column("h")
    assert column.kind == "ordinal"
    assert column.order == ("1", "3", "4")


def test_the_nearest_category_that_occurs_is_published() -> None:
    column = ranked(text_column(["a", "d", "a", "d"]), ("a", "b", "c", "d"), "t")
    found = nearest_categories(column, np.array([0.0, 1.4, 1.5, 1.6, 3.0]))
    assert column.texts[found].tolist() == ["a", "a", "a", "d", "d"]


def test_ranks_keep_missing_values_and_refuse_unknown_ones() -> None:
    assert np.isnan(ranked(text_column(["a", None]), ("a", "b"), "t").numbers[1])
    with pytest.raises(InputError, match='holds "z"'):
        ranked(text_column(["a", "z"]), ("a", "b"), "t")


def test_orders_are_given_by_code_or_by_label(tmp_path: Path) -> None:
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(
        pd.DataFrame({"h": [1, 2, 3]}),
        str(path),
        variable_value_labels={"h": {1: "good", 2: "bad", 3: "fair"}},
    )
    file = open_data(path)
    for order in (("bad", "fair", "good"), ("2", "3", "1"), ("2", "fair", "1")):
        assert orders_of(file, ("h",), given={"h": order}) == {"h": ("2", "3", "1")}
    assert orders_of(file, ("h",), given={"h": ()}) == {"h": ("1", "2", "3")}
    assert orders_of(file, ("h",), given={}) == {}


def hierarchy(path: Path, text: str):
    path.write_bytes(text.encode())
    return read_hierarchy(path, "ill")


@pytest.mark.parametrize(
    "text",
    [
        "flu;lungs;*\nasthma;lungs;*\nrash;skin;*\n",
        "flu,lungs\nasthma,lungs\nrash,skin\n",
        "value\tlevel1\nflu\tlungs\nasthma\tlungs\nrash\tskin\n",
        "\ufeffill;part\r\nflu;lungs\r\n\r\nasthma;lungs\r\nrash;skin",
    ],
)
def test_hierarchies_as_people_have_them(tmp_path: Path, text: str) -> None:
    paths = hierarchy(tmp_path / "h.csv", text).paths
    assert paths == {"flu": ("lungs", "flu"), "asthma": ("lungs", "asthma"), "rash": ("skin", "rash")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "h.csv: the (file is empty|hierarchy has no line)"),
        ("flu\nrash\n", "line 1: a value without a parent"),
        ("flu;lungs;*\nrash;skin\n", "line 2: there are 2 levels, where line 1 has 3"),
        ("flu;lungs;*\nrash;;*\n", "line 2: field 2 is empty"),
        ("flu;lungs\nrash;skin\nflu;skin\n", 'line 3: the value "flu" stands in line 1'),
        ("a;x;p\nb;x;q\n", 'line 2: "x" belongs to "q" here and to "p" in line 1'),
        ('a;"x\nb;x\n', "h.csv, line"),
    ],
)
def test_broken_hierarchies_are_refused_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        hierarchy(tmp_path / "h.csv", text)


def test_medians_of_numbers_and_orders_by_hand(tmp_path: Path) -> None:
    numbers = np.array([5.0, 1.0, 100.0, 2.0, 7.0, 8.0, np.nan])
    labels = np.array([0, 0, 0, 1, 1, 1, 2])
    assert group_medians(numbers, labels, None)[:2].tolist() == [5, 7]
    assert np.isnan(group_medians(numbers, labels, None)[2])
    assert group_medians(numbers, labels, np.array([1, 9, 1, 1, 1, 5, 1]))[:2].tolist() == [1, 8]
    assert group_medians(np.array([4.0, 1.0]), np.array([0, 0]), None).tolist() == [1]
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = ["low,1", "low,2", "high,300"] * 4
    path.write_text("edu,age\n" + "\n".join(rows) + "\n")
    request = Request(
        quasi_identifiers=("edu", "age"),
        k=12,
        method="mdav",
        ordinal={"edu": ("low", "mid", "high")},
        median=("edu", "age"),
    )
    anonymize_file(path, out, request)
    assert set(out.read_text().splitlines()[1:]) == {"low,2"}


def test_hierarchical_closeness_by_hand(tmp_path: Path) -> None:
    """Two classes, lungs and skin: all differs at the top. Two of the same part: half as far."""
    tree = hierarchy(tmp_path / "h.csv", "flu;lungs\nasthma;lungs\nrash;skin\nburn;skin\n")

    def closeness(values: list[str], labels: list[int]) -> dict[str, float]:
        column = text_column(list(values))
        measures, _ = confidential_measures(column, np.array(labels), interval=0.1, hierarchy=tree)
        return {m.name: m.value for m in measures if m.name.startswith("t-closeness")}

    near = closeness(["flu", "asthma"], [0, 1])
    far = closeness(["flu", "rash"], [0, 1])
    assert near == {"t-closeness, equal distance": 0.5, "t-closeness, hierarchical distance": 0.25}
    assert far == {"t-closeness, equal distance": 0.5, "t-closeness, hierarchical distance": 0.5}
    with pytest.raises(InputError, match='"gout"'):
        closeness(["gout"], [0])


def test_hierarchies_of_numbers_labels_and_orders(tmp_path: Path) -> None:
    tree = hierarchy(tmp_path / "h.csv", "1;few\n2;few\n9;many\n")
    numbers = DataColumn.of_numbers("n", np.array([9.0, 1.0, 2.0, np.nan]))
    labels = np.array([0, 0, 1, 1])
    measures, _ = confidential_measures(numbers, labels, interval=0.1, hierarchy=tree)
    values = {m.name: m.value for m in measures}
    assert values["t-closeness, hierarchical distance"] == pytest.approx(1 / 2)
    ordered = ranked(text_column(["9", "1", "2", None]), ("1", "2", "9"), "t")
    measures, _ = confidential_measures(ordered, labels, interval=0.1, hierarchy=tree)
    assert {m.name: m.value for m in measures}["t-closeness, ordered distance"] > 0
    words = hierarchy(tmp_path / "w.csv", "one;few;*\ntwo;few;*\n")
    labelled = text_column(["1", "2"], value_labels={"1": "one", "2": "two"})
    measures, _ = confidential_measures(labelled, np.array([0, 1]), interval=0.1, hierarchy=words)
    assert {m.name: m.value for m in measures}["t-closeness, hierarchical distance"] == 0.25


def test_distances_and_importances_per_value_move_what_they_name(tmp_path: Path) -> None:
    """Half of the incomes ask for a large distance, with a large importance: they get it more often."""
    random = np.random.default_rng(5)
    n = 200
    half = np.arange(n) % 2 == 0
    income = random.lognormal(3, 1, n)
    pd.DataFrame({"income": income, "age": random.normal(40, 9, n)}).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame({"income": np.where(half, 0.3, 0.0)}).to_csv(tmp_path / "d.csv", index=False)
    pd.DataFrame({"income": np.where(half, 0.95, 0.001)}).to_csv(tmp_path / "w.csv", index=False)

    def published(*more: str) -> tuple[float, list[float], list[float]]:
        out = tmp_path / "b.csv"
        arguments = [str(tmp_path / "a.csv"), "--quasi-identifiers", "income,age", "--k", "5"]
        arguments += ["--breach", "p3m", "--out", str(out), "--unrounded", "--keep-order", "--json", *more]
        assert CliRunner().invoke(anonymize, arguments, catch_exceptions=False).exit_code == 0
        numbers = open_data(out).column("income").numbers
        apart = np.abs(numbers - income) / income.std() >= 0.3
        return float(apart[half].mean()), numbers.tolist(), open_data(out).column("age").numbers.tolist()

    zero = published("--minimum-distance", "0")
    files = ("--minimum-distances", str(tmp_path / "d.csv"))
    asked = published("--minimum-distance", "0", *files)
    weighed = published("--minimum-distance", "0", *files, "--importances", str(tmp_path / "w.csv"))
    one = published("--minimum-distance", "0", "--minimum-distance", "income=0.5")
    assert weighed[0] >= asked[0] >= zero[0]
    assert len({tuple(found[1]) for found in (zero, asked, weighed, one)}) == 4
    for others in (asked, weighed, one):
        assert others[2] == pytest.approx(zero[2], rel=1e-12)


def test_importances_are_absolute_and_unheld_constraints_are_told(tmp_path: Path) -> None:
    pd.DataFrame({"x": [i**2 for i in range(20)]}).to_csv(tmp_path / "a.csv", index=False)
    arguments = [str(tmp_path / "a.csv"), "--quasi-identifiers", "x", "--k", "4", "--breach", "p3m"]

    def masked(w: float) -> tuple[str, bytes]:
        pd.DataFrame({"x": [w] * 20}).to_csv(tmp_path / "w.csv", index=False)
        more = ["--importances", str(tmp_path / "w.csv"), "--out", str(tmp_path / "b.csv"), "--unrounded"]
        ran = CliRunner().invoke(anonymize, [*arguments, *more], catch_exceptions=False)
        return ran.stderr, (tmp_path / "b.csv").read_bytes()

    assert len({masked(w)[1] for w in (0, 0.2, 0.9)}) == 3
    assert "values of importance 1 are not published at their minimum distance" in masked(1)[0]
    with pytest.raises(InputError, match="from 0 to 1"):
        masked(3)


def test_p3m_by_record_says_how_many_records_are_apart(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "a.csv", index=False)
    arguments = [str(tmp_path / "a.csv"), "--quasi-identifiers", "age", "--k", "4", "--breach", "p3m-record"]
    result = CliRunner().invoke(
        anonymize, [*arguments, "--out", str(tmp_path / "b.csv"), "--json"], catch_exceptions=False
    )
    names = {m["name"] for m in json.loads(result.stdout)["disclosure"]}
    assert "records at their minimum distance, percent" in names
