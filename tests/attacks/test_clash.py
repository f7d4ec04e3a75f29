"""A clash: two voters are shown one ballot, and the vote of one of them is another's to make.

What stops a collector is that each ballot has a token and a device key of its own; what it leaves behind are
fewer ballots than used codes. A page that is false for both voters is not stopped, which is printed.

References
----------
Kuesters, Truderung, Vogt: Clash attacks on the verifiability of e-voting systems (2012).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.keys.signing_keys import verifies
from server.release.trustees.decrypting import examine_election
from shared import acceptance
from shared.acceptance import acceptance_claim
from shared.ballot import Ballot
from shared.election.electorate import election_terms
from shared.election.tested import BallotTest
from shared.verification.election import Election
from tests import election_held as held
from tests.election import GROUP
from tests.elections import COUNTS, HeldElection, collector, proofs_of
from tests.refusals import code_of

ALIKE = {"board": "ada", "statutes": True}


def examined(election: HeldElection, export: Path, tokens: tuple[int, ...] | None = None) -> Election:
    """As anybody does, with the numbers of tokens that she saw before the vote."""
    return examine_election(replace(election.received(export), tokens=tokens), lambda *_: None)


def accepted(election: HeldElection, ballot: Ballot, given: bytes) -> bool:
    """Whether a device takes a signature of the collector as the acceptance of a ballot."""
    key = collector().acceptance_key
    claim = acceptance_claim(key, election.digest, bytes.fromhex(ballot.receipt), given)
    return claim is not None and verifies(claim)


def test_one_acceptance_for_two_voters(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector drops the second ballot and answers with the first one's acceptance."""
    first, second = election.ballot(1, ALIKE, 90), election.ballot(1, ALIKE, 91)
    assert first.receipt != second.receipt
    given = collector().accept(election.digest, bytes.fromhex(first.receipt))
    assert accepted(election, first, given)
    assert not accepted(election, second, given)
    # Without the receipt in what is signed, both voters would have it.
    honest, only = acceptance.acceptance_message, bytes.fromhex(first.receipt)
    monkeypatch.setattr(acceptance, "acceptance_message", lambda digest, _: honest(digest, only))
    assert accepted(election, second, given)


def test_one_ballot_for_two_tokens_is_seen_by_its_token(election: HeldElection) -> None:
    """The same seed and choices under another token are another ballot with other words."""
    terms = election_terms(election.specification, election.digest)
    seed = held.fresh("clash")
    own = [election.ballot(1, ALIKE, number).token for number in (90, 91)]
    tests = [
        BallotTest(specification=election.digest, cell=1, token=token, chosen=(0, 0), seed=seed)
        for token in own
    ]
    first, second = (test.ballot(terms, GROUP).words for test in tests)
    assert first != second


def test_a_dropped_ballot_leaves_a_used_code(election: HeldElection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two voters of box 1 were shown one ballot: the box has a used code, and a token, more than ballots.

    Nobody is refused for that, as whoever fetched a token may stay away: it shows in the numbers alone.
    """
    used = (*(ballot.cell for ballot in election.ballots), 1)
    monkeypatch.setattr(HeldElection, "used_codes", lambda *_: proofs_of(*used))
    export = election.write()
    published = tuple(used.count(box) for box in range(len(COUNTS)))
    found = examined(election, export, published)
    assert found.examined.counts[1] == published[1] - 1


@pytest.mark.parametrize("change", [1, -1], ids=["list-cut", "issued-later"])
def test_tokens_that_were_published_are_compared_with_used_codes(
    election: HeldElection, monkeypatch: pytest.MonkeyPatch, change: int
) -> None:
    """The registrar hides that a code was used, or exchanges one while people vote."""
    export = election.write()
    honest = COUNTS
    assert code_of(lambda: examined(election, export, honest)) == ""
    false = (*honest[:3], honest[3] + change, *honest[4:])
    for published in (false, honest[:-1], (*honest, 1)):
        assert code_of(lambda p=published: examined(election, export, p)) == "opening.tokens"  # type: ignore[misc]
    monkeypatch.setattr("shared.verification.examining.require_token_counts", lambda *_: None)
    assert code_of(lambda: examined(election, export, false)) == ""


def test_a_page_that_is_false_for_both_is_not_stopped(election: HeldElection) -> None:
    """What is printed: with the token of the first, it shows the second her words, and even a sound test."""
    terms = election_terms(election.specification, election.digest)
    first = election.ballot(1, ALIKE, 90)
    shown = BallotTest(
        specification=election.digest, cell=1, token=first.token, chosen=(0, 0), seed=held.fresh("clash")
    )
    to_first, to_second = shown.ballot(terms, GROUP), BallotTest.parse(shown.to_bytes()).ballot(terms, GROUP)
    assert to_first.words == to_second.words
    guide = Path("docs/election-guide.md").read_text("utf-8")
    assert "A false page may show two voters one ballot." in guide
