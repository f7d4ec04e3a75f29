"""A process that holds a secret leaves no image of its memory behind when it crashes."""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_PR_SET_DUMPABLE: Final = 4


def forbid_core_dumps() -> None:
    """Forbid core dumps of this process, and on Linux that others of the same user read its memory.

    A limit of size alone does not hold back a program that is named in ``/proc/sys/kernel/core_pattern`` to
    take dumps; the attribute does. It does not keep the administrator out, nor pages from being swapped.
    """
    try:
        import resource
    except ImportError:  # Windows writes no core dumps
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
