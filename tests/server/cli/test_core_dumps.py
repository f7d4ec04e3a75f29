"""Commands that hold shares or private keys leave no image of their memory."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.programs import Program, free_port
from tests.waiting import PATIENCE_SECONDS

_SEEN = """
import ctypes, os, sys
from server.cli.main import roomful
roomful(sys.argv[1:], standalone_mode=False)
print("dumpable", ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
print(open("/proc/self/limits").read())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/limits")


def seen(folder: Path, *arguments: str) -> str:
    """What the system says of a process in which a command ran, started without any limit."""
    run = subprocess.run(
        [
            "/bin/sh",
            "-c",
            'ulimit -c hard 2>/dev/null; exec "$@"',
            "sh",
            sys.executable,
            "-c",
            _SEEN,
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        cwd=folder,
        env={"PYTHONPATH": ":".join(sys.path), "ROOMFUL_PASSPHRASE": "long enough, seven words of it"},
    )
    return run.stdout


def limit(text: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith("Max core file size"))
    return line.removeprefix("Max core file size").split()[:2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("trustees", "create", "--shares", "2-of-3", "--out", "ceremony"),
        ("keygen", "--out", "key.pem"),
        ("keygen", "--purpose", "collector", "--out", "collector.pem"),
    ],
    ids=["trustees", "keygen", "keygen-collector"],
)
def test_a_command_with_secrets_forbids_core_dumps(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    text = seen(tmp_path, *arguments)
    assert limit(text) == ["0", "0"]
    assert "dumpable 0" in text


@pytest.mark.parametrize("command", ["serve", "desk"])
def test_a_server_forbids_core_dumps(tmp_path: Path, command: str) -> None:
    """Its memory has the last answers and the addresses that they came from."""
    words = ("serve", "--data", "data") if command == "serve" else ("desk", "folder")
    port = str(free_port())
    with Program(
        [sys.executable, "-c", _SEEN, *words, "--port", port],
        ready="^(Serving|End it)",
        environment={"PYTHONPATH": ":".join(sys.path)},
        cwd=tmp_path,
    ) as server:
        with contextlib.suppress(urllib.error.HTTPError):  # from then on it ends in the orderly way
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS).close()
        server.stop()
        assert limit(server.output) == ["0", "0"]
        assert "dumpable 0" in server.output


def test_another_command_does_not(tmp_path: Path) -> None:
    """Otherwise the test above could not fail where dumps are off anyway."""
    text = seen(tmp_path, "trustees", "--help")
    assert "dumpable 1" in text
