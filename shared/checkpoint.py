"""The checkpoint: size and root of a Merkle tree as a signed note.

Layout (UTF-8, every line ends with U+000A)::

    roomful-board/<digest of the specification, 64 hex>
    <number of entries, decimal>
    <root, standard base64>
    <empty line>
    — <name of the key> <standard base64 of: key id (4 bytes) || Ed25519 signature (64)>

What is signed are the first three lines with their line ends. The key's name is the first line again, so that
a checkpoint of one survey cannot pass for another's. Further signature lines, such as those of witnesses, are
kept and ignored. Extension lines are refused: nobody could audit them.

The signature primitive is the caller's, as in :mod:`shared.envelope`.

References
----------
C2SP, signed-note v1.0.0 and tlog-checkpoint v1.0.0. RFC 8032 (Ed25519). RFC 4648, section 4.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.ed25519 import is_canonical
from shared.envelope import SignatureClaim
from shared.errors import BoardError
from shared.limits import MAX_CHECKPOINT_BYTES, MAX_SIGNATURES
from shared.merkle import HASH_BYTES

ORIGIN_PREFIX: Final = "roomful-board/"
_ED25519: Final = b"\x01"
_KEY_ID_BYTES: Final = 4
_DASH: Final = "\u2014 "
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_NAME: Final = re.compile(r"[^\s+]+")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


def board_origin(specification_digest: str) -> str:
    """First line of a survey's checkpoint, and the name of the organizer's key in it."""
    return ORIGIN_PREFIX + specification_digest


def key_id(name: str, public_key: bytes) -> bytes:
    """Four bytes that tell keys of one name apart (signed-note, "Ed25519 signatures")."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + _ED25519 + public_key).digest()[:_KEY_ID_BYTES]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What is signed: whose tree, how many entries, which root."""

    origin: str
    size: int
    root: bytes

    def to_text(self) -> bytes:
        """The bytes to sign."""
        root = base64.b64encode(self.root).decode("ascii")
        return f"{self.origin}\n{self.size}\n{root}\n".encode()

    def signed(self, public_key: bytes, signature: bytes) -> SignedCheckpoint:
        """The note with a signature over :meth:`to_text`."""
        line = (self.origin, key_id(self.origin, public_key) + signature)
        return SignedCheckpoint(checkpoint=self, signatures=(line,))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedCheckpoint:
    """A checkpoint whose signatures nobody has verified yet.

    Attributes
    ----------
    checkpoint : Checkpoint
        Unverified; :meth:`verified` returns it.
    signatures : tuple of (str, bytes)
        Name of the key, and key id || signature, in the order of the note.
    """

    checkpoint: Checkpoint
    signatures: tuple[tuple[str, bytes], ...]

    @classmethod
    def parse(cls, data: bytes) -> SignedCheckpoint:
        """Read a note.

        Guarantee: for all bytes, either a :class:`BoardError` or a note whose ``to_bytes`` returns those
        bytes.
        """
        if len(data) > MAX_CHECKPOINT_BYTES:
            raise _malformed(f"{len(data)} bytes are too many", f"at most {MAX_CHECKPOINT_BYTES} bytes")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise _malformed("not UTF-8", "UTF-8 text") from None
        lines = text.split("\n")
        # origin, size, root, the empty line, at least one signature, and nothing after the last line end
        if _CONTROL.search(text) or len(lines) < 6 or lines[3] or lines[-1] or "" in (lines[0], *lines[4:-1]):
            raise _malformed("not a checkpoint", "three lines, an empty one, and lines of signatures")
        origin, size, root = lines[0], lines[1], _base64(lines[2])
        if _SIZE.fullmatch(size) is None:
            raise _malformed("the size is not a number", "a decimal number without leading zeros")
        if root is None or len(root) != HASH_BYTES:
            raise _malformed("the root is not a hash", f"{HASH_BYTES} bytes in base64")
        if len(lines) - 5 > MAX_SIGNATURES:
            raise _malformed(f"{len(lines) - 5} signatures are too many", f"at most {MAX_SIGNATURES}")
        return cls(
            checkpoint=Checkpoint(origin=origin, size=int(size), root=root),
            signatures=tuple(map(_signature, lines[4:-1])),
        )

    def to_bytes(self) -> bytes:
        """The note."""
        lines = (
            f"{_DASH}{name} {base64.b64encode(value).decode('ascii')}\n" for name, value in self.signatures
        )
        return self.checkpoint.to_text() + b"\n" + "".join(lines).encode()

    def claims(self, public_keys: Sequence[bytes]) -> tuple[SignatureClaim, ...]:
        """The signatures that say they are by these keys, to be verified by the platform's primitive."""
        return tuple(
            SignatureClaim(public_key=key, signature=value[_KEY_ID_BYTES:], message=self.checkpoint.to_text())
            for key, value in self._known(public_keys)
        )

    def verified(self, outcomes: Sequence[bool], public_keys: Sequence[bytes], origin: str) -> Checkpoint:
        """The checkpoint, once it is known to be by one of these keys and about this survey.

        Parameters
        ----------
        outcomes : sequence of bool
            Result of the platform's primitive for each of :meth:`claims`.
        public_keys : sequence of bytes
            The organizer's, from the invitation, and the spare ones of the specification.
        origin : str
            :func:`board_origin` of the survey.

        Raises
        ------
        BoardError
            With the code ``board.checkpoint`` if it is another survey's, or by another key, or altered.
        """
        if self.checkpoint.origin != origin:
            raise _refused("the checkpoint is of another survey", origin)
        known = self._known(public_keys)
        if not known:
            raise _refused("the organizer did not sign the checkpoint", "a signature by the organizer's key")
        genuine = len(outcomes) == len(known) and all(outcome is True for outcome in outcomes)
        if not genuine or not all(is_canonical(value[_KEY_ID_BYTES:]) for _, value in known):
            raise _refused(
                "the signature of the checkpoint does not verify", "the checkpoint as it was signed"
            )
        return self.checkpoint

    def _known(self, public_keys: Sequence[bytes]) -> tuple[tuple[bytes, bytes], ...]:
        name = self.checkpoint.origin
        return tuple(
            (key, value)
            for key in public_keys
            for other, value in self.signatures
            if other == name and value[:_KEY_ID_BYTES] == key_id(name, key)
        )


def _signature(line: str) -> tuple[str, bytes]:
    name, _, text = line.removeprefix(_DASH).partition(" ")
    value = _base64(text)
    if not line.startswith(_DASH) or _NAME.fullmatch(name) is None or value is None:
        raise _malformed("a line is not a signature", f"{_DASH}NAME BASE64")
    if len(value) <= _KEY_ID_BYTES:
        raise _malformed("a signature is empty", "a key id and a signature")
    return name, value


def _base64(text: str) -> bytes | None:
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def _malformed(message: str, expected: str) -> BoardError:
    return BoardError(message, where="checkpoint", expected=expected, code="board.checkpoint")


def _refused(message: str, expected: str) -> BoardError:
    return BoardError(
        message,
        where="checkpoint",
        expected=expected,
        remedy="Keep it: a false checkpoint with a signature is evidence. Tell the organizer and the others.",
        code="board.checkpoint",
    )
