"""The report of a verification: its lines, by two libraries, from a folder and from memory."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.release.trustees.tallying import report_of as report_here
from shared.errors import OpeningError
from shared.verification.election import LINES, Report, report_of
from shared.verification.faults import CULPRITS, FAULTS, culprit
from shared.verification.files import GivenFiles
from shared.verification.library import standard_library
from tests.elections import HeldElection
from tests.published_elections import CHANGES, PublishedElection
from tests.sealed_surveys import SealedSurvey
from tests.unit_cells import election_of_units

COUNTS = (2, 0, 1, 1, 2, 0, 1, 2)
NEVER_COMPARED = {"known-board", "token-numbers"}
"""Lines for which somebody has to bring what she saw elsewhere."""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> PublishedElection:
    return PublishedElection(HeldElection(tmp_path_factory.mktemp("published")).fill(*COUNTS))


def by_both(published: PublishedElection, files: dict[str, bytes], folder: Path) -> Report:
    """The report of two libraries over two readers, which must be one."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    here = report_here(published.received(folder), lambda *_: None)
    given = replace(published.received(folder), files=GivenFiles(contents=files))
    there = report_of(given, standard_library(os.urandom), lambda *_: None)
    assert here.to_object() == there.to_object()
    return there


def test_every_line_of_an_honest_election_passes(published: PublishedElection, tmp_path: Path) -> None:
    report = by_both(published, published.files, tmp_path)
    assert [line.code for line in report.lines] == list(LINES)
    assert {line.code for line in report.lines if line.outcome != "passed"} == NEVER_COMPARED
    assert all(line.outcome == "not-run" for line in report.lines if line.code in NEVER_COMPARED)
    told = report.to_object()
    assert sum(told["totals"]["board"].values()) == told["counted"] == sum(COUNTS)


def test_what_was_seen_elsewhere_is_compared(published: PublishedElection, tmp_path: Path) -> None:
    for name, data in published.files.items():
        (tmp_path / name).write_bytes(data)
    seen = replace(published.received(tmp_path), known=published.known, tokens=COUNTS)
    report = report_here(seen, lambda *_: None)
    assert {line.outcome for line in report.lines} == {"passed"}
    refused = report_here(replace(seen, tokens=(9, *COUNTS[1:])), lambda *_: None)
    assert told(refused) == ("token-numbers", "opening.tokens", "token-numbers")


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_a_change_is_refused_by_its_line_with_the_culprit(
    published: PublishedElection, change: Any, tmp_path: Path
) -> None:
    report = by_both(published, change.of(published.files), tmp_path)
    line, code, who = told(report)
    assert (line, code, who) == (change.line, change.code, change.culprit)
    outcomes = [found.outcome for found in report.lines]
    at = outcomes.index("refused")
    assert {
        outcome for code, outcome in zip(LINES, outcomes[:at], strict=False) if code not in NEVER_COMPARED
    } <= {"passed"}
    assert set(outcomes[at + 1 :]) <= {"not-run"}
    assert report.election is None
    assert change.where in report.to_object()["lines"][at]["where"]


def told(report: Report) -> tuple[str, str, str]:
    """Line, code and culprit of the one refusal."""
    ((line, code, who),) = (
        (found["line"], found["code"], found["culprit"])
        for found in report.to_object()["lines"]
        if found["outcome"] == "refused"
    )
    return line, code, who


def test_a_file_that_is_missing_is_named(published: PublishedElection) -> None:
    for name in published.files:
        files = GivenFiles(contents={key: data for key, data in published.files.items() if key != name})
        given = replace(published.received(Path()), files=files)
        report = report_of(given, standard_library(os.urandom), lambda *_: None)
        assert report.refusal is not None
        assert (report.refusal.where, report.refusal.code) == (name, "input")
        assert culprit("input") == ""


def test_a_survey_is_no_election(tmp_path: Path, published: PublishedElection) -> None:
    survey = SealedSurvey(tmp_path).fill(3, 3, 3, 3)
    export = survey.write()
    files = {path.name: path.read_bytes() for path in export.iterdir()}
    given = GivenFiles(contents=files | {"result.json": published.files["result.json"]})
    received = replace(survey.received(export), files=given)
    report = report_of(received, standard_library(os.urandom), lambda *_: None)
    assert isinstance(report.refusal, OpeningError)
    assert report.refusal.code == "opening.not-an-election"


def test_every_fault_names_a_culprit() -> None:
    assert set(FAULTS.values()) | {"other-set"} == set(CULPRITS)


def test_units_are_told(tmp_path: Path) -> None:
    """Of an election with units of law: how many, which were joined, and those of a unanimous group."""
    election = HeldElection(tmp_path / "held", specification=election_of_units())
    alike = {"board": "ada", "statutes": True}
    election.ballots.extend(election.ballot(box, alike, box) for box in range(8))
    (tmp_path / "folder").mkdir()
    published = PublishedElection(election)
    told = by_both(published, published.files, tmp_path / "folder").to_object()
    assert (told["units"], told["joined_units"]) == (2, [])
    assert {tuple(line["units"]) for line in told["unanimous"]} == {("Female",), ("Male",)}
