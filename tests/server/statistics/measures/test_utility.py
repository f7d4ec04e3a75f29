"""Models learned from masked data, tested on people as they are."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from server.executor import Threads
from server.statistics.measures.utility import (
    LEARNERS,
    Learner,
    cross_validated,
    empirical_utility,
    majority_baseline,
)


class Elsewhere(Threads):
    """An executor whose work, tasks and results are copies, as those of another process are."""

    def map(self, work: Any, tasks: Any, **how: Any) -> list[Any]:
        def copied(task: Any) -> Any:
            function, argument = pickle.loads(pickle.dumps((work, task)))  # noqa: S301 - our own bytes
            return pickle.loads(pickle.dumps(function(argument)))  # noqa: S301

        return super().map(copied, tasks, **how)


random = np.random.default_rng(1)
N = 200
AGE = random.standard_normal(N)
SEX = np.where(random.random(N) < 0.5, "f", "m").astype(object)
TARGET = np.where(AGE + (SEX == "f") + 0.2 * random.standard_normal(N) > 0.5, "yes", "no")


def test_untouched_data_lose_nothing() -> None:
    table = {"age": AGE, "sex": SEX}
    for found in empirical_utility(table, table, TARGET):
        assert found.accuracy.value == found.original_accuracy.value > 0.85
        assert found.f_measure.value == found.original_f_measure.value > 0.85
        assert {measure.direction for measure in found.measures()} == {"lower loses more"}


def test_destroyed_data_lose_nearly_all_on_untouched_records() -> None:
    original = {"age": AGE, "sex": SEX}
    masked = {"age": np.zeros(N), "sex": np.full(N, "f", dtype=object)}
    (found,) = empirical_utility(original, masked, TARGET, learners=("logistic regression",))
    assert found.original_accuracy.value > 0.85
    assert found.accuracy.value < 0.7
    assert found.f_measure.value < 0.5


def test_it_is_deterministic_and_reports_progress() -> None:
    table = {"age": AGE, "sex": SEX}
    steps: list[tuple[int, int]] = []
    one = empirical_utility(table, table, TARGET, seed=3, progress=lambda *step: steps.append(step))
    assert one == empirical_utility(table, table, TARGET, seed=3, executor=Elsewhere())
    assert steps[-1] == (20, 20)


def test_missing_values_and_unseen_categories_are_no_obstacle() -> None:
    age, sex = AGE.copy(), SEX.copy()
    age[::7], sex[0] = np.nan, "other"
    empty = np.full(N, np.nan)
    table = {"age": age, "sex": sex, "empty": empty}
    for found in empirical_utility(table, table, TARGET):
        assert 0.5 < found.accuracy.value <= 1


@pytest.mark.parametrize(
    ("masked", "target", "words"),
    [
        ({"sex": SEX}, TARGET, "different columns"),
        ({"age": AGE[:5]}, TARGET, "same length"),
        ({"age": AGE}, np.full(N, "yes"), "one class"),
        ({"age": AGE}, np.r_[np.full(N - 2, "yes"), ["no", "no"]], "'no' has 2 records"),
    ],
)
def test_nonsense_is_refused(masked, target, words) -> None:
    with pytest.raises(ValueError, match=words):
        empirical_utility({"age": AGE}, masked, target)


def test_an_unknown_learner_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown learner"):
        empirical_utility({"age": AGE}, {"age": AGE}, TARGET, learners=("oracle",))  # type: ignore[arg-type]


def test_training_is_on_one_table_and_testing_on_the_other() -> None:
    reversed_age = {"age": -AGE}
    right = cross_validated({"age": AGE}, {"age": AGE}, TARGET, learner="logistic regression")[0]
    wrong = cross_validated(reversed_age, {"age": AGE}, TARGET, learner="logistic regression")[0]
    assert right > 0.7
    assert wrong < 0.3


@pytest.mark.parametrize("learner", LEARNERS)
def test_categories_alone_can_be_learned(learner: Learner) -> None:
    """Nothing but a text tells the classes apart, and its order does not."""
    text = np.array([f"c{i % 7}" for i in range(N)])
    target = np.isin(text, ["c1", "c4", "c6"])
    assert cross_validated({"t": text}, {"t": text}, target, learner=learner)[0] == 1


def test_more_categories_than_trees_can_hold_are_no_obstacle() -> None:
    many = np.array([f"c{i}" for i in range(N)] * 3)
    target = np.tile(TARGET, 3)
    accuracy, _ = cross_validated({"t": many}, {"t": many}, target, learner="boosted trees", folds=2)
    assert 0.3 < accuracy <= 1


def test_the_baseline_is_what_always_guessing_the_most_frequent_class_gives() -> None:
    target = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    guess = ["a"] * 100
    accuracy, f_measure = majority_baseline(target)
    assert accuracy == 0.6
    assert f_measure == pytest.approx(f1_score(target, guess, average="macro", zero_division=0))
