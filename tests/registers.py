"""Real data sets as surveys: which columns identify, and how they are declared."""

from __future__ import annotations

import csv
import json
import random
from fractions import Fraction
from pathlib import Path

from server.design.design import Design, design
from server.design.population.model import Model, read_model
from server.design.survey_file.survey import read_survey_file
from shared.effective_anonymity import worst_cell_metrics
from tests.builders import SALT

ADULT_NUMBERS = {"age": (17, 90), "education-num": (1, 16), "hours-per-week": (1, 99)}
ADULT_CATEGORIES = ("sex", "marital-status")
EVEN = '[participation]\nrate = "0.5"'
RATES_BY_AGE = """[participation]
attribute = "age"
source_statement = "The last census."
[[participation.rates]]
upto = 29
rate = "0.35"
[[participation.rates]]
upto = 49
rate = "0.5"
[[participation.rates]]
upto = 90
rate = "0.65"
"""
_HEAD = """title = "{title}"
[organizer]
name = "Office"
contact = "office@example.org"
[model]
file = "records.csv"
kind = "{kind}"
{participation}
[anonymity]
k = {k}
acceptable_cell_failure = "{failure}"
[questionnaire]
file = "questionnaire.json"
"""


def complete_records(data: Path) -> list[dict[str, str]]:
    """The 45,222 records of Adult that lack nothing."""
    with (data / "adult.csv").open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if "?" not in row.values()]


def write_adult(
    folder: Path, data: Path, *, kind: str = "register", participation: str = EVEN, limit: int | None = None
) -> Path:
    """Adult with age, sex, education-num, marital-status and hours-per-week; k = 10, failure 1e-6."""
    records = complete_records(data)[:limit]
    attributes = ""
    for name in records[0]:
        if name in ADULT_NUMBERS:
            low, high = ADULT_NUMBERS[name]
            attributes += _numeric(name, str(low), str(high), "1")
        elif name in ADULT_CATEGORIES:
            values = sorted({record[name] for record in records})
            attributes += (
                f'[[attributes]]\nname = "{name}"\nkind = "nominal"\ncategories = {json.dumps(values)}\n'
            )
    choices = {name: sorted({record[name] for record in records}) for name in ("occupation", "income")}
    elements = [
        {"type": "dropdown", "name": name, "isRequired": True, "choices": values}
        for name, values in choices.items()
    ]
    head = _HEAD.format(title="Work", kind=kind, participation=participation, k=10, failure="1e-6")
    return _write(folder, head + attributes, records, elements)


def write_numeric(folder: Path, data: Path, name: str, *, kind: str, k: int = 3) -> Path:
    """Census or Tarragona with all its columns as numbers, in about 4,000 steps each."""
    with (data / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    attributes = ""
    for column in records[0]:
        values = [int(record[column]) for record in records]
        step = 1
        while max(values) - min(values) > 4000 * step:
            step *= 10
        low, high = min(values) // step * step, -(-max(values) // step) * step
        attributes += _numeric(column, str(low), str(high), str(step))
    head = _HEAD.format(title=name, kind=kind, participation=EVEN, k=k, failure="0.01")
    element = {"type": "boolean", "name": "agrees"}
    return _write(folder, head + attributes, records, [element])


def _numeric(name: str, low: str, high: str, step: str) -> str:
    return (
        f'[[attributes]]\nname = "{name}"\nkind = "numeric"\nminimum = {low}\nmaximum = {high}\n'
        f'step = {step}\nrounding = "nearest"\n'
    )


def _write(
    folder: Path, survey: str, records: list[dict[str, str]], elements: list[dict[str, object]]
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "records.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, records[0].keys())
        writer.writeheader()
        writer.writerows(records)
    questionnaire = {"pages": [{"name": "one", "elements": elements}]}
    (folder / "questionnaire.json").write_text(json.dumps(questionnaire), encoding="utf-8")
    path = folder / "survey.toml"
    path.write_text(survey, encoding="utf-8")
    return path


def write_small(
    folder: Path, *, kind: str = "register", participation: str = EVEN, people: int = 400
) -> Path:
    """A register small enough to try every answer: age 0 to 9, three states of which one is rare; k = 3."""
    draw = random.Random(4)
    states = ["single"] * 30 + ["married"] * 30 + ["widowed"] * 2
    records = [{"age": str(draw.randint(0, 9)), "state": draw.choice(states)} for _ in range(people)]
    attributes = _numeric("age", "0", "9", "1")
    attributes += (
        '[[attributes]]\nname = "state"\nkind = "nominal"\ncategories = ["single", "married", "widowed"]\n'
    )
    head = _HEAD.format(title="Small", kind="register", participation=participation, k=3, failure="0.001")
    return _write(folder, head + attributes, records, [{"type": "boolean", "name": "agrees"}])


def designed(survey: Path, salt: bytes = SALT, model: Model | None = None) -> Design:
    """The design of a survey.toml; of a register with the salt of the tests."""
    declared = read_survey_file(survey)
    of_register = salt if declared.plan.model_kind == "register" else None
    return design(declared.plan, model or read_model(declared, apart=True), salt=of_register)


def people_by_level(made: Design) -> list[list[int]]:
    """People of each cell at each level of the model, counted one tuple after the other as a device would."""
    counts = [[0] * len(made.model.levels) for _ in range(made.specification.cells.count)]
    for x, people in zip(made.model.X.tolist(), made.model.people.tolist(), strict=True):
        cell = made.specification.cells.assign(x)
        counts[cell] = [a + b for a, b in zip(counts[cell], people, strict=True)]
    return counts


def assert_counts_are_kept(made: Design) -> None:
    """Head counts are exact, or bounds where they are those of a register; true cells are acceptable."""
    specification, levels = made.specification, made.model.levels
    bound = Fraction(specification.acceptable_cell_failure)
    for counts, claimed in zip(people_by_level(made), specification.eligible, strict=True):
        if specification.model.kind == "public":
            assert tuple(counts) == claimed
        for index, level in enumerate(specification.levels):
            likely = [n for n, own in zip(counts, levels, strict=True) if own.lowest >= level.lowest]
            assert sum(likely) >= sum(claimed[index:])
        together = specification.dependence
        claims = worst_cell_metrics(claimed, specification.levels, specification.k, together)
        truth = worst_cell_metrics(counts, levels, specification.k, together)
        assert truth.attained_cell_failure <= claims.attained_cell_failure <= bound
        assert truth.record_failure_given_participation <= claims.record_failure_given_participation <= bound
