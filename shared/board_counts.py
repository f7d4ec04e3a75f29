"""The comparisons of a recount, one function for each line of :mod:`shared.board_recount`.

Each returns what it counted, or None if there is nothing to compare yet, and raises a :class:`BoardError`
whose code is the line's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared import ed25519
from shared.acceptance import acceptance_message
from shared.board import Board, BoardGroup, BoardRelease, describe_discrepancy
from shared.checkpoint import Checkpoint
from shared.errors import BoardError
from shared.hash_list import format_hashes
from shared.invited import board_keys
from shared.merkle import MerkleTree
from shared.roll import Roll, count_used
from shared.specification import Specification

REMEDY: Final = "Keep the files: a signed board that is false is evidence. Tell the organizer and the others."


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What an outsider trusts beforehand: the verified specification and the key of the invitation."""

    specification: Specification
    digest: str
    organizer_key: bytes

    @property
    def board_keys(self) -> tuple[bytes, ...]:
        """See :func:`shared.invited.board_keys`."""
        return board_keys(self.organizer_key, self.specification.invited)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedTable:
    """What an outsider counted in the released files.

    Attributes
    ----------
    data_package : str
        SHA-256 of ``datapackage.json``.
    groups : tuple of BoardGroup
        From the rows of the tables; ``people`` as the table of groups says.
    """

    data_package: str
    groups: tuple[BoardGroup, ...]


def same_survey(board: Board, survey: Survey) -> Mapping[str, str]:
    _require(
        board.specification == survey.digest,
        "it is another survey's",
        survey.digest,
        code="board.specification",
    )
    invited = survey.specification.invited
    _require(
        invited is not None and board.invited == invited.people,
        f"{board.invited} invitations stand here",
        f"{invited.people} as in the specification" if invited is not None else "an invited survey",
        code="board.specification",
    )
    return {"invited": str(board.invited)}


def same_root(root: bytes, board: Board | None, checkpoint: Checkpoint | None) -> Mapping[str, str] | None:
    if checkpoint is not None:
        _require(
            checkpoint.root == root,
            "the receipts lead to another root",
            checkpoint.root.hex(),
            code="board.root",
        )
    if board is not None:
        _require(board.root == root.hex(), "the board names another root", root.hex(), code="board.root")
    return None if board is None or checkpoint is None else {"root": root.hex()}


def same_size(receipts: int, board: Board | None, checkpoint: Checkpoint | None) -> Mapping[str, str] | None:
    if checkpoint is not None:
        _require(
            checkpoint.size == receipts,
            f"the checkpoint counts {checkpoint.size}",
            f"{receipts} receipts",
            code="board.submissions",
        )
    if board is not None:
        _require(
            board.submissions == receipts,
            f"the board counts {board.submissions}",
            f"{receipts} receipts",
            code="board.submissions",
        )
    return None if board is None or checkpoint is None else {"submissions": str(receipts)}


def same_complaints(
    receipts: Sequence[bytes], board: Board, specification: Specification
) -> Mapping[str, str] | None:
    """The final board of an election is its provisional one, and ballots that the collector had accepted."""
    found, invited = board.complaints, specification.invited
    is_election = invited is not None and invited.election is not None
    _require(
        found is None or is_election,
        "only elections have complaints",
        "no complaints on the board of a survey",
        code="board.complaints",
    )
    if found is None or invited is None:
        return None
    admitted = [ballot.receipt for ballot in found.admitted]
    listed = set(receipts)
    _require(
        admitted == sorted(set(admitted)) and listed.issuperset(admitted),
        "an admitted ballot stands twice, or is not on the list",
        "each admitted ballot once, ascending",
        code="board.complaints",
    )
    before = sorted(listed.difference(admitted))
    _require(
        MerkleTree.of(before).root.hex() == found.root,
        "the final board is not the provisional one and what was admitted: a ballot was removed or added",
        f"a provisional board with the root {found.root}",
        code="board.complaints",
    )
    for ballot in found.admitted:
        message = acceptance_message(board.specification, ballot.receipt)
        _require(
            ed25519.verifies(invited.acceptance_key, ballot.acceptance, message),
            f"the ballot {ballot.receipt.hex()} was admitted without the collector's acceptance",
            "a signature of the collector for each admitted ballot",
            code="board.complaints",
        )
    return {"provisional": str(len(before)), "admitted": str(len(admitted))}


def follows(board: Board, provisional: Checkpoint) -> Mapping[str, str]:
    """The board follows from the provisional one that somebody saw, or is that one."""
    root = board.root if board.complaints is None else board.complaints.root
    _require(
        root == provisional.root.hex(),
        "this board does not follow from the provisional one that was seen",
        f"a provisional board with the root {provisional.root.hex()}",
        code="board.provisional",
    )
    return {"provisional": str(provisional.size)}


def same_roll(roll: Roll, specification: Specification) -> Mapping[str, str] | None:
    invited = specification.invited
    if invited is None:
        return None
    _require(
        roll.digest == invited.codes.digest and roll.roll_id == invited.codes.roll_id,
        "the roll is not the signed one: somebody was added or left out",
        f"a file with the SHA-256 {invited.codes.digest}",
        code="board.roll",
    )
    _require(
        len(roll.hashes) == invited.people,
        f"{len(roll.hashes)} codes are on the roll",
        f"{invited.people}, one for each invitation",
        code="board.roll",
    )
    _require(
        len(roll.boxes) == len(invited.token_keys),
        f"the roll has {len(roll.boxes)} lists of codes",
        f"{len(invited.token_keys)}, as many as there are keys for tokens",
        code="board.roll",
    )
    if invited.election is not None:
        _require_boxes(roll, specification)
    return {"codes": str(len(roll.hashes))}


def _require_boxes(roll: Roll, specification: Specification) -> None:
    """A box of an election with more codes than people could be filled from outside."""
    exact = not specification.counts_are_bounds
    for box, hashes in enumerate(roll.boxes):
        codes, people = len(hashes), specification.people_in(box)
        _require(
            codes == people if exact else codes >= people,
            f"box {box} has {codes} codes",
            f"{people}, one for each of its people" if exact else f"at least {people}",
            code="board.roll",
        )


def used_codes_on_roll(used: Sequence[bytes], roll: Roll, board: Board | None) -> Mapping[str, str] | None:
    count_used(used, roll)
    if board is None:
        return None
    digest = hashlib.sha256(format_hashes(used)).hexdigest()
    _require(
        board.used_codes == digest,
        "the list of used codes is not the signed one",
        f"a list with the SHA-256 {board.used_codes}",
        code="board.used-codes",
    )
    _require(
        board.tokens_issued == len(used),
        f"{board.tokens_issued} tokens were issued, and {len(used)} codes were used",
        "a used code for each token",
        code="board.used-codes",
    )
    return {"used_codes": str(len(used))}


def tokens_suffice(board: Board, specification: Specification) -> Mapping[str, str]:
    _require(
        board.tokens_issued <= board.invited,
        f"{board.tokens_issued} tokens were issued",
        f"at most {board.invited}, one for each invitation",
        code="board.tokens",
    )
    found = describe_discrepancy(submissions=board.submissions, tokens_issued=board.tokens_issued)
    if specification.invited is not None and specification.invited.election is not None:
        _require(
            found is None,
            f"{found}, and the board of an election is never signed with a discrepancy",
            "a token for each ballot",
            code="board.tokens",
        )
    _require(
        board.discrepancy in (None, found),
        "the board says another discrepancy than its counts have",
        str(found),
        code="board.tokens",
    )
    _require(
        found == board.discrepancy,
        f"{board.submissions} submissions were taken",
        f"at most {board.tokens_issued}, one for each token",
        code="board.tokens",
    )
    figures = {"tokens_issued": str(board.tokens_issued), "invited": str(board.invited)}
    return figures if found is None else {"discrepancy": found, **figures}


def groups_may_be_shown(release: BoardRelease, specification: Specification) -> Mapping[str, str]:
    minimum = specification.release.minimum
    cells = [cell for group in release.groups for cell in group.cells]
    count = specification.cells.count
    _require(
        all(group.cells == tuple(sorted(group.cells)) for group in release.groups)
        and len(set(cells)) == len(cells)
        and all(cell < count for cell in cells),
        "a cell stands twice, or does not exist",
        f"each of the {count} cells at most once, ascending in its group",
        code="board.groups",
    )
    merged = specification.release.rule == "merge"
    place = {cell: index for index, cell in enumerate(specification.row)}
    for group in release.groups:
        places = sorted(place[cell] for cell in group.cells)
        _require(
            places[-1] - places[0] == len(places) - 1 and (merged or len(places) == 1),
            f"group {group.cells[0]} is not what the signed rule makes",
            "neighbours in the signed row" if merged else "a single cell",
            code="board.groups",
        )
        people = sum(map(specification.people_in, group.cells))
        name = f"group {group.cells[0]}"
        _require(
            group.people == people, f"{name} has {group.people} people", f"{people}", code="board.groups"
        )
        _require(
            group.answers >= minimum,
            f"{name} has {group.answers} answers",
            f"{minimum} or more",
            code="board.groups",
        )
    not_in_a_group = count - len(cells)
    _require(
        not merged or not not_in_a_group,
        f"{not_in_a_group} cells are in no group",
        "every cell in a group: the signed rule merges",
        code="board.groups",
    )
    _require(
        merged or release.withheld == 0 or (release.withheld >= minimum and not_in_a_group > 1),
        f"the {release.withheld} withheld submissions follow by subtraction",
        f"none, or at least {minimum} from at least two cells",
        code="board.groups",
    )
    smallest = min((group.answers for group in release.groups), default=0)
    return {
        "groups": str(len(release.groups)),
        "smallest": str(smallest),
        "minimum": str(minimum),
        "cells_not_released": str(not_in_a_group),
    }


def adds_up(board: Board, specification: Specification) -> Mapping[str, str] | None:
    release = board.release
    if release is None:
        return None
    total = release.answers + release.withheld + release.invalid
    _require(
        total == board.submissions,
        f"{release.answers} released, {release.withheld} withheld and {release.invalid} invalid are {total}",
        f"{board.submissions} submissions",
        code="board.total",
    )
    _require(
        specification.release.rule == "withhold" or release.withheld == 0,
        f"{release.withheld} submissions are withheld",
        "none: the signed rule merges",
        code="board.total",
    )
    return {
        "released": str(release.answers),
        "withheld": str(release.withheld),
        "invalid": str(release.invalid),
        "submissions": str(board.submissions),
    }


def same_release(release: BoardRelease | None, released: ReleasedTable | None) -> Mapping[str, str] | None:
    if release is None or released is None:
        return None
    _require(
        release.data_package == released.data_package,
        "the released files are not those of the board",
        f"a datapackage.json with the SHA-256 {release.data_package}",
        code="board.release",
    )
    _require(
        release.groups == released.groups,
        "the released files have other groups than the board",
        "the same cells, people and rows",
        code="board.release",
    )
    return {"data_package": release.data_package, "rows": str(release.answers)}


def _require(condition: bool, message: str, expected: str, *, code: str) -> None:
    if not condition:
        raise BoardError(message, where="board", expected=expected, remedy=REMEDY, code=code)
