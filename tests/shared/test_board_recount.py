from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shared.board import Admitted, Board, BoardGroup, BoardRelease, Complaints
from shared.board_counts import ReleasedTable
from shared.board_recount import (
    LINES,
    NOT_RUN,
    PASSED,
    REFUSED,
    find_code,
    find_provisional,
    find_receipt,
)
from shared.checkpoint import Checkpoint
from shared.hash_list import format_hashes
from shared.invitation_code import InvitationCode
from shared.merkle import MerkleTree
from shared.receipt import BallotReceipt
from shared.roll import Roll
from tests.boards import (
    PACKAGE,
    BoardFiles,
    finished_board,
    make_board,
    merged_release,
    merging_specification,
    receipts,
    release,
)
from tests.builders import AUDITOR_KEY, small_specification
from tests.elections import BOXES, collector, election_roll, election_specification, proofs_of
from tests.invited import ROLL_ID, code, digest_of, invited, invited_specification, used_codes

TABLE = ReleasedTable(data_package=PACKAGE, groups=release().groups)


def outcomes(files: BoardFiles, released: ReleasedTable | None = None) -> dict[str, str]:
    """Outcome of every line."""
    return {line.code: line.outcome for line in files.recount(released).lines}


def only_refused(files: BoardFiles, code: str, released: ReleasedTable | None = None) -> str:
    """The message of the one line that refuses."""
    counted = files.recount(released)
    assert [line.code for line in counted.lines] == list(LINES)
    assert [line.code for line in counted.lines if line.outcome == REFUSED] == [code]
    assert counted.refusal is not None
    assert counted.refusal.code == code
    return counted.refusal.message


def test_a_board_after_closing_passes_as_far_as_it_goes() -> None:
    found = outcomes(make_board())
    assert list(found) == list(LINES)
    assert [code for code, outcome in found.items() if outcome == NOT_RUN] == [
        "board.complaints",
        "board.groups",
        "board.total",
        "board.release",
    ]
    assert set(found.values()) == {PASSED, NOT_RUN}


def test_a_finished_board_passes_with_its_files() -> None:
    counted = finished_board().recount(TABLE)
    assert counted.refusal is None
    assert [line.code for line in counted.lines if line.outcome != PASSED] == ["board.complaints"]
    figures = {line.code: line.figures for line in counted.lines}
    assert figures["board.tokens"] == {"tokens_issued": "60", "invited": "150"}
    assert figures["board.submissions"] == {"submissions": "40"}
    assert figures["board.groups"] == {
        "groups": "3",
        "smallest": "5",
        "minimum": "3",
        "cells_not_released": "5",
    }
    assert figures["board.total"] == {
        "released": "35",
        "withheld": "4",
        "invalid": "1",
        "submissions": "40",
    }
    assert counted.board is not None
    assert outcomes(finished_board())["board.release"] == NOT_RUN


def test_a_survey_without_answers_has_a_board() -> None:
    assert make_board(entries=()).recount().refusal is None
    empty = BoardRelease(data_package=PACKAGE, groups=(), withheld=0, invalid=0)
    counted = make_board(entries=(), result=empty).recount(ReleasedTable(data_package=PACKAGE, groups=()))
    assert counted.refusal is None


def test_another_key_is_refused_and_what_needs_the_board_is_not_run() -> None:
    files = replace(finished_board(), board=make_board(key=AUDITOR_KEY).board)
    assert only_refused(files, "board.signature", TABLE) == (
        "signed by another key than the one in the invitation"
    )
    found = outcomes(files, TABLE)
    assert [code for code in LINES if found[code] == PASSED] == [
        "board.checkpoint",
        "board.receipts",
        "board.roll",
    ]


def test_a_signed_board_that_cannot_be_read_is_refused() -> None:
    class Unreadable:
        def unsigned(self) -> object:
            return replace(boardless.unsigned(), payload=b"{}")

    from shared.board import Board
    from tests.boards import sign_board

    boardless = Board(
        specification="0" * 64,
        invited=1,
        used_codes="0" * 64,
        tokens_issued=0,
        submissions=0,
        root="0" * 64,
        release=None,
    )
    files = replace(make_board(), board=sign_board(Unreadable()))  # type: ignore[arg-type]
    line = files.recount().lines[0]
    assert line.outcome == REFUSED
    assert line.error is not None
    assert line.error.code == "board.form"


def test_a_checkpoint_by_another_key_is_refused() -> None:
    files = replace(finished_board(), checkpoint=make_board(key=AUDITOR_KEY).checkpoint)
    assert only_refused(files, "board.checkpoint", TABLE) == "the organizer did not sign the checkpoint"
    found = outcomes(files, TABLE)
    assert [code for code in LINES if found[code] == NOT_RUN] == [
        "board.root",
        "board.submissions",
        "board.complaints",
    ]


@pytest.mark.parametrize("name", ["specification", "invited", "open-survey"])
def test_another_specification_is_refused(name: str) -> None:
    files = {
        "specification": make_board(change=lambda board: replace(board, specification="0" * 64)),
        "invited": make_board(change=lambda board: replace(board, invited=151)),
        "open-survey": make_board(specification=small_specification()),
    }[name]
    only_refused(files, "board.specification")


def test_another_root_is_refused() -> None:
    assert "names another" in only_refused(
        make_board(change=lambda board: replace(board, root="0" * 64)), "board.root"
    )
    assert "lead to another" in only_refused(
        make_board(change_checkpoint=lambda c: replace(c, root=bytes(32))), "board.root"
    )


def test_other_sizes_are_refused() -> None:
    assert "board counts 41" in only_refused(
        make_board(change=lambda board: replace(board, submissions=41)), "board.submissions"
    )
    assert "checkpoint counts 41" in only_refused(
        make_board(change_checkpoint=lambda c: replace(c, size=41)), "board.submissions"
    )


def test_more_tokens_than_invitations_are_refused() -> None:
    found = outcomes(make_board(change=lambda board: replace(board, tokens_issued=151)))
    assert [code for code in LINES if found[code] == REFUSED] == ["board.used-codes", "board.tokens"]


def test_more_submissions_than_tokens_are_refused_unless_the_board_says_so() -> None:
    def signed(used: int, discrepancy: str | None) -> BoardFiles:
        return make_board(used=used_codes(used), change=lambda board: replace(board, discrepancy=discrepancy))

    assert "40 submissions were taken" in only_refused(signed(39, None), "board.tokens")
    assert "another discrepancy" in only_refused(signed(39, "41 submissions, 39 tokens"), "board.tokens")
    assert "another discrepancy" in only_refused(signed(40, "40 submissions, 40 tokens"), "board.tokens")
    assert signed(40, None).recount().refusal is None
    counted = signed(39, "40 submissions, 39 tokens").recount()
    assert counted.refusal is None
    [figures] = [line.figures for line in counted.lines if line.code == "board.tokens"]
    assert next(iter(figures.items())) == ("discrepancy", "40 submissions, 39 tokens")


def test_a_roll_and_used_codes_that_are_not_the_signed_ones_are_refused() -> None:
    honest, stranger = make_board(), InvitationCode.create(b"nobody's code")
    longer = Roll.of(ROLL_ID, [*map(code, range(150)), stranger])
    assert "added or left out" in only_refused(replace(honest, roll=longer.to_bytes()), "board.roll")
    fewer = invited_specification(invited=replace(invited(), people=149))
    short = make_board(specification=fewer, change=lambda board: replace(board, invited=149))
    assert "150 codes are on the roll" in only_refused(short, "board.roll")
    other = format_hashes(used_codes(61))
    assert "not the signed one" in only_refused(replace(honest, used_codes=other), "board.used-codes")
    minted = make_board(used=tuple(sorted((*used_codes(59), bytes(32)))))
    assert "not on the signed roll" in only_refused(minted, "board.used-codes")
    lied = make_board(change=lambda board: replace(board, tokens_issued=61))
    assert "60 codes were used" in only_refused(lied, "board.used-codes")


@pytest.mark.parametrize(("number", "used"), [(0, "yes"), (59, "yes"), (60, "no"), (149, "no")])
def test_a_code_is_found_where_it_is(number: int, used: str) -> None:
    line = find_code(make_board().published(), code(number))
    assert (line.outcome, line.figures) == (PASSED, {"used": used})


def test_a_code_of_another_survey_is_refused() -> None:
    line = find_code(make_board().published(), InvitationCode.create(b"nobody's code"))
    assert line.outcome == REFUSED
    assert line.error is not None
    assert line.error.code == "board.code"


def with_groups(*groups: tuple[tuple[int, ...], int, int]) -> tuple[BoardGroup, ...]:
    """Groups from cells, people and answers."""
    return tuple(BoardGroup(cells=c, people=p, answers=a) for c, p, a in groups)


@pytest.mark.parametrize(
    ("groups", "withheld", "message"),
    [
        (with_groups(((0,), 25, 10), ((0,), 25, 25)), 4, "stands twice"),
        (with_groups(((0, 0), 50, 35)), 4, "stands twice"),
        (with_groups(((3, 1), 50, 35)), 4, "stands twice"),
        (with_groups(((0,), 25, 20), ((8,), 25, 15)), 4, "does not exist"),
        (with_groups(((0,), 26, 35)), 4, "has 26 people"),
        (with_groups(((0,), 25, 33), ((1,), 25, 2)), 4, "has 2 answers"),
        (with_groups(((0,), 25, 37)), 2, "2 withheld"),
        (with_groups(*(((c,), 25, 5) for c in range(7))), 4, "4 withheld"),
        (with_groups(((0, 1), 50, 35)), 4, "not what the signed rule makes"),
    ],
)
def test_groups_that_may_not_be_shown_are_refused(
    groups: tuple[BoardGroup, ...], withheld: int, message: str
) -> None:
    assert message in only_refused(finished_board(groups=groups, withheld=withheld), "board.groups")


def test_counts_that_do_not_add_up_are_refused() -> None:
    assert only_refused(finished_board(withheld=3), "board.total") == (
        "35 released, 3 withheld and 1 invalid are 39"
    )
    assert "0 invalid are 39" in only_refused(finished_board(invalid=0), "board.total")


def test_where_the_rule_merges_nothing_is_withheld() -> None:
    merging, complete = merging_specification(), merged_release()
    table = ReleasedTable(data_package=PACKAGE, groups=complete.groups)
    assert make_board(specification=merging, result=complete).recount(table).refusal is None
    withholding = make_board(specification=merging, result=replace(complete, withheld=5, invalid=0))
    assert "withheld" in only_refused(withholding, "board.total", table)


def test_where_the_rule_merges_a_group_is_a_stretch_of_the_signed_row() -> None:
    first, second, third = merged_release().groups
    chosen = (replace(first, cells=(0, 1, 6)), replace(second, cells=(2, 4, 5, 7)), third)
    files = make_board(specification=merging_specification(), result=merged_release(groups=chosen))
    assert "group 0 is not what the signed rule makes" in only_refused(files, "board.groups")


def test_where_the_rule_merges_no_cell_is_left_out() -> None:
    first, second, third = merged_release().groups
    groups = (replace(first, cells=(0, 7), people=50), second, third)
    files = make_board(specification=merging_specification(), result=merged_release(groups=groups))
    assert "1 cells are in no group" in only_refused(files, "board.groups")


@pytest.mark.parametrize(
    "change",
    [
        lambda table: replace(table, data_package="0" * 64),
        lambda table: replace(table, groups=table.groups[1:]),
        lambda table: replace(table, groups=(replace(table.groups[0], answers=11), *table.groups[1:])),
    ],
    ids=["package", "group-missing", "other-rows"],
)
def test_other_released_files_are_refused(change: Callable[[ReleasedTable], ReleasedTable]) -> None:
    only_refused(finished_board(), "board.release", change(TABLE))


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_every_receipt_is_found(count: int) -> None:
    files = make_board(entries=receipts(count))
    for i, digest in enumerate(receipts(count)):
        for receipt in (
            BallotReceipt(survey=None, digest=digest),
            BallotReceipt.of(files.digest, digest.hex()),
        ):
            line = find_receipt(files.published(), receipt, files.digest)
            assert (line.code, line.outcome) == ("board.receipt", PASSED)
            assert line.figures["number"] == str(i + 1)
            assert line.figures["of"] == str(count)


@pytest.mark.parametrize(
    ("receipt", "message"),
    [
        (BallotReceipt(survey=None, digest=bytes(32)), "the receipt is not on the board"),
        (BallotReceipt(survey="0" * 16, digest=receipts()[0]), "the receipt is of another survey"),
    ],
)
def test_a_receipt_that_is_not_there_is_refused(receipt: BallotReceipt, message: str) -> None:
    files = make_board()
    line = find_receipt(files.published(), receipt, files.digest)
    assert line.outcome == REFUSED
    assert line.error is not None
    assert (line.error.code, line.error.message) == ("board.receipt", message)


def test_a_receipt_in_a_list_that_the_checkpoint_does_not_cover_is_refused() -> None:
    files = replace(make_board(), receipts=format_hashes(receipts(41)))
    receipt = BallotReceipt(survey=None, digest=receipts(41)[0])
    line = find_receipt(files.published(), receipt, files.digest)
    assert line.error is not None
    assert line.error.code == "board.proof"


def test_the_page_counts_the_same_lines_in_the_same_order() -> None:
    """The second program (decision 0114); its outcomes are compared in tests/browser/test_board.py."""
    module = Path(__file__).parents[2] / "respondent_client" / "web" / "board_check.mjs"
    lines = re.findall(r'await run\("(board\.[a-z-]+)"', module.read_text("utf-8"))
    assert lines == ["board.survey", *LINES, "board.receipt", "board.code"]


def election_board(complaints: Complaints | None, **changes: Any) -> BoardFiles:
    """The board of an election, provisional or final."""
    specification = election_specification()
    files = make_board(
        specification=specification,
        used=proofs_of(*range(BOXES), *range(BOXES), *range(BOXES), *range(BOXES), *range(BOXES)),
        change=lambda board: replace(board, invited=200, complaints=complaints, **changes),
    )
    return replace(files, roll=election_roll().to_bytes())


def final(count: int = 2) -> Complaints:
    """So many ballots came back."""
    digest, entries = digest_of(election_specification()), receipts()
    admitted = tuple(
        Admitted(receipt=entry, acceptance=collector().accept(digest, entry)) for entry in entries[:count]
    )
    return Complaints(root=MerkleTree.of(entries[count:]).root.hex(), admitted=admitted)


def test_the_board_of_an_election_is_provisional_and_then_final() -> None:
    provisional = election_board(None)
    assert outcomes(provisional)["board.complaints"] == NOT_RUN
    for count in (0, 2, 40):
        counted = election_board(final(count)).recount()
        assert counted.refusal is None
        figures = {line.code: line.figures for line in counted.lines}["board.complaints"]
        assert figures == {"provisional": str(40 - count), "admitted": str(count)}
        assert counted.board is not None
        assert Board.parse(counted.board.to_bytes()) == counted.board


FALSE_FINALS: dict[str, tuple[Callable[[Complaints], Complaints], str]] = {
    "line-removed": (lambda c: replace(c, root=MerkleTree.of(receipts()[1:]).root.hex()), "removed or added"),
    "descending": (lambda c: replace(c, admitted=c.admitted[::-1]), "stands twice"),
    "twice": (lambda c: replace(c, admitted=(*c.admitted, c.admitted[-1])), "stands twice"),
    "unlisted": (
        lambda c: replace(c, admitted=(replace(c.admitted[0], receipt=bytes(32)), c.admitted[1])),
        "not on the list",
    ),
    "late": (
        lambda c: replace(c, admitted=(replace(c.admitted[0], acceptance=bytes(64)), c.admitted[1])),
        "without the collector's acceptance",
    ),
    "of-another": (
        lambda c: replace(
            c, admitted=(replace(c.admitted[0], acceptance=c.admitted[1].acceptance), c.admitted[1])
        ),
        "without the collector's acceptance",
    ),
}


@pytest.mark.parametrize("name", FALSE_FINALS)
def test_a_false_final_board_is_refused(name: str) -> None:
    change, message = FALSE_FINALS[name]
    assert message in only_refused(election_board(change(final())), "board.complaints")


def test_a_survey_has_no_complaints() -> None:
    complaints = Complaints(root=MerkleTree.of(receipts()).root.hex(), admitted=())
    files = make_board(change=lambda board: replace(board, complaints=complaints))
    assert only_refused(files, "board.complaints") == "only elections have complaints"


def test_a_final_board_follows_from_the_provisional_one_that_was_kept() -> None:
    def kept(*entries: bytes) -> Checkpoint:
        return Checkpoint(origin="kept", size=len(entries), root=MerkleTree.of(entries).root)

    before = kept(*receipts()[2:])
    line = find_provisional(election_board(final()).recount(), before)
    assert (line.outcome, line.figures) == (PASSED, {"provisional": "38"})
    assert find_provisional(election_board(None).recount(), kept(*receipts())).outcome == PASSED
    other = find_provisional(election_board(final()).recount(), kept(*receipts()[1:]))
    assert other.error is not None
    assert (other.outcome, other.error.code) == (REFUSED, "board.provisional")
    unsigned = replace(election_board(final()), board=make_board(key=AUDITOR_KEY).board).recount()
    assert find_provisional(unsigned, before).outcome == NOT_RUN
