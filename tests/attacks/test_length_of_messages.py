"""Somebody who sees only how long messages are wants to know what was answered.

The relay sees every ballot of an invited survey, the network every message of an open one. Once there were
four lengths: an organizer could make the value of one choice long, behind a short text, or in spaces that
nobody sees, and with 26 ordinary questions complete answers were longer than partial ones. In an election the
request for a token names the box, and was as long as its number: ten of 300 boxes stood out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from respondent_client.composing import compose
from respondent_client.headless.respondent import run
from respondent_client.session import place
from respondent_client.token_request import TokenRequest
from server.collection.tokens.exchange import read_request
from shared.cells import PowerDiagram
from shared.checks import check_length
from shared.errors import QuestionnaireError, SoundnessError
from shared.questionnaire import Questionnaire
from shared.soundness import SoundSpecification
from shared.submission import longest_message
from tests.builders import LANGUAGES, ORGANIZER_KEY, sign, small_model, small_specification
from tests.elections import election_keys, election_specification
from tests.invited import (
    code,
    digest_of,
    invited,
    invited_specification,
    issue_token,
    make_ballot,
    seal_ballot,
)
from tests.respondent_client.fakes import FakePlatform, link_to
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import fragment_of

PERSON: dict[str, str | None] = {"age": "43", "sex": "female"}
ORDINARY: dict[str, Any] = {
    "pages": [
        {
            "elements": [
                {
                    "type": "checkbox",
                    "name": f"question_number_{i}",
                    "choices": [f"the answer number {j} of several" for j in range(6)],
                }
                for i in range(26)
            ]
        }
    ]
}
COMPLETE = {
    e["name"]: e["choices"]
    for e in ORDINARY["pages"][0]["elements"]  # everything ticked
}
ANSWERS: dict[str, Mapping[str, Any]] = {
    "nothing": {},
    "one": {"question_number_0": ["the answer number 0 of several"]},
    "half": dict(list(COMPLETE.items())[:13]),
    "all": COMPLETE,
}


def _yes_and_no(yes: str) -> dict[str, Any]:
    choices = [{"value": yes, "text": "Yes"}, {"value": "no", "text": "No"}]
    return {"pages": [{"elements": [{"type": "radiogroup", "name": "left", "choices": choices}]}]}


@pytest.mark.parametrize(
    "value",
    [
        "yes" + 1500 * "s",
        "yes" + 400 * "\u200b",
        "yes" + 60 * "\u2063",
        "yes\ufe0f",
        "yes\u00ad",
        "ye\U000e0073s",
    ],
    ids=["1503 characters", "zero-width spaces", "separators", "variation selector", "soft hyphen", "tag"],
)
def test_no_value_hides_its_length_behind_a_text(value: str) -> None:
    with pytest.raises(QuestionnaireError):
        Questionnaire.parse(_yes_and_no(f"ye{value}s"), LANGUAGES)


def test_an_honest_value_of_another_length_makes_no_other_message() -> None:
    """Sixty characters are a permitted value; a partial answer and the longest one are equally long."""
    specification = small_specification(questionnaire=_yes_and_no("y" * 60))
    assert _lengths_of_open(specification, [{"left": "no"}, {"left": "y" * 60}, {}]) == {
        specification.message_bytes
    }


def test_the_network_sees_one_length_of_an_open_survey() -> None:
    specification = small_specification(questionnaire=ORDINARY)
    assert _lengths_of_open(specification, ANSWERS.values()) == {specification.message_bytes}


def _lengths_of_open(specification: Any, answers: Any) -> set[int]:
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    platform = FakePlatform(envelope.to_bytes(), small_model())
    sound = examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model()).sound()
    link, placement = link_to(envelope.to_bytes()), place(sound, PERSON)
    return {len(run(compose(platform, link, placement, given)).body) for given in answers}


def test_the_relay_sees_one_length_of_an_invited_survey() -> None:
    specification = invited_specification(questionnaire=ORDINARY)
    digest = digest_of(specification)
    ballots = [
        make_ballot(
            digest,
            i,
            issue_token(digest, bytes([i]) * 32),
            given or {"question_number_1": []},
            message_bytes=specification.message_bytes,
        )
        for i, given in enumerate(ANSWERS.values())
    ]
    assert len({len(seal_ballot(digest, ballot)) for ballot in ballots}) == 1


def test_an_organizer_cannot_sign_a_length_of_her_own() -> None:
    """A device computes the length itself, in open and in invited surveys."""
    for specification in (small_specification(), invited_specification(invited=invited())):
        for length in (specification.message_bytes - 1, specification.message_bytes + 1, 4096):
            with pytest.raises(SoundnessError) as caught:
                check_length(replace(specification, message_bytes=length))
            assert caught.value.code == "check.length"
        assert check_length(specification) == {"bytes": str(longest_message(specification.questionnaire))}


def test_the_network_sees_one_length_of_requests_for_tokens() -> None:
    boxes = 300
    many = PowerDiagram(weights=(1, 1, 1), resolution=1, sites=((0, 0, 0),) * boxes, offsets=(0,) * boxes)
    specification = replace(election_specification(), cells=many)
    sound = SoundSpecification(specification=specification, digest=digest_of(specification), metrics={})
    bodies = [
        TokenRequest(
            sound=sound,
            code=code(box),
            cell=box,
            prefix=bytes(32),
            secret=bytes(32),
            device_key=bytes(32),
            blinded_message=bytes(384),
            inverse=1,
        ).body
        for box in (0, 9, 10, 99, 100, 299)
    ]
    assert len(set(map(len, bodies))) == 1
    keys = replace(election_keys(), token_keys=tuple(range(boxes)))
    assert [read_request(body, keys)[2] for body in bodies] == [0, 9, 10, 99, 100, 299]
