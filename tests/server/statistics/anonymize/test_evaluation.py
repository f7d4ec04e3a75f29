"""All measures of two files; reports; both commands as a person runs them."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from server.cli.anonymize import anonymize
from server.cli.columns import listed
from server.cli.evaluate import evaluate as evaluate_command
from server.statistics.anonymize.comparing import Comparison
from server.statistics.anonymize.comparing import evaluate_files as compare
from server.statistics.anonymize.evaluation import Settings
from server.statistics.anonymize.measuring import evaluate
from server.statistics.anonymize.report import shown
from server.tables.files import open_data
from shared.errors import InputError
from tests.data_files import N

QUASI = "age,height,sex"


def masked(path: Path, *more: str) -> Result:
    out = path.with_stem("masked")
    drop = [] if path.suffix == ".parquet" else ["--drop", "name"]
    arguments = [str(path), "--quasi-identifiers", QUASI, "--confidential", "illness", *drop]
    arguments += ["--k", "5", "--out", str(out), *more]
    return CliRunner().invoke(anonymize, arguments, catch_exceptions=False)


def evaluate_files(original: Path, masked: Path, *, settings=None, report=None, **asked):
    """Measure two files."""
    return compare(original, masked, Comparison(**asked), settings=settings, report=report)


def values(measures: list[dict[str, object]]) -> dict[str, object]:
    return {str(measure["name"]): measure["value"] for measure in measures}


def test_the_command_masks_every_format_and_reports(town_file: Path) -> None:
    result = masked(town_file, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    out = town_file.with_stem("masked")
    assert document == json.loads(Path(f"{out}.json").read_text("utf-8"))
    anonymity = values(document["anonymity"])
    assert anonymity["achieved k"] >= 5
    assert anonymity["average chance of linkage"] == pytest.approx(
        sum(row["classes"] for row in document["class_sizes"]) / N
    )
    assert values(document["disclosure"])["DLD, percent"] <= 20
    assert len([name for name in values(document["information"]) if name.startswith("PIL")]) == 6
    assert values(document["confidential"]["illness"])["distinct l-diversity"] >= 1
    page = Path(f"{out}.report.html").read_text("utf-8")
    assert "Before and after" in page
    assert page.count("<svg") == 3  # classes, age, height
    assert "do not publish it" in page
    # Nothing that a browser would load or run.
    assert not re.findall(r"<script|<link|<img|src=|url\(http", page)


def test_the_command_prints_figures_with_their_direction(town_csv: Path) -> None:
    result = masked(town_csv)
    assert "achieved k (lower is unsafe)" in result.stdout
    assert "SSE/SST (higher loses more)" in result.stdout
    assert 'named in no role: "note"' in result.stderr
    assert "report.html" in result.stdout


def test_labels_of_statistical_files_stand_in_the_report(tmp_path: Path) -> None:
    from tests.data_files import write_sav

    path = tmp_path / "a.sav"
    write_sav(path)
    masked(path)
    page = (tmp_path / "masked.sav.report.html").read_text("utf-8")
    assert "female (1)" in page
    assert "Age in years (age)" in page


def test_evaluate_agrees_with_what_anonymize_measured(town_csv: Path) -> None:
    document = json.loads(masked(town_csv, "--keep-order", "--json").stdout)
    out = town_csv.with_stem("masked")
    arguments = [str(town_csv), str(out), "--quasi-identifiers", QUASI, "--confidential", "illness"]
    runner = CliRunner()
    again = json.loads(runner.invoke(evaluate_command, [*arguments, "--json"]).stdout)
    assert all(document[name] == value for name, value in again.items() if name != "warnings")
    report = town_csv.with_name("evaluation.html")
    text = runner.invoke(evaluate_command, [*arguments, "--target", "illness", "--report", str(report)])
    assert text.exit_code == 0
    assert "illness: distinct l-diversity (lower is unsafe)" in text.stdout
    assert "accuracy of logistic regression (lower loses more)" in text.stdout
    assert "Evaluation report" in report.read_text("utf-8")


def test_unmasked_data_are_fully_exposed(town_csv: Path) -> None:
    found = evaluate_files(town_csv, town_csv, quasi_identifiers=("age", "height"))
    everything = {m.name: m.value for m in (*found.anonymity, *found.information, *found.disclosure)}
    assert everything["achieved k"] == 1
    assert everything["SSE/SST"] == everything["PIL, percent"] == 0
    assert everything["DLD, percent"] > 90
    assert everything["satisfaction level SL, percent"] == 0
    assert found.before.means == pytest.approx(found.after.means)


def test_an_intruder_who_knows_less_links_less(town_csv: Path) -> None:
    def linkage(*known: str) -> float:
        found = evaluate_files(
            town_csv, town_csv, quasi_identifiers=("age", "sex"), settings=Settings(known=known)
        )
        return found.disclosure[0].value

    assert linkage("sex") == pytest.approx(100 * 2 / N)
    assert linkage() > linkage("sex")


def test_nominal_attributes_alone_have_no_moments(town_csv: Path) -> None:
    found = evaluate_files(town_csv, town_csv, quasi_identifiers=("sex",), confidential=("age",))
    assert found.before is None
    assert [measure.name for measure in found.disclosure] == ["DLD, percent"]
    assert any("interval" in measure.name for measure in dict(found.confidential)["age"])
    assert "before" not in found.as_json()


def test_files_that_cannot_be_compared_are_refused(town_csv: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    lines = town_csv.read_text().splitlines(keepends=True)
    other.write_text("".join(lines[:-1]))
    with pytest.raises(InputError, match=r"40 records and other\.csv 39"):
        evaluate_files(town_csv, other, quasi_identifiers=("age",))
    other.write_text(town_csv.read_text().replace("illness", "disease"))
    with pytest.raises(InputError, match="no column"):
        evaluate_files(town_csv, other, quasi_identifiers=("age",), confidential=("illness",))
    other.write_text(lines[0] + "".join("p,[20-30],1.7,f,flu,\n" for _ in range(N)))
    with pytest.raises(InputError, match=r"line 2: the masked .age. is .\[20-30\]., no number"):
        evaluate_files(town_csv, other, quasi_identifiers=("age",))
    found = evaluate_files(town_csv, other, quasi_identifiers=("age",), nominal=("age",))
    assert found.anonymity[0].value == N


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"quasi_identifiers": ()}, "no quasi-identifier"),
        ({"nominal": ("sex",)}, "--nominal"),
        ({"settings": Settings(known=("sex",))}, "--known"),
        ({"settings": Settings(target="age")}, "masked itself"),
        ({"settings": Settings(target="name")}, "fewer than 5 folds"),
        ({"report": Path("/nowhere/at/all.html")}, "no such folder"),
    ],
)
def test_nonsense_is_refused(town_csv: Path, wanted, words: str) -> None:
    with pytest.raises(InputError, match=words):
        evaluate_files(town_csv, town_csv, **({"quasi_identifiers": ("age",)} | wanted))


def test_nonsense_settings_are_refused() -> None:
    for wrong in ({"width": 0.0}, {"width": float("nan")}, {"interval": -1.0}):
        with pytest.raises(InputError):
            Settings(**wrong)


def test_options_without_their_partner_are_refused(town_csv: Path) -> None:
    for option in ("--trade-off", "--minimum-distance"):
        with pytest.raises(InputError, match=f"{option} means nothing"):
            masked(town_csv, option, "0.3")
    with pytest.raises(InputError, match="no option --gamma"):
        masked(town_csv, "--gamma", "0.3")
    with pytest.raises(InputError, match="no option --relaxed"):
        masked(town_csv, "--relaxed")
    with pytest.raises(InputError, match="--known"):
        masked(town_csv, "--known", "illness")


def test_dropped_records_are_left_out_of_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    random = np.random.default_rng(1)
    rows = [f"{'' if i % 7 == 0 else random.integers(1, 90)},{i % 3},{i % 2}" for i in range(60)]
    path.write_text("age,ill,note\n" + "\n".join(rows) + "\n")
    arguments = [str(path), "--quasi-identifiers", "age", "--confidential", "ill", "--k", "4"]
    arguments += ["--missing", "drop", "--out", str(tmp_path / "b.csv"), "--json"]
    result = CliRunner().invoke(anonymize, arguments, catch_exceptions=False)
    document = json.loads(result.stdout)
    assert document["records"] == 60 - 9
    assert values(document["information"])["SSE/SST"] < 0.1


def test_a_decimal_comma_survives_rounding_to_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x;y\n" + "".join(f"{i},{i % 10};1\n" for i in range(30)))
    arguments = [
        str(path),
        "--quasi-identifiers",
        "x",
        "--drop",
        "y",
        "--k",
        "3",
        "--out",
        str(tmp_path / "b.csv"),
    ]
    result = CliRunner().invoke(anonymize, [*arguments, "--json"], catch_exceptions=False)
    assert values(json.loads(result.stdout)["information"])["SSE/SST"] < 0.05
    assert re.match(r"x\n[0-9]+(,[0-9])?\n", (tmp_path / "b.csv").read_text())


def test_a_long_run_is_announced(town_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server.statistics.anonymize.prepared import Prepared

    monkeypatch.setattr(Prepared, "estimate", lambda _: 600.0)
    assert "will take about 10 minutes" in masked(town_csv).stderr
    monkeypatch.setattr(Prepared, "estimate", lambda _: 1.0)
    assert "will take" not in masked(town_csv).stderr


@pytest.mark.parametrize(
    ("text", "names"), [("a,b", ("a", "b")), (' a , "b,c"', ("a", "b,c")), ("", ()), ("é", ("é",))]
)
def test_lists_of_names(text: str, names: tuple[str, ...]) -> None:
    assert listed(text) == names


@pytest.mark.parametrize("text", ["a,,b", ",", '"a'])
def test_broken_lists_of_names(text: str) -> None:
    with pytest.raises(InputError):
        listed(text)


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (0.12345, "0.1235"), (float("inf"), "infinite"), (195987.4, "195987")]
)
def test_figures_for_people(value: float, text: str) -> None:
    assert shown(value) == text


def test_evaluate_keeps_to_the_rows_given(town_csv: Path) -> None:
    rows = np.arange(0, N, 2)
    out = town_csv.with_stem("half")
    file = open_data(town_csv)
    file.write(out, replace={}, rows=rows)
    found = evaluate(file, open_data(out), quasi_identifiers=("age", "sex"), rows=rows)
    assert found.information[0].value == 0


@pytest.mark.parametrize("where", ["evaluate", "anonymization_report", "mask"])
def test_whoever_stops_it_finds_nothing_half_written(
    town_csv: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    from server.statistics.anonymize import workflow

    first = getattr(workflow, where)

    def stopped(*arguments, **more):
        first(*arguments, **more)
        os.kill(os.getpid(), signal.SIGTERM if where == "evaluate" else signal.SIGINT)
        time.sleep(5)

    monkeypatch.setattr(workflow, where, stopped)
    assert masked(town_csv).exit_code != 0
    assert sorted(path.name for path in town_csv.parent.iterdir()) == ["town.csv"]


def test_a_stopped_evaluation_leaves_nothing(town_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server.statistics.anonymize import comparing

    went_on = []

    def stopped(*_, **__):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.2)
        went_on.append(True)

    monkeypatch.setattr(comparing, "evaluation_report", stopped)
    # Without a handler of the command the signal would end the tests themselves.
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        arguments = [str(town_csv), str(town_csv), "--quasi-identifiers", "age"]
        report = town_csv.with_name("report.html")
        assert CliRunner().invoke(evaluate_command, [*arguments, "--report", str(report)]).exit_code != 0
        assert not went_on
    finally:
        signal.signal(signal.SIGTERM, before)
    assert sorted(path.name for path in town_csv.parent.iterdir()) == ["town.csv"]


def test_an_earlier_result_stands_until_the_new_one_is_complete(
    town_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.statistics.anonymize import workflow

    masked(town_csv)
    files = {path: path.read_bytes() for path in town_csv.parent.iterdir()}
    monkeypatch.setattr(workflow, "anonymization_report", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        masked(town_csv, "--method", "mondrian")
    assert {path: path.read_bytes() for path in town_csv.parent.iterdir()} == files


def test_a_report_never_overwrites_a_file_that_is_compared(town_csv: Path, tmp_path: Path) -> None:
    before = town_csv.read_bytes()
    for report in (town_csv, tmp_path):
        with pytest.raises(InputError, match=r"is read and would be overwritten|a folder has this name"):
            evaluate_files(town_csv, town_csv, quasi_identifiers=("age",), report=report)
    assert town_csv.read_bytes() == before


def test_a_report_is_complete_or_not_there(town_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = town_csv.with_suffix(".html")
    evaluate_files(town_csv, town_csv, quasi_identifiers=("age",), report=report)
    whole = report.read_bytes()

    def stopped(path: Path, data: bytes) -> int:
        path.open("wb").close()
        raise KeyboardInterrupt(len(data))

    monkeypatch.setattr(Path, "write_bytes", stopped)
    with pytest.raises(KeyboardInterrupt):
        evaluate_files(town_csv, town_csv, quasi_identifiers=("height",), report=report)
    assert report.read_bytes() == whole
    assert sorted(path.name for path in town_csv.parent.iterdir()) == ["town.csv", "town.html"]


@pytest.mark.parametrize("name", ["masked.csv", "masked.csv.report.html", "masked.csv.json"])
def test_a_folder_in_the_place_of_a_file_is_told_before_anything_is_written(
    town_csv: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.statistics.anonymize import workflow

    monkeypatch.setattr(workflow, "prepare", lambda *_, **__: pytest.fail("computed before it looked"))
    (town_csv.parent / name).mkdir()
    with pytest.raises(InputError, match=f"{name}: a folder has this name"):
        masked(town_csv)
    assert sorted(path.name for path in town_csv.parent.iterdir()) == sorted([name, "town.csv"])


def test_no_file_that_is_read_is_overwritten(town_csv: Path) -> None:
    tree = town_csv.with_stem("masked")
    tree.write_text("flu,airway\ncold,airway\nache,head\n")
    before = tree.read_bytes()
    with pytest.raises(InputError, match=r"--hierarchy, is read"):
        masked(town_csv, "--hierarchy", f"illness={tree}")
    with pytest.raises(InputError, match=r"--importances, is read"):
        masked(town_csv, "--breach", "p3m-record", "--importances", str(tree))
    assert tree.read_bytes() == before


def test_records_in_another_order_are_noticed(town_csv: Path, tmp_path: Path) -> None:
    other, report = tmp_path / "other.csv", tmp_path / "r.html"
    lines = town_csv.read_text().splitlines(keepends=True)
    other.write_text(lines[0] + "".join(reversed(lines[1:])))
    arguments = [str(town_csv), str(other), "--quasi-identifiers", "age", "--report", str(report)]
    result = CliRunner().invoke(evaluate_command, arguments, catch_exceptions=False)
    assert 'Warning: "name", "height", "sex"' in result.stderr
    assert "in another order" in report.read_text()
    result = CliRunner().invoke(evaluate_command, [*arguments, "--json"], catch_exceptions=False)
    assert "in another order" in json.loads(result.stdout)["warnings"][0]
    other.write_text("".join(lines))
    result = CliRunner().invoke(evaluate_command, arguments, catch_exceptions=False)
    assert "Warning" not in result.stderr


def test_a_masked_value_that_is_no_number_is_shown_with_its_line(town_csv: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    rows = town_csv.read_text().splitlines()
    for cell, words in (("", r"line 3: .* missing"), ("20 to 30", r"line 3: .* .20 to 30.")):
        cells = rows[2].split(",")
        other.write_text("\n".join([*rows[:2], ",".join([cells[0], cell, *cells[2:]]), *rows[3:]]) + "\n")
        with pytest.raises(InputError, match=words) as error:
            evaluate_files(town_csv, other, quasi_identifiers=("age",))
        assert "--nominal" in error.value.remedy or not cell
