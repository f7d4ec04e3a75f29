"""A collector, or a trustee of the ceremony, who wants other votes than those that were cast.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.tokens.verifying import BallotVerifier
from server.release.trustees.decrypting import examine_election
from shared.edwards import L
from shared.election import ceremony
from shared.election.ceremony import require_second, require_share
from shared.election.trustees import lagrange
from shared.verification import examining
from shared.verification.election import Election
from shared.verification.files import BALLOTS_FILE
from tests import election_held as held
from tests.election import GROUP
from tests.elections import COUNTS, HeldElection
from tests.refusals import code_of


def examined(election: HeldElection, folder: Path) -> Election:
    """As trustees and observers do it."""
    return examine_election(election.received(folder), lambda *_: None)


def test_a_box_replaced_by_the_collector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs need K and not its secret: the collector makes a vote of its own for the voter's token."""
    election = HeldElection(tmp_path).fill(*COUNTS)
    other = election.vote(0, 0, {"board": "blank", "statutes": False})
    election.ballots[0] = replace(election.ballots[0], box=other.to_bytes())
    folder = election.write()
    assert code_of(lambda: examined(election, folder)) == "opening.signature"
    monkeypatch.setattr(BallotVerifier, "verify_signature", lambda *_: None)
    found = examined(election, folder)
    assert sum(found.ballots) == sum(COUNTS), "without the signature the collector's vote is counted"


def test_a_late_ballot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more ballot after the board was signed: it is under no root, so nobody states or decrypts it."""
    election = HeldElection(tmp_path).fill(*COUNTS)
    folder = election.write()
    late = election.ballot(1)
    ballots = sorted((*election.ballots, late), key=lambda ballot: ballot.receipt)
    data = b"".join(len(ballot.to_bytes()).to_bytes(4, "big") + ballot.to_bytes() for ballot in ballots)
    (folder / BALLOTS_FILE).write_bytes(data)
    assert code_of(lambda: examined(election, folder)) == "opening.export"
    root = bytes.fromhex(election.received(folder).known.root)
    receipts = tuple(bytes.fromhex(ballot.receipt) for ballot in ballots)
    honest = examining.require_board
    before = tuple(sorted(bytes.fromhex(ballot.receipt) for ballot in election.ballots))
    monkeypatch.setattr(examining, "verify_export", lambda *_: (root, receipts))
    monkeypatch.setattr(examining, "require_board", lambda f, s, _, a, lib: honest(f, s, before, a, lib))
    assert code_of(lambda: examined(election, folder)) == "opening.box", "its box has no code for it"
    monkeypatch.setattr(examining, "_require_codes", lambda *_: None)
    assert sum(examined(election, folder).ballots) == sum(COUNTS) + 1


def test_a_rogue_share() -> None:
    """A dealer who gives one trustee another share: her part of every sum would be wrong, and she blamed."""
    sender = held.second_round()[0]
    honest = ceremony.share_for(2, held.coefficients(1))
    rogue = (honest + 5) % L
    assert code_of(lambda: require_share(rogue, 2, sender, GROUP)) == "election.share"
    secrets = [held.secrets()[0], (held.secrets()[1] + 5) % L]
    joint = sum(w * x for w, x in zip(lagrange((1, 2)), secrets, strict=True)) % L
    assert GROUP.combine((joint,), (ceremony.GENERATOR,)) != held.trustees().key, (
        "without the check nobody decrypts"
    )


def test_a_biased_key() -> None:
    """Who speaks last in round 2 chooses the key, unless round 1 holds her to what she had then."""
    others = [message.coefficients[0] for message in held.second_round()[:2]]
    wanted = 77  # a secret that she knows
    minus = [(L - 1) % L, (L - 1) % L]
    constant = GROUP.combine((wanted, *minus), (ceremony.GENERATOR, *others))
    third = held.second_round()[2]
    biased = replace(third, coefficients=(constant, *third.coefficients[1:]))
    messages = (*held.second_round()[:2], biased)
    assert code_of(lambda: require_second(held.first_round(), messages, GROUP)) == "election.ceremony"
    key = GROUP.combine((1, 1, 1), (*others, constant))
    assert key == GROUP.combine((wanted,), (ceremony.GENERATOR,)), "without round 1 she alone has the key"
