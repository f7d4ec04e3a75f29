"""No code outside the kinds asks which kind an attribute has: a new kind would be forgotten there."""

from __future__ import annotations

import ast

from server.design.survey_file.attribute_entries import ENTRIES
from server.release.recheck_columns import CENTROIDS
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


def test_every_kind_can_be_declared_and_is_looked_at_before_a_release() -> None:
    assert set(ENTRIES) == set(KINDS)
    assert set(CENTROIDS) == {name for name, kind in KINDS.items() if not kind.one_hot}
