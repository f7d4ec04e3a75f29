"""Ed25519 keys: a private key in PEM encrypted with a passphrase, a public key as one line of text.

References
----------
RFC 8032 (Ed25519), by the library ``cryptography``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from server import files
from server.keys.public_keys import MAX_KEY_FILE_BYTES
from shared.envelope import SignatureClaim, decode_key, encode_key
from shared.errors import EnvelopeError, KeyFileError

MIN_PASSPHRASE_CHARACTERS: Final = 8
_PUBLIC_PREFIX: Final = "ed25519:"


def create_key_pair(private_path: Path, passphrase: str) -> bytes:
    """Write a new key pair; the public key goes beside it with the suffix ``.pub``.

    Returns
    -------
    bytes
        The public key, 32 bytes.

    Raises
    ------
    KeyFileError
        If a file is already there (a key is never overwritten), the passphrase is too short, or the folder
        cannot be written.
    """
    # Loads all of X.509, which nobody needs who only verifies.
    from server.keys.encrypted_pem import encrypt_pem

    _require_long(passphrase)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    write_key_pair(private_path, encrypt_pem(key, passphrase), public_key_line(public))
    return public


def public_key_line(public: bytes) -> str:
    """The file of a public key."""
    return f"{_PUBLIC_PREFIX}{encode_key(public)}\n"


def encrypt_again(path: Path, passphrase: str, new_passphrase: str) -> None:
    """Write a private key's file anew, under another passphrase or the same, at today's cost of a guess.

    Raises
    ------
    KeyFileError
        As :func:`load_private_key`; if the new passphrase is too short, or the file cannot be written. The
        old file is untouched then.
    """
    from server.keys.encrypted_pem import encrypt_pem

    _require_long(new_passphrase)
    key = load_private_key(path, passphrase)
    try:
        files.replace(path, encrypt_pem(key, new_passphrase))
    except OSError as problem:
        raise KeyFileError(f"cannot be written ({problem.strerror})", where=str(path)) from None


def is_well_encrypted(path: Path) -> bool:
    """Whether a private key's file costs a thief what it should for every guess at its passphrase."""
    from server.keys.encrypted_pem import is_costly_to_guess

    return is_costly_to_guess(_read(path))


def _require_long(passphrase: str) -> None:
    if len(passphrase) < MIN_PASSPHRASE_CHARACTERS:
        raise KeyFileError(
            "the passphrase is too short",
            where="passphrase",
            expected=f"{MIN_PASSPHRASE_CHARACTERS} characters or more",
        )


def write_key_pair(private_path: Path, pem: bytes, public_line: str) -> None:
    """Write a private key, for its owner alone, and its public key beside it with the suffix ``.pub``.

    Raises
    ------
    KeyFileError
        If a file is already there (a key is never overwritten), or the folder cannot be written.
    """
    public_path = private_path.with_suffix(".pub")
    if public_path == private_path:
        raise KeyFileError(
            "this name is the public key's",
            where=str(private_path),
            expected=f"{private_path.with_suffix('.pem').name}",
        )
    for path in (private_path, public_path):
        if path.exists():
            raise KeyFileError(
                "the file exists",
                where=str(path),
                expected="a new file",
                remedy="A key is never overwritten.",
            )
    try:
        private_path.parent.mkdir(parents=True, exist_ok=True)
        files.write_new(private_path, pem)
        try:
            files.write_new(public_path, public_line.encode("ascii"), mode=files.SHARED)
        except OSError:
            private_path.unlink()  # half a pair is none
            raise
        files.sync_folder(private_path.parent)
    except OSError as problem:
        raise KeyFileError(f"cannot be written ({problem.strerror})", where=str(private_path)) from None


def load_private_key(path: Path, passphrase: str) -> Ed25519PrivateKey:
    """Read a private key.

    Raises
    ------
    KeyFileError
        If it is no Ed25519 key in PEM, or the passphrase is wrong.
    """
    try:
        key = load_pem_private_key(_read(path), passphrase.encode("utf-8"))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyFileError(
            "not a private key, or a wrong passphrase",
            where=str(path),
            expected="the encrypted PEM file of roomful keygen",
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError("a key of another kind", where=str(path), expected="an Ed25519 key")
    return key


def load_public_key(text_or_path: str) -> bytes:
    """Read a public key: its text, or a file that holds it.

    Raises
    ------
    KeyFileError
        If it is neither.
    """
    text = text_or_path.strip()
    if not text.startswith(_PUBLIC_PREFIX):
        text = _read(Path(text_or_path)).decode("utf-8", "replace").strip()
    try:
        return decode_key(text.removeprefix(_PUBLIC_PREFIX))
    except EnvelopeError as problem:
        raise KeyFileError(
            "not a public key", where=text_or_path, expected=f"{_PUBLIC_PREFIX}... ({problem.expected})"
        ) from None


def verifies(claim: SignatureClaim) -> bool:
    """Whether a signature is genuine: the primitive that the envelope leaves to its platform."""
    try:
        Ed25519PublicKey.from_public_bytes(claim.public_key).verify(claim.signature, claim.message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _read(path: Path) -> bytes:
    return files.read_bounded(path, MAX_KEY_FILE_BYTES, lambda said: KeyFileError(said, where=str(path)))
