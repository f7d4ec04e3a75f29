"""Submissions of an invited survey: ballots that the collector can count and cannot read.

A ballot's own token is its key, so that "spent" and "stored" are one row and one insert: no crash can leave
one without the other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from server.collection.storage.databases import Connection
from server.collection.storage.intake import Stored
from server.collection.storage.server_keys import HeldKeys
from server.collection.storage.states import State, read_state, refusal
from server.collection.tokens.verifying import BallotVerifier
from server.keys.election_group import fast_group
from server.keys.signing_keys import verifies
from shared.ballot import Ballot, envelope_bytes, require_invited
from shared.complaint import Complaint, not_accepted
from shared.election.electorate import election_terms
from shared.election.verifying import verify_batch
from shared.election.vote import EncryptedVote
from shared.errors import StateError, SubmissionError, TokenError
from shared.sealing import ballot_info
from shared.specification import Specification
from shared.token import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotRow:
    """One ballot, opened and found in order."""

    ballot: Ballot
    receipt: bytes
    complains: bool = False
    """Whether its acceptance is signed and it may come in while the board is provisional."""

    @property
    def values(self) -> tuple[bytes, bytes, bytes, int, bytes, bytes]:
        """The columns of its row."""
        ballot = self.ballot
        token = ballot.token
        return token.prefix, token.device_key, token.signature, ballot.cell, ballot.box, ballot.signature


class BallotIntake:
    """Implements :class:`server.collection.storage.intake.Intake` for a survey whose people are invited.

    Parameters
    ----------
    specification : callable
        The verified specification, as of now.
    digest : str
        The survey's identity.
    keys : HeldKeys
        With the collector's private key if this server is the collector.
    met : callable
        The state in which respondents meet the survey now, of the one in its file.
    provisional : callable
        Whether the board of the survey is, as of now.
    """

    def __init__(
        self,
        specification: Callable[[], Specification],
        digest: str,
        keys: HeldKeys,
        met: Callable[[State], State],
        provisional: Callable[[], bool],
    ) -> None:
        self._specification, self._digest, self._keys, self._met = specification, digest, keys, met
        self._provisional = provisional
        self._verifier: BallotVerifier | None = None

    def read(self, message: bytes) -> BallotRow:
        """Open the outer layer and check all that can be checked without reading the answers.

        Raises
        ------
        SubmissionError
            With a code ``ballot.*``, of an election also for a vote whose proofs do not hold.
        TokenError
            With the code ``token.signature`` or ``token.device-key``.
        StateError
            With the code ``state.role`` if this server is not the collector.
        """
        specification = self._specification()
        invited = require_invited(specification)
        if len(message) != envelope_bytes(specification):
            raise SubmissionError(
                "this is not a sealed ballot",
                expected=f"{envelope_bytes(specification)} bytes, the one length of this survey's ballots",
                code="ballot.sealed",
            )
        data = self._keys.collector(invited).open(ballot_info(self._digest), message)
        ballot = Ballot.parse(data, specification)
        verifier = self._verifier or BallotVerifier(invited, self._digest)
        self._verifier = verifier
        verifier.verify_token(ballot.token, ballot.cell)
        verifier.verify_signature(ballot)
        if invited.election is not None:
            self._verify_vote(ballot, specification)
        return BallotRow(ballot=ballot, receipt=bytes.fromhex(ballot.receipt))

    def read_complaint(self, message: bytes) -> BallotRow:
        """As :meth:`read`, of a ballot that the collector, or the survey's relay, signed to have taken.

        Raises
        ------
        SubmissionError
            With the code ``complaint.acceptance``, and as :meth:`read`.
        """
        complaint, invited = Complaint.parse(message), require_invited(self._specification())
        row = self.read(complaint.sealed)
        if not any(map(verifies, complaint.claims(invited, self._digest, row.receipt))):
            raise not_accepted()
        return replace(row, complains=True)

    def _verify_vote(self, ballot: Ballot, specification: Specification) -> None:
        """Verify the proofs of a vote in one sum, which takes a quarter of the time of all its equations."""
        terms = election_terms(specification, self._digest)
        (refusal,) = verify_batch((EncryptedVote.of(ballot, terms),), terms, fast_group(), os.urandom)
        if refusal is not None:
            raise refusal

    def store(self, connection: Connection, group: Sequence[BallotRow]) -> Stored:
        """Spend each token with its ballot; the first of several ballots with one token wins.

        The same ballot again is stored already, also after closing.
        """
        state = self._met(read_state(connection))
        marks = ",".join("?" * len(group))
        known = {
            bytes(row[0]): tuple(row)
            for row in connection.execute(
                f"SELECT * FROM ballot WHERE token IN ({marks})",  # noqa: S608
                [row.ballot.token.prefix for row in group],
            )
        }
        fresh: dict[bytes, BallotRow] = {}
        outcomes: list[Exception | None] = []
        for row in group:
            prefix = row.ballot.token.prefix
            if prefix in known:
                outcomes.append(None if known[prefix] == row.values else _spent())
            elif row.complains and not self._provisional():
                outcomes.append(final())
            elif state is not State.OPEN and not row.complains:
                outcomes.append(refusal(state, "take submissions"))
            else:
                first = fresh.setdefault(prefix, row)
                outcomes.append(None if first.values == row.values else _spent())
        connection.executemany(
            "INSERT INTO ballot VALUES (?, ?, ?, ?, ?, ?)", [fresh[prefix].values for prefix in sorted(fresh)]
        )
        return Stored(outcomes=tuple(outcomes), added=len(fresh))

    def count(self, connection: Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM ballot").fetchone()[0])

    @property
    def tables(self) -> tuple[str, ...]:
        return ("ballot",)


def read_ballots(connection: Connection) -> Iterator[Ballot]:
    """Every ballot, in the random order of its token."""
    rows = connection.execute("SELECT * FROM ballot ORDER BY token")
    for prefix, device_key, token_signature, cell, box, signature in rows:
        token = Token(prefix=bytes(prefix), device_key=bytes(device_key), signature=bytes(token_signature))
        yield Ballot(cell=cell, token=token, box=bytes(box), signature=bytes(signature))


def final() -> StateError:
    """The error of a complaint that comes when nothing enters any more."""
    return StateError(
        "the board is final, and nothing enters it any more",
        where="board",
        remedy="Show the receipt to trustees and observers: it proves that the collector had the ballot.",
        code="state.final",
    )


def _spent() -> TokenError:
    return TokenError(
        "another ballot was stored with this token",
        where="token",
        remedy="One token counts once. The ballot that came first stays.",
        code="token.spent",
    )
