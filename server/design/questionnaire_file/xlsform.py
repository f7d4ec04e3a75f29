"""XLSForm: workbooks of ODK, KoboToolbox and others, read by pyxform."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pyxform.errors import PyXFormError
from pyxform.xls2json import workbook_to_json
from pyxform.xls2json_backends import get_xlsform

from server.design.questionnaire_file.drafting import Draft, add_words, leave_words, together, under
from server.design.questionnaire_file.expressions import bounds, from_xlsform
from server.design.questionnaire_file.language_names import UNKNOWN, code_of
from server.design.survey_file.toml_document import read_survey_bytes
from server.wording import quoted
from shared.errors import QuestionnaireError
from shared.limits import MAX_SPECIFICATION_BYTES

_METADATA: Final = [
    "start",
    "end",
    "today",
    "deviceid",
    "username",
    "phonenumber",
    "email",
    "simserial",
    "subscriberid",
    "audit",
    "start-geopoint",
    "background-audio",
    "hidden",
    "xml-external",
    "csv-external",
    "entity",
]
_SELECTS: Final = {
    "select one": "radiogroup",
    "select all that apply": "checkbox",
    "rank": "ranking",
}
_NUMBERS: Final = {"integer": "1", "int": "1", "decimal": "0.01", "range": "1"}
_TEXTS: Final = ("text", "string")
_PLACES: Final = ("geopoint", "geotrace", "geoshape", "start-geopoint")
_LEFT_OUT: Final = {
    "calculate": "Nothing is computed on the page; compute from the released table.",
    "repeat": "Ask a page for each repetition that you expect, each with a visibleIf.",
    "time": "Ask the hour as a number.",
    "datetime": "Ask the day by a date.",
    "dateTime": "Ask the day by a date.",
    **dict.fromkeys(
        _PLACES, "A place tells who somebody is; ask for a region, as an attribute of the design."
    ),
    **dict.fromkeys(
        ("image", "photo", "audio", "video", "file", "barcode"),
        "Nobody can send files; they tell who sent them.",
    ),
    **dict.fromkeys(_METADATA, "It is recorded without being asked, and tells whose device it is."),
}


def import_xlsform(path: Path, languages: tuple[str, ...]) -> Draft:
    """Draft of a workbook or its CSV.

    Outermost groups become pages, inner ones their questions under the group's condition too; notes become
    the description of what follows them.

    Raises
    ------
    QuestionnaireError
        If pyxform does not read it, with what it says.
    """
    size = len(read_survey_bytes(path))
    if size > MAX_SPECIFICATION_BYTES:
        raise _refused(path, f"{size} bytes are too many")
    try:
        form = workbook_to_json(get_xlsform(path), form_name="data", warnings=[])
    except PyXFormError as error:
        raise _refused(path, " ".join(str(error).split())[:300]) from None
    except Exception:  # pyxform and the readers under it have no error of their own for a broken file
        raise _refused(path, "it cannot be read") from None
    names: dict[str, str] = {}
    for name in dict.fromkeys(_languages(form)):
        other = names.setdefault(_code(name), name)
        if other != name:
            raise QuestionnaireError(
                f"the languages {quoted(other)} and {quoted(name)} are both read as {_code(name)}",
                where=path.name,
                expected="a language tag in brackets behind the name, such as label::English (en)",
            )
    reader = _Reader(form, languages, tuple(names))
    reader.read(form["children"])
    if UNKNOWN in names:
        reader.draft.note(
            names[UNKNOWN],
            f"This language is called {UNKNOWN}: its name is not known.",
            "Put its tag behind the name, such as label::English (en).",
        )
    return reader.draft


def _refused(path: Path, reason: str) -> QuestionnaireError:
    return QuestionnaireError(
        f"this is no XLSForm: {reason}",
        where=path.name,
        expected="sheets survey and choices, as on xlsform.org",
    )


class _Reader:
    """Goes through a form and fills a draft."""

    def __init__(self, form: dict[str, Any], languages: tuple[str, ...], found: tuple[str, ...]) -> None:
        own = _code(str(form.get("default_language", "default")))
        self._own = own if own != "default" else "en"
        codes = [self._own, *(code for code in sorted(found) if code != "default")]
        title = form.get("title")
        self.draft = Draft(languages=languages or tuple(dict.fromkeys(codes)))
        if isinstance(title, str) and title not in ("data", form.get("id_string")):
            self.draft.title = dict.fromkeys(self.draft.languages, title)
        self._types = {item["name"]: item["type"] for item in _questions(form["children"])}

    def read(self, children: list[dict[str, Any]]) -> None:
        """Outermost groups become pages, and questions between them too."""
        between: list[dict[str, Any]] = []
        for child in children:
            if child.get("name") == "meta":
                continue
            if child.get("type") == "group":
                self._page(between, {}, None)
                between = []
                condition = self._condition(child)
                title = {"title": self._text(child["label"])} if "label" in child else {}
                self._page(child.get("children", []), title, condition)
            else:
                between.append(child)
        self._page(between, {}, None)

    def _page(self, children: list[dict[str, Any]], page: dict[str, Any], condition: str | None) -> None:
        page["elements"] = []
        waiting: list[tuple[Any, str | None]] = []
        for child, inner in self._flat(children, None):
            if child["type"] == "note":
                waiting.append((self._text(child.get("label", "")), inner))
                continue
            element = self._element(child)
            if element is None:
                continue
            if inner:
                element["visibleIf"] = inner
            for words, shown in waiting:
                if under(shown, inner):
                    add_words(page if not page["elements"] and shown is None else element, words, self.draft)
                else:
                    leave_words(words, self.draft, child["name"])
            waiting = []
            page["elements"].append(element)
        if condition:
            page["visibleIf"] = condition
        self.draft.add_page(page, [words for words, _ in waiting])

    def _flat(
        self, children: list[dict[str, Any]], outer: str | None
    ) -> Iterator[tuple[dict[str, Any], str | None]]:
        for child in children:
            condition = together(outer, self._condition(child))
            if child.get("type") != "group":
                yield child, condition
                continue
            if "label" in child:
                yield {"type": "note", "name": child["name"], "label": child["label"]}, condition
            yield from self._flat(child.get("children", []), condition)

    def _element(self, child: dict[str, Any]) -> dict[str, Any] | None:
        kind, name = child["type"], child["name"]
        look = str(child.get("control", {}).get("appearance", ""))
        element: dict[str, Any] = {"type": kind, "name": name}
        if kind in _SELECTS and look == "label":
            return None  # the head of a table of choices, without a question
        if kind in _SELECTS:
            if not child.get("choices"):
                self._leave(name, "Its choices stand in another file.", "Write them on the sheet choices.")
                return None
            element["type"] = "dropdown" if "minimal" in look or "autocomplete" in look else _SELECTS[kind]
            element["choices"] = [
                {"value": str(c["name"]), "text": self._text(c.get("label", c["name"]))}
                for c in child["choices"]
            ]
            if child.get("choice_filter"):
                self._leave(
                    name, "Choices depended on other answers; all are offered.", "Split the question."
                )
        elif kind in _NUMBERS:
            element |= {"type": "text", "inputType": "number", **self._range(child)}
        elif kind == "date":
            element |= {"type": "text", "inputType": "date"}
        elif kind in _TEXTS:
            element["type"] = "comment" if "multiline" in look else "text"
        elif kind in ("acknowledge", "trigger"):
            validator = {"type": "expression", "expression": f"{{{name}}} = true"}
            element |= {"type": "boolean", "validators": [validator]}
        else:
            self._leave(
                name, f"A question of the type {kind!r} cannot be asked.", _LEFT_OUT.get(kind, "Leave it.")
            )
            return None
        return element | self._asked(child)

    def _asked(self, child: dict[str, Any]) -> dict[str, Any]:
        bind = child.get("bind", {})
        result: dict[str, Any] = {}
        if "label" in child:
            result["title"] = self._text(child["label"])
        if "hint" in child:
            result["description"] = self._text(child["hint"])
        required = str(bind.get("required", "")).strip()
        if required.lower() in ("yes", "true", "true()"):
            result["isRequired"] = True
        elif required and required.lower() not in ("no", "false", "false()"):
            result["requiredIf"] = self._expression(required)
        if "constraint" in bind and child["type"] not in _NUMBERS:
            self._leave(
                child["name"], f"Its constraint is left out: {bind['constraint']:.120}", "Look at it."
            )
        for key in ("default", "trigger"):
            if key in child:
                self._leave(child["name"], "An answer stood there already.", "She gives it herself.")
        return result

    def _range(self, child: dict[str, Any]) -> dict[str, str]:
        step = _NUMBERS[child["type"]]
        if child["type"] == "range":
            given = {**{"start": "0", "end": "10", "step": "1"}, **child.get("parameters", {})}
            return {"min": str(given["start"]), "max": str(given["end"]), "step": str(given["step"])}
        constraint = str(child.get("bind", {}).get("constraint", ""))
        found, whole = bounds(constraint, step)
        if constraint and not whole:
            self._leave(
                child["name"], f"Its constraint is left out: {constraint:.120}", "Give it min and max."
            )
        low, high = found.get("min"), found.get("max")
        if low is None or high is None:
            self._leave(
                child["name"], f"It is asked from {low or 0} to {high or 1000000}.", "Give it min and max."
            )
        return {"min": low or "0", "max": high or "1000000", "step": step}

    def _condition(self, child: dict[str, Any]) -> str | None:
        text = child.get("bind", {}).get("relevant")
        return self._expression(str(text)) if text else None

    def _expression(self, text: str) -> str:
        return from_xlsform(text, lambda name: self._types.get(name) == "select all that apply")

    def _text(self, label: Any) -> dict[str, str] | str:
        if not isinstance(label, dict):
            return re.sub(r"\$\{", "{", str(label))
        texts = {_code(language): re.sub(r"\$\{", "{", str(text)) for language, text in label.items()}
        return {self._own if code == "default" else code: text for code, text in texts.items()}

    def _leave(self, name: str, reason: str, remedy: str) -> None:
        self.draft.note(name, reason, remedy)


def _questions(children: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for child in children:
        yield child
        yield from _questions(child.get("children", []))


def _languages(value: Any) -> Iterator[str]:
    """Languages of the labels of a form, as it calls them."""
    if isinstance(value, list):
        for item in value:
            yield from _languages(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("label", "hint") and isinstance(item, dict):
                yield from item
            else:
                yield from _languages(item)


def _code(language: str) -> str:
    return "default" if language == "default" else code_of(language)
