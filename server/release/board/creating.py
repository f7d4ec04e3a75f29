"""Making a board: after closing with the receipts, after the release with the groups.

That of an election is provisional at first, and final with the ballots that complaints brought back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.collection import board_folder as folder
from server.collection.board_folder import BoardFiles
from server.collection.storage.published import RELEASE_NAME, PublishedSurvey
from server.collection.storage.states import State
from server.release.board.released import count_release
from server.release.board.verifying import Verification, verify_files
from shared.board import Admitted, Board, BoardRelease, Complaints, describe_discrepancy
from shared.board_counts import Survey
from shared.board_recount import Recounted
from shared.checkpoint import Checkpoint, board_origin
from shared.envelope import encode_key
from shared.errors import BoardError, InputError, KeyFileError, StateError
from shared.hash_list import format_hashes
from shared.merkle import MerkleTree
from shared.roll import parse_used_codes


class BallotStore(Protocol):
    """What making a board needs of :class:`server.collection.storage.store.SurveyStore`."""

    @property
    def published(self) -> PublishedSurvey:
        """The published files."""

    @property
    def state(self) -> State:
        """Where the survey stands."""

    def unchanging(self) -> AbstractContextManager[None]:
        """Let nobody store anything meanwhile."""

    def acceptance(self, receipt: str) -> bytes | None:
        """The collector's signature that a ballot is stored: the same that its sender got."""

    def ballot_receipts(self) -> Sequence[str]:
        """Receipts of all ballots, ascending; refused before closing."""


def create_board(
    store: BallotStore, *, used_codes: bytes, key: Ed25519PrivateKey, accept_discrepancy: str | None = None
) -> Recounted:
    """Publish the receipts of a closed survey, a checkpoint over them, and the counts so far.

    Parameters
    ----------
    store : BallotStore
        The collector's, closed.
    used_codes : bytes
        The registrar's list: the proof of each code that it exchanged for a token.
    key : Ed25519PrivateKey
        The organizer's, which every invitation names, or a spare one that the specification names.
    accept_discrepancy : str, optional
        ``SUBMISSIONS/TOKENS``: sign that more submissions were taken than tokens issued, with these figures.

    Returns
    -------
    Recounted
        The board counted as an outsider counts it. Made twice, it is the same.

    Raises
    ------
    StateError
        If the survey is not closed, is open to everybody, or has another board.
    KeyFileError
        If the key is neither the organizer's nor a spare one.
    BoardError
        If the counts contradict each other and that was not accepted, or a used code is not on the signed
        roll: nothing was published then.

    Notes
    -----
    Guarantee: what is published depends on the ballots' digests alone, in the order of the digests: nothing
    of their cells, tokens or order of arrival.
    """
    survey = _survey(store, key)
    receipts = tuple(bytes.fromhex(receipt) for receipt in store.ballot_receipts())
    tree, used = MerkleTree.of(receipts), parse_used_codes(used_codes)
    checkpoint = Checkpoint(origin=board_origin(survey.digest), size=tree.size, root=tree.root)
    invited = survey.specification.invited
    board = Board(
        specification=survey.digest,
        invited=0 if invited is None else invited.people,
        used_codes=hashlib.sha256(used_codes).hexdigest(),
        tokens_issued=len(used),
        submissions=tree.size,
        root=tree.root.hex(),
        release=None,
        discrepancy=_accepted(
            tree.size,
            len(used),
            accept_discrepancy,
            is_election=invited is not None and invited.election is not None,
        ),
    )
    contents = BoardFiles(
        board=sign_board(board, key),
        checkpoint=sign_checkpoint(checkpoint, key),
        receipts=format_hashes(receipts),
        roll=store.published.roll().to_bytes(),
        used_codes=used_codes,
    )
    recounted = _sound(contents, survey)
    folder.publish_board(store.published.folder, contents)
    return recounted


def finish_board(store: BallotStore, *, key: Ed25519PrivateKey) -> Recounted:
    """Sign the groups and the digest of the release onto the board; of an election make it final.

    Returns
    -------
    Recounted
        The board counted again, of a survey with the released files.

    Raises
    ------
    StateError
        If the survey is not released, or the election not closed.
    NotFoundError
        If it has no board yet.
    BoardError
        If the released files and the receipts do not add up: the board stays as it was then.
    KeyFileError
        If the key is neither the organizer's nor a spare one.
    """
    survey = _survey(store, key)
    invited = survey.specification.invited
    if invited is not None and invited.election is not None:
        with store.unchanging():
            return _finish_election(store, survey, key)
    if store.state is not State.RELEASED:
        raise StateError(
            "the survey is not released yet", where=store.published.id, code=f"state.{store.state.value}"
        )
    where = store.published.folder
    contents = folder.read_board(where)
    board = Board.parse(contents.parse().envelope.payload)
    counted = count_release(lambda name: _read(where / RELEASE_NAME / name), survey.specification)
    release = BoardRelease(
        data_package=counted.table.data_package,
        groups=counted.table.groups,
        withheld=counted.withheld,
        invalid=counted.invalid,
    )
    finished = replace(contents, board=sign_board(board.finished(release), key))
    verification = verify_files(finished, survey, lambda name: _read(where / RELEASE_NAME / name))
    _refuse(verification)
    folder.replace_board(where, finished)
    return verification.recounted


def _finish_election(store: BallotStore, survey: Survey, key: Ed25519PrivateKey) -> Recounted:
    """Sign the ballots that complaints brought back onto a provisional board, which is final then.

    Done again it ends in the same board, also if it was interrupted.
    """
    where = store.published.folder
    contents = folder.read_board(where)
    published = verify_files(contents, survey, lambda _name: None)
    board = published.recounted.board
    if board is None or board.complaints is None:
        _refuse(published)  # what the organizer never signed does not become final by her signature
    if board is None:
        raise AssertionError("a board without a refusal is the organizer's")
    listed = set(published.published.receipts)
    complaints = board.complaints or _admitted(store, board, listed)
    receipts = tuple(sorted(listed.union(ballot.receipt for ballot in complaints.admitted)))
    tree = MerkleTree.of(receipts)
    checkpoint = Checkpoint(origin=board_origin(survey.digest), size=tree.size, root=tree.root)
    final = replace(board, submissions=tree.size, root=tree.root.hex(), complaints=complaints)
    finished = replace(
        contents,
        board=sign_board(final, key),
        checkpoint=sign_checkpoint(checkpoint, key),
        receipts=format_hashes(receipts),
    )
    recounted = _sound(finished, survey)
    folder.replace_board(where, finished)
    return recounted


def _admitted(store: BallotStore, board: Board, listed: set[bytes]) -> Complaints:
    """What is stored since the provisional board was made, which only complaints can have brought."""
    stored = {bytes.fromhex(receipt) for receipt in store.ballot_receipts()}
    if lost := listed - stored:
        raise BoardError(
            f"{len(lost)} ballots of the provisional board are not stored here any more",
            where="board",
            expected="every ballot that the provisional board lists",
            remedy="Put the newest copy of the collector's data back. No line ever leaves a board.",
            code="board.receipts",
        )
    admitted = []
    for receipt in sorted(stored - listed):
        acceptance = store.acceptance(receipt.hex())
        admitted.append(Admitted(receipt=receipt, acceptance=acceptance or b""))
    return Complaints(root=board.root, admitted=tuple(admitted))


def _accepted(submissions: int, tokens_issued: int, accepted: str | None, *, is_election: bool) -> str | None:
    """What the board says of a discrepancy, once the organizer has accepted exactly this one."""
    found = describe_discrepancy(submissions=submissions, tokens_issued=tokens_issued)
    if found is not None and is_election:
        raise BoardError(
            found,
            where="board",
            expected="a token for each ballot: the board of an election is never signed otherwise",
            remedy="Ask the registrar for its newest list of used codes. If it stays so, somebody signed"
            " tokens for nobody, and the election cannot be counted.",
            code="board.tokens",
        )
    figures = f"{submissions}/{tokens_issued}"
    if found is None and accepted is None:
        return None
    if found is None or accepted not in (None, figures):
        raise InputError(
            "there is no such discrepancy",
            where="--accept-discrepancy",
            expected="no such option" if found is None else figures,
            code="input.discrepancy",
        )
    if accepted is None:
        raise BoardError(
            f"{submissions} submissions were taken, and only {tokens_issued} tokens issued",
            where="board",
            expected=f"at most {tokens_issued}, one for each token",
            remedy="Nothing was published. First ask the registrar for its newest list of used codes: whoever"
            " has its key can sign tokens for nobody. If it stays so, the survey can be finished with"
            f" --accept-discrepancy {figures}. Then the board says so first, and trustees decide on opening.",
            code="board.tokens",
        )
    return found


def sign_board(board: Board, key: Ed25519PrivateKey) -> bytes:
    """The envelope of a board, signed by the organizer alone."""
    public = key.public_key().public_bytes_raw()
    unsigned = board.unsigned()
    [claim] = unsigned.with_signature(public, b"").claims
    return unsigned.with_signature(public, key.sign(claim.message)).to_bytes()


def sign_checkpoint(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> bytes:
    """The signed note of a checkpoint."""
    return checkpoint.signed(key.public_key().public_bytes_raw(), key.sign(checkpoint.to_text())).to_bytes()


def _survey(store: BallotStore, key: Ed25519PrivateKey) -> Survey:
    published = store.published
    if published.specification.invited is None:
        raise StateError(
            "this survey is open to everybody; only invited surveys have a board",
            where=published.id,
            code="state.open-survey",
        )
    survey = Survey(
        specification=published.specification,
        digest=published.digest,
        organizer_key=published.organizer_key,
    )
    if key.public_key().public_bytes_raw() not in survey.board_keys:
        keys = " or ".join(f"ed25519:{encode_key(known)}" for known in survey.board_keys)
        raise KeyFileError(
            "not the key that signed this survey, and no spare one of it",
            where="--key",
            expected=f"the private key of {keys}",
        )
    return survey


def _sound(contents: BoardFiles, survey: Survey) -> Recounted:
    verification = verify_files(contents, survey, lambda _name: None)
    _refuse(verification)
    return verification.recounted


def _refuse(verification: Verification) -> None:
    refusal = verification.recounted.refusal
    if refusal is not None:
        raise BoardError(
            refusal.message,
            where=refusal.where,
            expected=refusal.expected,
            remedy="Nothing was published. Find out which count is wrong before anything is signed.",
            code=refusal.code,
        )


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
