"""The roll: who is invited, as hashes of codes, and which of the codes were used.

A code is three things in turn, each made from the one before and none from the one after:

- the *code* is on a letter and with whoever made it;
- its *proof*, SHA-256 of the roll's id and the code, is what a device shows to the registrar instead;
- its *roll hash*, SHA-256 of the proof, is on the roll, whose digest the organizer signs.

So a registrar who holds the roll cannot make up a proof: each proof that it can show for a token that it
issued came from a device with a code. After closing the proofs of all used codes stand on the public board.

``roll.txt`` is a line ``roomful-roll/1 <roll id, 64 hex>`` and a list of hashes (:mod:`shared.hash_list`). In
an election there is a list for each box, in their order, with an empty line between two: so everybody counts
how many codes a box has, and a code fetches tokens of its box alone.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from shared import strict_json
from shared.errors import BoardError, OpeningError, RemoteError
from shared.fields import Fields
from shared.hash_list import HASH_BYTES, LINE_BYTES, format_hashes, parse_hashes
from shared.invitation_code import InvitationCode
from shared.limits import MAX_PEOPLE, MAX_RECEIPTS, MAX_TOKEN_KEYS

FORMAT: Final = "roomful-roll/1"
ROLL_ID_BYTES: Final = HASH_BYTES
MAX_ROLL_BYTES: Final = len(FORMAT) + 1 + LINE_BYTES * (MAX_RECEIPTS + 1) + MAX_TOKEN_KEYS
MAX_TOKENS_BYTES: Final = 16 * MAX_TOKEN_KEYS
_HEAD: Final = re.compile(rb"roomful-roll/1 ([0-9a-f]{64})\n")


def roll_hash(proof: bytes) -> bytes:
    """What stands on the roll for the code of a proof: SHA-256 of the proof."""
    return hashlib.sha256(proof).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll:
    """The hashes of all codes of one survey or election.

    Attributes
    ----------
    roll_id : bytes
        32 random bytes. They keep the hashes of two surveys apart even for equal codes, and they take the
        place of the specification's digest, which holds the digest of the roll and so cannot be in it.
    boxes : tuple of tuple of bytes
        The hashes of each box of an election, ascending; of a survey all in one. None of several is empty.
    """

    roll_id: bytes
    boxes: tuple[tuple[bytes, ...], ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.boxes or (len(self.boxes) > 1 and not all(self.boxes)):
            raise ValueError("a box without codes")

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """Those of all boxes."""
        return tuple(itertools.chain.from_iterable(self.boxes))

    @property
    def box_of(self) -> dict[bytes, int]:
        """The box of each hash."""
        return {value: box for box, hashes in enumerate(self.boxes) for value in hashes}

    @classmethod
    def of(cls, roll_id: bytes, *boxes: Iterable[InvitationCode]) -> Self:
        """The roll of some codes, of an election those of each box."""
        hashes = ({roll_hash(code.proof(roll_id)) for code in codes} for codes in boxes)
        return cls(roll_id=roll_id, boxes=tuple(tuple(sorted(box)) for box in hashes))

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
        *before, last = data[head.end() :].split(b"\n\n")
        lists = (*(part + b"\n" for part in before), last)
        boxes = tuple(parse_hashes(part, of="hashes of codes", code="board.roll") for part in lists)
        if len(boxes) > 1 and (not all(boxes) or len(set().union(*boxes)) < sum(map(len, boxes))):
            raise BoardError(
                "a box has no codes, or a code has two boxes",
                where="roll",
                expected="a list of hashes for each box, and none of them twice",
                code="board.roll",
            )
        return cls(roll_id=bytes.fromhex(head[1].decode("ascii")), boxes=boxes)

    def to_bytes(self) -> bytes:
        """The file."""
        return f"{FORMAT} {self.roll_id.hex()}\n".encode("ascii") + b"\n".join(map(format_hashes, self.boxes))

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


def count_used(proofs: Sequence[bytes], roll: Roll) -> tuple[int, ...]:
    """How many codes of each box were used; refuses a proof that is of no code of the roll.

    Guarantee: if it returns, each of the distinct proofs is of a different code, or SHA-256 has a collision.

    Raises
    ------
    BoardError
        With the code ``board.used-codes``; it says in which line of the list.
    """
    box_of = roll.box_of
    used = [0] * len(roll.boxes)
    for number, proof in enumerate(proofs, 1):
        box = box_of.get(roll_hash(proof))
        if box is None:
            raise BoardError(
                "a used code is not on the signed roll",
                where=f"used codes, line {number}",
                expected="the proof of a code whose hash is on the roll",
                remedy="Keep the files. Ask the registrar how a token could be issued for it.",
                code="board.used-codes",
            )
        used[box] += 1
    return tuple(used)


def parse_token_counts(data: bytes) -> tuple[int, ...]:
    """Read how many tokens each box of an election has, as its registrar says once no more are issued.

    Raises
    ------
    RemoteError
        If it is not ``{"tokens":[<int>,...]}``.
    """
    value = strict_json.loads(data, error=RemoteError, where="tokens", max_bytes=MAX_TOKENS_BYTES)
    fields = Fields(value, "tokens", ("tokens",), error=RemoteError)
    return fields.integers("tokens", 0, MAX_PEOPLE)


def require_token_counts(published: Sequence[int], used: Sequence[int]) -> None:
    """Compare what the registrar said before the vote with its list of used codes.

    Parameters
    ----------
    published : sequence of int
        Tokens of each box, as somebody saw them between the phases (:func:`parse_token_counts`).
    used : sequence of int
        Used codes of each box (:func:`count_used`).

    Raises
    ------
    OpeningError
        With the code ``opening.tokens``, and the first box as the place.

    Notes
    -----
    Guarantee: if it returns, no token was issued after the numbers were seen, and none without a code that
    stands on the board. Nobody signs the numbers: they prove something to who saw them herself.
    """
    boxes = itertools.zip_longest(published, used)
    for box, (tokens, codes) in enumerate(boxes):
        if tokens != codes:
            raise OpeningError(
                f"box {box} had {tokens} tokens before the vote, and {codes} of its codes were used",
                where=f"box {box}",
                expected="as many used codes of each box as tokens were published",
                remedy="Decrypt and believe nothing before the registrar has said why; tell everybody.",
                code="opening.tokens",
            )
