"""A run is all or nothing, and refuses before it computes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from server.statistics.reproduction import workflow
from server.statistics.reproduction.catalogue import CATALOGUE, Entry, Function
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Record
from server.statistics.reproduction.workflow import Outcome, chosen, reproduce
from shared.errors import InputError, StorageError, VerificationError
from tests.server.statistics.reproduction.examples import ENTRY, NAME, record, silent, small

NOTHING = Inputs(None, None)


@pytest.fixture(autouse=True)
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CATALOGUE, NAME, ENTRY)
    use(monkeypatch, small)


def use(monkeypatch: pytest.MonkeyPatch, function: Function) -> None:
    monkeypatch.setattr(Entry, "function", lambda _: function)


def run(out: Path, inputs: Inputs = NOTHING) -> Outcome:
    return reproduce([NAME], out, inputs, command="c", progress=silent, announce=str)


def everything(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_run_writes_the_folder_and_leaves_nothing_else(tmp_path: Path) -> None:
    lines: list[str] = []
    out = tmp_path / "deep" / "out"
    outcome = reproduce([NAME, NAME], out, NOTHING, command="c", progress=silent, announce=lines.append)
    assert [r.name for r in outcome.reproductions] == [NAME]
    assert {"index.html", "index.json", f"{NAME}/report.txt"} <= set(everything(out))
    assert list(out.parent.iterdir()) == [out]
    assert lines[0].startswith("1 to reproduce; this takes about")
    assert lines[1].startswith(f"[1/1] {NAME}: {ENTRY.title}")
    assert outcome.as_json()["entries"][0]["compared"] == 1


def test_the_same_run_twice_gives_the_same_bytes_and_replaces_the_first(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out)
    first = everything(out)
    run(out)
    assert everything(out) == first
    assert list(tmp_path.iterdir()) == [out]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    run(tmp_path / "out")
    assert (tmp_path / "out" / "index.html").is_file()


@pytest.mark.parametrize("case", ["file", "foreign", "added", "link", "forged"])
def test_a_place_with_anything_else_in_it_is_refused_and_kept(tmp_path: Path, case: str) -> None:
    out = tmp_path / "out"
    if case == "file":
        out.write_text("mine")
    elif case == "foreign":
        out.mkdir()
        (out / "mine.txt").write_text("mine")
    elif case == "added":
        run(out)
        (out / NAME / "mine.txt").write_text("mine")
    elif case == "link":
        run(tmp_path / "other")
        out.symlink_to(tmp_path / "other")
    else:
        out.mkdir()
        (out / "index.json").write_text('{"format": "something", "files": ["index.json"]}')
    before = everything(tmp_path)
    with pytest.raises(InputError) as caught:
        run(out)
    assert caught.value.code == "input.reproduction-folder"
    assert everything(tmp_path) == before


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_an_interruption_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    out = tmp_path / "out"
    run(out)
    before = everything(tmp_path)

    def stopped(inputs: Inputs, progress: object) -> list[Record]:
        raise error

    use(monkeypatch, stopped)
    with pytest.raises(error):
        run(out)
    assert everything(tmp_path) == before
    with pytest.raises(error):
        run(tmp_path / "new")
    assert list(tmp_path.iterdir()) == [out]


def test_an_interruption_between_the_two_renames_brings_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run(out)
    before = everything(tmp_path)
    rename = Path.rename

    to_out = iter(range(2))

    def failing(self: Path, target: Path) -> Path:
        if target == out and next(to_out) == 0:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(KeyboardInterrupt):
        run(out)
    assert everything(tmp_path) == before


def test_missing_data_are_refused_before_anything_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, NAME, replace(ENTRY, data=("census", "eia")))
    (tmp_path / "eia.csv").touch()

    def never(inputs: Inputs, progress: object) -> list[Record]:
        raise AssertionError

    use(monkeypatch, never)
    with pytest.raises(InputError, match=r"missing: census\.csv; ") as caught:
        run(tmp_path / "out", Inputs(tmp_path, None))
    assert caught.value.code == "input.data-missing"
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot be written"):
        run(tmp_path / "file" / "out")


def test_unknown_names_are_refused_with_near_ones() -> None:
    with pytest.raises(InputError) as caught:
        chosen(["anonymity-tabel-3"])
    assert "anonymity-table-3" in caught.value.remedy
    assert caught.value.code == "input.reproduction"
    with pytest.raises(InputError) as caught:
        chosen(["zzzzzz"])
    assert "Did you mean" not in caught.value.remedy
    assert chosen(["anonymity-grid", "anonymity-table-3"]) == ("anonymity-table-3", "anonymity-grid")


def test_a_broken_promise_is_written_and_then_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, lambda _, __: [record(5.0)])
    outcome = run(tmp_path / "out")
    with pytest.raises(VerificationError, match="1 of our values") as caught:
        outcome.require_kept()
    assert caught.value.code == "verification.reproduction"
    use(monkeypatch, small)
    run(tmp_path / "out").require_kept()


def test_durations_are_said_as_people_do() -> None:
    assert [workflow._duration(s) for s in (0.1, 0.7, 59.6, 150)] == [
        "a moment",
        "a second",
        "60 s",
        "2.5 minutes",
    ]


def test_the_index_can_be_read_by_programs(tmp_path: Path) -> None:
    run(tmp_path / "out")
    assert json.loads((tmp_path / "out" / "index.json").read_text("utf-8"))["format"] == workflow.FORMAT
