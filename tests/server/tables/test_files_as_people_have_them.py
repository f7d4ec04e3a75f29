"""Files as people have them: what was silently wrong is right, or refused with row and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

from server.design.population.model import Model
from server.design.population.preview import (
    describe_table,
    preview_table,
    suggest_attributes,
    suggested_categories,
)
from server.desk.columns import suggested_entry
from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.tables.csv_file import CsvFile
from server.tables.doubts import refuse_doubtful
from server.tables.encodings import guessed_encoding
from server.tables.files import Reading, open_data
from server.tables.missing import MissingValues
from shared.errors import InputError, ModelFileError

N = 60
AGES = np.random.default_rng(3).integers(18, 80, N)


def written(path: Path, **columns: object) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def masked(path: Path, reading: Reading | None = None, **request: object) -> tuple[object, object]:
    out = path.with_stem("masked")
    wanted = {"quasi_identifiers": ("age",), "k": 5, "method": "mdav"} | request
    run = anonymize_file(path, out, Request(**wanted), reading=reading)
    return run, open_data(out)


@pytest.mark.parametrize("far", ["1.7014118346046923e38", "1e20", "1e14"])
def test_a_number_beside_which_all_others_look_equal_is_refused_by_row(tmp_path: Path, far: str) -> None:
    path = written(tmp_path / "a.csv", age=[*map(str, AGES), far])
    with pytest.raises(InputError, match=rf"line {N + 2}: .*so far off.*--missing-values age="):
        masked(path)
    _, file = masked(path, Reading(missing=MissingValues.parse([f"age={far}"])), missing="drop")
    assert 18 <= file.column("age").numbers.min() <= file.column("age").numbers.max() < 80


def test_heavy_tails_and_large_offsets_are_no_errors(tmp_path: Path) -> None:
    gain = np.where(np.arange(N) % 10, 0, 10.0 ** (np.arange(N) % 9))
    path = written(tmp_path / "a.csv", gain=gain, time=1.7e18 + np.arange(N) * 1e9)
    for name in ("gain", "time"):
        open_data(path).usable(name)


def test_means_are_those_of_the_column_itself(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", age=AGES + 1e12)
    _, file = masked(path, unrounded=True)
    assert file.column("age").numbers.sum() == pytest.approx((AGES + 1e12).sum(), rel=1e-15)


def sav(path: Path, frame: pd.DataFrame, **more: object) -> Path:
    pyreadstat.write_sav(frame, str(path), **more)
    return path


def test_a_label_on_a_missing_code_makes_no_category(tmp_path: Path) -> None:
    ages = AGES.astype(float)
    ages[3] = -9
    frame = pd.DataFrame({"age": ages, "height": np.random.default_rng(1).normal(170, 10, N)})
    path = sav(
        tmp_path / "a.sav",
        frame,
        variable_value_labels={"age": {-9: "no answer"}},
        missing_ranges={"age": [-9]},
    )
    assert open_data(path).column("age").kind == "numeric"
    run, _ = masked(path, quasi_identifiers=("age", "height"), missing="drop")
    assert {m.name: m.value for _, m in run.headline}["SSE/SST"] < 0.2  # 0.78 as a category
    assert any('"age" is taken as numbers: its labels stand on no value' in w for w in run.warnings)


@pytest.mark.parametrize(
    ("labels", "measure", "kind"),
    [
        ({0: "bad", 10: "good"}, "unknown", "numeric"),
        ({0: "bad", 10: "good"}, "scale", "numeric"),
        ({0: "bad", 10: "good"}, "nominal", "numeric"),
        ({code: f"c{code}" for code in range(11)}, "scale", "nominal"),
        ({code: f"c{code}" for code in range(11)}, "unknown", "nominal"),
        ({code: f"c{code}" for code in range(11)}, "ordinal", "ordinal"),
        ({code: f"c{code}" for code in range(9)}, "scale", "numeric"),
        ({code: f"c{code}" for code in range(9)}, "nominal", "nominal"),
    ],
)
def test_measure_and_share_of_labels_decide(tmp_path: Path, labels: dict, measure: str, kind: str) -> None:
    frame = pd.DataFrame({"mood": [float(i % 11) for i in range(N)]})
    path = sav(
        tmp_path / "a.sav", frame, variable_value_labels={"mood": labels}, variable_measure={"mood": measure}
    )
    column = open_data(path).column("mood")
    assert column.kind == kind
    in_doubt = len(labels) < 11 or measure == "scale"
    assert (f"{len(labels)} of its 11 values have labels (0 " in column.decided) == in_doubt
    assert column.decided in describe_table(open_data(path))


@pytest.mark.parametrize(
    ("version", "release"), [(10, b"r"), (12, b"s"), (13, b"117"), (14, b"118"), (15, b"119")]
)
def test_stata_is_written_in_the_format_of_the_file(tmp_path: Path, version: int, release: bytes) -> None:
    path, out = tmp_path / "a.dta", tmp_path / "b.dta"
    pyreadstat.write_dta(pd.DataFrame({"age": AGES.astype(float)}), str(path), version=version)
    assert release in path.read_bytes()[:40]
    open_data(path).write(out, replace={})
    assert out.read_bytes()[:40] == path.read_bytes()[:40]
    open_data(path).write(tmp_path / "c.dta", replace={})
    assert out.read_bytes() == (tmp_path / "c.dta").read_bytes()
    assert b"2026" not in out.read_bytes()[:200]


def test_what_has_labels_is_shown_so_that_it_can_be_declared_missing(tmp_path: Path) -> None:
    """Stata knows no codes of missing values: a label is all that tells of -9."""
    frame = pd.DataFrame({"pay": [-9.0, *map(float, range(900, 900 + N))], "age": [30.0, *map(float, AGES)]})
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(frame, str(path), variable_value_labels={"pay": {-9: "refused"}})
    run, _ = masked(path, quasi_identifiers=("age", "pay"))
    told = [text for text in run.warnings if '(-9 "refused")' in text]
    assert "--missing-values pay=A,B" in told[0]


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet", "sav", "dta"])
def test_an_odd_text_in_a_confidential_column_is_refused_by_row(tmp_path: Path, form: str) -> None:
    frame = pd.DataFrame({"age": AGES, "income": pd.Series(range(800, 800 + N), dtype=object)})
    frame.loc[4, "income"] = "2700 EUR"
    path = tmp_path / f"a.{form}"
    texts = frame.assign(income=frame["income"].map(str))
    match form:
        case "csv":
            frame.to_csv(path, index=False)
        case "xlsx":
            frame.to_excel(path, index=False)
        case "parquet":
            texts.to_parquet(path)
        case _:
            {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[form](texts, str(path))
    row = 6 if form in ("csv", "xlsx") else 5  # with or without a line of names
    asked = Comparison(quasi_identifiers=("age",), confidential=("income",))
    for run in (
        lambda: masked(path, confidential=("income",)),
        lambda: evaluate_files(path, path, asked),
    ):
        with pytest.raises(InputError, match=rf'(line|row) {row}: .*"2700 EUR" is none.*alone: 2700'):
            run()
    run, _ = masked(path, confidential=("income",), nominal=("income",))
    assert "t-closeness, equal distance" in str(run.document["confidential"])


def test_thousands_in_a_confidential_column_are_refused_by_row(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", age=AGES, income=["800"] * 30 + ["1.200"] * 30)
    with pytest.raises(InputError, match=r'line 32: "1.200" of "income" can be 1200 or'):
        masked(path, confidential=("income",))


def test_one_thousand_among_longer_whole_numbers_is_refused_if_only_that_fits(tmp_path: Path) -> None:
    """1.2 would lie far below the others, which are 800 to 4000; 1200 is one of them."""
    income = [str(800 + 55 * i) for i in range(N)]
    path = written(tmp_path / "a.csv", age=AGES, income=[*income[:-1], "1.200"])
    with pytest.raises(InputError, match=r'line 61: "1.200" of "income" can be 1200 or'):
        masked(path, confidential=("income",))
    masked(path, confidential=("income",), reading=Reading(decimal="."))
    path = written(tmp_path / "a.csv", age=AGES, income=[*income[:-1], "9.200"])
    masked(path, confidential=("income",))


def test_numbers_with_a_unit_are_no_categories(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", age=["", *(f"{age} years" for age in AGES[1:])], size=AGES)
    with pytest.raises(InputError, match=r"line 3: .*numbers with a unit, such as .*Write the number alone"):
        masked(path, missing="drop")
    masked(path, missing="drop", nominal=("age",))
    assert "numbers with a unit, " in describe_table(open_data(path))
    suggested = suggest_attributes(open_data(path), ("age",))
    assert 'without "years"' in suggested
    assert 'kind = "numeric"' in suggested


@pytest.mark.parametrize("texts", [["1 room", "2 rooms", "3 rooms", "4 rooms"], ["1a", "2b", "3c", "4d"]])
def test_categories_that_begin_with_a_number_stay_categories(tmp_path: Path, texts: list[str]) -> None:
    masked(written(tmp_path / "a.csv", home=texts * 15, age=AGES), quasi_identifiers=("home", "age"))


def test_what_a_file_calls_categories_is_not_doubted(tmp_path: Path) -> None:
    codes = pd.Categorical(["1", "2", "3", "3A"] * 15)
    pd.DataFrame({"age": AGES, "job": codes}).to_parquet(tmp_path / "a.parquet")
    masked(tmp_path / "a.parquet", quasi_identifiers=("age", "job"))


@pytest.mark.parametrize(
    ("odd", "message", "remedy"),
    [
        ("2'7", 'line 6: "2\'7" of "age" looks like a number', "Correct them"),
        ("1.250,5", 'line 6: "1.250,5" of "age" looks like', "Correct them"),
        ("45 years", 'line 6: most values of "age" are numbers, and "45 years" is none', "alone: 45"),
        ("-", 'line 6: most values of "age" are numbers, and "-" is none', "--missing-values age=-"),
        ("#DIV/0!", 'line 6: most values of "age" are numbers', "--missing-values age=#DIV/0!"),
    ],
)
def test_errors_name_the_row_that_is_wrong(tmp_path: Path, odd: str, message: str, remedy: str) -> None:
    path = written(tmp_path / "a.csv", age=[*map(str, AGES[:4]), odd, *map(str, AGES[5:])])
    with pytest.raises(InputError) as error:
        masked(path)
    assert message in str(error.value)
    assert remedy in error.value.remedy


def test_an_empty_line_of_a_file_with_one_column_is_a_record_without_a_value(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "age\n" + "\n".join("" if row % 9 == 4 else str(age) for row, age in enumerate(AGES)) + "\n\n\n"
    )
    gaps = len(range(4, N, 9))
    with pytest.raises(InputError, match=f'{gaps} records have no "age"'):
        masked(path)
    _, file = masked(path, missing="category")
    assert file.n_records == N
    assert file.column("age").missing.sum() == gaps


def test_a_row_of_totals_is_no_record(tmp_path: Path, model: Callable[..., Model]) -> None:
    path = written(tmp_path / "a.csv", age=[*AGES, AGES.sum()], sex=["f"] * N + [""])
    with pytest.raises(InputError, match=rf'line {N + 2}: "{AGES.sum()}" of "age" is the sum of all others'):
        masked(path)
    with pytest.raises(InputError, match="is the sum of all others"):
        masked(path, quasi_identifiers=("sex",), confidential=("age",), missing="category")
    assert "refuses it" in describe_table(open_data(path))
    rows = zip(range(20, 80), "fm" * 30, AGES.tolist(), strict=True)
    text = "age,sex,n\n" + "".join(f"{age},{sex},{people}\n" for age, sex, people in rows)
    counted = ('kind = "public"', 'kind = "public"\ncount_column = "n"')
    kept = ("open_above = true", 'open_above = true\nmissing = "own-category"')
    assert model(text, counted, kept).people.sum() == AGES.sum()
    with pytest.raises(ModelFileError, match=r"line 62.*is the sum of all others"):
        model(f"{text},f,{AGES.sum()}\n", counted, kept)


@pytest.mark.parametrize(
    ("ages", "codes"),
    [
        ([-99, 18, 30, 80], ["-99"]),
        ([-9, -8, 18, 30], ["-9", "-8"]),
        ([18, 30, 99, 998, 999], ["998", "999"]),
        ([18, 30, 99], []),
        ([-9, -5.5, 3], []),
        ([-9, -7], []),
        ([600, 999], []),
        ([999], []),
    ],
)
def test_numbers_that_may_mean_no_value_are_pointed_out(
    tmp_path: Path, model: Callable[..., Model], ages: list[float], codes: list[str]
) -> None:
    path = written(tmp_path / "a.csv", age=ages * 10, sex=["f", "m"] * (5 * len(ages)))
    (age, _) = preview_table(open_data(path))
    assert sorted(age.suspects) == sorted(codes)
    run, _ = masked(path, quasi_identifiers=("age",))
    said = [warning for warning in run.warnings if "as if there were no value" in warning]
    assert [f"--missing-values age={','.join(codes)}." in warning for warning in said] == [True] * bool(codes)
    opened = model(
        path.read_text(), ("open_above = true", "step = 0.5\nopen_below = true\nopen_above = true")
    )
    assert any("counts as the nearest end" in warning for warning in opened.warnings) == bool(codes)
    for code in codes:
        assert any(code in warning for warning in opened.warnings)
    if codes:
        (age, _) = preview_table(
            open_data(path, Reading(missing=MissingValues.parse([f"age={','.join(codes)}"])))
        )
        assert (age.missing, age.suspects) == (10 * len(codes), ())


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Register 2024,,\nage,sex,n\n1,f,2\n", "2 columns have no name"),
        ("Register 2024\nage,sex\n1,f\n", "every value holds comma"),
        ("age|sex\n1|f\n2|m\n", r"every value holds \|"),
        ("30,f\n31,f\n30,m\n", "look like a record"),
    ],
)
def test_a_doubtful_header_is_pointed_out(text: str, hint: str) -> None:
    assert re.search(hint, describe_table(CsvFile(text.encode())))


@pytest.mark.parametrize("form", ["parquet", "sav"])
def test_numbers_that_a_typed_file_holds_as_texts_are_said_to_be_categories(
    tmp_path: Path, form: str
) -> None:
    frame = pd.DataFrame({"age": [str(age) for age in AGES], "job": ["a", "7b"] * (N // 2)})
    path = tmp_path / f"a.{form}"
    frame.to_parquet(path) if form == "parquet" else pyreadstat.write_sav(frame, path)
    run, _ = masked(path, quasi_identifiers=("age", "job"))
    assert [w.split(",")[0] for w in run.warnings if "as texts" in w] == ['"age" is taken as categories']
    run, _ = masked(path, quasi_identifiers=("age", "job"), nominal=("age",))
    assert not [warning for warning in run.warnings if "as texts" in warning]
    assert describe_table(open_data(path)).count("takes it as categories") == 1


def test_two_numbers_are_said_to_be_taken_for_numbers(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", age=AGES, sex=[2, 1] * (N // 2))
    run, _ = masked(path, quasi_identifiers=("age", "sex"))
    (warning,) = (warning for warning in run.warnings if "these are codes" in warning)
    assert warning.startswith('"sex" holds 2 and 1 alone')
    for settled in ("nominal", "numeric"):
        run, _ = masked(path, quasi_identifiers=("age", "sex"), **{settled: ("sex",)})
        assert not [warning for warning in run.warnings if "these are codes" in warning]


@pytest.mark.parametrize(
    ("towns", "shown"),
    [
        (["Bern", "bern"], "'Bern', 'bern'"),
        (["Z\u00fcrich", "Zu\u0308rich"], r"'Z\xfcrich', 'Zu\u0308rich'"),
        (["Bern", "Basel"], ""),
    ],
)
def test_categories_that_look_alike_are_pointed_out(tmp_path: Path, towns: list[str], shown: str) -> None:
    path = written(tmp_path / "a.csv", age=AGES, town=towns * (N // 2))
    run, _ = masked(path, quasi_identifiers=("age", "town"))
    said = [warning for warning in run.warnings if "look alike" in warning]
    assert [shown in warning for warning in said] == [True] * bool(shown)


def test_a_sound_header_is_not_doubted(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", age=AGES, **{"2019": AGES + 1, "Unnamed": ["x, y", "z"] * (N // 2)})
    assert len(describe_table(open_data(path)).splitlines()) == 3 + 3


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_a_line_that_names_the_separator_is_no_header(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "a.csv"
    rows = [separator.join(row) for row in (("age", "sex"), ("1", "f"), ("2", "m"))]
    path.write_text("\r\n".join([f"sep={separator}", *rows]))
    file = open_data(path)
    assert file.names == ("age", "sex")
    assert list(file.column("age")) == ["1", "2"]
    assert file.where(0) == "a.csv, line 3"


def test_formats_without_values_are_no_cells_of_a_workbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Millions of cells were made of one format in the last column, and a sheet of formats held data."""
    book = openpyxl.Workbook()
    book.active.append(["age", "sex"])
    for age in AGES.tolist():
        book.active.append([age, "f"])
    book.active.cell(1, 16_384).number_format = "0.00"
    book.active.cell(1_048_576, 1).number_format = "0.00"
    book.create_sheet("formats").cell(9, 9).number_format = "0.00"
    book.save(tmp_path / "a.xlsx")
    made = []
    cell = openpyxl.worksheet.worksheet.Worksheet._get_cell
    monkeypatch.setattr(
        openpyxl.worksheet.worksheet.Worksheet,
        "_get_cell",
        lambda sheet, row, column: made.append(None) or cell(sheet, row, column),
    )
    file = open_data(tmp_path / "a.xlsx")
    assert (file.n_records, file.names) == (N, ("age", "sex"))
    assert len(made) == 2 * (N + 1)


@pytest.mark.parametrize("form", ["00000", "[$-407]00000"])
def test_codes_that_a_workbook_shows_with_leading_zeros_keep_them(tmp_path: Path, form: str) -> None:
    book = openpyxl.Workbook()
    book.active.append(["age", "postcode", "count"])
    for row, age in enumerate(AGES.tolist()):
        book.active.append([age, (1067, 10115)[row % 2], 100])
        book.active.cell(row + 2, 2).number_format = form
        book.active.cell(row + 2, 3).number_format = "00"
    book.save(tmp_path / "a.xlsx")
    file = open_data(tmp_path / "a.xlsx")
    assert file.column("postcode").kind == "nominal"
    assert file.column("count").kind == "numeric"
    _, after = masked(tmp_path / "a.xlsx", quasi_identifiers=("age", "postcode"))
    assert set(after.column("postcode")) == {"01067", "10115"}
    _, after = masked(tmp_path / "a.xlsx")
    assert set(after.column("postcode")) == {"01067", "10115"}


@pytest.mark.parametrize(
    "spelling",
    [
        "1\u00a0{}",
        "1\u202f{},50",
        "1\u2009{}",
        "1’{}",
        "−{}",
        "–{}",
        "({})",
        "{}-",
        "٣{}",
        "１{}",
    ],
)
def test_numbers_of_other_spellings_are_no_categories(tmp_path: Path, spelling: str) -> None:
    path = tmp_path / "a.csv"
    rows = [spelling.format(100 + age) for age in AGES]
    path.write_text("income;sex\n" + "".join(f"{text};f\n" for text in rows), encoding="utf-8")
    with pytest.raises(InputError, match=r'line 2: "income" holds what looks like numbers') as error:
        masked(path, quasi_identifiers=("income",))
    assert "--nominal with income" in error.value.remedy


@pytest.mark.parametrize("day", ["{}.03.1980", "1980-03-{}", "3/{}/80"])
def test_birth_dates_get_the_age_as_their_remedy(tmp_path: Path, day: str) -> None:
    path = written(tmp_path / "a.csv", born=[day.format(10 + i % 20) for i in range(N)])
    with pytest.raises(InputError, match=r"are dates.*Put the age in its place") as error:
        masked(path, quasi_identifiers=("born",))
    assert "line 2" in error.value.where
    masked(path, quasi_identifiers=("born",), nominal=("born",))
    assert preview_table(open_data(path))[0].kind == "date"
    assert 'name = "age"' in suggest_attributes(open_data(path), ("born",))


def test_codes_with_leading_zeros_become_categories_or_a_lookup() -> None:
    few = CsvFile(b"plz,age\n" + b"".join(b"0%d067,30\n" % (i % 5) for i in range(N)))
    assert preview_table(few)[0].kind == "code"
    assert "codes with leading zeros, 5 distinct" in describe_table(few)
    assert 'kind = "nominal"\ncategories = ["00067"' in suggest_attributes(few, ("plz",))
    many = CsvFile(b"plz,age\n" + b"".join(b"0%d,30\n" % (1000 + i) for i in range(N)))
    assert 'kind = "lookup"' in suggest_attributes(many, ("plz",))
    assert few.column("plz").kind == "nominal"
    refuse_doubtful(few.column("plz"), few)


@pytest.mark.parametrize(
    ("cell", "remedy"),
    [
        ('"30,5"', 'Set step = "0.1", or rounding'),
        ("45 years", "Write the number alone: 45."),
        ("90+", "Write the number alone: 90, with open_above = true if it stands for everybody beyond."),
        ("1.2.1980", "Put the age in its place"),
        ("01067", 'kind = "nominal", or "lookup"'),
        ("145", "Correct the value, or widen"),
    ],
)
def test_remedies_of_a_design_fit_what_is_wrong(model: Callable[..., Model], cell: str, remedy: str) -> None:
    with pytest.raises(ModelFileError) as error:
        model(f"age,sex\n17,f\n{cell},m\n", ("open_above = true\n", ""))
    assert remedy in error.value.remedy
    assert 'line 3, column "age"' in str(error.value)


@pytest.mark.parametrize("form", ["sav", "parquet"])
def test_an_order_that_a_file_knows_is_suggested(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"a.{form}"
    levels = ["school", "none", "uni"] * (N // 3)
    if form == "sav":
        codes = pd.DataFrame({"edu": [{"none": 1.0, "school": 2.0, "uni": 3.0}[level] for level in levels]})
        labels = {"edu": {1.0: "none", 2.0: "school", 3.0: "uni"}}
        pyreadstat.write_sav(codes, path, variable_value_labels=labels, variable_measure={"edu": "ordinal"})
    else:
        order = pd.Categorical(levels, categories=["none", "school", "uni"], ordered=True)
        pd.DataFrame({"edu": order}).to_parquet(path)
    file = open_data(path)
    (edu,) = preview_table(file)
    values = ["1", "2", "3"] if form == "sav" else ["none", "school", "uni"]
    assert suggested_categories(file, edu) == ("ordinal", values)
    assert 'kind = "ordinal"' in suggest_attributes(file, ("edu",))
    assert suggested_entry(file, edu, {})["kind"] == "ordinal"


def test_a_lost_leading_zero_is_named(model: Callable[..., Model]) -> None:
    codes = ('categories = ["f", "m"]', 'categories = ["01067", "10115"]')
    with pytest.raises(ModelFileError) as error:
        model("age,sex\n17,10115\n30,1067\n", codes)
    assert 'write "01067" into the file' in error.value.remedy


def test_labelled_codes_are_proposed_and_explained(tmp_path: Path, survey: Callable) -> None:
    from server.design.population.model import read_model

    frame = pd.DataFrame({"age": [17.0, 30.0] * 5, "sex": [1.0, 2.0] * 5})
    path = sav(tmp_path / "town.sav", frame, variable_value_labels={"sex": {1: "female", 2: "male"}})
    proposed = suggest_attributes(open_data(path), ("sex",))
    assert 'categories = [{ value = "1", label = "female" }, { value = "2", label = "male" }]' in proposed
    with pytest.raises(ModelFileError, match=r'declare \{ value = "1", label = "female" \}'):
        read_model(survey(("town.csv", "town.sav")))
    old = '[[attributes]]\nname = "sex"\nkind = "nominal"\ncategories = ["f", "m"]\n'
    assert read_model(survey(("town.csv", "town.sav"), (old, proposed))).n_people == 10


TEXTS = {
    "cp1252": (
        "Müller;Köln\nGrößer;Straße\n",
        "Élève;à côté;forêt\nHélène;Noël\n",
        "Sørensen;Åse;Kjær\n",
        "5 €;x\n",
    ),
    "cp1250": ("Łódź;Kraków\nWałęsa;Świętokrzyskie\n", "Dvořák;Čapek;Plzeň\n", "Đurđević;Krleža;Čačak\n"),
    "cp1251": ("имя;город\nИван;Москва\nОльга;Тверь\n", "Київ;Їжак\n"),
    "koi8_r": ("имя;город\nИван;Москва\nОльга;Тверь\n",),
    "cp1253": ("όνομα;πόλη\nΓιώργος;Αθήνα\n",),
    "cp1254": ("İstanbul;Ağrı;Şanlıurfa;Çiğdem\n",),
    "cp1257": ("Šiauliai;Kėdainiai;Ąžuolas;Vilnių\n",),
    "iso8859_2": ("Łódź;Gdańsk;Żywiec;średnie\n", "Plzeň;Ústí;Děčín;žena;muž\n"),
    "cp852": ("Łódź;Gdańsk;Żywiec;średnie\n", "Plzeň;Ústí;Děčín;žena;muž\n"),
    "koi8_u": ("Київ;Львів;жінка;чоловік\n",),
    "cp1256": ("القاهرة;الرياض;ذكر;أنثى\n",),
    "cp874": ("กรุงเทพ;เชียงใหม่;ชาย;หญิง\n",),
    "cp850": ("Müller;Köln;Größe\n",),
    "cp932": ("名前;市\n山田 太郎;東京\nすずき;カナ\n", "氏名;市\n山田太郎;東京都\n鈴木一郎;大阪府\n"),
    "euc_kr": ("이름;도시\n김철수;서울\n",),
    "gb18030": ("姓名;城市\n张伟;北京\n王芳;上海\n",),
    "big5": ("姓名;城市\n陳怡君;臺北\n林志明;高雄\n",),
}


@pytest.mark.parametrize(
    ("encoding", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts]
)
def test_encodings_are_found_out_and_shown(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    assert data.decode(guessed_encoding(data)) == text
    file = CsvFile(b"a;b\n1;2\n" + text.splitlines()[0].encode(encoding).split(b";")[0] + b";x\n")
    assert f"encoding {file.understood.encoding}" in describe_table(file)


@pytest.mark.parametrize("encoding", ["cp1250", "cp932"])
def test_encodings_are_found_out_from_names_at_the_end_of_a_large_file(encoding: str) -> None:
    text = TEXTS[encoding][0]
    assert guessed_encoding(b"1;2;some words\n" * 400_000 + text.encode(encoding)) == encoding


def test_the_encoding_of_a_long_line_is_found_out() -> None:
    text = TEXTS["cp1250"][0].replace("\n", ";") * 200_000
    assert guessed_encoding(text.encode("cp1250")) == "cp1250"


def test_a_masking_says_which_encoding_was_found_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(pd.DataFrame({"age": AGES, "miasto": ["Łódź", "Kraków"] * 30}).to_csv().encode("cp1250"))
    told = 'a.csv is read as cp1250, as in "Łódź": --encoding names another.'
    assert told in masked(path)[0].warnings
    assert told not in masked(path, Reading(encoding="cp1250"))[0].warnings


@pytest.mark.parametrize("encoding", ["cp1250", "cp1251", "cp932", "koi8_r", "utf-16"])
def test_any_encoding_is_masked_and_written_back(tmp_path: Path, encoding: str) -> None:
    names = {"cp1250": "Łódź", "cp1251": "Москва", "koi8_r": "Москва", "cp932": "東京都", "utf-16": "Łódź"}
    path = tmp_path / "a.csv"
    rows = "".join(f"{age},{names[encoding]}\n" for age in AGES)
    path.write_bytes(f"age,town\n{rows}".encode(encoding))
    for reading in (None, Reading(encoding=encoding)):
        _, file = masked(path, reading, drop=())
        assert set(file.columns[1].distinct) == {names[encoding]}


def test_markers_are_declared_for_all_columns_or_one(tmp_path: Path) -> None:
    values = ["-", "-9", "*", "999", *map(str, AGES[4:])]
    path = written(tmp_path / "a.csv", age=values, temperature=[-9.0, *range(N - 1)])
    with pytest.raises(InputError, match="is none"):
        masked(path)
    reading = Reading(missing=MissingValues.parse(["age=-,-9,*,999"]))
    _, file = masked(path, reading, missing="drop")
    assert file.n_records == N - 4
    assert open_data(path, reading).column("temperature").missing.sum() == 0
    common = Reading(missing=MissingValues.parse(["-,-9,*,999"]))
    assert open_data(path, common).column("temperature").missing.sum() == 1
    with pytest.raises(InputError, match="named twice"):
        MissingValues.parse(["age=1", "age=2"])


def test_who_gave_no_answer_neither_hides_nor_discloses_the_answer_of_others(tmp_path: Path) -> None:
    """A group without answers discloses none; one in which all who answered say "ill" does."""
    town = ["a"] * 4 + ["b"] * 6 + ["c"] * 6
    health = ["?"] * 4 + ["ill", "ill", "ill", "?", "ill", "?"] + ["ill", "well"] * 3
    path = written(tmp_path / "a.csv", town=town, health=health)
    asked = Comparison(quasi_identifiers=("town",), confidential=("health",))
    compared = evaluate_files(path, path, asked)
    (warning,) = compared.warnings
    assert warning.startswith(
        'In 1 of 3 groups, with 6 of 16 records (37.5%), everybody has the same "health"'
    )


@pytest.mark.parametrize("digits", ["90071992547410", "-1000000000000000", "9" * 4998])
def test_whole_numbers_that_would_lose_digits_are_no_numbers(tmp_path: Path, digits: str) -> None:
    """A mean of identifiers was published, in which neighbours were one."""
    ids = [f"{digits}{i + 10}" for i in range(N)]
    path = written(tmp_path / "a.csv", id=ids, age=AGES)
    with pytest.raises(InputError, match=r'line 2: .* of "id" has more digits than a number keeps'):
        masked(path, quasi_identifiers=("age", "id"))
    _, file = masked(path, quasi_identifiers=("age",), confidential=("id",), nominal=("id",))
    assert sorted(file.column("id")) == sorted(ids)
    assert file.column("id").kind == "nominal"
    below = written(tmp_path / "b.csv", id=[2**53 - 1 - i for i in range(N)], age=AGES)
    assert open_data(below).column("id").kind == "numeric"


@pytest.mark.parametrize(("first", "kind"), [(10**15 + 1, "numeric"), (2**53, "nominal")])
def test_long_whole_numbers_in_excel_keep_their_digits(tmp_path: Path, first: int, kind: str) -> None:
    """Programs write sixteen digits, of which fifteen were read: identifiers became one."""
    ids = [first + 2 * i for i in range(N)]
    pd.DataFrame({"id": ids, "age": AGES}).to_excel(tmp_path / "a.xlsx", index=False)
    column = open_data(tmp_path / "a.xlsx").column("id")
    assert sorted(column) == [str(number) for number in ids]
    assert column.kind == kind


def test_longer_whole_numbers_in_excel_are_no_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    pd.DataFrame({"id": [2**53 + 2 * i for i in range(N)], "age": AGES}).to_excel(path, index=False)
    with pytest.raises(InputError, match=r'row 2: "9007199254740992" of "id" has more digits'):
        masked(path, quasi_identifiers=("age", "id"))
