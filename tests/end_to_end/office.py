"""An organizer's folder and the commands she runs in it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOMFUL = Path(sys.executable).with_name("roomful")


class Office:
    """Runs ``roomful`` as a process of its own, as a user does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {"ROOMFUL_PASSPHRASE": "a long passphrase", "COLUMNS": "100"}

    def run(self, *words: str | Path, code: int = 0) -> str:
        """Run a command; its output."""
        done = subprocess.run(
            [ROOMFUL, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        output = done.stdout + done.stderr
        assert done.returncode == code, output
        assert "Traceback" not in output
        return output

    def start(self, wanted: str, *words: str | Path) -> tuple[subprocess.Popen[str], str]:
        """Start a command that goes on; its process, and the first of its output that fits a pattern."""
        process = subprocess.Popen(
            [ROOMFUL, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if found := re.search(wanted, line):
                return process, found[0]
        raise AssertionError(f"{words[0]} ended:\n{''.join(lines)}")

    def serve(self, port: int | None = None) -> tuple[subprocess.Popen[str], str]:
        """Start the server; its process and the link of its open survey."""
        return self.start(
            r"http://\S+/s/\S+#\S+", "serve", "--data", "data", "--port", str(port or free_port())
        )

    @contextmanager
    def running(self, wanted: str, *words: str | Path) -> Iterator[str]:
        """A command that goes on until the block ends; what it said."""
        process, found = self.start(wanted, *words)
        try:
            yield found
        finally:
            stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """End a command in the orderly way."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
