"""What `pip install .` does before it packs: the respondent's pages are built into the wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]


class BuildPages(build_py):
    """Build the client first; an editable installation runs from this folder, where `setup.sh` builds it."""

    def run(self) -> None:
        """See :class:`build_py`; fails if npm is missing or its registry cannot be reached."""
        if not self.editable_mode:
            subprocess.run([sys.executable, "-m", "respondent_client.build"], cwd=ROOT, check=True)
            self.__dict__.pop("data_files", None)  # found before there were any
        super().run()
