"""Where commands that sign take the passphrase of a private key from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from shared.errors import KeyFileError

PASSPHRASE_VARIABLE = "ROOMFUL_PASSPHRASE"  # noqa: S105 - the name of a variable

passphrase_option = click.option(
    "--passphrase-file", type=click.Path(path_type=Path), help="File with the passphrase in its first line."
)


def ask_passphrase(file: Path | None, *, confirm: bool) -> str:
    """From a file, the environment, or the keyboard.

    Raises
    ------
    KeyFileError
        If the file cannot be read, or nobody is there to ask.
    """
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").split("\n", 1)[0].rstrip("\r")
        except (OSError, UnicodeDecodeError):
            raise KeyFileError("cannot be read", where=str(file), expected="a text file") from None
    if PASSPHRASE_VARIABLE in os.environ:
        return os.environ[PASSPHRASE_VARIABLE]
    if not sys.stdin.isatty():
        raise KeyFileError(
            "there is nobody to ask for the passphrase",
            where="passphrase",
            expected=f"--passphrase-file, or the variable {PASSPHRASE_VARIABLE}",
        )
    answer: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm)
    return answer
