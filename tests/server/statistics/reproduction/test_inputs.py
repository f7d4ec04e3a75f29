"""Data sets and published figures are read as they are, or refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from server.statistics.reproduction.inputs import EIA_ATTRIBUTES, MATRICES, TABLES, Inputs
from shared.errors import InputError


@pytest.mark.parametrize(
    ("name", "shape"), [("census", (1080, 13)), ("tarragona", (834, 13)), ("eia", (4092, 11))]
)
def test_matrices_of_the_literature(reference_data: Path, name: str, shape: tuple[int, int]) -> None:
    names, X = Inputs(reference_data, None).matrix(name)
    assert X.shape == shape
    assert len(names) == shape[1]
    assert np.isfinite(X).all()


@pytest.mark.parametrize(
    ("name", "rows", "column"), [("adult", 48842, "income"), ("heart_cleveland", 303, "num")]
)
def test_tables(reference_data: Path, name: str, rows: int, column: str) -> None:
    table = Inputs(reference_data, None).table(name)
    assert {len(values) for values in table.values()} == {rows}
    assert column in table


def test_eia_keeps_only_the_eleven_attributes(tmp_path: Path) -> None:
    columns = ["state", *reversed(EIA_ATTRIBUTES)]
    row = "AK," + ",".join(map(str, range(11)))
    (tmp_path / "eia.csv").write_text("\n".join([",".join(columns), *[row] * 4092]))
    names, X = Inputs(tmp_path, None).matrix("eia")
    assert names == EIA_ATTRIBUTES
    assert X[0].tolist() == list(range(10, -1, -1))


@pytest.mark.parametrize("change", ["a record less", "a word", "an infinite value", "a value less"])
def test_other_data_of_the_same_name_are_refused(reference_data: Path, tmp_path: Path, change: str) -> None:
    lines = (reference_data / "census.csv").read_text("utf-8").splitlines()
    first = lines[1].partition(",")[2]
    if change == "a record less":
        lines.pop()
    else:
        lines[1] = {"a word": f"x,{first}", "an infinite value": f"inf,{first}", "a value less": first}[
            change
        ]
    (tmp_path / "census.csv").write_text("\n".join(lines))
    with pytest.raises(InputError, match="1080 records of 13 numbers"):
        Inputs(tmp_path, None).matrix("census")


def test_missing_data_are_named_with_the_way_to_give_them(tmp_path: Path) -> None:
    for inputs in (Inputs(None, None), Inputs(tmp_path, None)):
        assert inputs.missing((*MATRICES, *TABLES)) == (*MATRICES, *TABLES)
        with pytest.raises(InputError, match=r"census\.csv") as caught:
            inputs.matrix("census")
        assert caught.value.code == "input.data-missing"
        assert "--data" in caught.value.remedy
        assert "ROOMFUL_REFERENCE_DATA" in caught.value.remedy


@pytest.mark.parametrize("text", ["", "a,b\n", "a,b\n1,x\n", "a,b\n1,nan\n", "a,b\n1\n"])
def test_a_file_that_is_no_matrix_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "census.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        Inputs(tmp_path, None).matrix("census")
    assert caught.value.code == "input.data"


def test_a_ragged_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adult.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(InputError, match="48842 records of 15 values"):
        Inputs(tmp_path, None).table("adult")


@pytest.mark.parametrize("value", [{}, [1], [{"a": 1}]])
def test_a_published_table_of_another_form_is_refused(tmp_path: Path, value: object) -> None:
    (tmp_path / "some.json").write_text(json.dumps({"rows": value}))
    inputs = Inputs(None, tmp_path)
    assert inputs.figure_rows("some", "other", ("a",)) == []
    with pytest.raises(InputError, match="each with a, b"):
        inputs.figure_rows("some", "rows", ("a", "b"))


def test_published_figures_are_there_or_none(tmp_path: Path) -> None:
    (tmp_path / "some.json").write_text('{"a": {"3": [1, 2]}}')
    (tmp_path / "broken.json").write_text("{")
    inputs = Inputs(None, tmp_path)
    assert inputs.figures("some", "a", "3", 1) == 2
    assert inputs.figures("some", "a", "4") is None
    assert inputs.figures("some", "a", "3", "x") is None
    assert inputs.figures("other", "a") is None
    assert Inputs(None, None).figures("some") is None
    with pytest.raises(InputError) as caught:
        inputs.figures("broken")
    assert caught.value.code == "input.published"
