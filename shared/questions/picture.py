"""A picture that stands in the signed document itself."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, final

from shared.fields import Fields
from shared.limits import MAX_PICTURE_BYTES
from shared.questions.base import Element, Question
from shared.questions.texts import Localized, localized

FORMATS: Final = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
"""What a browser draws and nothing else: neither scripts nor addresses can be in it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(Element):
    """A picture beside the questions; it is never fetched from anywhere.

    Attributes
    ----------
    data : str
        ``data:image/png;base64,...`` or the same of JPEG.
    text : dict
        What it shows, for who does not see it.
    """

    types: ClassVar[tuple[str, ...]] = ("image",)
    needed: ClassVar[tuple[str, ...]] = ("imageLink", "altText")

    data: str
    text: Localized

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        """See :meth:`Element.read`."""
        data = fields.text("imageLink", maximum=2 * MAX_PICTURE_BYTES)
        text = localized(fields, "altText", languages)
        if not all(text.values()):
            raise fields.fail("altText", "it does not say what the picture shows", "a text in every language")
        head, _, encoded = data.partition(";base64,")
        start = FORMATS.get(head.removeprefix("data:"))
        if not head.startswith("data:") or start is None:
            raise fields.fail(
                "imageLink",
                "the picture is not in the document",
                " or ".join(f"data:{name};base64,..." for name in FORMATS),
            )
        try:
            decoded = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise fields.fail("imageLink", "the picture is not written in base64", "base64") from None
        if len(decoded) > MAX_PICTURE_BYTES:
            raise fields.fail(
                "imageLink", f"the picture has {len(decoded)} bytes", f"at most {MAX_PICTURE_BYTES}"
            )
        if not decoded.startswith(start):
            raise fields.fail("imageLink", "the picture is of another format", head.removeprefix("data:"))
        return cls(name=common["name"], visible_if=common["visible_if"], data=data, text=text)

    @property
    def questions(self) -> tuple[Question, ...]:
        """See :attr:`Element.questions`: none."""
        return ()

    def to_object(self) -> dict[str, Any]:
        """See :meth:`Element.to_object`."""
        element: dict[str, Any] = {"type": "image", "name": self.name}
        if self.visible_if is not None:
            element["visibleIf"] = self.visible_if.to_text()
        return element | {"imageLink": self.data, "altText": dict(self.text)}
