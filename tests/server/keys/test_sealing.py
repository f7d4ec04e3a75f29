"""HPKE with the library: what is sealed opens, and nothing else does."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from server.keys.private_pem import parse_private_pem, private_pem
from server.keys.sealing import OpeningKey, SealingKey
from shared.errors import KeyFileError, SubmissionError
from shared.sealing import SUITES, Suite

SECRET = bytes(range(32))
every_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


@every_suite
def test_what_is_sealed_opens(suite: Suite) -> None:
    key = OpeningKey(suite, SECRET)
    assert len(key.public_key) == suite.public_key_bytes
    sealed = SealingKey(suite, key.public_key).seal(b"place", b"message")
    assert len(sealed) == len(b"message") + suite.overhead
    assert key.open(b"place", sealed) == b"message"


@every_suite
def test_another_key_place_or_message_does_not_open(suite: Suite) -> None:
    key = OpeningKey(suite, SECRET)
    sealed = SealingKey(suite, key.public_key).seal(b"place", b"message")
    cases = [
        (OpeningKey(suite, bytes(32)), b"place", sealed),
        (key, b"another place", sealed),
        (key, b"place", sealed[:-1]),
        (key, b"place", sealed + b"x"),
        (key, b"place", sealed[:-1] + bytes([sealed[-1] ^ 1])),
        (key, b"place", bytes(len(sealed))),
        (key, b"place", b""),
    ]
    for opener, info, message in cases:
        with pytest.raises(SubmissionError) as caught:
            opener.open(info, message)
        assert caught.value.code == "ballot.sealed"


@every_suite
def test_what_is_not_a_public_key_is_refused(suite: Suite) -> None:
    for data in (b"", bytes(suite.public_key_bytes - 1), bytes(suite.public_key_bytes)):
        with pytest.raises(KeyFileError):
            SealingKey(suite, data).seal(b"place", b"message")


def test_x_wing_seed_becomes_the_key_of_the_draft() -> None:
    """The first test vector of draft-connolly-cfrg-xwing-kem, appendix C: the head of its public key."""
    seed = bytes.fromhex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26")
    key = OpeningKey(SUITES["mlkem768x25519-hkdf-sha256-aes128gcm"], seed)
    assert key.public_key.hex().startswith("e2236b35a8c24b39b10aa1323a96a919a2ced88400633a7b07131713fc14b2b5")


def test_a_key_of_another_length_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        OpeningKey(SUITES["x25519-hkdf-sha256-aes128gcm"], bytes(31))


def test_a_key_does_not_show_itself() -> None:
    key = OpeningKey(SUITES["x25519-hkdf-sha256-aes128gcm"], SECRET)
    assert repr(key) == "<OpeningKey x25519-hkdf-sha256-aes128gcm>"


@every_suite
def test_private_file_is_read_again(suite: Suite) -> None:
    pem = private_pem(suite, SECRET)
    assert parse_private_pem(pem, suite, "collector.pem") == SECRET
    if suite.public_key_bytes == 32:
        assert load_pem_private_key(pem, None).private_bytes_raw() == SECRET  # type: ignore[union-attr]


@every_suite
def test_damaged_private_file_is_refused(suite: Suite) -> None:
    pem = private_pem(suite, SECRET)
    for data in (
        b"",
        b"-----BEGIN PRIVATE KEY-----",
        pem.replace(b"M", b"N", 1),
        pem[: len(pem) // 2],
        b"\xff" * 90,
    ):
        with pytest.raises(KeyFileError) as caught:
            parse_private_pem(data, suite, "collector.pem")
        assert caught.value.where == "collector.pem"
