"""The questions: a builder for every permitted type; what it writes is questions.json."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from flask import Flask, Response, request
from werkzeug.datastructures import MultiDict

from server.design.questionnaire_file.importing import FORMATS, import_questionnaire
from server.desk.desk import Desk
from server.desk.draft import QUESTIONS_FILE, Draft
from server.desk.inside import inside
from server.desk.pages import go, show
from server.desk.steps import DESIGN_FOLDER
from server.desk.texts import typed
from server.files import read_file, write_file
from shared.errors import InputError, QuestionnaireError
from shared.limits import MAX_SPECIFICATION_BYTES
from shared.questionnaire import Questionnaire
from shared.strict_json import loads

CHOSEN: Final = frozenset({"radiogroup", "dropdown", "checkbox", "ranking"})
BUILT: Final = (
    "radiogroup", "dropdown", "checkbox", "ranking", "matrix", "rating", "boolean", "number", "date",
    "comment",
)  # fmt: skip
"""Types with a form of their own; any other permitted one is edited as JSON."""
_INPUTS: Final = ("number", "date")
"""Types that SurveyJS has as kinds of ``text``."""


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/questions")
    def questions() -> str:
        draft = desk.draft()
        refused = desk.entered.get("type") if desk.entered.get("action") == "add" else None
        adding = refused or request.args.get("type", "")
        left_out, desk.left_out = desk.left_out, ()
        return show(
            desk,
            "questions.html.j2",
            "questions",
            command=f"roomful questionnaire check {_name(draft)}",
            places=_places(_document(draft)),
            built=BUILT,
            chosen=CHOSEN,
            kind_of=_kind_of,
            adding=adding if adding in BUILT else "",
            left_out=left_out,
            preview=desk.preview.address,
            formats=FORMATS,
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
            element = _element(desk.language, form, {}, draft.languages)
            if not pages or form.get("new_page"):
                pages.append({"elements": []})
            pages[-1]["elements"].append(element)
        else:
            page, place = _place(form, pages)
            elements = pages[page]["elements"]
            if action == "save":
                elements[place] = _element(desk.language, form, elements[place], draft.languages)
            elif action == "remove":
                del elements[place]
            elif action in ("up", "down"):
                _move(pages, page, place, -1 if action == "up" else 1)
            elif action == "move":
                _drop(form, pages, page, place)
        document["pages"] = [page for page in pages if page["elements"]]
        _save(desk, draft, document, free_text=bool(form.get("free_text")) or None)
        return go(desk, "questions", note="saved")

    @app.post("/questions/import")
    def take() -> Response:
        draft = desk.draft()
        sent = request.files.get("file")
        if sent is None or not sent.filename:
            raise InputError("no file was chosen", where="the upload")
        with TemporaryDirectory(prefix="roomful-desk-") as folder:
            path = Path(folder) / f"import{Path(sent.filename).suffix.lower()}"
            path.write_bytes(sent.stream.read())
            imported = import_questionnaire(path, tuple(draft.document.get("languages", ())))
        checked = imported.finished()
        if checked.questionnaire is None:
            desk.left_out = checked.refusals
            raise QuestionnaireError(
                "nothing of it can be asked", where=sent.filename, expected="one question at least"
            )
        if "languages" not in draft.document:
            draft = draft.saved(languages=list(imported.languages))
        _save(desk, draft, checked.questionnaire.to_object(), free_text=bool(request.form.get("free_text")))
        desk.left_out = checked.refusals
        return go(desk, "questions", note="saved")

    @app.post("/questions/preview")
    def preview() -> Response:
        draft, designed = desk.draft(), None
        if desk.progress().done("design"):
            designed = desk.folder / DESIGN_FOLDER
        desk.preview.start(draft, designed)
        return go(desk, "questions", anchor="preview")

    @app.post("/questions/preview/end")
    def end_preview() -> Response:
        desk.preview.end()
        return go(desk, "questions", anchor="preview")


def _entered(desk: Desk, languages: list[str]) -> dict[str, Any]:
    """What stood in the form of a question when it was refused, as the forms show a question."""
    entered = desk.entered
    if entered.get("action") not in ("add", "save"):
        return {}
    plain = ("name", "rateMin", "rateMax", "min", "max", "step", "maxLength", "visibleIf", "requiredIf")
    return {
        **{key: entered[key] for key in plain if key in entered},
        **{
            key: {language: entered.get(f"{key}-{language}", "") for language in languages}
            for key in ("title", "unit")
        },
        **{
            key: [line for line in entered.get(key, "").splitlines() if line.strip()]
            for key in ("choices", "rows", "columns")
        },
        "isRequired": "required" in entered,
        "entered": True,
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
    desk.preview.end()  # it shows what was there before
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


def _drop(form: MultiDict[str, str], pages: list[Any], page: int, place: int) -> None:
    """A question before or after another one, on that one's page."""
    to_page, _, to_place = form.get("to", "").partition("-")
    other_page, other = _place(MultiDict({"at_page": to_page, "at_place": to_place}), pages)
    if (other_page, other) == (page, place):
        return
    target = pages[other_page]["elements"][other]
    moved = pages[page]["elements"].pop(place)
    elements = pages[other_page]["elements"]
    beside = next(at for at, element in enumerate(elements) if element is target)
    elements.insert(beside + (form.get("side") == "after"), moved)


def _element(
    desk_language: str, form: MultiDict[str, str], before: dict[str, Any], languages: list[str]
) -> dict[str, Any]:
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
    if kind in _INPUTS:
        element |= {"type": "text", "inputType": kind}
    for key in ("title", "unit"):
        texts = {language: form.get(f"{key}-{language}", "").strip() for language in languages}
        first = texts[languages[0]]
        if any(texts.values()):
            full = {language: text or first for language, text in texts.items()}
            element[key] = full if len(languages) > 1 else first
    if form.get("required"):
        element["isRequired"] = True
    if kind in CHOSEN:
        element["choices"] = _choices(form, languages, "choices")
    elif kind == "matrix":
        element |= {key: _choices(form, languages, key) for key in ("rows", "columns")}
    elif kind == "rating":
        element |= {key: _whole(form, key) for key in ("rateMin", "rateMax") if form.get(key, "").strip()}
    elif kind in _INPUTS:
        element |= {
            key: text for key in ("min", "max", "step") if (text := typed(desk_language, form.get(key, "")))
        }
    elif kind == "comment" and form.get("maxLength", "").strip():
        element["maxLength"] = _whole(form, "maxLength")
    element |= {key: form[key].strip() for key in ("visibleIf", "requiredIf") if form.get(key, "").strip()}
    for key, value in before.items():
        # What the form has no field for is kept, as long as the type is the same.
        if before.get("type") == element["type"] and key not in element and key not in _FIELDS:
            element[key] = value
    return element


_FIELDS: Final = (
    "title", "isRequired", "choices", "rows", "columns", "rateMin", "rateMax", "min", "max", "step",
    "unit",    "maxLength", "visibleIf", "requiredIf",
)  # fmt: skip
"""Properties that have a field, so that an empty field takes them away."""


def _kind_of(element: dict[str, Any]) -> str:
    """The type of a question in the builder's words; empty if it is edited as JSON."""
    kind = str(element.get("type"))
    if kind == "text":
        kind = str(element.get("inputType"))
    return kind if kind in BUILT else ""


def _choices(form: MultiDict[str, str], languages: list[str], key: str) -> list[Any]:
    """One choice a line: ``value``, or ``value | text | text`` with a text for each language."""
    found: list[Any] = []
    for line in form.get(key, "").splitlines():
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
