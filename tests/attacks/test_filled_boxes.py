"""Attacks on a box of an election: filled without codes, filled from outside, left, moved, replaced.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import RegistrarStore
from server.collection.storage.store import SurveyStore
from server.collection.tokens.verifying import BallotVerifier
from server.keys.sealing import SealingKey
from server.release.trustees.examining import examine_export
from shared import board_counts, soundness
from shared.ballot import Ballot
from shared.election.vote import EncryptedVote
from shared.invited import Invited
from shared.model import format_model, model_digest
from shared.roll import Roll
from shared.sealing import ELECTION_SUITE, SUITES, ballot_info
from shared.specification import Specification
from shared.verification import examining
from tests.boards import make_board
from tests.builders import ORGANIZER_KEY, sign, small_rows
from tests.elections import (
    BOXES,
    COUNTS,
    PEOPLE_A_BOX,
    HeldElection,
    box_keys,
    code_in,
    collector,
    election_keys,
    election_roll,
    election_specification,
    proofs_of,
)
from tests.invited import ROLL_ID, code, codes_of, sign_ballot
from tests.refusals import code_of
from tests.server.collection.relay.survey import open_collector
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import fragment_of

LONELY = 3
"""The box whose one voter the others want to know."""
OWN = {"board": "ben", "statutes": False}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data") as data:
        yield data


@pytest.fixture
def store(data: DataDirectory, election: HeldElection) -> SurveyStore:
    return open_collector(data, election.specification)


def sealed(election: HeldElection, ballot: Ballot) -> bytes:
    key = SealingKey(SUITES[ELECTION_SUITE], collector().public_key)
    return key.seal(ballot_info(election.digest), ballot.to_bytes())


def test_minted_tokens_without_a_code(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registrar signs tokens for the lonely box; for codes of people who stayed away it has no proof.

    As many codes are used as there are ballots, but of other boxes: of people who fetched a token and stayed
    away.
    """
    for number in (60, 61):
        election.ballots.append(election.ballot(LONELY, OWN, number))
    used = (*(ballot.cell for ballot in election.ballots[:-2]), 5, 5)
    monkeypatch.setattr(HeldElection, "used_codes", lambda *_: proofs_of(*used))
    export = election.write()
    received = election.received(export)
    assert code_of(lambda: examine_export(received, lambda *_: None)) == "opening.box"
    monkeypatch.setattr(examining, "_require_codes", lambda *_: None)
    counted = examine_export(received, lambda *_: None)
    assert counted.counts[LONELY] == COUNTS[LONELY] + 2
    assert (LONELY,) in counted.permitted.groups, "her vote is the one that they did not make"


def test_a_box_filled_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The organizer's roll has a box with codes for people who are not there, taken from another box."""
    boxes = [[code_in(box, n) for n in range(PEOPLE_A_BOX)] for box in range(BOXES)]
    boxes[LONELY].append(boxes[-1].pop())
    roll = Roll.of(ROLL_ID, *boxes)
    specification = election_specification(invited=election_keys(codes=codes_of(roll)))

    def line(name: str = "board.roll") -> object:
        files = make_board(
            specification=specification,
            used=proofs_of(1),
            entries=(bytes(32),),
            change=lambda board: replace(board, invited=BOXES * PEOPLE_A_BOX),
        )
        lines = replace(files, roll=roll.to_bytes()).recount().lines
        return next(line.error for line in lines if line.code == name)

    assert "26 codes" in str(line())
    monkeypatch.setattr(board_counts, "_require_boxes", lambda *_: None)
    assert line() is None


def test_a_box_missing_from_the_roll() -> None:
    """One list for all boxes, as a survey has it: nobody could count the codes of a box."""
    roll = Roll.of(ROLL_ID, map(code, range(BOXES * PEOPLE_A_BOX)))
    specification = election_specification(invited=election_keys(codes=codes_of(roll)))
    files = make_board(specification=specification, used=(), entries=())
    refusal = next(
        line for line in replace(files, roll=roll.to_bytes()).recount().lines if line.code == "board.roll"
    )
    assert refusal.error is not None


def test_a_voter_lies_about_her_age(
    data: DataDirectory, store: SurveyStore, election: HeldElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Her code is of box 1; what she says leads to box 5, and nothing is spent."""
    registrar = data.registrar(store.id)
    proof = code_in(1).proof(ROLL_ID)
    assert code_of(lambda: registrar.spend(proof, b"blinded", 5)) == "token.box"
    assert registrar.issued() == 0
    assert code_of(lambda: registrar.spend(proof, b"blinded", 1)) == ""
    assert code_of(lambda: registrar.spend(proof, b"blinded", 5)) == "token.box", "nor after it is used"
    # A registrar that does not look gives her the token; then the box has a ballot more than used codes.
    other = code_in(1, 1).proof(ROLL_ID)
    honest = RegistrarStore.spend
    monkeypatch.setattr(
        RegistrarStore, "spend", lambda self, proof, blinded, _box: honest(self, proof, blinded, 1)
    )
    assert code_of(lambda: registrar.spend(other, b"blinded", 5)) == ""
    election.ballots.append(election.ballot(5, OWN, 70))
    monkeypatch.setattr(
        HeldElection, "used_codes", lambda *_: proofs_of(*(b.cell for b in election.ballots[:-1]), 1)
    )
    received = election.received(election.write())
    assert code_of(lambda: examine_export(received, lambda *_: None)) == "opening.box"


def moved(election: HeldElection, number: int, cell: int) -> Ballot:
    """A ballot of the lonely box's token for another box, made and signed anew by the token's owner."""
    vote: EncryptedVote = election.vote(number, cell, OWN)
    ballot = election.in_ballot(number, vote)
    hers = election.in_ballot(number, election.vote(number, LONELY, OWN))

    return sign_ballot(election.digest, replace(ballot, token=hers.token))


def test_a_ballot_moved_to_another_box(
    store: SurveyStore, election: HeldElection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even the owner of a token cannot leave her box with it, and no collector can take it from there."""
    ballot = moved(election, 80, 5)
    assert code_of(lambda: store.submit(sealed(election, ballot))) == "token.signature"
    election.ballots.append(ballot)
    received = election.received(election.write())
    assert code_of(lambda: examine_export(received, lambda *_: None)) == "opening.token"
    monkeypatch.setattr(Invited, "token_key", lambda self, _cell: self.token_keys[LONELY])
    assert code_of(lambda: store.submit(sealed(election, ballot))) == ""


def test_a_box_replaced_by_the_collector(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    """It puts a vote of its own under a genuine token; without the device's key it cannot sign."""
    victim = election.ballots[0]
    vote = election.vote(0, victim.cell, {"board": "blank", "statutes": False})
    election.ballots[0] = replace(victim, box=vote.to_bytes())
    received = election.received(election.write())
    assert code_of(lambda: examine_export(received, lambda *_: None)) == "opening.signature"
    monkeypatch.setattr(BallotVerifier, "verify_signature", lambda *_: None)
    assert not examine_export(received, lambda *_: None).refused, "the vote counts"


def test_the_keys_of_a_box_are_for_it_alone() -> None:
    """One key for two boxes would let tokens move between them."""
    keys = election_keys()
    twice = replace(keys, token_keys=(keys.token_keys[0], *keys.token_keys[:-1]))
    fewer = replace(keys, token_keys=keys.token_keys[:-1])
    for invited in (twice, fewer):
        specification = election_specification(invited=invited)
        assert code_of(lambda s=specification: type(s).parse(s.to_bytes())) == "specification"  # type: ignore[misc]
    assert len({key.public_key().public_numbers().n for key in box_keys()}) == BOXES
    assert len(election_roll().boxes) == BOXES


def test_a_lonely_box_by_the_organizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """She signs 25 people for a box of one, and holds the codes of the other 24: its ballots would be hers.

    Every device counts the public people again. Told the truth, that the box has one, it refuses the promise.
    """
    honest = election_specification()
    attributes, where = honest.attributes, honest.cells.assign
    rows = [row for row in small_rows() if where(row.vector) != LONELY]
    rows += [row for row in small_rows() if where(row.vector) == LONELY][:1]
    alone = format_model(attributes, rows)
    reference = replace(honest.model, digest=model_digest(alone))
    lying = replace(honest, model=reference)

    def refusal(specification: Specification) -> str:
        envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
        found = examine_bytes(envelope.to_bytes(), fragment_of(envelope), alone).refusal
        return "" if found is None else found.code

    assert refusal(lying) == "check.model"
    monkeypatch.setattr(soundness.Examination, "must_recount", property(lambda _: False))
    assert refusal(lying) == "", "nobody counts"
    eligible = tuple((1,) if cell == LONELY else people for cell, people in enumerate(honest.eligible))
    people = sum(map(sum, eligible))
    telling = replace(lying, eligible=eligible, model=replace(reference, people=people))
    assert telling.invited is not None
    telling = replace(telling, invited=replace(telling.invited, people=people))
    assert refusal(telling) == "check.cell-failure"
