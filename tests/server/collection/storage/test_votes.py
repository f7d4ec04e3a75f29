"""Ballots of an election at the collector: proofs that hold are stored, everything else is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.keys.sealing import SealingKey
from shared.ballot import Ballot
from shared.errors import RoomfulError
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from tests.elections import HeldElection, collector
from tests.server.collection.relay.survey import open_collector

ANSWERS = {"board": "ben", "statutes": False}


@pytest.fixture
def election(tmp_path: Path) -> HeldElection:
    return HeldElection(tmp_path)


@pytest.fixture
def store(data: DataDirectory, election: HeldElection) -> SurveyStore:
    return open_collector(data, election.specification)


def sealed(election: HeldElection, ballot: Ballot) -> bytes:
    """As it travels."""
    key = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
    return key.seal(ballot_info(election.digest), ballot.to_bytes())


def code_of(store: SurveyStore, message: bytes) -> str:
    """Code of the refusal; empty if it is stored."""
    try:
        store.submit(message)
    except RoomfulError as error:
        return error.code
    return ""


def test_a_vote_is_stored_encrypted(store: SurveyStore, election: HeldElection) -> None:
    ballot = election.ballot(3, ANSWERS)
    assert store.submit(sealed(election, ballot)) == ballot.receipt
    assert store.submit(sealed(election, ballot)) == ballot.receipt
    store.close()
    assert list(store.ballots()) == [ballot]


def test_a_late_ballot_is_refused(store: SurveyStore, election: HeldElection) -> None:
    store.close()
    assert code_of(store, sealed(election, election.ballot(3, ANSWERS))) == "state.closed"


def test_one_token_is_one_ballot(store: SurveyStore, election: HeldElection) -> None:
    """A clash: the first counts, whoever sent the second."""
    assert code_of(store, sealed(election, election.ballot(3, ANSWERS, 7))) == ""
    other = election.ballot(3, ANSWERS | {"statutes": True}, 7)
    assert code_of(store, sealed(election, other)) == "token.spent"


def test_votes_whose_proofs_do_not_hold_are_refused(
    store: SurveyStore, election: HeldElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = election.vote(1, 3, ANSWERS)
    first, second = good.contests
    wrong = {
        "ballot.sum": replace(good, contests=(replace(first, sum_response=first.sum_response ^ 1), second)),
        "ballot.challenge": replace(good, cell=4),
        "ballot.element": replace(
            good,
            contests=(
                replace(first, ciphertexts=((b"\x01" + bytes(31), bytes(32)), *first.ciphertexts[1:])),
                second,
            ),
        ),
    }
    for code, vote in wrong.items():
        assert code_of(store, sealed(election, election.in_ballot(1, vote))) == code
    assert store.total() == 0
    monkeypatch.setattr(
        "server.collection.storage.ballot_intake.verify_batch", lambda votes, *_: (None,) * len(votes)
    )
    assert code_of(store, sealed(election, election.in_ballot(1, wrong["ballot.sum"]))) == ""
