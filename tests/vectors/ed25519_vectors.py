"""Known answers for the one reading of Ed25519, and everything about which libraries disagree.

Each hostile case is crafted with the affine reference; ``openssl``, ``cofactorless`` and ``cofactored`` say
who would have accepted it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tests.reference import affine_ed25519 as curve

_RFC = (
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", ""),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82"),
)
MESSAGE = b"one answer"


def ed25519() -> dict[str, Any]:
    """Signatures that count, and those that do not."""
    cases = []
    for secret, message in [(bytes.fromhex(s), bytes.fromhex(m)) for s, m in _RFC] + [
        (_bytes(f"secret {i}"), _bytes(f"message {i}") * i) for i in range(5)
    ]:
        key = Ed25519PrivateKey.from_private_bytes(secret)
        cases.append(_case(key.public_key().public_bytes_raw(), key.sign(message), message))
    return {
        "comment": "Ed25519 as a ballot reads it: public key, signature and message in hexadecimal.",
        "source": "RFC 8032, section 7.1 (the first three); tests/reference/affine_ed25519.py.",
        "cases": cases,
        "refused": [_case(*parts) | {"name": name} | _others(*parts) for name, parts in _hostile().items()],
    }


def _hostile() -> dict[str, tuple[bytes, bytes, bytes]]:
    base, torsion = curve.base(), curve.torsion()
    key = Ed25519PrivateKey.from_private_bytes(_bytes("honest"))
    public, good = key.public_key().public_bytes_raw(), key.sign(MESSAGE)
    s = int.from_bytes(good[32:], "little")
    found = {
        "bit-flipped-in-R": (public, bytes([good[0] ^ 1]) + good[1:], MESSAGE),
        "bit-flipped-in-S": (public, good[:32] + bytes([good[32] ^ 1]) + good[33:], MESSAGE),
        "another-message": (public, good, MESSAGE + b"!"),
        "L-added-to-S": (public, good[:32] + (s + curve.L).to_bytes(32, "little"), MESSAGE),
        "S-is-L": (public, good[:32] + curve.L.to_bytes(32, "little"), MESSAGE),
        "signature-too-short": (public, good[:-1], MESSAGE),
        "signature-too-long": (public, good + b"\x00", MESSAGE),
        "key-too-short": (public[:-1], good, MESSAGE),
        "key-no-point": ((2).to_bytes(32, "little"), good, MESSAGE),
    }
    everything = curve.encode(curve.IDENTITY) + bytes(32)  # verifies under the identity, whatever the message
    for i, point in enumerate(torsion):
        r = next(t for t in torsion if _fits(t, point))
        found[f"key-of-small-order-{i}"] = (curve.encode(point), curve.encode(r) + bytes(32), MESSAGE)
    for name, number in (
        ("key-zero-not-reduced", curve.P),
        ("key-one-not-reduced", curve.P + 1),
        ("key-identity-with-a-sign", 1 | 1 << 255),
        ("key-one-not-reduced-with-a-sign", curve.P + 1 | 1 << 255),
        ("key-minus-one-with-a-sign", curve.P - 1 | 1 << 255),
    ):
        found[name] = (number.to_bytes(32, "little"), everything, MESSAGE)
    scalar = int.from_bytes(_bytes("scalar"), "little") % curve.L
    mixed = curve.add(curve.multiply(scalar, base), torsion[1])
    # R is drawn until 8 divides k: then the torsion of the key does not show, and everybody accepts.
    found["key-of-mixed-order-that-all-accept"] = _signed(mixed, scalar, lambda k: k % 8 == 0)
    # Else only those accept who multiply by the cofactor.
    found["key-of-mixed-order-that-some-accept"] = _signed(mixed, scalar, lambda k: k % 8 == 4)
    plain = curve.multiply(scalar, base)
    found["R-of-mixed-order"] = _signed(plain, scalar, lambda _k: True, curve.torsion()[2])
    return found


def _fits(r: curve.Point, key: curve.Point) -> bool:
    k = curve.challenge(curve.encode(r), curve.encode(key), MESSAGE)
    return curve.add(r, curve.multiply(k, key)) == curve.IDENTITY or r == curve.torsion()[-1]


def _signed(
    key: curve.Point, scalar: int, wanted: Any, extra: curve.Point = curve.IDENTITY
) -> tuple[bytes, bytes, bytes]:
    public = curve.encode(key)
    for i in range(200):
        nonce = int.from_bytes(_bytes(f"nonce {i}"), "little") % curve.L
        r = curve.encode(curve.add(curve.multiply(nonce, curve.base()), extra))
        k = curve.challenge(r, public, MESSAGE)
        if wanted(k):
            return public, r + ((nonce + k * scalar) % curve.L).to_bytes(32, "little"), MESSAGE
    raise AssertionError("no such signature was found")


def _case(public_key: bytes, signature: bytes, message: bytes) -> dict[str, Any]:
    return {"public_key": public_key.hex(), "signature": signature.hex(), "message": message.hex()}


def _others(public_key: bytes, signature: bytes, message: bytes) -> dict[str, Any]:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        openssl = False
    else:
        openssl = True
    whole = len(signature) == 64 and len(public_key) == 32
    return {
        "openssl": openssl,
        "cofactorless": whole and curve.verifies(public_key, signature, message),
        "cofactored": whole and curve.verifies(public_key, signature, message, cofactor=8),
    }


def _bytes(seed: str) -> bytes:
    return hashlib.shake_256(b"ed25519 vectors: " + seed.encode()).digest(32)
