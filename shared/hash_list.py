"""Lists of hashes that everybody may count again: a line of 64 hexadecimal digits for each, ascending.

Receipts, the roll and the used codes of a public board are such lists. Their order is that of the hashes, so
it tells nothing of how they came to be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shared.errors import BoardError
from shared.limits import MAX_RECEIPTS

HASH_BYTES: Final = 32
LINE_BYTES: Final = 2 * HASH_BYTES + 1
_HEX: Final = b"0123456789abcdef"


def format_hashes(hashes: Iterable[bytes]) -> bytes:
    """The file of a list."""
    return b"".join(entry.hex().encode("ascii") + b"\n" for entry in hashes)


def parse_hashes(data: bytes, *, of: str, code: str) -> tuple[bytes, ...]:
    """Read a list.

    Guarantee: for all bytes, either a :class:`BoardError` or distinct hashes of 32 bytes in ascending order,
    from which the same bytes are made again.

    Parameters
    ----------
    data : bytes
        The file.
    of : str
        What the list is of, for messages, such as ``receipts``.
    code : str
        Of the error.

    Raises
    ------
    BoardError
        With `code`; it says in which line.
    """

    def wrong(message: str, line: str, expected: str) -> BoardError:
        return BoardError(message, where=f"{of}{line}", expected=expected, code=code)

    if len(data) > LINE_BYTES * MAX_RECEIPTS:
        raise wrong(f"{len(data)} bytes are too many", "", f"at most {MAX_RECEIPTS} {of}")
    line_ends = b"\n" * (len(data) // LINE_BYTES)
    digits = data.translate(None, delete=b"\n")
    if (
        len(data) % LINE_BYTES
        or data[HASH_BYTES * 2 :: LINE_BYTES] != line_ends
        or len(digits) + len(line_ends) != len(data)
        or digits.translate(None, delete=_HEX)
    ):
        raise wrong(f"not a list of {of}", "", "64 lower-case hexadecimal digits in each line")
    packed = bytes.fromhex(digits.decode("ascii"))
    hashes = tuple(packed[at : at + HASH_BYTES] for at in range(0, len(packed), HASH_BYTES))
    for i in range(1, len(hashes)):
        if hashes[i - 1] == hashes[i]:
            raise wrong("an entry stands twice", f", line {i + 1}", f"distinct {of}")
        if hashes[i - 1] > hashes[i]:
            raise wrong("the entries are not sorted", f", line {i + 1}", f"ascending {of}")
    return hashes
