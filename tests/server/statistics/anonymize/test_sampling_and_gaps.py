"""Sampling weights make a risk and no people; numbers that are missing make groups of their own."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.statistics.measures.population_risk import group_risks, population_risk
from server.tables.files import Reading, open_data
from server.tables.missing import MissingValues
from shared.errors import InputError
from tests.server.tables.test_every_format import FORMATS, written

N = 120


@pytest.mark.parametrize(
    ("f", "people"), [(1, 3.0), (1, 250.5), (2, 9.0), (5, 400.0), (20, 25.0), (3, 3.0), (3, 1.5)]
)
def test_the_risk_is_the_mean_of_one_over_the_count_in_the_population(f: int, people: float) -> None:
    (group,) = group_risks(np.zeros(f, dtype=np.int64), np.full(f, people / f))
    p = min(f / people, 1.0)
    more = np.arange(200_000)
    expected = float((stats.nbinom.pmf(more, f, p) / (f + more)).sum())
    assert group.risk == pytest.approx(expected, rel=1e-6)
    assert 0 < group.risk <= 1 / f


def test_the_formulas_of_sdcmicro_for_one_and_two() -> None:
    p = 1 / 40
    odds, log = p / (1 - p), math.log(1 / p)
    assert group_risks(np.array([0]), np.array([40.0]))[0].risk == pytest.approx(odds * log)
    p = 2 / 60
    odds, log = p / (1 - p), math.log(1 / p)
    two = group_risks(np.array([0, 0]), np.array([20.0, 40.0]))[0]
    assert two.risk == pytest.approx(odds - odds**2 * log)
    worst, mean, expected = population_risk((two,))
    assert (worst.value, mean.value) == (two.risk, pytest.approx(two.risk))
    assert expected.value == pytest.approx(2 * two.risk)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 90, N),
            "sex": ["f", "m"] * 60,
            "w": np.round(random.uniform(0.5, 900, N), 3),
        }
    )
    path = tmp_path / "sample.csv"
    frame.to_csv(path, index=False)
    return path


def test_weights_are_real_numbers_and_never_people(sample: Path) -> None:
    out = sample.with_stem("masked")
    wanted = {"quasi_identifiers": ("age", "sex"), "k": 4, "method": "mdav"}
    run = anonymize_file(sample, out, Request(sampling_weight="w", **wanted))
    plain = anonymize_file(sample, sample.with_stem("plain"), Request(drop=("w",), **wanted))
    assert run.document["records"] == run.document["people"] == N
    assert min(entry["size"] for entry in run.document["class_sizes"]) >= 4
    assert run.document["class_sizes"] == plain.document["class_sizes"]
    assert sorted(open_data(out).column("w").numbers) == sorted(open_data(sample).column("w").numbers)
    assert sorted(open_data(out).column("age").numbers) == sorted(
        open_data(sample.with_stem("plain")).column("age").numbers
    )
    risks = [group["risk"] for group in run.document["individual_risk"]]
    assert risks == sorted(risks, reverse=True)
    assert max(risks) <= 1 / 4
    assert sum(group["people"] for group in run.document["individual_risk"]) == pytest.approx(
        open_data(sample).column("w").numbers.sum(), rel=0.01
    )
    assert "Individual risk by class" in run.files[1].read_text("utf-8")
    names = [measure.name for _, measure in run.headline]
    assert "individual risk, worst class" in names
    asked = Comparison(quasi_identifiers=("age", "sex"), sampling_weight="w")
    anonymize_file(sample, out, Request(sampling_weight="w", keep_order=True, **wanted))
    again = evaluate_files(sample, out, asked)
    assert [group.risk for group in again.risks] == pytest.approx(risks)


@pytest.mark.parametrize(
    ("bad", "words"), [("0", '"0"'), ("-1.5", '"-1.5"'), ("", "missing"), ("many", "is none")]
)
def test_bad_weights_are_refused_by_row(sample: Path, bad: str, words: str) -> None:
    frame = pd.read_csv(sample, dtype=str)
    frame.loc[3, "w"] = bad
    frame.to_csv(sample, index=False)
    with pytest.raises(InputError, match=rf"line 5: .*{words}"):
        anonymize_file(
            sample,
            sample.with_stem("masked"),
            Request(quasi_identifiers=("age",), k=4, method="mdav", sampling_weight="w"),
        )


@pytest.mark.parametrize("suffix", FORMATS)
def test_numbers_that_are_missing_are_a_group_of_their_own(suffix: str, tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    age, income = random.integers(18, 90, N).astype(float), random.integers(800, 5000, N).astype(float)
    age[:7] = np.nan
    income[5:17] = np.nan
    age[17:23], income[17:23] = np.nan, np.nan
    age[5:7] = 50
    frame = pd.DataFrame({"age": age, "income": income, "note": ["x", "y"] * 60})
    path = written(tmp_path, frame, suffix)
    out = path.with_stem("masked")
    request = Request(
        quasi_identifiers=("age", "income"), k=5, method="mdav", missing="category", keep_order=True
    )
    run = anonymize_file(path, out, request)
    again = open_data(out)
    assert again.n_records == N
    for name, values in (("age", age), ("income", income)):
        assert (again.column(name).missing == np.isnan(values)).all()
        assert again.column(name).kind == "numeric"
        assert np.nanmean(again.column(name).numbers) == pytest.approx(np.nanmean(values), abs=0.6)
    headline = {measure.name: measure.value for _, measure in run.headline}
    assert headline["achieved k"] >= 5
    assert 0 < headline["SSE/SST"] < 1
    refused = Request(quasi_identifiers=("age", "income"), k=6, method="mdav", missing="category")
    with pytest.raises(InputError, match=r'5 records lack "age", too few for a group of their own'):
        anonymize_file(path, out, refused)


def test_declared_gaps_of_positions_and_what_cannot_be_grouped_apart(tmp_path: Path) -> None:
    path, out = tmp_path / "a.csv", tmp_path / "b.csv"
    school = ["-9"] * 6 + ["low", "mid", "high"] * 38
    pd.DataFrame({"school": school, "age": range(N)}).to_csv(path, index=False)
    wanted = {"quasi_identifiers": ("school", "age"), "k": 3, "method": "mdav", "missing": "category"}
    reading = Reading(missing=MissingValues.parse(["-9"]))
    request = Request(ordinal={"school": ("low", "mid", "high")}, keep_order=True, **wanted)
    anonymize_file(path, out, request, reading=reading)
    published = open_data(out, reading).column("school")
    assert published.missing.tolist() == [True] * 6 + [False] * (N - 6)
    pd.DataFrame({"age": [*[""] * 6, *range(N - 6)]}).to_csv(path, index=False)
    apart = Request(quasi_identifiers=("age",), k=3, method="mdav", missing="category", breach="p3m")
    with pytest.raises(InputError, match="not with --breach"):
        anonymize_file(path, out, apart)
