"""Every file that the code writes is in docs/secrets.md, or known to hold no secret."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from server.collection.storage.server_keys import COLLECTOR_KEY_NAME, TOKEN_KEY_NAME
from server.invitations.folder import MAIL_MERGE_FILE
from server.release.trustees.ceremony import hold_ceremony
from shared.sealing import DEFAULT_SUITE, SUITES
from tests.docs.documents import ROOT, code_words, first_cells, source_files, text_of

FILE = re.compile(r"[A-Za-z0-9_{}-]+\.(pem|pub|salt|sqlite|jsonl|csv|pdf|bin|txt|json|html)")
PUBLISHED = {
    "board.html": "a page",
    "boxes.json": "what the design publishes",
    "verify.html": "a page",
    "cells.csv": "released",
    "datapackage.json": "released",
    "design.json": "published with the draft",
    "index.html": "a page",
    "index.json": "figures of papers",
    "made-up.csv": "nobody is in it",
    "manifest.json": "names of the page's files",
    "microdata.csv": "released",
    "model.csv": "published, or absent for a register",
    "openapi.json": "a description",
    "letter.pdf": "the same for everybody, to be handed out",
    "poster.pdf": "the same for everybody, to be hung up",
    "package-lock.json": "versions",
    "package.json": "versions",
    "pyodide-lock.json": "versions",
    "questions.json": "stands in the specification",
    "report.html": "a report of the design or release",
    "report.json": "figures of papers",
    "report.txt": "figures of papers",
    "result.json": "the result of an election, published",
    "groups.csv": "the same as a table",
    "survey.html": "a page",
    "message.txt": "the same for everybody, to be sent",
    "tokens.json": "how many tokens each box has, which the registrar publishes",
    "totals.csv": "one public total a day, in tens",
}
"""Files that everybody may read, or that no survey's people are in."""


def names_in_source() -> dict[str, str]:
    """Every text in the code that is the name of a file, and where it stands."""
    found: dict[str, str] = {}
    for path in source_files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and FILE.fullmatch(node.value):
                found.setdefault(node.value, str(path.relative_to(ROOT)))
    return found


def test_every_file_that_the_code_names_is_in_the_table_or_known_to_be_public() -> None:
    named = names_in_source()
    assert {"tokens.pem", "registrar.sqlite", "pool.sqlite", "ledger.jsonl", "opened.json"} <= set(named)
    words = code_words(text_of("docs/secrets.md"))
    missing = {name: place for name, place in named.items() if name not in words | set(PUBLISHED)}
    assert not missing, "name its owner, its loss and its end in docs/secrets.md, or why it is public"
    assert not words & set(PUBLISHED)
    assert set(PUBLISHED) <= set(named)


def test_what_a_ceremony_writes_is_in_the_table_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    made = hold_ceremony(
        tmp_path / "trustees",
        suite=SUITES[DEFAULT_SUITE],
        threshold=3,
        shares=5,
        names=(),
        pages=True,
        random_bytes=lambda count: bytes(range(count)),
    )
    words = code_words(text_of("docs/secrets.md"))
    for path in made.folder.iterdir():
        assert re.sub(r"share-\d", "share-1", path.name) in words
        assert path.stat().st_mode & 0o077 == 0, path.name


def test_the_copies_of_keys_and_the_codes_have_rows_of_their_own() -> None:
    text = text_of("docs/secrets.md")
    rows = first_cells(text)
    assert len(rows) == len(set(rows)) > 15
    for name in (f"keys/{TOKEN_KEY_NAME}", f"keys/{COLLECTOR_KEY_NAME}", MAIL_MERGE_FILE):
        assert f"`{name}`" in text


def test_each_row_says_who_has_it_and_what_its_theft_means() -> None:
    for line in text_of("docs/secrets.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 7:
            name, place, owner, until, _lost, stolen, destroy = cells
            assert all((name, place, owner, until, stolen, destroy)), line
