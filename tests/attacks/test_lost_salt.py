"""A register's salt binds the published commitment to the register: no failed writing may lose it."""

import subprocess
import sys
from pathlib import Path

from server.design.salt import read_salt, write_salt

_FULL = """
import resource, sys
from pathlib import Path
from server.design.salt import write_salt
from shared.errors import InputError

resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))  # so many bytes fit on the disk
try:
    write_salt(Path(sys.argv[1]), bytes(range(32)))
except InputError:
    sys.exit(3)
"""
_KILLED = """
import os, sys
from pathlib import Path
from server.design.salt import write_salt

os.fsync = lambda _descriptor: os._exit(3)  # the machine stops before anything is on the disk
write_salt(Path(sys.argv[1]), bytes(range(32)))
"""


def _attacked(folder: Path, script: str) -> None:
    ended = subprocess.run([sys.executable, "-c", script, str(folder)], check=False)
    assert ended.returncode == 3


def test_a_full_disk_leaves_the_old_salt(tmp_path: Path) -> None:
    write_salt(tmp_path, b"s" * 32)
    _attacked(tmp_path, _FULL)
    assert read_salt(tmp_path) == b"s" * 32
    assert [path.name for path in tmp_path.iterdir()] == ["model.salt"]


def test_a_machine_that_stops_leaves_the_old_salt(tmp_path: Path) -> None:
    write_salt(tmp_path, b"s" * 32)
    _attacked(tmp_path, _KILLED)
    assert read_salt(tmp_path) == b"s" * 32
    assert (tmp_path / "model.salt").stat().st_mode & 0o777 == 0o600
