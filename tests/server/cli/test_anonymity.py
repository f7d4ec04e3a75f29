"""``roomful anonymity``: figures for one combination."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.anonymity import anonymity, effective_anonymity, low_participation_warning
from shared.errors import InputError


def run(*arguments: str) -> Result:
    """The command, with errors of ours let through."""
    return CliRunner().invoke(anonymity, arguments)


def options(row: dict[str, Any]) -> list[str]:
    """A row of the reference as options."""
    return [
        "--k",
        str(row["k"]),
        "--participation",
        row["participation"],
        "--failure",
        row["acceptable_cell_failure"],
        "--json",
    ]


def assert_same(printed: dict[str, Any], row: dict[str, Any]) -> None:
    """The keys of the reference, exact in whole numbers and to 1e-12 in the others."""
    for name, value in row.items():
        if isinstance(value, int) or name in ("participation", "acceptable_cell_failure"):
            assert printed[name] == value, name
        else:
            exact = Fraction(value)
            assert abs(Fraction(printed[name]) - exact) <= exact * Fraction(1, 10**12), name


def test_json_has_the_keys_and_values_of_the_reference(reference_figures: Path) -> None:
    rows = json.loads((reference_figures / "effective_anonymity.json").read_text("utf-8"))
    for row in [*rows["grid"][::16], *rows["low_participation"]]:
        result = run(*options(row))
        assert result.exit_code == 0
        assert_same(json.loads(result.stdout), row)


@pytest.mark.parametrize(
    ("k", "participation", "failure"), [(2, "0.9", "1e-100"), (7, "0.33", "1e-60"), (50, "0.5", "1e-6")]
)
def test_json_agrees_with_the_oracle(
    anonymity_oracle: ModuleType, k: int, participation: str, failure: str
) -> None:
    expected = anonymity_oracle.row(k, participation, failure)
    result = run("--k", str(k), "--participation", participation, "--failure", failure, "--json")
    assert_same(json.loads(result.stdout), expected)


def test_low_participation_warns() -> None:
    arguments = ("--k", "2", "--participation", "0.05", "--failure", "0.1")
    printed = run(*arguments, "--json")
    value = json.loads(printed.stdout)
    assert (value["n_min"], value["n_min_safe"]) == (2, 71)
    assert "Use 71" in value["warnings"][0]
    assert printed.stderr.startswith("Warning: a cell of 2 people is acceptable only because")
    assert run(*arguments).stderr == printed.stderr


def test_plain_text_names_every_figure() -> None:
    result = run("--k", "50", "--participation", "0.5", "--failure", "1e-6")
    assert result.exit_code == 0
    assert result.stderr == ""
    numbers = [line.split()[-1] for line in result.stdout.splitlines()]
    assert numbers == ["159", "159", "4.46e-7", "0.948", "7.35e-7", "48.3", "2.23e-7"]


def test_no_warning_where_both_numbers_are_the_same() -> None:
    assert low_participation_warning(159, 159) is None
    value = json.loads(run("--k", "10", "--participation", "0.5", "--failure", "1e-6", "--json").stdout)
    assert value["warnings"] == []


def test_a_range_counts_at_its_worst() -> None:
    value = effective_anonymity(10, "0.4..0.6", "1e-6")
    assert value["participation"] == "0.4..0.6"
    assert value["n_min"] == effective_anonymity(10, "0.4", "1e-6")["n_min"]


@pytest.mark.parametrize(
    ("participation", "failure", "where"),
    [
        ("0", "0.1", "--participation"),
        ("half", "0.1", "--participation"),
        ("0.6..0.4", "0.1", "--participation"),
        ("0.4..", "0.1", None),
        ("..0.4", "0.1", "--participation"),
        ("0.4..2", "0.1", "--participation"),
        ("0.5", "0", "--failure"),
        ("0.5", "1.5", "--failure"),
        ("1e-9", "1e-9", "--failure"),
    ],
)
def test_impossible_combinations_are_refused(participation: str, failure: str, where: str | None) -> None:
    if where is None:
        assert effective_anonymity(3, participation, failure)["k"] == 3
        return
    with pytest.raises(InputError) as caught:
        effective_anonymity(3, participation, failure)
    assert caught.value.where == where


@pytest.mark.parametrize("k", ["1", "0", "1001", "three"])
def test_k_is_bounded(k: str) -> None:
    result = run("--k", k, "--participation", "0.5", "--failure", "0.1")
    assert result.exit_code == 2
    assert "Invalid value for '--k'" in result.stderr


def test_what_cannot_fail_is_a_plain_zero() -> None:
    result = CliRunner().invoke(anonymity, ["--k", "2", "--participation", "1", "--failure", "0.5", "--json"])
    figures = json.loads(result.stdout)
    assert figures["attained_cell_failure"] == figures["record_failure"] == "0"


def test_a_correlation_and_households_need_more_people() -> None:
    arguments = ["--k", "10", "--participation", "0.5", "--failure", "1e-6", "--json"]
    told = json.loads(run(*arguments, "--correlation", "0.005").stdout)
    assert (told["n_min"], told["n_min_safe"], told["correlation"]) == (58, 58, "0.005")
    together = json.loads(run(*arguments, "--household-size", "2").stdout)
    assert (together["n_min"], together["household_size"]) == (75, 2)
    assert float(together["record_failure_if_half_take_part"]) > 0.01


@pytest.mark.parametrize(
    ("participation", "correlation"), [("0.5", "0.3"), ("0.5", "-1"), ("0.5", "much"), ("0.05", "0.1")]
)
def test_an_impossible_correlation_is_refused(participation: str, correlation: str) -> None:
    asked = ("--k", "3", "--participation", participation, "--failure", "0.01")
    result = run(*asked, "--correlation", correlation)
    assert isinstance(result.exception, InputError)
    assert result.exception.where == "--correlation"
