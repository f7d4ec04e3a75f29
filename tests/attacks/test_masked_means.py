"""A published mean does not give the last member of a group to whoever knows the others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from tests.attacks.test_masked_remains import read

N = 400
K = 5
STEP = 0.01


def heights() -> pd.DataFrame:
    """Heights to the centimetre; the number says whose a record is, which only the attack needs."""
    random = np.random.default_rng(9)
    return pd.DataFrame({"height": np.round(random.normal(1.7, 0.1, N), 2), "person": np.arange(N)})


WRITE = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "sav": lambda frame, path: pyreadstat.write_sav(frame, str(path)),
    "dta": lambda frame, path: pyreadstat.write_dta(frame, str(path)),
}


def masked(path: Path, *more: str) -> pd.DataFrame:
    out = path.with_stem("masked")
    arguments = [str(path), "--quasi-identifiers", "height", "--confidential", "person", "--k", str(K)]
    result = CliRunner().invoke(anonymize, [*arguments, "--out", str(out), *more], catch_exceptions=False)
    assert result.exit_code == 0
    return read(out)


def last_members(frame: pd.DataFrame, published: pd.DataFrame) -> float:
    """Share of people whose exact value follows from the mean of their group and all others in it."""
    truth = frame["height"].to_numpy()[published["person"].astype(int)]
    right = 0
    for mean in published["height"].unique():
        members = truth[published["height"].to_numpy() == mean]
        for own in members:
            computed = mean * len(members) - (members.sum() - own)
            right += abs(np.round(computed, 2) - own) < STEP / 2
    return right / N


@pytest.mark.parametrize("form", WRITE)
def test_the_last_member_does_not_follow_exactly(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{form}"
    frame = heights()
    WRITE[form](frame, path)
    assert last_members(frame, masked(path)) < 0.5
    assert last_members(frame, masked(path, "--unrounded")) > 0.9


def test_means_are_the_same_in_every_format(tmp_path: Path) -> None:
    found = {}
    frame = heights()
    for form, write in WRITE.items():
        write(frame, tmp_path / f"a.{form}")
        table = masked(tmp_path / f"a.{form}").sort_values("person")
        found[form] = table["height"].tolist()
    frame.astype({"height": "float32"}).to_parquet(tmp_path / "b.parquet")
    single = masked(tmp_path / "b.parquet").sort_values("person")["height"]
    found["32 bits"] = [round(float(value), 5) for value in single]
    assert all(values == found["csv"] for values in found.values())


def test_computed_numbers_lose_the_decimals_that_mean_nothing(tmp_path: Path) -> None:
    """Fifteen decimals of a logarithm are no precision of measurement; rounding to them would be none."""
    frame = heights()
    frame["height"] = np.log(frame["height"]) * 1000
    frame.to_csv(tmp_path / "a.csv", index=False)
    published = masked(tmp_path / "a.csv")["height"]
    assert (published == published.round(2)).all()
    document = json.loads((tmp_path / "masked.csv.json").read_text())
    assert document["decimals"] == {"height": 2}


def test_what_the_others_know_is_warned_about_with_its_width(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    frame = heights()
    frame["height"] = (frame["height"] * 10**6).astype(int)
    frame.to_csv(path, index=False)
    arguments = [str(path), "--quasi-identifiers", "height", "--k", str(K), "--out", str(tmp_path / "b.csv")]
    result = CliRunner().invoke(anonymize, arguments)
    assert '"height" to within 2.5' in result.stderr
    assert "--digits" in result.stderr
    result = CliRunner().invoke(anonymize, [*arguments, "--digits", "-4"])
    assert "to within" not in result.stderr
    assert set(pd.read_csv(tmp_path / "b.csv")["height"] % 10_000) == {0}
    result = CliRunner().invoke(anonymize, [*arguments, "--unrounded"])
    assert '"height" exactly' in result.stderr
