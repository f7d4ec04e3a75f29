"""Where commands that sign take the passphrase of a private key from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.cli.options import PATH
from server.keys.core_dumps import forbid_core_dumps
from server.keys.signing_keys import is_well_encrypted, load_private_key
from shared.errors import KeyFileError

PASSPHRASE_VARIABLE: Final = "ROOMFUL_PASSPHRASE"  # noqa: S105 - the name of a variable

passphrase_option = click.option(
    "--passphrase-file", type=PATH, help="File with the passphrase in its first line."
)


def signing_key(path: Path, passphrase_file: Path | None) -> Ed25519PrivateKey:
    """Read a private key under its passphrase; a file that is easy to guess is named on stderr.

    Raises
    ------
    KeyFileError
        As :func:`ask_passphrase` and :func:`load_private_key`.
    """
    key = load_private_key(path, ask_passphrase(passphrase_file, confirm=False))
    if not is_well_encrypted(path):
        click.echo(
            f"Warning: {path} is encrypted in an old way, and a thief can try passphrases fast. "
            f"Encrypt it anew: roomful passphrase {path}",
            err=True,
        )
    return key


def ask_passphrase(file: Path | None, *, confirm: bool) -> str:
    """From a file, the environment, or the keyboard.

    Raises
    ------
    KeyFileError
        If the file cannot be read, or nobody is there to ask.
    """
    forbid_core_dumps()
    if file is None and PASSPHRASE_VARIABLE in os.environ:
        return os.environ[PASSPHRASE_VARIABLE]
    return _ask(file, "Passphrase", confirm, f"--passphrase-file, or the variable {PASSPHRASE_VARIABLE}")


def ask_new_passphrase(file: Path | None) -> str:
    """The passphrase to come, from a file or the keyboard; errors as :func:`ask_passphrase`."""
    return _ask(file, "New passphrase", True, "--new-passphrase-file, or --keep")


def _ask(file: Path | None, prompt: str, confirm: bool, otherwise: str) -> str:
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
        except (OSError, UnicodeDecodeError):
            raise KeyFileError("cannot be read", where=str(file), expected="a text file") from None
    if not sys.stdin.isatty():
        raise KeyFileError(
            "there is nobody to ask for the passphrase", where="passphrase", expected=otherwise
        )
    answer: str = click.prompt(prompt, hide_input=True, confirmation_prompt=confirm)
    return answer
