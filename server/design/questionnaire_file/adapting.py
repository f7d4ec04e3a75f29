"""SurveyJS JSON of any kind, changed into the nearest thing that can be asked here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from server.design.questionnaire_file.drafting import Draft, add_words, leave_words, together, under
from server.design.questionnaire_file.surveyjs import languages_of, respelled

_TYPES: Final = {"tagbox": "checkbox", "buttongroup": "radiogroup"}
_PANELS: Final = ("panel", "flowpanel")
_NUMBERS: Final = {"range": "number"}
_BOUNDS: Final = {"numeric": ("minValue", "min", "maxValue", "max"), "text": ("maxLength", "maxLength")}
_OF_SEVERAL: Final = {"type", "name", "title", "description", "visibleIf", "elements", "items"}
_SURVEY_LOOKS: Final = "Nothing of it is shown; the page looks the same in every survey."


def import_surveyjs(value: Any, languages: tuple[str, ...]) -> Draft:
    """Draft of a document in SurveyJS JSON.

    Panels become their elements, each under the panel's condition too; HTML becomes the description of what
    follows; types that differ only in looks become those that are permitted. Everything else is left to
    :func:`server.design.questionnaire_file.checking.check`.
    """
    codes = languages or languages_of(value)
    document = respelled(value, codes)
    draft = Draft(languages=codes, title=document.title)
    holder = document.value if isinstance(document.value, dict) else {}
    others = sorted(set(holder) - {"pages"})
    if others:
        draft.note(", ".join(others), "These say how the survey looks or ends.", _SURVEY_LOOKS)
    for number, page in enumerate(holder.get("pages") or []):
        if isinstance(page, dict):
            elements = page.get("elements")
            rest = {key: item for key, item in page.items() if key != "elements"}
            _add_page(rest, [*_flat(elements, None, draft)], draft, f"pages[{number}]")
    return draft


def _flat(elements: Any, condition: str | None, draft: Draft) -> Iterator[dict[str, Any]]:
    for element in elements if isinstance(elements, list) else ():
        if not isinstance(element, dict):
            continue
        name = str(element.get("name", ""))
        both = together(condition, element.get("visibleIf"))
        if element.get("visible") is False and "visibleIf" not in element:
            draft.note(name, "It is never shown.", "Nobody is asked it.")
        elif element.get("type") in _PANELS:
            yield from _about_several(element, both, draft)
            yield from _flat(element.get("elements"), both, draft)
        elif element.get("type") == "html":
            yield _words(element.get("html"), both)
        elif element.get("type") == "multipletext":
            yield from _about_several(element, both, draft)
            yield from _flat([*_items(element)], both, draft)
        else:
            yield _adapted(element | ({"visibleIf": both} if both else {}), draft)


def _about_several(element: dict[str, Any], condition: str | None, draft: Draft) -> Iterator[dict[str, Any]]:
    """The words of a panel, or of a question with several fields; what else it has is left out."""
    others = sorted(set(element) - _OF_SEVERAL)
    if others:
        name = str(element.get("name", ""))
        draft.note(name, f"These are left out: {', '.join(others)}.", "Say them of its elements.")
    for key in ("title", "description"):
        if element.get(key):
            yield _words(element[key], condition)


def _words(text: Any, condition: str | None) -> dict[str, Any]:
    """Words without a question; they are put before the next one."""
    return {"type": "", "words": text, "visibleIf": condition}


def _items(element: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in element.get("items") or []:
        if isinstance(item, dict):
            yield item | {"type": "text", "name": f"{element.get('name')}_{item.get('name')}"}


def _adapted(element: dict[str, Any], draft: Draft) -> dict[str, Any]:
    kind = element.get("type")
    element["type"] = _TYPES.get(str(kind), kind)
    if kind == "text" and element.get("inputType") in _NUMBERS:
        element["inputType"] = _NUMBERS[element["inputType"]]
    if kind == "text":
        _limits(element)
    if kind == "text" and element.get("inputType") == "number" and not {"min", "max"} <= element.keys():
        low, high = element.get("min", 0), element.get("max", 1_000_000)
        step = element.get("step", 1)
        reason = f"It is asked from {low} to {high} in steps of {step}."
        draft.note(str(element.get("name", "")), reason, "Give it min, max and step.")
    if kind == "rating" and isinstance(element.get("rateValues"), list):
        element["type"], element["choices"] = "radiogroup", element.pop("rateValues")
        for name in ("rateMin", "rateMax", "rateCount"):
            element.pop(name, None)
    if kind == "rating" and isinstance(element.get("rateCount"), int):
        element.setdefault("rateMax", element.pop("rateCount") + element.get("rateMin", 1) - 1)
    if kind == "matrix" and element.pop("isAllRowRequired", False):
        element["isRequired"] = True
    return element


def _limits(element: dict[str, Any]) -> None:
    """Validators of a number or a text, as what they are here."""
    rest = []
    for validator in element.get("validators") or []:
        kind = validator.get("type") if isinstance(validator, dict) else None
        names = _BOUNDS.get(str(kind))
        if names is None or (kind == "numeric" and element.get("inputType") not in (None, "number")):
            rest.append(validator)
            continue
        if kind == "numeric":
            element["inputType"] = "number"
        for theirs, ours in zip(names[::2], names[1::2], strict=True):
            if theirs in validator:
                element.setdefault(ours, validator[theirs])
    if "validators" in element:
        element["validators"] = rest
        if not rest:
            del element["validators"]


def _add_page(page: dict[str, Any], elements: list[dict[str, Any]], draft: Draft, where: str) -> None:
    """Add a page, with words put to the question that follows them, or to the page if all are told them."""
    page["elements"] = []
    waiting: list[dict[str, Any]] = []
    for element in elements:
        if element["type"] == "":
            waiting.append(element)
            continue
        for words in waiting:
            if under(words["visibleIf"], element.get("visibleIf")):
                everybody = not page["elements"] and words["visibleIf"] is None
                add_words(page if everybody else element, words["words"], draft)
            else:
                leave_words(words["words"], draft, where)
        waiting = []
        page["elements"].append(element)
    draft.add_page(page, [words["words"] for words in waiting])
