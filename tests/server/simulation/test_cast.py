"""What a simulation of an election says was cast: the totals that its result must have."""

from __future__ import annotations

from server.simulation.taking_part import Contribution
from server.simulation.workflow import _votes
from tests.elections import election_specification
from tests.invited import invited_specification


def test_votes_of_each_choice() -> None:
    people = [
        Contribution(quasi_identifiers={}, answers={"board": board, "statutes": statutes})
        for board, statutes in (("ada", True), ("ada", False), ("blank", True))
    ]
    assert _votes(election_specification(), people) == {
        "board": {"ada": 2, "ben": 0, "blank": 1},
        "statutes": {"true": 2, "false": 1},
    }


def test_a_survey_has_no_votes() -> None:
    assert _votes(invited_specification(), []) is None
