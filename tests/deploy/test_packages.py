"""What is installed: known versions, known files, the build backend included."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LISTS = [ROOT / "requirements.txt", ROOT / "tests" / "requirements.txt"]
ENTRY = re.compile(
    r"^([a-z0-9.-]+)==([^ \n]+)([^\n]*\\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", re.M
)


def locked(path: Path) -> dict[str, str]:
    """Version of each package, all of them with hashes and nothing else in the file."""
    text = path.read_text()
    assert ENTRY.sub("", re.sub(r"^#.*\n", "", text, flags=re.M)) == ""
    return {name: version for name, version, _ in ENTRY.findall(text)}


@pytest.mark.parametrize("path", LISTS, ids=["run", "test"])
def test_everything_that_is_installed_is_known_by_its_hash(path: Path) -> None:
    versions = locked(path)
    needed = PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]
    if path.parent.name == "tests":
        needed = needed + PROJECT["project"]["optional-dependencies"]["test"]
    for requirement in needed:
        name = re.split(r"[\[=><]", requirement)[0].lower().replace("_", "-")
        assert name in versions, "write it anew: sh deploy/lock.sh"
    for name, version in versions.items():
        try:
            assert metadata.version(name) == version
        except metadata.PackageNotFoundError:
            continue  # another list's, or another system's


def test_both_lists_and_the_build_backend_agree() -> None:
    run, test = map(locked, LISTS)
    assert run.items() <= test.items()
    backend = [f"{name}=={run[name]}" for name in ("setuptools", "brotli")]
    assert PROJECT["build-system"]["requires"] == backend
    assert PROJECT["dependency-groups"]["build"] == PROJECT["build-system"]["requires"]


def test_a_package_with_other_bytes_is_not_installed(tmp_path: Path) -> None:
    """Setup demands hashes, so that a registry which was broken into cannot give it something else."""
    setup = (ROOT / "deploy" / "setup.sh").read_text()
    assert (
        len(re.findall(r"pip install", setup)) == len(re.findall(r"--require-hashes|--no-deps", setup)) == 2
    )
    wheel = tmp_path / "nothing-1.0-py3-none-any.whl"
    wheel.write_bytes(b"other bytes")
    wanted = tmp_path / "requirements.txt"
    wanted.write_text(f"nothing==1.0 --hash=sha256:{'0' * 64}\n")
    command = [sys.executable, "-m", "pip", "install", "--no-index", "--find-links", str(tmp_path)]
    done = subprocess.run(
        [*command, "--require-hashes", "--requirement", str(wanted), "--target", str(tmp_path / "here")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr
