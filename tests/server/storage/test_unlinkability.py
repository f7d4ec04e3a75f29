"""What somebody learns who takes the disk."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from server.storage.data_directory import DataDirectory
from server.storage.store import SurveyStore
from shared.errors import StateError
from shared.submission import decode
from tests.server.storage import sample
from tests.server.storage.raw_bytes import files_containing, order_in_pages


def _in_key_order(path: Path) -> bool:
    return all(keys == sorted(keys) for keys in order_in_pages(path))


def test_a_sweep_takes_the_order_of_arrival_out_of_the_pages(store: SurveyStore) -> None:
    path = store.published.folder / "answers.sqlite"
    for _ in range(60):
        store.submit(sample.message(remark="x" * 40))
    assert not _in_key_order(path)  # the danger is real: this test would notice it
    store.sweep()
    assert _in_key_order(path)
    assert sum(map(len, order_in_pages(path))) == 60


def test_the_database_is_swept_when_it_is_quiet(tmp_path: Path) -> None:
    with DataDirectory(tmp_path, quiet_seconds=0.2) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        for _ in range(40):
            store.submit(sample.message())
        deadline = time.monotonic() + 10
        while store.settings()["user_version"] != 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_at_closing(store: SurveyStore) -> None:
    for _ in range(40):
        store.submit(sample.message())
    store.close()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_when_the_store_ends(store: SurveyStore) -> None:
    for _ in range(40):
        store.submit(sample.message())
    store.end()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_the_database_is_swept_before_serving_after_a_crash(store: SurveyStore, data: DataDirectory) -> None:
    for _ in range(40):
        store.submit(sample.message())
    assert store.settings()["user_version"] == 1
    with DataDirectory(data.path) as restarted:
        assert restarted.settle() == ()
    assert _in_key_order(store.published.folder / "answers.sqlite")


def test_keys_say_nothing_about_arrival(store: SurveyStore) -> None:
    """The rank of each key among 200 is uniform: its correlation with arrival is that of chance."""
    for number in range(200):
        store.submit(sample.message(remark=f"{number:04}"))
    store.close()
    ranks = [int(answers["remark"]) for _, answers in store.answers()]
    concordant = sum(a < b for i, a in enumerate(ranks) for b in ranks[i + 1 :])
    pairs = 200 * 199 / 2
    tau = 2 * concordant / pairs - 1
    assert abs(tau) < 0.3  # six standard deviations


def test_padding_and_message_are_not_kept(store: SurveyStore, data: DataDirectory) -> None:
    message = sample.message(remark="the-canary-stays")
    store.submit(message)
    store.sweep()
    padding = message.rpartition(b'"padding":"')[2][:40]
    assert files_containing(data.path, b"the-canary-stays") == [f"surveys/{store.id}/answers.sqlite"]
    assert files_containing(data.path, padding) == []
    assert files_containing(data.path, message[:60]) == []
    assert decode(message).cell == 0


def test_a_refused_submission_leaves_no_byte(store: SurveyStore, data: DataDirectory) -> None:
    store.submit(sample.message())
    store.close()
    with pytest.raises(StateError) as caught:
        store.submit(sample.message(remark="late-canary"))
    assert "late-canary" not in repr(caught.value) + str(caught.value)
    assert files_containing(data.path, b"late-canary") == []
