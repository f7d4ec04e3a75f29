"""The steps of an invited respondent, as the page takes them; registrar and collector are real."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from respondent_client.browser.bridge import Bridge
from respondent_client.headless.respondent import run
from respondent_client.keeping import restore
from respondent_client.session import examine_survey
from respondent_client.token_request import TokenRequest
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from shared.errors import TokenError
from shared.invitation import Invitation, survey_link
from shared.receipt import BallotReceipt
from shared.token import HeldToken
from tests.builders import ANSWERS, MESSAGE_BYTES, ORGANIZER_KEY, public_bytes
from tests.invited import COLLECTOR, hold_token
from tests.respondent_client.test_invited import CODES, LINK, PERSON, ServerPlatform
from tests.served import no_client
from tests.server.collection.storage.ballots import DIGEST, store_of


class Driver:
    """A page with what its tab keeps."""

    def __init__(
        self, platform: ServerPlatform, *, code: int | None = None, token: HeldToken | None = None
    ) -> None:
        self.platform = platform
        self.fragment = Invitation(
            digest=DIGEST,
            organizer_key=public_bytes(ORGANIZER_KEY),
            code=None if code is None else CODES[code],
            token=token,
        ).fragment()
        self.bridge = Bridge(platform)

    def ask(self, method: str, **arguments: Any) -> Any:
        reply = self.reply(method, **arguments)
        assert "error" not in reply, reply
        return reply["result"]

    def reply(self, method: str, **arguments: Any) -> Any:
        return json.loads(run(self.bridge.handle(json.dumps({"method": method, "arguments": arguments}))))

    def refused(self, method: str, **arguments: Any) -> str:
        return str(self.reply(method, **arguments)["error"]["code"])

    def begin(self, kept: str | None = None) -> Any:
        self.survey = self.ask(
            "open", base="https://example.org/", survey=DIGEST[:16], fragment=self.fragment
        )
        self.survey |= self.ask("recount")
        return self.ask("begin_invitation", kept=kept)

    def reload(self, kept: str | None) -> Any:
        self.bridge = Bridge(self.platform)
        return self.begin(kept)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SurveyStore]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = store_of(data)
        PLACES.append(data)
        yield store
        PLACES.clear()


PLACES: list[DataDirectory] = []


@pytest.fixture
def platform(store: SurveyStore) -> ServerPlatform:
    return ServerPlatform(create_app(Config(), PLACES[0], client=no_client).test_client())


def test_the_whole_way(platform: ServerPlatform, store: SurveyStore) -> None:
    page = Driver(platform, code=0)
    assert page.begin() == {"code": CODES[0].text}
    assert page.survey["survey"]["invited"] == {
        "election": False,
        "threshold": 2,
        "shares": 3,
        "relay": None,
        "window_seconds": 900,
    }
    pending = page.ask("use_invitation", text=CODES[0].text)
    assert (pending["pending"], pending["code"]) == (True, CODES[0].text)
    held = page.ask("fetch_token")
    token = HeldToken.parse_file(held["kept"].encode(), DIGEST)
    assert held["token"]["file"] == held["kept"]
    assert held["token"]["link"] == survey_link(
        "https://example.org/", DIGEST, public_bytes(ORGANIZER_KEY), token=token
    )
    page.ask("place", quasi_identifiers=PERSON)
    message = page.ask("compose", answers=ANSWERS)
    assert message["sealed"]
    assert len(message["text"]) == message["text_length"] == MESSAGE_BYTES < message["length"]
    assert 0 <= page.ask("delay")["milliseconds"] < 900_000
    sent = page.ask("send")
    acceptance = COLLECTOR.accept(DIGEST, bytes.fromhex(sent["receipt"]))
    receipt = BallotReceipt.of(DIGEST, sent["receipt"], acceptance)
    assert (sent["relayed"], sent["earlier"], sent["text"]) == (False, False, receipt.to_text())
    address, _, fragment = sent["board"].partition("#")
    assert address == f"https://example.org/s/{DIGEST[:16]}/board"
    assert fragment.startswith(f"{DIGEST}.")
    assert BallotReceipt.parse(fragment) == receipt
    store.close()
    assert [ballot.receipt for ballot in store.ballots()] == [sent["receipt"]]
    page.ask("place", quasi_identifiers=PERSON)
    assert page.refused("compose", answers=ANSWERS) == "state.token", "the token is forgotten"


def test_an_open_survey_has_no_invitation() -> None:
    bridge = Bridge(ServerPlatform(None))  # type: ignore[arg-type]
    for method in ("begin_invitation", "use_invitation", "fetch_token", "forget_invitation", "delay"):
        given = {"begin_invitation": {"kept": None}, "use_invitation": {"text": ""}}.get(method, {})
        reply = json.loads(run(bridge.handle(json.dumps({"method": method, "arguments": given}))))
        assert reply["error"]["code"] == "state", method


def test_a_reload_between_request_and_answer_costs_nothing(platform: ServerPlatform) -> None:
    page = Driver(platform, code=0)
    page.begin()
    kept = page.ask("use_invitation", text=CODES[0].text)["kept"]
    platform.lose = 1
    assert page.refused("fetch_token") == "remote.unreachable"
    assert page.reload(kept) == {"pending": True, "code": CODES[0].text, "kept": kept}
    held = page.ask("fetch_token")
    assert CODES[0].symbols not in held["kept"]
    assert page.reload(held["kept"]) == held | {"other": True}, "nobody can tell whose code the token was for"
    assert page.reload(None) == {"code": CODES[0].text}
    page.ask("use_invitation", text=CODES[0].text)
    assert page.refused("fetch_token") == "token.code"
    assert page.refused("fetch_token") == "state", "a refused code is dropped"


def test_what_the_link_brings_beside_what_was_kept_is_said(platform: ServerPlatform) -> None:
    page = Driver(platform, code=0)
    page.begin()
    request = page.ask("use_invitation", text=CODES[0].text)["kept"]
    token = hold_token(DIGEST, b"p" * 32)
    saved, other = token.to_file(DIGEST).decode(), hold_token(DIGEST, b"q" * 32)
    for link, kept, asked in (
        (Driver(platform, code=0), request, False),
        (Driver(platform, code=1), request, True),
        (Driver(platform, token=token), request, True),
        (Driver(platform), request, False),
        (Driver(platform, code=0), saved, True),
        (Driver(platform, token=token), saved, False),
        (Driver(platform, token=other), saved, True),
        (Driver(platform), saved, False),
    ):
        found = link.begin(kept)
        assert found["kept"] == kept, "what was kept stays until she decides"
        assert found.get("other", False) is asked


def test_the_same_code_keeps_its_request(platform: ServerPlatform) -> None:
    page = Driver(platform)
    page.begin()
    first = page.ask("use_invitation", text=CODES[0].text)
    assert page.ask("use_invitation", text=CODES[0].text.lower()) == first
    assert page.ask("use_invitation", text=CODES[1].text) != first
    assert page.ask("forget_invitation") == {"code": ""}
    assert page.refused("fetch_token") == "state"


def damaged(kept: str) -> Iterator[str]:
    """What a tab could hold instead of what was kept."""
    value = json.loads(kept)
    yield from ("", "{}", "x", kept[:-1], json.dumps(value | {"more": 1}))
    for name, text in value.items():
        if text is not None:
            yield json.dumps(value | {name: text[:-1]})
            yield json.dumps(value | {name: text[1:] + text[0]})
        yield json.dumps(value | {name: 1})


def test_a_damaged_memory_is_dropped_and_the_link_counts(platform: ServerPlatform) -> None:
    page = Driver(platform, code=1)
    page.begin()
    request = page.ask("use_invitation", text=CODES[0].text)["kept"]
    token = page.ask("fetch_token")["kept"]
    assert page.reload(token[:-9]) == {"code": CODES[1].text}
    sound = run(examine_survey(platform, LINK)).sound()
    for kept in damaged(token):
        with pytest.raises(TokenError):
            run(restore(platform, sound, kept))
    for kept in damaged(request):
        # A request can also be damaged so that only the registrar or the check of its answer finds it.
        with contextlib.suppress(TokenError):
            assert isinstance(run(restore(platform, sound, kept)), TokenRequest)
    with pytest.raises(TokenError):
        run(restore(platform, sound, json.dumps(json.loads(request) | {"specification": "0" * 64})))


def test_a_token_in_the_link_or_a_file_is_verified(platform: ServerPlatform) -> None:
    token = hold_token(DIGEST, b"p" * 32)
    assert Driver(platform, token=token).begin()["token"]["file"] == token.to_file(DIGEST).decode()
    forged = replace(token, token=replace(token.token, prefix=b"q" * 32))
    other = replace(token, secret=hold_token(DIGEST, b"q" * 32).secret)
    page = Driver(platform, token=forged)
    page.ask("open", base="https://example.org/", survey=DIGEST[:16], fragment=page.fragment)
    page.ask("recount")
    assert page.refused("begin_invitation", kept=None) == "token.signature"
    assert page.refused("use_invitation", text=forged.to_file(DIGEST).decode()) == "token.signature"
    assert page.refused("use_invitation", text=other.to_text()) == "token.form", "it could sign nothing"
    assert page.refused("use_invitation", text="not a code") == "token.code-form"
    assert page.ask("use_invitation", text=token.to_text())["token"]["file"] == token.to_file(DIGEST).decode()


def test_another_token_makes_another_message(platform: ServerPlatform) -> None:
    page = Driver(platform)
    page.begin()
    page.ask("place", quasi_identifiers=PERSON)
    assert page.refused("compose", answers=ANSWERS) == "state.token"
    texts = []
    for prefix in (b"p", b"q"):
        page.ask("use_invitation", text=hold_token(DIGEST, prefix * 32).to_text())
        texts.append(page.ask("compose", answers=ANSWERS)["text"])
        assert page.ask("compose", answers=ANSWERS)["text"] == texts[-1]
    assert texts[0] != texts[1]


def test_a_check_that_ends_twice_takes_no_token_away(platform: ServerPlatform) -> None:
    """The words to compare, pressed twice, count the model twice; the second count ends any time later."""
    page = Driver(platform)
    page.begin()
    page.ask("place", quasi_identifiers=PERSON)
    page.ask("use_invitation", text=hold_token(DIGEST, b"p" * 32).to_text())
    assert page.ask("recount")["sound"]
    assert page.ask("compose", answers=ANSWERS)["sealed"]


def test_what_is_sealed_late_does_not_take_the_place_of_what_was_answered_last(
    platform: ServerPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """She has gone back and changed an answer while the program that seals was on its way."""
    page = Driver(platform)
    page.begin()
    page.ask("place", quasi_identifiers=PERSON)
    page.ask("use_invitation", text=hold_token(DIGEST, b"p" * 32).to_text())
    changed = ANSWERS | {"health": "poor"}
    first, last = (
        json.dumps({"method": "compose", "arguments": {"answers": answers}}) for answers in (ANSWERS, changed)
    )
    seal = platform.seal

    async def both() -> Any:
        arrived = asyncio.Event()

        async def late(**given: Any) -> bytes:
            await arrived.wait()
            return await seal(**given)

        monkeypatch.setattr(platform, "seal", late)
        slow = asyncio.ensure_future(page.bridge.handle(first))
        await asyncio.sleep(0)
        monkeypatch.setattr(platform, "seal", seal)
        shown = json.loads(await page.bridge.handle(last))
        arrived.set()
        await slow
        return shown

    with ThreadPoolExecutor() as aside:  # where no test of a browser has left a loop running
        shown = aside.submit(asyncio.run, both()).result()["result"]
    assert page.ask("compose", answers=changed)["text"] == shown["text"], "other bytes than those shown"


@pytest.mark.parametrize(
    ("typed", "symbols", "foreign", "good"),
    [
        ("", 0, "", False),
        ("ab-c", 3, "", False),
        ("u!u", 0, "U!", False),
        (CODES[0].text.lower(), 20, "", True),
        (CODES[0].text + "1", 21, "", False),
    ],
)
def test_a_code_is_looked_at_while_it_is_typed(
    platform: ServerPlatform, typed: str, symbols: int, foreign: str, good: bool
) -> None:
    seen = Driver(platform).ask("look_at_code", text=typed)
    assert seen == {
        "symbols": symbols,
        "wanted": 20,
        "foreign": foreign,
        "good": good,
        "text": CODES[0].text if good else "",
    }
