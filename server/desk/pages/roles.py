"""Invited surveys: who does what, a page for each role, and the files that come here from others."""

from __future__ import annotations

from typing import Any, Final

from flask import Flask, Response, request

from server.desk.desk import Desk
from server.desk.inside import inside
from server.desk.pages import go, show
from server.desk.roles import HANDED, ROLES, is_here
from server.desk.steps import published_store
from server.files import write_new
from shared.errors import InputError, NotFoundError, RoomfulError, SurveyFileError

_RELAY_NUMBERS: Final = ("messages", "seconds")


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/roles")
    def roles() -> str:
        invited = desk.draft().section("invited")
        return show(
            desk,
            "roles.html.j2",
            "roles",
            command="roomful design survey.toml --out survey",
            roles=ROLES,
            invited=invited,
            handed=[(file, is_here(file, desk.folder, invited)) for file in HANDED],
        )

    @app.get("/roles/<name>", endpoint="role")
    def role(name: str) -> str:
        if name not in ROLES:
            raise NotFoundError("there is no such role")
        store = published_store(desk.folder, desk.data)
        return show(
            desk,
            "role.html.j2",
            "role",
            role=name,
            tasks=ROLES[name],
            survey=None if store is None else store.id,
            receives=[file.name for file in HANDED if file.role == name],
        )

    @app.post("/roles")
    def save_roles() -> Response:
        form, draft = request.form, desk.draft()
        if not form.get("invited"):
            draft.saved(invited=None)
            return go(desk, "roles", note="saved")
        invited: dict[str, Any] = draft.section("invited") | {
            "people": _number(form.get("people", ""), "people")
        }
        url = form.get("url", "").strip()
        invited.pop("relay", None)
        if url:
            numbers = {name: _number(form.get(name, ""), f"relay.{name}") for name in _RELAY_NUMBERS}
            invited["relay"] = {"url": url, **numbers}
        draft.saved(invited=invited)
        return go(desk, "roles", note="saved")

    @app.post("/roles/file")
    def take_file() -> Response:
        kind = next((file for file in HANDED if file.name == request.form.get("kind")), None)
        sent = request.files.get("file")
        if kind is None or kind.read is None or sent is None or not sent.filename:
            raise InputError("no file was chosen", where="the upload")
        data = sent.stream.read(kind.max_bytes + 1)
        if not data.startswith(kind.begins):
            raise _refused(kind.name, "it begins otherwise")
        path = inside(desk.folder, kind.name)
        if path.exists():
            raise InputError(
                "a file of this name is in the folder", where=kind.name, remedy="Move it away first."
            )
        try:
            write_new(path, data)
        except OSError as problem:
            raise InputError(f"cannot be written ({problem.strerror})", where=kind.name) from None
        try:
            kind.read(path)
        except RoomfulError as problem:
            path.unlink()
            raise _refused(kind.name, problem.message) from None
        draft = desk.draft()
        draft.saved(invited=draft.section("invited") | {kind.setting: kind.name})
        return go(desk, "roles", note="uploaded")


def _refused(name: str, message: str) -> InputError:
    return InputError(
        f"this is not {name}: {message}",
        where="the upload",
        remedy="Take what is public. Words of trustees, private keys and codes stay where they are.",
        code="input.handed",
    )


def _number(text: str, where: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise SurveyFileError("this is no whole number", where=f"invited.{where}", expected="such as 700")
    return int(text)
