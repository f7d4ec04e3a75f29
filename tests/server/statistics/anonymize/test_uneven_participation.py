"""Masked files of people who take part unevenly: centroids weigh them, and r' is named thrice."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from server.tables.files import open_data

N = 240


def masked(folder: Path, chance: np.ndarray) -> tuple[pd.DataFrame, np.ndarray, dict[str, float]]:
    random = np.random.default_rng(3)
    table = pd.DataFrame({"income": random.lognormal(3, 1, N), "age": random.normal(45, 12, N)})
    table.assign(chance=chance).to_csv(folder / "a.csv", index=False)
    arguments = [str(folder / "a.csv"), "--quasi-identifiers", "income,age", "--k", "3", "--unrounded"]
    arguments += ["--participation-column", "chance", "--acceptable-cell-failure", "0.05", "--keep-order"]
    arguments += ["--out", str(folder / "b.csv"), "--json"]
    ran = CliRunner().invoke(anonymize, arguments, catch_exceptions=False)
    assert ran.exit_code == 0, ran.stderr
    income = open_data(folder / "b.csv").column("income").numbers
    assert income is not None
    figures = {m["name"]: m["value"] for m in json.loads(ran.stdout)["anonymity"]}
    figures |= {m["name"]: m["value"] for m in json.loads(ran.stdout)["information"]}
    return table, income, figures


def test_centroids_are_those_of_the_people_who_are_expected(tmp_path: Path) -> None:
    chance = np.where(np.arange(N) % 3 == 0, 0.4, 0.9)
    table, income, figures = masked(tmp_path, chance)
    plain = 0
    for value in np.unique(income):
        members = income == value
        own = table["income"][members]
        assert value == pytest.approx(np.average(own, weights=chance[members]), rel=1e-9)
        plain += value == pytest.approx(own.mean(), rel=1e-6)
    assert plain < len(np.unique(income)) / 2
    over_people, given, worst = (
        figures[name]
        for name in (
            "failure for a participant, mean over people, worst class",
            "failure for a participant, worst class",
            "failure for the worst-off person who takes part",
        )
    )
    assert 0 < over_people < given < worst
    # Section VI.B: the squared error of those who take part over m times their expected number.
    scaled = table / table.std(ddof=0)
    published = open_data(tmp_path / "b.csv").column("age").numbers
    assert published is not None
    error = (scaled["income"] - income / table["income"].std(ddof=0)) ** 2
    error += (scaled["age"] - published / table["age"].std(ddof=0)) ** 2
    expected = float(chance @ error) / (2 * chance.sum())
    assert figures["expected distortion under participation"] == pytest.approx(expected)


def test_even_participation_changes_nothing(tmp_path: Path) -> None:
    table, income, figures = masked(tmp_path, np.full(N, 0.6))
    for value in np.unique(income):
        assert value == pytest.approx(table["income"][income == value].mean(), rel=1e-9)
    assert "failure for the worst-off person who takes part" not in figures
