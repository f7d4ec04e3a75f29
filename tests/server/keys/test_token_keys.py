"""Keys of registrar and collector: written once, read by their servers, refused by name."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from server.keys.public_keys import read_collector_key, read_token_keys
from server.keys.sealing import SealingKey
from server.keys.token_keys import (
    TokenKey,
    create_collector_key,
    create_token_keys,
    load_collector_key,
    load_token_keys,
)
from shared.errors import KeyFileError
from shared.sealing import SUITES, Suite
from tests.invited import token_key

every_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_token_key_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "tokens.pem"
    (n,) = create_token_keys(path)
    assert mode(path) == 0o600
    assert path.with_suffix(".pub").read_text("ascii").startswith("rsa-3072:")
    assert read_token_keys(path.with_suffix(".pub")) == (n,)
    (key,) = load_token_keys(path)
    assert (key.n, key.n.bit_length()) == (n, 3072)
    assert key.p * key.q == n
    assert key.dp * 65537 % (key.p - 1) == key.dq * 65537 % (key.q - 1) == 1
    assert key.q_inverse * key.q % key.p == 1


@every_suite
def test_a_collector_key_is_written_and_read(tmp_path: Path, suite: Suite) -> None:
    path = tmp_path / "collector.pem"
    key = create_collector_key(path, suite)
    assert mode(path) == 0o600
    read = read_collector_key(path.with_suffix(".pub"))
    assert (read.suite, read.key) == (suite, key.public_key)
    sealed = SealingKey(suite, key.public_key).seal(b"info", b"message")
    assert load_collector_key(path, suite).open(b"info", sealed) == b"message"


def test_keys_differ(tmp_path: Path) -> None:
    assert create_token_keys(tmp_path / "a.pem") != create_token_keys(tmp_path / "b.pem")
    suite = next(iter(SUITES.values()))
    one, other = (create_collector_key(tmp_path / name, suite) for name in ("c.pem", "d.pem"))
    assert one.public_key != other.public_key
    assert one.acceptance_key != other.acceptance_key


@pytest.mark.parametrize("name", ["tokens.pem", "tokens.pub"])
def test_a_key_is_never_overwritten(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(KeyFileError, match="exists"):
        create_token_keys(tmp_path / "tokens.pem")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_private_key_does_not_get_the_name_of_the_public_one(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"tokens\.pem"):
        create_token_keys(tmp_path / "tokens.pub")
    assert not list(tmp_path.iterdir())


def pem(key: object, encryption: object = None) -> bytes:
    data: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())  # type: ignore[attr-defined]
    return data


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b"", "not a private key"),
        (lambda: b"\xff" * 20_000, "not a private key"),
        (lambda: pem(token_key())[:-200], "not a private key"),
        (lambda: pem(token_key(), BestAvailableEncryption(b"secret words")), "encrypted"),
        (lambda: pem(Ed25519PrivateKey.generate()), "another kind"),
        (lambda: pem(generate_private_key(65537, 2048)), "2048 bits, exponent 65537"),
        (lambda: pem(generate_private_key(3, 3072)), "3072 bits, exponent 3"),
    ],
)
def test_another_file_is_refused_by_name(make: Callable[[], bytes], message: str) -> None:
    with pytest.raises(KeyFileError, match=message) as caught:
        TokenKey.from_pem(make(), "tokens.pem")
    assert caught.value.code == "input.key"
    assert "--purpose tokens" in caught.value.remedy


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    suite = next(iter(SUITES.values()))
    for load in (load_token_keys, lambda path: load_collector_key(path, suite)):
        with pytest.raises(KeyFileError, match="cannot be read"):
            load(tmp_path / "none.pem")


def test_a_key_does_not_show_itself() -> None:
    assert repr(TokenKey.from_pem(pem(token_key()), "")) == "TokenKey(...)"
