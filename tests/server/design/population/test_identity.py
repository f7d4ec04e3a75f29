"""The same person twice: refused by line where a column names people, counted where none does."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from server.design.population.identity import refuse_repeats
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from server.tables.csv_file import CsvFile
from server.tables.parquet_file import ParquetFile
from shared.errors import ModelFileError, SurveyFileError
from tests.towns import write_town

PEOPLE = b"number,age\n7,30\n8,31\n 7 ,32\n9,30\n8,31\n"


def test_a_person_who_stands_there_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(ModelFileError) as caught:
        refuse_repeats(CsvFile(PEOPLE, source="town.csv"), "number", ())
    text = str(caught.value)
    assert "line 4" in text
    assert "the person stands in line 2 already" in text
    assert "line 6" in text
    assert "the person stands in line 3 already" in text
    assert "town.csv" in text
    assert " 7 " not in text  # never the id


def test_a_record_without_an_id_is_refused() -> None:
    for data, markers in ((b"number,age\n7,30\n,31\n", ()), (b"number,age\n?,30\n7,31\n", ("?",))):
        with pytest.raises(ModelFileError, match="the id is missing"):
            refuse_repeats(CsvFile(data), "number", markers)


def test_people_who_stand_there_once_pass() -> None:
    refuse_repeats(CsvFile(b"number,age\n7,30\n8,30\n"), "number", ())


def test_no_such_column() -> None:
    with pytest.raises(ModelFileError, match='no column "id" for id_column'):
        refuse_repeats(CsvFile(PEOPLE), "id", ())


def test_equal_rows_are_counted_over_all_columns_even_those_that_are_not_kept(tmp_path: Path) -> None:
    data = b"number,age\n7,30\n8,30\n7,30\n7,30\n"
    assert CsvFile(data).equal_rows == 2
    assert CsvFile(data, wanted={"age"}).equal_rows == 2
    path = tmp_path / "town.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"number": [7, 8, 7, 7], "age": [30, 30, 30, 30]}), path)
    assert ParquetFile(path).equal_rows == 2
    nested = pyarrow.table({"age": [1, 1], "more": [[1], [1]]})
    pyarrow.parquet.write_table(nested, path)
    assert ParquetFile(path).equal_rows in (None, 1)


def with_numbers(folder: Path, more: str, *, repeat: int = 0) -> Path:
    """A town whose people are numbered, some of them twice."""
    survey = write_town(folder, people=40)
    header, *rows = (folder / "town.csv").read_text().splitlines()
    numbered = [f"{i},{row}" for i, row in enumerate(rows)]
    (folder / "town.csv").write_text("\n".join([f"number,{header}", *numbered, *numbered[:repeat]]))
    survey.write_text(survey.read_text().replace('file = "town.csv"', f'file = "town.csv"\n{more}'))
    return survey


def test_three_hundred_of_the_same_people_used_to_be_counted_twice(tmp_path: Path) -> None:
    """Silently. Now a file with an id refuses them, and the id leaves nothing in the canonical model."""
    survey = read_survey_file(with_numbers(tmp_path, 'id_column = "number"', repeat=30))
    with pytest.raises(ModelFileError, match="30 records name nobody, or a person who stands there already"):
        read_model(survey)
    model = read_model(read_survey_file(with_numbers(tmp_path, 'id_column = "number"')))
    assert model.equal_rows is None
    unnamed = read_model(read_survey_file(with_numbers(tmp_path, "")))
    assert model.canonical_text() == unnamed.canonical_text()
    assert b"number" not in model.canonical_text()
    assert read_model(read_survey_file(with_numbers(tmp_path, "", repeat=30))).equal_rows == 30


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('id_column = "age"', "is one of the attributes"),
        ('id_column = "number"\ncount_column = "number"', "no line of its own for each person"),
    ],
)
def test_an_id_that_could_not_be_one_is_refused(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(SurveyFileError, match=message):
        read_survey_file(with_numbers(tmp_path, more))
