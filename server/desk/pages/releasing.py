"""The release: what is joined or withheld, the report, every export."""

from __future__ import annotations

import secrets
from typing import Any, Final

from flask import Flask, Response, request

from server.desk.desk import Desk
from server.desk.pages import go, show
from server.desk.pages.signing import require_name, title_of
from server.desk.pages.trying import own_report
from server.desk.steps import RELEASE_FOLDER, published_store
from server.progress import StageProgress
from server.release.exports import FORMATS
from server.release.workflow import release_survey
from shared.errors import NotFoundError

_QUICK_SECONDS: Final = 2
"""A small release is shown at once."""


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/release")
    def release() -> str:
        job = desk.jobs.state  # before what it changes: a page that says "done" shows what came of it
        store = published_store(desk.folder, desk.data)
        name = "ID" if store is None else store.id
        return show(
            desk,
            "release.html.j2",
            "release",
            command=f"roomful release {name} --data {desk.data.path} --out {RELEASE_FOLDER} --format sav",
            store=store,
            state=None if store is None else store.state,
            formats=[name for name in FORMATS if name != "csv"],  # which is always there
            files=_files(desk),
            job=job,
            rule=None if store is None else store.specification.release,
            invited=store is not None and store.specification.invited is not None,
            title=title_of(desk.draft()),
        )

    @app.post("/release")
    def release_it() -> Response:
        require_name(desk.draft())
        store = desk.published()
        formats = [name for name in request.form.getlist("formats") if name in FORMATS]
        shuffle, out = secrets.SystemRandom().shuffle, desk.folder / RELEASE_FOLDER

        def work(_: StageProgress) -> dict[str, Any]:
            return release_survey(desk.data, store.id, out, shuffle, None, formats).figures()

        desk.jobs.start("release", work)
        desk.jobs.wait(_QUICK_SECONDS)
        return go(desk, "release")

    @app.get("/release/file/<name>")
    def file(name: str) -> Response:
        if name not in _files(desk):
            raise NotFoundError("there is no such file in the release")
        data = (desk.folder / RELEASE_FOLDER / name).read_bytes()
        response = Response(data, content_type="application/octet-stream")
        response.headers.set("Content-Disposition", "attachment", filename=name)
        return response

    @app.get("/report/release")
    def release_report() -> Response:
        return own_report(desk.folder / RELEASE_FOLDER / "report.html")


def _files(desk: Desk) -> tuple[str, ...]:
    folder = desk.folder / RELEASE_FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_file() and not path.is_symlink()))
