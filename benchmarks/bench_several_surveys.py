"""Several surveys of the same people: who is left alone, what a repeat tells, which rows pair up.

    python benchmarks/bench_several_surveys.py [--data FOLDER] [--json]

The 45,222 complete records of Adult (adult.csv in FOLDER, the tests' reference data) are designed three
times with other quasi-identifiers, at k = 10, participation 0.5 and an acceptable failure of 1e-6: cells of
53 people and more. Then:

intersections   people who are alone, or fewer than k, in the cells that they share in all surveys, as
                ``roomful design --against`` counts them; and the same with the cells used again.
repeat          everybody answers twice from the same cells, one known person of each cell is missing in the
                second year, nobody changes an answer: in how many cells the two tables name her answers.
common          two surveys ask four questions alike (work, education, occupation, family): rows of one table
                whose four answers occur once in it and once in the other, and how many pairs are one person.
                Once if everybody answers, once if everybody answers each survey with probability one half.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.design.against import REUSED, Earlier, intersections
from server.design.design import Design, design
from server.design.population.model import Model, read_model
from server.design.survey_file.survey import SurveyFile, read_survey_file
from shared.envelope import survey_digest

SURVEYS = (
    ("age", "education-num", "hours-per-week"),
    ("age", "sex", "marital-status", "race"),
    ("age", "sex", "workclass", "hours-per-week"),
)
NUMBERS = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}
COMMON = ("workclass", "education", "occupation", "relationship")
SECRET = ("occupation", "income")
HEAD = """languages = ["en"]
title = "Adult"
retention_days = 30
[organizer]
name = "Office"
contact = "office@example.org"
[model]
file = "records.csv"
kind = "public"
[participation]
rate = "0.5"
[anonymity]
k = 10
acceptable_cell_failure = "1e-6"
[design]
algorithm = "power-diagram"
[questionnaire]
file = "questions.json"
"""
Record = dict[str, str]


def complete(path: Path) -> list[Record]:
    """Records without a missing value."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if "?" not in row.values()]


def declared(folder: Path, records: list[Record], names: tuple[str, ...]) -> SurveyFile:
    """A survey with these quasi-identifiers."""
    text = HEAD
    for name in names:
        text += f'[[attributes]]\nname = "{name}"\nlabel = "{name}"\n'
        if name in NUMBERS:
            low, high = NUMBERS[name]
            text += f'kind = "numeric"\nminimum = {low}\nmaximum = {high}\n'
        else:
            values = sorted({record[name] for record in records})
            text += f'kind = "nominal"\ncategories = {json.dumps(values)}\n'
    path = folder / "survey.toml"
    path.write_text(text, "utf-8")
    return read_survey_file(path)


def earlier(made: Design, name: str) -> Earlier:
    """As if it had been signed and held."""
    return Earlier(
        where=name, digest=survey_digest(made.specification.to_bytes()), specification=made.specification
    )


def cells_of_records(made: Design) -> list[int]:
    """Cell of each record."""
    return [int(cell) for cell in made.labels[made.model.tuple_of_record]]


def repeat(records: list[Record], made: Design) -> dict[str, int]:
    """Last year's table minus this year's, in each cell, if one known person has left."""
    chance = random.Random(57)
    members: dict[int, list[int]] = {}
    for record, cell in enumerate(cells_of_records(made)):
        members.setdefault(cell, []).append(record)
    named = 0
    for people in members.values():
        leaver = chance.choice(people)
        before = Counter(tuple(records[i][q] for q in SECRET) for i in people)
        after = Counter(tuple(records[i][q] for q in SECRET) for i in people if i != leaver)
        named += before - after == Counter([tuple(records[leaver][q] for q in SECRET)])
    return {"cells": len(members), "named": named}


def common(records: list[Record], share: float) -> dict[str, int]:
    """Pairs of rows that four common answers single out in both tables."""
    chance = random.Random(4)
    tables = []
    for _ in range(2):
        took_part = [i for i in range(len(records)) if share == 1 or chance.random() < share]
        answers = {i: tuple(records[i][q] for q in COMMON) for i in took_part}
        counts = Counter(answers.values())
        tables.append({values: i for i, values in answers.items() if counts[values] == 1})
    pairs = [(person, tables[1][values]) for values, person in tables[0].items() if values in tables[1]]
    return {"linked": len(pairs), "right": sum(a == b for a, b in pairs)}


def used_again(survey: SurveyFile, model: Model, first: Design) -> Design:
    """The first survey's cells for a second one."""
    digest = earlier(first, "first").digest
    plan = replace(survey.plan, algorithm=REUSED, parameters={"specification": digest})
    return design(plan, model, reuse=first.specification.cells)


def measure(data: Path) -> dict[str, Any]:
    """All figures."""
    records = complete(data / "adult.csv")
    with TemporaryDirectory() as place:
        folder = Path(place)
        columns = {name: name for name in records[0]}
        with (folder / "records.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(columns))
            writer.writeheader()
            writer.writerows(records)
        questions = {"pages": [{"name": "p", "elements": [{"type": "boolean", "name": "content"}]}]}
        (folder / "questions.json").write_text(json.dumps(questions), "utf-8")
        made, surveys = [], []
        for names in SURVEYS:
            surveys.append(declared(folder, records, names))
            made.append(design(surveys[-1].plan, read_model(surveys[-1], apart=True)))
        first, *others = made
        found = intersections(
            first.specification,
            first.model,
            [earlier(other, f"survey {i}") for i, other in enumerate(others, 2)],
            lambda attributes: read_model(surveys[0], attributes=attributes),
        )
        again = used_again(surveys[0], first.model, first)
        same = intersections(
            again.specification, again.model, [earlier(first, "first")], lambda _: again.model
        )
    sizes = [min(np.bincount(cells_of_records(one))) for one in made]
    return {
        "people": len(records),
        "cells": [one.specification.cells.count for one in made],
        "smallest_cells": [int(size) for size in sizes],
        "intersections": [one.figures() for one in found],
        "used_again": same[0].figures(),
        "repeat": repeat(records, first),
        "common_all": common(records, 1),
        "common_half": common(records, 0.5),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    default = os.environ.get(
        "ROOMFUL_REFERENCE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.data)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print(f"{figures['people']} people, cells {figures['cells']}, smallest {figures['smallest_cells']}")
    for shown in (*figures["intersections"], figures["used_again"]):
        many = len(shown["surveys"]) + 1
        print(
            f"{many} surveys: alone {shown['alone_share']:.1%}, fewer than k {shown['below_k_share']:.1%}, "
            f"smallest {shown['smallest']}" + (", nested" if shown["nested"] else "")
        )
    repeated = figures["repeat"]
    print(f"repeat: answers of a leaver named in {repeated['named']} of {repeated['cells']} cells")
    for name in ("common_all", "common_half"):
        print(f"{name}: {figures[name]['linked']} rows linked, {figures[name]['right']} of them right")


if __name__ == "__main__":
    main()
