"""Progress of long work on stderr: stages with a bar, silent when it is over in a moment or nobody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from server.progress import StageProgress

_QUIET_SECONDS: Final = 0.5


@contextmanager
def stages(*, hidden: bool = False) -> Iterator[StageProgress]:
    """A progress callback ``(stage, done, total)`` that draws one bar a stage, with the time left.

    Parameters
    ----------
    hidden : bool
        Draw nothing.
    """
    bars = _Bars(enabled=not hidden and sys.stderr.isatty())
    try:
        yield bars.update
    finally:
        bars.close()


class _Bars:
    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._stage: str | None = None
        self._bar: click._termui_impl.ProgressBar[int] | None = None
        self._started = 0.0

    def update(self, stage: str, done: int, total: int) -> None:
        if not self._enabled:
            return
        if stage != self._stage:
            self.close()
            self._stage, self._started = stage, time.monotonic()
        if self._bar is None and time.monotonic() - self._started > _QUIET_SECONDS:
            self._bar = click.progressbar(length=total, label=f"{stage:<12}", file=sys.stderr)
            self._bar.render_progress()
        if self._bar is not None:
            self._bar.update(done - self._bar.pos)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.update((self._bar.length or 0) - self._bar.pos)
            self._bar.render_finish()
        self._bar, self._stage = None, None
