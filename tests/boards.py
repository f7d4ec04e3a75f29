"""Small, sound public boards for tests, of the invited survey with eight cells of 25 people and k = 3."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.board import Board, BoardGroup, BoardRelease
from shared.board_counts import ReleasedTable, Survey
from shared.board_recount import PublishedBoard, Recounted, recount
from shared.checkpoint import Checkpoint, board_origin
from shared.declarations import ReleaseRule
from shared.envelope import survey_digest
from shared.hash_list import format_hashes
from shared.merkle import MerkleTree
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.invited import invited_specification, roll, used_codes
from tests.shared.examining import genuine

PEOPLE = 150
TOKENS = 60
SUBMISSIONS = 40
MERGED_ROW = (7, 0, 1, 5, 6, 4, 2, 3)
PACKAGE = hashlib.sha256(b"datapackage.json").hexdigest()


def receipts(count: int = SUBMISSIONS) -> tuple[bytes, ...]:
    """Digests of ballots, sorted."""
    return tuple(sorted(hashlib.sha256(f"ballot {i}".encode()).digest() for i in range(count)))


def release(**changes: Any) -> BoardRelease:
    """Three groups of a cell each; four answers are withheld and one is invalid."""
    groups = (
        BoardGroup(cells=(0,), people=25, answers=10),
        BoardGroup(cells=(3,), people=25, answers=20),
        BoardGroup(cells=(7,), people=25, answers=5),
    )
    fields: dict[str, Any] = {"data_package": PACKAGE, "groups": groups, "withheld": 4, "invalid": 1}
    return BoardRelease(**fields | changes)


def merged_release(**changes: Any) -> BoardRelease:
    """Groups of neighbours in :data:`MERGED_ROW`: nothing is withheld, five are invalid."""
    groups = (
        BoardGroup(cells=(0, 1, 7), people=75, answers=10),
        BoardGroup(cells=(2, 4, 5, 6), people=100, answers=20),
        BoardGroup(cells=(3,), people=25, answers=5),
    )
    fields: dict[str, Any] = {"data_package": PACKAGE, "groups": groups, "withheld": 0, "invalid": 5}
    return BoardRelease(**fields | changes)


def merging_specification() -> Specification:
    """The invited survey, if it merges along :data:`MERGED_ROW`."""
    rule = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)
    return invited_specification(release=rule, row=MERGED_ROW)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFiles:
    """A survey and its board's files, as bytes."""

    specification: Specification
    board: bytes
    checkpoint: bytes
    receipts: bytes
    roll: bytes
    used_codes: bytes

    @property
    def digest(self) -> str:
        """Digest of the specification."""
        return survey_digest(self.specification.to_bytes())

    def published(self) -> PublishedBoard:
        """The files, parsed."""
        return PublishedBoard.parse(
            board=self.board,
            checkpoint=self.checkpoint,
            receipts=self.receipts,
            roll=self.roll,
            used_codes=self.used_codes,
        )

    def recount(
        self, released: ReleasedTable | None = None, *, key: Ed25519PrivateKey = ORGANIZER_KEY
    ) -> Recounted:
        """As an outsider counts who was given this key."""
        survey = Survey(specification=self.specification, digest=self.digest, organizer_key=public_bytes(key))
        published = self.published()
        board, checkpoint = published.claims(survey.board_keys)
        outcomes = ([genuine(claim) for claim in board], [genuine(claim) for claim in checkpoint])
        return recount(published, outcomes, survey, released)


def sign_board(board: Board, *keys: Ed25519PrivateKey) -> bytes:
    """The envelope of a board."""
    envelope = board.unsigned()
    for key in keys or (ORGANIZER_KEY,):
        [claim, *_] = envelope.with_signature(public_bytes(key), b"").claims
        envelope = envelope.with_signature(public_bytes(key), key.sign(claim.message))
    return envelope.to_bytes()


def sign_checkpoint(checkpoint: Checkpoint, key: Ed25519PrivateKey = ORGANIZER_KEY) -> bytes:
    """The signed note of a checkpoint."""
    return checkpoint.signed(public_bytes(key), key.sign(checkpoint.to_text())).to_bytes()


def make_board(
    *,
    specification: Specification | None = None,
    entries: tuple[bytes, ...] | None = None,
    result: BoardRelease | None = None,
    change: Callable[[Board], Board] = lambda board: board,
    change_checkpoint: Callable[[Checkpoint], Checkpoint] = lambda checkpoint: checkpoint,
    key: Ed25519PrivateKey = ORGANIZER_KEY,
    used: tuple[bytes, ...] | None = None,
) -> BoardFiles:
    """A board that adds up, unless it is changed before it is signed."""
    specification = specification or invited_specification()
    entries = receipts() if entries is None else entries
    used = used_codes(TOKENS) if used is None else used
    digest, tree = survey_digest(specification.to_bytes()), MerkleTree.of(entries)
    board = Board(
        specification=digest,
        invited=PEOPLE,
        used_codes=hashlib.sha256(format_hashes(used)).hexdigest(),
        tokens_issued=len(used),
        submissions=len(entries),
        root=tree.root.hex(),
        release=result,
    )
    checkpoint = Checkpoint(origin=board_origin(digest), size=tree.size, root=tree.root)
    return BoardFiles(
        specification=specification,
        board=sign_board(change(board), key),
        checkpoint=sign_checkpoint(change_checkpoint(checkpoint), key),
        receipts=format_hashes(entries),
        roll=roll(PEOPLE).to_bytes(),
        used_codes=format_hashes(used),
    )


def finished_board(**changes: Any) -> BoardFiles:
    """A board after the release; `changes` alter the signed counts of the release."""
    return make_board(result=replace(release(), **changes))
