"""The ledger: one set of ballots for a survey, for ever, and every change of a line is found."""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path

import pytest

from server.release.trustees.ledger import Ledger, new_ledger
from shared.errors import OpeningError
from shared.statements import Stated

KEY = bytes(range(32))
SURVEY, OTHER = "a" * 64, "b" * 64


def stated(root: int, survey: str = SURVEY, groups: int = 0) -> Stated:
    return Stated(specification=survey, root=f"{root:064x}", groups=f"{groups:064x}")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(new_ledger(KEY))
    return Ledger.read(path, KEY)


def test_a_statement_is_read_again(ledger: Ledger) -> None:
    after = ledger.append(stated(1))
    again = Ledger.read(ledger.path, KEY)
    assert again == after
    assert again.lines == (stated(1),)
    assert again.digest != ledger.digest


def test_the_same_may_be_stated_again(ledger: Ledger) -> None:
    assert not ledger.require_only(stated(1))
    assert ledger.append(stated(1)).require_only(stated(1))


@pytest.mark.parametrize("other", [stated(2), stated(1, groups=1), stated(2, groups=1)])
def test_anything_else_of_the_survey_is_refused(ledger: Ledger, other: Stated) -> None:
    after = ledger.append(stated(5, OTHER)).append(stated(1)).append(stated(6, "c" * 64))
    with pytest.raises(OpeningError) as caught:
        after.require_only(other)
    assert caught.value.code == "opening.second-set"
    assert not after.require_only(stated(2, "d" * 64))


def test_every_changed_byte_is_found(ledger: Ledger) -> None:
    after = ledger.append(stated(1))
    after = after.append(stated(2, OTHER))
    data = after.data
    last = data.rindex(b'"specification"')
    for place in range(0, last, 7):
        ledger.path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(OpeningError) as caught:
            Ledger.read(ledger.path, KEY)
        assert caught.value.code == "opening.ledger"


def test_a_removed_line_in_between_is_found(ledger: Ledger) -> None:
    after = ledger.append(stated(1))
    after = after.append(stated(2, OTHER))
    lines = after.data.splitlines(keepends=True)
    ledger.path.write_bytes(lines[0] + lines[2])
    with pytest.raises(OpeningError):
        Ledger.read(ledger.path, KEY)


def test_another_process_wrote_meanwhile(ledger: Ledger) -> None:
    ledger.append(stated(1))
    with pytest.raises(OpeningError, match="changed it while"):
        ledger.append(stated(2))


def test_a_ledger_that_cannot_be_written(ledger: Ledger) -> None:
    ledger.path.unlink()
    with pytest.raises(OpeningError):
        ledger.append(stated(1))


def test_a_full_disk_leaves_it_as_it_was(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OpeningError) as caught:
        ledger.append(stated(1))
    assert caught.value.code == "opening.ledger"
    assert Ledger.read(ledger.path, KEY) == ledger
    assert [path.name for path in ledger.path.parent.iterdir()] == [ledger.path.name]


def test_a_link_to_the_ledger_stays_a_link(ledger: Ledger) -> None:
    """Else the statement would be missing in the file that it leads to, perhaps on a stick."""
    link = ledger.path.with_name("link")
    link.symlink_to(ledger.path)
    Ledger.read(link, KEY).append(stated(1))
    assert link.is_symlink()
    assert Ledger.read(ledger.path, KEY).lines == (stated(1),)


def test_of_two_statements_at_once_one_is_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else both would be signed, and either could be subtracted from the other."""
    read = Path.read_bytes

    def slow(path: Path) -> bytes:
        data = read(path)
        time.sleep(0.3)
        return data

    monkeypatch.setattr(Path, "read_bytes", slow)
    noted: list[Ledger] = []
    refused: list[OpeningError] = []

    def state(root: int) -> None:
        try:
            noted.append(ledger.append(stated(root)))
        except OpeningError as error:
            refused.append(error)

    threads = [threading.Thread(target=state, args=(root,)) for root in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(noted), [error.code for error in refused]) == (1, ["opening.ledger"])
    assert Ledger.read(ledger.path, KEY) == noted[0]


def test_an_endless_ledger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OpeningError, match="too large"):
        Ledger.read(Path("/dev/zero"), KEY)
