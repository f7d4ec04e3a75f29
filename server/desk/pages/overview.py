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
from server.wording import quoted
from shared.errors import SurveyFileError
from shared.fields import is_language
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
        languages = _languages(form) or draft.languages
        if set(languages) != set(draft.languages):
            draft.saved(languages=languages, logo=_logo(draft, form, languages, ""))
            desk.entered = _carried(form, languages)
            return go(desk, "about", note="languages")
        title = _texts(form, "title", languages)
        if not form.get(f"title-{languages[0]}", "").strip() or title is None:
            raise SurveyFileError("the survey has no title", where="title", expected="a few words")
        days = form.get("retention_days", "365").strip()
        if not (days.isascii() and days.isdigit()):
            raise SurveyFileError("this is no number of days", where="retention_days", expected="1 to 36500")
        organizer = {key: form.get(key, "").strip() for key in ("name", "contact")}
        if not all(organizer.values()):
            raise SurveyFileError(
                "somebody has to answer for the survey", where="organizer", expected="name, contact"
            )
        draft.saved(
            languages=languages,
            title=title,
            description=_texts(form, "description", languages),
            retention_days=int(days),
            organizer=organizer,
            period={name: moment for name in MOMENTS if (moment := _moment(form.get(name, ""), name))}
            or None,
            logo=_logo(draft, form, languages, title[languages[0]]),
        )
        return go(desk, "overview", note="saved")


def _languages(form: MultiDict[str, str]) -> list[str]:
    """Languages of the form, in its order.

    Raises
    ------
    SurveyFileError
        For what is no language tag.
    """
    found = [part.strip() for part in form.get("languages", "").split(",") if part.strip()]
    for language in found:
        if not is_language(language):
            raise SurveyFileError(
                f"{quoted(language)} is not a language", where="languages", expected="tags such as en, de"
            )
    return list(dict.fromkeys(found))


def _texts(form: MultiDict[str, str], key: str, languages: list[str]) -> dict[str, str] | None:
    """What was typed, with the first text in the place of those that are empty; None where nothing was."""
    typed = {name: text.strip() for name, text in form.items() if name.startswith(f"{key}-") and text.strip()}
    if not typed:
        return None
    first = typed.get(f"{key}-{languages[0]}", next(iter(typed.values())))
    return {language: typed.get(f"{key}-{language}", first) for language in languages}


def _carried(form: MultiDict[str, str], languages: list[str]) -> dict[str, str]:
    """What was typed, for the fields of other languages; in place of the only language it moves along."""
    carried = form.to_dict()
    for key in ("title", "description", "alt"):
        typed = _texts(form, key, languages)
        if typed and not any(f"{key}-{language}" in form for language in languages):
            carried[f"{key}-{languages[0]}"] = typed[languages[0]]
    return carried


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
