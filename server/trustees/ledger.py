"""The trustees' ledger: what was opened before, so that no second opening can be subtracted from the first.

A text file that the trustees keep, one compact JSON object a line. The first line names the opening key; each
further line is one opening and carries the SHA-256 of everything before it, so that a changed line is found::

    {"format":"roomful-ledger/1","opening_key":"<base64url>"}
    {"specification":"<64 hex>","root":"<64 hex>","marks":"<base64url>","before":"<64 hex>"}

A mark is 16 bytes per ballot: the head of SHA-256(``roomful-mark/1`` || token prefix). Two sets of ballots
overlap if they share a mark, which is a token, whoever sealed what with it.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server.storage.files import replace
from shared import base64url, strict_json
from shared.errors import OpeningError
from shared.fields import Fields

LEDGER_FORMAT: Final = "roomful-ledger/1"
MARK_BYTES: Final = 16
MAX_LEDGER_BYTES: Final = 2**30
_MARK = b"roomful-mark/1"


def mark_of(token_prefix: bytes) -> bytes:
    """What the ledger keeps of a token."""
    return hashlib.sha256(_MARK + token_prefix).digest()[:MARK_BYTES]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """One opening.

    Attributes
    ----------
    specification : str
        Digest of the survey.
    root : str
        Root of the tree over the receipts of the ballots, hexadecimal: which set it was.
    marks : frozenset of bytes
        One per ballot.
    """

    specification: str
    root: str
    marks: frozenset[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All openings with one opening key.

    Attributes
    ----------
    path : Path
    data : bytes
        The file as it was read; a new line binds it.
    openings : tuple of Opening
    """

    path: Path
    data: bytes
    openings: tuple[Opening, ...]

    @classmethod
    def read(cls, path: Path, opening_key: bytes) -> Ledger:
        """Read the ledger that was made together with an opening key.

        Raises
        ------
        OpeningError
            With the code ``opening.ledger`` if it is missing, damaged or of another key.
        """
        try:
            data = path.read_bytes()
        except OSError as problem:
            raise _damaged(path, f"cannot be read ({problem.strerror})") from None
        if not data.endswith(b"\n"):
            raise _damaged(path, "the last line is cut off")
        openings: list[Opening] = []
        start = 0
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            value = strict_json.loads(
                line, error=_error, where=f"{path}, line {number}", max_bytes=MAX_LEDGER_BYTES
            )
            if number == 1:
                _require_key(path, value, opening_key)
            else:
                openings.append(_parse(path, number, value, data[:start]))
            start += len(line)
        return cls(path=path, data=data, openings=tuple(openings))

    @property
    def digest(self) -> str:
        """SHA-256 of the file, hexadecimal, to be compared between copies."""
        return hashlib.sha256(self.data).hexdigest()

    def require_no_overlap(self, opening: Opening) -> bool:
        """Refuse what could be subtracted from an earlier opening.

        Returns
        -------
        bool
            True if exactly this set was opened before: opening it again tells nothing new.

        Raises
        ------
        OpeningError
            With the code ``opening.overlap`` if some but not exactly the same ballots were opened before.

        Notes
        -----
        Guarantee: for two sets of ballots of one survey that were both opened with this ledger, either they
        are the same set, or they have no token in common. So no group is the difference of two opened ones.
        """
        known = False
        for earlier in self.openings:
            if earlier.specification != opening.specification:
                continue
            if (earlier.root, earlier.marks) == (opening.root, opening.marks):
                known = True
                continue
            common = len(earlier.marks & opening.marks)
            if common:
                raise OpeningError(
                    f"{common} of these ballots were opened before, in a set of {len(earlier.marks)}; "
                    f"this set has {len(opening.marks)}",
                    where=str(self.path),
                    expected="exactly the ballots that were opened before, or none of them",
                    remedy="Whoever has both tables could subtract one from the other. Ask the organizer "
                    "why the ballots changed after closing.",
                    code="opening.overlap",
                )
        return known

    def append(self, opening: Opening) -> Ledger:
        """Write one more line, durably: it is on the disk when this returns, or the file is as before.

        Raises
        ------
        OpeningError
            With the code ``opening.ledger`` if it cannot be written, or was changed meanwhile.

        Notes
        -----
        Guarantee: of two openings that read the same ledger, this returns for one only.
        """
        value = {
            "specification": opening.specification,
            "root": opening.root,
            "marks": base64url.encode(b"".join(sorted(opening.marks))),
            "before": self.digest,
        }
        line = strict_json.dumps(value) + b"\n"
        try:
            with self.path.open("r+b") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)  # whoever waits here finds another file afterwards
                if self.path.read_bytes() != self.data:
                    raise _damaged(self.path, "somebody changed it while it was in use")
                replace(self.path.resolve(), self.data + line)
        except OSError as problem:
            raise _damaged(self.path, f"cannot be written ({problem.strerror})") from None
        return Ledger(path=self.path, data=self.data + line, openings=(*self.openings, opening))


def new_ledger(opening_key: bytes) -> bytes:
    """The first line, made at the ceremony."""
    return strict_json.dumps({"format": LEDGER_FORMAT, "opening_key": base64url.encode(opening_key)}) + b"\n"


def opening_of(specification: str, root: bytes, token_prefixes: Iterable[bytes]) -> Opening:
    """The entry for a set of ballots."""
    return Opening(
        specification=specification, root=root.hex(), marks=frozenset(map(mark_of, token_prefixes))
    )


def _require_key(path: Path, value: Any, opening_key: bytes) -> None:
    fields = Fields(value, f"{path}, line 1", ("format", "opening_key"), error=_error)
    fields.choice("format", (LEDGER_FORMAT,))
    if fields.text("opening_key") != base64url.encode(opening_key):
        raise OpeningError(
            "this ledger belongs to another opening key",
            where=str(path),
            expected="the ledger that was made with the shares",
            code="opening.ledger",
        )


def _parse(path: Path, number: int, value: Any, before: bytes) -> Opening:
    where = f"{path}, line {number}"
    fields = Fields(value, where, ("specification", "root", "marks", "before"), error=_error)
    packed = base64url.decode(fields.text("marks", maximum=MAX_LEDGER_BYTES, empty=True))
    if (
        packed is None
        or len(packed) % MARK_BYTES
        or fields.digest("before") != hashlib.sha256(before).hexdigest()
    ):
        raise _damaged(path, f"line {number} or one before it was changed")
    return Opening(
        specification=fields.digest("specification"),
        root=fields.digest("root"),
        marks=frozenset(packed[i : i + MARK_BYTES] for i in range(0, len(packed), MARK_BYTES)),
    )


def _error(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> OpeningError:
    return OpeningError(
        message, where=where, expected=expected, remedy=remedy or _REMEDY, code="opening.ledger"
    )


_REMEDY = "Use another trustee's copy of the newest ledger. Never go on with an older one or a new one."


def _damaged(path: Path, message: str) -> OpeningError:
    return _error(message, where=str(path), expected="the ledger as the last opening left it")
