"""Known answers of invited surveys: codes and tokens, with everything on the way.

Check symbols come from a table of GF(32) instead of Horner's rule; signatures from the textbook's formula,
and the library ``cryptography`` has verified them.
"""

from __future__ import annotations

import hashlib
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.blind_rsa import blind, blinding_factor, encode
from tests.invited import token_key
from tests.reference.affine_ed25519 import add, base, multiply, torsion
from tests.reference.affine_ed25519 import encode as encode_point

DIGEST = hashlib.sha256(b"a specification").hexdigest()
_SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def codes() -> dict[str, Any]:
    """Codes from random bytes, how they are typed, what is kept of them, and what is refused."""
    entropies = [bytes(12), b"\xff" * 12, bytes(range(12)), *(_bytes(f"code {i}", 12) for i in range(8))]
    cases = []
    for entropy in entropies:
        number = int.from_bytes(entropy, "big")
        data = [number >> 5 * i & 31 for i in range(19)]
        symbols = "".join(_SYMBOLS[value] for value in [*data, _check_symbol(data)])
        text = "-".join(symbols[i : i + 4] for i in range(0, 20, 4))
        proof = hashlib.sha256(b"roomful-code/1" + bytes.fromhex(DIGEST) + symbols.encode()).digest()
        cases.append(
            {
                "entropy": entropy.hex(),
                "text": text,
                "typed": [symbols, text.lower(), text.replace("0", "o").replace("1", "l"), f" {text} "],
                "proof": proof.hex(),
                "roll_hash": hashlib.sha256(proof).hexdigest(),
            }
        )
    right = cases[-1]["typed"][0]
    return {
        "comment": "Code of 12 random bytes, ways to type it, its proof, and the hash on the roll.",
        "source": "docs/protocol.md, Invitation codes; check symbols from a table of GF(32).",
        "roll_id": DIGEST,
        "cases": cases,
        "refused": [
            {"name": "one-symbol-wrong", "text": ("2" if right[0] != "2" else "3") + right[1:]},
            {"name": "neighbours-exchanged", "text": right[:4] + right[5] + right[4] + right[6:]},
            {"name": "a-symbol-missing", "text": right[:-1]},
            {"name": "a-symbol-too-many", "text": right + "0"},
            {"name": "a-symbol-that-does-not-occur", "text": "U" + right[1:]},
            {"name": "empty", "text": ""},
        ],
    }


def tokens() -> dict[str, Any]:
    """Tokens through all four steps, with the randomness of each, and signatures that are none."""
    numbers = token_key().private_numbers()
    n = numbers.public_numbers.n
    cases = []
    for i in range(3):
        prefix, salt, entropy = (_bytes(f"token {i} {part}", size) for part, size in _RANDOMNESS)
        secret = _bytes(f"token {i} secret", 32)
        device_key = _public(secret)
        prepared = prefix + b"roomful-token/2" + bytes.fromhex(DIGEST) + device_key
        r = int.from_bytes(entropy, "big") % (n - 1) + 1
        assert r == blinding_factor(n, entropy)
        blinded, inv = blind(n, prepared, salt=salt, r=r)
        blind_signature = pow(int.from_bytes(blinded, "big"), numbers.d, n)
        signature = (blind_signature * inv % n).to_bytes(384, "big")
        token_key().public_key().verify(
            signature, prepared, padding.PSS(padding.MGF1(hashes.SHA384()), 48), hashes.SHA384()
        )
        cases.append(
            {
                "prefix": prefix.hex(),
                "secret": secret.hex(),
                "device_key": device_key.hex(),
                "salt": salt.hex(),
                "entropy": entropy.hex(),
                "prepared_message": prepared.hex(),
                "blinded_message": blinded.hex(),
                "blind_signature": blind_signature.to_bytes(384, "big").hex(),
                "signature": signature.hex(),
            }
        )
    prefix, key, good = (bytes.fromhex(cases[0][name]) for name in ("prefix", "device_key", "signature"))
    other_key = bytes.fromhex(cases[1]["device_key"])
    value = int.from_bytes(good, "big")
    wrong = {
        "bit-flipped-in-signature": (prefix, key, good[:-1] + bytes([good[-1] ^ 1])),
        "bit-flipped-in-prefix": (prefix[:-1] + bytes([prefix[-1] ^ 1]), key, good),
        "key-of-another-token": (prefix, other_key, good),
        "signature-of-another-token": (prefix, key, bytes.fromhex(cases[1]["signature"])),
        "zero": (prefix, key, bytes(384)),
        "one": (prefix, key, bytes(383) + b"\x01"),
        "negated": (prefix, key, (n - value).to_bytes(384, "big")),
        "not-below-the-modulus": (prefix, key, n.to_bytes(384, "big")),
        "salt-of-another-length": (prefix, key, _sign(prefix, key, salt_bytes=32)),
        "message-without-the-survey": (prefix, key, _sign(prefix, key, message=b"")),
        "message-without-the-key": (
            prefix,
            key,
            _sign(prefix, key, message=b"roomful-token/2" + bytes.fromhex(DIGEST)),
        ),
    }
    if value + n < 1 << 3072:
        wrong["modulus-added"] = (prefix, key, (value + n).to_bytes(384, "big"))
    bad_keys = {
        name: (prefix, bad, _sign(prefix, bad))
        for name, bad in (
            ("key-zero", bytes(32)),
            ("key-identity", b"\x01" + bytes(31)),
            ("key-not-reduced", b"\xee" + b"\xff" * 30 + b"\x7f"),
            ("key-of-mixed-order", encode_point(add(multiply(5, base()), torsion()[1]))),
        )
    }
    return {
        "comment": "Tokens of one registrar with all randomness; 400 random bytes give the blinding factor.",
        "source": "docs/protocol.md, Tokens; RFC 9474 with the key of tests/keys/tokens.pem.",
        "specification": DIGEST,
        "token_key": f"{n:0768x}",
        "cases": cases,
        "refused": [
            {"name": name, "code": code, "prefix": p.hex(), "device_key": k.hex(), "signature": s.hex()}
            for code, parts in (("token.signature", wrong), ("token.device-key", bad_keys))
            for name, (p, k, s) in parts.items()
        ],
    }


_RANDOMNESS = (("prefix", 32), ("salt", 48), ("blinding", 400))


def _public(secret: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def _sign(prefix: bytes, key: bytes, *, salt_bytes: int = 48, message: bytes | None = None) -> bytes:
    """A plain PSS signature with the salt taken from a hash, so that it is the same in every run."""
    said = b"roomful-token/2" + bytes.fromhex(DIGEST) + key if message is None else message
    numbers = token_key().private_numbers()
    encoded = encode(prefix + said, _bytes("salt", salt_bytes), 384)
    return pow(int.from_bytes(encoded, "big"), numbers.d, numbers.public_numbers.n).to_bytes(384, "big")


def _check_symbol(data: list[int]) -> int:
    """The value c with sum of data[i] a^i + c a^19 = 0 in GF(32), from logarithms."""
    powers = [1]
    while len(powers) < 31:
        doubled = powers[-1] * 2
        powers.append(doubled if doubled < 32 else doubled ^ 0b100101)
    logarithm = {value: i for i, value in enumerate(powers)}
    total = 0
    for i, value in enumerate(data):
        if value:
            total ^= powers[(logarithm[value] + i) % 31]
    return powers[(logarithm[total] - 19) % 31] if total else 0


def _bytes(seed: str, size: int) -> bytes:
    return hashlib.shake_256(seed.encode()).digest(size)
