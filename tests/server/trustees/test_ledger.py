"""The ledger: overlaps are found whatever was sealed with a token, and every change of a line is found."""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.trustees.ledger import Ledger, new_ledger, opening_of
from shared.errors import OpeningError

KEY = bytes(range(32))
SURVEY, OTHER = "a" * 64, "b" * 64


def tokens(*numbers: int) -> list[bytes]:
    return [bytes([number]) * 32 for number in numbers]


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(new_ledger(KEY))
    return Ledger.read(path, KEY)


def test_an_opening_is_read_again(ledger: Ledger) -> None:
    opening = opening_of(SURVEY, bytes(32), tokens(1, 2, 3))
    after = ledger.append(opening)
    again = Ledger.read(ledger.path, KEY)
    assert again == after
    assert again.openings == (opening,)
    assert again.digest != ledger.digest


def test_the_same_set_may_be_opened_again(ledger: Ledger) -> None:
    opening = opening_of(SURVEY, bytes(32), tokens(1, 2, 3))
    assert ledger.append(opening).require_no_overlap(opening)


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 9), min_size=1), st.sets(st.integers(0, 9), min_size=1), st.booleans())
def test_any_other_overlap_is_refused(
    tmp_path_factory: pytest.TempPathFactory, first: set[int], second: set[int], same_root: bool
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    path.write_bytes(new_ledger(KEY))
    after = Ledger.read(path, KEY).append(opening_of(SURVEY, bytes(32), tokens(*first)))
    opening = opening_of(SURVEY, bytes(32) if same_root else bytes(31) + b"x", tokens(*second))
    if first == second and same_root:
        assert after.require_no_overlap(opening)
    elif first & second:
        with pytest.raises(OpeningError) as caught:
            after.require_no_overlap(opening)
        assert caught.value.code == "opening.overlap"
    else:
        assert not after.require_no_overlap(opening)
    assert not after.require_no_overlap(opening_of(OTHER, opening.root.encode()[:32], tokens(*second)))


def test_a_second_opening_that_overlaps_an_earlier_than_the_last(ledger: Ledger) -> None:
    after = ledger.append(opening_of(SURVEY, bytes(32), tokens(1, 2)))
    after = after.append(opening_of(SURVEY, bytes(31) + b"x", tokens(3, 4)))
    with pytest.raises(OpeningError):
        after.require_no_overlap(opening_of(SURVEY, bytes(31) + b"y", tokens(2, 5)))


def test_every_changed_byte_is_found(ledger: Ledger) -> None:
    after = ledger.append(opening_of(SURVEY, bytes(32), tokens(1, 2)))
    after = after.append(opening_of(OTHER, bytes(32), tokens(3, 4)))
    data = after.data
    last = data.rindex(b'"specification"')
    for place in range(0, last, 7):
        ledger.path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(OpeningError) as caught:
            Ledger.read(ledger.path, KEY)
        assert caught.value.code == "opening.ledger"


def test_a_removed_line_in_between_is_found(ledger: Ledger) -> None:
    after = ledger.append(opening_of(SURVEY, bytes(32), tokens(1)))
    after = after.append(opening_of(OTHER, bytes(32), tokens(2)))
    lines = after.data.splitlines(keepends=True)
    ledger.path.write_bytes(lines[0] + lines[2])
    with pytest.raises(OpeningError):
        Ledger.read(ledger.path, KEY)


def test_another_process_wrote_meanwhile(ledger: Ledger) -> None:
    ledger.append(opening_of(SURVEY, bytes(32), tokens(1)))
    with pytest.raises(OpeningError, match="changed it while"):
        ledger.append(opening_of(SURVEY, bytes(31) + b"x", tokens(2)))


def test_a_ledger_that_cannot_be_written(ledger: Ledger) -> None:
    ledger.path.unlink()
    with pytest.raises(OpeningError):
        ledger.append(opening_of(SURVEY, bytes(32), tokens(1)))


def test_a_full_disk_leaves_it_as_it_was(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OpeningError) as caught:
        ledger.append(opening_of(SURVEY, bytes(32), tokens(1)))
    assert caught.value.code == "opening.ledger"
    assert Ledger.read(ledger.path, KEY) == ledger
    assert [path.name for path in ledger.path.parent.iterdir()] == [ledger.path.name]


def test_a_link_to_the_ledger_stays_a_link(ledger: Ledger) -> None:
    """Else the opening would be missing in the file that it leads to, perhaps on a stick."""
    link = ledger.path.with_name("link")
    link.symlink_to(ledger.path)
    opening = opening_of(SURVEY, bytes(32), tokens(1, 2))
    Ledger.read(link, KEY).append(opening)
    assert link.is_symlink()
    assert Ledger.read(ledger.path, KEY).openings == (opening,)


def test_of_two_openings_at_once_one_is_refused(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else both would be opened, and either could be subtracted from the other."""
    read = Path.read_bytes

    def slow(path: Path) -> bytes:
        data = read(path)
        time.sleep(0.3)
        return data

    monkeypatch.setattr(Path, "read_bytes", slow)
    noted: list[Ledger] = []
    refused: list[OpeningError] = []

    def open_some(*numbers: int) -> None:
        try:
            noted.append(ledger.append(opening_of(SURVEY, bytes(32), tokens(*numbers))))
        except OpeningError as error:
            refused.append(error)

    threads = [threading.Thread(target=open_some, args=numbers) for numbers in ((1, 2), (2, 3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(noted), [error.code for error in refused]) == (1, ["opening.ledger"])
    assert Ledger.read(ledger.path, KEY) == noted[0]


def test_it_holds_no_token(ledger: Ledger) -> None:
    """A mark is a hash of a random prefix: the ledger spends nothing and names nobody."""
    after = ledger.append(opening_of(SURVEY, bytes(32), tokens(1, 2)))
    for prefix in tokens(1, 2):
        assert prefix not in after.data
        assert prefix.hex().encode() not in after.data
