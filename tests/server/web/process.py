"""``roomful serve`` as a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

COMMAND = [sys.executable, "-c", "from server.cli.main import main; main()"]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """A server; its address is known when the block begins, its output when it has ended."""

    def __init__(self, data: Path, port: int, **settings: object) -> None:
        environment = {f"ROOMFUL_SERVER_{name.upper()}": str(value) for name, value in settings.items()}
        self._process = subprocess.Popen(
            [*COMMAND, "serve", "--data", str(data), "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | environment,
            start_new_session=True,
            text=True,
        )
        self._lines: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        assert self._ready.wait(60), "".join(self._lines)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._lines.append(line)
                if re.match("Serving |Error", line):
                    self._ready.set()
        self._ready.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self.stop()

    @property
    def output(self) -> str:
        """Everything said until now."""
        return "".join(self._lines)

    def workers(self) -> list[int]:
        """Process ids of the workers."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return [int(number) for number in children.read_text().split()]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it and return its exit code."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait until it has ended by itself, and return its exit code."""
        code = self._process.wait(timeout=60)
        self._reader.join(timeout=60)
        return code

    def kill(self) -> None:
        """SIGKILL to the parent alone, as an operator would; the workers must follow by themselves."""
        self.stop(signal.SIGKILL)


@contextlib.contextmanager
def listener(port: int) -> Iterator[None]:
    """Somebody else on a port."""
    with socket.create_server(("127.0.0.1", port)):
        yield
