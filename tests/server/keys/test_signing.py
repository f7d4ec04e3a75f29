"""Keys, signing, countersigning."""

from __future__ import annotations

import base64
import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from server.files import write_file
from server.keys.encrypted_pem import is_costly_to_guess
from server.keys.signing import (
    DESIGN_FILE,
    ENVELOPE_FILE,
    countersign,
    examine_envelope,
    sign_design,
    verify_envelope,
)
from server.keys.signing_keys import (
    create_key_pair,
    encrypt_again,
    is_well_encrypted,
    load_private_key,
    load_public_key,
    verifies,
)
from shared.envelope import Envelope, SignatureClaim, encode_key
from shared.errors import InputError, KeyFileError, SignatureError, SoundnessError, SpecificationError
from shared.invitation import Invitation
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, small_specification
from tests.invited import SPARE_KEY, invited_specification

PASSPHRASE = "correct horse battery"


@pytest.fixture
def designed(tmp_path: Path) -> Path:
    (tmp_path / DESIGN_FILE).write_bytes(small_specification().to_bytes())
    return tmp_path


def test_a_key_pair_is_encrypted_private_and_readable_again(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key.pem"
    public = create_key_pair(path, PASSPHRASE)
    assert b"ENCRYPTED PRIVATE KEY" in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_bytes(load_private_key(path, PASSPHRASE)) == public
    assert load_public_key(str(path.with_suffix(".pub"))) == public
    assert load_public_key(f"ed25519:{encode_key(public)}") == public


def old_file(path: Path) -> bytes:
    """A key as it was written before roomful/3; its public key."""
    key = Ed25519PrivateKey.generate()
    encryption = BestAvailableEncryption(PASSPHRASE.encode())
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    return key.public_key().public_bytes_raw()


def test_every_guess_at_a_passphrase_costs_memory_and_time(tmp_path: Path) -> None:
    create_key_pair(tmp_path / "key.pem", PASSPHRASE)
    assert is_well_encrypted(tmp_path / "key.pem")
    encoded = b"".join((tmp_path / "key.pem").read_bytes().splitlines()[1:-1])
    cost_128_mib = bytes.fromhex("0203020000 020108 020101 020120")  # N = 2^17, r = 8, p = 1, 32 bytes
    assert cost_128_mib in base64.b64decode(encoded)


def test_an_old_key_file_opens_and_is_encrypted_anew_on_request(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    public = old_file(path)
    assert public_bytes(load_private_key(path, PASSPHRASE)) == public
    assert not is_well_encrypted(path)
    encrypt_again(path, PASSPHRASE, "another passphrase")
    assert is_well_encrypted(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_bytes(load_private_key(path, "another passphrase")) == public
    assert [found.name for found in tmp_path.iterdir()] == ["key.pem"]


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [("wrong horse battery", "long enough", "wrong passphrase"), (PASSPHRASE, "short", "too short")],
)
def test_a_key_that_is_not_encrypted_anew_is_as_before(
    tmp_path: Path, old: str, new: str, match: str
) -> None:
    path = tmp_path / "key.pem"
    old_file(path)
    before = path.read_bytes()
    with pytest.raises(KeyFileError, match=match):
        encrypt_again(path, old, new)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "pem", [b"", b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n=\n-----END ENCRYPTED PRIVATE KEY-----"]
)
def test_what_is_no_key_file_is_not_well_encrypted(pem: bytes) -> None:
    assert not is_costly_to_guess(pem)


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    create_key_pair(path, PASSPHRASE)
    before = path.read_bytes()
    with pytest.raises(KeyFileError, match="exists"):
        create_key_pair(path, PASSPHRASE)
    assert path.read_bytes() == before


@pytest.mark.parametrize("half", ["private", "public"])
def test_a_full_disk_leaves_no_half_of_a_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, half: str
) -> None:
    """A half would stand in the way of the next try, and look like a key."""

    calls = iter(range(2))

    def full(_descriptor: int) -> None:
        if next(calls) == ("private", "public").index(half):
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(KeyFileError, match="No space"):
            create_key_pair(tmp_path / "key.pem", PASSPHRASE)
    assert list(tmp_path.iterdir()) == []
    create_key_pair(tmp_path / "key.pem", PASSPHRASE)


def test_a_file_that_cannot_be_written_whole_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "survey.dsse.json"
    write_file(path, b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError):
        write_file(path, b"after")
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == {path.name: b"before"}


@pytest.mark.parametrize("passphrase", ["wrong horse battery", ""])
def test_a_wrong_passphrase_is_a_named_error(tmp_path: Path, passphrase: str) -> None:
    create_key_pair(tmp_path / "key.pem", PASSPHRASE)
    with pytest.raises(KeyFileError, match="wrong passphrase"):
        load_private_key(tmp_path / "key.pem", passphrase)


def test_short_passphrases_and_strange_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="too short"):
        create_key_pair(tmp_path / "key.pem", "short")
    (tmp_path / "strange").write_bytes(b"\xff\x00 not a key")
    for read in (lambda p: load_private_key(p, PASSPHRASE), lambda p: load_public_key(str(p))):
        with pytest.raises(KeyFileError):
            read(tmp_path / "strange")
        with pytest.raises(KeyFileError, match="cannot be read"):
            read(tmp_path / "absent")


def test_a_signed_design_passes_the_checks_of_a_device(designed: Path) -> None:
    payload = sign_design(designed, ORGANIZER_KEY)
    assert payload.payload == (designed / DESIGN_FILE).read_bytes()
    envelope = Envelope.parse((designed / ENVELOPE_FILE).read_bytes())
    invitation = Invitation(digest=payload.digest, organizer_key=public_bytes(ORGANIZER_KEY))
    assert examine_envelope(envelope, invitation).refusal is None


def test_signing_twice_gives_the_same_file_and_changes_nothing(designed: Path) -> None:
    sign_design(designed, ORGANIZER_KEY)
    first = (designed / ENVELOPE_FILE).read_bytes()
    sign_design(designed, ORGANIZER_KEY)
    assert (designed / ENVELOPE_FILE).read_bytes() == first
    with pytest.raises(InputError, match="another signed survey"):
        sign_design(designed, AUDITOR_KEY)
    assert (designed / ENVELOPE_FILE).read_bytes() == first


def test_an_unsound_design_is_not_signed(designed: Path) -> None:
    weak = replace(small_specification(), n_min=(17,))
    (designed / DESIGN_FILE).write_bytes(weak.to_bytes())
    with pytest.raises(SoundnessError) as caught:
        sign_design(designed, ORGANIZER_KEY)
    assert caught.value.code == "check.n-min"
    (designed / DESIGN_FILE).write_bytes(b"{}")
    with pytest.raises(SpecificationError):
        sign_design(designed, ORGANIZER_KEY)
    (designed / DESIGN_FILE).unlink()
    with pytest.raises(InputError, match="cannot be read"):
        sign_design(designed, ORGANIZER_KEY)
    assert not (designed / ENVELOPE_FILE).exists()


def test_an_auditor_countersigns_once(designed: Path) -> None:
    sign_design(designed, ORGANIZER_KEY)
    path = designed / ENVELOPE_FILE
    payload = countersign(path, AUDITOR_KEY)
    assert payload.organizer_key == public_bytes(ORGANIZER_KEY)
    assert payload.auditor_keys == (public_bytes(AUDITOR_KEY),)
    signed = path.read_bytes()
    with pytest.raises(SignatureError, match="already"):
        countersign(path, AUDITOR_KEY)
    assert path.read_bytes() == signed


def test_a_forged_signature_is_not_countersigned(designed: Path) -> None:
    sign_design(designed, ORGANIZER_KEY)
    path = designed / ENVELOPE_FILE
    envelope = Envelope.parse(path.read_bytes())
    path.write_bytes(
        replace(envelope, signatures=((public_bytes(AUDITOR_KEY), envelope.signatures[0][1]),)).to_bytes()
    )
    with pytest.raises(SignatureError, match="does not verify"):
        countersign(path, AUDITOR_KEY)


def test_the_expected_key_is_required(designed: Path) -> None:
    sign_design(designed, ORGANIZER_KEY)
    envelope = Envelope.parse((designed / ENVELOPE_FILE).read_bytes())
    with pytest.raises(SignatureError, match="another key"):
        verify_envelope(envelope, public_bytes(AUDITOR_KEY))


def test_the_primitive_refuses_what_is_no_key() -> None:
    claim = SignatureClaim(public_key=b"\xff" * 32, signature=b"\x00" * 64, message=b"")
    assert not verifies(claim)


def test_a_spare_key_does_not_sign_its_own_survey(tmp_path: Path) -> None:
    (tmp_path / DESIGN_FILE).write_bytes(invited_specification().to_bytes())
    with pytest.raises(KeyFileError, match="stand in for itself"):
        sign_design(tmp_path, SPARE_KEY)
    assert not (tmp_path / ENVELOPE_FILE).exists()
