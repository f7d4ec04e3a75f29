"""``roomful keygen``: one command for each kind of key; ``roomful passphrase``: a key under another one."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.signing import keygen, passphrase, sign
from server.keys.public_keys import read_collector_key, read_token_keys
from server.keys.signing_keys import load_private_key, load_public_key
from server.keys.token_keys import load_collector_key, load_token_keys
from shared.errors import KeyFileError
from shared.sealing import DEFAULT_SUITE, SUITES
from tests.server.keys.test_signing import PASSPHRASE, old_file


def run(out: Path, *arguments: str, passphrase: str | None = None) -> Result:
    return CliRunner().invoke(keygen, ["--out", str(out), *arguments], env={"ROOMFUL_PASSPHRASE": passphrase})


def test_a_signing_key_is_the_default(tmp_path: Path) -> None:
    result = run(tmp_path / "key.pem", passphrase="long enough")
    assert result.exit_code == 0
    private = load_private_key(tmp_path / "key.pem", "long enough")
    public = private.public_key().public_bytes_raw()
    assert load_public_key(str(tmp_path / "key.pub")) == public
    assert "In words" in result.output


def test_a_token_key_asks_nothing(tmp_path: Path) -> None:
    result = run(tmp_path / "keys" / "tokens.pem", "--purpose", "tokens")
    assert result.exit_code == 0, result.output
    assert "registrar" in result.output
    path = tmp_path / "keys" / "tokens.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_token_keys(path)[0].n == read_token_keys(path.with_suffix(".pub"))[0]


@pytest.mark.parametrize("name", [None, *SUITES])
def test_a_collector_key_is_of_the_suite_asked_for(tmp_path: Path, name: str | None) -> None:
    path = tmp_path / "collector.pem"
    result = run(path, "--purpose", "collector", *(["--suite", name] if name else []))
    assert result.exit_code == 0, result.output
    suite = SUITES[name or DEFAULT_SUITE]
    public = read_collector_key(path.with_suffix(".pub"))
    assert (public.suite, public.key) == (suite, load_collector_key(path, suite).public_key)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--purpose", "tokens", "--suite", DEFAULT_SUITE],
        ["--suite", DEFAULT_SUITE],
        ["--purpose", "collector", "--suite", "rot13"],
        ["--purpose", "tokens", "--passphrase-file", "none"],
        ["--purpose", "everything"],
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, arguments: list[str]) -> None:
    result = run(tmp_path / "key.pem", *arguments, passphrase="long enough")
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("purpose", ["signing", "tokens", "collector"])
def test_a_key_is_never_overwritten(tmp_path: Path, purpose: str) -> None:
    path = tmp_path / "key.pem"
    assert run(path, "--purpose", purpose, passphrase="long enough").exit_code == 0
    before = path.read_bytes(), path.with_suffix(".pub").read_bytes()
    again = run(path, "--purpose", purpose, passphrase="long enough")
    assert isinstance(again.exception, KeyFileError)
    assert (path.read_bytes(), path.with_suffix(".pub").read_bytes()) == before


def test_a_key_of_an_old_file_is_warned_of_until_it_is_encrypted_anew(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    old_file(path)
    environment = {"ROOMFUL_PASSPHRASE": PASSPHRASE}
    signing = ["--key", str(path), str(tmp_path)]
    warned = CliRunner().invoke(sign, signing, env=environment)
    assert f"roomful passphrase {path}" in warned.stderr
    assert CliRunner().invoke(passphrase, [str(path), "--keep"], env=environment).exit_code == 0
    assert "Warning" not in CliRunner().invoke(sign, signing, env=environment).stderr
    load_private_key(path, PASSPHRASE)


def test_the_new_passphrase_comes_from_its_own_file(tmp_path: Path) -> None:
    path, new = tmp_path / "key.pem", tmp_path / "new"
    run(path, passphrase="long enough")
    new.write_text("as long as needed\n")
    arguments = [str(path), "--new-passphrase-file", str(new)]
    assert CliRunner().invoke(passphrase, [*arguments, "--keep"], env={}).exit_code == 2
    done = CliRunner().invoke(passphrase, arguments, env={"ROOMFUL_PASSPHRASE": "long enough"})
    assert done.exit_code == 0, done.output
    load_private_key(path, "as long as needed")
    nobody = CliRunner().invoke(passphrase, [str(path)], env={"ROOMFUL_PASSPHRASE": "as long as needed"})
    assert isinstance(nobody.exception, KeyFileError)
    assert "--new-passphrase-file" in nobody.exception.expected
