"""Work in processes of its own that have already loaded what most commands load: most of what one costs."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.waiting import PATIENCE_SECONDS

_COMMANDS = (
    *("audit", "backup", "board", "design", "invite", "move"),
    *("release", "signing", "simulate", "survey", "trustees"),
)
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload([f"server.cli.{name}" for name in _COMMANDS])


def run_warm(work: Callable[..., None], *arguments: Any) -> subprocess.CompletedProcess[str]:
    """Do work in a forked process; how that ended, and what it wrote."""
    with TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("out", "err")]
        process = _SERVER.Process(target=_written, args=(outputs, work, arguments))
        process.start()
        process.join(PATIENCE_SECONDS)
        code = process.exitcode
        assert code is not None, f"{arguments} goes on and on"
        process.close()
        return subprocess.CompletedProcess(arguments, code, *(path.read_text("utf-8") for path in outputs))


def run_roomful(
    words: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``roomful`` in a folder, with these variables besides those of this process."""
    return run_warm(_roomful, words, folder, os.environ | (environment or {}))


def _roomful(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    """In the forked process: become the command, which it has loaded and the tests have not."""
    from server.cli.main import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["roomful", *words]
    main()


def _written(outputs: Sequence[Path], work: Callable[..., None], arguments: Sequence[Any]) -> None:
    """In the forked process."""
    for number, path in enumerate(outputs, start=1):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    work(*arguments)
