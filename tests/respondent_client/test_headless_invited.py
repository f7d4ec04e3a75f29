"""``roomful respond`` in an invited survey, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from respondent_client.headless.commands import respond
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.platform import Reply
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from shared.errors import InputError, RemoteError, StateError, TokenError
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.token import HeldToken
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes
from tests.invited import code
from tests.served import no_client, serving
from tests.server.collection.storage.ballots import DIGEST, store_of

CODE = code(0)


@dataclass
class Site:
    store: SurveyStore
    url: str
    answers: Path

    def respond(self, *options: str, code: InvitationCode | None = CODE) -> dict[str, Any]:
        link = survey_link(self.url, DIGEST, public_bytes(ORGANIZER_KEY), code=code)
        arguments = [link, "--answers", str(self.answers), "--json", *options]
        done = CliRunner().invoke(respond, arguments, catch_exceptions=False, standalone_mode=False)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"quasi_identifiers": {"age": "43", "sex": "male"}, "answers": ANSWERS}))
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        store = store_of(data)
        with serving(create_app(Config(), data, client=no_client)) as port:
            yield Site(store=store, url=f"http://127.0.0.1:{port}/", answers=answers)


def test_a_code_in_the_link_is_enough(site: Site) -> None:
    result = site.respond()
    assert (result["sent"], result["relayed"], site.store.total()) == (True, False, 1)
    site.store.close()
    assert site.store.ballot_receipts() == (result["receipt"],)


def test_a_typed_code_and_a_saved_token(site: Site, tmp_path: Path) -> None:
    saved = tmp_path / "token.json"
    first = site.respond("--code", CODE.text.lower(), "--token-file", str(saved), code=None)
    assert saved.stat().st_mode & 0o777 == 0o600
    assert first["sent"]
    again = site.respond("--token-file", str(saved), code=None)
    assert (again["earlier"], again["receipt"]) == (True, first["receipt"])
    assert site.store.total() == 1
    saved.with_name("token.json.message").unlink()
    with pytest.raises(TokenError) as spent:  # other padding, so another ballot
        site.respond("--token-file", str(saved), code=None)
    assert spent.value.code == "token.spent"
    assert site.store.total() == 1


def test_whoever_names_the_token_file_of_another_is_told(site: Site, tmp_path: Path) -> None:
    """Two people on one machine: the second believed that her answers were taken."""
    saved = tmp_path / "token.json"

    def told(number: int) -> tuple[str, BaseException | None]:
        link = survey_link(site.url, DIGEST, public_bytes(ORGANIZER_KEY), code=code(number))
        arguments = [link, "--answers", str(site.answers), "--token-file", str(saved)]
        run = CliRunner().invoke(respond, arguments, standalone_mode=False)
        return run.stderr, run.exception

    assert "name another" not in told(0)[0]
    assert "If those are not yours, name another --token-file." in told(1)[0]
    saved.with_name("token.json.message").unlink()
    words, error = told(1)
    assert "no code is exchanged. If it is not yours, name another --token-file." in words
    assert isinstance(error, TokenError)
    assert site.store.total() == 1


def test_a_dry_run_spends_nothing(site: Site) -> None:
    result = site.respond("--dry-run")
    assert json.loads(result["message"])["answers"] == ANSWERS
    assert site.store.total() == 0
    assert site.respond()["sent"]


def test_a_second_device_with_the_same_code_is_told(site: Site) -> None:
    site.respond()
    with pytest.raises(TokenError) as caught:
        site.respond()
    assert caught.value.code == "token.code"


def test_no_code_and_no_token_is_named(site: Site) -> None:
    with pytest.raises(StateError) as caught:
        site.respond(code=None)
    assert caught.value.code == "state.token"


def test_a_file_that_cannot_be_written_costs_nobody_her_code(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        site.respond("--token-file", str(tmp_path / "missing" / "token.json"))
    assert site.respond()["sent"]


def test_a_lost_answer_costs_nobody_her_code(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer is lost; the next call goes on with the same request."""
    saved, real = tmp_path / "token.json", HeadlessPlatform.request

    async def lose(platform: HeadlessPlatform, method: str, url: str, **more: Any) -> Reply:
        reply = await real(platform, method, url, **more)
        if url.endswith("/tokens"):
            raise RemoteError("lost", code="remote.unreachable")
        return reply

    with monkeypatch.context() as patch:
        patch.setattr(HeadlessPlatform, "request", lose)
        with pytest.raises(RemoteError):
            site.respond("--token-file", str(saved))
    assert saved.stat().st_mode & 0o777 == 0o600
    assert site.respond("--token-file", str(saved), code=None)["sent"]
    token = HeldToken.parse_file(saved.read_bytes(), DIGEST)
    assert CODE.symbols not in token.to_file(DIGEST).decode()
    assert {path.name for path in tmp_path.glob("token*")} == {"token.json", "token.json.message"}


def test_a_dry_run_says_that_an_earlier_message_would_go_out(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It showed the bytes of answers that would not be sent: those that were sealed first are."""
    saved, real = tmp_path / "token.json", HeadlessPlatform.request

    async def lose(platform: HeadlessPlatform, method: str, url: str, **more: Any) -> Reply:
        if url.endswith("/submissions"):
            raise RemoteError("lost", code="remote.unreachable")
        return await real(platform, method, url, **more)

    assert "message" in site.respond("--token-file", str(saved), "--dry-run")
    with monkeypatch.context() as patch:
        patch.setattr(HeadlessPlatform, "request", lose)
        with pytest.raises(RemoteError):
            site.respond("--token-file", str(saved))
    dry = site.respond("--token-file", str(saved), "--dry-run", code=None)
    assert "message" not in dry
    assert "Not these answers" in dry["instead"]
    assert site.store.total() == 0
    sent = site.respond("--token-file", str(saved), code=None)
    assert (sent["receipt"], sent["earlier"]) == (dry["receipt"], True)
    again = site.respond("--token-file", str(saved), "--dry-run", code=None)
    assert "taken already" in again["instead"]
    site.store.close()


def test_another_code_does_not_take_the_place_of_a_kept_request(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lose(platform: HeadlessPlatform, method: str, url: str, **more: Any) -> Reply:
        if url.endswith("/tokens"):
            raise RemoteError("lost", code="remote.unreachable")
        return await real(platform, method, url, **more)

    saved, real = tmp_path / "token.json", HeadlessPlatform.request
    with monkeypatch.context() as patch:
        patch.setattr(HeadlessPlatform, "request", lose)
        with pytest.raises(RemoteError):
            site.respond("--token-file", str(saved))
    kept = saved.read_bytes()
    with pytest.raises(StateError, match="another code") as caught:
        site.respond("--code", InvitationCode.create(b"another code").text, "--token-file", str(saved))
    assert caught.value.code == "state.token"
    assert saved.read_bytes() == kept


def test_a_code_in_the_environment_is_seen_by_no_other_user(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arguments of a process are everybody's on its machine."""
    monkeypatch.setenv("ROOMFUL_INVITATION_CODE", CODE.text)
    assert site.respond(code=None)["sent"]


def test_a_refused_code_leaves_no_empty_file(site: Site, tmp_path: Path) -> None:
    saved = tmp_path / "token.json"
    with pytest.raises(TokenError):
        site.respond("--code", InvitationCode.create(b"nobody's code").text, "--token-file", str(saved))
    assert not saved.exists()


def test_a_file_that_is_no_token_is_named(site: Site, tmp_path: Path) -> None:
    saved = tmp_path / "token.json"
    saved.write_text("{}")
    with pytest.raises(TokenError) as caught:
        site.respond("--token-file", str(saved))
    assert caught.value.code == "token.form"
