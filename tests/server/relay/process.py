"""``roomful relay`` as a process of its own, which tests can kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from shared.ballot import CONTENT_TYPE

COMMAND = [sys.executable, "-c", "from server.cli.main import main; main()", "relay"]


def run(*words: object, answer: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, words)], input=answer, capture_output=True, text=True, check=False, timeout=120
    )


class RelayProcess:
    """A relay; it answers when the block begins."""

    def __init__(self, link: str, data: Path, port: int, *more: object) -> None:
        self.port, self._log = port, data.with_name(f"{data.name}.log")
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*COMMAND, link, "--data", str(data), "--port", str(port), *map(str, more)],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | {"ROOMFUL_SERVER_THREADS": "8", "PYTHONUNBUFFERED": "1"},
            )
        for _ in range(600):
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(self.output)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.stop()

    @property
    def output(self) -> str:
        """Everything said until now, by this one and those before it in the same directory."""
        return self._log.read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        self._process.send_signal(number)
        return self._process.wait(timeout=60)

    def kill(self) -> None:
        """As a power cut does."""
        self._process.kill()
        self._process.wait()


def post(port: int, survey: str, body: bytes) -> int:
    """Send a message as a client does; the status, or 0 if the connection broke."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/surveys/{survey}/submissions",
        data=body,
        headers={"Content-Type": CONTENT_TYPE},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0
