"""An organizer's folder and the commands she runs in it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.programs import Program, free_port
from tests.waiting import PATIENCE_SECONDS

ROOMFUL = Path(sys.executable).with_name("roomful")
#: Forks processes that have already loaded what most commands load, which is most of what a command costs.
_WARM = multiprocessing.get_context("forkserver")
_WARM.set_forkserver_preload(
    [
        f"server.cli.{name}"
        for name in (
            "audit",
            "board",
            "design",
            "invite",
            "release",
            "signing",
            "simulate",
            "survey",
            "trustees",
        )
    ]
)


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
        outputs = [self.folder / f".command.{name}" for name in ("out", "err")]
        environment = os.environ | self.environment
        process = _WARM.Process(target=_command, args=(words, self.folder, environment, outputs))
        process.start()
        process.join(PATIENCE_SECONDS)
        code = process.exitcode
        assert code is not None, f"{words} goes on and on"
        process.close()
        texts = [path.read_text("utf-8") for path in outputs]
        for path in outputs:
            path.unlink()
        return code, "".join(texts)

    def start(self, wanted: str, *words: str | Path) -> Program:
        """Start a command that goes on; what of its output fits a pattern is known then."""
        command = [str(ROOMFUL), *map(str, words)]
        return Program(command, wanted, cwd=self.folder, environment=self.environment)

    def serve(self, port: int | None = None) -> Program:
        """Start the server; what it says is the link of its open survey."""
        return self.start(
            r"http://\S+/s/\S+#\S+", "serve", "--data", "data", "--port", str(port or free_port())
        )


def _command(words: list[str], folder: Path, environment: Mapping[str, str], outputs: list[Path]) -> None:
    """In the forked process: become the command, which it has loaded and the tests have not."""
    from server.cli.main import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(outputs, start=1):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv = [str(ROOMFUL), *words]
    main()
