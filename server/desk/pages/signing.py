"""Keys and the signature."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request

from server.desk.desk import Desk
from server.desk.draft import Draft
from server.desk.inside import inside
from server.desk.pages import go, show
from server.desk.steps import DESIGN_FOLDER
from server.keys.core_dumps import forbid_core_dumps
from server.keys.signing import sign_design
from server.keys.signing_keys import create_key_pair, load_private_key
from shared.errors import InputError, KeyFileError

KEY_FILE: Final = "key.pem"
_LONGEST_PASSPHRASE: Final = 1024


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/sign")
    def sign() -> str:
        keys = sorted(path.name for path in desk.folder.glob("*.pem") if path.with_suffix(".pub").is_file())
        return show(
            desk,
            "sign.html.j2",
            "sign",
            command=f"roomful sign {DESIGN_FOLDER} --key {keys[0] if keys else KEY_FILE}",
            keys=keys,
            title=title_of(desk.draft()),
        )

    @app.post("/sign/key")
    def make_key() -> Response:
        forbid_core_dumps()
        first, second = _passphrase("passphrase"), _passphrase("passphrase_again")
        if first != second:
            raise KeyFileError("the two passphrases differ", where="passphrase", expected="the same twice")
        create_key_pair(desk.folder / KEY_FILE, first)
        return go(desk, "sign", note="key-made")

    @app.post("/sign")
    def sign_it() -> Response:
        forbid_core_dumps()
        desk.require("sign")
        require_name(desk.draft())
        key = inside(desk.folder, request.form.get("key", ""))
        sign_design(desk.folder / DESIGN_FOLDER, load_private_key(key, _passphrase("passphrase")))
        return go(desk, "publish", note="signed")


def title_of(draft: Draft) -> str:
    """What the survey is called in its first language."""
    title = draft.document.get("title", "")
    return str(title.get(draft.languages[0], "") if isinstance(title, dict) else title)


def require_name(draft: Draft) -> None:
    """Refuse an irreversible step unless the form has the survey's name.

    Raises
    ------
    InputError
        With the code ``input.confirmation``; nothing was changed.
    """
    wanted = title_of(draft)
    if not wanted or request.form.get("name", "").strip() != wanted.strip():
        raise InputError(
            "that is not the survey's name; nothing was changed",
            where="the name",
            expected=wanted,
            code="input.confirmation",
        )


def _passphrase(field: str) -> str:
    text = request.form.get(field, "")
    if len(text) > _LONGEST_PASSPHRASE:
        raise KeyFileError("the passphrase is too long", where="passphrase")
    return text
