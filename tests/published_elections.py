"""An election whose result was published, as files; and changes of them that somebody might make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.release.trustees.export import FolderFiles
from shared import strict_json
from shared.verification.examining import KnownBoard, ReceivedExport
from tests.elections import HeldElection
from tests.sealed_surveys import board_of

Files = Mapping[str, bytes]


class PublishedElection:
    """The files that everybody can get.

    Parameters
    ----------
    election : HeldElection
        With its ballots.
    """

    def __init__(self, election: HeldElection) -> None:
        export = election.write()
        self.election = election
        self.known: KnownBoard = board_of(export)
        self.result = election.result(export).result
        self.files = {path.name: path.read_bytes() for path in export.iterdir()}
        self.files["result.json"] = self.result.to_bytes()

    def received(self, folder: Path) -> ReceivedExport:
        """As somebody has them who saw nothing elsewhere but her invitation."""
        return ReceivedExport(
            files=FolderFiles(folder=folder), invitation=self.election.invitation, known=None
        )


@dataclass(frozen=True, kw_only=True)
class Change:
    """What somebody changes, and the line, the code and the name of the culprit that must come of it.

    Attributes
    ----------
    file : str
        Name of the file.
    make : callable
        Its new contents from the old.
    where : str
        What the place of the refusal must name.
    """

    name: str
    file: str
    make: Callable[[bytes], bytes]
    line: str
    code: str
    culprit: str
    where: str = ""

    def of(self, files: Files) -> dict[str, bytes]:
        """The changed files."""
        return dict(files) | {self.file: self.make(files[self.file])}


def _in_result(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def make(data: bytes) -> bytes:
        result = json.loads(data)
        change(result)
        return strict_json.dumps(result) + b"\n"

    return make


def _move_vote(result: dict[str, Any]) -> None:
    row = next(group for group in result["groups"] if group["ballots"])["votes"][0]
    source = row.index(max(row))
    row[source] -= 1
    row[(source + 1) % len(row)] += 1


def _alter_factor(result: dict[str, Any]) -> None:
    factors = result["factors"][-1]["groups"]
    row = next(rows for rows in factors if rows)[0]
    row[0], row[1] = row[1], row[0]


def _drop_statements(result: dict[str, Any]) -> None:
    del result["statements"][1:]


def _last_byte(data: bytes) -> bytes:
    return data[:-1] + bytes((data[-1] ^ 1,))


CHANGES = (
    Change(
        name="a moved vote",
        file="result.json",
        make=_in_result(_move_vote),
        line="votes",
        code="election.votes",
        culprit="result",
        where="group 1",
    ),
    Change(
        name="an altered factor",
        file="result.json",
        make=_in_result(_alter_factor),
        line="factors",
        code="election.factor",
        culprit="factor",
        where="trustee 3",
    ),
    Change(
        name="too few statements",
        file="result.json",
        make=_in_result(_drop_statements),
        line="statements",
        code="opening.statements",
        culprit="result",
    ),
    Change(
        name="no result",
        file="result.json",
        make=lambda _: b"{}",
        line="form",
        code="election.result-form",
        culprit="result",
    ),
    Change(
        name="an altered ballot",
        file="ballots.bin",
        make=_last_byte,
        line="receipts",
        code="opening.export",
        culprit="handed-out",
        where="ballots.bin",
    ),
    Change(
        name="a used code left out",
        file="used-codes.txt",
        make=lambda data: data[65:],
        line="board",
        code="board.used-codes",
        culprit="organizer",
    ),
    Change(
        name="another specification",
        file="specification.dsse.json",
        make=lambda data: data.replace(b'"payload":"e', b'"payload":"f', 1),
        line="specification",
        code="verification.signature",
        culprit="handed-out",
    ),
    Change(
        name="a trustee who did not sign",
        file="rehearsal.json",
        make=lambda data: (
            strict_json.dumps((value := json.loads(data)) | {"signatures": value["signatures"][:-1]}) + b"\n"
        ),
        line="key-signatures",
        code="election.key-signature",
        culprit="not-signed",
        where="trustee 3",
    ),
)
