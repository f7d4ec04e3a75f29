"""The public board: what everybody may count again after an invited survey is closed.

Five files: the list of receipts, the signed checkpoint over it (:mod:`shared.checkpoint`), the roll and the
list of used codes (:mod:`shared.roll`), and the board itself, a DSSE envelope by the organizer's key with a
payload type of its own. The payload is compact JSON with members in this order::

    {"discrepancy":null,"format":"roomful-board/3","specification":"<64 hex>","invited":<int>,
     "used_codes":"<64 hex>","tokens_issued":<int>,"submissions":<int>,"root":"<64 hex>","complaints":null,
     "release":null}                                                              (without the line breaks)

More submissions than tokens are a discrepancy. The organizer can sign it on purpose; then the first member
says so, as ``"27 submissions, 25 tokens"``.

After the release it is signed once more, with ``release`` filled in::

    {"data_package":"<64 hex>","groups":[{"cells":[<int>,...],"people":<int>,"answers":<int>},...],
     "withheld":<int>,"invalid":<int>}

There is no count of a cell: a group is what the release gate let through.

The board of an election is provisional until its ``complaints`` are filled in, with the root that it had
and the ballots that were admitted since, because the collector had signed that it took them. Then it is
final::

    {"root":"<64 hex>","admitted":[{"receipt":"<64 hex>","acceptance":"<128 hex>"},...]}
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from shared import strict_json
from shared.ed25519 import SIGNATURE_BYTES
from shared.envelope import Envelope
from shared.errors import BoardError, EnvelopeError
from shared.fields import Fields
from shared.hash_list import parse_hashes
from shared.limits import MAX_ALL_CELLS, MAX_BOARD_BYTES, MAX_PEOPLE, MAX_RECEIPTS

FORMAT: Final = "roomful-board/3"
PAYLOAD_TYPE: Final = "application/vnd.roomful.board.v1+json"
_KEYS: Final = (
    "discrepancy",
    "format",
    "specification",
    "invited",
    "used_codes",
    "tokens_issued",
    "submissions",
    "root",
    "complaints",
    "release",
)
_COMPLAINTS_KEYS: Final = ("root", "admitted")
_ADMITTED_KEYS: Final = ("receipt", "acceptance")
_ACCEPTANCE: Final = re.compile(r"[0-9a-f]{128}")
_RELEASE_KEYS: Final = ("data_package", "groups", "withheld", "invalid")


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
class Admitted:
    """A ballot that was missing from a provisional board, and came in by a complaint.

    Attributes
    ----------
    receipt : bytes
        SHA-256 of the ballot.
    acceptance : bytes
        The collector's signature that it had taken it (:mod:`shared.acceptance`).
    """

    receipt: bytes
    acceptance: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaints:
    """What became of a provisional board.

    Attributes
    ----------
    root : str
        The root that it had, hexadecimal.
    admitted : tuple of Admitted
        Ascending by receipt.
    """

    root: str
    admitted: tuple[Admitted, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The counts that the organizer signs.

    Attributes
    ----------
    specification : str
        Digest of the signed specification.
    invited : int
        People who were invited.
    used_codes : str
        SHA-256 of the list of used codes, hexadecimal.
    tokens_issued : int
        Codes that were exchanged for a token; as many as there are used codes.
    submissions : int
        Ballots that the collector took; as many as there are receipts.
    root : str
        Root of the tree over the receipts, hexadecimal; the same as in the checkpoint.
    release : BoardRelease or None
        None until the release.
    complaints : Complaints or None
        Of an election; None while its board is provisional.
    discrepancy : str or None
        :func:`describe_discrepancy` of the counts, if the organizer signed that they contradict each other.
    """

    specification: str
    invited: int
    used_codes: str
    tokens_issued: int
    submissions: int
    root: str
    release: BoardRelease | None
    complaints: Complaints | None = None
    discrepancy: str | None = None

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
            used_codes=fields.digest("used_codes"),
            tokens_issued=fields.integer("tokens_issued", 0, MAX_PEOPLE),
            submissions=fields.integer("submissions", 0, MAX_RECEIPTS),
            root=fields.digest("root"),
            complaints=None if fields.raw("complaints") is None else _parse_complaints(fields),
            release=None if fields.raw("release") is None else _parse_release(fields),
            discrepancy=None if fields.raw("discrepancy") is None else fields.text("discrepancy", maximum=80),
        )
        if board.to_bytes() != payload:
            raise _malformed("not in canonical form", where="board", expected="the bytes as they were signed")
        return board

    def to_bytes(self) -> bytes:
        """The payload to sign."""
        return strict_json.dumps(
            {
                "discrepancy": self.discrepancy,
                "format": FORMAT,
                "specification": self.specification,
                "invited": self.invited,
                "used_codes": self.used_codes,
                "tokens_issued": self.tokens_issued,
                "submissions": self.submissions,
                "root": self.root,
                "complaints": None if self.complaints is None else _complaints_object(self.complaints),
                "release": None if self.release is None else _release_object(self.release),
            }
        )

    def unsigned(self) -> Envelope:
        """The envelope before the organizer signs it."""
        return Envelope(payload=self.to_bytes(), signatures=(), payload_type=PAYLOAD_TYPE)

    def finished(self, release: BoardRelease) -> Board:
        """The board after the release."""
        return replace(self, release=release)


def describe_discrepancy(*, submissions: int, tokens_issued: int) -> str | None:
    """What a board says first if more submissions were taken than tokens issued; None if not."""
    return f"{submissions} submissions, {tokens_issued} tokens" if submissions > tokens_issued else None


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


def parse_receipts(data: bytes) -> tuple[bytes, ...]:
    """Read the list of receipts.

    Raises
    ------
    BoardError
        With the code ``board.receipts``; see :func:`shared.hash_list.parse_hashes`.
    """
    return parse_hashes(data, of="receipts", code="board.receipts")


def _parse_release(fields: Fields) -> BoardRelease:
    inner = Fields(fields.raw("release"), fields.where("release"), _RELEASE_KEYS, error=_malformed)
    groups = []
    for i, item in enumerate(inner.items("groups", MAX_ALL_CELLS)):
        where = f"{inner.where('groups')}[{i}]"
        group = Fields(item, where, ("cells", "people", "answers"), error=_malformed)
        group.items("cells", MAX_ALL_CELLS, minimum=1)
        groups.append(
            BoardGroup(
                cells=group.integers("cells", 0, MAX_ALL_CELLS),
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


def _parse_complaints(fields: Fields) -> Complaints:
    inner = Fields(fields.raw("complaints"), fields.where("complaints"), _COMPLAINTS_KEYS, error=_malformed)
    admitted = []
    for i, item in enumerate(inner.items("admitted", MAX_RECEIPTS)):
        one = Fields(item, f"{inner.where('admitted')}[{i}]", _ADMITTED_KEYS, error=_malformed)
        text = one.text("acceptance", maximum=2 * SIGNATURE_BYTES)
        if _ACCEPTANCE.fullmatch(text) is None:
            raise one.fail("acceptance", "not a signature", f"{2 * SIGNATURE_BYTES} hexadecimal digits")
        receipt = bytes.fromhex(one.digest("receipt"))
        admitted.append(Admitted(receipt=receipt, acceptance=bytes.fromhex(text)))
    return Complaints(root=inner.digest("root"), admitted=tuple(admitted))


def _complaints_object(complaints: Complaints) -> dict[str, Any]:
    return {
        "root": complaints.root,
        "admitted": [
            {"receipt": ballot.receipt.hex(), "acceptance": ballot.acceptance.hex()}
            for ballot in complaints.admitted
        ],
    }


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
