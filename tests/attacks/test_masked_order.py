"""The place of a record in a masked file says nothing: the attacker knows how the original was sorted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from server.cli.anonymize import anonymize

N = 2_000


def masked(path: Path, *more: str) -> Result:
    arguments = [str(path), "--quasi-identifiers", "age,wage", "--confidential", "person", "--k", "10"]
    out = str(path.with_stem("masked"))
    return CliRunner().invoke(anonymize, [*arguments, "--out", out, *more], catch_exceptions=False)


@pytest.fixture
def by_age(tmp_path: Path) -> Path:
    """A register that is kept in the order of age, as lists are."""
    random = np.random.default_rng(5)
    age = np.sort(random.integers(18, 90, N))
    frame = {"age": age, "wage": random.integers(0, 5_000, N), "person": random.permutation(N)}
    pd.DataFrame(frame).to_csv(tmp_path / "register.csv", index=False)
    return tmp_path / "register.csv"


def told(path: Path) -> float:
    """Share of exact ages that follow from the place alone, for who knows how often each age occurs.

    She says of the i-th record that it has the i-th smallest age. Whose record it is, by which she is judged,
    stands in a column that only this test has kept.
    """
    truth = pd.read_csv(path).set_index("person")["age"]
    written = pd.read_csv(path.with_stem("masked"))
    return float((np.sort(truth.to_numpy()) == truth.loc[written["person"]].to_numpy()).mean())


def test_age_does_not_follow_from_the_place(by_age: Path) -> None:
    result = masked(by_age)
    by_guessing = pd.read_csv(by_age)["age"].value_counts().max() / N
    assert told(by_age) < 3 * by_guessing < 0.1
    assert "order" not in result.stderr


def test_who_keeps_the_order_is_told_what_it_costs(by_age: Path) -> None:
    result = masked(by_age, "--keep-order")
    assert told(by_age) == 1
    assert "order of the file was kept" in result.stderr
    assert '"age" 100% from the place in the file' in result.stderr
    assert '"wage"' in result.stderr


def test_a_list_by_district_does_not_say_who_lives_together(tmp_path: Path) -> None:
    """Neighbours in the list live in one district: known of one record, it would be known of the next."""
    random = np.random.default_rng(6)
    district = np.repeat(random.permutation(40), N // 40)
    frame = {"age": random.integers(18, 90, N), "wage": 1000 + district, "person": district}
    path = tmp_path / "list.csv"
    pd.DataFrame(frame).to_csv(path, index=False)
    masked(path, "--digits", "wage=-3")
    written = pd.read_csv(path.with_stem("masked"))
    together = (written["person"].to_numpy()[1:] == written["person"].to_numpy()[:-1]).mean()
    assert together < 0.1  # 1 in 40 by chance; 0.98 in the list
    result = masked(path, "--keep-order")
    assert "98% from the record before" in result.stderr
