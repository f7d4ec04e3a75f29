"""The list of risks belongs to the raw records: written on request alone, for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file

N = 120


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    random = np.random.default_rng(9)
    home = np.repeat(np.arange(40), 3)
    frame = pd.DataFrame(
        {
            "home": [f"h{number:02}" for number in home],
            "age": random.integers(18, 90, N),
            "sex": random.choice(["f", "m"], N),
            "w": random.uniform(2, 90, N).round(2),
        }
    )
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


ASKED = {"quasi_identifiers": ("age", "sex"), "household": "home", "sampling_weight": "w"}


def test_a_line_for_every_record_of_the_original_in_its_order(sample: Path) -> None:
    risks = sample.with_name("risks.csv")
    run = anonymize_file(
        sample, sample.with_stem("out"), Request(**ASKED, k=3, method="mdav"), risk_file=risks
    )
    assert run.files[-1] == risks
    assert stat.S_IMODE(risks.stat().st_mode) == 0o600
    listed, original = pd.read_csv(risks), pd.read_csv(sample)
    assert listed["record"].tolist() == list(range(1, N + 1))
    assert listed["home"].tolist() == original["home"].tolist()
    alike = original.groupby(["age", "sex"])["age"].transform("size")
    assert listed["alike_before"].tolist() == alike.tolist()
    for when in ("before", "after"):
        spared = np.log1p(-listed[f"risk_{when}"]).groupby(listed["home"]).transform("sum")
        assert listed[f"household_risk_{when}"].to_numpy() == pytest.approx(1 - np.exp(spared), rel=1e-4)
    worst = next(m["value"] for m in run.document["anonymity"] if m["name"] == "household risk, highest")
    assert worst == pytest.approx(listed["household_risk_after"].max(), rel=1e-5)
    assert run.document["risk_of_records"]["after"]["quantiles"]["1.0"] == pytest.approx(
        listed["risk_after"].max(), rel=1e-5
    )
    assert "risk_before" not in sample.with_stem("out").read_text()


def test_evaluate_lists_the_same(sample: Path) -> None:
    one, two = sample.with_name("one.csv"), sample.with_name("two.csv")
    out = sample.with_stem("out")
    anonymize_file(sample, out, Request(**ASKED, k=3, method="mdav", keep_order=True), risk_file=one)
    evaluate_files(sample, out, Comparison(**ASKED), risk_file=two, report=sample.with_name("e.html"))
    assert one.read_bytes() == two.read_bytes()
    page = sample.with_name("e.html").read_text("utf-8")
    assert "Risk of each record" in page
    assert "household risk up to" in page


def test_nothing_is_listed_unasked(sample: Path) -> None:
    run = anonymize_file(sample, sample.with_stem("out"), Request(**ASKED, k=3, method="mdav"))
    assert len(run.files) == 3
    assert sorted(path.name for path in sample.parent.iterdir()) == [
        "out.csv",
        "out.csv.json",
        "out.csv.report.html",
        "t.csv",
    ]
