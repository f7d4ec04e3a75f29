"""A survey in parts from the page's and the command line's side: what is asked for, told and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from respondent_client.browser.bridge import Bridge
from respondent_client.headless.report import part_line
from respondent_client.headless.respondent import HeadlessRespondent, run
from respondent_client.session import district_of, examine_alone, examine_survey, load_parts
from shared.checks import Floor
from shared.errors import AnswerError, NotFoundError
from tests.builders import ANSWERS
from tests.in_parts import envelope_in_parts, survey_in_parts
from tests.respondent_client.fakes import KEY, FakePlatform, link_to

SURVEY, PARTS = survey_in_parts()
YOUNG, OLD = (reference.digest for reference in SURVEY.parts)
PERSON = {"age": "43", "sex": "female"}
GRANNY = {"age": "80", "sex": "female"}


class Page:
    """Talks to a bridge as the page does."""

    def __init__(self) -> None:
        self.platform = FakePlatform(envelope_in_parts())
        self.platform.parts = dict(PARTS)
        self.bridge = Bridge(self.platform)

    @property
    def fetched(self) -> list[str]:
        return [url.rpartition("/")[2] for _, url in self.platform.requests if "/parts/" in url]

    def ask(self, method: str, **arguments: Any) -> Any:
        reply = json.loads(run(self.bridge.handle(json.dumps({"method": method, "arguments": arguments}))))
        return reply.get("result", reply.get("error"))

    def open(self, *, pinned: bool = True) -> Any:
        link = link_to(self.platform.envelope)
        fragment = f"{link.invitation.digest}.{KEY}" if pinned else ""
        return self.ask("open", base=link.base, survey=link.survey, fragment=fragment)


@pytest.fixture
def page() -> Page:
    return Page()


def test_the_whole_way_with_her_part_alone(page: Page) -> None:
    opened = page.open()
    assert (opened["sound"], opened["survey"]["in_parts"], opened["survey"]["smallest"]) == (False, True, 18)
    assert page.ask("compose", answers=ANSWERS)["code"] == "state"
    assert set(page.ask("place", quasi_identifiers={"age": "x", "sex": "female"})["errors"]) == {"age"}
    asked = page.ask("place", quasi_identifiers=PERSON)["part"]
    assert asked == {
        "people": {"count": 72, "at_least": True},
        "all_people": 200,
        "parts": 2,
        "bytes": len(PARTS[YOUNG]),
        "all_bytes": sum(map(len, PARTS.values())),
    }
    assert page.fetched == []
    assert page.ask("load", everything=False)["sound"]
    assert page.fetched == [YOUNG]
    room = page.ask("place", quasi_identifiers=PERSON)["room"]
    assert (room["cell"], room["people"]) == (3, {"count": 18, "at_least": True})
    picture = page.ask("picture", across=0, up=1)
    assert picture["total"] == 4
    assert picture["region"]["inside"]
    page.ask("compose", answers=ANSWERS)
    assert len(page.ask("send")["receipt"]) == 64
    assert len(page.platform.stored) == 1


def test_another_district_needs_its_own_part(page: Page) -> None:
    page.open()
    page.ask("place", quasi_identifiers=PERSON)
    page.ask("load", everything=False)
    assert "room" in page.ask("place", quasi_identifiers=PERSON)
    assert "part" in page.ask("place", quasi_identifiers=GRANNY)
    page.ask("load", everything=False)
    assert page.ask("place", quasi_identifiers=GRANNY)["room"]["cell"] in range(4, 8)
    assert page.ask("place", quasi_identifiers=PERSON)["room"]["cell"] == 3
    assert page.fetched == [YOUNG, OLD]


def test_what_has_arrived_is_not_asked_for_again(page: Page) -> None:
    page.open()
    page.ask("place", quasi_identifiers=GRANNY)
    old = page.platform.parts.pop(OLD)
    assert page.ask("load", everything=True)["code"] == "not-found"
    page.platform.parts[OLD] = old
    assert page.ask("load", everything=True)["sound"]
    assert page.fetched == [YOUNG, OLD, OLD]
    page.open()
    page.ask("place", quasi_identifiers=PERSON)
    page.ask("load", everything=False)
    assert page.fetched == [YOUNG, OLD, OLD, YOUNG]


def test_everything_tells_nothing(page: Page) -> None:
    page.open()
    page.ask("place", quasi_identifiers=GRANNY)
    assert page.ask("load", everything=True)["sound"]
    assert page.fetched == [YOUNG, OLD]
    assert "room" in page.ask("place", quasi_identifiers=PERSON)
    assert "room" in page.ask("place", quasi_identifiers=GRANNY)


def test_words_are_compared_before_anything_is_asked_for(page: Page) -> None:
    assert page.open(pinned=False)["compare"]
    assert page.ask("confirm_words")["survey"]["in_parts"]
    assert page.fetched == []


LIES = {
    "another": PARTS[YOUNG].replace(b"[18]", b"[19]", 1),
    "truncated": PARTS[YOUNG][:-1],
    "too long": PARTS[YOUNG] + b" ",
    "swapped": PARTS[OLD],
    "empty": b"",
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("everything", [False, True])
def test_a_part_that_was_not_signed_is_refused(page: Page, lie: str, everything: bool) -> None:
    page.open()
    page.ask("place", quasi_identifiers=PERSON)
    page.platform.parts[YOUNG] = LIES[lie]
    refused = page.ask("load", everything=everything)
    assert refused["refused"]["code"] == "check.digest"
    assert "part of district 0" in refused["refused"]["error"]["where"]
    assert refused["survey"] is None
    assert page.ask("place", quasi_identifiers=PERSON)["code"] == "state"
    assert page.platform.stored == []


def test_a_part_that_is_not_there_leaves_everything_open(page: Page) -> None:
    page.open()
    page.ask("place", quasi_identifiers=PERSON)
    del page.platform.parts[YOUNG]
    assert page.ask("load", everything=False)["code"] == "not-found"
    page.platform.parts[YOUNG] = PARTS[YOUNG]
    page.platform.lose = 1
    assert page.ask("load", everything=False)["code"] == "remote.unreachable"
    assert page.ask("load", everything=False)["sound"]


def test_no_part_is_asked_for_of_a_survey_that_is_refused(page: Page) -> None:
    link = link_to(page.platform.envelope)
    strict = Floor(k=5)
    examination = run(examine_alone(page.platform, link, strict))
    assert examination.refusal is not None
    assert run(load_parts(page.platform, link, examination, None, strict)) is examination
    assert page.fetched == []


def test_the_command_line_has_all_parts_or_one(monkeypatch: pytest.MonkeyPatch) -> None:
    platform = FakePlatform(envelope_in_parts())
    platform.parts = dict(PARTS)
    respondent = HeadlessRespondent(
        "https://survey.example/s/0123456789abcdef#" + link_to(platform.envelope).invitation.fragment()
    )
    monkeypatch.setattr(respondent, "_platform", platform)
    examination = respondent.examine()
    assert examination.must_load
    with pytest.raises(AnswerError):
        respondent.district_of(examination, {"age": "x", "sex": "female"})
    assert respondent.district_of(examination, GRANNY) == 1
    own = respondent.load(examination, 1)
    assert respondent.district_of(own, GRANNY) is None
    respondent.accept(own)
    assert respondent.place(GRANNY).room.cell in range(4, 8)
    assert respondent.prepare().specification.is_whole
    assert "one of at least 72 people" in part_line(SURVEY, 0)
    assert "all 2 parts" in part_line(SURVEY, None)


def test_an_auditor_needs_every_part(page: Page) -> None:
    link = link_to(page.platform.envelope)
    sound = run(examine_survey(page.platform, link)).sound()
    assert sound.specification == SURVEY
    assert district_of(SURVEY, PERSON) == 0
    del page.platform.parts[OLD]
    with pytest.raises(NotFoundError):
        run(examine_survey(page.platform, link))
