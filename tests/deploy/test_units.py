"""The units of systemd and the settings beside them, used as the operator's guide says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest

from server.collection.config import Config
from tests.programs import COMMAND, Program, free_port
from tests.server.collection.storage import ballots
from tests.waiting import PATIENCE_SECONDS

FOLDER = Path(__file__).parents[2] / "deploy" / "roles"
NAMES = sorted(path.stem for path in FOLDER.glob("*.service"))


def test_every_server_has_a_unit_and_settings() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.toml")) == NAMES
    assert NAMES == ["roomful", "roomful-collector", "roomful-registrar"]


@pytest.mark.parametrize("name", NAMES)
def test_systemd_understands_it(name: str, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / f"{name}.service"
    unit.write_text((FOLDER / unit.name).read_text("utf-8").replace("/opt/roomful/bin/roomful", "/bin/true"))
    done = subprocess.run([program, "verify", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert unit.name not in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_server_and_commands_have_the_same_settings(name: str, tmp_path: Path) -> None:
    """What systemd makes, the server's own line, and commands that know of no unit."""
    unit = (FOLDER / f"{name}.service").read_text("utf-8").replace("/var/lib", str(tmp_path))
    settings = (FOLDER / f"{name}.toml").read_text("utf-8").replace("/var/lib", str(tmp_path))
    port = free_port()
    settings = re.sub(r"(?m)^port = \d+$", f"port = {port}", settings)
    state = re.search(r"(?m)^StateDirectory=(.*)$", unit)
    serve = re.search(r"(?m)^ExecStart=/opt/roomful/bin/roomful (.*)$", unit)
    assert state
    assert serve
    assert "Environment" not in unit
    for folder in state[1].split():
        (tmp_path / folder).mkdir(mode=0o700)
    data = tmp_path / name / "data"
    data.mkdir(mode=0o700)
    (data / "roomful.toml").write_text(settings)
    config = Config.load(data, {}, {})
    with config.open_data(data) as directory:
        survey = ballots.publish(
            directory, token_key=config.role != "collector", collector_key=config.role != "registrar"
        ).id
        directory.open(survey)
    with Program([*COMMAND, *shlex.split(serve[1])], "^Serving .*", cwd=tmp_path) as server:
        assert urlopen(f"http://127.0.0.1:{port}/healthz", timeout=PATIENCE_SECONDS).status == 200
        done = subprocess.run(
            [*COMMAND, "close", survey, "--data", str(data), "--yes"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert server.stop() == 0
    assert list((tmp_path / f"{name}-anchors").iterdir())
    assert not (tmp_path / name / "data.anchors").exists()
