"""Every option with every method: it changes what comes out, or it is refused by name. Nothing is ignored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from server.cli.evaluate import evaluate
from server.statistics.anonymize.methods import METHODS
from shared.errors import RoomfulError

pytestmark = pytest.mark.long

N = 120
NAMES = tuple(method.name for method in METHODS)
NUMBERS = ("--quasi-identifiers", "age,income")
ONE = ("--quasi-identifiers", "income")


def frame() -> pd.DataFrame:
    """Numbers, an order, categories, counts and chances."""
    random = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "id": np.arange(N),
            "age": random.integers(18, 90, N),
            "income": np.round(random.lognormal(3, 1, N), 1),
            "edu": random.choice(["low", "mid", "high"], N),
            "sex": random.choice(["f", "m"], N),
            "ill": random.choice(["flu", "asthma", "rash"], N),
            "wage": random.integers(1, 60, N),
            "people": random.integers(1, 9, N),
            "chance": random.choice([0.5, 0.7, 0.93], N),
            "person": np.arange(N) // 2,
            "weight": np.round(random.uniform(0.5, 90, N), 2),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table in two formats, and what lies beside it."""
    path = tmp_path_factory.mktemp("combinations")
    table = frame()
    table.to_csv(path / "t.csv", index=False)
    with pd.ExcelWriter(path / "two.xlsx") as book:
        table.to_excel(book, sheet_name="a", index=False)
        table.to_excel(book, sheet_name="b", index=False)
    (path / "ill.csv").write_text("flu;lungs;*\nasthma;lungs;*\nrash;skin;*\n")
    ages = "".join(f"{age};{age // 10}0-{age // 10}9;*\n" for age in range(18, 90))
    (path / "ages.csv").write_text(ages)
    odd = np.arange(N) % 2
    pd.DataFrame({"age": 0.1 + odd, "income": 1.1 - odd}).to_csv(path / "values.csv", index=False)
    pd.DataFrame({"record": 0.1 + odd}).to_csv(path / "records.csv", index=False)
    pd.DataFrame({"record": 0.1 + 0.8 * odd}).to_csv(path / "weights.csv", index=False)
    return path


@cache
def run(folder: Path, method: str, *more: str, file: str = "t.csv") -> tuple[bytes, str]:
    """Written file and JSON."""
    out = folder / f"out{Path(file).suffix}"
    fixed = [str(folder / file), "--k", "3", "--method", method, "--out", str(out), "--json"]
    result = CliRunner().invoke(anonymize, [*fixed, *more], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return out.read_bytes(), result.stdout


def quasi(method: str) -> tuple[str, ...]:
    return ONE if method == "univariate" else NUMBERS


# Arguments of an option, arguments that both runs have, and methods that must refuse it, with their words.
Case = tuple[Sequence[str], Sequence[str], dict[str, str]]
OTHERS = "has no option"
CASES: dict[str, Case] = {
    "--confidential": (["--confidential", "ill"], [], {}),
    "--drop": (["--drop", "id"], [], {}),
    "--nominal": (["--nominal", "income"], [], {"univariate": "one numeric"}),
    "--numeric": ([], [], {}),  # see test_kinds
    "--ordinal": (["--ordinal", "ill=flu,asthma,rash"], ["--confidential", "ill"], {}),
    "--counts": (["--counts", "people"], [], {}),
    "--person": (["--person", "person"], [], {}),
    "--household": (["--household", "person"], [], {}),
    "--sampling-weight": (["--sampling-weight", "weight"], [], {}),
    "--missing-values": (["--missing-values", f"income={frame()['income'][0]}"], ["--missing", "drop"], {}),
    "--median": (["--median", "income"], [], {}),
    "--restore-variance": (["--restore-variance"], [], {}),
    "--risk-file": ([], [], {}),  # see test_risk_file
    "--l-diversity": (["--l-diversity", "3"], ["--confidential", "ill"], {}),
    "--recursive-diversity": (["--recursive-diversity", "1.5,2"], ["--confidential", "ill"], {}),
    "--t-closeness": (["--t-closeness", "0.2"], ["--confidential", "ill"], {}),
    "--participation": (["--participation", "0.5", "--acceptable-cell-failure", "1e-2"], [], {}),
    "--participation-column": (
        ["--participation-column", "chance", "--acceptable-cell-failure", "1e-2"],
        [],
        {},
    ),
    "--acceptable-cell-failure": (
        ["--acceptable-cell-failure", "1e-4"],
        ["--participation", "0.5"],
        {},
    ),
    "--missing": ([], [], {}),  # see test_kinds
    "--relaxed": (["--relaxed"], [], {name: OTHERS for name in NAMES if name != "mondrian"}),
    "--gamma": (["--gamma", "5"], [], {name: OTHERS for name in NAMES if name != "v-mdav"}),
    "--refine": (["--refine"], [], {}),
    "--effort": (["--effort", "1"], ["--refine"], {}),
    "--dependence": (["--dependence", "0.5"], ["--confidential", "wage"], {"univariate": "univariate"}),
    "--block": (["--block", "age", "--block", "income"], [], {"univariate": "not among"}),
    "--district": (
        ["--district", "60"],
        [],
        {"mondrian": "over the whole file", "univariate": "over the whole file"},
    ),
    "--seed": (
        ["--seed", "5"],
        [],
        {name: "does not depend on chance" for name in NAMES if name != "mu-approx"},
    ),
    "--breach": (["--breach", "p3m"], [], {}),
    "--minimum-distance": (["--minimum-distance", "0.4"], ["--breach", "p3m"], {}),
    "--minimum-distances": (["--minimum-distances", "records.csv"], ["--breach", "p3m-record"], {}),
    "--importances": (["--importances", "weights.csv"], ["--breach", "p3m-record"], {}),
    "--trade-off": (["--trade-off", "0.99"], ["--breach", "p3m"], {}),
    "--digits": (["--digits", "-1"], [], {}),
    "--unrounded": (["--unrounded"], [], {}),
    "--keep-order": (["--keep-order"], [], {}),
    "--known": (["--known", "income"], ["--block", "age", "--block", "income"], {"univariate": "not among"}),
    "--hierarchy": (["--hierarchy", "ill=ill.csv"], ["--confidential", "ill"], {}),
}
FIXED = {"--quasi-identifiers", "--k", "--method", "--out", "--json", "--cluster"}
READING = {"--separator", "--decimal", "--encoding", "--sheet"}
SAME = {("mu-approx", "--seed"), ("v-mdav", "--gamma"), ("pcl", "--refine"), ("univariate", "--refine")}
"""Where the option may find nothing to change; its own tests show what it does."""


def test_the_walk_names_every_option() -> None:
    options = {name for p in anonymize.params if isinstance(p, click.Option) for name in p.opts}
    assert options == {*CASES, *FIXED, *READING}


@pytest.mark.parametrize("option", [name for name, case in CASES.items() if case[0]])
@pytest.mark.parametrize("method", NAMES)
def test_every_option_works_or_is_refused(folder: Path, method: str, option: str, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    arguments, common, refused = CASES[option]
    if option == "--acceptable-cell-failure":
        before = run(folder, method, *quasi(method), *common, "--acceptable-cell-failure", "1e-1")
    elif method in refused:
        with pytest.raises(RoomfulError, match=re.escape(refused[method])):
            run(folder, method, *quasi(method), *common, *arguments)
        return
    else:
        before = run(folder, method, *quasi(method), *common)
    after = run(folder, method, *quasi(method), *common, *arguments)
    assert after != before or (method, option) in SAME


def test_what_mu_approx_draws_depends_on_the_seed(folder: Path) -> None:
    """Two seeds may divide alike, which `SAME` allows; eight do not."""
    assert len({run(folder, "mu-approx", *NUMBERS, "--seed", str(seed))[0] for seed in range(8)}) > 1


def test_kinds_and_missing_values_change_what_comes_out(folder: Path) -> None:
    table = frame()
    table["code"] = (table["sex"] == "m").map({True: "01", False: "02"})
    table.loc[:4, "edu"] = None
    table.to_csv(folder / "kinds.csv", index=False)
    arguments = ["--quasi-identifiers", "age,edu"]
    with pytest.raises(RoomfulError, match=r"have no .edu."):
        run(folder, "mdav", *arguments, file="kinds.csv")
    dropped, _ = run(folder, "mdav", *arguments, "--missing", "drop", file="kinds.csv")
    kept, _ = run(folder, "mdav", *arguments, "--missing", "category", file="kinds.csv")
    assert dropped.count(b"\n") == N - 5 + 1
    assert kept.count(b"\n") == N + 1
    with pytest.raises(RoomfulError, match="no numbers"):
        run(folder, "mdav", *arguments, "--numeric", "edu", "--missing", "drop", file="kinds.csv")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--participation", "0.5"), "needs --acceptable-cell-failure"),
        (("--acceptable-cell-failure", "1e-6"), "means nothing without --participation"),
        (
            (
                "--participation",
                "0.5",
                "--participation-column",
                "chance",
                "--acceptable-cell-failure",
                "1e-6",
            ),
            "exclude each other",
        ),
        (("--participation", "1.5", "--acceptable-cell-failure", "1e-6"), "no probability"),
        (("--participation", "0.6..0.5", "--acceptable-cell-failure", "1e-6"), "upside down"),
        (("--participation", "0.5", "--acceptable-cell-failure", "0"), "no probability"),
        (("--participation-column", "age", "--acceptable-cell-failure", "1e-6"), "named twice"),
        (("--participation-column", "wage", "--acceptable-cell-failure", "1e-6"), "line 2"),
        (("--participation", "0.01", "--acceptable-cell-failure", "1e-9"), "a group needs"),
        (("--counts", "chance"), "whole number from 1 on"),
        (("--counts", "sex"), "no numbers"),
        (("--counts", "age"), "named twice"),
        (("--counts", "nobody"), "no column"),
        (("--block", "age"), '"income" is in no block'),
        (("--block", "age,income"), "one block of all"),
        (("--block", "age", "--block", "income,age"), "in two blocks"),
        (("--block", "age", "--block", "income,sex"), "not among"),
        (("--block", "age", "--block", "income", "--breach", "p3m-record"), "whole records"),
        (("--district", "59"), "at least 60 records"),
        (("--district", "60", "--confidential", "ill", "--t-closeness", "0.2"), "unite groups"),
        (("--minimum-distance", "0.3"), "--minimum-distance means nothing"),
        (("--minimum-distances", "values.csv"), "--minimum-distances means nothing"),
        (("--importances", "values.csv"), "--importances means nothing"),
        (("--trade-off", "0.3"), "--trade-off means nothing"),
        (("--breach", "p3m", "--minimum-distance", "x"), "no distance"),
        (("--breach", "p3m", "--minimum-distance", "1", "--minimum-distance", "2"), "second one"),
        (("--breach", "p3m", "--minimum-distance", "sex=1"), "not among"),
        (("--breach", "p3m-record", "--minimum-distance", "age=1"), "one distance for the whole record"),
        (("--breach", "p3m-record", "--minimum-distances", "values.csv"), "2 columns"),
        (("--breach", "p3m", "--minimum-distances", "records.csv"), "not among"),
        (("--breach", "p3m", "--minimum-distances", "short.csv"), "2 records, and 120"),
        (("--breach", "p3m", "--minimum-distances", "gap.csv"), "gap.csv, line 4"),
        (("--breach", "p3m", "--importances", "minus.csv"), "from 0 to 1"),
        (("--breach", "p3m", "--minimum-distances", "none.csv"), "no such file"),
        (("--hierarchy", "ill=ill.csv"), "not a quasi-identifier or confidential"),
        (("--hierarchy", "age=ages.csv"), "Add --method mondrian"),
        (("--hierarchy", "age=ages.csv", "--refine"), "not along a hierarchy"),
        (("--hierarchy", "age=ages.csv", "--numeric", "age"), "nodes of its hierarchy"),
        (("--restore-variance", "--breach", "p3m"), "keeps the variance already"),
        (("--restore-variance", "--median", "age,income"), "no quasi-identifier publishes means"),
        (("--restore-variance", "--k", "120"), "too little to restore"),
        (("--risk-file", "t.csv"), "would be overwritten"),
        (("--risk-file", "out.csv.json"), "two files would be written"),
        (("--risk-file", "nowhere/r.csv"), "no such folder"),
        (("--hierarchy", "ill"), "assigns nothing"),
        (("--hierarchy", "ill=ill.csv", "--hierarchy", "ill=x", "--confidential", "ill"), "given twice"),
        (("--hierarchy", "ill=none.csv", "--confidential", "ill"), "no such file"),
        (("--hierarchy", "wage=ill.csv", "--confidential", "wage"), "not in the hierarchy"),
        (("--ordinal", "edu=low,mid,high"), "neither a quasi-identifier nor confidential"),
        (("--ordinal", "edu=low,mid", "--confidential", "edu"), 'holds "high"'),
        (("--ordinal", "edu=low,mid,high,low", "--confidential", "edu"), '"low" twice'),
        (("--ordinal", "edu", "--confidential", "edu"), "knows no order"),
        (("--ordinal", "age"), "their order already"),
        (("--ordinal", "age=1,2", "--nominal", "age"), "ordinal, so it cannot"),
        (("--ordinal", "=low,mid"), "assigns nothing"),
        (("--dependence", "2", "--confidential", "wage"), "between 0 and 1"),
        (("--dependence", "0.5", "--confidential", "edu"), "--ordinal edu"),
        (("--dependence", "0.5"), "confidential"),
        (("--sheet", "a"), "for Excel"),
        (("--counts", "people", "--person", "person"), "one of them"),
        (("--person", "nobody"), "no column"),
        (("--sampling-weight", "sex"), "no numbers"),
        (("--sampling-weight", "person"), "above 0"),
        (("--l-diversity", "3"), "--confidential"),
        (("--median", "wage"), "no numeric or ordinal"),
        (("--median", "age", "--breach", "p3m"), "one of them"),
        (("--l-diversity", "9", "--confidential", "ill"), "together they have 3 different"),
        (("--missing-values", "age=1", "--missing-values", "age=2"), "named twice"),
        (("--digits", "x"), "no number of decimals"),
        (("--digits", "16"), "no number of decimals"),
        (("--digits", "1", "--digits", "2"), "a second one"),
        (("--digits", "wage=1"), "not among"),
        (("--digits", "age=1", "--nominal", "age"), "have no decimals"),
        (("--digits", "1", "--unrounded"), "contradict"),
    ],
)
def test_what_means_nothing_is_refused_by_name(folder: Path, more, words: str, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    pd.DataFrame({"age": [1, 2]}).to_csv("short.csv", index=False)
    pd.DataFrame({"age": [1.0, 2.0, None, *([1.0] * (N - 3))], "income": 1}).to_csv("gap.csv", index=False)
    pd.DataFrame({"age": [-0.5] * N}).to_csv("minus.csv", index=False)
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(RoomfulError, match=re.escape(words)):
        run(folder, "mdav", *NUMBERS, *more)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_options_of_reading_belong_to_their_format(folder: Path) -> None:
    for option, value in (("--separator", ";"), ("--decimal", ","), ("--encoding", "latin-1")):
        with pytest.raises(RoomfulError, match=f"{option} is for CSV"):
            run(folder, "mdav", *NUMBERS, "--sheet", "a", option, value, file="two.xlsx")
    with pytest.raises(RoomfulError, match="sheet"):
        run(folder, "mdav", *NUMBERS, file="two.xlsx")
    run(folder, "mdav", *NUMBERS, "--sheet", "a", file="two.xlsx")
    table = frame()
    table.to_csv(folder / "semi.csv", index=False, sep=";", decimal=",", encoding="latin-1")
    more = ("--separator", ";", "--decimal", ",", "--encoding", "latin-1")
    run(folder, "mdav", *NUMBERS, *more, file="semi.csv")


MEASURED: dict[str, tuple[list[str], list[str]]] = {
    "--confidential": (["--confidential", "ill"], []),
    "--nominal": (["--nominal", "income"], []),
    "--ordinal": (["--ordinal", "ill=rash,flu,asthma"], ["--confidential", "ill"]),
    "--counts": (["--counts", "people"], []),
    "--person": (["--person", "person"], []),
    "--household": (["--household", "person"], []),
    "--sampling-weight": (["--sampling-weight", "weight"], []),
    "--missing-values": (["--missing-values", "ill=flu"], ["--confidential", "ill"]),
    "--block": (["--block", "age", "--block", "income"], []),
    "--k": (["--k", "4"], ["--participation", "0.5"]),
    "--participation": (["--participation", "0.5", "--k", "3"], []),
    "--participation-column": (["--participation-column", "chance", "--k", "3"], []),
    "--dependence": (["--dependence", "0.3"], ["--confidential", "wage"]),
    "--hierarchy": (["--hierarchy", "ill=ill.csv"], ["--confidential", "ill"]),
    "--known": (["--known", "age"], []),
    "--width": (["--width", "0.5"], []),
    "--interval": (["--interval", "0.5"], ["--confidential", "wage"]),
    "--target": (["--target", "ill"], []),
}


def test_every_option_of_evaluate_changes_what_is_measured(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    # What was remembered may have been overwritten since.
    Path("out.csv").write_bytes(run(folder, "mdav", *NUMBERS)[0])

    def measured(*more: str) -> str:
        arguments = ["t.csv", "out.csv", *NUMBERS, *more, "--json"]
        return CliRunner().invoke(evaluate, arguments, catch_exceptions=False).stdout

    options = {name for p in evaluate.params if isinstance(p, click.Option) for name in p.opts}
    assert options == {
        *MEASURED,
        *READING,
        "--quasi-identifiers",
        "--report",
        "--json",
        "--risk-file",
        "--cluster",
    }
    for option, (arguments, common) in MEASURED.items():
        before = ["--k", "3", *common] if option == "--k" else common
        assert measured(*common, *arguments) != measured(*before), option
    for wrong, words in (
        (("--k", "3"), "only together"),
        (("--participation", "0.5"), "only together"),
        (("--sheet", "a"), "neither file"),
        (("--counts", "people", "--target", "ill"), "cannot be divided"),
        (("--dependence", "0.5", "--confidential", "ill"), "numbers without gaps"),
        (("--dependence", "7", "--confidential", "wage"), "between 0 and 1"),
    ):
        with pytest.raises(RoomfulError, match=words):
            measured(*wrong)
