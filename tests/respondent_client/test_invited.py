"""An invited respondent: from a code to a token to a ballot, against the real registrar and collector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from respondent_client.composing import Message, compose
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import run
from respondent_client.link import Link
from respondent_client.platform import Reply
from respondent_client.replies import refusal, reply_object
from respondent_client.sending import Sender
from respondent_client.session import examine_survey, place
from respondent_client.token_request import fetch_token, prepare_request
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from shared.errors import RemoteError, StateError, TokenError
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.sealing import box_info
from shared.soundness import SoundSpecification
from shared.submission import decode
from shared.token import HeldToken
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes
from tests.invited import COLLECTOR, HPKE, OPENING_KEY, code
from tests.served import no_client
from tests.server.collection.storage.ballots import DIGEST, store_of

CODES = tuple(map(code, range(3)))
PERSON: dict[str, str | None] = {"age": "43", "sex": "female"}
LINK = Link.parse(survey_link("https://example.org/", DIGEST, public_bytes(ORGANIZER_KEY)))


class ServerPlatform(HeadlessPlatform):
    """The headless platform whose network is a test client of the real application.

    Attributes
    ----------
    lose : int
        So many of the next answers are lost after the server has done what was asked.
    cut : int
        So many of the next requests are lost before they arrive.
    acceptance : str or None
        ``"true"``, or what stands there instead of the collector's acceptance; None leaves it out.
    """

    def __init__(self, http: FlaskClient) -> None:
        super().__init__()
        self._http = http
        self.lose = self.cut = 0
        self.acceptance: str | None = "true"

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        if self.cut:
            self.cut -= 1
            raise RemoteError("cut", code="remote.unreachable")
        path = "/" + url.split("/", 3)[3]
        answer = self._http.open(path, method=method, data=body, content_type=content_type or None)
        if self.lose:
            self.lose -= 1
            raise RemoteError("lost", code="remote.unreachable")
        assert len(answer.data) <= max_bytes
        value = answer.get_json()
        if self.acceptance != "true" and isinstance(value, dict) and "acceptance" in value:
            value |= {"acceptance": self.acceptance}
            body = json.dumps({name: text for name, text in value.items() if text is not None}).encode()
            return Reply(status=answer.status_code, body=body)
        return Reply(status=answer.status_code, body=answer.data)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SurveyStore]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = store_of(data)
        HTTP.append(create_app(Config(), data, client=no_client).test_client())
        yield store
        HTTP.clear()


HTTP: list[FlaskClient] = []


@pytest.fixture
def platform(store: SurveyStore) -> ServerPlatform:
    return ServerPlatform(HTTP[0])


@pytest.fixture
def sound(platform: ServerPlatform) -> SoundSpecification:
    return run(examine_survey(platform, LINK)).sound()


def _token(platform: ServerPlatform, sound: SoundSpecification, number: int = 0) -> HeldToken:
    return run(fetch_token(platform, LINK, run(prepare_request(platform, sound, CODES[number], 0))))


def _message(
    platform: ServerPlatform, sound: SoundSpecification, token: HeldToken | None, **answers: Any
) -> Message:
    return run(compose(platform, LINK, place(sound, PERSON), {**ANSWERS, **answers}, token))


def test_code_to_token_to_ballot(
    platform: ServerPlatform, sound: SoundSpecification, store: SurveyStore
) -> None:
    message = _message(platform, sound, _token(platform, sound))
    receipt = run(Sender(platform).send(message))
    assert receipt.digest == message.receipt
    store.close()
    (ballot,) = store.ballots()
    assert ballot.receipt == receipt.digest
    info = box_info(DIGEST, ballot.token.prefix, ballot.token.device_key, ballot.cell)
    opened = decode(HPKE.decrypt(ballot.box, OPENING_KEY, info), sound.specification.message_bytes)
    assert (opened.cell, opened.answers) == (place(sound, PERSON).room.cell, ANSWERS)
    assert message.content not in message.body


def test_the_collector_signs_that_it_took_the_ballot(
    platform: ServerPlatform, sound: SoundSpecification
) -> None:
    message = _message(platform, sound, _token(platform, sound))
    receipt = run(Sender(platform).send(message))
    assert receipt.acceptance == COLLECTOR.accept(DIGEST, bytes.fromhex(message.receipt))


@pytest.mark.parametrize("acceptance", [None, "", "AAAA", "A" * 86])
def test_a_collector_that_does_not_sign_is_not_believed(
    platform: ServerPlatform, sound: SoundSpecification, store: SurveyStore, acceptance: str | None
) -> None:
    """It could drop the ballot and nobody could prove it. She can ask again."""
    message = _message(platform, sound, _token(platform, sound))
    sender = Sender(platform)
    platform.acceptance = acceptance
    with pytest.raises(RemoteError) as caught:
        run(sender.send(message))
    assert (caught.value.code, caught.value.where) == ("remote.receipt", "acceptance")
    platform.acceptance = "true"
    assert run(sender.send(message)).acceptance
    assert store.total() == 1


def test_a_lost_answer_of_the_registrar_costs_nothing(
    platform: ServerPlatform, sound: SoundSpecification
) -> None:
    request = run(prepare_request(platform, sound, CODES[0], 0))
    platform.lose = 1
    with pytest.raises(RemoteError):
        run(fetch_token(platform, LINK, request))
    run(fetch_token(platform, LINK, request)).token.verify(sound.specification.invited.token_key(0), DIGEST)  # type: ignore[union-attr]
    with pytest.raises(TokenError) as caught:
        _token(platform, sound)
    assert caught.value.code == "token.code"


def test_a_lost_answer_of_the_collector_counts_once(
    platform: ServerPlatform, sound: SoundSpecification, store: SurveyStore
) -> None:
    sender, token = Sender(platform), _token(platform, sound)
    first, second = (_message(platform, sound, token, health=word) for word in ("good", "poor"))
    platform.lose = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier) == (first.receipt, True)
    assert store.total() == 1


def test_answers_that_never_arrived_are_not_sent_after_she_changed_them(
    platform: ServerPlatform, sound: SoundSpecification, store: SurveyStore
) -> None:
    sender, token = Sender(platform), _token(platform, sound)
    first, second = (_message(platform, sound, token, health=word) for word in ("good", "poor"))
    platform.cut = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier) == (second.receipt, False)
    store.close()
    assert [ballot.receipt for ballot in store.ballots()] == [second.receipt]


def test_a_token_that_somebody_else_spent_is_not_taken_for_her_first_message(
    platform: ServerPlatform, sound: SoundSpecification
) -> None:
    sender, token = Sender(platform), _token(platform, sound)
    first, second, other = (_message(platform, sound, token, health=w) for w in ("good", "poor", "good"))
    platform.cut = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    run(Sender(platform).send(other))
    with pytest.raises(TokenError) as caught:
        run(sender.send(second))
    assert caught.value.code == "token.spent"


def test_if_it_remains_unknown_whose_message_counts_she_can_ask_again(
    platform: ServerPlatform, sound: SoundSpecification
) -> None:
    sender, token = Sender(platform), _token(platform, sound)
    first, second = (_message(platform, sound, token, health=word) for word in ("good", "poor"))
    platform.lose = 1
    with pytest.raises(RemoteError):
        run(sender.send(first))
    answered = platform.request

    async def cut_the_second_time(*parts: Any, **more: Any) -> Reply:
        reply = await answered(*parts, **more)
        platform.cut = 1
        return reply

    platform.request = cut_the_second_time  # type: ignore[method-assign]
    with pytest.raises(RemoteError):
        run(sender.send(second))
    platform.request = answered  # type: ignore[method-assign]
    platform.cut = 0
    receipt = run(sender.send(second))
    assert (receipt.digest, receipt.earlier) == (first.receipt, True)


def test_a_closed_survey_refuses_and_stores_nothing(
    platform: ServerPlatform, sound: SoundSpecification, store: SurveyStore
) -> None:
    sender, token = Sender(platform), _token(platform, sound)
    message = _message(platform, sound, token)
    store.close()
    with pytest.raises(StateError):
        run(sender.send(message))
    assert store.total() == 0


def test_a_second_device_with_the_same_token_is_told(
    platform: ServerPlatform, sound: SoundSpecification
) -> None:
    token = _token(platform, sound)
    run(Sender(platform).send(_message(platform, sound, token)))
    with pytest.raises(TokenError) as caught:
        run(Sender(platform).send(_message(platform, sound, token, health="poor")))
    assert caught.value.code == "token.spent"


def test_without_a_token_nothing_is_composed(platform: ServerPlatform, sound: SoundSpecification) -> None:
    with pytest.raises(StateError) as caught:
        _message(platform, sound, None)
    assert caught.value.code == "state.token"


def test_an_unknown_code_is_named(platform: ServerPlatform, sound: SoundSpecification) -> None:
    request = run(prepare_request(platform, sound, InvitationCode.create(b"nobody's code"), 0))
    with pytest.raises(TokenError) as caught:
        run(fetch_token(platform, LINK, request))
    assert caught.value.code == "token.code"


class _OtherRegistrar(ServerPlatform):
    """A registrar that answers with something of its own."""

    answer = b"{}"

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        if url.endswith("/tokens"):
            return Reply(status=200, body=self.answer)
        return await super().request(method, url, body=body, content_type=content_type, max_bytes=max_bytes)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"", "remote.blind-signature"),
        (b"[]", "remote.blind-signature"),
        (b"[" * 4000, "remote.blind-signature"),
        (b'{"blind_signature":"AA"}', "remote.blind-signature"),
        (b'{"blind_signature":1}', "remote.blind-signature"),
        (b'{"blind_signature":"' + b"A" * 511 + b'B"}', "token.signature"),
        (b'{"blind_signature":"' + b"A" * 510 + b'"}', "remote.blind-signature"),
    ],
)
def test_a_registrar_cannot_mark_anybody_with_another_signature(
    store: SurveyStore, sound: SoundSpecification, answer: bytes, code: str
) -> None:
    platform = _OtherRegistrar(HTTP[0])
    platform.answer = answer
    with pytest.raises((RemoteError, TokenError)) as caught:
        _token(platform, sound)
    assert caught.value.code == code


@pytest.mark.parametrize("body", [b"[" * 60_000, b'{"code":' * 9000, b"\xff", b"{}x", b"[]"])
def test_a_hostile_refusal_is_an_error_like_any_other(body: bytes) -> None:
    assert reply_object(Reply(status=400, body=body)) == {}
    assert refusal(Reply(status=400, body=body)).code == "remote.refused"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("state.draft", "state.draft"),
        ("state.closed", "state.closed"),
        ("state.role", "state.role"),
        ("state", "state"),
        ("state.<b>", "submission"),
        ("state." + "x" * 60, "submission"),
    ],
)
def test_a_refusal_keeps_its_code(sent: str, code: str) -> None:
    """A survey that is not open yet, or a server with another role, was said to take no answers any more."""
    body = json.dumps({"title": "No.", "code": sent}).encode()
    assert refusal(Reply(status=409, body=body)).code == code


def test_nothing_of_a_token_is_in_a_repr(platform: ServerPlatform, sound: SoundSpecification) -> None:
    request = run(prepare_request(platform, sound, CODES[0], 0))
    assert repr(request) == "TokenRequest(...)"
    assert CODES[0].symbols not in repr(request)
