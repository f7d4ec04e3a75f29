"""A command that is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib import import_module
from types import FrameType

from tests.warm import run_warm


def run_killed(command: str, name: str, number: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command (``move.move``), killed when a function is called or returns for the n-th time."""
    return run_warm(_killed, *command.split("."), name, number, words)


def _killed(module: str, command: str, name: str, left: int, words: tuple[str, ...]) -> None:
    run = getattr(import_module(f"server.cli.{module}"), command)

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        code = frame.f_code
        if event in ("call", "return") and code.co_name == name and "/server/" in code.co_filename:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)
    run.main(words, standalone_mode=False)
