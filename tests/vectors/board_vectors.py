"""Public boards with named defects: the same files are judged by Python and by the page's JavaScript."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.board import Admitted, Board, BoardGroup, BoardRelease, Complaints, parse_envelope
from shared.checkpoint import Checkpoint, board_origin
from shared.hash_list import format_hashes
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.merkle import MerkleTree
from shared.receipt import BallotReceipt
from shared.roll import Roll
from tests.boards import (
    BoardFiles,
    make_board,
    merged_release,
    merging_specification,
    receipts,
    release,
    sign_board,
    sign_checkpoint,
)
from tests.builders import ORGANIZER_KEY, public_bytes, sign
from tests.elections import (
    BOXES,
    PEOPLE_A_BOX,
    code_in,
    collector,
    election_keys,
    election_roll,
    election_specification,
    proofs_of,
)
from tests.invited import COLLECTOR, ROLL_ID, SPARE_KEY, code, codes_of, invited_specification, used_codes
from tests.server.release.board.survey import released_files
from tests.vectors.surveys import STRANGER_KEY

OTHER_DIGEST = "0" * 64
_PUBLISHED = released_files()
_HASH = hashlib.sha256(_PUBLISHED["datapackage.json"]).hexdigest()


def boards() -> dict[str, Any]:
    """Boards, what an outsider is given beside them, and the line that must refuse."""
    specification = invited_specification()
    honest = _finished()
    return {
        "comment": (
            "Each case is a board's five files, the released files, and a receipt and a code, or null. "
            "'refused' is the code that must refuse, or null; files of no form may be refused whole. "
            "'code_used' is what is found of the code, 'discrepancy' what the organizer signed. A case may "
            "name its own specification and invitation."
        ),
        "source": "docs/protocol.md, The board. RFC 6962, RFC 9162, C2SP signed-note and tlog-checkpoint.",
        "specification": sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes().decode(),
        "invitation": Invitation(digest=honest.digest, organizer_key=public_bytes(ORGANIZER_KEY)).fragment(),
        "cases": [_case(*case) for case in _cases(honest)]
        + _cases_of_codes(honest)
        + _merged_cases()
        + _election_cases(),
    }


def _merged_cases() -> list[dict[str, Any]]:
    """Boards of a survey that merges: the same groups are judged along its signed row."""
    specification = merging_specification()
    honest = merged_release()
    first, second, third = honest.groups
    strangers = (replace(first, cells=(0, 1, 6)), replace(second, cells=(2, 4, 5, 7)), third)
    gap = (replace(first, cells=(0, 7), people=50), second, third)
    hole = (first, replace(second, cells=(2, 5, 6), people=75), third)
    cases = [
        ("merged", "Neighbours in the signed row.", None, honest),
        (
            "merged-by-choice",
            "Two groups exchanged a cell.",
            "board.groups",
            replace(honest, groups=strangers),
        ),
        ("merged-around-a-cell", "A cell was left out.", "board.groups", replace(honest, groups=hole)),
        ("merged-without-an-end", "A cell is in no group.", "board.groups", replace(honest, groups=gap)),
        ("merged-and-withheld", "What merges withholds none.", "board.total", _withholding(honest)),
    ]
    named: list[dict[str, Any]] = []
    for name, comment, refused, result in cases:
        published = released_files(result)
        package = hashlib.sha256(published["datapackage.json"]).hexdigest()
        files = make_board(specification=specification, result=replace(result, data_package=package))
        case = _case(name, comment, refused, files, released=published)
        invitation = Invitation(digest=files.digest, organizer_key=public_bytes(ORGANIZER_KEY)).fragment()
        envelope = sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes().decode()
        named.append(case | {"specification": envelope, "invitation": invitation})
    return named


def _election_cases() -> list[dict[str, Any]]:
    """Boards of an election: its roll has a list for each box, and no discrepancy is ever signed."""
    lists = [[code_in(box, n) for n in range(PEOPLE_A_BOX)] for box in range(BOXES)]
    moved = [*lists[:-1], lists[-1][1:]]
    moved[0] = [*moved[0], lists[-1][0]]

    def board(
        roll: Roll,
        used: tuple[bytes, ...],
        said: str | None = None,
        complaints: Callable[[str], Complaints | None] = lambda _: None,
    ) -> BoardFiles:
        specification = election_specification(invited=election_keys(codes=codes_of(roll)))
        files = make_board(
            specification=specification,
            used=used,
            change=lambda board: replace(
                board,
                invited=BOXES * PEOPLE_A_BOX,
                discrepancy=said,
                complaints=complaints(board.specification),
            ),
        )
        return replace(files, roll=roll.to_bytes())

    used = proofs_of(*range(BOXES), *range(BOXES), *range(BOXES), *range(BOXES), *range(BOXES))
    flat = Roll.of(ROLL_ID, map(code, range(BOXES * PEOPLE_A_BOX)))
    said = "40 submissions, 39 tokens"

    def final(complaints: Callable[[str], Complaints]) -> BoardFiles:
        return board(election_roll(), used, None, complaints)

    def removed(digest: str) -> Complaints:
        return replace(_complaints(digest), root=MerkleTree.of(receipts()).root.hex())

    def changed(**own: bytes) -> Callable[[str], Complaints]:
        def make(digest: str) -> Complaints:
            found = _complaints(digest)
            return replace(found, admitted=(replace(found.admitted[0], **own), found.admitted[1]))

        return make

    def twice(digest: str) -> Complaints:
        found = _complaints(digest)
        return replace(found, admitted=(*found.admitted, found.admitted[1]))

    cases = [
        ("election-final", "Two ballots came back by complaints.", None, final(_complaints)),
        (
            "election-line-removed",
            "The provisional board had another line.",
            "board.complaints",
            final(removed),
        ),
        ("election-admitted-twice", "One ballot is named twice.", "board.complaints", final(twice)),
        (
            "election-admitted-unlisted",
            "An admitted ballot is not on the list.",
            "board.complaints",
            final(changed(receipt=bytes(32))),
        ),
        (
            "election-admitted-late",
            "A ballot without the collector's acceptance.",
            "board.complaints",
            final(changed(acceptance=bytes(64))),
        ),
        ("election", "A list of codes for each box.", None, board(election_roll(), used)),
        ("election-of-one-list", "The codes of all boxes together.", "board.roll", board(flat, used)),
        ("election-26-codes", "Of 25 people.", "board.roll", board(Roll.of(ROLL_ID, *moved), used)),
        (
            "election-discrepancy",
            "Signed on purpose.",
            "board.tokens",
            board(election_roll(), used[1:], said),
        ),
    ]
    named: list[dict[str, Any]] = []
    for name, comment, refused, files in cases:
        case = _case(name, comment, refused, files, released={})
        invitation = Invitation(digest=files.digest, organizer_key=public_bytes(ORGANIZER_KEY)).fragment()
        envelope = sign(files.specification.to_bytes(), ORGANIZER_KEY).to_bytes().decode()
        named.append(case | {"specification": envelope, "invitation": invitation})
    return named


def _complaints(digest: str) -> Complaints:
    """The third and the sixth ballot came in after the provisional board."""
    entries = receipts()
    admitted = tuple(
        Admitted(receipt=entry, acceptance=collector().accept(digest, entry))
        for entry in (entries[2], entries[5])
    )
    before = [entry for entry in entries if entry not in (entries[2], entries[5])]
    return Complaints(root=MerkleTree.of(before).root.hex(), admitted=admitted)


def _withholding(honest: BoardRelease) -> BoardRelease:
    return replace(honest, withheld=5, invalid=0)


def _finished(key: Ed25519PrivateKey = ORGANIZER_KEY, **changes: Any) -> BoardFiles:
    """A finished board whose data package is the one of the released files."""
    return make_board(result=replace(release(), data_package=_HASH, **changes), key=key)


def _case(
    name: str,
    comment: str,
    refused: str | None,
    files: BoardFiles,
    receipt: str | None = None,
    released: dict[str, bytes] | None = None,
    *,
    typed: str | None = None,
    code_used: str | None = None,
    discrepancy: str | None = None,
) -> dict[str, Any]:
    published = _PUBLISHED if released is None else released
    return {
        "name": name,
        "comment": comment,
        "refused": refused,
        "board": files.board.decode(),
        "checkpoint": files.checkpoint.decode(),
        "receipts": files.receipts.decode(),
        "roll": files.roll.decode(),
        "used_codes": files.used_codes.decode(),
        "released": {file: data.decode() for file, data in published.items()},
        "receipt": receipt,
        "code": typed,
        "code_used": code_used,
        "discrepancy": discrepancy,
    }


def _accepted(digest: str, receipt: bytes) -> str:
    return BallotReceipt.of(digest, receipt.hex(), COLLECTOR.accept(digest, receipt)).to_text()


def _cases(honest: BoardFiles) -> list[tuple[Any, ...]]:
    first = receipts()[0]
    mine = BallotReceipt.of(honest.digest, first.hex()).to_text()
    accepted = _accepted(honest.digest, first)
    dropped = _accepted(honest.digest, b"\x55" * 32)
    unfinished = make_board()
    lists = {
        "one": receipts()[1:],
        "more": tuple(sorted((*receipts(), b"\x55" * 32))),
        "other": tuple(sorted((*receipts()[1:], b"\x55" * 32))),
    }
    board = Board.parse(parse_envelope(honest.board).payload)

    def listed(entries: tuple[bytes, ...]) -> BoardFiles:
        return replace(honest, receipts=format_hashes(entries))

    def counts(**changes: Any) -> BoardFiles:
        return replace(honest, board=sign_board(replace(board, **changes)))

    def checkpoint_of(entries: tuple[bytes, ...], digest: str = honest.digest) -> bytes:
        tree = MerkleTree.of(entries)
        return sign_checkpoint(Checkpoint(origin=board_origin(digest), size=tree.size, root=tree.root))

    tampered = _PUBLISHED | {"microdata.csv": _PUBLISHED["microdata.csv"] + b"0,9\n"}
    twice = first.hex().encode() + b"\n" + honest.receipts
    lines = honest.receipts.splitlines(keepends=True)
    unsorted = b"".join([lines[1], lines[0], *lines[2:]])
    groups = release().groups
    return [
        ("closed", "After closing: nothing released yet.", None, unfinished, mine, {}),
        ("finished", "After the release, with a receipt.", None, honest, mine),
        ("without-receipt", "Only counted again.", None, honest),
        ("digits-alone", "A receipt typed without its mark.", None, honest, first.hex()),
        ("with-acceptance", "A receipt with the collector's signature.", None, honest, accepted),
        (
            "accepted-and-missing",
            "The collector signed that it took a ballot which is not on the list.",
            "board.receipt",
            honest,
            dropped,
        ),
        (
            "not-on-the-list",
            "A receipt that somebody invented, with a signature that is none.",
            "board.receipt",
            honest,
            BallotReceipt.of(honest.digest, "55" * 32, bytes(64)).to_text(),
        ),
        ("removed-receipt", "A receipt is taken from the list.", "board.root", listed(lists["one"]), mine),
        ("added-receipt", "A receipt is put onto the list.", "board.root", listed(lists["more"])),
        (
            "exchanged-receipt",
            "One receipt for another.",
            "board.root",
            listed(lists["other"]),
            mine,
        ),
        (
            "receipt-twice",
            "One of them stands twice.",
            "board.receipts",
            replace(honest, receipts=twice),
        ),
        ("unsorted", "The list is not sorted.", "board.receipts", replace(honest, receipts=unsorted)),
        (
            "capitals",
            "In capitals.",
            "board.receipts",
            replace(honest, receipts=honest.receipts.upper()),
        ),
        (
            "swapped-checkpoint",
            "Genuine checkpoint over a list without one ballot.",
            "board.root",
            replace(honest, checkpoint=checkpoint_of(lists["one"])),
        ),
        (
            "swapped-list-and-checkpoint",
            "Both are exchanged, the board is not.",
            "board.root",
            replace(listed(lists["one"]), checkpoint=checkpoint_of(lists["one"])),
        ),
        (
            "checkpoint-of-another-survey",
            "The same list, signed for another survey.",
            "board.checkpoint",
            replace(honest, checkpoint=checkpoint_of(receipts(), OTHER_DIGEST)),
        ),
        (
            "signed-by-the-spare-key",
            "The organizer lost her key, and signed with the spare one of the specification.",
            None,
            _finished(key=SPARE_KEY),
            mine,
        ),
        (
            "finished-by-the-spare-key",
            "The key was lost between checkpoint and release.",
            None,
            replace(honest, board=sign_board(board, SPARE_KEY)),
        ),
        (
            "checkpoint-by-another-key",
            "A stranger signed the checkpoint.",
            "board.checkpoint",
            replace(honest, checkpoint=make_board(key=STRANGER_KEY).checkpoint),
        ),
        (
            "checkpoint-with-broken-signature",
            "The root was changed after signing.",
            "board.checkpoint",
            replace(honest, checkpoint=_other_root(honest.checkpoint)),
        ),
        (
            "board-by-another-key",
            "A stranger signed the board.",
            "board.signature",
            replace(honest, board=sign_board(board, STRANGER_KEY)),
        ),
        (
            "board-of-another-survey",
            "A genuine board that names another specification.",
            "board.specification",
            counts(specification=OTHER_DIGEST),
        ),
        (
            "other-invitations",
            "One invitation more.",
            "board.specification",
            counts(invited=151),
        ),
        ("other-root", "The board names another root.", "board.root", counts(root=OTHER_DIGEST)),
        ("one-submission-more", "The board counts one more.", "board.submissions", counts(submissions=41)),
        (
            "tokens-beyond-invitations",
            "151 for 150 people.",
            "board.used-codes",
            counts(tokens_issued=151),
        ),
        (
            "submissions-beyond-tokens",
            "40 with 39 tokens.",
            "board.tokens",
            make_board(used=used_codes(39)),
        ),
        (
            "group-below-minimum",
            "A group of two answers.",
            "board.groups",
            _finished(groups=(groups[0], groups[1], replace(groups[2], answers=2)), withheld=7),
        ),
        (
            "cell-twice",
            "A cell stands in two groups.",
            "board.groups",
            _finished(groups=(groups[0], replace(groups[1], cells=(0,)), groups[2])),
        ),
        (
            "two-cells-in-one-group",
            "The signed rule withholds, and unites nothing.",
            "board.groups",
            _finished(groups=(groups[0], replace(groups[1], cells=(3, 4), people=50), groups[2])),
        ),
        (
            "other-people",
            "A group claims more people.",
            "board.groups",
            _finished(groups=(replace(groups[0], people=26), *groups[1:])),
        ),
        (
            "withheld-by-subtraction",
            "Everything but one cell is released.",
            "board.groups",
            _finished(groups=tuple(BoardGroup(cells=(c,), people=25, answers=5) for c in range(7))),
        ),
        ("counts-do-not-add-up", "A withheld answer is missing.", "board.total", _finished(withheld=3)),
        ("an-invalid-one-too-many", "One more is said to be invalid.", "board.total", _finished(invalid=2)),
        (
            "other-data-package",
            "The released files are not those of the board.",
            "board.release",
            make_board(result=release()),
        ),
        ("tampered-table", "A row was added to microdata.csv.", "board.release", honest, None, tampered),
        (
            "other-rows",
            "The tables are whole, but a group has fewer rows than signed.",
            "board.release",
            _finished(groups=(replace(groups[0], answers=11), *groups[1:]), withheld=3),
        ),
        ("receipt-missing", "A receipt that is not on the list.", "board.receipt", honest, "1" * 64),
        (
            "receipt-of-another-survey",
            "A receipt with another survey's mark.",
            "board.receipt",
            honest,
            mine.replace(honest.digest[:16].upper(), OTHER_DIGEST[:16]),
        ),
    ]


def _cases_of_codes(honest: BoardFiles) -> list[dict[str, Any]]:
    """Who was invited, which codes were used, and what was signed although it contradicts itself."""
    stranger = InvitationCode.create(b"nobody's code")
    longer = Roll.of(ROLL_ID, [*map(code, range(150)), stranger])
    shorter = Roll.of(ROLL_ID, map(code, range(149)))
    other_id = replace(Roll.of(ROLL_ID, map(code, range(150))), roll_id=bytes(32))
    minted = tuple(sorted((*used_codes(59), hashlib.sha256(b"minted").digest())))
    unused = used_codes(61)
    signed = "40 submissions, 39 tokens"

    def with_roll(roll: Roll) -> BoardFiles:
        return replace(honest, roll=roll.to_bytes())

    def saying(text: str, used: int) -> BoardFiles:
        return make_board(used=used_codes(used), change=lambda board: replace(board, discrepancy=text))

    return [
        _case("code-on-the-roll", "One hash was added after signing.", "board.roll", with_roll(longer)),
        _case("code-off-the-roll", "One hash was removed.", "board.roll", with_roll(shorter)),
        _case("roll-under-another-id", "The same hashes.", "board.roll", with_roll(other_id)),
        _case(
            "roll-is-none",
            "No first line.",
            "board.roll",
            replace(honest, roll=honest.roll.split(b"\n", 1)[1]),
        ),
        _case(
            "used-code-not-on-the-roll",
            "A token was issued for a code that nobody has.",
            "board.used-codes",
            make_board(used=minted),
        ),
        _case(
            "used-code-added",
            "One more than was signed.",
            "board.used-codes",
            replace(honest, used_codes=format_hashes(unused)),
        ),
        _case(
            "used-code-hidden",
            "One fewer than was signed.",
            "board.used-codes",
            replace(honest, used_codes=format_hashes(used_codes(59))),
        ),
        _case(
            "used-codes-without-form",
            "In capitals.",
            "board.used-codes",
            replace(honest, used_codes=honest.used_codes.upper()),
        ),
        _case(
            "signed-discrepancy",
            "More submissions than tokens.",
            None,
            saying(signed, 39),
            None,
            {},
            discrepancy=signed,
        ),
        _case(
            "other-discrepancy",
            "Another one is signed.",
            "board.tokens",
            saying("41 submissions, 40 tokens", 39),
        ),
        _case("discrepancy-without-one", "There is none.", "board.tokens", saying(signed, 40)),
        _case(
            "my-code-was-used",
            "Listed.",
            None,
            honest,
            typed=code(3).text.lower(),
            code_used="yes",
        ),
        _case("my-code-was-not-used", "It is not.", None, honest, typed=code(149).symbols, code_used="no"),
        _case("my-code-is-not-of-this-survey", "Not on the roll.", "board.code", honest, typed=stranger.text),
    ]


def _other_root(note: bytes) -> bytes:
    lines = note.decode().split("\n")
    lines[2] = ("A" if lines[2][0] != "A" else "B") + lines[2][1:]
    return "\n".join(lines).encode()
