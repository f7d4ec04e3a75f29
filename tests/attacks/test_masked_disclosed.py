"""What k-anonymity does not hide is said before anybody publishes: with counts, and what to do."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from server.cli.evaluate import evaluate

N = 300


def survey(path: Path, **more: object) -> Path:
    """Incomes in steps, in which whole groups agree."""
    random = np.random.default_rng(3)
    age = random.integers(18, 90, N)
    frame = {"age": age, "wage": random.integers(0, 500, N), "income": np.where(age > 60, ">50K", "<=50K")}
    pd.DataFrame(frame | more).to_csv(path, index=False)
    return path


def masked(path: Path, out: str, *more: str) -> str:
    arguments = [str(path), "--quasi-identifiers", "age,wage", "--out", str(path.with_name(out))]
    result = CliRunner().invoke(anonymize, [*arguments, *more], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stderr


def test_groups_of_one_income_are_counted(tmp_path: Path) -> None:
    path = survey(tmp_path / "a.csv")
    warned = masked(path, "b.csv", "--k", "5", "--confidential", "income")
    written = pd.read_csv(tmp_path / "b.csv")
    values = written.groupby(["age", "wage"])["income"].agg(["nunique", "size"])
    alone = values[values["nunique"] == 1]
    assert len(alone) > 10
    assert (
        f"In {len(alone)} of {len(values)} groups, with {alone['size'].sum()} of {N} records "
        f"({alone['size'].sum() / N:.1%})" in warned
    )
    assert re.search('has the same "income".*--k.*--drop', warned)
    page = (tmp_path / "b.csv.report.html").read_text("utf-8")
    assert f"In {len(alone)} of {len(values)} groups" in page
    compared = CliRunner().invoke(
        evaluate,
        [str(path), str(tmp_path / "b.csv"), "--quasi-identifiers", "age,wage", "--confidential", "income"],
        catch_exceptions=False,
    )
    assert f"In {len(alone)} of {len(values)} groups" in compared.stderr


def test_an_identifier_is_one_in_every_role(tmp_path: Path) -> None:
    number = [f"{i * 7919 % 100_003:06}" for i in range(N)]
    path = survey(tmp_path / "a.csv", number=number, weight=np.arange(N) / 7)
    for more in (("--confidential", "number,weight"), ()):
        warned = masked(path, "b.csv", "--k", "5", *more)
        named = f'"number" ({N} of {N} records), "weight" ({N} of {N} records).'
        assert f"with a value that no other record has: {named}" in warned
    assert "no other record has" not in masked(path, "b.csv", "--k", "5", "--drop", "number,weight")


def test_counts_of_one_record_only_are_named(tmp_path: Path) -> None:
    people = np.random.default_rng(4).integers(1, 200, N)
    alone = sum(1 for times in Counter(people.tolist()).values() if times == 1)
    assert alone > 10
    path = survey(tmp_path / "a.csv", people=people)
    assert f'{alone} of {N} records have a number of people in "people"' in masked(
        path, "b.csv", "--k", "5", "--counts", "people"
    )
    path = survey(tmp_path / "c.csv", people=np.arange(N) % 3 + 1)
    assert "number of people" not in masked(path, "d.csv", "--k", "5", "--counts", "people")


def test_a_second_masking_is_noticed_by_the_digest_of_its_original(tmp_path: Path) -> None:
    path = survey(tmp_path / "a.csv")
    assert "masked before" not in masked(path, "first.csv", "--k", "5")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert json.loads((tmp_path / "first.csv.json").read_text())["original"] == {
        "file": "a.csv",
        "sha256": digest,
    }
    assert digest in (tmp_path / "first.csv.report.html").read_text("utf-8")
    (tmp_path / "strange.json").write_text("[" * 100_000)
    (tmp_path / "other.json").write_text('{"original": []}')
    warned = masked(path, "second.csv", "--k", "7", "--method", "mondrian")
    assert 'a.csv was masked before, into "first.csv".' in warned
    assert "masked before" not in masked(survey(tmp_path / "c.csv", x=1), "third.csv", "--k", "5")


def test_two_maskings_together_go_below_k(tmp_path: Path) -> None:
    """Why it is warned about: most people stand in an intersection that is smaller than k."""
    k = 5
    path = survey(tmp_path / "a.csv", person=np.arange(N))
    masked(path, "first.csv", "--k", str(k))
    masked(path, "second.csv", "--k", str(k + 2), "--method", "mondrian")
    both = pd.read_csv(tmp_path / "first.csv").merge(pd.read_csv(tmp_path / "second.csv"), on="person")
    sizes = both.groupby(["age_x", "wage_x", "age_y", "wage_y"])["person"].transform("size")
    assert (sizes < k).mean() > 0.5
