"""The synthetic town: the same bytes for the same seed, and people who hang together."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from types import ModuleType

import pytest

from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from server.keys.public_keys import CollectorPublicKey, token_key_line
from shared import base64url
from tests.invited import invited, roll

DEPLOY = Path(__file__).parents[2] / "deploy"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("town", DEPLOY / "town.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["town"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


town = load()
DIGESTS = {
    "town.csv": "a416e9e1b4494a95",
    "people.csv": "0d42fd9366390b77",
    "districts.csv": "56066f7bcfbfd6f8",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("town")
    town.write(out, 20_000, 2015)
    for path in (DEPLOY / "town").iterdir():
        (out / path.name).write_bytes(path.read_bytes())
    for name, text in public_keys().items():
        path = out.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return out


def public_keys() -> dict[str, str]:
    """The key files that the survey for invited people names, beside the town."""
    keys = invited()
    opening = {
        "suite": keys.suite.name,
        "opening_key": base64url.encode(keys.opening_key),
        "threshold": keys.threshold,
        "shares": keys.shares,
        "statement_keys": list(map(base64url.encode, keys.statement_keys)),
    }
    return {
        "codes/roll.txt": roll(1000).to_bytes().decode(),
        "key/tokens.pub": token_key_line(keys.token_key(0)),
        "key/collector.pub": CollectorPublicKey(
            suite=keys.suite, key=keys.collector_key, acceptance_key=keys.acceptance_key
        ).to_text(),
        "key/spare.pub": f"ed25519:{base64url.encode(keys.spare_keys[0])}\n",
        "trustees/opening-key.json": json.dumps(opening),
    }


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_the_default_town_is_these_bytes(folder: Path) -> None:
    """Digests of the demo's files; a change of the generator shows here and is meant to."""
    found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()[:16] for name in town.FILES}
    assert found == DIGESTS


def test_another_process_and_seed(tmp_path: Path, folder: Path) -> None:
    def generate(out: str, *options: str) -> bytes:
        command = [sys.executable, str(DEPLOY / "town.py"), "--out", str(tmp_path / out), *options]
        subprocess.run(command, check=True)
        return (tmp_path / out / "people.csv").read_bytes()

    assert generate("a", "--people", "500") == generate("b", "--people", "500", "--seed", "2015")
    assert generate("c", "--people", "500", "--seed", "1") != generate("a", "--people", "500")
    # A smaller town is the beginning of the larger one.
    assert (folder / "people.csv").read_bytes().startswith(generate("a", "--people", "500"))


def test_the_public_model_holds_quasi_identifiers_only(folder: Path) -> None:
    people, model = rows(folder / "people.csv"), rows(folder / "town.csv")
    assert len(people) == len(model) == 20_000
    assert tuple(model[0]) == town.QUASI_IDENTIFIERS
    assert [{name: row[name] for name in town.QUASI_IDENTIFIERS} for row in people] == model


def test_attributes_hang_together(folder: Path) -> None:
    people = rows(folder / "people.csv")
    ages = {
        district: mean(int(row["age"]) for row in people if row["district"] == district)
        for district in ("University", "Saint Anne")
    }
    assert ages["University"] + 8 < ages["Saint Anne"]

    def share(column: str, value: str, of: list[dict[str, str]]) -> float:
        return sum(row[column] == value for row in of) / len(of)

    young = [row for row in people if 28 <= int(row["age"]) < 40]
    old = [row for row in people if int(row["age"]) >= 75]
    assert share("education", "degree", young) > share("education", "degree", old) + 0.1
    assert share("sex", "female", old) > share("sex", "female", young) + 0.03
    village = [row for row in people if row["district"] == "Upper Lindenau"]
    market = [row for row in people if row["district"] == "Market"]
    assert share("transport", "car", village) > share("transport", "car", market) + 0.2
    degree = [row for row in people if row["education"] == "degree"]
    none = [row for row in people if row["education"] == "none"]
    assert mean(int(row["satisfaction"]) for row in degree) > mean(int(row["satisfaction"]) for row in none)
    assert share("skipped_doctor", "yes", none) > share("skipped_doctor", "yes", degree)


def test_every_district_and_category_occurs_often_enough(folder: Path) -> None:
    model = rows(folder / "town.csv")
    assert min(Counter(row["district"] for row in model).values()) > 300
    assert set(Counter(row["education"] for row in model)) == set(town.EDUCATION)
    assert min(int(row["age"]) for row in model) == 16
    assert max(int(row["age"]) for row in model) <= 97


@pytest.mark.parametrize(("name", "k"), [("survey.toml", 10), ("library.toml", 10), ("invited.toml", 5)])
def test_survey_files_fit_the_town(folder: Path, name: str, k: int) -> None:
    survey = read_survey_file(folder / name)
    model = read_model(survey)
    assert model.n_people == 20_000
    assert model.warnings == ()
    assert not survey.plan.questionnaire.has_free_text
    assert survey.plan.k == k
    assert (survey.plan.invited is not None) == (name == "invited.toml")
    for language in survey.plan.languages:
        for question in survey.plan.questionnaire.questions:
            assert question.title[language] != question.name


def test_everybody_can_answer_from_the_columns(folder: Path) -> None:
    """Each of the 20,000 has an admissible answer to each question of the demo's survey."""
    survey = read_survey_file(folder / "survey.toml")
    questions = {question.name for question in survey.plan.questionnaire.questions}
    assert questions == set(town.ANSWERS)
    for row in rows(folder / "people.csv"):
        survey.plan.questionnaire.accept(
            {
                "satisfaction": int(row["satisfaction"]),
                "transport": row["transport"],
                "spending": [wish for wish in row["spending"].split("|") if wish],
                "car_free_centre": row["car_free_centre"] == "yes",
                "housing_share": row["housing_share"],
                "skipped_doctor": row["skipped_doctor"] == "yes",
            }
        )
