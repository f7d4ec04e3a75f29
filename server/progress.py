"""How long work says how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""``(done, total)``"""
StageProgress: TypeAlias = Callable[[str, int, int], None]
"""``(stage, done, total)``"""


def quiet(_stage: str, _done: int, _total: int) -> None:
    """For whoever wants to hear nothing."""


def stage(progress: StageProgress | None, name: str) -> Progress | None:
    """Progress of one stage; None where nobody wants to hear."""
    return None if progress is None else (lambda done, total: progress(name, done, total))
