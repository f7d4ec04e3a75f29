"""Somebody tampers with a public board: the organizer, the collector, or whoever sits between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.collection.board_folder import BoardFiles
from server.release.board.sources import FolderSource
from server.release.board.verifying import verify_board
from shared.board import parse_receipts
from shared.board_recount import PASSED
from shared.errors import BoardError, SignatureError, VerificationError
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.merkle import MerkleTree, leaf_hash, verify_inclusion
from shared.receipt import BallotReceipt
from tests.boards import make_board, receipts
from tests.builders import AUDITOR_KEY, public_bytes, sign
from tests.invited import invited_specification
from tests.vectors.generate import FOLDER

VECTORS: dict[str, Any] = json.loads((FOLDER / "board.json").read_text("utf-8"))
CASES = {case["name"]: case for case in VECTORS["cases"]}
PINNED = Invitation.parse_fragment(VECTORS["invitation"])


def folder_of(case: dict[str, Any], folder: Path) -> FolderSource:
    """The files as an outsider has them."""
    (folder / "release").mkdir()
    (folder / "survey.dsse.json").write_text((VECTORS | case)["specification"], "utf-8")
    for name, key in (
        ("board.json", "board"), ("checkpoint", "checkpoint"), ("receipts.txt", "receipts"),
        ("roll.txt", "roll"), ("used-codes.txt", "used_codes"),
    ):  # fmt: skip
        (folder / name).write_bytes(case[key].encode())
    for name, text in case["released"].items():
        (folder / "release" / name).write_bytes(text.encode())
    return FolderSource(folder=folder)


def refusal_of(case: dict[str, Any], folder: Path, pinned: Invitation = PINNED) -> str | None:
    """The code of the first line that refuses."""
    receipt = None if case["receipt"] is None else BallotReceipt.parse(case["receipt"])
    code = None if case["code"] is None else InvitationCode.parse(case["code"])
    try:
        found = verify_board(folder_of(case, folder), pinned, receipt, code)
    except BoardError as error:
        return error.code
    refusal = found.recounted.refusal
    if case["receipt"] is not None and refusal is None:
        last = found.recounted.lines[-1]
        assert (last.code, last.outcome) == ("board.receipt", PASSED)
    if code is not None and refusal is None:
        assert found.recounted.lines[-1].figures == {"used": case["code_used"]}
    if refusal is None:
        assert found.recounted.board is not None
        assert found.recounted.board.discrepancy == case["discrepancy"]
    return None if refusal is None else refusal.code


@pytest.mark.parametrize("name", CASES)
def test_every_vector_is_judged_as_it_says(name: str, tmp_path: Path) -> None:
    pinned = Invitation.parse_fragment((VECTORS | CASES[name])["invitation"])
    assert refusal_of(CASES[name], tmp_path, pinned) == CASES[name]["refused"]


def test_every_line_has_a_negative_vector() -> None:
    from shared.board_recount import LINES

    assert {case["refused"] for case in CASES.values()} >= set(LINES) | {"board.receipt", "board.code"}


def test_a_board_that_a_stranger_signed_whole_does_not_pass_for_the_organizers(tmp_path: Path) -> None:
    forged = sign(invited_specification().to_bytes(), AUDITOR_KEY).to_bytes()
    files = make_board(key=AUDITOR_KEY)
    source = folder_of(
        CASES["closed"]
        | {
            "board": files.board.decode(),
            "checkpoint": files.checkpoint.decode(),
            "receipts": files.receipts.decode(),
        },
        tmp_path,
    )
    (tmp_path / "survey.dsse.json").write_bytes(forged)
    with pytest.raises(SignatureError, match="another key"):
        verify_board(source, PINNED, None)
    unpinned = verify_board(source, Invitation(digest=None, organizer_key=None), None)
    assert unpinned.recounted.refusal is None
    assert not unpinned.pinned  # words must be compared
    assert unpinned.survey.organizer_key == public_bytes(AUDITOR_KEY)


def test_another_specification_does_not_pass_for_the_invitations(tmp_path: Path) -> None:
    other = Invitation(digest="0" * 64, organizer_key=PINNED.organizer_key)
    with pytest.raises(VerificationError, match="not the one of the invitation"):
        verify_board(folder_of(CASES["closed"], tmp_path), other, None)


@pytest.mark.parametrize("size", [2, 3, 40])
def test_a_truncated_proof_and_a_proof_of_another_leaf_are_refused(size: int) -> None:
    tree = MerkleTree.of(receipts(size))
    for index in range(size):
        proof = tree.proof(index)
        for leaf, changed in (
            (leaf_hash(receipts(size)[index]), proof[:-1]),
            (leaf_hash(receipts(size)[index]), proof[1:]),
            (leaf_hash(receipts(size)[index - 1]), proof),
            (leaf_hash(b"\x55" * 32), proof),
        ):
            with pytest.raises(BoardError) as caught:
                verify_inclusion(root=tree.root, leaf=leaf, index=index, size=size, proof=changed)
            assert caught.value.code == "board.proof"


def test_no_receipt_can_be_removed_or_added_unnoticed(tmp_path: Path) -> None:
    """Every single one, not just an example."""
    honest = parse_receipts(CASES["finished"]["receipts"].encode())
    root = MerkleTree.of(honest).root
    for i in range(len(honest)):
        assert MerkleTree.of(honest[:i] + honest[i + 1 :]).root != root
        assert MerkleTree.of(sorted((*honest, bytes([i]) * 32))).root != root


def test_files_of_two_boards_cannot_be_mixed(tmp_path: Path) -> None:
    one, two = make_board(), make_board(entries=receipts(39))
    same = {"roll": one.roll, "used_codes": one.used_codes}
    for i, files in enumerate(
        (
            BoardFiles(board=one.board, checkpoint=two.checkpoint, receipts=two.receipts, **same),
            BoardFiles(board=two.board, checkpoint=one.checkpoint, receipts=two.receipts, **same),
            BoardFiles(board=two.board, checkpoint=two.checkpoint, receipts=one.receipts, **same),
        )
    ):
        folder = tmp_path / str(i)
        folder.mkdir()
        case = CASES["closed"] | {
            "receipt": None,
            "board": files.board.decode(),
            "checkpoint": files.checkpoint.decode(),
            "receipts": files.receipts.decode(),
        }
        assert refusal_of(case, folder) == "board.root"
