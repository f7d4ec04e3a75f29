"""Several records of one person are one person: they do not hide her from anybody.

Attack: in a panel of 25 people in four waves every group of k = 4 records is one person's, and her age is
published as it is, with her four incomes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.methods import METHODS
from server.statistics.anonymize.people import Participation
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.tables.files import open_data
from shared.errors import InputError

PEOPLE, WAVES = 25, 4


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    random = np.random.default_rng(7)
    person = np.repeat(np.arange(PEOPLE), WAVES)
    frame = pd.DataFrame(
        {
            "pid": person + 1000,
            "household": person // 2,
            "wave": np.tile(np.arange(WAVES), PEOPLE),
            "age": np.repeat(random.permutation(60)[:PEOPLE] + 18, WAVES)
            + np.tile(np.arange(WAVES), PEOPLE) // 2,
            "income": random.integers(800, 5000, PEOPLE * WAVES),
        }
    )
    path = tmp_path / "panel.csv"
    frame.sample(frac=1, random_state=1).to_csv(path, index=False)
    return path


def masked(panel: Path, k: int = 4, **request: object):
    out = panel.with_stem("masked")
    wanted = {"quasi_identifiers": ("age",), "confidential": ("income",), "drop": ("wave",)} | request
    run = anonymize_file(panel, out, Request(k=k, method="mdav", keep_order=True, **wanted))
    ages = open_data(out).column("age").numbers
    original = pd.read_csv(panel)
    return run, original.assign(published=ages)


def people_per_value(frame: pd.DataFrame, column: str = "pid") -> int:
    return int(frame.groupby("published")[column].nunique().min())


def test_a_group_of_records_is_a_group_of_people(panel: Path) -> None:
    run, frame = masked(panel, drop=("wave", "household"))
    assert people_per_value(frame) < 4, "without a word about persons records are counted"
    assert any('"pid"' in w and "--person" in w for w in masked(panel, drop=("wave", "pid"))[0].warnings)
    run, frame = masked(panel, person="pid", drop=("wave", "household"))
    assert people_per_value(frame) >= 4
    assert frame.groupby("pid")["published"].nunique().max() == 1, "nobody is found by the path of her groups"
    headline = {measure.name: measure.value for _, measure in run.headline}
    assert headline["achieved k"] == people_per_value(frame)
    assert run.document["person"] == "pid"
    assert not any("--person" in warning for warning in run.warnings)


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_counts_people(panel: Path, method: str) -> None:
    out = panel.with_stem("masked")
    request = Request(quasi_identifiers=("age",), k=4, method=method, keep_order=True, person="pid")
    anonymize_file(panel, out, request)
    assert people_per_value(pd.read_csv(panel).assign(published=open_data(out).column("age").numbers)) >= 4


def test_people_of_a_household_count_once(panel: Path) -> None:
    run, frame = masked(panel, person="pid", household="household")
    assert people_per_value(frame, "household") >= 4
    assert "at least 4 households" in run.files[1].read_text("utf-8")
    written = open_data(run.files[0])
    assert "pid" not in written.names
    assert "household" not in written.names


def test_participation_is_that_of_people(panel: Path) -> None:
    participation = Participation.parse("0.9", "", "0.05", judged=True)
    run, frame = masked(panel, k=3, person="pid", participation=participation, drop=("wave", "household"))
    safe = run.document["participation"][0]["n_min_safe"]
    assert people_per_value(frame) >= safe > 3


def test_evaluation_counts_people_of_any_masked_file(panel: Path) -> None:
    run, frame = masked(panel)
    asked = Comparison(quasi_identifiers=("age",), person="pid")
    found = evaluate_files(panel, run.files[0], asked)
    assert {m.name: m.value for m in found.anonymity}["achieved k"] == people_per_value(frame)


def test_what_contradicts_persons_is_refused_by_row(panel: Path) -> None:
    with pytest.raises(InputError, match="25 persons, fewer than k = 26"):
        masked(panel, k=26, person="pid", drop=("wave", "household"))
    with pytest.raises(InputError, match="--counts says"):
        Request(quasi_identifiers=("age",), k=4, method="mdav", counts="wave", person="pid")
    column = Participation.parse(None, "income", "0.05", judged=True)
    with pytest.raises(InputError, match="the same for all"):
        masked(panel, person="pid", participation=column, confidential=(), drop=("wave",))
    frame = pd.read_csv(panel)
    frame.loc[5, "household"] += 1
    frame.to_csv(panel, index=False)
    with pytest.raises(InputError, match=r"line \d+: .household. is .*household of an earlier record"):
        masked(panel, person="pid", household="household")
    frame["pid"] = frame["pid"].astype(object)
    frame.loc[7, "pid"] = ""
    frame.to_csv(panel, index=False)
    with pytest.raises(InputError, match=r"line 9: .pid. is missing"):
        masked(panel, person="pid", drop=("wave", "household"))
