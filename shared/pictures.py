"""Pictures that stand in the signed document itself: fetched from nowhere, and nothing but pictures."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import MAX_LOGO_BYTES

FORMATS: Final = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
"""What a browser draws and nothing else: neither scripts nor addresses can be in it."""


def embedded(fields: Fields, name: str, max_bytes: int) -> str:
    """A field with ``data:image/png;base64,...`` or the same of JPEG, of at most so many bytes.

    Raises
    ------
    RoomfulError
        Of the class of `fields`, with the field's path.
    """
    data = fields.text(name, maximum=2 * max_bytes + 64)
    head, _, encoded = data.partition(";base64,")
    start = FORMATS.get(head.removeprefix("data:"))
    if not head.startswith("data:") or start is None:
        raise fields.fail(
            name,
            "the picture is not in the document",
            " or ".join(f"data:{kind};base64,..." for kind in FORMATS),
        )
    try:
        decoded = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise fields.fail(name, "the picture is not written in base64", "base64") from None
    if len(decoded) > max_bytes:
        raise fields.fail(name, f"the picture has {len(decoded)} bytes", f"at most {max_bytes}")
    if not decoded.startswith(start):
        raise fields.fail(name, "the picture is of another format", head.removeprefix("data:"))
    return data


def data_url(content: bytes) -> str | None:
    """The address under which a picture stands in a document; None for what is none of :data:`FORMATS`."""
    for kind, start in FORMATS.items():
        if content.startswith(start):
            return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logo:
    """The organizer's sign, on the first page.

    Attributes
    ----------
    image : str
        See :func:`embedded`.
    alt : dict
        What it shows, in every language of the survey, for who does not see it.
    """

    image: str
    alt: Mapping[str, str]

    @classmethod
    def parse(cls, value: Any, languages: tuple[str, ...]) -> Logo:
        """Read the field ``logo`` of a specification."""
        fields = Fields(value, "logo", ("image", "alt"), error=SpecificationError)
        return cls(image=embedded(fields, "image", MAX_LOGO_BYTES), alt=fields.localized("alt", languages))

    def to_object(self) -> dict[str, Any]:
        """As a JSON document."""
        return {"image": self.image, "alt": dict(self.alt)}
