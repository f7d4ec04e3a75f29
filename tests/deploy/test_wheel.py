"""`pip install .` installs everything that runs, the respondent's pages included."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOOK = """
import server, respondent_client.build
from server.collection.web.static_files import find_client
client = find_client()
assert client.damaged() == (), client.damaged()
print(server.__file__, respondent_client.build.static(), len(client.files), sep="\\n")
"""


def test_a_wheel_has_the_built_pages_and_runs_outside_of_the_source(tmp_path: Path) -> None:
    pack = ["wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pip", "--disable-pip-version-check", *pack],
        cwd=ROOT,
        check=True,
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )
    (wheel,) = tmp_path.glob("roomful-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site")}
    asked = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    own, pages, files = asked.stdout.splitlines()
    assert own.startswith(str(tmp_path))
    assert pages.startswith(str(tmp_path))
    assert int(files) > 10
    for part in (
        "desk/templates/base.html.j2",
        "desk/texts/de.json",
        "desk/style/desk.css",
        "desk/script/desk.mjs",
    ):
        assert (tmp_path / "site" / "server" / part).is_file()
