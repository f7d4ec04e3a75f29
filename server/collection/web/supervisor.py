"""Worker processes that live and die with their parent.

Python runs one thread at a time in a process, so a server that is to use two cores needs two processes. Each
has its own writer; they take turns at a survey's file (see :func:`server.collection.storage.database.turn`).
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from shared.errors import SetupError

SOON_SECONDS: Final = 2.0
"""A worker that ends sooner than this did not fail by chance."""
MAX_SOON: Final = 5
LOOK_SECONDS: Final = 0.2
_LOG: Final = logging.getLogger("roomful.web")
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def supervise(work: Callable[[], None], processes: int) -> None:
    """Run `work` in so many processes until SIGTERM or SIGINT; replace one that ends by accident.

    Parameters
    ----------
    work : callable
        Serves until it gets SystemExit, then tidies up and returns. Run in each process.
    processes : int
        How many. With 1 it runs in this process.

    Raises
    ------
    SetupError
        If workers keep ending as soon as they start.

    Notes
    -----
    A worker also ends when its parent is gone, however that came: it holds the reading end of a pipe whose
    writing end only the parent has.
    """
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    try:
        if processes == 1:
            _until_stopped(work)
        else:
            _Parent(work, processes).run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _until_stopped(work: Callable[[], None]) -> None:
    def stop(_number: int, _frame: object) -> NoReturn:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # the tidying up is not to be interrupted
        raise SystemExit

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)  # blocked while a worker was made
        work()
    except SystemExit:
        return


class _Parent:
    def __init__(self, work: Callable[[], None], processes: int) -> None:
        self._work = work
        self._processes = processes
        self._began: dict[int, float] = {}
        self._stopping = False
        self._lifeline, self._held = os.pipe()

    def run(self) -> None:
        for number in _SIGNALS:
            signal.signal(number, self._stop)
        for _ in range(self._processes):
            self._start()
        soon = 0
        while self._began:
            worker, _status = os.waitpid(-1, os.WNOHANG)
            if not worker:  # a signal just before a wait without end would be heeded at its end only
                time.sleep(LOOK_SECONDS)
                continue
            lived = time.monotonic() - self._began.pop(worker)
            if self._stopping:
                continue
            soon = soon + 1 if lived < SOON_SECONDS else 0
            if soon == MAX_SOON:
                self._stop(signal.SIGTERM, None)
                raise SetupError(
                    "the worker processes end as soon as they start",
                    remedy="Look at the lines above, and run roomful checkup.",
                    code="setup.workers",
                )
            _LOG.error("worker-ended")
            self._start()
        os.close(self._lifeline)
        os.close(self._held)

    def _stop(self, _number: int, _frame: object) -> None:
        self._stopping = True
        for worker in self._began:
            with suppress(ProcessLookupError):  # it ended and was waited for just now
                os.kill(worker, signal.SIGTERM)

    def _start(self) -> None:
        sys.stdout.flush()
        # Until the worker has handlers of its own a signal must wait: ours would swallow it there.
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            worker = os.fork()
            if worker:
                self._began[worker] = time.monotonic()
        except OSError:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            raise
        if worker:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            if self._stopping:  # asked to stop before
                os.kill(worker, signal.SIGTERM)
            return
        code = 1
        try:
            os.close(self._held)
            threading.Thread(target=self._watch, name="roomful-lifeline", daemon=True).start()
            _until_stopped(self._work)
            code = 0
        except BaseException as error:
            _LOG.error("worker-failed %s", type(error).__name__)
        finally:
            os._exit(code)

    def _watch(self) -> None:
        os.read(self._lifeline, 1)  # returns when the parent is gone
        os._exit(1)
