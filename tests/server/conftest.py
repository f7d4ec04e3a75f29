"""A small town in every format, and a small survey whose parts tests replace one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from server.design.population.model import Model, read_model
from server.design.survey_file.survey import SurveyFile, read_survey_file
from tests.data_files import WRITERS, write_csv
from tests.small_survey import QUESTIONS, SURVEY


@pytest.fixture(params=WRITERS)
def town_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The town in each format."""
    path = tmp_path / f"town.{request.param}"
    WRITERS[request.param](path)
    return path


@pytest.fixture
def town_csv(tmp_path: Path) -> Path:
    """The town as CSV."""
    path = tmp_path / "town.csv"
    write_csv(path)
    return path


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
        return read_model(survey(*replacements), apart=True)

    return read
