"""The price in utility, on tiny inputs: what is masked, what is trained, and what is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.statistics.reproduction import utility
from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.utility import (
    Classified,
    best_learner,
    masked_table,
    price,
    split,
    stratified,
)
from server.statistics.reproduction.views import figures
from shared.errors import InputError
from tests.server.statistics.reproduction.examples import silent

random = np.random.default_rng(2)
N = 120
CLASS = np.where(np.arange(N) % 3 == 0, "b", "a")
COLUMNS: utility.Columns = {
    "x": random.standard_normal(N) + 5.0 * (CLASS == "b"),
    "noise": random.standard_normal(N),
    "colour": np.where(random.random(N) < 0.2, "red", "blue"),
}
DATA = Classified(columns=COLUMNS, target=CLASS)


def test_every_method_is_trained_on_masked_and_tested_on_untouched_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[utility.Columns] = []
    trained = utility.trained

    def spy(learned, tested, target, train, tests, **options):
        assert tested is COLUMNS
        assert not set(train) & set(tests[-1])
        for name, column in COLUMNS.items():
            assert (learned[name][tests[-1]] == column[tests[-1]]).all()
        seen.append({name: column[train] for name, column in learned.items()})
        return trained(learned, tested, target, train, tests, **options)

    monkeypatch.setattr(utility, "trained", spy)
    records = list(price(DATA, silent, ks=(2, 10, 60)))
    methods = {*utility.METHODS, "MDAV-SD"}
    reached = {(r.at["method"], r.at["k"], r.measure): r.ours for r in records}
    assert {key[0] for key in reached} == {*methods, "most frequent class"} | {
        key[0] for key in reached if str(key[0]).startswith("no masking")
    }
    assert {key[1] for key in reached if key[0] in methods} == {2, 10}  # 60 is more than half of 90
    for method in methods:
        assert reached[method, 2, "accuracy"] > 0.85
        assert 0 <= reached[method, 2, "distortion"] < reached[method, 10, "distortion"] < 1
    plots = CATALOGUE["utility-heart"].plots
    assert [len(figures([plot], records)) for plot in plots] == [1] * len(plots)
    assert reached["most frequent class", 2, "accuracy"] == pytest.approx(2 / 3)
    assert len(seen) == 1 + 2 * (len(utility.METHODS) + len(utility.WEIGHTS))
    assert all(len(set(table["x"])) <= 45 for table in seen[1:])


def test_a_quarter_of_each_class_is_set_aside() -> None:
    train, test = split(CLASS)
    assert sorted([*train, *test]) == list(range(N))
    assert [(CLASS[test] == c).sum() for c in "ab"] == [20, 10]
    assert best_learner(COLUMNS, CLASS) in utility.get_args(utility.Learner)


def test_masked_values_are_means_and_most_frequent_texts() -> None:
    masked = masked_table(
        {"x": np.array([1.0, 3.0, 5.0, 7.0]), "t": np.array(["b", "a", "c", "c"])}, np.array([0, 0, 1, 1])
    )
    assert masked["x"].tolist() == [2, 2, 6, 6]
    assert masked["t"].tolist() == ["a", "a", "c", "c"]


def test_a_stratified_sample_keeps_shares_and_seed() -> None:
    target = np.array(["a"] * 70 + ["b"] * 30)
    rows = stratified(target, 0.1, 4)
    assert [(target[rows] == c).sum() for c in "ab"] == [7, 3]
    assert rows.tolist() == sorted(set(rows.tolist())) == stratified(target, 0.1, 4).tolist()
    assert rows.tolist() != stratified(target, 0.1, 5).tolist()


@pytest.mark.parametrize(
    ("function", "records", "columns", "classes"),
    [
        ("adult", 4522, 6, {"<=50K", ">50K"}),
        ("breast_cancer", 683, 9, {"2", "4"}),
        ("heart", 297, 13, {"healthy", "ill"}),
        ("synthetic", 1000, 2, {"a", "b"}),
    ],
)
def test_data_sets_are_read_as_documented(
    function: str,
    records: int,
    columns: int,
    classes: set[str],
    reference_data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[Classified] = []
    monkeypatch.setattr(utility, "price", lambda data, *_: found.append(data) or [])
    assert list(getattr(utility, function)(Inputs(reference_data, None), silent)) == []
    (data,) = found
    assert len(data.target) == records
    assert len(data.columns) == columns
    assert {len(values) for values in data.columns.values()} == {records}
    assert set(data.target) == classes


def test_missing_data_are_refused() -> None:
    with pytest.raises(InputError):
        list(utility.adult(Inputs(None, None), silent))
