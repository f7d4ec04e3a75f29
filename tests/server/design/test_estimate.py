"""What a promise would cost: near the design where it is computed, and quick for any number of people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.design import estimate as estimating
from server.design.design import design
from server.design.estimate import Estimate, Promise, estimate, loss_by_attribute, without
from server.design.population.model import Model, read_model
from server.design.survey_file.survey import SurveyFile, read_survey_file
from server.statistics.microaggregation.geometry import distortion
from shared.participation import Dependence, ParticipationLevel

SURVEY = """
title = "Region"
[organizer]
name = "Council"
contact = "a@b.example"
[model]
file = "people.csv"
kind = "public"
[[attributes]]
name = "age"
kind = "numeric"
minimum = 0
maximum = 99
[[attributes]]
name = "income"
kind = "numeric"
minimum = 0
maximum = 400
open_above = true
[[attributes]]
name = "place"
kind = "nominal"
categories = ["a", "b", "c", "d", "e", "f", "g", "h"]
[participation]
rate = "0.6"
[anonymity]
k = 5
acceptable_cell_failure = "1e-2"
[design]
algorithm = "mdav"
[questionnaire]
file = "questions.json"
"""
LEVEL = ParticipationLevel(low="0.6", high="0.6")


def region(folder: Path, people: int) -> tuple[SurveyFile, Model]:
    """People whose places are of unequal size, and some of whom earn much."""
    chance = np.random.default_rng(3)
    ages = chance.integers(0, 100, people)
    incomes = np.exp(chance.normal(4, 0.7, people)).astype(int)
    places = chance.choice(list("abcdefgh"), people, p=np.arange(1, 9) / 36)
    rows = zip(ages, incomes, places, strict=True)
    (folder / "people.csv").write_text("age,income,place\n" + "".join(f"{a},{i},{p}\n" for a, i, p in rows))
    (folder / "questions.json").write_text('{"pages": [{"elements": [{"type": "rating", "name": "a"}]}]}')
    (folder / "survey.toml").write_text(SURVEY)
    survey = read_survey_file(folder / "survey.toml")
    return survey, read_model(survey)


def promised(model: Model, algorithm: str) -> Estimate:
    return estimate(
        model,
        Promise(
            k=5, failure="1e-2", level=LEVEL, dependence=Dependence(), algorithm=algorithm, register=False
        ),
    )


def test_a_small_population_is_designed_and_not_estimated(tmp_path: Path) -> None:
    survey, model = region(tmp_path, 2_000)
    made, found = design(survey.plan, model), promised(model, "mdav")
    assert found.cells == made.specification.cells.count
    assert found.loss == pytest.approx(made.distortion, rel=0.02)
    assert found.people_per_cell == pytest.approx(2_000 / found.cells)


@pytest.mark.parametrize("algorithm", ["mdav", "mondrian", "power-diagram"])
def test_cells_of_some_boxes_tell_of_all(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = region(tmp_path, 20_000)[1]
    found = promised(model, algorithm)
    monkeypatch.setattr(estimating, "_TOGETHER", 10**9)
    whole = promised(model, algorithm)
    assert found.needed == whole.needed
    assert found.cells == pytest.approx(whole.cells, rel=0.02)
    assert found.loss == pytest.approx(whole.loss, rel=0.15)


def test_kernels_are_given_few_people_of_a_region(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = region(tmp_path, 100_000)[1]
    given: list[int] = []
    kernel = estimating.mdav

    def counted(X: np.ndarray, people: np.ndarray, *others: object) -> object:
        given.append(int(people.sum()))
        return kernel(X, people, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(estimating, "mdav", counted)
    found = promised(model, "mdav")
    assert max(given) <= 2_500
    assert len(given) <= 8
    assert found.cells == pytest.approx(100_000 / found.people_per_cell, abs=1)


def test_without_an_attribute_equal_people_are_one_tuple(tmp_path: Path) -> None:
    model = region(tmp_path, 3_000)[1]
    less = without(model, "income")
    kept = np.delete(model.X, 1, axis=1)
    expected = np.unique(kept, axis=0)
    assert less.X.tolist() == expected.tolist()
    for row, people in zip(less.X, less.people, strict=True):
        assert people.sum() == model.people[(kept == row).all(axis=1)].sum()
    assert [attribute.name for attribute in less.attributes] == ["age", "place"]


def test_the_loss_of_an_attribute_is_that_of_its_columns(tmp_path: Path) -> None:
    model = region(tmp_path, 1_000)[1]
    labels = np.arange(len(model.X)) % 7
    weights = [1] * model.X.shape[1]
    found = dict(loss_by_attribute(model.attributes, model.X, model.people, weights, labels))
    assert found["age"] == distortion(np.ascontiguousarray(model.X[:, :1]), model.people, [1], labels)
    assert set(found) == {"age", "income", "place"}
