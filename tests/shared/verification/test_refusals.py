"""What the examination refuses of boards, tokens and ballots that a key holder signed, each by its line."""

from __future__ import annotations

import itertools
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.board import Board, Complaints
from shared.errors import InputError, ReleaseError, RoomfulError
from shared.joining import require_enough
from shared.verification.election import Election, examine_election, report_of
from shared.verification.examining import KnownBoard
from shared.verification.files import (
    BALLOTS_FILE,
    CHECKPOINT_FILE,
    RESULT_FILE,
    SIGNATURES_FILE,
    GivenFiles,
)
from shared.verification.library import standard_library
from shared.verification.permitted import Permitted
from shared.words import digest_words
from tests.builders import AUDITOR_KEY
from tests.elections import HeldElection
from tests.published_elections import PublishedElection
from tests.sealed_surveys import copied

COUNTS = (2, 0, 0, 1, 0, 0, 0, 2)
LIBRARY = standard_library(os.urandom)
NUMBERS = itertools.count()


@pytest.fixture
def election(tmp_path: Path) -> HeldElection:
    return HeldElection(tmp_path).fill(*COUNTS)


def examined(election: HeldElection, *, known: KnownBoard | None = None, **changes: Any) -> Election:
    """What comes of the examination of an export, read from memory."""
    export = election.write(name=f"export-{next(NUMBERS)}", **changes)
    files = GivenFiles(contents={path.name: path.read_bytes() for path in export.iterdir()})
    received = replace(election.received(export), files=files, known=known)
    return examine_election(received, LIBRARY, lambda *_: None)


def code_of(election: HeldElection, **changes: Any) -> str:
    with pytest.raises(RoomfulError) as refused:
        examined(election, **changes)
    return refused.value.code


# The board that was seen elsewhere


@pytest.mark.parametrize("given", [{}, {"root": "00" * 32, "checkpoint": b"x"}, {"root": "no root"}])
def test_one_root_or_one_checkpoint(given: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        KnownBoard(**given)
    assert refused.value.code == "input.root"


def test_the_board_that_was_seen(election: HeldElection) -> None:
    """By its checkpoint, its root or its words; another one is refused in the words of both."""
    note = election.checkpoint(election.ballots)
    whole = examined(election, known=KnownBoard(checkpoint=note))
    root = whole.examined.stated.root
    assert examined(election, known=KnownBoard(root=root)) == whole
    assert examined(election, known=KnownBoard(root=digest_words(root))) == whole
    for other in (
        KnownBoard(checkpoint=election.checkpoint(election.ballots[1:])),
        KnownBoard(root=digest_words("00" * 32)),
    ):
        assert code_of(election, known=other) == "opening.root"
    forged = KnownBoard(checkpoint=election.checkpoint(election.ballots, key=AUDITOR_KEY))
    assert code_of(election, known=forged) == "board.checkpoint"


def test_a_provisional_board(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_election: HeldElection, _board: Board) -> Complaints | None:
        return None

    monkeypatch.setattr(HeldElection, "complaints", none)
    assert code_of(election) == "opening.provisional"


# The ballots


def test_ballots_that_are_not_in_order_or_not_all(election: HeldElection) -> None:
    backwards = sorted(election.ballots, key=lambda ballot: ballot.receipt, reverse=True)
    for ballots in (backwards, [*backwards[::-1], backwards[0]], backwards[:0:-1]):
        assert code_of(election, ballots=ballots, in_order=False) == "opening.export"


def test_as_many_ballots_of_which_one_is_another(election: HeldElection) -> None:
    other = election.ballot(0)
    assert code_of(election, ballots=[other, *election.ballots[1:]]) == "opening.export"


def test_a_file_that_holds_no_ballots(election: HeldElection) -> None:
    """Cut, a length that is absurd, and an entry that is no ballot."""
    honest = election.write()
    contents = {path.name: path.read_bytes() for path in honest.iterdir()}
    for data in (contents[BALLOTS_FILE][:-1], b"\xff" * 8, b"\0\0\0\1x"):
        files = GivenFiles(contents=contents | {BALLOTS_FILE: data})
        with pytest.raises(RoomfulError) as refused:
            examine_election(replace(election.received(honest), files=files), LIBRARY, lambda *_: None)
        assert (refused.value.code, refused.value.where.split(",")[0]) == ("opening.export", BALLOTS_FILE)


# Tokens and signatures


def test_two_ballots_with_one_token(election: HeldElection) -> None:
    election.ballots.append(copied(election, election.ballot(0), election.ballots[0]))
    assert code_of(election) == "opening.token-twice"


def test_a_token_of_nobody_and_a_ballot_of_somebody_else(election: HeldElection) -> None:
    honest = election.ballots[0]
    for ballot, code in (
        (replace(honest, token=replace(honest.token, prefix=bytes(32))), "opening.token"),
        (replace(honest, signature=bytes(64)), "opening.signature"),
    ):
        election.ballots[0] = ballot
        assert code_of(election) == code


def test_a_box_that_was_filled(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many codes as ballots, but of other boxes."""
    honest = HeldElection.used_codes

    def other_boxes(election: HeldElection, ballots: Any, count: int) -> tuple[bytes, ...]:
        return honest(
            election, [replace(ballot, cell=5) for ballot in ballots[:1]] + list(ballots[1:]), count
        )

    monkeypatch.setattr(HeldElection, "used_codes", other_boxes)
    assert code_of(election) == "opening.box"


def test_a_vote_whose_proofs_do_not_hold(election: HeldElection) -> None:
    """It is listed and not counted, and blocks nobody."""
    honest = election.vote(9, 3, {"board": "ada", "statutes": True})
    proofs = honest.contests[0]
    wrong = replace(
        honest, contests=(replace(proofs, sum_response=proofs.sum_response + 1), *honest.contests[1:])
    )
    election.ballots.append(election.in_ballot(9, wrong))
    found = examined(election)
    ((receipt, error),) = found.examined.refused
    assert (receipt, error.code) == (election.ballots[-1].receipt, "ballot.sum")
    assert sum(found.ballots) == sum(COUNTS)


# What is decrypted, and the result


def test_signatures_of_trustees_that_cannot_be_read(election: HeldElection) -> None:
    honest = election.write()
    contents = {path.name: path.read_bytes() for path in honest.iterdir()}
    files = GivenFiles(contents=contents | {SIGNATURES_FILE: b"{}"})
    with pytest.raises(RoomfulError) as refused:
        examine_election(replace(election.received(honest), files=files), LIBRARY, lambda *_: None)
    assert (refused.value.code, refused.value.where) == ("election.key-signature", SIGNATURES_FILE)


def test_a_result_that_is_given_apart(election: HeldElection) -> None:
    published = PublishedElection(election)
    files = {name: data for name, data in published.files.items() if name != RESULT_FILE}
    received = replace(published.received(Path()), files=GivenFiles(contents=files))
    report = report_of(received, LIBRARY, lambda *_: None, published.files[RESULT_FILE])
    assert report.refusal is None
    assert report.result == published.result
    assert CHECKPOINT_FILE in files


def test_cells_know_their_group() -> None:
    assert Permitted(groups=((0, 2), (1,)), sealed=(3,)).group_of == {0: 0, 2: 0, 1: 1}


def test_fewer_than_the_smallest_group() -> None:
    require_enough(5, 5)
    with pytest.raises(ReleaseError, match="only 4 answers"):
        require_enough(4, 5)
