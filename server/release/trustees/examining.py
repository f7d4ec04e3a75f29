"""An export examined on a computer: by the library ``cryptography``, and by the whole signed rule."""

from __future__ import annotations

from typing import Final

from server.progress import StageProgress
from server.release.permission import permit
from server.release.trustees.library import library
from shared.election.group import Group, PythonGroup
from shared.verification import examining
from shared.verification.examining import Examined, ReceivedExport

_GROUP: Final = PythonGroup()


def examine_export(received: ReceivedExport, progress: StageProgress, group: Group = _GROUP) -> Examined:
    """As :func:`shared.verification.examining.examine_export`; votes by a group's arithmetic."""
    return examining.examine_export(received, library(group), permit, progress)
