"""What a large file takes: no text of every number, pieces that do not show, and nothing left behind."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pyreadstat
import pytest

from server.files import clear_abandoned
from server.statistics.anonymize import request
from server.statistics.anonymize.constraints import Constraints
from server.statistics.anonymize.measuring import evaluate
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.statistics.measures import disclosure_risk, pieces
from server.statistics.measures.coded_matrix import CodedMatrix
from server.tables import column, parquet_file
from server.tables.files import open_data
from shared.errors import InputError
from tests.programs import COMMAND
from tests.waiting import until

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


def masking(original: Path, out: Path) -> list[str]:
    """The command line, of a masking that takes some seconds."""
    arguments = [*COMMAND, "anonymize", str(original), "--quasi-identifiers", "height,age", "--k", "5"]
    return [*arguments, "--refine", "--effort", "1000", "--out", str(out)]


def is_locked(folder: Path) -> bool:
    """Whether somebody works in it; of a folder that was just made that shows a moment later."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def test_a_killed_masking_leaves_nothing_that_the_next_one_does_not_remove(
    original: Path, tmp_path: Path
) -> None:
    out = tmp_path / "masked.parquet"
    with subprocess.Popen(masking(original, out), stderr=subprocess.DEVNULL) as killed:
        until(lambda: any(map(is_locked, tmp_path.iterdir())))
        left = list(tmp_path.iterdir())
        # Another one, which runs at the same time, leaves its folder alone.
        os.utime(left[0], (0, 0))
        assert clear_abandoned(tmp_path, left[0].name[:9]) == ()
        assert killed.poll() is None
        killed.kill()
    assert list(tmp_path.iterdir()) == left
    (left[0] / "masked.parquet").write_bytes(b"half")
    said: list[str] = []
    anonymize_file(original, out, REQUEST, announce=said.append)
    assert f"Removed {left[0].name}" in said[0]
    names = {"masked.parquet", "masked.parquet.json", "masked.parquet.report.html"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_what_only_looks_like_a_left_folder_stays(tmp_path: Path) -> None:
    (tmp_path / ".masking-file").write_bytes(b"own")
    (tmp_path / "folder").mkdir()
    (tmp_path / ".masking-link").symlink_to(tmp_path / "folder")
    (tmp_path / ".masking-new").mkdir()
    before = set(tmp_path.iterdir())
    assert clear_abandoned(tmp_path, ".masking-") == ()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("form", ["csv", "xlsx", "sav", "dta", "parquet"])
def test_a_disk_that_is_full_leaves_what_was_there(form: str, original: Path, tmp_path: Path) -> None:
    """Files may not grow beyond 8 KiB in the process that masks."""
    frame = pyarrow.parquet.read_table(original).to_pandas()
    path, out = tmp_path / f"town.{form}", tmp_path / f"masked.{form}"
    writers = {
        "csv": lambda: frame.to_csv(path, index=False),
        "xlsx": lambda: frame.to_excel(path, index=False),
        "sav": lambda: pyreadstat.write_sav(frame, str(path)),
        "dta": lambda: pyreadstat.write_dta(frame, str(path)),
        "parquet": lambda: frame.to_parquet(path, index=False),
    }
    writers[form]()
    out.write_bytes(b"of yesterday")
    before = set(tmp_path.iterdir())

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    arguments = ["anonymize", str(path), "--quasi-identifiers", "height,age", "--k", "5"]
    found = subprocess.run(
        [*COMMAND, *arguments, "--method", "mondrian", "--out", str(out)],
        preexec_fn=small_files,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # or modules compiled by half are left to others
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 3, found.stderr
    assert f"masked.{form}" in found.stderr
    assert "cannot be written: " in found.stderr
    assert "that the disk has room" in found.stderr
    assert set(tmp_path.iterdir()) == before
    assert out.read_bytes() == b"of yesterday"


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    if os.geteuid() == 0:  # who may write everywhere
        monkeypatch.setattr(os, "access", lambda place, _: Path(place) != folder)
    with pytest.raises(InputError, match="cannot be written to") as caught:
        anonymize_file(tmp_path / "nothing.csv", folder / "masked.csv", REQUEST)
    assert str(folder) in str(caught.value)
    risks = folder / "risks.csv"
    with pytest.raises(InputError, match="cannot be written to"):
        anonymize_file(tmp_path / "nothing.csv", tmp_path / "masked.csv", REQUEST, risk_file=risks)
    assert not list(folder.iterdir())


def test_groups_that_constraints_unite_are_said_not_to_be_divided(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "LARGEST_UNCUT", 1000)
    monkeypatch.setattr(request, "DISTRICT", 1000)
    said: list[str] = []
    diverse = replace(REQUEST, constraints=Constraints.parse(2, None, None))
    found = anonymize_file(original, tmp_path / "masked.parquet", diverse, announce=said.append)
    assert "grouped all together" in " ".join(said)
    assert "districts" not in found.document
