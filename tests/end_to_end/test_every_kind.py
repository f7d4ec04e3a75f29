"""A survey whose attributes are one of every kind, by the command line from its file to its release."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path

import pytest

from shared.attributes import KINDS
from tests.builders import ANSWERS as ANSWERS_TO_QUESTIONS
from tests.builders import QUESTIONNAIRE
from tests.end_to_end.office import Office
from tests.kinds import ANSWERS, DECLARED, MADE, PLACES


def write_survey(folder: Path, model: str) -> None:
    attributes = "".join(
        f'[[attributes]]\nname = "of {kind}"\nkind = "{kind}"\nmissing = "own-category"\n{DECLARED[kind]}'
        for kind in KINDS
    )
    (folder / "survey.toml").write_text(
        'title = "All kinds"\nlanguages = ["en", "de"]\n[organizer]\nname = "O"\ncontact = "o@example.org"\n'
        f'[model]\nfile = "town.csv"\nkind = "{model}"\n{attributes}[participation]\nrate = "0.6"\n'
        '[anonymity]\nk = 3\nacceptable_cell_failure = "0.01"\n[questionnaire]\nfile = "questions.json"\n'
    )
    (folder / "places.csv").write_text(PLACES)
    (folder / "questions.json").write_text(json.dumps(QUESTIONNAIRE))
    draw = random.Random(4)
    with (folder / "town.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(f"of {kind}" for kind in KINDS)
        for _ in range(300):
            writer.writerow(draw.choice(("", *ANSWERS[kind] * 3)) for kind in KINDS)


@pytest.mark.parametrize("model", ["public", "register"])
def test_every_kind_goes_from_the_file_to_the_release(tmp_path: Path, model: str) -> None:
    office = Office(tmp_path)
    write_survey(tmp_path, model)
    office.run("design", "survey.toml", "--out", "out")
    office.run("keygen", "--out", "key.pem")
    office.run("sign", "out", "--key", "key.pem")
    office.run("audit", "out", "--model", "town.csv", "--key", "key.pub")
    survey = re.search(r"[0-9a-f]{16}", office.run("publish", "out", "--data", "data", "--test"))
    assert survey is not None
    office.run("open", survey[0], "--data", "data", "--yes")
    person = {f"of {kind}": ANSWERS[kind][-1] for kind in KINDS}
    mine = {"quasi_identifiers": person, "answers": ANSWERS_TO_QUESTIONS}
    (tmp_path / "me.json").write_text(json.dumps(mine))
    with office.serve() as server:
        said = office.run("respond", server.found, "--answers", "me.json")
        assert all(f"of {kind}" in said for kind in KINDS)
        assert "not given" not in said
        office.run("simulate", server.found, "--model", "town.csv", "--seed", "7")
    office.run("close", survey[0], "--data", "data", "--yes")
    office.run("release", survey[0], "--data", "data", "--out", "release")
    expected = [
        column.name
        for kind in KINDS
        for column in MADE[kind](name=f"of {kind}", missing="own-category").columns("en")
    ]
    for name in ("microdata.csv", "cells.csv"):
        with (tmp_path / "release" / name).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert rows
        assert [column for column in rows[0] if column in expected] == expected
