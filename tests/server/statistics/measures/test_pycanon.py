"""Where we agree with pyCANON, and why we do not where we do not: figures recorded by `pycanon_vectors`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.statistics.measures import diversity as d
from server.statistics.measures.disclosure_risk import achieved_k, equivalence_classes

TABLES = {
    table["name"]: table
    for table in json.loads(Path(__file__).with_name("pycanon.json").read_text("utf-8"))["tables"]
}
INCOMPLETE = "a number is missing"
COMPLETE = [name for name in TABLES if name != INCOMPLETE]


def measured(name: str) -> tuple[dict[str, Any], dict[str, float], bool]:
    """Figures of pyCANON, ours by the same names, and whether some class lacks a value."""
    table = TABLES[name]
    columns = table["columns"]
    classes = equivalence_classes([d.coded(np.array(columns[q], dtype=object))[0] for q in ("q1", "q2")])
    numbers = not isinstance(columns["s"][0], str)
    values = np.array(columns["s"], dtype=float if numbers else object)
    contingency = d.Contingency.of(classes.labels, d.coded(values)[0])
    ours = {
        "k-anonymity": achieved_k(classes),
        "distinct l-diversity": d.distinct_l_diversity(contingency),
        "entropy l-diversity": d.entropy_l_diversity(contingency),
        "t-closeness": d.t_closeness(contingency, "ordered" if numbers else "equal"),
        "delta-disclosure": d.delta_disclosure(contingency),
        "occurring": d.delta_disclosure_of_occurring_values(contingency),
    }
    lacking = len(contingency.counts) < contingency.n_groups * contingency.n_values
    return table["figures"], {key: measure.value for key, measure in ours.items()}, lacking


@pytest.mark.parametrize("name", COMPLETE)
def test_anonymity_distinct_diversity_and_closeness_agree(name: str) -> None:
    theirs, ours, _ = measured(name)
    for key in ("k-anonymity", "distinct l-diversity", "t-closeness"):
        assert ours[key] == pytest.approx(theirs[key], abs=1e-12), key


@pytest.mark.parametrize("name", COMPLETE)
def test_its_entropy_diversity_is_ours_cut_to_an_integer(name: str) -> None:
    """So it can be too low by up to one value; even 2 becomes 1 when rounding makes it 1.9999999999999998."""
    theirs, ours, _ = measured(name)
    assert 0 <= ours["entropy l-diversity"] - theirs["entropy l-diversity"] < 1 + 1e-12
    exact = "a quasi-identifier is missing"
    if name == exact:
        assert ours["entropy l-diversity"] == pytest.approx(2)
        assert theirs["entropy l-diversity"] == 1


@pytest.mark.parametrize("name", COMPLETE)
def test_its_delta_passes_over_values_that_a_class_lacks(name: str) -> None:
    """By the definition |ln(0 / share)| is infinite: somebody's not having the value is disclosed."""
    theirs, ours, lacking = measured(name)
    assert ours["occurring"] == pytest.approx(theirs["delta-disclosure"], abs=1e-12)
    assert ours["delta-disclosure"] == (math.inf if lacking else pytest.approx(theirs["delta-disclosure"]))


def test_the_tables_hold_both_cases() -> None:
    assert {measured(name)[2] for name in COMPLETE} == {True, False}


def test_its_missing_numbers_are_a_value_and_its_shares_do_not_add_up() -> None:
    """The class of 2 with one number: it says l = 2, where everybody who has a number has the same."""
    theirs, ours, _ = measured(INCOMPLETE)
    assert (theirs["distinct l-diversity"], ours["distinct l-diversity"]) == (2, 1)
    assert theirs["t-closeness"] == pytest.approx(0.25)
    assert ours["t-closeness"] == pytest.approx(1 / 3)  # (1) against (1, 1, 2), over one step


def test_the_source_is_named() -> None:
    source = json.loads(Path(__file__).with_name("pycanon.json").read_text("utf-8"))["source"]
    assert source.startswith("pyCANON 1.3.6")
