"""An invited survey, lists of people, and reading what the commands wrote."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from server.storage.data_directory import DataDirectory
from shared.invitation_code import InvitationCode
from tests.server.storage.ballots import DIGEST

HEADER = "name;street;postcode;town"


def write_list(path: Path, number: int, *, first: int = 1) -> Path:
    """A list of so many people."""
    rows = [f"Person {n};Lane {n};{10000 + n};Smallville" for n in range(first, first + number)]
    path.write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    """A mail-merge file, read by nothing of ours."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""), delimiter=";"))


def codes_of(folder: Path) -> list[InvitationCode]:
    """The codes of a folder of letters."""
    return [InvitationCode.parse(row["code"]) for row in read_rows(folder / "mail-merge.csv")]


def fetch(data: DataDirectory, survey: str, codes: list[InvitationCode]) -> None:
    """Let codes fetch their tokens."""
    registrar = data.registrar(survey)
    for code in codes:
        registrar.spend(code.hash(DIGEST), code.symbols.encode())
