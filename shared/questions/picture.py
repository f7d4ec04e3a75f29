"""A picture that stands in the signed document itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.fields import Fields
from shared.limits import MAX_PICTURE_BYTES
from shared.pictures import embedded
from shared.questions.base import Element, Question
from shared.questions.texts import Localized, localized


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(Element):
    """A picture beside the questions; it is never fetched from anywhere.

    Attributes
    ----------
    data : str
        See :func:`shared.pictures.embedded`.
    text : dict
        What it shows, for who does not see it.
    """

    types: ClassVar[tuple[str, ...]] = ("image",)
    needed: ClassVar[tuple[str, ...]] = ("imageLink", "altText")

    data: str
    text: Localized

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        text = localized(fields, "altText", languages)
        if not all(text.values()):
            raise fields.fail("altText", "it does not say what the picture shows", "a text in every language")
        data = embedded(fields, "imageLink", MAX_PICTURE_BYTES)
        return cls(name=common["name"], visible_if=common["visible_if"], data=data, text=text)

    @property
    def questions(self) -> tuple[Question, ...]:
        """See :attr:`Element.questions`: none."""
        return ()

    def to_object(self) -> dict[str, Any]:
        element: dict[str, Any] = {"type": "image", "name": self.name}
        if self.visible_if is not None:
            element["visibleIf"] = self.visible_if.to_text()
        return element | {"imageLink": self.data, "altText": dict(self.text)}
