"""Vectors that others published: taken from their documents once, and pinned by the digest of what was taken.

To take them again::

    python -m tests.vectors.published rfc9474 draft-irtf-cfrg-rsa-blind-signatures.md
    python -m tests.vectors.published rfc9180 test-vectors.json
    python -m tests.vectors.published hpke-pq hpke-pq-test-vectors.json
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
_RSA_FIELDS = (
    "p", "q", "n", "e", "d", "msg", "msg_prefix", "prepared_msg", "salt", "encoded_msg", "inv",
    "blinded_msg", "blind_sig", "sig",
)  # fmt: skip
_HPKE_FIELDS = (
    "mode", "kem_id", "kdf_id", "aead_id", "info", "ikmR", "skRm", "pkRm", "ikmE", "enc",
    "shared_secret", "key", "base_nonce",
)  # fmt: skip
_X25519, _X_WING, _HKDF_SHA256, _AES_128_GCM, _CHACHA20_POLY1305 = 0x20, 0x647A, 1, 1, 3


def rfc9474(text: str) -> dict[str, Any]:
    """All four variants of RFC 9474, appendix A, from the Markdown of the draft that became it."""
    cases = []
    for match in re.finditer(r"^## (\S+) Test Vector\n~~~\n(.*?)\n~~~$", text, re.MULTILINE | re.DOTALL):
        values = dict(re.findall(r"([a-z_]+) = ?([0-9a-f]*)", re.sub(r"\n(?![a-z_]+ =)", "", match[2])))
        cases.append({"name": match[1], **{name: values.get(name, "") for name in _RSA_FIELDS}})
    return {
        "comment": "Blind RSA with every intermediate value, hexadecimal; inv is the inverse of r modulo n.",
        "source": "RFC 9474, appendix A; draft-irtf-cfrg-rsa-blind-signatures.md at commit 63ec6de of"
        " cfrg/draft-irtf-cfrg-blind-signatures.",
        "cases": cases,
    }


def rfc9180(text: str) -> dict[str, Any]:
    """Base mode of the two X25519 suites of the protocol."""
    wanted = ({_AES_128_GCM, _CHACHA20_POLY1305}, {_X25519})
    return {
        "comment": "HPKE in base mode: secrets of the key schedule and the first two messages, hexadecimal.",
        "source": "RFC 9180, appendix A.1.1 and A.2.1; test-vectors.json of cfrg/draft-irtf-cfrg-hpke, as"
        " cryptography_vectors 50.0.2 carries it (HPKE/test-vectors.json).",
        "cases": _hpke_cases(json.loads(text), *wanted),
    }


def hpke_pq(text: str) -> dict[str, Any]:
    """Base mode of X-Wing with HKDF-SHA256; published with ChaCha20-Poly1305 only."""
    return {
        "comment": "HPKE with MLKEM768-X25519 (X-Wing). Published with ChaCha20-Poly1305; with AES-128-GCM,"
        " which the protocol uses, the encapsulation is the same.",
        "source": "draft-ietf-hpke-pq, test vectors, as cryptography_vectors 50.0.2 carries them"
        " (HPKE/hpke-pq-test-vectors.json).",
        "cases": _hpke_cases(json.loads(text), {_CHACHA20_POLY1305}, {_X_WING}),
    }


def _hpke_cases(vectors: list[dict[str, Any]], aeads: set[int], kems: set[int]) -> list[dict[str, Any]]:
    return [
        {name: vector[name] for name in _HPKE_FIELDS} | {"encryptions": vector["encryptions"][:2]}
        for vector in vectors
        if vector["mode"] == 0
        and vector["kdf_id"] == _HKDF_SHA256
        and vector["aead_id"] in aeads
        and vector["kem_id"] in kems
    ]


SOURCES: dict[str, tuple[Callable[[str], dict[str, Any]], str]] = {
    "rfc9474": (rfc9474, "adfb5798d79106deb972e98453a15ed6a4c647608955b58f31b13fd74ed5b9ec"),
    "rfc9180": (rfc9180, "9776e665438c7caba81ded8951edc8aecb675aa8955f9e3d34a583724ec81c65"),
    "hpke-pq": (hpke_pq, "55a9198904a2a219d4f8ca2bc664db03ecc7d4df5d4920aa416f6bbdbec23663"),
}
"""Name of a file -> how it is taken from its source, and the SHA-256 of what was taken."""


def published() -> dict[str, str]:
    """Text of every file, by its name below this folder.

    Raises
    ------
    ValueError
        If a file is not what was taken from its source.
    """
    texts = {}
    for name, (_, digest) in SOURCES.items():
        texts[f"{name}.json"] = text = (FOLDER / f"{name}.json").read_text("utf-8")
        if hashlib.sha256(text.encode("utf-8")).hexdigest() != digest:
            raise ValueError(f"{name}.json is not what was published")
    return texts


def main() -> None:
    """Take one file's vectors from their source again, and print the digest to be pinned."""
    name, source = sys.argv[1:]
    text = json.dumps(SOURCES[name][0](Path(source).read_text("utf-8")), ensure_ascii=False, indent=1) + "\n"
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
    print(hashlib.sha256(text.encode("utf-8")).hexdigest())


if __name__ == "__main__":
    main()
