"""`roomful design`: the algorithm can be chosen on the command line."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.design import design
from server.design.audit import audit_survey
from server.design.survey_file.design_entry import NAMES
from server.keys.signing import ENVELOPE_FILE, sign_design
from shared.errors import DesignError, InputError, SpecificationError, SurveyFileError
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY
from tests.towns import RATES, write_town

SHAPES = {"mdav": "balls", "power-diagram": "power-diagram", "pcl": "power-diagram", "mondrian": "boxes"}


def run(survey: Path, folder: Path, *options: str) -> str:
    result = CliRunner().invoke(design, [str(survey), "--out", str(folder), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("algorithm", NAMES)
def test_every_algorithm(tmp_path: Path, algorithm: str) -> None:
    survey = write_town(tmp_path, people=600)
    figures = json.loads(run(survey, tmp_path / "out", "--algorithm", algorithm, "--json"))
    assert figures["shape"] == SHAPES.get(algorithm, "prototypes")
    assert figures["smallest_cell"] >= figures["n_min_safe"][0]
    specification = Specification.parse((tmp_path / "out" / "design.json").read_bytes())
    assert specification.algorithm.name == ("power-diagram" if algorithm == "pcl" else algorithm)
    assert f"--algorithm {algorithm}" in (tmp_path / "out" / "report.html").read_text()
    assert (tmp_path / "out" / "model.csv").exists()


def test_a_register_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey, out = write_town(tmp_path, kind="register"), tmp_path / "out"
    cut = ("--district", "schooling", "--json")
    assert "parts" not in json.loads(run(survey, out, *cut))
    whole = Specification.parse((out / "design.json").read_bytes())
    figures = json.loads(run(survey, out, "--parts", *cut))
    parts = {path.stem: path.read_bytes() for path in (out / "parts").iterdir()}
    specification = Specification.parse((out / "design.json").read_bytes(), parts.get)
    assert replace(specification, parts=()) == whole
    assert figures["parts"] == figures["districts"] == len(parts) > 1
    assert figures["largest_part"] == max(map(len, parts.values()))
    assert "Bytes of the largest part" in run(survey, out, "--parts", "--district", "schooling")
    sign_design(out, ORGANIZER_KEY)
    audited = audit_survey(out / ENVELOPE_FILE, tmp_path / "town.csv")
    assert [finding for finding in audited.findings if finding.outcome == "refused"] == []
    (out / ENVELOPE_FILE).unlink()
    run(survey, out, *cut)
    assert list((out / "parts").iterdir()) == []
    monkeypatch.setattr("server.design.workflow.LARGEST_IN_ONE_PIECE", 1000)
    assert json.loads(run(survey, out, *cut))["parts"] == len(parts)
    assert "parts" not in json.loads(run(survey, out, "--no-parts", *cut))
    assert "parts" not in json.loads(run(write_town(tmp_path), out, *cut))
    survey = write_town(tmp_path)
    (tmp_path / "town.csv").unlink()  # it is refused before anything is read
    with pytest.raises(SpecificationError, match="public model") as caught:
        run(survey, out, "--parts", *cut)
    assert "--no-parts" in caught.value.remedy


def test_participation_1_is_drawn_and_leads_to_no_signature(tmp_path: Path) -> None:
    certain = '[participation]\nrate = "1"\nsource_statement = "All are counted."'
    said = run(write_town(tmp_path, people=600, participation=certain), tmp_path / "out")
    assert "it cannot be signed" in said
    assert "roomful sign" not in said


def test_needs_stand_with_their_levels_and_rounding_is_told(tmp_path: Path) -> None:
    said = run(write_town(tmp_path, participation=RATES), tmp_path / "out")
    assert re.search(r"rounded down to steps of 0.05 +0\.\d+, 0\.\d+", said)
    assert re.search(r"\(n_min\) +\d+ at 0\.\d+, \d+ at 0\.\d+", said)


def test_it_takes_the_place_of_the_files(tmp_path: Path) -> None:
    survey = write_town(tmp_path, people=600, more='[design]\nalgorithm = "mondrian"')
    assert "boxes" in run(survey, tmp_path / "a")
    assert "power-diagram" in run(survey, tmp_path / "b", "--algorithm", "power-diagram")


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    seeded = write_town(tmp_path, people=600, more='[design]\nalgorithm = "mu-approx"\nseed = 4')
    with pytest.raises(SurveyFileError, match='"mondrian" takes no seed'):
        run(seeded, tmp_path / "out", "--algorithm", "mondrian")
    register = write_town(tmp_path, people=600, kind="register")
    with pytest.raises(DesignError, match="real people"):
        run(register, tmp_path / "out", "--algorithm", "m-d")
    assert not (tmp_path / "out").exists()


def test_a_register_leaves_no_earlier_model_in_the_folder(tmp_path: Path) -> None:
    run(write_town(tmp_path, people=600), tmp_path / "out")
    assert (tmp_path / "out" / "model.csv").exists()
    run(write_town(tmp_path, people=600, kind="register"), tmp_path / "out", "--algorithm", "mondrian")
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["design.json", "model.salt", "report.html"]


def test_a_salt_makes_a_design_repeatable(tmp_path: Path) -> None:
    survey = write_town(tmp_path, people=600, kind="register")
    run(survey, tmp_path / "a")
    first = (tmp_path / "a" / "design.json").read_bytes()
    run(survey, tmp_path / "a")
    run(survey, tmp_path / "b", "--salt", str(tmp_path / "a"))
    run(survey, tmp_path / "c")
    assert (tmp_path / "a" / "design.json").read_bytes() == first
    assert (tmp_path / "b" / "design.json").read_bytes() == first
    assert (tmp_path / "b" / "model.salt").stat().st_mode & 0o077 == 0
    assert (tmp_path / "b" / "model.salt").read_bytes() == (tmp_path / "a" / "model.salt").read_bytes()
    assert (tmp_path / "c" / "design.json").read_bytes() != first
    (tmp_path / "a" / "model.salt").write_text("not a salt")
    with pytest.raises(InputError, match="no salt of a register"):
        run(survey, tmp_path / "a")
    with pytest.raises(InputError, match="public model has no salt"):
        run(write_town(tmp_path, people=600), tmp_path / "d", "--salt", str(tmp_path / "b"))


def test_a_file_in_the_place_of_the_folder_is_told_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.design import workflow

    monkeypatch.setattr(workflow, "read_model", lambda *_: pytest.fail("read before it looked"))
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="out: a file has this name"):
        run(write_town(tmp_path, people=600), tmp_path / "out")


def test_the_command_in_the_report_can_be_typed(tmp_path: Path) -> None:
    folder = tmp_path / "my design"
    run(write_town(tmp_path, people=600), folder)
    assert "--out &#39;my design&#39;" in (folder / "report.html").read_text()
