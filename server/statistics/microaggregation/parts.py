"""Work on rows that do not depend on each other, by as many threads as there are processors."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from server.progress import Progress

_ROWS: Final = 1 << 13


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parts(
    n_rows: int,
    work: Callable[[slice], None],
    rows: int | None = None,
    *,
    progress: Progress | None = None,
) -> None:
    """Call `work` once for each part of range(n_rows), of `rows` rows each.

    Parts overlap in time where `work` lets go of the interpreter, as machine code does; each must write to
    places of its own, so that the result does not depend on the number of threads.

    `progress(rows that are done, n_rows)` is called in the thread of the caller. Whatever it raises, and
    whatever a part raises, ends the work: no other part begins.
    """
    step = rows or _ROWS
    parts = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    threads = min(processors(), len(parts))
    if threads < 2:
        for part in parts:
            work(part)
            if progress is not None:
                progress(part.stop, n_rows)
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            for part, done in [(part, pool.submit(work, part)) for part in parts]:
                done.result()
                if progress is not None:
                    progress(part.stop, n_rows)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
