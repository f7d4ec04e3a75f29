"""A database that was restored from an old copy is noticed; a crash is no false alarm."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.collection.storage.anchor import SLOT_BYTES, Anchor
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from shared.errors import StorageError, TokenError
from tests.invited import used_codes
from tests.server.collection.storage.ballots import publish, sealed, store_of


@pytest.fixture
def anchor(tmp_path: Path) -> Anchor:
    made = Anchor(path=tmp_path / "anchors" / "survey", name="survey")
    made.create()
    return made


def test_the_highest_count_is_remembered_in_two_slots(anchor: Anchor) -> None:
    assert anchor.read() == 0
    for generation in (1, 2, 3, 10**19):
        anchor.note(generation)
        assert anchor.read() == generation
    assert anchor.path.stat().st_size == 2 * SLOT_BYTES
    assert anchor.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", range(SLOT_BYTES))
def test_a_torn_write_leaves_the_count_before(anchor: Anchor, torn: int) -> None:
    anchor.note(1)
    anchor.note(2)
    data = bytearray(anchor.path.read_bytes())
    data[torn] ^= 1  # in the slot of the even counts
    anchor.path.write_bytes(data)
    assert anchor.read() == 1


def test_an_anchor_of_another_database_is_none(anchor: Anchor) -> None:
    with pytest.raises(StorageError) as caught:
        Anchor(path=anchor.path, name="other").read()
    assert caught.value.code == "storage.anchor-missing"


def test_making_it_again_does_not_reset_it(anchor: Anchor) -> None:
    anchor.note(5)
    anchor.create()
    assert anchor.read() == 5


@pytest.mark.parametrize("call", ["fsync", "link"])
def test_a_crash_while_it_is_made_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    made = Anchor(path=tmp_path / "anchors" / "survey", name="survey")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"os.{call}", crash)
        with pytest.raises(KeyboardInterrupt):
            made.create()
    assert not made.path.exists()
    made.create()
    assert made.read() == 0
    assert [path.name for path in made.path.parent.iterdir()] == ["survey"]


def test_a_lower_count_is_never_noted(anchor: Anchor) -> None:
    anchor.note(4)
    anchor.note(2)
    assert anchor.read() == 4


def test_a_copy_from_before_the_closing_takes_nothing_either(data: DataDirectory) -> None:
    """The copy has every ballot; only the step is missing."""
    store = store_of(data)
    store.submit(sealed(1))
    path = store.published.folder / "answers.sqlite"
    copy = path.with_name("yesterday.sqlite")
    shutil.copy(path, copy)
    store.close()
    survey = store.id
    data.end()
    shutil.copy(copy, path)
    for message in (sealed(2), sealed(1)):
        with pytest.raises(StorageError) as caught:
            data.survey(survey).submit(message)
        assert caught.value.code == "storage.rolled-back"


def test_a_copy_of_the_draft_is_not_opened_again(data: DataDirectory) -> None:
    store = publish(data)
    path = store.published.folder / "answers.sqlite"
    copy = path.with_name("yesterday.sqlite")
    shutil.copy(path, copy)
    store.open()
    survey = store.id
    data.end()
    shutil.copy(copy, path)
    with pytest.raises(StorageError) as caught:
        data.survey(survey).open()
    assert caught.value.code == "storage.rolled-back"


def test_what_changes_nothing_is_not_counted(data: DataDirectory) -> None:
    store = store_of(data)
    store.submit(sealed(1))
    anchor = data.anchor(store.id, "answers")
    count = anchor.read()
    store.submit(sealed(1))
    with pytest.raises(TokenError):
        store.submit(sealed(1, wellbeing=3))
    assert anchor.read() == count


def test_a_restored_database_takes_nothing_more(data: DataDirectory) -> None:
    store = store_of(data)
    first = sealed(1)
    receipt = store.submit(first)
    copy = store.published.folder.with_name("yesterday.sqlite")
    shutil.copy(store.published.folder / "answers.sqlite", copy)
    store.submit(sealed(2))
    survey = store.id
    data.end()
    shutil.copy(copy, store.published.folder / "answers.sqlite")
    restored = data.survey(survey)
    for message in (sealed(2), sealed(3), first):
        with pytest.raises(StorageError) as caught:
            restored.submit(message)
        assert caught.value.code == "storage.rolled-back"
    restored.close()
    assert restored.ballot_receipts() == (receipt,)
    old = restored.old_copy()
    assert old is not None
    assert old.code == "storage.rolled-back"


def test_a_data_directory_without_its_anchors_takes_nothing(data: DataDirectory) -> None:
    store = store_of(data)
    shutil.rmtree(data.path.with_name(data.path.name + ".anchors"))
    with pytest.raises(StorageError) as caught:
        store.submit(sealed(1))
    assert caught.value.code == "storage.anchor-missing"


def test_no_code_is_spent_while_its_anchor_cannot_be_written(
    data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(data)
    registrar, anchor = data.registrar(store.id), data.anchor(store.id, "registrar")
    opened = os.open

    def refuse(path: Path, flags: int, *more: int) -> int:
        if path == anchor.path and flags & os.O_WRONLY:
            raise PermissionError(errno.EACCES, "no")
        return opened(path, flags, *more)

    (code,) = used_codes(1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        with pytest.raises(StorageError):
            registrar.spend(code, b"lost with the tab")
    assert registrar.issued() == 0
    registrar.spend(code, b"another one")
    assert registrar.issued() == 1


def test_a_crash_before_the_anchor_is_written_is_no_alarm(
    data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(data)
    message = sealed(1)

    def crash(_anchor: Anchor, _generation: int) -> None:
        raise StorageError("the power failed", code="storage.disk")

    with monkeypatch.context() as patch:
        patch.setattr(Anchor, "note", crash)
        with pytest.raises(StorageError):
            store.submit(message)  # stored, and not acknowledged
    survey = store.id
    data.end()
    with closing(sqlite3.connect(store.published.folder / "answers.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)  # swept all the same
    again: SurveyStore = data.survey(survey)
    assert again.old_copy() is None
    anchor, before = data.anchor(survey, "answers"), data.anchor(survey, "answers").read()
    assert again.submit(message) == again.submit(message)
    assert anchor.read() == before + 1  # acknowledged now, so noted now
    again.submit(sealed(2))
    assert again.total() == 2
