"""The public board: what everybody may count again after an invited survey is closed.

Three files: the list of receipts, the signed checkpoint over it (:mod:`shared.checkpoint`), and the board
itself, a DSSE envelope by the organizer's key with a payload type of its own. The payload is compact JSON
with members in this order::

    {"format":"roomful-board/1","specification":"<64 hex>","invited":<int>,"tokens_issued":<int>,
     "submissions":<int>,"root":"<64 hex>","release":null}                        (without the line break)

After the release it is signed once more, with ``release`` filled in::

    {"data_package":"<64 hex>","groups":[{"cells":[<int>,...],"people":<int>,"answers":<int>},...],
     "withheld":<int>,"invalid":<int>}

There is no count of a cell: a group is what the release gate let through.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from shared import strict_json
from shared.envelope import Envelope
from shared.errors import BoardError, EnvelopeError
from shared.fields import Fields
from shared.limits import MAX_BOARD_BYTES, MAX_CELLS, MAX_PEOPLE, MAX_RECEIPTS
from shared.merkle import HASH_BYTES

FORMAT = "roomful-board/1"
PAYLOAD_TYPE = "application/vnd.roomful.board.v1+json"
RECEIPT_LINE_BYTES = 2 * HASH_BYTES + 1
_KEYS = ("format", "specification", "invited", "tokens_issued", "submissions", "root", "release")
_RELEASE_KEYS = ("data_package", "groups", "withheld", "invalid")
_HEX = b"0123456789abcdef"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardGroup:
    """A group of the released table.

    Attributes
    ----------
    cells : tuple of int
        Its cells, ascending.
    people : int
        Eligible people of these cells.
    answers : int
        Rows of the group in the released table.
    """

    cells: tuple[int, ...]
    people: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRelease:
    """What became of the submissions.

    Attributes
    ----------
    data_package : str
        SHA-256 of ``datapackage.json``, which holds the digests of the tables.
    groups : tuple of BoardGroup
        By their first cell.
    withheld : int
        Submissions of cells that are not released.
    invalid : int
        Submissions that did not fit the questionnaire when they were opened.
    """

    data_package: str
    groups: tuple[BoardGroup, ...]
    withheld: int
    invalid: int

    @property
    def answers(self) -> int:
        """Rows of the released table."""
        return sum(group.answers for group in self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The counts that the organizer signs.

    Attributes
    ----------
    specification : str
        Digest of the signed specification.
    invited : int
        People who were invited.
    tokens_issued : int
        Codes that were exchanged for a token.
    submissions : int
        Ballots that the collector took; as many as there are receipts.
    root : str
        Root of the tree over the receipts, hexadecimal; the same as in the checkpoint.
    release : BoardRelease or None
        None until the release.
    """

    specification: str
    invited: int
    tokens_issued: int
    submissions: int
    root: str
    release: BoardRelease | None

    @classmethod
    def parse(cls, payload: bytes) -> Board:
        """Read a payload whose signature was verified.

        Guarantee: for all bytes, either a :class:`BoardError` or a board whose ``to_bytes`` returns those
        bytes.

        Raises
        ------
        BoardError
            With the code ``board.form``.
        """
        value = strict_json.loads(payload, error=_malformed, where="board", max_bytes=MAX_BOARD_BYTES)
        fields = Fields(value, "board", _KEYS, error=_malformed)
        fields.choice("format", (FORMAT,))
        board = cls(
            specification=fields.digest("specification"),
            invited=fields.integer("invited", 1, MAX_PEOPLE),
            tokens_issued=fields.integer("tokens_issued", 0, MAX_PEOPLE),
            submissions=fields.integer("submissions", 0, MAX_RECEIPTS),
            root=fields.digest("root"),
            release=None if fields.raw("release") is None else _parse_release(fields),
        )
        if board.to_bytes() != payload:
            raise _malformed("not in canonical form", where="board", expected="the bytes as they were signed")
        return board

    def to_bytes(self) -> bytes:
        """The payload to sign."""
        return strict_json.dumps(
            {
                "format": FORMAT,
                "specification": self.specification,
                "invited": self.invited,
                "tokens_issued": self.tokens_issued,
                "submissions": self.submissions,
                "root": self.root,
                "release": None if self.release is None else _release_object(self.release),
            }
        )

    def unsigned(self) -> Envelope:
        """The envelope before the organizer signs it."""
        return Envelope(payload=self.to_bytes(), signatures=(), payload_type=PAYLOAD_TYPE)

    def finished(self, release: BoardRelease) -> Board:
        """The board after the release."""
        return replace(self, release=release)


def parse_envelope(data: bytes) -> Envelope:
    """The envelope of a board.

    Raises
    ------
    BoardError
        With the code ``board.form`` if it is not a canonical envelope of a board.
    """
    try:
        return Envelope.parse(data, PAYLOAD_TYPE)
    except EnvelopeError as problem:
        raise _malformed(problem.message, where=problem.where, expected=problem.expected) from None


def format_receipts(receipts: Iterable[bytes]) -> bytes:
    """The list of receipts as a file: a line of 64 hexadecimal digits each.

    Raises
    ------
    BoardError
        As :func:`parse_receipts`.
    """
    data = b"".join(receipt.hex().encode("ascii") + b"\n" for receipt in receipts)
    parse_receipts(data)
    return data


def parse_receipts(data: bytes) -> tuple[bytes, ...]:
    """Read the list of receipts.

    Guarantee: for all bytes, either a :class:`BoardError` or distinct receipts of 32 bytes in ascending
    order, from which the same bytes are made again.

    Raises
    ------
    BoardError
        With the code ``board.receipts``; it says in which line.
    """
    if len(data) > RECEIPT_LINE_BYTES * MAX_RECEIPTS:
        raise _wrong_list(f"{len(data)} bytes are too many", "", f"at most {MAX_RECEIPTS} receipts")
    line_ends = b"\n" * (len(data) // RECEIPT_LINE_BYTES)
    digits = data.translate(None, delete=b"\n")
    if (
        len(data) % RECEIPT_LINE_BYTES
        or data[HASH_BYTES * 2 :: RECEIPT_LINE_BYTES] != line_ends
        or len(digits) + len(line_ends) != len(data)
        or digits.translate(None, delete=_HEX)
    ):
        raise _wrong_list("not a list of receipts", "", "64 lower-case hexadecimal digits in each line")
    packed = bytes.fromhex(digits.decode("ascii"))
    receipts = tuple(packed[at : at + HASH_BYTES] for at in range(0, len(packed), HASH_BYTES))
    for i in range(1, len(receipts)):
        if receipts[i - 1] == receipts[i]:
            raise _wrong_list("a receipt stands twice", f", line {i + 1}", "distinct receipts")
        if receipts[i - 1] > receipts[i]:
            raise _wrong_list("the receipts are not sorted", f", line {i + 1}", "ascending receipts")
    return receipts


def _parse_release(fields: Fields) -> BoardRelease:
    inner = Fields(fields.raw("release"), fields.where("release"), _RELEASE_KEYS, error=_malformed)
    groups = []
    for i, item in enumerate(inner.items("groups", MAX_CELLS)):
        where = f"{inner.where('groups')}[{i}]"
        group = Fields(item, where, ("cells", "people", "answers"), error=_malformed)
        group.items("cells", MAX_CELLS, minimum=1)
        groups.append(
            BoardGroup(
                cells=group.integers("cells", 0, MAX_CELLS),
                people=group.integer("people", 0, MAX_PEOPLE),
                answers=group.integer("answers", 0, MAX_RECEIPTS),
            )
        )
    return BoardRelease(
        data_package=inner.digest("data_package"),
        groups=tuple(groups),
        withheld=inner.integer("withheld", 0, MAX_RECEIPTS),
        invalid=inner.integer("invalid", 0, MAX_RECEIPTS),
    )


def _release_object(release: BoardRelease) -> dict[str, Any]:
    return {
        "data_package": release.data_package,
        "groups": [
            {"cells": list(group.cells), "people": group.people, "answers": group.answers}
            for group in release.groups
        ],
        "withheld": release.withheld,
        "invalid": release.invalid,
    }


def _malformed(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> BoardError:
    return BoardError(message, where=where, expected=expected, remedy=remedy, code="board.form")


def _wrong_list(message: str, line: str, expected: str) -> BoardError:
    return BoardError(message, where=f"receipts{line}", expected=expected, code="board.receipts")
