"""Lists of people, the codes of the tests' survey, and reading what the commands wrote."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from server.invitations.mail_merge import format_mail_merge
from shared.invitation_code import InvitationCode
from tests.invited import ROLL_ID, code

HEADER = "name;street;postcode;town"


def write_list(path: Path, number: int, *, first: int = 1) -> Path:
    """A list of so many people."""
    rows = [f"Person {n};Lane {n};{10000 + n};Smallville" for n in range(first, first + number)]
    path.write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return path


def write_codes(path: Path, number: int = 150) -> Path:
    """The people and codes of the roll of the tests, as ``roomful codes`` writes them."""
    rows = [
        ((f"Person {n}", f"Lane {n}", str(10000 + n), "Smallville"), code(n), None) for n in range(number)
    ]
    path.write_bytes(format_mail_merge(tuple(HEADER.split(";")), rows, ";"))
    return path


def read_rows(path: Path) -> list[dict[str, str]]:
    """A mail-merge file, read by nothing of ours."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""), delimiter=";"))


def codes_of(folder: Path, name: str = "mail-merge.csv") -> list[InvitationCode]:
    """The codes in a folder of letters, or of codes."""
    return [InvitationCode.parse(row["code"]) for row in read_rows(folder / name)]


def fetch(data: DataDirectory, survey: str, first: int, last: int) -> None:
    """Let the codes of the tests from one number up to another fetch their tokens."""
    registrar = data.registrar(survey)
    for number in range(first, last):
        registrar.spend(code(number).proof(ROLL_ID), code(number).symbols.encode())
