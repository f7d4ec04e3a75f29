"""What registrar and collector together cannot do to those who answered.

Filling a cell with ballots of their own takes codes (tests/attacks/test_minted_tokens.py); they cannot
exchange the boxes of others, because the devices' keys are not theirs.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.attacks.test_swapped_boxes import OWN_KEY
from tests.invited import issue_token
from tests.sealed_surveys import SealedSurvey


def test_they_cannot_exchange_the_boxes_of_those_who_answered(tmp_path: Path) -> None:
    """With a fresh token under her neighbour's prefix and a key of their own, the neighbour's box stays shut,
    and a box of theirs is one more ballot, not hers."""
    survey = SealedSurvey(tmp_path).fill(5, 5, 5)
    neighbour = survey.ballots[1]
    token = issue_token(survey.digest, neighbour.token.prefix, OWN_KEY)
    copy = replace(neighbour, token=token)
    survey.ballots[1] = copy.signed(OWN_KEY.sign(copy.to_be_signed(survey.digest)))
    assert survey.open().invalid == {"ballot.sealed": 1}
