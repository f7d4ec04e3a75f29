"""A database that was restored from an old copy is noticed; a crash is no false alarm."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from server.storage.anchor import SLOT_BYTES, Anchor
from server.storage.data_directory import DataDirectory
from server.storage.store import SurveyStore
from shared.errors import StorageError
from tests.server.storage.ballots import sealed, store_of


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


def test_a_data_directory_without_its_anchors_takes_nothing(data: DataDirectory) -> None:
    store = store_of(data)
    shutil.rmtree(data.path.with_name(data.path.name + ".anchors"))
    with pytest.raises(StorageError) as caught:
        store.submit(sealed(1))
    assert caught.value.code == "storage.anchor-missing"


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
    again: SurveyStore = data.survey(survey)
    assert again.submit(message) == again.submit(message)
    again.submit(sealed(2))
    assert again.total() == 2
