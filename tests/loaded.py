"""What a process has loaded: asked of the process itself, started as its users start it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.programs import COMMAND
from tests.waiting import PATIENCE_SECONDS

_TELLS = """
import atexit, json, os, signal, sys

def tell(*_):
    pages = int(open("/proc/self/statm").read().split()[1])
    told = {"modules": sorted(sys.modules), "bytes": pages * os.sysconf("SC_PAGE_SIZE")}
    path = os.path.join(os.environ["LOADED_FOLDER"], str(os.getpid()))
    with open(path + ".part", "w") as file:
        json.dump(told, file)
    os.replace(path + ".part", path)

signal.signal(signal.SIGUSR1, tell)
atexit.register(tell)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Of one process: the names in ``sys.modules``, and resident bytes."""

    modules: frozenset[str]
    bytes: int

    @property
    def libraries(self) -> frozenset[str]:
        """Names of the packages."""
        return frozenset(name.partition(".")[0] for name in self.modules)

    @property
    def ours(self) -> frozenset[str]:
        """Modules of this project."""
        return frozenset(
            name
            for name in self.modules
            if name.partition(".")[0] in ("server", "shared", "respondent_client")
        )


class Teller:
    """Makes processes tell what they have loaded: at their end, and on SIGUSR1.

    Python runs ``sitecustomize`` of any folder on its path as it starts; nothing of ours knows of it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "told"
        code = folder / "on-path"
        for made in (self._folder, code):
            made.mkdir()
        (code / "sitecustomize.py").write_text(_TELLS)
        path = os.pathsep.join([str(code), os.environ.get("PYTHONPATH", "")])
        self.environment: Mapping[str, str] = {"PYTHONPATH": path, "LOADED_FOLDER": str(self._folder)}

    def ask(self, process: int) -> Loaded:
        """Of a process that runs."""
        path = self._folder / str(process)
        path.unlink(missing_ok=True)
        os.kill(process, signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not path.exists():
            assert time.monotonic() < deadline, f"process {process} does not tell"
            time.sleep(0.02)
        return _read(path)

    def run(self, *words: object) -> Loaded:
        """Of a command at its end, which must be a good one."""
        process = subprocess.Popen(
            [*COMMAND, *map(str, words)],
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        output, _ = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, output
        return _read(self._folder / str(process.pid))


def _read(path: Path) -> Loaded:
    told = json.loads(path.read_text())
    return Loaded(modules=frozenset(told["modules"]), bytes=told["bytes"])
