"""Work in processes of its own that have already loaded what most commands load: most of what one costs."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.waiting import PATIENCE_SECONDS

_ROOT = Path(__file__).parents[1]
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


def run_script(script: Path, words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """A Python file in a folder, which finds only what is installed and what lies beside it."""
    return run_warm(_script, script, words, folder)


def _roomful(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
    """In the forked process: become the command, which it has loaded and the tests have not."""
    from server.cli.main import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["roomful", *words]
    main()


def _script(script: Path, words: Sequence[str], folder: Path) -> None:
    """In the forked process: what this module needed of the sources is forgotten, and how it was found."""
    os.chdir(folder)
    sys.path[:] = [
        str(script.parent),
        *(path for path in sys.path if Path(path).resolve() not in (_ROOT, folder)),
    ]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    sys.argv = [str(script), *words]
    runpy.run_path(str(script), run_name="__main__")


def _written(outputs: Sequence[Path], work: Callable[..., None], arguments: Sequence[Any]) -> None:
    """In the forked process."""
    for number, path in enumerate(outputs, start=1):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    work(*arguments)
