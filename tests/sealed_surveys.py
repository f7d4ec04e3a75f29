"""Exports of invited surveys for tests: shares, ballots, a signed checkpoint, ledgers, without a server.

The survey is the small one of the builders (eight cells, k = 3), its opening key made by a ceremony.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from server.keys.sealing import OpeningKey
from server.release.trustees.export import FolderFiles, write_export
from server.release.trustees.ledger import new_ledger
from server.release.trustees.opening import OpeningReport, open_answers
from server.release.trustees.shares import Share, parse_share, split_secret
from server.release.trustees.statement_keys import public_statement_key
from server.release.trustees.stating import StatementReport, state_export
from shared.ballot import Ballot
from shared.board import Board, Complaints, describe_discrepancy
from shared.checkpoint import Checkpoint, SignedCheckpoint, board_origin
from shared.errors import BoardError
from shared.invitation import Invitation
from shared.merkle import MerkleTree
from shared.roll import Roll
from shared.sealing import DEFAULT_SUITE, SUITES
from shared.specification import Specification
from shared.statements import Statement
from shared.token import Token
from shared.verification.examining import KnownBoard, ReceivedExport
from shared.verification.files import CHECKPOINT_FILE
from tests.boards import make_board
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes, sign
from tests.invited import (
    digest_of,
    invited,
    invited_specification,
    issue_token,
    make_ballot,
    roll,
    sign_ballot,
    used_codes,
)

SECRET = hashlib.sha256(b"opening secret of the test suite").digest()
OPENING_KEY = OpeningKey(SUITES[DEFAULT_SUITE], SECRET)
WORDS = split_secret(SECRET, 2, 3)
ISSUED: dict[tuple[str, bytes, RSAPrivateKey | None], Token] = {}
"""Tokens by survey, prefix and key: signing takes longer than everything else here."""


def prefix(number: int) -> bytes:
    """Prefix of the n-th token."""
    return hashlib.sha256(b"token %d" % number).digest()


def token(digest: str, number: int, signer: RSAPrivateKey | None = None) -> Token:
    """The n-th token of a survey, of an election by the key of a box."""
    key = (digest, prefix(number), signer)
    if key not in ISSUED:
        ISSUED[key] = issue_token(digest, prefix(number), signer=signer)
    return ISSUED[key]


def sealed_specification(**changes: Any) -> Specification:
    """The small invited survey, whose trustees hold :data:`WORDS`."""
    keys = invited(opening_key=OPENING_KEY.public_key, statement_keys=statement_keys_of(WORDS))
    return invited_specification(**{"invited": keys} | changes)


def statement_keys_of(words: Sequence[str]) -> tuple[bytes, ...]:
    """Public statement keys of some shares."""
    return tuple(map(public_statement_key, shares(*range(1, len(words) + 1), words=words)))


def shares(*numbers: int, words: Sequence[str] = WORDS) -> list[Share]:
    """Some shares, by number from 1."""
    return [parse_share(words[number - 1], f"share-{number}") for number in numbers]


@dataclass
class SealedSurvey:
    """An export in the making: change what a test is about, then write and open it."""

    folder: Path
    specification: Specification = field(default_factory=sealed_specification)
    ballots: list[Ballot] = field(default_factory=list)
    used: int = 0

    @property
    def digest(self) -> str:
        """Identity of the survey."""
        return digest_of(self.specification)

    def ballot(
        self, cell: int, answers: Mapping[str, Any] | None = None, number: int | None = None
    ) -> Ballot:
        """One more person's ballot, not yet cast."""
        if number is None:
            number, self.used = self.used, self.used + 1
        assert self.specification.invited is not None
        key = X25519PublicKey.from_public_bytes(self.specification.invited.opening_key)
        length = self.specification.message_bytes
        return make_ballot(self.digest, cell, token(self.digest, number), answers, key, message_bytes=length)

    def fill(self, *counts: int) -> SealedSurvey:
        """So many people of each cell answer, each a little differently."""
        for cell, count in enumerate(counts):
            for person in range(count):
                self.ballots.append(self.ballot(cell, ANSWERS | {"wellbeing": person % 11}))
        return self

    def checkpoint(
        self, ballots: Sequence[Ballot], *, key: Ed25519PrivateKey = ORGANIZER_KEY, origin: str = ""
    ) -> bytes:
        """What the organizer signs for some ballots."""
        receipts = sorted(bytes.fromhex(ballot.receipt) for ballot in ballots)
        origin = origin or board_origin(self.digest)
        note = Checkpoint(origin=origin, size=len(receipts), root=MerkleTree.of(receipts).root)
        return note.signed(public_bytes(key), key.sign(note.to_text())).to_bytes()

    def board(self, ballots: Sequence[Ballot], *, used: int | None = None) -> dict[str, bytes]:
        """The board's other files for some ballots: as many used codes, unless it is said otherwise."""
        entries = tuple(sorted(bytes.fromhex(ballot.receipt) for ballot in ballots))
        proofs = self.used_codes(ballots, len(entries) if used is None else used)
        assert self.specification.invited is not None
        people = self.specification.invited.people
        files = make_board(
            specification=self.specification,
            entries=entries,
            used=proofs,
            change=lambda board: replace(
                board,
                invited=people,
                complaints=self.complaints(board),
                discrepancy=describe_discrepancy(submissions=len(entries), tokens_issued=len(proofs)),
            ),
        )
        return {
            "board.json": files.board,
            "roll.txt": self.roll().to_bytes(),
            "used-codes.txt": files.used_codes,
        }

    def complaints(self, board: Board) -> Complaints | None:  # noqa: ARG002
        """A survey has none."""
        return None

    def used_codes(self, ballots: Sequence[Ballot], count: int) -> tuple[bytes, ...]:  # noqa: ARG002
        """Proofs of so many codes."""
        return used_codes(count)

    def roll(self) -> Roll:
        """That of the specification."""
        assert self.specification.invited is not None
        return roll(self.specification.invited.people)

    def write(
        self,
        name: str = "export",
        *,
        ballots: Sequence[Ballot] | None = None,
        signed: Sequence[Ballot] | None = None,
        checkpoint: bytes | None = None,
        in_order: bool = True,
        used: int | None = None,
    ) -> Path:
        """Write the export; by default what the organizer signed is what is in it."""
        listed = list(self.ballots if ballots is None else ballots)
        if in_order:
            listed.sort(key=lambda ballot: ballot.receipt)
        out = self.folder / name
        envelope = sign(self.specification.to_bytes(), ORGANIZER_KEY).to_bytes()
        note = checkpoint or self.checkpoint(self.ballots if signed is None else signed)
        board = self.board(self.ballots if signed is None else signed, used=used)
        write_export(out, envelope=envelope, checkpoint=note, board=board, ballots=listed)
        return out

    def ledger(self, number: int = 1) -> Path:
        """The ledger of one trustee, new at first use."""
        path = self.folder / f"ledger-{number}.jsonl"
        if not path.exists():
            assert self.specification.invited is not None
            path.write_bytes(new_ledger(self.specification.invited.opening_key))
        return path

    @property
    def invitation(self) -> Invitation:
        """What a respondent was given."""
        return Invitation(digest=self.digest, organizer_key=public_bytes(ORGANIZER_KEY))

    def received(
        self,
        export: Path,
        *,
        known: KnownBoard | None = None,
        invitation: Invitation | None = None,
        accepted: str | None = None,
    ) -> ReceivedExport:
        """An export, at a trustee who has seen the board that it brings, unless told otherwise."""
        return ReceivedExport(
            files=FolderFiles(folder=export),
            invitation=invitation or self.invitation,
            known=known or board_of(export),
            accepted=accepted,
        )

    def state(
        self,
        export: Path,
        number: int = 1,
        *,
        known: KnownBoard | None = None,
        ledger: Path | None = None,
        words: Sequence[str] = WORDS,
        accept_discrepancy: str | None = None,
    ) -> StatementReport:
        """One trustee's statement."""
        return state_export(
            self.received(export, known=known, accepted=accept_discrepancy),
            share=shares(number, words=words)[0],
            ledger_path=ledger or self.ledger(number),
            progress=lambda *_: None,
        )

    def open(
        self,
        export: Path | None = None,
        *,
        held: Sequence[Share] | None = None,
        statements: Sequence[Statement] | None = None,
        invitation: Invitation | None = None,
        accept_discrepancy: str | None = None,
    ) -> OpeningReport:
        """Open an export with two of the three shares, after all three trustees have stated it."""
        export = self.write() if export is None else export
        if statements is None:
            statements = [
                self.state(export, number, accept_discrepancy=accept_discrepancy).statement
                for number in (1, 2, 3)
            ]
        return open_answers(
            self.received(export, invitation=invitation, accepted=accept_discrepancy),
            statements=[(f"statement-{s.trustee}.json", s) for s in statements],
            shares=shares(1, 3) if held is None else held,
            progress=lambda *_: None,
        )


def board_of(export: Path) -> KnownBoard:
    """The board that an export brings, as if it had been seen elsewhere."""
    try:
        root = SignedCheckpoint.parse((export / CHECKPOINT_FILE).read_bytes()).checkpoint.root
    except (OSError, BoardError):
        root = bytes(32)
    return KnownBoard(root=root.hex())


def moved(survey: SealedSurvey, ballot: Ballot, cell: int) -> Ballot:
    """The same box under another cell, by somebody who has the token's secret."""
    return sign_ballot(survey.digest, replace(ballot, cell=cell))


def copied(survey: SealedSurvey, ballot: Ballot, other: Ballot) -> Ballot:
    """The same box under the token of another ballot, by the owner of that token."""
    return sign_ballot(survey.digest, replace(ballot, token=other.token))
