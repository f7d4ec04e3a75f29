"""Pictures inside the signed document: the logo."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import SpecificationError
from shared.limits import MAX_LOGO_BYTES
from shared.pictures import Logo
from shared.pictures import data_url as picture
from shared.specification import Specification
from tests.builders import small_specification
from tests.every_question import data_url, png

ALT = {"en": "A tower", "de": "Ein Turm"}


def test_a_logo_is_signed_and_stands_there_only_if_declared() -> None:
    assert "logo" not in small_specification().to_object()
    specification = small_specification(logo=Logo(image=data_url(png()), alt=ALT))
    assert Specification.parse(specification.to_bytes()) == specification
    assert specification.logo is not None
    assert specification.to_object()["logo"] == {"image": data_url(png()), "alt": ALT}


@pytest.mark.parametrize(
    ("changed", "where", "message"),
    [
        ({"image": "https://example.org/logo.png"}, "logo.image", "not in the document"),
        ({"image": "data:image/svg+xml;base64,PHN2Zy8+"}, "logo.image", "not in the document"),
        ({"image": "data:image/jpeg;base64,aGVsbG8="}, "logo.image", "of another format"),
        ({"image": "data:image/png;base64,***"}, "logo.image", "not written in base64"),
        ({"image": data_url(png() + bytes(MAX_LOGO_BYTES))}, "logo.image", "the picture has"),
        ({"image": "x" * 3 * MAX_LOGO_BYTES}, "logo.image", "characters are too many"),
        ({"image": 7}, "logo.image", "a number stands here"),
        ({"alt": {"en": "", "de": "Ein Turm"}}, "logo.alt.en", "the text is empty"),
        ({"alt": {"en": "A tower"}}, "logo.alt", "'de' is missing"),
        ({"link": "https://example.org"}, "logo", "unknown field"),
    ],
)
def test_what_can_be_no_logo_is_refused(changed: dict[str, Any], where: str, message: str) -> None:
    value = {"image": data_url(png()), "alt": ALT} | changed
    with pytest.raises(SpecificationError, match=message) as caught:
        Logo.parse(value, ("en", "de"))
    assert caught.value.where == where


def test_a_file_is_known_by_its_first_bytes() -> None:
    assert picture(png()) == data_url(png())
    assert picture(b"\xff\xd8\xff\xe0") == "data:image/jpeg;base64,/9j/4A=="
    assert picture(b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
