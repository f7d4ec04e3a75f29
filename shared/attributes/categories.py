"""Categories of ordinal and nominal attributes: the value in files, a label for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from shared.characters import looks
from shared.errors import AnswerError, SpecificationError
from shared.fields import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One category: ``value`` as it stands in the model file, ``label`` per language."""

    value: str
    label: dict[str, str]

    def counted_as(self, language: str) -> str | None:
        """The value, if it is not what its label says: people are counted by values, and read labels."""
        return None if self.value.casefold() == self.label[language].casefold() else self.value


def check_categories(categories: tuple[Category, ...], where: str) -> None:
    """Refuse fewer than two categories, values with blanks around them, and two that look alike."""
    values = [category.value for category in categories]
    if len(values) < 2 or len(set(values)) != len(values):
        raise SpecificationError(
            "too few or repeated categories", where=where, expected="two or more, distinct"
        )
    refuse_alike(values, "the values", where)
    for language in categories[0].label:
        refuse_alike(
            [category.label[language] for category in categories], f"the labels in {language}", where
        )
    for value in values:
        if not value or value != value.strip():
            raise SpecificationError(
                f"the category {value!r} is empty or has blanks around it",
                where=where,
                expected="plain values",
            )


def refuse_alike(texts: Sequence[str], what: str, where: str) -> None:
    """Refuse two categories that people cannot tell apart: nearly everybody would take the first.

    Whoever took the second would be alone in a cell that counts half of them.

    Raises
    ------
    SpecificationError
        Naming the two texts.
    """
    seen: dict[str, str] = {}
    for text in texts:
        look = looks(text)
        if look in seen:
            raise SpecificationError(
                f"two of {what} look alike: {seen[look][:60]!a} and {text[:60]!a}",
                where=where,
                expected="categories that people can tell apart",
            )
        seen[look] = text


def parse_categories(fields: Fields, languages: tuple[str, ...], maximum: int) -> tuple[Category, ...]:
    """Read the list of categories of an attribute."""
    result = []
    for i, item in enumerate(fields.items("categories", maximum)):
        inner = Fields(
            item, f"{fields.where('categories')}[{i}]", ("value", "label"), error=SpecificationError
        )
        result.append(Category(value=inner.text("value"), label=inner.localized("label", languages)))
    return tuple(result)


def categories_to_object(categories: tuple[Category, ...]) -> list[dict[str, Any]]:
    """As they stand in a specification."""
    return [{"value": c.value, "label": dict(c.label)} for c in categories]


def categories_to_form(categories: tuple[Category, ...]) -> dict[str, Any]:
    """As a field of a form, see :meth:`shared.attributes.base.Attribute.form_field`."""
    return {
        "form": "choice",
        "categories": [
            {
                "value": c.value,
                "label": c.label,
                "counted_as": {tag: c.counted_as(tag) or "" for tag in c.label},
            }
            for c in categories
        ],
    }


def position(index: dict[str, int], text: str, name: str) -> int:
    """Place of a value among the categories.

    Raises
    ------
    AnswerError
        If it is not a category; names up to six that are.
    """
    found = index.get(text.strip())
    if found is None:
        raise AnswerError(
            f"{text.strip()[:60]!r} is not a category",
            where=name,
            expected="one of " + _some(index, len(index)),
        )
    return found


def _some(values: Iterable[str], total: int) -> str:
    shown = ", ".join(list(values)[:6])
    return shown if total <= 6 else f"{shown}, ... ({total} categories)"
