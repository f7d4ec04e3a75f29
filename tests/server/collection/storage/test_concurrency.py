"""Many threads, several processes, and a survey that closes in between."""

from __future__ import annotations

import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from shared.errors import StateError
from tests.server.collection.storage import sample
from tests.waiting import PATIENCE_SECONDS, until


def test_a_flood_from_many_threads_is_stored_completely(store: SurveyStore) -> None:
    messages = [sample.message() for _ in range(400)]
    with ThreadPoolExecutor(16) as pool:
        receipts = set(pool.map(store.submit, messages + messages[:100]))
    assert len(receipts) == store.total() == 400
    assert all(map(store.has_receipt, receipts))


def test_a_repeat_in_the_same_group_is_stored_once(store: SurveyStore) -> None:
    message = sample.message()
    with ThreadPoolExecutor(16) as pool:
        receipts = set(pool.map(store.submit, [message] * 64))
    assert len(receipts) == store.total() == 1


def _flood(path: Path, survey: str, barrier: Any, outcomes: Any) -> None:
    """In another process: submit until refused, tell what was acknowledged."""
    acknowledged: list[str] = []
    lock = threading.Lock()
    with DataDirectory(path) as data:
        store = data.survey(survey)
        barrier.wait()

        def one(_number: int) -> None:
            while True:
                try:
                    receipt = store.submit(sample.message())
                except StateError:
                    return
                with lock:
                    acknowledged.append(receipt)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(one, range(8)))
    outcomes.put(acknowledged)


def test_nothing_is_accepted_after_another_process_closed(store: SurveyStore, data: DataDirectory) -> None:
    """Two processes flood while a third closes; what was acknowledged is exactly what is stored."""
    context = multiprocessing.get_context("spawn")
    barrier, outcomes = context.Barrier(3), context.Queue()
    workers = [
        context.Process(target=_flood, args=(data.path, store.id, barrier, outcomes)) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    barrier.wait(timeout=PATIENCE_SECONDS)
    until(lambda: store.total() >= 50)
    began = time.monotonic()
    store.close()
    waited = time.monotonic() - began
    at_closing = store.total()
    acknowledged = [receipt for _ in workers for receipt in outcomes.get(timeout=PATIENCE_SECONDS)]
    for worker in workers:
        worker.join(timeout=PATIENCE_SECONDS)
        assert worker.exitcode == 0
    assert store.state is State.CLOSED
    assert len(acknowledged) == len(set(acknowledged)) == store.total() == at_closing
    assert all(map(store.has_receipt, acknowledged))
    assert waited < PATIENCE_SECONDS  # the command line has its turn in a flood that only closing ends


def test_opening_is_noticed_by_a_store_that_is_running(draft: SurveyStore, data: DataDirectory) -> None:
    with DataDirectory(data.path) as elsewhere:
        elsewhere.open(draft.id)
    assert draft.state is State.OPEN
    draft.submit(sample.message())


def test_sweeping_while_writing_loses_nothing(store: SurveyStore) -> None:
    stop = threading.Event()

    def sweep() -> None:
        while not stop.is_set():
            store.sweep()

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    with ThreadPoolExecutor(8) as pool:
        receipts = set(pool.map(store.submit, [sample.message() for _ in range(150)]))
    stop.set()
    sweeper.join()
    assert len(receipts) == store.total() == 150
    store.check()
