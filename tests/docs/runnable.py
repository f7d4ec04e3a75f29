"""Code blocks that say they run: files, commands and their output, page by page.

A block after ``<!-- file: NAME -->`` is a file; after ``<!-- run -->`` commands, which are run by ``sh`` in
the order of the page, all in one empty folder; after ``<!-- output -->`` what the commands before it print.
``python -m tests.docs.runnable PAGE...`` writes the outputs into the pages again.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.docs.documents import DOCS, Block, blocks, pages
from tests.programs import free_port
from tests.waiting import until

FILE, RUN, OUTPUT = "file:", "run", "output"
TIMEOUT_SECONDS = 900
WAIT = 'n=0; until grep -q "^Serving" serve.log || [ $n = 500 ]; do sleep 0.5; n=$((n + 1)); done'
_MARK = "@@ end of block"
_OUTPUT_BLOCK = re.compile(rf"<!-- {OUTPUT} -->\n```text\n.*?```\n", re.DOTALL)
_CHANGING = (
    (re.compile(r"ed25519:[A-Za-z0-9_-]{43}"), "ed25519:KEY"),
    (re.compile(r"\b[0-9a-f]{64}(\.[A-Za-z0-9_-]{43})?"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "ID"),
    (
        re.compile(r"\b([bdfghjklmnprstvz][aiou][bdfghjklmnprstvz][aiou][bdfghjklmnprstvz]-){7}[a-z]{5}\b"),
        "WORDS",
    ),
    (re.compile(r"\bkey [A-Za-z0-9_-]{43}"), "key KEY"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"[\d.]+ a second"), "N a second"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "DAY"),
)


def runnable_pages() -> tuple[Path, ...]:
    """Pages that have something to run."""
    return tuple(path for path in pages() if "<!-- run -->" in path.read_text("utf-8"))


def comparable(text: str) -> str:
    """An output without what differs from run to run: keys, digests, ports, speed, blanks at line ends."""
    for pattern, word in _CHANGING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run_page(path: Path, folder: Path) -> tuple[tuple[str, str], ...]:
    """Run a page in an empty folder.

    Returns
    -------
    tuple of (str, str)
        For each output block what the page says and what was printed.

    Raises
    ------
    AssertionError
        If a command failed.
    """
    found = blocks(path.read_text("utf-8"))
    for block in found:
        if block.comment.startswith(FILE):
            target = folder / block.comment.removeprefix(FILE).strip()
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, "utf-8")
    commands = [block for block in found if block.comment == RUN]
    printed = dict(zip(map(id, commands), _run(commands, folder), strict=True))
    pairs = []
    latest: Block | None = None
    for block in found:
        if block.comment == RUN:
            latest = block
        elif block.comment == OUTPUT and latest is not None:
            pairs.append((block.text, printed[id(latest)]))
    return tuple(pairs)


def _run(commands: list[Block], folder: Path) -> list[str]:
    """What each block printed on standard output."""
    script = "".join(f"{block.text}\necho '{_MARK}'\n" for block in commands)
    script = re.sub(r"^sleep \d+$", WAIT, script, flags=re.MULTILINE)
    binaries = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "ROOMFUL_SERVER_PORT": str(free_port()),
        "HOME": str(folder),
    }
    output, errors = folder / ".stdout", folder / ".stderr"
    with output.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(
            ["sh", "-euc", script],
            cwd=folder,
            stdout=out,
            stderr=err,
            env=environment,
            start_new_session=True,
        )
        try:
            code = process.wait(TIMEOUT_SECONDS)
        finally:
            _end(process.pid)
    text = output.read_text("utf-8")
    assert code == 0, f"exit code {code} after:\n{text[-2000:]}\n{errors.read_text('utf-8')[-2000:]}"
    return text.split(f"{_MARK}\n")[: len(commands)]


def _end(group: int) -> None:
    """End what the page left running, such as a server, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGTERM)
        until(lambda: os.killpg(group, 0))


def rewrite(path: Path) -> None:
    """Write the outputs of a page anew, those that differ in more than what changes from run to run."""
    text = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        pairs = iter(run_page(path, Path(folder)))

    def replaced(match: re.Match[str]) -> str:
        whole: str = match[0]
        said, printed = next(pairs)
        if comparable(said) == comparable(printed):
            return whole
        shown = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8000", printed.strip("\n"))
        return f"<!-- {OUTPUT} -->\n```text\n{shown}\n```\n"

    path.write_text(_OUTPUT_BLOCK.sub(replaced, text), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or [str(path) for path in runnable_pages()]:
        rewrite(Path(name))
        sys.stdout.write(f"{name} is up to date ({DOCS.name})\n")
