"""The demo script: what it refuses, what it leaves alone, and, where asked for, the whole of it.

The whole demo sets up an environment and takes a minute or two; it runs if ROOMFUL_TEST_DEMO names a folder
to put it in.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_SECONDS

DEPLOY = Path(__file__).parents[2] / "deploy"
SCRIPTS = {
    "demo": DEPLOY / "demo.sh",
    "demo-invited": DEPLOY / "demo-invited.sh",
    "demo-election": DEPLOY / "demo-election.sh",
}
every = pytest.mark.parametrize("name", list(SCRIPTS))


def demo(*arguments: str, folder: Path, name: str = "demo") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(SCRIPTS[name]), *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},  # a narrow screen: nothing may be cut
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", [*SCRIPTS.values(), DEPLOY / "demo_steps.sh"])
def test_it_is_plain_sh(script: Path) -> None:
    subprocess.run(["sh", "-n", str(script)], check=True)
    assert not re.search(r"\[\[|\bfunction\b|\blocal\b|pipefail", script.read_text())


@every
def test_help_names_every_option(tmp_path: Path, name: str) -> None:
    result = demo("--help", folder=tmp_path, name=name)
    assert result.returncode == 0
    for option in ("--no-serve", "--dir DIR", "--port PORT", "ROOMFUL_PASSPHRASE"):
        assert option in result.stdout
    assert "#" not in result.stdout.replace("#!", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--serve",), ("--dir",), ("--port", "http"), ("--dir", ""), ("x",)])
@every
def test_wrong_use_is_refused_before_anything_happens(
    tmp_path: Path, arguments: tuple[str, ...], name: str
) -> None:
    result = demo(*arguments, folder=tmp_path, name=name)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith("demo: ")
    assert list(tmp_path.iterdir()) == []


@every
def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.txt").write_text("years of work")
    result = demo(folder=tmp_path, name=name)
    assert result.returncode == 1
    assert f"{name} is not from an earlier demo, so it is left alone" in result.stderr
    assert (tmp_path / name / "thesis.txt").read_text() == "years of work"


@every
def test_a_running_demo_is_not_overwritten(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / ".roomful-demo").touch()
    long_path = "x" * 200
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read()", f"/{long_path}/roomful serve"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as running:
        (folder / "server.pid").write_text(str(running.pid))
        result = demo("--no-serve", folder=tmp_path, name=name)
    assert result.returncode == 1
    assert f"a demo is running in {name}" in result.stderr


def test_the_demos_leave_each_other_alone() -> None:
    """Both end only the server that they started, and remove only what a demo made."""
    for script in SCRIPTS.values():
        text = script.read_text()
        assert "rm -rf" not in text
        assert "kill" not in text
        made = re.search(r'^made="([^"]*)"', text, re.M)
        assert made is not None
        for name in made[1].split():
            assert f"$dir/{name}" in text or name in ("server.log", "data.anchors"), name


whole = pytest.mark.skipif("ROOMFUL_TEST_DEMO" not in os.environ, reason="ROOMFUL_TEST_DEMO is not set")


@whole
def test_the_whole_demo_twice_and_with_a_server_at_the_end() -> None:
    out = Path(os.environ["ROOMFUL_TEST_DEMO"])
    result = demo("--no-serve", "--dir", str(out), folder=out.parent)
    assert result.returncode == 0, result.stderr
    with (out / "release" / "microdata.csv").open(newline="", encoding="utf-8") as stream:
        sizes = Counter(row["group"] for row in csv.DictReader(stream))
    assert min(sizes.values()) >= 10
    package = json.loads((out / "release" / "datapackage.json").read_bytes())
    assert sizes.total() == package["roomful"]["released_answers"]
    assert not (out / "server.pid").exists()
    command = ["sh", str(SCRIPTS["demo"]), "--dir", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        assert running.stdout is not None
        address = desk = None
        for line in running.stdout:
            found = re.search(r"(http://127\.0\.0\.1:\d+/s/[0-9a-f]{16})#", line)
            address = found.group(1) if found else address
            found = re.search(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", line)
            desk = found.group(0) if found else desk
            if "Stop the server and the desk with Ctrl-C" in line:
                break
        assert address is not None
        assert desk is not None
        with urllib.request.urlopen(f"{desk}collect", timeout=PATIENCE_SECONDS) as page:
            assert "The survey is open." in page.read().decode()
        with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS) as page:
            assert "A new library for Lindenau?" in page.read().decode()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=PATIENCE_SECONDS) == 130
    for gone in (address, desk):
        with pytest.raises(OSError):
            urllib.request.urlopen(gone, timeout=PATIENCE_SECONDS)
    assert not (out / "server.pid").exists()


@whole
def test_the_whole_demo_of_an_invited_survey() -> None:
    out = Path(os.environ["ROOMFUL_TEST_DEMO"]).with_name("invited")
    result = demo("--no-serve", "--dir", str(out), folder=out.parent, name="demo-invited")
    assert result.returncode == 0, result.stderr
    assert "11 passed   board.receipt" in result.stdout
    assert "refused" not in result.stdout
    receipts = (out / "receipts.txt").read_text().split()
    package = json.loads((out / "release" / "datapackage.json").read_bytes())
    assert package["roomful"]["total_answers"] == len(receipts) > 400
    assert not (out / "server.pid").exists()
