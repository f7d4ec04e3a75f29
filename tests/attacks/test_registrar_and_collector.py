"""What registrar and collector together can still do, so that nobody claims otherwise.

The registrar signs whatever is blinded, so it can sign tokens with its own keys for people who stayed away;
the collector puts them into one cell. The boxes of others they cannot exchange: the devices' keys are not
theirs. docs/threat-model.md and docs/limitations.md say so; the count of codes (who fetched a token) and the
eligibility of each code are what stands against it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shared.errors import RoomfulError
from tests.attacks.test_swapped_boxes import HERS, OWN_KEY, known_box
from tests.builders import ANSWERS
from tests.invited import issue_token
from tests.sealed_surveys import SealedSurvey


def minted(survey: SealedSurvey, cell: int, number: int) -> None:
    """One ballot more, with a token that nobody was invited for."""
    token = issue_token(survey.digest, b"minted, number %017d" % number, OWN_KEY)
    ballot = replace(survey.ballots[0], cell=cell, token=token, box=known_box(survey, token, cell))
    survey.ballots.append(ballot.signed(OWN_KEY.sign(ballot.to_be_signed(survey.digest))))


def test_they_fill_the_cell_of_somebody_who_answered_alone(tmp_path: Path) -> None:
    """This attack succeeds: her answers are the only ones of the group that they did not write."""
    survey = SealedSurvey(tmp_path)
    survey.ballots.append(survey.ballot(0, HERS))
    for number in range(2):
        minted(survey, 0, number)
    survey.ballots += [survey.ballot(1, ANSWERS) for _ in range(5)]
    report = survey.open()
    (group,) = [group for group in report.answers.groups if 0 in group.cells]
    unknown = [dict(answers) for answers in group.answers if answers["health"] != ANSWERS["health"]]
    assert [answers["health"] for answers in unknown] == [HERS["health"]]


def test_they_cannot_exchange_the_boxes_of_those_who_answered(tmp_path: Path) -> None:
    """With a fresh token under her neighbour's prefix and a key of their own, the neighbour's box stays shut,
    and a box of theirs is one more ballot, not hers."""
    survey = SealedSurvey(tmp_path).fill(5, 5, 5)
    neighbour = survey.ballots[1]
    token = issue_token(survey.digest, neighbour.token.prefix, OWN_KEY)
    copy = replace(neighbour, token=token)
    survey.ballots[1] = copy.signed(OWN_KEY.sign(copy.to_be_signed(survey.digest)))
    assert survey.open().invalid == {"ballot.sealed": 1}


def test_they_cannot_exceed_the_invitations(tmp_path: Path) -> None:
    specification = SealedSurvey(tmp_path).specification
    keys = replace(specification.invited, people=100)  # type: ignore[type-var]
    survey = SealedSurvey(tmp_path, specification=replace(specification, invited=keys)).fill(50, 50)
    minted(survey, 0, 0)
    with pytest.raises(RoomfulError) as caught:
        survey.open()
    assert caught.value.code == "opening.too-many-tokens"
