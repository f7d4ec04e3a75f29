"""The price in utility, on tiny inputs: what is masked, what is trained, and which curves are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.statistics.reproduction import utility
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Reproduction
from server.statistics.reproduction.utility import Classified, group_size, masked_table, price, stratified
from shared.errors import InputError

random = np.random.default_rng(2)
N = 90
CLASS = np.where(np.arange(N) % 3 == 0, "b", "a")
COLUMNS: utility.Columns = {
    "x": random.standard_normal(N) + 5.0 * (CLASS == "b"),
    "noise": random.standard_normal(N),
    "colour": np.where(random.random(N) < 0.2, "red", "blue"),
}
DATA = Classified(name="utility-tiny", title="tiny", columns=COLUMNS, target=CLASS)


@pytest.fixture(scope="module")
def tiny() -> Reproduction:
    seen: list[tuple[int, int]] = []
    result = price(
        DATA,
        lambda _, done, total: seen.append((done, total)),
        "Tiny.",
        ks=(2, 10, 30),
        participations=("1", "0.75"),
        learners=("logistic regression",),
    )
    assert seen == [(i + 1, len(seen)) for i in range(len(seen))]
    assert len(seen) == seen[-1][1]
    return result


def test_curves_and_baselines(tiny: Reproduction) -> None:
    accuracy, f_measure = tiny.figures
    labels = [curve.label for curve in accuracy.curves]
    assert labels == [
        "MDAV",
        "MDAV, participation 0.75",
        "PCL",
        "PCL, participation 0.75",
        "no masking",
        "most frequent class",
    ]
    curves = {curve.label: curve for curve in accuracy.curves}
    assert curves["MDAV"].x == (2, 10, 30)
    # n_min of 30 at 0.75 is more than half of the people.
    assert curves["MDAV, participation 0.75"].x == (2, 10)
    assert curves["no masking"].y[0] > 0.9
    assert curves["most frequent class"].y == pytest.approx((2 / 3, 2 / 3))
    assert {curve.label: curve for curve in f_measure.curves}["most frequent class"].y[0] == pytest.approx(
        0.4
    )


def test_small_groups_keep_what_the_noise_of_the_class_allows(tiny: Reproduction) -> None:
    curves = {curve.label: curve for curve in tiny.figures[0].curves}
    for method in ("MDAV", "PCL"):
        assert curves[method].y[0] > 0.85
        assert all(0 <= value <= 1 for value in curves[method].y)


def test_the_table_holds_every_point(tiny: Reproduction) -> None:
    (table,) = tiny.tables
    rows = [row for row in table.rows if row[1] in ("MDAV", "PCL")]
    assert len(rows) == 2 * 5
    assert {(row[2], row[3], row[4]) for row in rows} >= {(10, "1", 10), (10, "0.75", group_size(10, "0.75"))}
    assert tiny.comparisons == ()
    assert "ours stand alone" in tiny.explanation


def test_groups_are_larger_where_fewer_take_part() -> None:
    assert group_size(10, "1") == 10
    assert 10 < group_size(10, "0.75") < group_size(10, "0.5")


def test_masked_values_are_means_and_most_frequent_texts() -> None:
    masked = masked_table(
        {"x": np.array([1.0, 3.0, 5.0, 7.0]), "t": np.array(["b", "a", "c", "c"])}, np.array([0, 0, 1, 1])
    )
    assert masked["x"].tolist() == [2, 2, 6, 6]
    assert masked["t"].tolist() == ["a", "a", "c", "c"]


def test_training_is_on_masked_and_testing_on_untouched_records(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs: list[tuple[utility.Columns, utility.Columns]] = []

    def spy(learned, tested, target, **options):
        pairs.append((learned, tested))
        return 0.5, 0.5

    monkeypatch.setattr(utility, "cross_validated", spy)
    price(DATA, lambda *_: None, "Tiny.", ks=(10,), participations=("1",), learners=("boosted trees",))
    assert all(tested is COLUMNS for _, tested in pairs)
    (untouched, _), *masked = pairs
    assert untouched is COLUMNS
    assert len(masked) == 2
    for learned, _ in masked:
        assert len(set(learned["x"])) <= N // 10
        assert not np.array_equal(learned["x"], COLUMNS["x"])


def test_a_stratified_sample_keeps_shares_and_seed() -> None:
    target = np.array(["a"] * 70 + ["b"] * 30)
    rows = stratified(target, 0.1, 4)
    assert (target[rows] == "a").sum() == 7
    assert (target[rows] == "b").sum() == 3
    assert rows.tolist() == sorted(set(rows.tolist())) == stratified(target, 0.1, 4).tolist()
    assert rows.tolist() != stratified(target, 0.1, 5).tolist()


@pytest.mark.parametrize(
    ("function", "records", "columns", "classes"),
    [
        ("adult", 4522, 12, {"<=50K", ">50K"}),
        ("breast_cancer", 683, 9, {"2", "4"}),
        ("heart", 297, 13, {"healthy", "ill"}),
        ("synthetic", 1000, 5, {"a", "b"}),
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
    monkeypatch.setattr(utility, "price", lambda data, *_: found.append(data))
    getattr(utility, function)(Inputs(reference_data, None), lambda *_: None)
    (data,) = found
    assert len(data.target) == records
    assert len(data.columns) == columns
    assert {len(values) for values in data.columns.values()} == {records}
    assert set(data.target) == classes


def test_missing_data_are_refused() -> None:
    with pytest.raises(InputError):
        utility.adult(Inputs(None, None), lambda *_: None)
