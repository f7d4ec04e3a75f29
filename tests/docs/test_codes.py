"""Every stable code, exit code and HTTP status is documented, and nothing else is."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

import shared.errors
from server.cli.exit_codes import EXIT_CODES, INTERNAL, exit_code
from server.collection.storage.states import State
from server.collection.web.checkup_postgres import RULES
from server.collection.web.problems import from_error
from server.desk.texts import texts
from shared.checks import CODES, UNANIMOUS
from shared.errors import RoomfulError
from tests.docs.documents import (
    ROOT,
    assert_told,
    code_words,
    first_cells,
    section,
    source_files,
    string_arguments,
    text_of,
)

CHECK = re.compile(r"(?<![a-z])check\.[a-z-]+")
CODE = re.compile(r"[a-z-]+(\.[a-z-]+)*")


def documented() -> dict[str, list[str]]:
    """Rows of the table in docs/errors.md by code."""
    rows = {}
    for line in text_of("docs/errors.md").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells
    return rows


def classes() -> list[type[RoomfulError]]:
    """Every class of the tree."""
    found = [RoomfulError]
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found if kind.__module__ == shared.errors.__name__]


@cache
def codes_in_source() -> dict[str, str]:
    """Codes given as literals, those of checks and audits left out."""
    own = {
        code: place
        for code, place in string_arguments("code").items()
        if CODE.fullmatch(code) and not code.startswith(("audit.", "check.")) and "web/checkup" not in place
    }
    states = {f"state.{state.value}": "server/collection/storage/states.py" for state in State}
    return own | states | {f"storage.{name}": "server/collection/storage" for name in _storage_names()}


def _storage_names() -> set[str]:
    """First words of the tuples that name failures of the disk and the database."""
    names = set()
    for path in ("server/collection/storage/database.py", "server/files.py"):
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
            if (
                isinstance(node, ast.Tuple)
                and len(node.elts) == 3
                and isinstance(first := node.elts[0], ast.Constant)
                and isinstance(first.value, str)
                and CODE.fullmatch(first.value)
            ):
                names.add(first.value)
    return names


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: kind.default_code)
def test_every_error_class_is_documented_with_its_exit_code(kind: type[RoomfulError]) -> None:
    row = documented()[kind.default_code]
    assert row[2] == str(exit_code(kind("")))
    assert row[3] in ("", str(from_error(kind("")).status))


def test_every_code_in_the_source_is_documented() -> None:
    told = set(documented()) & set(codes_in_source())
    assert_told("docs/errors.md", "the table of codes", told, codes_in_source())


def test_no_code_is_documented_that_does_not_exist() -> None:
    known = {kind.default_code for kind in classes()} | set(codes_in_source()) | {"http.<status>"}
    assert_told("docs/errors.md", "the table of codes", documented(), known & set(documented()))


def test_the_desk_has_sentences_for_codes_that_exist() -> None:
    codes = {key.removeprefix("problem.of.") for key in texts("en") if key.startswith("problem.of.")}
    assert {kind.partition(".")[0] for kind in codes} >= {"input", "design", "state", "storage", "release"}
    assert codes <= set(documented())


def test_exit_codes_are_documented() -> None:
    table = section(text_of("docs/command-line.md"), "Exit codes")
    codes = {int(row) for row in re.findall(r"^\| *(\d+) *\|", table, re.MULTILINE)}
    assert codes == {0, INTERNAL, 2, 130, 141} | {code for _, code in EXIT_CODES}


def test_the_ten_checks_are_documented_in_their_order() -> None:
    rows = re.findall(r"^\| *(\d+) *\| *`(check\.[a-z-]+)`", text_of("docs/protocol.md"), re.MULTILINE)
    assert rows == [(str(number), code) for number, code in enumerate(CODES, 1)]


@pytest.mark.parametrize("page", ["docs/auditor-guide.md"])
def test_every_finding_of_an_audit_is_documented(page: str) -> None:
    source = (ROOT / "server" / "design" / "audit.py").read_text("utf-8")
    findings = set(re.findall(r'"(audit\.[a-z-]+|check\.[a-z-]+)"', source))
    assert findings <= code_words(text_of(page))
    told = {word for word in code_words(text_of(page)) if re.fullmatch(r"audit\.[a-z-]+", word)}
    assert told <= findings


def test_pages_name_no_check_that_does_not_exist() -> None:
    for name in ("docs/protocol.md", "docs/auditor-guide.md", "docs/limitations.md", "docs/threat-model.md"):
        assert set(CHECK.findall(text_of(name))) <= {*CODES, UNANIMOUS}, name


def test_every_line_of_the_checkup_is_documented() -> None:
    codes = set()
    for path in source_files():
        if path.name.startswith("checkup"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "line":
                    codes |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
    codes |= {"http-wasm", "http-mjs"}  # composed from the suffixes
    codes |= {rule.code for rule in RULES}
    assert codes == {
        cell.strip("`") for cell in first_cells(section(text_of("docs/errors.md"), "Lines of the checkup"))
    }
