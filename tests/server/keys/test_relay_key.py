"""The relay's key: made, read, refused, never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.keys.relay_key import create_relay_key, load_relay_key
from server.keys.signing_keys import create_key_pair, load_public_key
from server.keys.token_keys import create_token_keys
from shared.errors import KeyFileError


def test_a_key_is_written_once_and_read(tmp_path: Path) -> None:
    path = tmp_path / "relay.pem"
    made = create_relay_key(path)
    assert load_relay_key(path).public_key == made.public_key == load_public_key(str(tmp_path / "relay.pub"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert repr(made) == "<RelayKey>"
    with pytest.raises(KeyFileError, match="exists"):
        create_relay_key(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.pem").write_text("no key")
    create_token_keys(tmp_path / "tokens.pem")
    create_key_pair(tmp_path / "organizer.pem", "a passphrase")
    for name in ("odd.pem", "tokens.pem", "organizer.pem"):
        with pytest.raises(KeyFileError, match="this is not a relay's private key"):
            load_relay_key(tmp_path / name)


def test_keygen_makes_one(tmp_path: Path) -> None:
    path = tmp_path / "relay.pem"
    done = CliRunner().invoke(roomful, ["keygen", "--purpose", "relay", "--out", str(path)])
    assert done.exit_code == 0, done.output
    assert "[invited.relay]" in done.output
    assert load_relay_key(path).public_key
