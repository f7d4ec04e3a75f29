"""The file of a private HPKE key: PKCS #8 in PEM.

It is not encrypted, because a server reads it unattended; it belongs to its owner alone (0600).

References
----------
RFC 5958 (OneAsymmetricKey), RFC 8410 (X25519); for X-Wing the object identifier and the raw seed of
draft-connolly-cfrg-xwing-kem. The library ``cryptography`` reads the former and has no form for the latter,
so both are written here: a fixed head before the 32 bytes.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final

from server.keys.sealing import SECRET_BYTES
from shared.errors import KeyFileError
from shared.sealing import SUITES, Suite

_BEGIN, _END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
_HEADS: Final = {
    name: bytes.fromhex(
        "3034020100300d060b2b0601040183e62d81c87a0420"
        if name.startswith("mlkem768x25519")
        else "302e020100300506032b656e04220420"
    )
    for name in SUITES
}
_MAX_BYTES: Final = 1000


def private_pem(suite: Suite, secret: bytes) -> bytes:
    """The file of a private key."""
    text = base64.b64encode(_HEADS[suite.name] + secret).decode("ascii")
    return "\n".join((_BEGIN, *(text[i : i + 64] for i in range(0, len(text), 64)), _END, "")).encode("ascii")


def parse_private_pem(data: bytes, suite: Suite, where: str) -> bytes:
    """Read the 32 bytes of a private key.

    Raises
    ------
    KeyFileError
        If it is not a private key of the suite.
    """
    lines = data[:_MAX_BYTES].decode("ascii", "replace").split()
    body = "".join(lines).removeprefix("".join(_BEGIN.split())).removesuffix("".join(_END.split()))
    try:
        der = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        der = b""
    head = _HEADS[suite.name]
    if not der.startswith(head) or len(der) != len(head) + SECRET_BYTES:
        raise KeyFileError(
            "not a private key of this suite",
            where=where,
            expected=f"a PEM file of roomful keygen for {suite.name}",
        )
    return der[len(head) :]
