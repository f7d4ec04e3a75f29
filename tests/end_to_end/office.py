"""An organizer's folder and the commands she runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.programs import Program, free_port
from tests.waiting import PATIENCE_SECONDS
from tests.warm import run_roomful

ROOMFUL = Path(sys.executable).with_name("roomful")


class Office:
    """Runs ``roomful`` as a process of its own, as a user does.

    Parameters
    ----------
    folder : Path
        Where she works.
    fresh : bool
        Every command is started from nothing, as hers are; otherwise it comes from a process that has its
        modules loaded.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder = folder
        self.fresh = fresh
        self.environment = {"ROOMFUL_PASSPHRASE": "a long passphrase", "COLUMNS": "100"}

    def run(self, *words: str | Path, code: int = 0) -> str:
        """Run a command; its output."""
        run = self._run_fresh if self.fresh else self._run_warm
        found, output = run(list(map(str, words)))
        assert found == code, output
        assert "Traceback" not in output
        return output

    def _run_fresh(self, words: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            [ROOMFUL, *words],
            cwd=self.folder,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def _run_warm(self, words: list[str]) -> tuple[int, str]:
        done = run_roomful(words, self.folder, self.environment)
        return done.returncode, done.stdout + done.stderr

    def start(self, wanted: str, *words: str | Path) -> Program:
        """Start a command that goes on; what of its output fits a pattern is known then."""
        command = [str(ROOMFUL), *map(str, words)]
        return Program(command, wanted, cwd=self.folder, environment=self.environment)

    def serve(self, port: int | None = None) -> Program:
        """Start the server; what it says is the link of its open survey."""
        return self.start(
            r"http://\S+/s/\S+#\S+", "serve", "--data", "data", "--port", str(port or free_port())
        )
