"""A survey's folder as a collector has it after closing, with or without a release."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.collection.storage.published import ROLL_NAME, SPECIFICATION_NAME, PublishedSurvey
from server.collection.storage.states import State
from shared.board import BoardRelease
from shared.specification import Specification
from tests import boards
from tests.builders import ORGANIZER_KEY, sign
from tests.invited import invited_specification, roll


@dataclass(kw_only=True)
class Store:
    """Stands in for the collector's store: the board needs nothing else of it."""

    published: PublishedSurvey
    state: State = State.CLOSED
    receipts: Sequence[str] = field(default_factory=lambda: tuple(r.hex() for r in boards.receipts()))

    def ballot_receipts(self) -> Sequence[str]:
        """Ascending."""
        return self.receipts


def closed_survey(folder: Path, specification: Specification | None = None) -> Store:
    """A survey with the receipts of :mod:`tests.boards`."""
    specification = specification or invited_specification()
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes()
    folder.mkdir(parents=True)
    (folder / SPECIFICATION_NAME).write_bytes(envelope)
    if specification.invited is not None:
        (folder / ROLL_NAME).write_bytes(roll().to_bytes())
    return Store(published=PublishedSurvey.verify(folder, envelope, organizer_key=None))


def released_files(release: BoardRelease | None = None, **numbers: int) -> dict[str, bytes]:
    """The files of a release with these groups, as far as an outsider counts them."""
    release = release or boards.release()
    cells: list[dict[str, Any]] = [
        {
            "group": group.cells[0],
            "status": "released",
            "cells": " ".join(map(str, group.cells)),
            "eligible_people": group.people,
            "answers": group.answers,
        }
        for group in release.groups
    ]
    inside = {cell for group in release.groups for cell in group.cells}
    cells += [
        {"group": cell, "status": "not-released", "cells": cell, "eligible_people": 25, "answers": ""}
        for cell in range(8)
        if cell not in inside
    ]
    rows = [
        {"group": group.cells[0], "wellbeing": i} for group in release.groups for i in range(group.answers)
    ]
    files = {"cells.csv": _csv(cells), "microdata.csv": _csv(rows)}
    package = {
        "roomful": {"withheld_answers": release.withheld, "invalid_answers": release.invalid} | numbers,
        "resources": [
            {"name": name.removesuffix(".csv"), "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
            for name, data in files.items()
        ],
    }
    return files | {"datapackage.json": json.dumps(package).encode(), "report.html": b"<!doctype html>"}


def release_into(store: Store, files: dict[str, bytes] | None = None) -> None:
    """Put released files beside the survey, and end its life."""
    folder = store.published.folder / "release"
    folder.mkdir(exist_ok=True)
    for name, data in (released_files() if files is None else files).items():
        (folder / name).write_bytes(data)
    store.state = State.RELEASED


def _csv(rows: list[dict[str, Any]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()
