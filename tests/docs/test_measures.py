"""docs/measures.md names every measure that can be printed, with the direction it is printed with."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from server.cli.evaluate import evaluate
from server.statistics import measures
from server.statistics.measures.measure import Measure
from tests.docs.documents import text_of

VARIABLE = {
    "WIDTH": "[0-9.]+",
    "PART": "[a-z]+",
    "LAMBDA": "[0-9.]+",
    "LEARNER": "[a-z ]+",
    "INTERVAL": "[0-9.]+",
}


def documented() -> dict[str, str]:
    """Pattern of a measure's name -> its direction."""
    rows = re.findall(r"^\| `([^`]+)` \| ([a-z ]+) \|", text_of("docs/measures.md"), re.M)
    found = {}
    for name, direction in rows:
        pattern = re.escape(name)
        for word, what in VARIABLE.items():
            pattern = re.sub(rf"\b{word}\b", what, pattern)
        found[pattern] = direction
    assert len(found) == len(rows) > 30
    return found


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Name -> direction of all that the commands measure when they are asked for everything."""
    folder = tmp_path_factory.mktemp("measures")
    random = np.random.default_rng(1)
    n = 90
    pd.DataFrame(
        {
            "age": random.integers(18, 90, n),
            "height": random.normal(170, 9, n).round(1),
            "ill": random.choice(["flu", "rash"], n),
            "wage": random.integers(1, 60, n),
            "weight": random.uniform(1, 60, n),
            "tall": random.choice(["yes", "no"], n),
            "chance": random.choice([0.5, 0.75], n),
        }
    ).to_csv(folder / "t.csv", index=False)
    (folder / "ill.csv").write_text("flu;lungs;*\nrash;skin;*\n")
    common = ["--quasi-identifiers", "age,height", "--k", "3", "--participation-column", "chance"]
    common += ["--dependence", "0.4", "--sampling-weight", "weight", "--json"]
    source, out = str(folder / "t.csv"), str(folder / "out.csv")
    mask = [
        "--confidential",
        "wage",
        "--out",
        out,
        "--breach",
        "p3m-record",
        "--acceptable-cell-failure",
        "1e-2",
    ]
    measure = ["--confidential", "ill,wage", "--hierarchy", f"ill={folder / 'ill.csv'}", "--target", "ill"]
    runs = [(anonymize, [source, *common, *mask]), (evaluate, [source, out, *common, *measure])]
    (folder / "tall.csv").write_text("no;small;*\nyes;tall;*\n")
    fewer = [source, "--k", "3", "--out", out, "--json", "--quasi-identifiers"]
    along = ["tall", "--method", "mondrian", "--hierarchy", f"tall={folder / 'tall.csv'}"]
    runs += [(anonymize, [*fewer, "age", "--household", "wage", "--refine"]), (anonymize, [*fewer, *along])]
    found = {}
    for command, arguments in runs:
        document = json.loads(CliRunner().invoke(command, arguments, catch_exceptions=False).stdout)
        groups = [document["anonymity"], document["information"], document["disclosure"]]
        groups += [*document["confidential"].values(), *document["utility"].values()]
        found |= {measure["name"]: measure["direction"] for group in groups for measure in group}
    return found


def test_every_measure_is_documented_with_its_direction(printed: dict[str, str]) -> None:
    rows = documented()
    for name, direction in printed.items():
        matching = [pattern for pattern in rows if re.fullmatch(pattern, name)]
        assert matching, f"docs/measures.md: add the row | `{name}` | {direction} | what it says |"
        assert rows[matching[0]] == direction, f"docs/measures.md, `{name}`: the direction is {direction!r}"


def test_nothing_is_documented_that_is_not_measured(printed: dict[str, str]) -> None:
    for pattern in documented():
        told = any(re.fullmatch(pattern, name) for name in printed)
        assert told, f"docs/measures.md: remove `{pattern}`, or have `printed` ask for it"


def test_every_function_that_measures_says_its_direction() -> None:
    """In its docstring, or in that of its module where one direction holds throughout."""
    for found in pkgutil.iter_modules(measures.__path__, f"{measures.__name__}."):
        module = importlib.import_module(found.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != module.__name__ or name.startswith("_"):
                continue
            returns = str(inspect.signature(function).return_annotation)
            if Measure.__name__ in returns:
                told = re.search(
                    r"is unsafe|loses more", inspect.getdoc(function) or inspect.getdoc(module) or ""
                )
                assert told, f"{found.name}.{name}: say in the docstring what higher and lower values mean"


def test_the_page_names_its_source() -> None:
    assert Path("tests/server/statistics/measures/test_pycanon.py").name in text_of("docs/measures.md")
