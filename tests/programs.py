"""Commands that run as processes of their own until they are stopped or killed, and their ports."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.waiting import PATIENCE_SECONDS

#: ``roomful``, whatever is installed.
COMMAND = [sys.executable, "-c", "from server.cli.main import main; main()"]
#: Below the ports that the system gives to connections, any of which may be taken at any moment.
_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """A port that nobody listens on, and that no other test is given while this process lives.

    The UDP port of the same number is kept as a mark that other test processes see.
    """
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket(type=socket.SOCK_DGRAM) as mark, socket.socket() as probe:
            try:
                mark.bind(("127.0.0.1", port))
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            mark.detach()  # stays open until the process ends
            return port
    raise AssertionError("every port is taken")


class Program:
    """A command that goes on until the block ends.

    Parameters
    ----------
    command : sequence of str
        Its words.
    ready : str
        Pattern of the output that says it is ready; what fits is :attr:`found`.
    cwd : Path, optional
        Where it runs.
    environment : mapping, optional
        Variables that it has besides those of this process.
    """

    def __init__(
        self,
        command: Sequence[str],
        ready: str,
        *,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.found = ""
        self._lines: list[str] = []
        self._ready = threading.Event()
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=os.environ | {"PYTHONUNBUFFERED": "1"} | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, args=(re.compile(ready),))
        self._reader.start()
        if not self._ready.wait(PATIENCE_SECONDS) or not self.found:
            self.kill()
            raise AssertionError(f"{command[-1]} is not ready:\n{self.output}")

    def _read(self, ready: re.Pattern[str]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._lines.append(line)
                if not self.found and (said := ready.search(line)):
                    self.found = said[0]
                    self._ready.set()
        self._ready.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.stop()
        else:
            self.wait()

    @property
    def output(self) -> str:
        """Everything said until now."""
        return "".join(self._lines)

    @property
    def pid(self) -> int:
        """Of the parent."""
        return self._process.pid

    def workers(self) -> list[int]:
        """Process ids of its children."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(number) for number in children.read_text().split()]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        try:
            code = self._process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            raise
        finally:
            self._reader.join(timeout=PATIENCE_SECONDS)
        return code

    def kill(self) -> None:
        """As a power cut does, to the parent alone; its children must follow by themselves."""
        self.stop(signal.SIGKILL)
