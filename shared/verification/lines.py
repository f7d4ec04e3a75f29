"""How verification tells which of its lines it is at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

LineProgress: TypeAlias = Callable[[str, int, int], None]
"""``(line, done, total)``; each line is told once before its work begins."""
