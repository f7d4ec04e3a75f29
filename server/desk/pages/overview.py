"""The list of steps, and what the survey is called and who answers for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug.datastructures import MultiDict

from server.desk.desk import Desk
from server.desk.draft import Draft
from server.desk.pages import go, show
from server.desk.steps import COMMAND_ONLY, FINAL
from server.files import write_file
from shared.errors import SurveyFileError
from shared.limits import MAX_LOGO_BYTES
from shared.pictures import FORMATS, data_url

PAGE_OF: Final = {
    "population": ("population", ""),
    "attributes": ("population", "columns"),
    "promise": ("promise", ""),
    "about": ("about", ""),
    "questions": ("questions", ""),
    "design": ("design", ""),
    "sign": ("sign", ""),
    "publish": ("publish", ""),
    "open": ("publish", "open"),
    "collect": ("collect", ""),
    "close": ("collect", "close"),
    "release": ("release", ""),
    "codes": ("roles", "codes"),
    "keys": ("roles", "registrar"),
    "ceremony": ("roles", "trustees"),
    "letters": ("roles", "codes"),
    "rehearsal": ("roles", "trustees"),
    "board": ("roles", "organizer"),
    "opening": ("roles", "trustees"),
}
"""Step -> its page, and the part of it."""

MOMENTS: Final = ("opens", "closes")
LOGO_FILE: Final = "logo"
"""In the survey's folder; what it is, its first bytes say."""


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.context_processor
    def steps() -> dict[str, Any]:
        return {"page_of": PAGE_OF, "final": FINAL, "command_only": COMMAND_ONLY}

    @app.get("/")
    def overview() -> str:
        return show(desk, "overview.html.j2", "overview", draft=desk.draft())

    @app.get("/about")
    def about() -> str:
        return show(
            desk,
            "about.html.j2",
            "about",
            draft=desk.draft(),
            moments=_shown(desk.draft()),
            logo_formats=tuple(FORMATS),
            logo_kilobytes=MAX_LOGO_BYTES // 1024,
            command="roomful design survey.toml --out survey",
        )

    @app.post("/about")
    def save_about() -> Response:
        form, draft = request.form, desk.draft()
        languages = [part.strip() for part in form.get("languages", "en").split(",") if part.strip()] or [
            "en"
        ]
        texts = {
            key: {language: form.get(f"{key}-{language}", "").strip() for language in languages}
            for key in ("title", "description")
        }
        if not texts["title"][languages[0]]:
            raise SurveyFileError("the survey has no title", where="title", expected="a few words")
        days = form.get("retention_days", "365").strip()
        if not (days.isascii() and days.isdigit()):
            raise SurveyFileError("this is no number of days", where="retention_days", expected="1 to 36500")
        organizer = {key: form.get(key, "").strip() for key in ("name", "contact")}
        if not all(organizer.values()):
            raise SurveyFileError(
                "somebody has to answer for the survey", where="organizer", expected="name, contact"
            )
        first = texts["title"][languages[0]]
        description = texts["description"][languages[0]]
        draft.saved(
            languages=languages,
            title={language: text or first for language, text in texts["title"].items()},
            description={language: text or description for language, text in texts["description"].items()}
            if description
            else None,
            retention_days=int(days),
            organizer=organizer,
            period={name: moment for name in MOMENTS if (moment := _moment(form.get(name, ""), name))}
            or None,
            logo=_logo(draft, form, languages, first),
        )
        return go(desk, "about" if set(languages) != set(draft.languages) else "overview", note="saved")


def _logo(draft: Draft, form: MultiDict[str, str], languages: list[str], title: str) -> dict[str, Any] | None:
    """The section ``logo``: the file that was sent now, or the one that is there."""
    sent = request.files.get("logo")
    if form.get("no_logo"):
        return None
    logo = draft.section("logo")
    if sent is not None and sent.filename:
        content = sent.stream.read(MAX_LOGO_BYTES + 1)
        if data_url(content) is None or len(content) > MAX_LOGO_BYTES:
            raise SurveyFileError(
                "this can be no logo",
                where="logo",
                expected=f"{' or '.join(FORMATS)}, at most {MAX_LOGO_BYTES} bytes",
            )
        logo["file"] = LOGO_FILE
        write_file(draft.folder / LOGO_FILE, content)
    if "file" not in logo:
        return None
    alt = {language: form.get(f"alt-{language}", "").strip() or title for language in languages}
    return logo | {"alt": alt}


def _moment(text: str, name: str) -> datetime | None:
    """A day and time of this machine's zone, as browsers send it; None without."""
    if not text.strip():
        return None
    try:
        return datetime.fromisoformat(text.strip()).replace(second=0, microsecond=0).astimezone()
    except ValueError:
        raise SurveyFileError(
            "this is no day with a time", where=f"period.{name}", expected="such as 2030-12-01T08:00"
        ) from None


def _shown(draft: Draft) -> dict[str, str]:
    """The moments of the draft in this machine's zone, as browsers take them."""
    found = draft.section("period")
    return {
        name: found[name].astimezone().strftime("%Y-%m-%dT%H:%M")
        if isinstance(found.get(name), datetime)
        else ""
        for name in MOMENTS
    }
