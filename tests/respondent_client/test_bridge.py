from __future__ import annotations

import json
from typing import Any

import pytest

from respondent_client.browser.bridge import Bridge
from respondent_client.headless.respondent import run
from tests.builders import ANSWERS, MESSAGE_BYTES
from tests.respondent_client.fakes import KEY, FakePlatform, link_to

PERSON = {"age": "43", "sex": "female"}


class Driver:
    """Talks to a bridge as the page does."""

    def __init__(self) -> None:
        self.platform = FakePlatform()
        self.bridge = Bridge(self.platform)

    def raw(self, text: str) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(run(self.bridge.handle(text)))
        return reply

    def ask(self, method: str, **arguments: Any) -> Any:
        reply = self.raw(json.dumps({"method": method, "arguments": arguments}))
        assert "error" not in reply, reply
        return reply["result"]

    def refused(self, method: str, **arguments: Any) -> str:
        reply = self.raw(json.dumps({"method": method, "arguments": arguments}))
        return str(reply["error"]["code"])

    def open(self, *, pinned: bool = True) -> Any:
        link = link_to(self.platform.envelope)
        fragment = f"{link.invitation.digest}.{KEY}" if pinned else ""
        opened = self.ask("open", base=link.base, survey=link.survey, fragment=fragment)
        return self.ask("recount") if opened["survey"] and not opened["sound"] else opened


@pytest.fixture
def driver() -> Driver:
    return Driver()


def test_the_whole_way(driver: Driver) -> None:
    opened = driver.open()
    assert [line["outcome"] for line in opened["lines"]] == ["passed"] * 11
    assert opened["survey"]["title"]["de"] == "Gesundheit in Kleinstadt"
    assert opened["survey"]["smallest"] == 25
    room = driver.ask("place", quasi_identifiers=PERSON)["room"]
    assert room["people"] == {"count": 25, "at_least": False}
    assert driver.ask("picture", across=0, up=1)["own"]["people"] == 25
    assert driver.ask("questionnaire", language="de")["pages"][0]["title"] == "Ihre Gesundheit"
    message = driver.ask("compose", answers=ANSWERS)
    assert message["length"] == MESSAGE_BYTES
    assert message["answers"][0]["texts"]["de"] == ["Gut"]
    receipt = driver.ask("send")["receipt"]
    assert [m.decode() for m in driver.platform.stored] == [message["text"]]
    assert len(receipt) == 64


def test_no_step_can_be_taken_before_the_one_it_needs(driver: Driver) -> None:
    assert driver.refused("place", quasi_identifiers=PERSON) == "state"
    assert driver.refused("questionnaire", language="en") == "state"
    driver.open()
    assert driver.refused("picture", across=0, up=1) == "state"
    assert driver.refused("compose", answers=ANSWERS) == "state"
    assert driver.refused("send") == "state"


def test_a_refused_survey_cannot_be_mapped_into(driver: Driver) -> None:
    driver.platform.model = b""
    opened = driver.open()
    assert opened["refused"]["code"] == "check.model"
    assert opened["survey"] is None
    assert driver.refused("place", quasi_identifiers=PERSON) == "state"
    assert driver.ask("confirm_words")["refused"]["code"] == "check.model"


def test_words_are_confirmed_only_by_the_person(driver: Driver) -> None:
    opened = driver.open(pinned=False)
    assert opened["compare"]
    assert opened["survey"] is None
    assert len(opened["words"].split("-")) == 8
    assert driver.refused("place", quasi_identifiers=PERSON) == "state"
    confirmed = driver.ask("confirm_words")
    assert (confirmed["survey"]["k"], confirmed["sound"]) == (3, False)
    assert driver.ask("recount")["sound"]


def test_before_the_recount_the_survey_is_shown_but_nobody_is_placed(driver: Driver) -> None:
    link = link_to(driver.platform.envelope)
    fragment = f"{link.invitation.digest}.{KEY}"
    opened = driver.ask("open", base=link.base, survey=link.survey, fragment=fragment)
    assert [line["outcome"] for line in opened["lines"]].count("not-run") == 1
    assert opened["survey"]["attributes"]
    assert not opened["sound"]
    assert driver.ask("questionnaire", language="en")["pages"]
    assert driver.ask("check_answers", page=1, answers={"wage": "12.5"})["errors"] == {}
    assert driver.refused("place", quasi_identifiers=PERSON) == "state"
    driver.platform.broken = 500
    assert driver.refused("recount").startswith("remote")
    assert driver.refused("place", quasi_identifiers=PERSON) == "state"
    driver.platform.broken = 0
    assert driver.ask("recount")["sound"]
    assert "room" in driver.ask("place", quasi_identifiers=PERSON)


def test_wrong_fields_come_back_by_name(driver: Driver) -> None:
    driver.open()
    errors = driver.ask("place", quasi_identifiers={"age": "x"})["errors"]
    assert set(errors) == {"age", "sex"}
    assert errors["age"]["code"] == "input.answer"


def test_wrong_answers_come_back_by_name(driver: Driver) -> None:
    driver.open()
    errors = driver.ask("check_answers", page=0, answers={"wellbeing": 11, "wage": "x"})["errors"]
    assert errors == {"health": "missing", "wellbeing": "wrong"}
    assert driver.ask("check_answers", page=1, answers={"wage": "12.5"})["errors"] == {}


def test_a_number_that_can_be_two_is_asked_back(driver: Driver) -> None:
    french = {"decimal": ",", "group": "\u202f"}
    driver.open()
    asked = driver.ask("place", quasi_identifiers={"age": "43.500", "sex": "female"}, signs=french)
    assert asked["errors"]["age"] == {"code": "ambiguous", "readings": ["43.5", "43500"]}
    assert "room" in driver.ask("place", quasi_identifiers={"age": "٤٣", "sex": "female"}, signs=french)
    page = driver.ask("check_answers", page=1, answers={"wage": "12,5", "vote": "red"}, signs=french)
    assert page["errors"] == {}
    assert page["accepted"] == {"wage": "12.5", "vote": "red"}
    page = driver.ask("check_answers", page=1, answers={"wage": "1.500"}, signs=french)
    assert page["errors"] == {"wage": "ambiguous"}
    assert page["readings"] == {"wage": ["1.5", "1500"]}


def test_the_same_answers_keep_their_bytes_and_changed_ones_get_new(driver: Driver) -> None:
    driver.open()
    driver.ask("place", quasi_identifiers=PERSON)
    first = driver.ask("compose", answers=ANSWERS)["text"]
    driver.ask("place", quasi_identifiers=PERSON)
    assert driver.ask("compose", answers=ANSWERS)["text"] == first
    assert driver.ask("compose", answers={**ANSWERS, "health": "poor"})["text"] != first
    driver.ask("place", quasi_identifiers={"age": "80", "sex": "male"})
    assert '"cell":3' not in driver.ask("compose", answers=ANSWERS)["text"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"method": 1}', '{"method":"__init__","arguments":{}}', "null"]
)
def test_hostile_messages_end_in_an_error_not_in_silence(driver: Driver, text: str) -> None:
    assert "error" in driver.raw(text)


def test_an_unforeseen_error_shows_its_class_and_no_value(driver: Driver) -> None:
    driver.open()
    reply = driver.raw(json.dumps({"method": "place", "arguments": {"quasi_identifiers": {"age": 43}}}))
    assert reply["error"]["code"] == "internal"
    assert "43" not in json.dumps(reply)
