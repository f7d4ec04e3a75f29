"""The roll: who is invited, as hashes of codes, and which of the codes were used.

A code is three things in turn, each made from the one before and none from the one after:

- the *code* is on a letter and with whoever made it;
- its *proof*, SHA-256 of the roll's id and the code, is what a device shows to the registrar instead;
- its *roll hash*, SHA-256 of the proof, is on the roll, whose digest the organizer signs.

So a registrar who holds the roll cannot make up a proof: each proof that it can show for a token that it
issued came from a device with a code. After closing the proofs of all used codes stand on the public board.

``roll.txt`` is a line ``roomful-roll/1 <roll id, 64 hex>`` and a list of hashes (:mod:`shared.hash_list`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Self

from shared.errors import BoardError
from shared.hash_list import HASH_BYTES, LINE_BYTES, format_hashes, parse_hashes
from shared.invitation_code import InvitationCode
from shared.limits import MAX_RECEIPTS

FORMAT: Final = "roomful-roll/1"
ROLL_ID_BYTES: Final = HASH_BYTES
MAX_ROLL_BYTES: Final = len(FORMAT) + 1 + LINE_BYTES * (MAX_RECEIPTS + 1)
_HEAD: Final = re.compile(rb"roomful-roll/1 ([0-9a-f]{64})\n")


def roll_hash(proof: bytes) -> bytes:
    """What stands on the roll for the code of a proof: SHA-256 of the proof."""
    return hashlib.sha256(proof).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """The hashes of all codes of one survey.

    Attributes
    ----------
    roll_id : bytes
        32 random bytes. They keep the hashes of two surveys apart even for equal codes, and they take the
        place of the specification's digest, which holds the digest of the roll and so cannot be in it.
    hashes : tuple of bytes
        Ascending.
    """

    roll_id: bytes
    hashes: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def of(cls, roll_id: bytes, codes: Iterable[InvitationCode]) -> Self:
        """The roll of some codes."""
        hashes = sorted({roll_hash(code.proof(roll_id)) for code in codes})
        return cls(roll_id=roll_id, hashes=tuple(hashes))

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read ``roll.txt``.

        Guarantee: for all bytes, either a :class:`BoardError` or a roll whose ``to_bytes`` returns those
        bytes.

        Raises
        ------
        BoardError
            With the code ``board.roll``.
        """
        head = _HEAD.match(data)
        if head is None:
            raise BoardError(
                "not a roll",
                where="roll, line 1",
                expected=f"{FORMAT} and 64 lower-case hexadecimal digits",
                code="board.roll",
            )
        hashes = parse_hashes(data[head.end() :], of="hashes of codes", code="board.roll")
        return cls(roll_id=bytes.fromhex(head[1].decode("ascii")), hashes=hashes)

    def to_bytes(self) -> bytes:
        """The file."""
        return f"{FORMAT} {self.roll_id.hex()}\n".encode("ascii") + format_hashes(self.hashes)

    @property
    def digest(self) -> str:
        """SHA-256 of the file, hexadecimal: what the organizer signs."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


def parse_used_codes(data: bytes) -> tuple[bytes, ...]:
    """Read ``used-codes.txt``: the proofs of all codes that fetched a token, ascending.

    Raises
    ------
    BoardError
        With the code ``board.used-codes``; see :func:`shared.hash_list.parse_hashes`.
    """
    return parse_hashes(data, of="used codes", code="board.used-codes")


def require_on_roll(proofs: Iterable[bytes], roll: Roll) -> None:
    """Refuse a proof that is of no code of the roll.

    Guarantee: if it returns, each proof is of a different code of the roll, or SHA-256 has a collision.

    Raises
    ------
    BoardError
        With the code ``board.used-codes``; it says in which line of the list.
    """
    known = frozenset(roll.hashes)
    for number, proof in enumerate(proofs, 1):
        if roll_hash(proof) not in known:
            raise BoardError(
                "a used code is not on the signed roll",
                where=f"used codes, line {number}",
                expected="the proof of a code whose hash is on the roll",
                remedy="Keep the files. Ask the registrar how a token could be issued for it.",
                code="board.used-codes",
            )
