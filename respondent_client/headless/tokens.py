"""The token of an invited respondent on the command line: read, or fetched and saved."""

from __future__ import annotations

import os
from pathlib import Path

import click

from respondent_client.headless.repeating import repeated
from respondent_client.headless.respondent import HeadlessRespondent
from respondent_client.keeping import keep_request
from respondent_client.session import Placement
from respondent_client.token_request import OF_THE_CODE
from shared.errors import InputError, StateError, TokenError
from shared.invitation_code import InvitationCode
from shared.token import MAX_FILE_BYTES, HeldToken


def find_token(
    respondent: HeadlessRespondent, placement: Placement, code: str | None, path: Path | None
) -> HeldToken:
    """The token in a file or a link, or else the one that a code is exchanged for.

    Parameters
    ----------
    respondent : HeadlessRespondent
        Prepared.
    placement : Placement
        Whose: of an election the token counts in this box alone.
    code : str or None
        As typed; the link's by default.
    path : Path or None
        Read if it is there; else the request is saved there before the code can be spent, and then the token
        in its place. Calling again after a lost answer goes on with the same request.

    Raises
    ------
    StateError
        With the code ``state.token`` if there is neither, or if the file holds another code's request.
    TokenError, RemoteError
        If the registrar refuses, or cannot be reached in three attempts.
    InputError
        If the file cannot be read or written.
    """
    kept = respondent.restore(read_file(path, MAX_FILE_BYTES)) if path is not None and path.exists() else None
    if isinstance(kept, HeldToken):
        # Two people on one machine name one file: the second would believe that her code was exchanged.
        click.echo(
            f"The token in {path} is used, and no code is exchanged. If it is not yours, name another "
            "--token-file.",
            err=True,
        )
        return kept
    invitation = respondent.link.invitation
    if kept is None and invitation.token is not None and code is None:
        return respondent.require_genuine(invitation.token)
    known = invitation.code if code is None else InvitationCode.parse(code)
    if kept is not None and known not in (None, kept.code):
        raise StateError(
            "the token file holds the unanswered request of another code",
            where=str(path),
            expected="the code that the request was made with, or none",
            remedy="Call again with that code, or name another file. Without the file that code may be lost.",
            code="state.token",
        )
    if kept is not None:
        request = kept
    elif known is not None:
        request = respondent.prepare_token(known, placement)
    else:
        raise StateError(
            "only invited people can answer this survey",
            expected="--code, a link with a code, or --token-file with a saved token",
            remedy="Give the code on your letter.",
            code="state.token",
        )
    if path is not None:
        write_file(path, keep_request(request).encode("ascii"))  # before the code can be spent
    try:
        token = repeated(lambda: respondent.fetch_token(request))
    except TokenError as problem:
        if path is not None and problem.code in OF_THE_CODE:
            path.unlink()
        raise
    if path is not None:
        write_file(path, token.to_file(placement.sound.digest))
    return token


def read_file(path: Path, max_bytes: int) -> str:
    """The text of a file, and a byte too many if it is longer."""
    try:
        with path.open("rb") as file:
            return file.read(max_bytes + 1).decode("utf-8", "replace")
    except OSError as problem:
        raise InputError(f"cannot be read ({problem.strerror})", where=str(path)) from None


def write_file(path: Path, data: bytes) -> None:
    """Put the whole file in its place at once: what was there may be all that is left of a spent code."""
    new = path.with_name(f"{path.name}.new")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", where=str(path)) from None
