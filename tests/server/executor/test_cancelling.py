"""A command that is interrupted ends its workers, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import numpy as np

from tests.programs import COMMAND
from tests.waiting import PATIENCE_SECONDS, until


def test_an_interrupted_command_leaves_nothing(tmp_path: Path) -> None:
    source, out, temporary = tmp_path / "people.csv", tmp_path / "out" / "masked.csv", tmp_path / "temporary"
    draw = np.random.default_rng(1).integers(0, 10**6, (3_000, 3)).tolist()
    source.write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in draw), ""]))
    out.parent.mkdir()
    temporary.mkdir()
    words = ["anonymize", str(source), "--quasi-identifiers", "a,b,c", "--k", "3", "--method", "pcl"]
    words += ["--district", "1500", "--cluster", "local:1", "--out", str(out)]
    process = subprocess.Popen(
        [*COMMAND, *words],
        env=os.environ | {"TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        until(lambda: any(out.parent.iterdir()))  # it groups
        assert any(temporary.glob("roomful-cluster-*"))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        said = process.communicate(timeout=PATIENCE_SECONDS)[1]
        assert process.returncode == 130, said
        assert "Cancelled" in said
        assert "Traceback" not in said
        until(lambda: not alive(process.pid))
        assert list(out.parent.iterdir()) == []
        assert list(temporary.iterdir()) == []
    finally:
        if alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def alive(group: int) -> bool:
    """Whether a process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
