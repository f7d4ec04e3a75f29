"""``roomful relay`` as a process of its own, which tests can kill."""

from __future__ import annotations

import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from shared.ballot import CONTENT_TYPE
from tests.programs import COMMAND, Program
from tests.waiting import PATIENCE_SECONDS


def run(*words: object, answer: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, "relay", *map(str, words)],
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


class RelayProcess(Program):
    """A relay; it answers when the block begins."""

    def __init__(
        self, link: str, data: Path, port: int, *more: object, environment: Mapping[str, str] | None = None
    ) -> None:
        words = [link, "--data", data, "--port", port, *more]
        super().__init__(
            [*COMMAND, "relay", *map(str, words)],
            ready="^Relaying at ",
            environment={"ROOMFUL_SERVER_THREADS": "8"} | dict(environment or {}),
        )
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS):
                """From now on it also ends in the orderly way."""
        except OSError as error:
            self.kill()
            raise AssertionError(f"the relay does not answer:\n{self.output}") from error


def post(port: int, survey: str, body: bytes) -> int:
    """Send a message as a client does; the status, or 0 if the connection broke."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/surveys/{survey}/submissions",
        data=body,
        headers={"Content-Type": CONTENT_TYPE},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0
