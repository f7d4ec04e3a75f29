"""Work on rows that do not depend on each other, by as many threads as there are processors."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

_ROWS: Final = 1 << 13


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parts(n_rows: int, work: Callable[[slice], None], rows: int | None = None) -> None:
    """Call `work` once for each part of range(n_rows), of `rows` rows each.

    Parts overlap in time where `work` lets go of the interpreter, as machine code does; each must write to
    places of its own, so that the result does not depend on the number of threads.
    """
    step = rows or _ROWS
    parts = [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    threads = min(processors(), len(parts))
    if threads < 2:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, part) for part in parts]:
            done.result()
