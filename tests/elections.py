"""The small survey of the builders as an election: two contests, trustees of :mod:`tests.election_held`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from server.keys.relay_key import RelayKey
from server.keys.token_keys import CollectorKey
from server.release.trustees.decrypting import decrypt_sums
from server.release.trustees.election_key import share_of
from server.release.trustees.rehearsal import rehearse_election
from server.release.trustees.stating import StatementReport
from server.release.trustees.tallying import Tally, tally, verify_result
from shared.ballot import Ballot, UnsignedBallot, require_invited
from shared.board import Board, Complaints
from shared.declarations import ReleaseRule
from shared.election.contests import chosen
from shared.election.electorate import election_terms
from shared.election.factors import FactorsFile
from shared.election.making import make
from shared.election.result import Result
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote
from shared.invitation_code import InvitationCode
from shared.invited import Invited
from shared.questionnaire import Questionnaire
from shared.roll import Roll
from shared.sealing import ELECTION_SUITE, SUITES
from shared.specification import Specification
from shared.statements import Statement
from shared.verification.election import Election
from shared.verification.export import SignedSurvey
from tests import election_held as held
from tests.builders import LANGUAGES, ORGANIZER_KEY, public_bytes
from tests.election import GROUP
from tests.invited import (
    ROLL_ID,
    code,
    codes_of,
    digest_of,
    invited,
    invited_specification,
    sign_ballot,
)
from tests.sealed_surveys import SealedSurvey, board_of, shares, statement_keys_of, token

CONTESTS: dict[str, Any] = {
    "pages": [
        {
            "name": "ballot",
            "elements": [
                {
                    "type": "radiogroup",
                    "name": "board",
                    "isRequired": True,
                    "choices": ["ada", "ben", "blank"],
                },
                {"type": "boolean", "name": "statutes", "isRequired": True},
            ],
        }
    ]
}
CHOICES = (("ada", "ben", "blank"), (True, False))
BOXES, PEOPLE_A_BOX = 8, 25
COUNTS = (4, 3, 3, 1, 2, 0, 3, 3)
"""Ballots of each box: of three boxes so few that they are joined."""
BOX_KEYS_FILE = Path(__file__).with_name("keys") / "boxes.pem"
COLLECTOR_SECRET = hashlib.sha256(b"collector of elections").digest()
RULE = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)


@cache
def words() -> tuple[str, ...]:
    """Shares of the trustees, as their ceremony writes them."""
    return tuple(
        share_of(secret, first).words
        for secret, first in zip(held.secrets(), held.first_round(), strict=True)
    )


@cache
def box_keys() -> tuple[RSAPrivateKey, ...]:
    """The registrar's key of each box; they guard nothing."""
    end = b"-----END PRIVATE KEY-----\n"
    blocks = BOX_KEYS_FILE.read_bytes().split(end)[:-1]
    keys = [load_pem_private_key(block + end, None, unsafe_skip_rsa_key_validation=True) for block in blocks]
    assert len(keys) == BOXES
    return tuple(key for key in keys if isinstance(key, RSAPrivateKey))


def code_in(box: int, number: int = 0) -> InvitationCode:
    """The n-th code of a box."""
    return code(box * PEOPLE_A_BOX + number)


@cache
def election_roll() -> Roll:
    """A code for each person of each box."""
    return Roll.of(ROLL_ID, *([code_in(box, n) for n in range(PEOPLE_A_BOX)] for box in range(BOXES)))


def proofs_of(*boxes: int) -> tuple[bytes, ...]:
    """Used codes: for each box that is named, once more, a code of it."""
    named = Counter(boxes)
    return tuple(sorted(code_in(box, n).proof(ROLL_ID) for box, count in named.items() for n in range(count)))


@cache
def collector() -> CollectorKey:
    """Of the one suite of elections."""
    return CollectorKey(SUITES[ELECTION_SUITE], COLLECTOR_SECRET)


def relay_key() -> RelayKey:
    """Of a relay that signs what it takes."""
    return RelayKey(Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"relay of elections").digest()))


def election_keys(**changes: Any) -> Invited:
    """The member ``invited`` of an election."""
    own = {
        "people": BOXES * PEOPLE_A_BOX,
        "codes": codes_of(election_roll()),
        "token_keys": tuple(key.public_key().public_numbers().n for key in box_keys()),
        "suite": SUITES[ELECTION_SUITE],
        "opening_key": held.trustees().key,
        "election": held.trustees(),
        "top_share": "0.18",
        "statement_keys": statement_keys_of(words()),
        "collector_key": collector().public_key,
        "acceptance_key": collector().acceptance_key,
    }
    return invited(**own | changes)


def contests(value: dict[str, Any] = CONTESTS) -> Questionnaire:
    """A questionnaire."""
    return Questionnaire.parse(value, LANGUAGES)


def election_specification(**changes: Any) -> Specification:
    """200 voters in eight boxes of 25, k = 3."""
    own = {"questionnaire": CONTESTS, "invited": election_keys(), "release": RULE}
    return invited_specification(**own | changes)


def signatures(specification: Specification, *numbers: int) -> bytes:
    """The rehearsal of some trustees."""
    survey = SignedSurvey(
        specification=specification,
        invited=require_invited(specification),
        digest=digest_of(specification),
        organizer_key=public_bytes(ORGANIZER_KEY),
    )
    own = shares(*numbers, words=words())
    return rehearse_election(survey, own, None, lambda n: held.fresh("rehearsal", n // 32)).to_bytes()


@cache
def _made(terms: Terms, cell: int, device_key: bytes, choices: tuple[int, ...], number: int) -> EncryptedVote:
    """Kept, because making votes takes longer than what most tests do with them."""
    return make(terms, cell, device_key, choices, held.fresh(f"voter {number}"), GROUP)


@dataclass
class HeldElection(SealedSurvey):
    """An election in the making: change what a test is about, then state, decrypt, count and verify it."""

    specification: Specification = field(default_factory=election_specification)

    def vote(self, number: int, cell: int, answers: Mapping[str, Any]) -> EncryptedVote:
        """What the n-th voter's device makes."""
        terms = election_terms(self.specification, self.digest)
        choices = chosen(self.specification.questionnaire, answers)
        key = token(self.digest, number).device_key
        return _made(terms, cell, key, choices, number)

    def in_ballot(self, number: int, vote: EncryptedVote) -> Ballot:
        """A vote as the n-th voter signs it, whatever it is."""
        box = vote.to_bytes()
        own = token(self.digest, number, box_keys()[vote.cell])
        unsigned = UnsignedBallot(cell=vote.cell, token=own, box=box)
        return sign_ballot(self.digest, unsigned)

    def ballot(
        self, cell: int, answers: Mapping[str, Any] | None = None, number: int | None = None
    ) -> Ballot:
        """One more person's ballot, not yet cast."""
        if number is None:
            number, self.used = self.used, self.used + 1
        return self.in_ballot(number, self.vote(number, cell, answers or {"board": "ada", "statutes": True}))

    def fill(self, *counts: int) -> HeldElection:
        """So many voters of each box vote, each a little differently."""
        for cell, count in enumerate(counts):
            for person in range(count):
                answers = {"board": ("ada", "ben", "blank")[person % 3], "statutes": person % 2 == 0}
                self.ballots.append(self.ballot(cell, answers))
        return self

    def used_codes(self, ballots: Sequence[Ballot], count: int) -> tuple[bytes, ...]:
        """A code of its box for each ballot; of the first so many."""
        return proofs_of(*(ballot.cell for ballot in ballots[:count]))

    def complaints(self, board: Board) -> Complaints | None:
        """The board is final, and nobody has complained."""
        return Complaints(root=board.root, admitted=())

    def roll(self) -> Roll:
        """With a list for each box."""
        return election_roll()

    def board(self, ballots: Sequence[Ballot], *, used: int | None = None) -> dict[str, bytes]:
        """The board's other files, and the rehearsal of all trustees."""
        rehearsal = {"rehearsal.json": signatures(self.specification, 1, 2, 3)}
        return SealedSurvey.board(self, ballots, used=used) | rehearsal

    def stated(self, export: Path, number: int) -> StatementReport:
        """One trustee's statement."""
        return self.state(export, number, words=words())

    def all_stated(self, export: Path) -> list[tuple[str, Statement]]:
        """Those of all trustees."""
        return [(f"{number}.json", self.stated(export, number).statement) for number in (1, 2, 3)]

    def decrypt(
        self,
        export: Path,
        number: int,
        statements: Sequence[tuple[str, Statement]],
        share: int | None = None,
    ) -> FactorsFile:
        """One trustee's factors."""
        return decrypt_sums(
            self.received(export),
            statements=statements,
            share=shares(share or number, words=words())[0],
            ledger_path=self.ledger(number),
            random_bytes=lambda n: held.fresh(f"decrypting {number}", n // 32),
            progress=lambda *_: None,
        )[1]

    def tally(
        self, export: Path, files: Sequence[FactorsFile], statements: Sequence[tuple[str, Statement]]
    ) -> Tally:
        """The result of some files."""
        return tally(self.received(export), statements=statements, files=files, progress=lambda *_: None)

    def result(self, export: Path, statements: Sequence[tuple[str, Statement]] = ()) -> Tally:
        """By trustees 1 and 3, on the statements of all, which they make now if they have not."""
        statements = statements or self.all_stated(export)
        files = [self.decrypt(export, number, statements) for number in (1, 3)]
        return self.tally(export, files, statements)

    def verify(self, export: Path, result: Result) -> Election:
        """As anybody does."""
        return verify_result(self.received(export, known=board_of(export)), result, lambda *_: None)
