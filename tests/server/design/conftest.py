"""A small survey whose parts tests replace one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from server.design.population.model import Model, read_model
from server.design.survey_file.survey import SurveyFile, read_survey_file

SURVEY = """\
title = "Town"
[organizer]
name = "Office"
contact = "office@example.org"
[model]
file = "town.csv"
kind = "public"
[[attributes]]
name = "age"
kind = "numeric"
minimum = 0
maximum = 90
open_above = true
[[attributes]]
name = "sex"
kind = "nominal"
categories = ["f", "m"]
[participation]
rate = 0.5
[anonymity]
k = 3
acceptable_cell_failure = 1e-6
[questionnaire]
file = "questions.json"
"""

QUESTIONS = {
    "pages": [
        {"elements": [{"type": "radiogroup", "name": "mood", "title": "Mood?", "choices": ["good", "bad"]}]}
    ]
}

Replacements = tuple[tuple[str, str], ...]


@pytest.fixture
def survey(tmp_path: Path) -> Callable[..., SurveyFile]:
    """Read the small survey after replacing parts of its text."""

    def read(*replacements: tuple[str, str], questions: object = QUESTIONS) -> SurveyFile:
        text = SURVEY
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / "survey.toml").write_text(text, encoding="utf-8")
        (tmp_path / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
        return read_survey_file(tmp_path / "survey.toml")

    return read


@pytest.fixture
def model(tmp_path: Path, survey: Callable[..., SurveyFile]) -> Callable[..., Model]:
    """Read a population file by the small survey."""

    def read(data: str | bytes, *replacements: tuple[str, str]) -> Model:
        (tmp_path / "town.csv").write_bytes(data.encode() if isinstance(data, str) else data)
        return read_model(survey(*replacements))

    return read
