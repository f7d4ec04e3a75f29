"""Two builds of the same sources are equal: in another folder, on another day, in another locale."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from respondent_client.build import CLIENT, NODE_MODULES, STATIC
from server.collection.web.static_files import find_client

LONG_AGO = 1_000_000_000


def test_a_build_elsewhere_and_on_another_day_is_the_same(tmp_path: Path) -> None:
    there = tmp_path / "a folder with blanks" / "roomful"
    ignore = shutil.ignore_patterns("node_modules", "static", "__pycache__")
    for name in ("shared", "respondent_client"):
        shutil.copytree(CLIENT.parent / name, there / name, ignore=ignore)
    for path in there.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
        path.chmod(0o700)
    (there / "respondent_client" / "node_modules").symlink_to(NODE_MODULES)
    environment = os.environ | {
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "PYTHONPATH": str(there),
        "PYTHONHASHSEED": "7",
    }
    done = subprocess.run(
        [sys.executable, "-c", "import respondent_client.build as b; print(b.CLIENT.parent, b.digest())"],
        cwd=there,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    # Two builds, each from nothing: this one, and the setup's, which the server serves.
    assert done.stdout.strip() == f"{there} {find_client().digest}"


def test_coreutils_can_verify_the_build() -> None:
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=STATIC, check=True)
