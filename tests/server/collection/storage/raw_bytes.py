"""Reading what really lies on the disk, for canary tests of any room."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def files_containing(folder: Path, needle: bytes) -> list[str]:
    """Every file under a folder, journals and temporary files included, that holds these bytes."""
    return [
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle in path.read_bytes()
    ]


def order_in_pages(path: Path, page_bytes: int = 4096) -> list[list[bytes]]:
    """Keys of the table ``answer`` as their cells lie in each page, from the end of the page to its start.

    SQLite fills a page from its end, so this is the order in which the cells of a page were written.
    """
    connection = sqlite3.connect(path)
    keys = [row[0] for row in connection.execute("SELECT key FROM answer")]
    connection.close()
    data = path.read_bytes()
    pages: dict[int, list[tuple[int, bytes]]] = {}
    for key in keys:
        place = data.index(key)
        pages.setdefault(place // page_bytes, []).append((place, key))
    return [[key for _, key in sorted(cells, reverse=True)] for cells in pages.values()]
