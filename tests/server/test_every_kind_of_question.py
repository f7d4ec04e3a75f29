"""Tables by kind of question are complete, and every kind goes to a release in every format."""

from __future__ import annotations

import ast
import csv
import random
from pathlib import Path

import pytest

from server.release.answers import CollectedAnswers, confidential_attributes
from server.release.exports import FORMATS
from server.release.gate import decide
from server.release.pictures import SUMMARIES
from server.release.policy import policy_of
from server.release.recheck import recheck
from server.release.recheck_columns import ANSWERS, is_an_answer
from server.release.workflow import contents_of_release
from server.simulation.generating import GENERATORS, generated_all
from shared.declarations import Permissions
from shared.joining import row_of
from shared.questions import KINDS
from shared.submission import longest_message
from tests.builders import small_specification
from tests.docs.documents import ROOT, source_files
from tests.every_question import BY_BUS, EVERY, OTHERWISE, everything

TABLES = {
    "SUMMARIES in server/release/pictures.py": set(SUMMARIES),
    "ANSWERS in server/release/recheck_columns.py": set(ANSWERS),
    "GENERATORS in server/simulation/generating.py": set(GENERATORS),
    "MADE in tests/every_question.py": {question.kind for question in everything().questions},
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_by_kind_is_complete(table: str) -> None:
    lacking, gone = set(KINDS) - TABLES[table], TABLES[table] - set(KINDS)
    assert not lacking, f"add {sorted(lacking)} to {table}"
    assert not gone, f"remove {sorted(gone)} from {table}"


def test_no_code_outside_asks_of_which_class_a_question_is() -> None:
    classes = {kind.__name__ for kind in KINDS.values()}
    allowed = ("shared/questions/", "shared/election/contests.py", "server/release/recheck_columns.py")
    asking = [
        f"{name}:{node.lineno}"
        for path in source_files()
        if not (name := path.relative_to(ROOT).as_posix()).startswith(allowed)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("shared.questions")
        for alias in node.names
        if alias.name in classes
    ]
    assert not asking, f"give Question (shared/questions/base.py) what {asking} need to know"


def test_made_up_answers_are_answers() -> None:
    questionnaire = everything()
    for seed in range(60):
        answers = generated_all(questionnaire, random.Random(seed))
        assert questionnaire.accept(answers) == answers


def test_every_kind_is_released_in_every_format(tmp_path: Path) -> None:
    specification = small_specification(
        questionnaire=EVERY,
        message_bytes=longest_message(everything()),
        permissions=Permissions(free_text=True, balls_from_register=False),
    )
    policy = policy_of(specification)
    people = tuple(
        everything().accept(BY_BUS if place % 2 else OTHERWISE) for place in range(2 * policy.minimum)
    )
    n_cells = specification.cells.count
    collected = CollectedAnswers(
        questions=specification.questionnaire.questions, cells=(people, *((),) * (n_cells - 1))
    )
    attributes = confidential_attributes(collected)
    decision = decide(collected.counts, policy, row_of(specification), attributes)
    contents = contents_of_release(
        specification, "0" * 64, decision, collected, list.sort, formats=FORMATS[1:]
    )
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    recheck(tmp_path, specification, collected.counts)
    with (tmp_path / "microdata.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    bus = next(row for row in rows if row["travel"] == "bus")
    boat = next(row for row in rows if row["travel"] == "other")
    assert (bus["order_comfort"], bus["order_price"], bus["order_speed"]) == ("1", "2", "3")
    assert (bus["views_price"], bus["day"], bus["agree"]) == ("bad", "2026-02-28", "true")
    assert (bus["reasons_time"], bus["travel-Comment"], bus["remarks"]) == ("", "", "")
    assert (boat["reasons_other"], boat["reasons-Comment"], boat["line"]) == ("true", "No stop", "")
    names = {attribute.name: attribute.measure for attribute in attributes}
    assert "agree" not in names
    assert names["order_comfort"] == "mark"
    report = contents["report.html"].decode()
    for words in ("The mean place of each choice", "2026-02", "Everybody who was asked ticked it."):
        assert words in report


def test_what_the_last_look_refuses() -> None:
    wrong = {
        "agree": "false", "travel": "train", "reasons": "yes", "content": "6", "car": "1", "minutes": "0.3",
        "day": "2026-02-30", "order": "4",
    }  # fmt: skip
    for question in everything().questions:
        if question.name in wrong:
            assert not is_an_answer(question, wrong[question.name]), question.name
            assert is_an_answer(question, "")
