"""A trustee's ledger: what she has stated, so that she never states a second set of ballots for one survey.

A text file that each trustee keeps, one compact JSON object a line. The first line names the opening key;
each further line is one statement and carries the SHA-256 of everything before it, so that a changed line is
found::

    {"format":"roomful-ledger/2","opening_key":"<base64url>"}
    {"specification":"<64 hex>","root":"<64 hex>","groups":"<64 hex>","before":"<64 hex>"}
"""

from __future__ import annotations

import fcntl
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server.files import read_bounded, replace
from shared import base64url, strict_json
from shared.errors import OpeningError
from shared.fields import Fields
from shared.statements import Stated
from shared.words import digest_words

LEDGER_FORMAT: Final = "roomful-ledger/2"
MAX_LEDGER_BYTES: Final = 2**24


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All that was stated under one opening key.

    Attributes
    ----------
    path : Path
    data : bytes
        The file as it was read; a new line binds it.
    lines : tuple of Stated
    """

    path: Path
    data: bytes
    lines: tuple[Stated, ...]

    @classmethod
    def read(cls, path: Path, opening_key: bytes) -> Ledger:
        """Read the ledger that was made together with an opening key.

        Raises
        ------
        OpeningError
            With the code ``opening.ledger`` if it is missing, damaged or of another key.
        """
        data = read_bounded(path, MAX_LEDGER_BYTES, lambda message: _damaged(path, message))
        if not data.endswith(b"\n"):
            raise _damaged(path, "the last line is cut off")
        lines: list[Stated] = []
        start = 0
        for number, line in enumerate(data.splitlines(keepends=True), 1):
            value = strict_json.loads(
                line, error=_error, where=f"{path}, line {number}", max_bytes=MAX_LEDGER_BYTES
            )
            if number == 1:
                _require_key(path, value, opening_key)
            else:
                lines.append(_parse(path, number, value, data[:start]))
            start += len(line)
        return cls(path=path, data=data, lines=tuple(lines))

    @property
    def digest(self) -> str:
        """SHA-256 of the file, hexadecimal, to be compared with what was written down."""
        return hashlib.sha256(self.data).hexdigest()

    def require_only(self, stated: Stated) -> bool:
        """Refuse a second set of ballots, or of groups, of a survey.

        Returns
        -------
        bool
            True if exactly this was stated before: stating it again says nothing new.

        Raises
        ------
        OpeningError
            With the code ``opening.second-set``.

        Notes
        -----
        Guarantee: with one ledger, there is at most one set of ballots for a survey, for ever. That two sets
        have no ballot in common is no excuse: who may choose what is opened first, and fills it up with
        ballots of her own, isolates one person.
        """
        known = [line for line in self.lines if line.specification == stated.specification]
        for earlier in known:
            if earlier != stated:
                raise OpeningError(
                    "another set of ballots of this survey was stated before "
                    f"({digest_words(earlier.root)}, now {digest_words(stated.root)})",
                    where=str(self.path),
                    expected="one set of ballots for a survey, for ever",
                    remedy="State nothing, and tell the other trustees: somebody has made two boards, or the "
                    "ballots changed after closing.",
                    code="opening.second-set",
                )
        return bool(known)

    def require_one_survey(self, specification: str) -> None:
        """Refuse a second election under one key: it would be a second set of sums that nobody counted with.

        Raises
        ------
        OpeningError
            With the code ``opening.second-set``.
        """
        for earlier in self.lines:
            if earlier.specification != specification:
                raise OpeningError(
                    "another election was stated before with this key "
                    f"({digest_words(earlier.specification)}, now {digest_words(specification)})",
                    where=str(self.path),
                    expected="a key of its own for each election",
                    remedy="State nothing, and tell the other trustees.",
                    code="opening.second-set",
                )

    def append(self, stated: Stated) -> Ledger:
        """Write one more line, durably: it is on the disk when this returns, or the file is as before.

        Raises
        ------
        OpeningError
            With the code ``opening.ledger`` if it cannot be written, or was changed meanwhile.

        Notes
        -----
        Guarantee: of two statements that read the same ledger, this returns for one only.
        """
        value = {
            "specification": stated.specification,
            "root": stated.root,
            "groups": stated.groups,
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
        return Ledger(path=self.path, data=self.data + line, lines=(*self.lines, stated))


def new_ledger(opening_key: bytes) -> bytes:
    """The first line, made at the ceremony."""
    return strict_json.dumps({"format": LEDGER_FORMAT, "opening_key": base64url.encode(opening_key)}) + b"\n"


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


def _parse(path: Path, number: int, value: Any, before: bytes) -> Stated:
    members = ("specification", "root", "groups", "before")
    fields = Fields(value, f"{path}, line {number}", members, error=_error)
    if fields.digest("before") != hashlib.sha256(before).hexdigest():
        raise _damaged(path, f"line {number} or one before it was changed")
    return Stated(
        specification=fields.digest("specification"),
        root=fields.digest("root"),
        groups=fields.digest("groups"),
    )


def _error(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> OpeningError:
    return OpeningError(
        message, where=where, expected=expected, remedy=remedy or _REMEDY, code="opening.ledger"
    )


_REMEDY: Final = (
    "Use your own newest ledger. Never go on with an older one or a new one: without it, state nothing."
)


def _damaged(path: Path, message: str) -> OpeningError:
    return _error(message, where=str(path), expected="the ledger as the last statement left it")
