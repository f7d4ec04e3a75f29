"""SurveyJS JSON as its editor writes it, in the one spelling that :mod:`shared.questionnaire` reads.

Here are only other spellings of the same: a list of elements without pages, the language ``default``,
decimals that are no texts, and the newer names of "none" and "other". Whatever means something else is
refused there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server.design.survey_file.toml_document import read_survey_bytes
from shared.errors import QuestionnaireError
from shared.fields import is_language
from shared.limits import MAX_SPECIFICATION_BYTES
from shared.strict_json import loads

_LISTS: Final = ("elements", "questions")
_SPELLINGS: Final = {"showNoneItem": "hasNone", "showOtherItem": "hasOther"}
_DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A questionnaire in our spelling.

    Attributes
    ----------
    value : object
        What :meth:`Questionnaire.parse` reads.
    title : dict or None
        Its title by language, for a survey that declares none.
    without_pages : bool
        Whether its elements stood in no page.
    """

    value: Any
    title: dict[str, str] | None
    without_pages: bool

    def place(self, where: str) -> str:
        """A path as it is in the file."""
        return where.removeprefix("pages[0].") if self.without_pages else where


def read_document(path: Path) -> Any:
    """The JSON of a file.

    Raises
    ------
    SurveyFileError
        If it cannot be read.
    QuestionnaireError
        If it is too large, or no JSON, with line and column.
    """
    return loads(
        read_survey_bytes(path).removeprefix(b"\xef\xbb\xbf"),
        error=QuestionnaireError,
        where=path.name,
        max_bytes=MAX_SPECIFICATION_BYTES,
        decimals_as_texts=True,
    )


def respelled(value: Any, languages: tuple[str, ...]) -> Document:
    """A document in our spelling; what is no questionnaire at all stays as it is, to be refused."""
    if not isinstance(value, dict):
        return Document(value=value, title=None, without_pages=False)
    rest = {key: item for key, item in value.items() if key not in ("title", "locale")}
    without_pages = "pages" not in rest and sum(key in rest for key in _LISTS) == 1
    if without_pages:
        (name,) = (key for key in _LISTS if key in rest)
        rest["pages"] = [{"elements": rest.pop(name)}]
    if isinstance(rest.get("pages"), list):
        rest["pages"] = [_with_elements(page) for page in rest["pages"]]
    title = _translated(value.get("title"), languages)
    if isinstance(title, str):
        title = dict.fromkeys(languages, title)
    complete = isinstance(title, dict) and all(isinstance(title.get(code), str) for code in languages)
    return Document(
        value=_in_our_words(rest, languages),
        title={code: title[code] for code in languages} if complete else None,
        without_pages=without_pages,
    )


def languages_of(value: Any) -> tuple[str, ...]:
    """Languages in which a document has texts: ``default`` is that of its ``locale``, or English.

    Without a locale and a ``default`` those of its texts, in the order in which they appear.
    """
    locale = value.get("locale") if isinstance(value, dict) else None
    codes = dict.fromkeys(_codes(value))
    if not isinstance(locale, str) and _DEFAULT not in codes and codes:
        return tuple(codes)
    own = locale if isinstance(locale, str) and is_language(locale) else "en"
    return tuple(dict.fromkeys([own, *sorted(codes.keys() - {_DEFAULT})]))


def _with_elements(page: Any) -> Any:
    """A page whose elements are called so, and not questions as they once were."""
    if not isinstance(page, dict) or "elements" in page or "questions" not in page:
        return page
    return {"elements" if key == "questions" else key: item for key, item in page.items()}


def _codes(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _codes(item)
    elif isinstance(value, dict):
        if all(code == _DEFAULT or is_language(code) for code in value) and _is_text(value):
            yield from value
        for item in value.values():
            yield from _codes(item)


def _in_our_words(value: Any, languages: tuple[str, ...]) -> Any:
    if isinstance(value, list):
        return [_in_our_words(item, languages) for item in value]
    if not isinstance(value, dict):
        return value
    if _DEFAULT in value:
        return _translated(value, languages)
    return {_SPELLINGS.get(key, key): _in_our_words(item, languages) for key, item in value.items()}


def _translated(value: Any, languages: tuple[str, ...]) -> Any:
    """A text in each language; ``default`` stands for those that are missing."""
    if not isinstance(value, dict) or _DEFAULT not in value or not _is_text(value):
        return value
    texts = {code: text for code, text in value.items() if code != _DEFAULT}
    return dict.fromkeys(languages, value[_DEFAULT]) | texts


def _is_text(value: dict[str, Any]) -> bool:
    return all(isinstance(item, str) for item in value.values())
