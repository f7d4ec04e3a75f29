"""No code outside the kinds asks which kind an attribute has, and no table by kind lacks one."""

from __future__ import annotations

import ast
from collections.abc import Collection

import pytest

from server.design.survey_file.attribute_entries import ENTRIES
from server.release.pictures import SUMMARIES
from server.release.recheck_columns import ANSWERS, CENTROIDS
from server.simulation.generating import GENERATORS
from shared import questions
from shared.attributes import KINDS
from tests.docs.documents import ROOT, source_files

CLASSES = {kind.__name__ for kind in KINDS.values()}
MAKE_THEM = ("shared/attributes/", "server/design/survey_file/attribute_entries.py")


def test_only_what_makes_attributes_names_a_kind() -> None:
    asking = []
    for path in source_files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(MAKE_THEM):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shared.attributes"):
                asking += [f"{name}:{node.lineno}" for alias in node.names if alias.name in CLASSES]
            if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith("attribute.kind"):
                asking.append(f"{name}:{node.lineno}")
    assert not asking, f"give Attribute (shared/attributes/base.py) what {asking} need to know"


@pytest.mark.parametrize(
    ("place", "table", "kinds"),
    [
        ("server/design/survey_file/attribute_entries.py, ENTRIES", ENTRIES, KINDS),
        (
            "server/release/recheck_columns.py, CENTROIDS",
            CENTROIDS,
            [name for name, kind in KINDS.items() if not kind.one_hot],
        ),
        ("server/release/pictures.py, SUMMARIES", SUMMARIES, questions.KINDS),
        ("server/release/recheck_columns.py, ANSWERS", ANSWERS, questions.KINDS),
        ("server/simulation/generating.py, GENERATORS", GENERATORS, questions.KINDS),
    ],
)
def test_every_kind_stands_where_rooms_look_for_it(
    place: str, table: Collection[str], kinds: Collection[str]
) -> None:
    assert not (lacking := set(kinds) - set(table)), f"{place}: add {sorted(lacking)}"
    assert not (gone := set(table) - set(kinds)), f"{place}: remove {sorted(gone)}"
