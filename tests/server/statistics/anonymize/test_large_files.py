"""What a large file takes: no text of every number, pieces that do not show, and nothing left behind."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from server.statistics.anonymize.evaluation import evaluate
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.statistics.measures import disclosure_risk, pieces
from server.statistics.measures.coded_matrix import CodedMatrix
from server.tables import column, parquet_file
from server.tables.files import open_data
from tests.programs import COMMAND

N = 3_000
REQUEST = Request(quasi_identifiers=("height", "age"), k=5, method="mdav", confidential=("income",))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = np.random.default_rng(5)
    table = {
        "height": draw.normal(170, 10, N),
        "age": draw.integers(18, 90, N),
        "income": draw.integers(1, 9, N) * 1000,
    }
    path = tmp_path_factory.mktemp("large") / "town.parquet"
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    return path


@pytest.mark.parametrize("length", [1, 7, 1000])
def test_pieces_do_not_show_in_the_file(
    length: int, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = anonymize_file(original, tmp_path / "whole.parquet", REQUEST)
    monkeypatch.setattr(pieces, "PIECE", length)
    monkeypatch.setattr(parquet_file, "PIECE_RECORDS", length)
    found = anonymize_file(original, tmp_path / "pieces.parquet", REQUEST)
    written = [pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("whole", "pieces")]
    assert written[0].equals(written[1])
    for kind in ("anonymity", "information", "disclosure"):
        first, second = (run.document[kind] for run in (whole, found))
        assert [measure["name"] for measure in first] == [measure["name"] for measure in second]
        values = [[measure["value"] for measure in measures] for measures in (first, second)]
        assert values[1] == pytest.approx(values[0], rel=1e-11)


def test_texts_are_not_made_of_all_numbers(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def counted(value: float) -> str:
        made.append(value)
        return text(value)

    text = column.number_text
    monkeypatch.setattr(column, "number_text", counted)
    request = Request(quasi_identifiers=("height", "age"), k=5, method="mdav", drop=("income",))
    anonymize_file(original, tmp_path / "masked.parquet", request)
    assert 0 < len(made) < N // 10


def test_a_disk_that_is_full_leaves_nothing_and_is_named(original: Path, tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    arguments = ["anonymize", str(original), "--quasi-identifiers", "height,age", "--k", "5"]
    found = subprocess.run(
        [*COMMAND, *arguments, "--out", str(tmp_path / "masked.parquet")],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 3, found.stderr
    assert "cannot be written: " in found.stderr
    assert "file too large" in found.stderr
    assert "that the disk has room" in found.stderr
    assert not list(tmp_path.iterdir())


def test_no_measure_asks_for_all_rows(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    rows_of = CodedMatrix.__getitem__

    def noted(matrix: CodedMatrix, wanted: Any) -> Any:
        found = rows_of(matrix, wanted)
        if not isinstance(wanted, tuple):
            made.append(len(found))
        return found

    anonymize_file(original, tmp_path / "masked.parquet", REQUEST)
    before, after = open_data(original), open_data(tmp_path / "masked.parquet")
    monkeypatch.setattr(CodedMatrix, "__getitem__", noted)
    monkeypatch.setattr(pieces, "PIECE", 100)
    monkeypatch.setattr(disclosure_risk, "_CHUNK", 10)
    evaluate(before, after, quasi_identifiers=("height", "age"))
    groups = N // 5
    assert len(made) > N // 100
    assert max(made) <= groups
