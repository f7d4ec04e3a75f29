"""Whoever sees codes and ballots arrive in one phase names voters by time: an election has two.

In its first no ballot is taken, in its second no code is exchanged, whatever a device sends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.storage import ballot_intake, states
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.tokens import exchange
from server.collection.tokens.exchange import TokenOffice
from server.keys.sealing import SealingKey
from shared import base64url, strict_json
from shared.errors import RoomfulError
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from tests.elections import BOXES, HeldElection, code_in, collector
from tests.invited import ROLL_ID
from tests.refusals import code_of
from tests.server.collection.relay.survey import open_collector

ANSWERS = {"board": "ben", "statutes": False}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data") as data:
        yield data


def request(box: int) -> bytes:
    """What a device of this box sends to the registrar."""
    proof = base64url.encode(code_in(box).proof(ROLL_ID))
    message = base64url.encode((2**3000).to_bytes(384, "big"))
    return strict_json.dumps({"code_proof": proof, "blinded_message": message, "cell": box})


def test_a_ballot_in_the_phase_of_codes_and_a_code_in_that_of_ballots(
    data: DataDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    election = HeldElection(tmp_path)
    store, office = open_collector(data, election.specification, voting=False), TokenOffice(data)
    key = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
    ballot = key.seal(ballot_info(election.digest), election.ballot(3, ANSWERS).to_bytes())
    assert store.state is State.TOKENS
    assert code_of(lambda: store.submit(ballot)) == "state.tokens"
    assert code_of(lambda: office.count(store.id)) == "state.tokens", "told when no more are"
    assert code_of(lambda: office.exchange(store.id, request(5))) == ""
    assert code_of(store.close) == "state.tokens"
    store.open()
    assert store.state is State.OPEN
    with pytest.raises(RoomfulError) as late:
        office.exchange(store.id, request(6))
    assert late.value.code == "state.open"
    assert "voting has begun" in late.value.message, "a voter reads it whose letter came late"
    assert "make it" not in late.value.remedy, "closing is no step of hers"
    assert json.loads(office.count(store.id))["tokens"] == [int(box == 5) for box in range(BOXES)]
    assert code_of(lambda: store.submit(ballot)) == ""
    assert code_of(store.open) == "state.open"
    monkeypatch.setattr(exchange, "exchanging", lambda **_: State.OPEN)
    assert code_of(lambda: office.exchange(store.id, request(6))) == "", "one phase: both arrive together"


def test_an_election_has_no_way_around_the_phase_of_codes() -> None:
    assert states.following(State.DRAFT, election=True) is State.TOKENS
    assert states.following(State.DRAFT, election=False) is State.OPEN
    with pytest.raises(RoomfulError) as caught:
        states.require_step(State.DRAFT, State.OPEN, election=True)
    assert "make it tokens" in caught.value.remedy
    assert ballot_intake.State.TOKENS not in (State.OPEN, State.CLOSED)
