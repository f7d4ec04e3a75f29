"""Published vectors of HPKE, opened by the library that the server uses.

Every message in the published vectors has additional data (``Count-0``). The library's public functions take
none, so the protocol binds everything in ``info``; to ask the library all the same, these tests use the
function with additional data that it keeps for its own tests.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.bindings._rust import openssl
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM
from cryptography.hazmat.primitives.hpke import Suite as LibrarySuite

from server.keys.sealing import OpeningKey
from shared.sealing import SUITES
from tests.vectors.published import FOLDER

_decrypt_with_aad = openssl.hpke._decrypt_with_aad
AEADS = {1: AEAD.AES_128_GCM, 3: AEAD.CHACHA20_POLY1305}
X_WING = SUITES["mlkem768x25519-hkdf-sha256-aes128gcm"]


def vectors(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["cases"]
    return cases


def octets(case: dict[str, Any]) -> dict[str, bytes]:
    return {name: bytes.fromhex(text) for name, text in case.items() if isinstance(text, str)}


def opener(case: dict[str, Any]) -> Any:
    """The library's private key of a vector, made from the 32 bytes of our files."""
    if case["kem_id"] == 0x20:
        return X25519PrivateKey.from_private_bytes(bytes.fromhex(case["skRm"]))
    return OpeningKey(X_WING, bytes.fromhex(case["skRm"]))._key


@pytest.mark.parametrize(
    "case", vectors("rfc9180") + vectors("hpke-pq"), ids=lambda c: f"{c['kem_id']}-{c['aead_id']}"
)
def test_the_library_opens_the_first_published_message(case: dict[str, Any]) -> None:
    kem = KEM.X25519 if case["kem_id"] == 0x20 else KEM.MLKEM768_X25519
    suite = LibrarySuite(kem, KDF.HKDF_SHA256, AEADS[case["aead_id"]])
    value, first = octets(case), octets(case["encryptions"][0])
    sealed = value["enc"] + first["ct"]
    plaintext = _decrypt_with_aad(suite, sealed, opener(case), value["info"], first["aad"])
    assert plaintext == first["pt"]
    for info, aad in ((value["info"] + b"x", first["aad"]), (value["info"], b"")):
        with pytest.raises(InvalidTag):
            _decrypt_with_aad(suite, sealed, opener(case), info, aad)


@pytest.mark.parametrize("case", vectors("rfc9180"), ids=lambda c: str(c["aead_id"]))
def test_the_public_function_opens_the_published_key_without_additional_data(case: dict[str, Any]) -> None:
    # The published encapsulated key, and a message sealed with the key and nonce of the published schedule.
    value = octets(case)
    aead = (AESGCM if case["aead_id"] == 1 else ChaCha20Poly1305)(value["key"])
    sealed = value["enc"] + aead.encrypt(value["base_nonce"], b"answers", None)
    name = {1: "x25519-hkdf-sha256-aes128gcm", 3: "x25519-hkdf-sha256-chacha20poly1305"}[case["aead_id"]]
    key = OpeningKey(SUITES[name], value["skRm"])
    assert key.public_key == value["pkRm"]
    assert key.open(value["info"], sealed) == b"answers"


def test_an_x_wing_key_is_made_from_its_seed_as_published() -> None:
    for case in vectors("hpke-pq"):
        assert OpeningKey(X_WING, bytes.fromhex(case["skRm"])).public_key.hex() == case["pkRm"]
