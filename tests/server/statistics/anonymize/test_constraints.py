"""Diversity and closeness hold in every group that is written, or a refusal says how near it came."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from server.statistics.anonymize.constraints import Constraints
from server.statistics.anonymize.methods import METHODS
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from shared.errors import DesignError, InputError
from tests.server.tables.test_every_format import written

N = 240


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """Illness follows age, so that groups of alike people are alike in it; pay is a number."""
    random = np.random.default_rng(5)
    age = random.integers(18, 90, N)
    illness = np.where(random.random(N) < 0.8, np.array(["flu", "back", "heart"])[(age - 18) // 24], "rare")
    frame = pd.DataFrame(
        {
            "age": age,
            "height": random.normal(170, 9, N).round(),
            "illness": illness,
            "pay": age * 40 + random.integers(0, 200, N),
        }
    )
    return written(tmp_path, frame, "csv")


def masked(path: Path, asked: Constraints, **more: object) -> tuple[pd.DataFrame, dict]:
    out = path.with_stem("masked")
    wanted = {"quasi_identifiers": ("age", "height"), "confidential": ("illness",), "drop": ("pay",)} | more
    run = anonymize_file(path, out, Request(**({"k": 4, "method": "mdav", "constraints": asked} | wanted)))
    return pd.read_csv(out), dict(run.document)


def groups_of(frame: pd.DataFrame, name: str = "illness") -> list[pd.Series]:
    return [group[name] for _, group in frame.groupby(["age", "height"])]


def recursive(values: pd.Series, least: int) -> float:
    counts = np.sort(values.value_counts())[::-1]
    rest = counts[least - 1 :].sum()
    return counts[0] / rest if rest else np.inf


def test_without_constraints_groups_fall_short(clinic: Path) -> None:
    frame, _ = masked(clinic, Constraints())
    assert min(group.nunique() for group in groups_of(frame)) < 3
    assert max(recursive(group, 2) for group in groups_of(frame)) >= 2


@pytest.mark.parametrize("method", [method.name for method in METHODS if not method.one_number])
def test_l_diversity_holds_in_every_group_of_every_method(clinic: Path, method: str) -> None:
    frame, document = masked(clinic, Constraints(distinct=3), method=method)
    assert min(group.nunique() for group in groups_of(frame)) >= 3
    assert len(groups_of(frame)) > 3
    assert min(len(group) for group in groups_of(frame)) >= 4
    assert document["every_group"] == "at least 3 different values"


@pytest.mark.parametrize(("c", "least"), [(2.0, 2), (1.0, 2), (5.0, 3)])
def test_recursive_diversity_holds_in_every_group(clinic: Path, c: float, least: int) -> None:
    frame, _ = masked(clinic, Constraints(recursive=(c, least)))
    assert max(recursive(group, least) for group in groups_of(frame)) < c
    assert len(groups_of(frame)) > 1


@pytest.mark.parametrize("t", [0.5, 0.3, 0.15, 0.0])
def test_t_closeness_holds_in_every_group(clinic: Path, t: float) -> None:
    frame, document = masked(clinic, Constraints(closeness=t))
    table = frame["illness"].value_counts(normalize=True)
    for group in groups_of(frame):
        share = group.value_counts(normalize=True).reindex(table.index, fill_value=0)
        assert (share - table).abs().sum() / 2 <= t + 1e-9
    measured = {m["name"]: m["value"] for m in document["confidential"]["illness"]}
    assert measured["t-closeness, equal distance"] <= t + 1e-9
    assert (len(groups_of(frame)) == 1) == (t == 0)


def test_numbers_have_the_ordered_distance_and_several_attributes_hold_together(clinic: Path) -> None:
    asked = Constraints(distinct=2, closeness=0.2)
    _, document = masked(clinic, asked, confidential=("illness", "pay"), drop=())
    figures = {name: {m["name"]: m["value"] for m in own} for name, own in document["confidential"].items()}
    assert figures["pay"]["t-closeness, ordered distance"] <= 0.2 + 1e-9
    assert figures["illness"]["t-closeness, equal distance"] <= 0.2 + 1e-9
    assert figures["illness"]["distinct l-diversity"] >= 2
    assert "Groups were united" in clinic.with_name("masked.csv.report.html").read_text("utf-8")


def test_what_cannot_hold_is_refused_with_how_near_it_came(clinic: Path) -> None:
    with pytest.raises(DesignError, match=r'together they have 4 different values of "illness"') as error:
        masked(clinic, Constraints(distinct=5))
    assert "at least 5 different values" in error.value.expected
    with pytest.raises(DesignError, match=r"occurs [0-9.]+ times as often"):
        masked(clinic, Constraints(recursive=(0.1, 2)))
    assert not clinic.with_stem("masked").exists()


def test_groups_of_missing_numbers_are_not_united_with_others(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"age": [None] * 8 + list(range(40)), "height": 170, "illness": ["flu"] * 8 + ["flu", "back"] * 20}
    )
    path = written(tmp_path, frame, "csv")
    wanted = {"missing": "category", "drop": ()}
    masked(path, Constraints(), **wanted)
    with pytest.raises(DesignError, match=r'8 records: .*together they have 1 different values of "illness"'):
        masked(path, Constraints(distinct=2), **wanted)


def test_options_are_read_and_refused() -> None:
    assert Constraints.parse(3, "2.5,2", 0.3) == Constraints(distinct=3, recursive=(2.5, 2), closeness=0.3)
    assert not Constraints.parse(None, None, None).given
    for text in ("3", "3,1", "x,2", "-1,2", "3,2,1"):
        with pytest.raises(InputError, match="no pair"):
            Constraints.parse(None, text, None)
    with pytest.raises(InputError, match="between 0 and 1"):
        Constraints.parse(None, None, 1.5)
    with pytest.raises(InputError, match="about confidential"):
        Request(quasi_identifiers=("age",), k=3, method="mdav", constraints=Constraints(distinct=2))
