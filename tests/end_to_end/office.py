"""An organizer's folder and the commands she runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.programs import Program, free_port
from tests.waiting import PATIENCE_SECONDS

ROOMFUL = Path(sys.executable).with_name("roomful")


class Office:
    """Runs ``roomful`` as a process of its own, as a user does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"ROOMFUL_PASSPHRASE": "a long passphrase", "COLUMNS": "100"}

    def run(self, *words: str | Path, code: int = 0) -> str:
        """Run a command; its output."""
        done = subprocess.run(
            [ROOMFUL, *map(str, words)],
            cwd=self.folder,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        output = done.stdout + done.stderr
        assert done.returncode == code, output
        assert "Traceback" not in output
        return output

    def start(self, wanted: str, *words: str | Path) -> Program:
        """Start a command that goes on; what of its output fits a pattern is known then."""
        command = [str(ROOMFUL), *map(str, words)]
        return Program(command, wanted, cwd=self.folder, environment=self.environment)

    def serve(self, port: int | None = None) -> Program:
        """Start the server; what it says is the link of its open survey."""
        return self.start(
            r"http://\S+/s/\S+#\S+", "serve", "--data", "data", "--port", str(port or free_port())
        )
