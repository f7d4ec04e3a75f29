"""docs/analyst-guide.md names every column of the tables, and its programs give the report's figures."""

from __future__ import annotations

import contextlib
import io
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from server.release.answers import CollectedAnswers
from server.release.estimates import estimate_mean, estimate_share
from server.release.gate import Decision, ReleasedGroup
from server.release.pictures import tally
from server.release.tables import cells_table, microdata_table
from tests.docs.documents import text_of
from tests.server.release.survey import N_CELLS, answers, specification


def documented(table: str) -> list[str]:
    """Columns in the guide's table of a file: names, and *kinds* of columns that a survey decides."""
    text = text_of("docs/analyst-guide.md")
    body = text[text.index(f"| `{table}` | what it is") :].split("\n\n", 1)[0]
    return [row.strip("`") for row in re.findall(r"^\| (`\w+`|\*[\w ]+\*) \|", body.split("\n", 2)[2], re.M)]


def test_the_guide_names_every_column_of_both_tables() -> None:
    survey = specification()
    nothing = Decision(groups=(), reasons=("empty",) * 6, total_answers=0, released_answers=0)
    answers = CollectedAnswers(questions=survey.questionnaire.questions, cells=((),) * 6)
    cells = [column.name for column in cells_table(survey, nothing).columns]
    microdata = [column.name for column in microdata_table(survey, nothing, answers, list.sort).columns]
    centroid = [name for name in cells if name in microdata and name not in ("group", "weight")]
    shares = [name for name in cells if name not in centroid and re.match("sex_", name)]
    questions = microdata[microdata.index(centroid[-1]) + 1 :]
    for table, names in (("microdata.csv", microdata), ("cells.csv", cells)):
        expected: list[str] = []
        kinds = {"*the centroid*": centroid, "*the shares*": shares, "*the answers*": questions}
        for row in documented(table):
            expected += kinds.get(row, [row])
        assert names == expected, f"docs/analyst-guide.md, the columns of {table}: add or correct a row"


PEOPLE = 40


def code(language: str) -> str:
    """The guide's program in a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text_of("docs/analyst-guide.md"), re.M | re.S)
    assert len(found) == 1, f"docs/analyst-guide.md: one program in {language}"
    return str(found[0])


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, Any]:
    """A folder with microdata.csv, and what the report says of mood and of good health."""
    survey, chance = specification(), random.Random(3)
    counts = (9, 20, 12, 7, 31, 6)
    given = tuple(
        tuple(
            answers(chance, mood=None if chance.random() < 0.2 else 1 + (cell + i) % 5) for i in range(count)
        )
        for cell, count in enumerate(counts)
    )
    groups = tuple(
        ReleasedGroup(cells=(cell,), answers=count, diversity=()) for cell, count in enumerate(counts)
    )
    decision = Decision(
        groups=groups, reasons=("enough",) * N_CELLS, total_answers=sum(counts), released_answers=sum(counts)
    )
    collected = CollectedAnswers(questions=survey.questionnaire.questions, cells=given)
    table = microdata_table(survey, decision, collected, chance.shuffle)
    folder = tmp_path_factory.mktemp("release")
    (folder / "microdata.csv").write_bytes(table.to_csv())
    people: dict[str, int | None] = {str(cell): PEOPLE for cell in range(N_CELLS)}
    found = {q.name: tally(q, table, people, "en") for q in survey.questionnaire.questions}
    mood, health = found["mood"], found["health"]
    assert mood is not None
    assert health is not None
    return folder, mood.items[-1], health.items[0]


def numbers(line: str) -> list[float]:
    return [float(text) for text in re.findall(r"-?[0-9]+\.[0-9]+", line)]


@pytest.mark.parametrize("bad", ["bad", "None", "NA"])
def test_the_python_of_the_guide(
    release: tuple[Path, Any, Any], bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an answer is called, as pandas takes some for missing values."""
    folder, mood, good = release
    table = (folder / "microdata.csv").read_text(encoding="utf-8")
    (tmp_path / "microdata.csv").write_text(table.replace('"bad"', f'"{bad}"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code("python"), "analyst-guide.md", "exec"), {})  # noqa: S102
    lines = {line.split()[0]: numbers(line) for line in out.getvalue().splitlines()}
    expected = estimate_mean(list(mood.sums.values()), 1, 5)
    assert lines["mood"] == pytest.approx([expected.value, expected.low, expected.high])
    as_mean = estimate_mean(list(good.sums.values()), 0, 1)
    assert lines["good"] == pytest.approx([as_mean.value, as_mean.low, as_mean.high])


def test_the_r_of_the_guide(release: tuple[Path, Any, Any]) -> None:
    program = shutil.which("Rscript")
    if program is None or subprocess.run([program, "-e", "library(survey)"], capture_output=True).returncode:
        pytest.skip("needs R with its package survey")
    folder, mood, good = release
    done = subprocess.run(
        [program, "-"], input=code("r"), cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    lines = [found for line in done.stdout.splitlines() if len(found := numbers(line)) == 3][:2]
    for line, expected in zip(
        lines,
        (estimate_mean(list(mood.sums.values()), 1, 5), estimate_share(list(good.sums.values()))),
        strict=True,
    ):
        assert line == pytest.approx([expected.value, expected.low, expected.high], rel=1e-7)
    assert "female" in done.stdout


@pytest.mark.parametrize("language", ["stata", "spss"])
def test_what_cannot_be_run_is_said_to_be_untested(language: str) -> None:
    before = text_of("docs/analyst-guide.md").split(f"```{language}")[0]
    assert "**not tested**" in before.rsplit("```", 1)[-1]
    assert {"weight", "stratum", "stratum_people"} <= set(re.findall(r"\w+", code(language)))
