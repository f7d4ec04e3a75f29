"""What trustees write is never written over."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shared.errors import OpeningError


def require_new(path: Path, what: Literal["file", "folder"], *, expected: str = "", remedy: str = "") -> None:
    """Refuse a path at which something stands.

    Raises
    ------
    OpeningError
        With the code ``opening.exists``.
    """
    if path.exists():
        raise OpeningError(
            f"the {what} exists already",
            where=str(path),
            expected=expected or f"a new {what}",
            remedy=remedy,
            code="opening.exists",
        )
