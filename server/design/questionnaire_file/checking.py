"""Every refusal of a questionnaire at once, with path, reason and remedy, and what is left without them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from server.design.questionnaire_file.remedies import PROPERTIES, TYPES
from shared.errors import QuestionnaireError, RoomfulError
from shared.questionnaire import Page, Questionnaire, add_questions, parse_page
from shared.questions import ELEMENT_TYPES, Element, Question, element_class, parse_element

_NEEDED: Final = (
    "type",
    "name",
    "inputType",
    "choices",
    "rows",
    "columns",
    "elements",
    "imageLink",
    "altText",
)
"""Properties without which an element would be another one, or none."""
_PAGE: Final = ("name", "title", "description", "visibleIf", "elements")
_ITEMS: Final = ("choices", "rows", "columns")
_UNKNOWN_NAME: Final = re.compile(r"the condition names '(?P<name>[^']*)'")
_PROBE: Final = {"type": "boolean", "name": "an-element-that-no-questionnaire-has"}
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Something that a questionnaire cannot have.

    Attributes
    ----------
    path : str
        Where it is in the file, such as ``pages[0].elements[2].choices``.
    reason, remedy : str
        What is wrong, and what to do; sentences.
    name : str
        Of the question or element, if it has one.
    """

    path: str
    reason: str
    remedy: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A questionnaire and what was refused of it.

    Attributes
    ----------
    refusals : tuple of Refusal
        In the order of the file; none if it can be used as it is.
    questionnaire : Questionnaire or None
        What is left without all that was refused; None if no question is.
    """

    refusals: tuple[Refusal, ...]
    questionnaire: Questionnaire | None


def check(value: Any, languages: tuple[str, ...]) -> Checked:
    """Refuse everything that is not permitted, and go on without it.

    Parameters
    ----------
    value : object
        In our spelling (:func:`server.design.questionnaire_file.surveyjs.respelled`).
    languages : tuple of str
        Of the survey.

    Notes
    -----
    Guarantee: there is no refusal exactly if :meth:`Questionnaire.parse` takes the document.

    What an element cannot have is refused and dropped, until the element is taken, or cannot be without what
    is wrong and is dropped itself. Each round drops something, so it ends.
    """
    checker = _Checker(languages)
    pages = tuple(checker.pages(value))
    refusals = checker.refusals
    try:
        kept = {"pages": [page.to_object() for page in pages]}
        return Checked(refusals=tuple(refusals), questionnaire=Questionnaire.parse(kept, languages, ""))
    except RoomfulError as error:
        if pages or not refusals:
            refusals.append(_refusal(error, "", "pages"))
        return Checked(refusals=tuple(refusals), questionnaire=None)


class _Checker:
    """Goes through a document and keeps what is refused."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self.refusals: list[Refusal] = []
        self._languages = languages
        self._earlier: dict[str, Question] = {}
        self._dropped: set[str] = set()
        self._name = ""

    def pages(self, value: Any) -> Iterator[Page]:
        """The pages that are left."""
        if not isinstance(value, dict) or not isinstance(value.get("pages"), list):
            remedy = (
                'Write {"pages": [{"elements": [...]}]}; `roomful questionnaire import` reads other formats.'
            )
            self._add("pages", "This is no questionnaire in SurveyJS JSON.", remedy)
            return
        self._drop_unknown(value, ("pages",), "")
        for number, item in enumerate(value["pages"]):
            page = self._page(item, f"pages[{number}]", number)
            if page is not None:
                yield page

    def _page(self, value: Any, where: str, number: int) -> Page | None:
        if not isinstance(value, dict) or not isinstance(value.get("elements"), list):
            self._add(where, "The page has no elements.", "Remove it, or give it a list of elements.")
            return None
        self._name = ""
        rest = self._drop_unknown(value, _PAGE, where)
        earlier = dict(self._earlier)

        def parse(page: dict[str, Any]) -> Page:
            return parse_page(page | {"elements": [_PROBE]}, where, number, self._languages, earlier | {})

        page = self._settle(rest, where, parse)
        elements = tuple(
            element
            for place, item in enumerate(value["elements"])
            if (element := self._element(item, f"{where}.elements[{place}]")) is not None
        )
        return replace(page, elements=elements) if page is not None and elements else None

    def _element(self, value: Any, where: str) -> Element | None:
        kind = element_class(value)
        name = value.get("name") if isinstance(value, dict) else None
        self._name = name if isinstance(name, str) else ""
        if self._name and self._name in self._dropped:  # what is left has one, once the first is dropped
            self._add(where, f"Two questions are called {self._name!r}.", "Write distinct names.")
        self._dropped.add(self._name)
        if kind is None:
            self._refuse_type(value, where)
            return None
        rest = self._drop_unknown(value, ("type", "name", *kind.needed, *kind.permitted), where)
        for name in _ITEMS:
            if isinstance(rest.get(name), list):
                rest[name] = [
                    self._drop_unknown(item, ("value", "text"), f"{where}.{name}[{i}]")
                    if isinstance(item, dict)
                    else item
                    for i, item in enumerate(rest[name])
                ]

        def parse(element: dict[str, Any]) -> Element:
            parsed = parse_element(element, where, self._languages, self._earlier)
            add_questions(parsed, where, dict(self._earlier))
            return parsed

        element = self._settle(rest, where, parse)
        if element is not None:
            add_questions(element, where, self._earlier)
            self._dropped.discard(element.name)
        return element

    def _refuse_type(self, value: Any, where: str) -> None:
        try:
            parse_element(value, where, self._languages, self._earlier)
        except QuestionnaireError as error:
            word = value.get("type") if isinstance(value, dict) else ""
            remedy = TYPES.get(word, "") if isinstance(word, str) else ""
            remedy = remedy or error.remedy or f"Use one of {', '.join(ELEMENT_TYPES)}."
            self.refusals.append(self._of(_refusal(error, remedy, where)))

    def _settle(
        self, value: dict[str, Any], where: str, parse: Callable[[dict[str, Any]], Parsed]
    ) -> Parsed | None:
        while True:
            try:
                return parse(value)
            except RoomfulError as error:
                name = _property(error.where, where)
                self.refusals.append(self._explained(error, where))
                if name not in value or name in _NEEDED:
                    return None
                value = {key: item for key, item in value.items() if key != name}

    def _explained(self, error: RoomfulError, where: str) -> Refusal:
        named = _UNKNOWN_NAME.search(error.message)
        if named is not None and named["name"] in self._dropped:
            remedy = f"Put {named['name']!r} right first; until then this condition cannot be kept."
            return self._of(_refusal(error, remedy, where))
        return self._of(_refusal(error, "", where))

    def _drop_unknown(self, value: dict[str, Any], known: tuple[str, ...], where: str) -> dict[str, Any]:
        for name in value:
            if name not in known:
                path = f"{where}.{name}" if where else name
                shown = ", ".join(known)
                remedy = PROPERTIES.get(name, f"Remove it; known here are {shown}.")
                self._add(path, f"The property {name[:80]!r} is not permitted here.", remedy)
        return {name: item for name, item in value.items() if name in known}

    def _add(self, path: str, reason: str, remedy: str) -> None:
        self.refusals.append(self._of(Refusal(path=path, reason=reason, remedy=remedy)))

    def _of(self, refusal: Refusal) -> Refusal:
        return replace(refusal, name=self._name)


def _property(path: str, where: str) -> str:
    """The property of an element in which a path leads."""
    inside = path.removeprefix(where).lstrip(".") if path.startswith(where) else ""
    return re.split(r"[.\[]", inside, maxsplit=1)[0]


def _refusal(error: RoomfulError, remedy: str, where: str) -> Refusal:
    """An error of the parser; its place is a path, or the name of the element that stands there."""
    path = error.where if error.where.startswith(where) else where
    remedy = remedy or error.remedy or f"Write {error.expected}."
    return Refusal(path=path, reason=error.message[:1].upper() + error.message[1:] + ".", remedy=remedy)
