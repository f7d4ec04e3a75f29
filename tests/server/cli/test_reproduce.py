"""`roomful reproduce` as it is run."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from server.statistics.reproduction.catalogue import CATALOGUE
from tests.docs.documents import ROOT
from tests.programs import COMMAND
from tests.waiting import PATIENCE_SECONDS, until
from tests.warm import run_roomful


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_roomful(("reproduce", *arguments), ROOT)


def test_help_lists_every_name() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert set(CATALOGUE) <= set(done.stdout.split())


def test_several_names_with_a_summary_for_programs(tmp_path: Path, reference_figures: Path) -> None:
    names = ["anonymity-table-4", "anonymity-table-3"]
    done = run(*names, "--out", str(tmp_path / "out"), "--published", str(reference_figures), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert [(e["name"], e["compared"], e["kept"]) for e in summary["entries"]] == [
        ("anonymity-table-3", 60, 60),
        ("anonymity-table-4", 54, 54),
    ]
    assert "[1/2] anonymity-table-3" in done.stderr
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert f"roomful reproduce {' '.join(names)}" in page


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "say --all"),
        (("--all", "anonymity-grid"), 2, "say --all"),
        (("anonymity-table3",), 3, "Did you mean anonymity-table-3"),
        (("distortion-figure-12", "--data", "/nonexistent"), 3, "census.csv"),
    ],
)
def test_what_cannot_be_run_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = run(*arguments, "--out", str(tmp_path / "out"))
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_broken_promise_is_exit_code_5_after_writing(tmp_path: Path) -> None:
    wrong = [
        {"k": 10, "N": 1000, "participation": "0.75", "acceptable_cell_failure": "1e-4", "table_failure": 0.5}
    ]
    (tmp_path / "effective_anonymity.json").write_text(json.dumps({"paper_table_iv": wrong}))
    done = run("anonymity-table-4", "--out", str(tmp_path / "out"), "--published", str(tmp_path))
    assert done.returncode == 5
    assert "verification.reproduction" in done.stderr
    assert "not kept" in (tmp_path / "out" / "anonymity-table-4" / "report.txt").read_text("utf-8")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stopped_run_leaves_nothing(tmp_path: Path, number: signal.Signals, code: int) -> None:
    command = [*COMMAND, "reproduce", "distortion-figure-11", "--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "to reproduce" in process.stderr.readline()
        until(lambda: list(tmp_path.iterdir()))
        process.send_signal(number)
        assert process.wait(PATIENCE_SECONDS) == code
    finally:
        process.kill()
        process.communicate()
    assert list(tmp_path.iterdir()) == []
