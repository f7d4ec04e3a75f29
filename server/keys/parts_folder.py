"""Parts of a specification as files, in a folder beside the signed file that names them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from server.files import read_bounded
from shared.errors import SpecificationError
from shared.limits import MAX_SPECIFICATION_BYTES
from shared.parts import PART_CODE, Parts

PARTS_FOLDER: Final = "parts"


def part_name(digest: str) -> str:
    """Name of the file of a part, below the folder of the signed file."""
    return f"{PARTS_FOLDER}/{digest}.json"


def parts_in(folder: Path) -> Parts:
    """The parts beside a signed file in a folder; reading raises SpecificationError if one is too long."""

    def read(digest: str) -> bytes | None:
        path = folder / part_name(digest)
        if not path.is_file():
            return None
        return read_bounded(
            path,
            MAX_SPECIFICATION_BYTES,
            lambda message: SpecificationError(message, where=str(path), code=PART_CODE),
        )

    return read


def write_parts(folder: Path, parts: Mapping[str, bytes], write: Callable[[Path, bytes], None]) -> None:
    """Write parts beside a specification, and remove those of another one that was there before."""
    for old in (folder / PARTS_FOLDER).glob("*.json"):
        if old.stem not in parts:
            old.unlink()
    for digest, data in parts.items():
        path = folder / part_name(digest)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        write(path, data)
