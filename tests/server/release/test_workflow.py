"""The release end to end: a store with answers in, published files out; all or nothing."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli.release import release as release_command
from server.collection.storage.states import State
from server.release import source, workflow
from server.release.policy import Policy
from server.release.workflow import release_survey
from shared.errors import ReleaseError, StateError, StorageError
from tests.server.release.survey import CANARY, N_CELLS, answers, closed_survey

FILES = {"microdata.csv", "cells.csv", "report.html", "datapackage.json", "codebook.xml"}
COUNTS = (20, 12, 3, 9, 0, 30)
ROW = {"row": list(range(N_CELLS))}


def shuffle(rows: list[tuple[str, ...]]) -> None:
    random.Random(1).shuffle(rows)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_release_writes_its_files_and_ends_the_survey(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        released = release_survey(data, survey, tmp_path / "out", shuffle)
        assert data.survey(survey).state is State.RELEASED
        copies = {
            file.name: file.path.read_bytes() for file in data.survey(survey).published.released_files()
        }
    assert copies == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert set(copies) == FILES
    assert released.figures() | {"folder": ""} == {
        "survey": survey, "folder": "", "total_answers": 74, "released_answers": 62, "withheld_answers": 12,
        "withheld_share": 12 / 74, "groups": 3, "smallest_group": 12, "largest_group": 30,
        "cells_not_released": 3, "groups_with_unanimity": 0,
    }  # fmt: skip


def test_no_cell_below_the_minimum_and_no_withheld_answer_in_the_table(tmp_path: Path) -> None:
    def answer(cell: int, person: int, chance: random.Random) -> dict[str, Any]:
        # Cell 2 has too few answers, and cell 3 hides it.
        return answers(chance, remark=f"{CANARY}-{cell}-{person}" if cell in (2, 3) else None)

    data, survey = closed_survey(tmp_path / "data", COUNTS, answer)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    sizes = Counter(row["group"] for row in rows_of(tmp_path / "out" / "microdata.csv"))
    assert sizes == {"0": 20, "1": 12, "5": 30}
    for path in (tmp_path / "out").iterdir():
        assert CANARY.encode() not in path.read_bytes(), path.name


def test_withheld_and_empty_cells_look_alike(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    rows = {row["group"]: row for row in rows_of(tmp_path / "out" / "cells.csv")}
    hidden = [{k: v for k, v in rows[cell].items() if k not in ("group", "cells", "age")} for cell in "234"]
    assert hidden[0] == hidden[1] == hidden[2]
    assert hidden[0]["status"] == "not-released"
    empty = ("answers", "weight", "level_mixing", "unanimous_questions")
    assert {hidden[0][name] for name in empty} == {""}
    # Nothing but the centroid of the group, known before, and its public head count.
    assert hidden[0]["eligible_people"] == "40"


def test_bytes_depend_on_the_answers_and_the_randomness_only(tmp_path: Path) -> None:
    """Two stores hold the same answers under other random keys, in another order of arrival."""
    contents = []
    for name in "ab":
        data, survey = closed_survey(tmp_path / name, COUNTS)
        with data:
            release_survey(data, survey, tmp_path / f"out-{name}", shuffle)
        contents.append({path.name: path.read_bytes() for path in (tmp_path / f"out-{name}").iterdir()})
    assert contents[0] == contents[1]


def test_rows_are_shuffled(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    groups = [row["group"] for row in rows_of(tmp_path / "out" / "microdata.csv")]
    assert groups != sorted(groups)


def test_merge_publishes_everything(tmp_path: Path) -> None:
    rule = ROW | {"rule": "merge", "minimum": 5, "distinct_values": 1, "t_closeness": None}
    data, survey = closed_survey(tmp_path / "data", COUNTS, release=rule)
    with data:
        figures = release_survey(data, survey, tmp_path / "out", shuffle).figures()
    assert figures["withheld_answers"] == 0
    rows = rows_of(tmp_path / "out" / "cells.csv")
    assert sorted(int(cell) for row in rows for cell in row["cells"].split()) == list(range(N_CELLS))
    # Cell 2 (36, 3 answers) costs less with cell 3 (50) than with cell 1 (20); the empty one goes along.
    assert [row["cells"] for row in rows] == ["0", "1", "2 3 4", "5"]
    assert [row["answers"] for row in rows] == ["20", "12", "12", "30"]
    # Equal head counts, so the mean of the means: 152 / 3.
    assert [row["age"] for row in rows] == ["10.0", "20.0", "50.7", "90.0"]


def test_diversity_policy_is_kept_in_the_files(tmp_path: Path) -> None:
    def answer(cell: int, _person: int, chance: random.Random) -> dict[str, Any]:
        changes: dict[str, Any] = {"health": "good"} if cell == 0 else {}
        return answers(chance, **changes)

    rule = ROW | {"rule": "withhold", "minimum": 5, "distinct_values": 2, "t_closeness": None}
    data, survey = closed_survey(tmp_path / "data", (20, 12, 15, 30, 0, 30), answer, release=rule)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    rows = rows_of(tmp_path / "out" / "microdata.csv")
    assert {row["group"] for row in rows} == {"2", "3", "5"}
    for group in "235":
        assert {row["health"] for row in rows if row["group"] == group} == {"good", "bad"}


def test_unanimity_is_named_in_cells_and_report(tmp_path: Path) -> None:
    def answer(cell: int, _person: int, chance: random.Random) -> dict[str, Any]:
        return answers(chance, remark=None, **({"smokes": True, "wishes": ["b", "c"]} if cell == 5 else {}))

    data, survey = closed_survey(tmp_path / "data", (20, 20, 20, 20, 20, 30), answer)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    unanimous = {row["group"]: row["unanimous_questions"] for row in rows_of(tmp_path / "out" / "cells.csv")}
    assert unanimous == dict.fromkeys("01234", "") | {"5": "wishes wishes_b wishes_c smokes"}
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert (
        "smokes: in 1 group with 30 people everybody who answered gave the same answer (group 5)." in report
    )
    assert "wishes: b: in 1 group" in report
    assert "mood: in" not in report


def test_data_package_is_valid_and_describes_every_column(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from frictionless import Package

    data, survey = closed_survey(
        tmp_path / "data",
        COUNTS,
        lambda _c, person, chance: answers(chance, **({"mood": None, "wishes": None} if person % 3 else {})),
    )
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = Package(str(tmp_path / "out" / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "type", "message"])[:5]
    assert report.stats["errors"] == 0
    package = json.loads((tmp_path / "out" / "datapackage.json").read_bytes())
    for resource in package["resources"]:
        with (tmp_path / "out" / resource["path"]).open(encoding="utf-8", newline="") as stream:
            header = next(csv.reader(stream))
        fields = resource["schema"]["fields"]
        assert [field["name"] for field in fields] == header
        for field in fields:
            assert field["title"], field
            assert field["description"].endswith("."), field
            if field["type"] in ("number", "integer") and field["name"] not in ("group", "stratum"):
                assert field["unit"], field
    names = [field["name"] for field in package["resources"][0]["schema"]["fields"]]
    assert names == [
        "group", "weight", "stratum", "stratum_people",
        "age", "sex", "sex_share", "school", "school_position", "school_missing", "place",
        "place_east", "place_north", "health", "wishes_a", "wishes_b", "wishes_c", "mood", "smokes", "hours",
        "sex_2", "remark",
    ]  # fmt: skip


def test_centroid_is_that_of_the_specification(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    row = rows_of(tmp_path / "out" / "microdata.csv")[0]
    ages = {"0": "10.0", "1": "20.0", "5": "90.0"}
    assert row["age"] == ages[row["group"]]
    assert (row["sex"], row["sex_share"]) == ("female", "0.500")
    # Mean 1.5 with half of the people missing at 1: those who have a value are at 2.
    assert (row["school"], row["school_position"], row["school_missing"]) == ("much", "2.00", "0.500")
    assert (row["place"], row["place_east"], row["place_north"]) == ("A", "4.00", "1.60")


def test_free_text_that_looks_like_a_formula_is_defused(tmp_path: Path) -> None:
    data, survey = closed_survey(
        tmp_path / "data", (20, 20, 20, 20, 20, 20), lambda *a: answers(a[2], remark='=HYPERLINK("http://x")')
    )
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    assert {row["remark"] for row in rows_of(tmp_path / "out" / "microdata.csv")} == {
        '\'=HYPERLINK("http://x")'
    }


def test_free_text_is_left_out_unless_it_was_permitted(tmp_path: Path) -> None:
    data, survey = closed_survey(
        tmp_path / "data",
        (20, 20, 20, 20, 20, 20),
        lambda *a: answers(a[2], remark=CANARY),
        permissions={"free_text": False, "balls_from_register": False},
    )
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    for path in (tmp_path / "out").iterdir():
        assert CANARY.encode() not in path.read_bytes()
    assert "remark" not in rows_of(tmp_path / "out" / "microdata.csv")[0]


def test_report_escapes_what_people_wrote(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Health &amp; &lt;work&gt;" in report
    assert "<b>health</b>" not in report
    assert "<script" not in report
    assert "Nothing." not in report


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((2, 2, 0, 0, 0, 0), "only 4 answers"),
        ((4, 4, 4, 4, 4, 4), "no cell may"),
        ((0,) * 6, "only 0 answers"),
    ],
)
def test_a_release_that_would_break_the_rule_writes_nothing(
    tmp_path: Path, counts: tuple[int, ...], message: str
) -> None:
    data, survey = closed_survey(tmp_path / "data", counts)
    with data:
        with pytest.raises(ReleaseError, match=message):
            release_survey(data, survey, tmp_path / "out" / "deep", shuffle)
        assert data.survey(survey).state is State.CLOSED
        assert data.survey(survey).published.released_files() == ()
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_an_open_survey_is_not_released(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    with data:
        release_survey(data, survey, tmp_path / "out", shuffle)
        with pytest.raises(StateError, match="released already") as caught:
            release_survey(data, survey, tmp_path / "again", shuffle)
        copy = data.survey(survey).published.folder / "release"
        assert str(copy) in caught.value.remedy
        assert (copy / "microdata.csv").is_file()
    assert not (tmp_path / "again").exists()


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with data:
        with pytest.raises(ReleaseError, match="exists already"):
            release_survey(data, survey, tmp_path / "out", shuffle)
        assert data.survey(survey).state is State.CLOSED
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_failure_of_the_store_removes_the_files_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)

    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    with data:
        monkeypatch.setattr("server.collection.storage.store.SurveyStore.mark_released", full)
        with pytest.raises(StorageError):
            release_survey(data, survey, tmp_path / "out", shuffle)
        assert data.survey(survey).state is State.CLOSED
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


Tamper = Callable[[dict[str, bytes]], dict[str, bytes]]


def _leak_a_row(contents: dict[str, bytes]) -> dict[str, bytes]:
    lines = contents["microdata.csv"].splitlines(keepends=True)
    return contents | {"microdata.csv": b"".join([*lines, lines[1]])}


def _drop_a_group(contents: dict[str, bytes]) -> dict[str, bytes]:
    lines = contents["cells.csv"].splitlines(keepends=True)
    return contents | {"cells.csv": b"".join(lines[:-1])}


def _tell_a_withheld_count(contents: dict[str, bytes]) -> dict[str, bytes]:
    return contents | {
        "cells.csv": contents["cells.csv"].replace(b'"not-released","2",40,,', b'"not-released","2",40,3,')
    }


def _add_a_file(contents: dict[str, bytes]) -> dict[str, bytes]:
    return contents | {"answers.sqlite": b""}


@pytest.mark.parametrize("tamper", [_leak_a_row, _drop_a_group, _tell_a_withheld_count, _add_a_file])
@pytest.mark.parametrize("described", [False, True])
def test_the_recheck_catches_files_that_say_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tamper: Tamper, described: bool
) -> None:
    """Whatever a defect in the tables would write, the independent count of the files stops it."""
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    prepare = workflow.contents_of_release

    def defective(*arguments: Any, **named: Any) -> Any:
        contents = prepare(*arguments, **named)
        changed = tamper(contents)
        assert changed != contents
        if described:  # the data package agrees with the defect
            package = json.loads(changed["datapackage.json"])
            for resource in package["resources"]:
                digest = hashlib.sha256(changed[resource["path"]]).hexdigest()
                resource["hash"] = f"sha256:{digest}"
            changed["datapackage.json"] = json.dumps(package).encode()
        return changed

    monkeypatch.setattr(workflow, "contents_of_release", defective)
    with data:
        with pytest.raises(ReleaseError, match="check of the written files") as caught:
            release_survey(data, survey, tmp_path / "out", shuffle)
        assert caught.value.code == "release.recheck"
        assert data.survey(survey).state is State.CLOSED
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_the_recheck_catches_a_gate_that_lets_everything_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    decide = source.decide

    def open_gate(counts: Any, _policy: Any, centres: Any, attributes: Any) -> Any:
        return decide(counts, Policy(rule="withhold", minimum=2), centres, attributes)

    monkeypatch.setattr(source, "decide", open_gate)
    with data, pytest.raises(ReleaseError, match="too small"):
        release_survey(data, survey, tmp_path / "out", shuffle)


def test_command_line(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    data.end()
    arguments = [survey, "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(release_command, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["released_answers"] == 62
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_command_line_in_words(tmp_path: Path) -> None:
    data, survey = closed_survey(tmp_path / "data", COUNTS)
    data.end()
    arguments = [survey, "--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(release_command, arguments, catch_exceptions=False)
    assert "Released 62 of 74 answers in 3 groups of 12 to 30 people." in result.stdout
    assert "Withheld 12 answers" in result.stdout
