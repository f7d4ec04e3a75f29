"""What every importer builds: pages in our spelling, and a list of what was left out or changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from typing import Any, Final

from server.design.questionnaire_file.checking import Checked, Refusal, check
from shared.limits import MAX_NAME_CHARACTERS

Texts = dict[str, str]
_TEXTS: Final = [
    "title",
    "description",
    "text",
    "minRateDescription",
    "maxRateDescription",
    "labelTrue",
    "labelFalse",
    "noneText",
    "otherText",
    "unit",
    "altText",
]
_SELECTS: Final = ("radiogroup", "dropdown", "checkbox")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_IN_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]*>|&[A-Za-z#0-9]+;")
_BLOCKS: Final = ("br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "ul", "ol")


@dataclass(slots=True, kw_only=True)
class Draft:
    """A questionnaire while it is imported.

    Attributes
    ----------
    languages : tuple of str
    title : dict or None
        By language, if the file has one in all of them.
    pages : list of dict
        In our spelling, with whatever names and texts the file has.
    notes : list of Refusal
        What was left out or changed on the way.
    with_words : list of dict
        Pages and elements to which words that stood before them were put.
    """

    languages: tuple[str, ...]
    title: Texts | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Refusal] = field(default_factory=list)
    _words: list[Any] = field(default_factory=list)
    with_words: list[dict[str, Any]] = field(default_factory=list)

    def note(self, path: str, reason: str, remedy: str) -> None:
        """Tell the organizer of something that she has to look at."""
        self.notes.append(Refusal(path=path, reason=reason, remedy=remedy))

    def add_page(self, page: dict[str, Any], words: Sequence[Any] = ()) -> None:
        """A page, and words that no question on it follows: they go to the next page, if there is one.

        A page without elements is none; it may have a ``description``, which goes on as well.
        """
        if page["elements"]:
            if "visibleIf" in page:
                for text in self._words:
                    leave_words(text, self, "a page before")
            elif self._words:
                own, page["description"] = page.get("description"), None
                for text in (*self._words, own):
                    add_words(page, text, self)
            self.pages.append(page)
            self._words = [*words]
        else:
            self._words += [text for text in (page.get("description"), *words) if text]

    def finished(self) -> Checked:
        """What is left after everything that is refused, with all notes in front."""
        for words in self._words:
            leave_words(words, self, "the end")
        if self.title is not None:
            self.title = {code: plain_text(text) for code, text in self.title.items()}
        self._rename()
        self._agree()
        _clean(self.pages, self)
        checked = check({"pages": self.pages}, self.languages)
        for holder in self._lost(checked):
            leave_words(holder["description"], self, f"above {holder.get('name')}")
        return Checked(refusals=(*self.notes, *checked.refusals), questionnaire=checked.questionnaire)

    def _lost(self, checked: Checked) -> Iterator[dict[str, Any]]:
        """Elements that are left out with words before them."""
        pages = () if checked.questionnaire is None else checked.questionnaire.pages
        kept = {element["name"] for page in pages for element in page.to_object()["elements"]}
        return (holder for holder in self.with_words if "type" in holder and holder.get("name") not in kept)

    def _rename(self) -> None:
        names: dict[str, str] = {}
        taken = {element.get("name") for page in self.pages for element in page["elements"]}
        for page in self.pages:
            for element in page["elements"]:
                name = element.get("name")
                if isinstance(name, str) and not _is_name(name):
                    names[name] = element["name"] = _named(name, taken)
                    taken.add(names[name])
                    element.setdefault("title", name)
        self._reword(lambda text: _IN_BRACES.sub(lambda match: _renamed(match[1], names), text))
        for old, new in names.items():
            self.note(new, f"The question was called {old[:80]!r}.", "So is its column now.")

    def _agree(self) -> None:
        """A single choice that must be taken is a box that must be ticked."""
        for page in self.pages:
            for element in page["elements"]:
                choices = element.get("choices")
                offered = element.get("hasOther") or element.get("hasNone")
                if element.get("type") not in _SELECTS or not isinstance(choices, list) or offered:
                    continue
                if len(choices) != 1 or element.get("isRequired") is not True:
                    continue
                name, (choice,) = element["name"], element.pop("choices")
                text, value = (
                    choice.get(k) if isinstance(choice, dict) else choice for k in ("text", "value")
                )
                element["type"], element["labelTrue"] = "boolean", text or str(value)
                element["validators"] = [{"type": "expression", "expression": f"{{{name}}} = true"}]
                named = re.escape(str(name))
                pattern = rf"(\{{{named}\}}) *(?:==|=|contains) *['\"]?{re.escape(str(value))}\b['\"]?"
                self._reword(partial(re.sub, pattern, r"\1 = true"))

    def _reword(self, change: Callable[[str], str]) -> None:
        """Change every condition."""
        for holder in (*self.pages, *(e for page in self.pages for e in page["elements"])):
            for key in ("visibleIf", "requiredIf"):
                if isinstance(holder.get(key), str):
                    holder[key] = change(holder[key])


def together(*conditions: str | None) -> str | None:
    """All of several conditions; None if there is none."""
    given = [condition for condition in conditions if condition]
    return " and ".join(f"({c})" for c in given) if len(given) > 1 else given[0] if given else None


def under(outer: str | None, inner: str | None) -> bool:
    """Whether the inner condition is the outer one and others, as :func:`together` makes it."""
    return outer in (None, inner) or (inner or "").startswith(f"({outer}) and ")


def plain_text(text: str) -> str:
    """A text without tags and entities of HTML, line by line."""
    if _TAG.search(text) is None:
        return text.strip()
    reader = _Reader()
    reader.feed(text)
    reader.close()
    lines = (" ".join(line.split()) for line in "".join(reader.parts).splitlines())
    return "\n".join(line for line in lines if line)


class _Reader(HTMLParser):
    """Collects what somebody would read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._silent += tag in ("script", "style")
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("script", "style") and self._silent > 0
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)


def in_each(text: Any, languages: tuple[str, ...]) -> Texts:
    """A text in each language; where it has none, that of another."""
    if not isinstance(text, dict):
        return dict.fromkeys(languages, str(text or ""))
    other = next((str(words) for words in text.values() if words), "")
    return {code: str(text.get(code) or other) for code in languages}


def add_words(holder: dict[str, Any], words: Any, draft: Draft) -> None:
    """Words without a question, behind those of the page or question that follows them."""
    if not any(holder is other for other in draft.with_words):
        draft.with_words.append(holder)
    there, more = (in_each(text, draft.languages) for text in (holder.get("description"), words))
    holder["description"] = {
        code: "\n".join(text for text in (there[code], plain_text(more[code])) if text)
        for code in draft.languages
    }


def leave_words(words: Any, draft: Draft, where: str) -> None:
    """Words that no question follows."""
    text = plain_text(next(iter(in_each(words, draft.languages).values())))
    if text:
        draft.note(where, f"These words are left out: {text[:120]}", "Put them where they belong.")


def _clean(value: Any, draft: Draft, path: str = "pages") -> None:
    """Make texts such that they can be shown: in each language, no tags, nothing that would be filled in."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in [*items]:
        place = f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]"
        if key not in _TEXTS or not isinstance(item, str | dict):
            _clean(item, draft, place)
            continue
        texts = {code: plain_text(text) for code, text in in_each(item, draft.languages).items()}
        if any("{" in text for text in texts.values()):
            draft.note(place, "An answer would have been put into the text.", "Write it without.")
        value[key] = {code: _IN_BRACES.sub("…", text).replace("{", "(") for code, text in texts.items()}


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and len(name) <= MAX_NAME_CHARACTERS


def _named(name: str, taken: set[Any]) -> str:
    base = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")[:40]
    base = base if _is_name(base) else f"q_{base}".rstrip("_")
    if base not in taken:
        return base
    return next(new for i in range(2, len(taken) + 3) if (new := f"{base}_{i}") not in taken)


def _renamed(name: str, names: dict[str, str]) -> str:
    """A name in a condition; of ``matrix.row`` the matrix."""
    whole = name.strip()
    first, point, row = whole.partition(".")
    return "{" + names.get(whole, names.get(first, first) + point + row) + "}"
