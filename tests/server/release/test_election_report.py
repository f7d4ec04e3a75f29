"""The organizer's report of an election: sums of whole groups, and nothing else."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from server.release.election_report import WARNING, contests_of, groups_table, render_election_report
from server.release.trustees.tallying import Tally
from shared.election.unanimity import unanimous
from tests.elections import COUNTS, HeldElection
from tests.unit_cells import election_of_units


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    election = HeldElection(tmp_path_factory.mktemp("held")).fill(*COUNTS)
    return election.result(election.write())


def page(tally: Tally) -> str:
    examined = tally.election.examined
    made = render_election_report(
        examined.survey.specification, examined.survey.digest, tally.result, examined.counts, "command"
    )
    return made.decode("utf-8")


def test_the_table_has_every_group(tally: Tally) -> None:
    specification = tally.election.examined.survey.specification
    rows = list(csv.DictReader(io.StringIO(groups_table(specification, tally.result).decode())))
    assert [int(row["ballots"]) for row in rows] == list(tally.election.ballots)
    assert sum(int(row["board:ada"]) for row in rows) == sum(g.votes[0][0] for g in tally.result.groups)
    assert sum(int(row["statutes:true"]) for row in rows) == sum(g.votes[1][0] for g in tally.result.groups)
    assert sorted(int(cell) for row in rows for cell in row["boxes"].split()) == list(range(8))
    alike = [any(c is not None for c in unanimous(g.votes)) for g in tally.result.groups]
    assert [bool(row["unanimous"]) for row in rows] == alike


def test_bands_are_sums_of_whole_groups(tally: Tally) -> None:
    text = page(tally)
    assert WARNING.split(":")[0] in text
    turnout = re.findall(r"<caption>Turnout.*?</table>", text, re.DOTALL)
    assert turnout
    for table in turnout:
        rows = re.findall(r"<tr>\s*<th[^>]*>.*?</tr>", table, re.DOTALL)[1:]
        ballots = [int(re.findall(r"<td[^>]*>([0-9,]+)</td>", row)[2].replace(",", "")) for row in rows]
        assert sum(ballots) == sum(COUNTS)
        assert min(ballots) >= 3
    assert "This is an estimate" in text
    assert "Cramér" in text
    assert "What joining cost" in text


@pytest.mark.parametrize(
    ("counts", "rows"),
    [((3, 3, 3, 2, 3, 3, 3, 3), [11, 12]), ((1, 0, 1, 0, 3, 3, 3, 3), [14])],
    ids=["each by itself", "joined, as the women are too few"],
)
def test_units_are_exact_sums_of_whole_groups(
    counts: tuple[int, ...], rows: list[int], tmp_path: Path
) -> None:
    election = HeldElection(tmp_path, specification=election_of_units()).fill(*counts)
    told = election.result(election.write())
    text = page(told)
    section = text[text.index("By unit") :]
    table = re.findall(r"<caption>Turnout.*?</table>", section, re.DOTALL)[0]
    lines = re.findall(r"<tr>\s*<th[^>]*>.*?</tr>", table, re.DOTALL)[1:]
    assert [int(re.findall(r"<td[^>]*>([0-9,]+)</td>", line)[2]) for line in lines] == rows
    assert ("Female + Male: a group has boxes of them together" in text) == (len(rows) == 1)
    found = list(csv.DictReader(io.StringIO(groups_table(election.specification, told.result).decode())))
    assert {row["units"] for row in found} <= {"Female", "Male", "Female; Male"}
    assert any(";" in row["units"] for row in found) == (len(rows) == 1)
    every = text[text.index("Votes of each group") :]
    shown = re.findall(r"<tr>\s*<th[^>]*>\d+</th>\s*<(?:td|th)[^>]*>([^<]*)<", every)
    assert shown == [row["units"] for row in found]
    for number, row in enumerate(found, 1):
        assert (f"Group {number} ({row['units']}) is unanimous" in text) == bool(row["unanimous"])


def test_a_unanimous_group_stands_first(tally: Tally) -> None:
    first, *others = tally.result.groups
    alike = replace(first, votes=((first.ballots, 0, 0), first.votes[1]))
    told = replace(tally, result=replace(tally.result, groups=(alike, *others)))
    assert f"Group 1 is unanimous: all {first.ballots} chose ada" in page(told)
    title = contests_of(tally.election.examined.survey.specification)[0].title
    assert title in page(told)


def test_the_same_result_gives_the_same_bytes(tally: Tally) -> None:
    assert page(tally) == page(tally)
