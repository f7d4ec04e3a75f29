"""The public key files that an invited survey's survey.toml names, one text form each.

========================  =====================================================================
file                      contents
========================  =====================================================================
``tokens.pub``            ``rsa-3072:`` and the modulus in base64url, one line; of an election one a box
``collector.pub``         ``hpke:``, the suite, ``:`` and the public key in base64url; below it ``ed25519:``
                          and the key that verifies acceptances
``opening-key.json``      the trustees' keys, threshold and shares as JSON, made in the ceremony; of an
                          election it is ``election-key.json``
========================  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server.files import read_bounded
from shared import base64url
from shared.election.group import ELEMENT_BYTES
from shared.election.trustees import Trustees
from shared.envelope import decode_key, encode_key
from shared.errors import EnvelopeError, KeyFileError
from shared.fields import Fields
from shared.invited import is_token_modulus, parse_statement_keys
from shared.limits import MAX_TOKEN_KEYS, MAX_TRUSTEES, TOKEN_KEY_BYTES
from shared.sealing import SUITES, Suite
from shared.strict_json import dumps, loads

_TOKEN_PREFIX: Final = "rsa-3072:"  # noqa: S105 - the name of a form, no secret
_SEALING_PREFIX: Final = "hpke:"
_SIGNING_PREFIX: Final = "ed25519:"
MAX_KEY_FILE_BYTES: Final = 16_384
MAX_TOKEN_FILE_BYTES: Final = 4 * 1024 * MAX_TOKEN_KEYS


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorPublicKey:
    """The collector's public keys: to seal to, with its suite, and to verify acceptances."""

    suite: Suite
    key: bytes
    acceptance_key: bytes

    def to_text(self) -> str:
        """Contents of their file."""
        return (
            f"{_SEALING_PREFIX}{self.suite.name}:{base64url.encode(self.key)}\n"
            f"{_SIGNING_PREFIX}{encode_key(self.acceptance_key)}\n"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningKey:
    """The trustees' public keys: of the one so many of so many shares make the private half; of the others
    each trustee has one. Of an election ``key`` is Y, and ``election`` the keys of the ceremony."""

    suite: Suite
    key: bytes
    threshold: int
    shares: int
    statement_keys: tuple[bytes, ...]
    election: Trustees | None = None

    def to_bytes(self) -> bytes:
        """Contents of its file."""
        value = {
            "suite": self.suite.name,
            "opening_key": base64url.encode(self.key),
            "threshold": self.threshold,
            "shares": self.shares,
            "statement_keys": list(map(base64url.encode, self.statement_keys)),
        }
        if self.election is not None:
            value["election"] = self.election.to_object()
        return dumps(value) + b"\n"


def token_key_line(modulus: int) -> str:
    """A line of ``tokens.pub``."""
    return f"{_TOKEN_PREFIX}{base64url.encode(modulus.to_bytes(TOKEN_KEY_BYTES, 'big'))}\n"


def read_token_keys(path: Path) -> tuple[int, ...]:
    """Moduli of the registrar's public keys: one, or one for each box of an election.

    Raises
    ------
    KeyFileError
        If the file is anything else.
    """
    moduli = []
    for text in _read_line(path, MAX_TOKEN_FILE_BYTES).split("\n"):
        data = base64url.decode(text.removeprefix(_TOKEN_PREFIX)) if text.startswith(_TOKEN_PREFIX) else None
        if data is None or not is_token_modulus(data):
            raise _refused(path, "no public key for tokens", f"a line {_TOKEN_PREFIX}...", "tokens")
        moduli.append(int.from_bytes(data, "big"))
    return tuple(moduli)


def read_collector_key(path: Path) -> CollectorPublicKey:
    """Public keys of the collector.

    Raises
    ------
    KeyFileError
        If the file is anything else.
    """
    sealing, _, signing = _read_line(path).partition("\n")
    prefix, _, rest = sealing.partition(":")
    name, _, text = rest.partition(":")
    suite, data = SUITES.get(name), base64url.decode(text)
    try:
        acceptance_key = decode_key(signing.removeprefix(_SIGNING_PREFIX))
    except EnvelopeError:
        acceptance_key = b""
    if (
        f"{prefix}:" != _SEALING_PREFIX
        or suite is None
        or data is None
        or len(data) != suite.public_key_bytes
        or not acceptance_key
    ):
        expected = f"a line {_SEALING_PREFIX}SUITE:... and a line {_SIGNING_PREFIX}..."
        raise _refused(path, "no public key of a collector", expected, "collector")
    return CollectorPublicKey(suite=suite, key=data, acceptance_key=acceptance_key)


def read_opening_key(path: Path) -> OpeningKey:
    """Public key that the trustees made.

    Raises
    ------
    KeyFileError
        If the file is anything else.
    """
    value = loads(_read(path).strip(), error=KeyFileError, where=path.name, max_bytes=MAX_KEY_FILE_BYTES)
    return parse_opening_key(value, path.name)


def parse_opening_key(value: Any, where: str) -> OpeningKey:
    """As :func:`read_opening_key`, from a JSON document."""
    members = ("suite", "opening_key", "threshold", "shares", "statement_keys")
    fields = Fields(value, where, members, error=KeyFileError, optional=("election",))
    suite = SUITES[fields.choice("suite", SUITES)]
    data = base64url.decode(fields.text("opening_key"))
    length = ELEMENT_BYTES if "election" in fields else suite.public_key_bytes
    if data is None or len(data) != length:
        raise fields.fail("opening_key", "not a key of this suite", f"{length} bytes in base64url")
    shares = fields.integer("shares", 2, MAX_TRUSTEES)
    threshold = fields.integer("threshold", 2, shares)
    election = None
    if "election" in fields:
        election = Trustees.parse(
            fields.raw("election"),
            fields.where("election"),
            key=data,
            threshold=threshold,
            shares=shares,
            error=KeyFileError,
        )
    return OpeningKey(
        suite=suite,
        key=data,
        threshold=threshold,
        shares=shares,
        statement_keys=parse_statement_keys(fields, shares),
        election=election,
    )


def _read(path: Path, most: int = MAX_KEY_FILE_BYTES) -> bytes:
    def refused(message: str) -> KeyFileError:
        return KeyFileError(
            message,
            where=path.name,
            remedy="Make the keys first: roomful keygen --purpose tokens, --purpose collector, and roomful"
            " trustees create.",
        )

    return read_bounded(path, most, refused)


def _read_line(path: Path, most: int = MAX_KEY_FILE_BYTES) -> str:
    return _read(path, most).strip().decode("ascii", "replace")


def _refused(path: Path, message: str, expected: str, purpose: str) -> KeyFileError:
    return KeyFileError(
        f"this is {message}",
        where=path.name,
        expected=expected,
        remedy=f"Use the .pub file that roomful keygen --purpose {purpose} wrote.",
    )
