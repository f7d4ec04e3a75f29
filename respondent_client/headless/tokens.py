"""The token of an invited respondent on the command line: read, or fetched and saved."""

from __future__ import annotations

import os
from pathlib import Path

from respondent_client.headless.respondent import HeadlessRespondent
from shared.errors import InputError, RemoteError, StateError
from shared.invitation_code import InvitationCode
from shared.soundness import SoundSpecification
from shared.token import MAX_FILE_BYTES, Token

ATTEMPTS = 3


def find_token(
    respondent: HeadlessRespondent, sound: SoundSpecification, code: str | None, path: Path | None
) -> Token:
    """The token in a file or a link, or else the one that a code is exchanged for.

    Parameters
    ----------
    respondent : HeadlessRespondent
        Prepared.
    sound : SoundSpecification
        Its survey.
    code : str or None
        As typed; the link's by default.
    path : Path or None
        Read if it is there; else the token is saved there before anything else happens.

    Raises
    ------
    StateError
        With the code ``state.token`` if there is neither.
    TokenError, RemoteError
        If the registrar refuses, or cannot be reached in three attempts.
    InputError
        If the file cannot be read or written.
    """
    if path is not None and path.exists():
        return Token.parse_file(_read(path), sound.digest)
    invitation = respondent.link.invitation
    if invitation.token is not None and code is None:
        return invitation.token
    known = invitation.code if code is None else InvitationCode.parse(code)
    if known is None:
        raise StateError(
            "only invited people can answer this survey",
            expected="--code, a link with a code, or --token-file with a saved token",
            remedy="Give the code on your letter.",
            code="state.token",
        )
    if path is not None:
        _write(path, b"")  # a place that cannot be written must not cost her the code
    try:
        token = _fetch(respondent, known)
    except BaseException:
        if path is not None:
            path.unlink()
        raise
    if path is not None:
        _write(path, token.to_file(sound.digest))
    return token


def _fetch(respondent: HeadlessRespondent, code: InvitationCode) -> Token:
    request = respondent.prepare_token(code)
    for _ in range(ATTEMPTS - 1):
        try:
            return respondent.fetch_token(request)
        except RemoteError as problem:
            if problem.code != "remote.unreachable":
                raise
    return respondent.fetch_token(request)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except OSError as problem:
        raise InputError(f"cannot be read ({problem.strerror})", where=str(path)) from None


def _write(path: Path, data: bytes) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", where=str(path)) from None
