"""Organizer or trustees choose who is joined with whom, to set somebody apart; the signed row decides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shared import strict_json
from shared.board_recount import REFUSED
from shared.declarations import ReleaseRule
from tests.boards import make_board, merged_release, merging_specification
from tests.server.release.trustees.test_trustees_commands import Town, rewritten

MERGE = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)


def united(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Two opened groups as one."""
    answers = sorted([*a["answers"], *b["answers"]], key=strict_json.dumps)
    return {"cells": sorted(a["cells"] + b["cells"]), "answers": answers}


def test_groups_chosen_by_the_organizer_do_not_pass_on_the_board() -> None:
    """She waits for the counts, and joins a cell with far ones in which she knows everybody's answer."""
    first, second, third = merged_release().groups
    far = merged_release(
        groups=(
            type(first)(cells=(0, 1, 6), people=75, answers=10),
            type(second)(cells=(2, 4, 5, 7), people=100, answers=20),
            third,
        )
    )
    counted = make_board(specification=merging_specification(), result=far).recount()
    assert [line.code for line in counted.lines if line.outcome == REFUSED] == ["board.groups"]


def test_an_opening_of_chosen_unions_is_not_released(tmp_path: Path) -> None:
    """Each union has enough answers, and only permitted groups: but they are no neighbours."""
    town = Town(tmp_path, release=MERGE, row=(0, 1, 2, 3, 4, 5, 6, 7)).closed()
    town.export()
    town.open_export("--invitation", town.link, "--out", tmp_path / "opened.json")
    opened = json.loads((tmp_path / "opened.json").read_bytes())
    first, *between, last = opened["groups"]
    answers = sorted(
        [*first["answers"], *last["answers"]], key=lambda a: json.dumps(a, separators=(",", ":"))
    )
    far = {"cells": sorted(first["cells"] + last["cells"]), "answers": answers}
    bad = tmp_path / "bad.json"
    bad.write_bytes(rewritten(opened | {"groups": [far, *between]}))
    town.release("--opened", bad, fails="opening.opened")
    near = united(first, between[0])
    bad.write_bytes(rewritten(opened | {"groups": [near, *between[1:], last]}))
    assert town.release("--opened", bad)["withheld_answers"] == 0
