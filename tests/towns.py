"""A made-up town as an organizer would have it: a survey.toml, a population file and a questionnaire."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

from tests.builders import QUESTIONNAIRE

SURVEY = """
title = "Health in Kleinstadt"
languages = ["en", "de"]
[organizer]
name = "Institute"
contact = "survey@example.org"
[model]
file = "town.csv"
kind = "{kind}"
[[attributes]]
name = "age"
kind = "numeric"
minimum = 18
maximum = 90
step = 1
open_above = true
[[attributes]]
name = "sex"
kind = "nominal"
categories = ["female", "male"]
[[attributes]]
name = "schooling"
kind = "ordinal"
categories = ["none", "basic", "middle", "high"]
{participation}
[anonymity]
k = {k}
acceptable_cell_failure = "{failure}"
[questionnaire]
file = "questionnaire.json"
{more}
"""
EVEN = '[participation]\nrate = "0.5"'
RATES = """[participation]
attribute = "age"
source_statement = "The last survey of the town."
[[participation.rates]]
upto = "39"
rate = "0.42"
[[participation.rates]]
upto = "64"
rate = "0.5"
[[participation.rates]]
upto = "200"
rate = "0.73"
"""


def write_town(
    folder: Path,
    *,
    people: int = 1500,
    kind: str = "public",
    participation: str = EVEN,
    k: int = 5,
    failure: str = "0.0001",
    more: str = "",
    questionnaire: dict[str, Any] | None = None,
) -> Path:
    """Write the three files; the path of survey.toml."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(20261127)
    with (folder / "town.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "sex", "schooling", "name"])
        for i in range(people):
            age = min(97, 18 + int(draw.betavariate(1.3, 1.8) * 85))
            school = draw.choices(["none", "basic", "middle", "high"], [1, 4, 5, 3])[0]
            writer.writerow([age, draw.choice(["female", "male"]), school, f"person {i}"])
    (folder / "questionnaire.json").write_text(json.dumps(questionnaire or QUESTIONNAIRE), encoding="utf-8")
    survey = folder / "survey.toml"
    text = SURVEY.format(kind=kind, participation=participation, k=k, failure=failure, more=more)
    survey.write_text(text, encoding="utf-8")
    return survey
