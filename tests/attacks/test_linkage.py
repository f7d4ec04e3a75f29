"""Nobody can tell whose ballot is whose: 500 invited people, and an attacker who holds all the files.

The same attacker is let loose on builds that are broken on purpose, where she must succeed: otherwise this
test could not fail.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from respondent_client.composing import compose
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import run
from respondent_client.link import Link
from respondent_client.platform import Reply
from respondent_client.sending import Sender
from respondent_client.session import examine_survey, place
from respondent_client.token_request import fetch_token, prepare_request
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.intake import Stored
from server.collection.storage.registrar import Fetch, _FetchIntake
from server.collection.storage.server_keys import install_keys
from server.collection.web.app import create_app
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.model import format_model
from shared.roll import roll_hash
from tests.attacks.linking import (
    STRATEGIES,
    Seized,
    Strategy,
    by_order,
    by_remains,
    by_value,
    hits,
)
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes, sign, small_rows
from tests.invited import TOKEN_KEY_FILE, code, digest_of, invited, invited_specification, roll
from tests.served import no_client
from tests.server.collection.storage.ballots import collector_pem

PEOPLE = 500
CELLS = 8
FEW = 100
"""People of the builds that are broken on purpose."""
#: By chance one person of each cell is linked rightly; 30 of 500 happens to an honest build once in 10^8.
BY_CHANCE_AT_MOST = 30


class Device(HeadlessPlatform):
    """One person's device on a network that ends in the real application."""

    def __init__(self, http: FlaskClient) -> None:
        super().__init__()
        self._http = http

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, **_limits: object
    ) -> Reply:
        answer = self._http.open(
            "/" + url.split("/", 3)[3], method=method, data=body, content_type=content_type
        )
        return Reply(status=answer.status_code, body=answer.data)


class ForgetfulDevice(Device):
    """Broken on purpose: all its randomness comes from the code, as if it had no generator."""

    def __init__(self, http: FlaskClient, code: InvitationCode) -> None:
        super().__init__(http)
        self._code = code

    def entropy(self, n_bytes: int) -> bytes:
        return hashlib.shake_256(self._code.symbols.encode()).digest(n_bytes)


@contextmanager
def survey(
    folder: Path, *, people: int = PEOPLE, forgetful: bool = False
) -> Iterator[tuple[Seized, dict[InvitationCode, bytes]]]:
    """A survey whose people fetch and send in one random order, closed; and the truth."""
    rows = [replace(row, people=3) for row in small_rows()]
    specification = invited_specification(rows=rows, invited=invited(people=PEOPLE))
    digest = digest_of(specification)
    chance = random.Random(1)
    everybody = [
        (str(row.vector[0]), "female" if row.vector[1] else "male") for row in rows for _ in range(3)
    ]
    codes = [code(number) for number in range(people)]
    cells: dict[InvitationCode, int] = {}
    truth: dict[InvitationCode, bytes] = {}
    with DataDirectory(folder / "data", quiet_seconds=60) as data:
        envelope = sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes()
        model = format_model(specification.attributes, rows)
        store = data.survey(data.publish(envelope, model, roll(PEOPLE).to_bytes()))
        install_keys(store.published, token_key=TOKEN_KEY_FILE, collector_key=collector_pem(folder))
        data.enrol(store.id)
        store.open()
        http = create_app(Config(), data, client=no_client).test_client()
        link = Link.parse(survey_link("https://example.org/", digest, public_bytes(ORGANIZER_KEY)))
        sound = run(examine_survey(Device(http), link)).sound()
        for own, (age, sex) in zip(codes, chance.sample(everybody, people), strict=True):
            device = ForgetfulDevice(http, own) if forgetful else Device(http)
            placement = place(sound, {"age": age, "sex": sex})
            token = run(fetch_token(device, link, run(prepare_request(device, sound, own, 0))))
            run(Sender(device).send(run(compose(device, link, placement, ANSWERS, token))))
            cells[own], truth[own] = placement.room.cell, token.token.prefix
        store.close()
        data.registrar(store.id).end()
        path = store.published.folder
        assert store.total() == people
        yield (
            Seized(
                people=cells,
                registrar=path / "registrar.sqlite",
                collector=path / "answers.sqlite",
                digest=digest,
            ),
            truth,
        )


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Seized, dict[InvitationCode, bytes]]]:
    with survey(tmp_path_factory.mktemp("honest")) as seized:
        yield seized


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.__name__)
def test_everything_on_both_servers_links_nobody(
    honest: tuple[Seized, dict[InvitationCode, bytes]], strategy: Strategy
) -> None:
    seized, truth = honest
    assert len(truth) == len(set(truth.values())) == PEOPLE
    assert hits(strategy(seized), truth) <= BY_CHANCE_AT_MOST


def test_every_code_and_every_ballot_is_in_what_was_seized(
    honest: tuple[Seized, dict[InvitationCode, bytes]],
) -> None:
    """Otherwise the attacker would fail for want of anything to look at."""
    seized, truth = honest
    assert {ballot[0] for ballot in seized.ballots()} == set(truth.values())
    assert {hashed for hashed, request in seized.codes() if request} == set(seized.holders())
    assert len({ballot[2] for ballot in seized.ballots()}) == CELLS


def test_a_device_without_a_generator_is_caught(tmp_path: Path) -> None:
    with survey(tmp_path, people=FEW, forgetful=True) as (seized, truth):
        assert hits(by_value(seized), truth) == FEW


class _OrderlyIntake(_FetchIntake):
    """Broken on purpose: a spent code moves to the end of its table."""

    def store(self, connection: sqlite3.Connection, group: Sequence[Fetch]) -> Stored:
        stored = super().store(connection, group)
        for fetch in group:
            key = (roll_hash(fetch.proof),)
            row = connection.execute("SELECT * FROM code WHERE hash = ?", key).fetchone()
            connection.execute("DELETE FROM code WHERE hash = ?", key)
            connection.execute("INSERT INTO code VALUES (?, ?, ?, ?)", tuple(row))
        return stored


def test_servers_that_number_their_rows_are_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.collection.storage.databases.UNNUMBERED", "")
    monkeypatch.setattr("server.collection.storage.registrar._FetchIntake", _OrderlyIntake)
    with survey(tmp_path, people=FEW) as (seized, truth):
        assert hits(by_order(seized), truth) > FEW * 0.9


def test_a_registrar_that_keeps_what_it_was_shown_is_caught(tmp_path: Path) -> None:
    """Broken on purpose: devices that blind nothing, so that the token lies beside its code."""
    with survey(tmp_path, people=FEW) as (seized, truth):
        with seized.registrar.open("ab") as file:
            file.write(b"".join(code.symbols.encode() + prefix for code, prefix in truth.items()))
        assert hits(by_remains(seized), truth) > FEW * 0.9
