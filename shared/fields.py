"""Typed access to the fields of a parsed JSON document, refusing what is unknown by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from shared.characters import clean_text, clean_value
from shared.errors import RoomfulError
from shared.limits import MAX_NAME_CHARACTERS, MAX_TEXT_CHARACTERS

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_HEX_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def is_language(value: str) -> bool:
    """Whether a text has the form of a BCP 47 language tag."""
    return _LANGUAGE.fullmatch(value) is not None


class Fields:
    """An object of a document together with its place, read field by field.

    Parameters
    ----------
    value : object
        What stands in the document.
    where : str
        Path to it, such as ``attributes[2]``.
    keys : iterable of str
        Exactly these keys must be there.
    optional : iterable of str
        These may be there.
    error : callable
        Class of the errors to raise.
    """

    __slots__ = ("_error", "_value", "_where")

    def __init__(
        self,
        value: Any,
        where: str,
        keys: Iterable[str],
        *,
        error: Callable[..., RoomfulError],
        optional: Iterable[str] = (),
    ) -> None:
        self._where, self._error = where, error
        if not isinstance(value, dict):
            raise error(f"{_kind(value)} stands here", where=where, expected="an object")
        self._value: Mapping[str, Any] = value
        required, allowed = set(keys), set(optional)
        for name in value:
            if name not in required and name not in allowed:
                known = ", ".join(sorted(required | allowed))
                raise error(f"unknown field {name[:80]!r}", where=where, expected=f"only {known}")
        for name in sorted(required):
            if name not in value:
                raise error(f"the field {name!r} is missing", where=where, expected=f"a field {name!r}")

    def where(self, name: str) -> str:
        """Path of a field."""
        return f"{self._where}.{name}" if self._where else name

    def fail(self, name: str, message: str, expected: str) -> RoomfulError:
        """An error at a field, to be raised by the caller."""
        return self._error(message, where=self.where(name), expected=expected)

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def raw(self, name: str) -> Any:
        """The value as it stands."""
        return self._value[name]

    def integer(self, name: str, low: int, high: int) -> int:
        """An integer within inclusive bounds."""
        return self.integers_in(name, [self._value[name]], low, high)[0]

    def integers_in(self, name: str, values: Any, low: int, high: int) -> tuple[int, ...]:
        """A list of integers, each within inclusive bounds."""
        if not isinstance(values, list):
            raise self.fail(name, f"{_kind(values)} stands here", "a list of integers")
        for value in values:
            if type(value) is not int or not low <= value <= high:
                shown = value if type(value) is int else _kind(value)
                raise self.fail(name, f"{shown} stands here", f"an integer from {low} to {high}")
        return tuple(values)

    def integers(self, name: str, low: int, high: int) -> tuple[int, ...]:
        """A list of bounded integers in a field."""
        return self.integers_in(name, self._value[name], low, high)

    def boolean(self, name: str) -> bool:
        """True or false."""
        value = self._value[name]
        if not isinstance(value, bool):
            raise self.fail(name, f"{_kind(value)} stands here", "true or false")
        return value

    def text(self, name: str, *, maximum: int = MAX_TEXT_CHARACTERS, empty: bool = False) -> str:
        """A text of at most ``maximum`` characters that hides nothing (:func:`clean_text`)."""
        return self.text_in(name, self._value[name], maximum=maximum, empty=empty)

    def text_in(self, name: str, value: Any, *, maximum: int, empty: bool = False) -> str:
        """As :meth:`text`, for a value inside a field."""
        if not isinstance(value, str):
            raise self.fail(name, f"{_kind(value)} stands here", "a text")
        if not value and not empty:
            raise self.fail(name, "the text is empty", "a text")
        if len(value) > maximum:
            raise self.fail(name, f"{len(value)} characters are too many", f"at most {maximum}")
        if not clean_text(value):
            raise self.fail(
                name,
                "the text holds a character that is not seen, or that turns the direction of writing",
                "characters that are seen",
            )
        return value

    def value(self, name: str, *, maximum: int = MAX_TEXT_CHARACTERS) -> str:
        """A text that is compared, not only read, in one line (:func:`clean_value`)."""
        return self.value_in(name, self._value[name], maximum=maximum)

    def value_in(self, name: str, value: Any, *, maximum: int) -> str:
        """As :meth:`value`, for a value inside a field."""
        text = self.text_in(name, value, maximum=maximum)
        if not clean_value(text):
            raise self.fail(name, "the value holds a character that is not seen", "characters that are seen")
        return text

    def name(self, name: str) -> str:
        """A short value without surrounding blanks."""
        value = self.value(name, maximum=MAX_NAME_CHARACTERS)
        if value != value.strip():
            raise self.fail(name, f"{value!r} has blanks around it", "a name without surrounding blanks")
        return value

    def choice(self, name: str, allowed: Iterable[str]) -> str:
        """One of a few words."""
        value, allowed = self._value[name], tuple(allowed)
        if not isinstance(value, str) or value not in allowed:
            shown = repr(value[:80]) if isinstance(value, str) else _kind(value)
            raise self.fail(name, f"{shown} stands here", "one of " + ", ".join(allowed))
        return value

    def digest(self, name: str) -> str:
        """A SHA-256 digest as 64 lower-case hexadecimal digits."""
        value = self.text(name, maximum=64)
        if _HEX_DIGEST.fullmatch(value) is None:
            raise self.fail(name, "not a SHA-256 digest", "64 lower-case hexadecimal digits")
        return value

    def items(self, name: str, maximum: int, *, minimum: int = 0) -> list[Any]:
        """A list of bounded length."""
        value = self._value[name]
        if not isinstance(value, list):
            raise self.fail(name, f"{_kind(value)} stands here", "a list")
        if not minimum <= len(value) <= maximum:
            raise self.fail(name, f"{len(value)} entries stand here", f"{minimum} to {maximum} entries")
        return value

    def texts(self, name: str, maximum_items: int, *, empty: bool = False) -> tuple[str, ...]:
        """A list of distinct texts."""
        values = tuple(
            self.text_in(name, value, maximum=MAX_TEXT_CHARACTERS, empty=empty)
            for value in self.items(name, maximum_items)
        )
        if len(set(values)) != len(values):
            raise self.fail(name, "an entry stands twice", "distinct entries")
        return values

    def localized(self, name: str, languages: tuple[str, ...], *, empty: bool = False) -> dict[str, str]:
        """A text in each of the survey's languages."""
        inner = Fields(self._value[name], self.where(name), languages, error=self._error)
        return {language: inner.text(language, empty=empty) for language in languages}


def _kind(value: Any) -> str:
    """What a JSON value is, in words."""
    words = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return words.get(type(value), "null")
