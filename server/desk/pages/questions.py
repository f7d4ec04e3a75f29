"""The questions: a builder for every permitted type; what it writes is questions.json."""

from __future__ import annotations

import json
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug.datastructures import MultiDict

from server.desk.desk import Desk
from server.desk.draft import QUESTIONS_FILE, Draft
from server.desk.inside import inside
from server.desk.pages import go, show
from server.files import read_file, write_file
from shared.errors import InputError, QuestionnaireError
from shared.limits import MAX_SPECIFICATION_BYTES
from shared.questionnaire import ELEMENT_TYPES, Questionnaire
from shared.strict_json import loads

CHOSEN: Final = frozenset({"radiogroup", "dropdown", "checkbox"})
BUILT: Final = CHOSEN | {"rating", "boolean", "text", "comment"}
"""Types with a form of their own; any other permitted one is edited as JSON."""


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/questions")
    def questions() -> str:
        draft = desk.draft()
        return show(
            desk,
            "questions.html.j2",
            "questions",
            command="roomful design survey.toml --out survey",
            places=_places(_document(draft)),
            types=ELEMENT_TYPES,
            built=BUILT,
            chosen=CHOSEN,
            file=_name(draft),
            draft=draft,
            free_text=bool(draft.section("questionnaire").get("free_text")),
            languages_of_survey=draft.languages,
            entered_element=_entered(desk, draft.languages),
            as_json=lambda value: json.dumps(value, ensure_ascii=False, indent=1),
        )

    @app.post("/questions")
    def change() -> Response:
        draft, form = desk.draft(), request.form
        document = _document(draft)
        pages = document.setdefault("pages", [])
        action = form.get("action", "")
        if action == "add":
            element = _element(form, {}, draft.languages)
            if not pages or form.get("new_page"):
                pages.append({"elements": []})
            pages[-1]["elements"].append(element)
        else:
            page, place = _place(form, pages)
            elements = pages[page]["elements"]
            if action == "save":
                elements[place] = _element(form, elements[place], draft.languages)
            elif action == "remove":
                del elements[place]
            elif action in ("up", "down"):
                _move(pages, page, place, -1 if action == "up" else 1)
        document["pages"] = [page for page in pages if page["elements"]]
        _save(desk, draft, document, free_text=bool(form.get("free_text")) or None)
        return go(desk, "questions", note="saved")

    @app.post("/questions/import")
    def take() -> Response:
        draft = desk.draft()
        sent = request.files.get("file")
        if sent is None or not sent.filename:
            raise InputError("no file was chosen", where="the upload")
        data = sent.stream.read().removeprefix(b"\xef\xbb\xbf")
        value = loads(data, error=QuestionnaireError, where=sent.filename, max_bytes=MAX_SPECIFICATION_BYTES)
        if not isinstance(value, dict):
            raise QuestionnaireError(
                "this is no questionnaire", where=sent.filename, expected="SurveyJS JSON"
            )
        _save(desk, draft, value)
        return go(desk, "questions", note="saved")


def _entered(desk: Desk, languages: list[str]) -> dict[str, Any]:
    """What stood in the form for a new question when it was refused."""
    entered = desk.entered
    if entered.get("action") != "add":
        return {}
    plain = ("name", "rateMin", "rateMax", "min", "max", "step")
    return {
        **{key: entered[key] for key in plain if key in entered},
        "title": {language: entered.get(f"title-{language}", "") for language in languages},
        "choices": [line for line in entered.get("choices", "").splitlines() if line.strip()],
        "isRequired": "required" in entered,
    }


def _name(draft: Draft) -> str:
    return str(draft.section("questionnaire").get("file", QUESTIONS_FILE))


def _document(draft: Draft) -> dict[str, Any]:
    """The questionnaire as it stands; empty if there is none.

    Raises
    ------
    QuestionnaireError
        If the file is no JSON object.
    """
    path = inside(draft.folder, _name(draft))
    if not path.is_file():
        return {"pages": []}
    data = read_file(path, "a questionnaire", MAX_SPECIFICATION_BYTES).removeprefix(b"\xef\xbb\xbf")
    value = loads(data, error=QuestionnaireError, where=path.name, max_bytes=MAX_SPECIFICATION_BYTES)
    if isinstance(value, dict) and isinstance(value.get("pages", []), list):
        return value
    raise QuestionnaireError("this is no questionnaire", where=path.name, expected='{"pages": [...]}')


def _save(desk: Desk, draft: Draft, document: dict[str, Any], *, free_text: bool | None = None) -> None:
    """Write a questionnaire that is permitted; an empty one is taken out of survey.toml.

    Raises
    ------
    QuestionnaireError
        Naming the question and what is permitted; nothing is changed then.
    """
    section = draft.section("questionnaire")
    if not document.get("pages"):
        draft.saved(questionnaire=None)
        inside(desk.folder, _name(draft)).unlink(missing_ok=True)
        return
    parsed = Questionnaire.parse(document, tuple(draft.languages), "")
    allowed = bool(free_text) or bool(section.get("free_text"))
    if parsed.has_free_text and not allowed:
        raise QuestionnaireError(
            "a question asks for free text, which can identify its writer",
            where="questions",
            expected="closed answers",
            remedy="Choose another type, or tick that free text is allowed: respondents are then warned.",
        )
    data = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_file(inside(desk.folder, _name(draft)), data.encode("utf-8"))
    changed = section | {"file": _name(draft)} | ({"free_text": True} if parsed.has_free_text else {})
    if not parsed.has_free_text:
        changed.pop("free_text", None)
    if changed != section:
        draft.saved(questionnaire=changed)


def _places(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Every element with where it stands."""
    return [
        {"page": page, "place": place, "element": element}
        for page, contents in enumerate(document.get("pages", []))
        if isinstance(contents, dict)
        for place, element in enumerate(contents.get("elements", []))
        if isinstance(element, dict)
    ]


def _place(form: MultiDict[str, str], pages: list[Any]) -> tuple[int, int]:
    page, place = form.get("at_page", ""), form.get("at_place", "")
    if page.isdecimal() and place.isdecimal() and int(page) < len(pages):
        elements = pages[int(page)].get("elements", [])
        if int(place) < len(elements):
            return int(page), int(place)
    raise InputError("there is no such question any more", where="the form", remedy="Load the page again.")


def _move(pages: list[Any], page: int, place: int, step: int) -> None:
    """A question up or down, over the ends of pages too."""
    elements = pages[page]["elements"]
    if 0 <= place + step < len(elements):
        elements.insert(place + step, elements.pop(place))
    elif 0 <= page + step < len(pages):
        other = pages[page + step]["elements"]
        other.insert(len(other) if step < 0 else 0, elements.pop(place))


def _element(form: MultiDict[str, str], before: dict[str, Any], languages: list[str]) -> dict[str, Any]:
    """A question as its form says it."""
    kind = form.get("type", "")
    if raw := form.get("json", "").strip():
        value = loads(
            raw.encode("utf-8"),
            error=QuestionnaireError,
            where="the question",
            max_bytes=MAX_SPECIFICATION_BYTES,
        )
        if isinstance(value, dict):
            return value
        raise QuestionnaireError("this is no question", where="the question", expected="a JSON object")
    element: dict[str, Any] = {"type": kind, "name": form.get("name", "").strip()}
    for key in ("title", "description"):
        texts = {language: form.get(f"{key}-{language}", "").strip() for language in languages}
        first = texts[languages[0]]
        if any(texts.values()):
            full = {language: text or first for language, text in texts.items()}
            element[key] = full if len(languages) > 1 else first
    if form.get("required"):
        element["isRequired"] = True
    if kind in CHOSEN:
        element["choices"] = _choices(form, languages)
    elif kind == "rating":
        element |= {key: _whole(form, key) for key in ("rateMin", "rateMax") if form.get(key, "").strip()}
    elif kind == "text":
        element["inputType"] = "number"
        element |= {key: form[key].strip() for key in ("min", "max", "step") if form.get(key, "").strip()}
    elif kind == "comment" and form.get("maxLength", "").strip():
        element["maxLength"] = _whole(form, "maxLength")
    for key, value in before.items():
        # What the form has no field for is kept, as long as the type is the same.
        if before.get("type") == kind and key not in element and key not in _FIELDS:
            element[key] = value
    return element


_FIELDS: Final = frozenset(
    {"title", "description", "isRequired", "choices", "rateMin", "rateMax", "min", "max", "step", "maxLength"}
)


def _choices(form: MultiDict[str, str], languages: list[str]) -> list[Any]:
    """One choice a line: ``value``, or ``value | text | text`` with a text for each language."""
    found: list[Any] = []
    for line in form.get("choices", "").splitlines():
        value, *texts = (part.strip() for part in line.split("|"))
        if not value:
            continue
        if not texts:
            found.append(value)
            continue
        shown = dict(zip(languages, [*texts, *[texts[0]] * len(languages)], strict=False))
        found.append({"value": value, "text": shown if len(languages) > 1 else texts[0]})
    return found


def _whole(form: MultiDict[str, str], key: str) -> int:
    text = form.get(key, "").strip()
    try:
        return int(text)
    except ValueError:
        raise QuestionnaireError("this is no whole number", where=key, expected="such as 5") from None
