"""What a specification says of an election, and what it must not say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared import base64url
from shared.ballot import box_bytes
from shared.election.contests import choices_of, chosen
from shared.election.electorate import election_terms
from shared.election.group import GENERATOR
from shared.errors import OpeningError, RoomfulError
from shared.invited import Invited, require_election
from shared.limits import MAX_MESSAGE_BYTES
from shared.sealing import DEFAULT_SUITE, SUITES
from shared.specification import Specification
from shared.strict_json import dumps
from tests import election_held as held
from tests.boards import make_board, receipts
from tests.elections import (
    CHOICES,
    RULE,
    contests,
    election_keys,
    election_roll,
    election_specification,
    proofs_of,
)
from tests.invited import digest_of, invited, invited_specification


def test_an_election_survives_a_round_trip() -> None:
    specification = election_specification()
    assert Specification.parse(specification.to_bytes()) == specification
    assert specification.invited is not None
    assert require_election(specification.invited) == held.trustees()


def test_boxes_have_the_length_of_the_contests() -> None:
    specification = election_specification()
    assert box_bytes(specification) == 288 * 5 + 2 * 128
    terms = election_terms(specification, digest_of(specification))
    assert (terms.key, terms.choices, terms.cells) == (held.trustees().key, (3, 2), 8)
    assert terms.box_bytes == box_bytes(specification)


def test_answers_are_choices() -> None:
    assert choices_of(contests()) == CHOICES
    assert chosen(contests(), {"statutes": True, "board": "blank"}) == (2, 0)
    assert chosen(contests(), {"statutes": False, "board": "ada"}) == (0, 1)


def test_a_survey_is_no_election() -> None:
    with pytest.raises(OpeningError) as caught:
        require_election(invited())
    assert caught.value.code == "opening.not-an-election"


def question(**changes: Any) -> dict[str, Any]:
    """A questionnaire of one question."""
    value = {"type": "radiogroup", "name": "board", "isRequired": True, "choices": ["ada", "blank"]} | changes
    return {"pages": [{"name": "one", "elements": [value]}]}


MANY = [
    {"type": "radiogroup", "name": f"q{i}", "isRequired": True, "choices": [str(j) for j in range(50)]}
    for i in range(5)
]


@pytest.mark.parametrize(
    "value",
    [
        question(isRequired=False),
        question(type="checkbox"),
        question(choices=[str(i) for i in range(51)]),
        question(hasOther=True),
        {"pages": [{"name": "one", "elements": [*MANY[:1], MANY[1] | {"visibleIf": "{q0} = '1'"}]}]},
        {"pages": [{"name": "one", "elements": MANY}]},
    ],
    ids=["may-be-left-out", "several-choices", "too-many-choices", "other", "conditional", "too-long"],
)
def test_questions_that_are_no_contests(value: dict[str, Any]) -> None:
    document = election_specification().to_object() | {"questionnaire": contests(value).to_object()}
    assert refusal(document) == "specification.election"
    assert MAX_MESSAGE_BYTES < 5 * (288 * 50 + 128)


@pytest.mark.parametrize(
    "changes",
    [
        {"release": replace(RULE, rule="withhold")},
        {"release": replace(RULE, distinct_values=2)},
        {"release": replace(RULE, t_closeness="0.5")},
    ],
)
def test_groups_of_an_election_depend_on_no_vote(changes: dict[str, Any]) -> None:
    assert refusal(election_specification(**changes).to_object()) == "specification"


def test_ballots_travel_in_the_suite_of_elections() -> None:
    keys = election_keys(suite=SUITES[DEFAULT_SUITE], collector_key=bytes(32))
    assert refusal(election_specification(invited=keys).to_object()) == "specification.election"


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("specification", lambda o: o["election"].update(group="p256")),
        (
            "specification",
            lambda o: o["election"]["verification_keys"].pop(),
        ),
        ("specification", lambda o: o["election"].update(transcript="x")),
        ("specification", lambda o: o["election"].update(more=1)),
        ("specification", lambda o: o.update(opening_key="AAAA")),
        ("election.key", lambda o: o.update(opening_key=base64url.encode(GENERATOR))),
        ("election.key", lambda o: o["election"]["verification_keys"].reverse()),
        ("election.element", lambda o: o["election"]["verification_keys"].__setitem__(0, "AAAA")),
    ],
)
def test_wrong_trustees_keys_in_the_specification(code: str, change: Callable[[dict[str, Any]], Any]) -> None:
    value = election_keys().to_object()
    change(value)
    with pytest.raises(RoomfulError) as caught:
        Invited.parse(value, "invited")
    assert caught.value.code == code


def refusal(document: dict[str, Any]) -> str:
    """Code of what refuses a specification."""
    with pytest.raises(RoomfulError) as caught:
        Specification.parse(dumps(document))
    return caught.value.code


def test_a_token_key_for_each_box() -> None:
    keys = election_keys()
    assert [keys.token_key(cell) for cell in range(8)] == list(keys.token_keys)
    fewer = replace(keys, token_keys=keys.token_keys[:-1])
    assert refusal(election_specification(invited=fewer).to_object()) == "specification"
    several = replace(invited(), token_keys=keys.token_keys)
    assert refusal(invited_specification(invited=several).to_object()) == "specification"
    assert invited().token_key(7) == invited().token_key(0)


def test_the_board_of_an_election_counts_codes_by_box() -> None:
    """A roll of one list, and a signed discrepancy, are refused."""

    def refused(**changes: Any) -> str | None:
        files = make_board(
            specification=election_specification(),
            used=proofs_of(*range(8)),
            entries=receipts(changes.pop("ballots", 8)),
            change=lambda board: replace(board, invited=200, **changes),
        )
        found = replace(files, roll=election_roll().to_bytes()).recount().refusal
        return None if found is None else found.code

    assert refused() is None
    assert refused(ballots=9, discrepancy="9 submissions, 8 tokens") == "board.tokens"
