"""The same people in every format give the same population, the same preview and the same messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from server.design.population.model import Model, read_model
from server.design.population.preview import preview_table
from server.design.survey_file.survey import SurveyFile
from server.tables.files import Reading, open_data
from server.tables.missing import MissingValues
from shared.errors import ModelFileError

FORMATS = ("csv", "parquet", "sav", "dta", "xlsx")


def written(folder: Path, frame: pd.DataFrame, suffix: str) -> Path:
    path = folder / f"town.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path, index=False)
    elif suffix == "sav":
        pyreadstat.write_sav(frame, str(path))
    elif suffix == "dta":
        pyreadstat.write_dta(frame, str(path))
    else:
        frame.to_excel(path, index=False)
    return path


def people(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"age": [17, 30, 30, 45, 90] * 4, "sex": ["f", "m", "m", "f", "f"] * 4} | columns)


@pytest.fixture
def register(tmp_path: Path, survey: Callable[..., SurveyFile]) -> Callable[..., Model]:
    """Read a register of a format by the small survey."""

    def read(frame: pd.DataFrame, suffix: str, *replacements: tuple[str, str]) -> Model:
        path = written(tmp_path, frame, suffix)
        return read_model(survey(("town.csv", path.name), *replacements))

    return read


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_register_of_any_format_is_the_same_population(suffix: str, register: Callable[..., Model]) -> None:
    model = register(people(), suffix)
    assert model.canonical_text() == register(people(), "csv").canonical_text()
    assert (model.n_people, model.n_tuples) == (20, 4)
    assert model.equal_rows == 16


@pytest.mark.parametrize("suffix", FORMATS)
def test_errors_name_the_same_thing_in_every_format(suffix: str, register: Callable[..., Model]) -> None:
    frame = people(age=[17, 30, 30, 145, 90] * 4).astype({"age": int}).replace({"age": {90: 91}})
    with pytest.raises(ModelFileError) as error:
        register(frame, suffix, ("open_above = true\n", ""))
    place = {"csv": "line 5", "xlsx": "row 5"}.get(suffix, "row 4")
    assert f'{place}, column "age"' in str(error.value)
    assert "145" in str(error.value)
    with pytest.raises(ModelFileError, match=r'no column "sex" for an attribute.*Did you mean "Sex"'):
        register(people().rename(columns={"sex": "Sex"}), suffix)


@pytest.mark.parametrize("suffix", FORMATS)
def test_markers_of_missing_values_are_the_same_in_every_format(suffix: str, tmp_path: Path) -> None:
    frame = people(income=[1000, -9, 2500, 1200, 900] * 4, note=["-", "a", "b", "NA", ""] * 4)
    path = written(tmp_path, frame, suffix)
    declared = MissingValues.parse(["-,-9"])
    file = open_data(path, Reading(missing=declared))
    assert file.column("income").kind == "numeric"
    assert file.column("income").missing.tolist() == [False, True, False, False, False] * 4
    assert file.column("note").missing.tolist() == [True, False, False, True, True] * 4
    plain = open_data(path)
    assert not plain.column("income").missing.any()
    own = open_data(path, Reading(missing=MissingValues.parse(["-,-9", "note="])))
    assert own.column("note").missing.tolist() == [False, False, False, False, True] * 4
    assert own.column("income").missing.any()


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_preview_is_the_same_in_every_format(suffix: str, tmp_path: Path) -> None:
    age, sex = preview_table(open_data(written(tmp_path, people(), suffix)))
    assert (age.kind, age.lowest, age.highest, age.step) == ("number", "17", "90", "1")
    assert (sex.kind, sex.values) == ("text", ("f", "m"))


def test_empty_rows_of_a_sheet_are_no_records_and_rows_are_those_of_excel(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in ([], [], ["age", "height"], [17, "1,5"], [], [30, "2,25"], ["x", "2,5"], []):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    file = open_data(tmp_path / "a.xlsx")
    assert (file.names, file.n_records) == (("age", "height"), 3)
    assert [file.place_of(row) for row in range(3)] == ["row 4", "row 6", "row 7"]
    assert file.understood.decimal == ","
    assert preview_table(file)[1].kind == "number"


def test_a_file_is_told_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    for suffix in ("parquet", "sav", "xlsx"):
        path = written(tmp_path, people(), suffix)
        renamed = path.rename(tmp_path / f"{suffix}.data")
        assert open_data(renamed).n_records == 20
