"""Every setting of the server is in the operator's guide, with its default."""

from __future__ import annotations

import dataclasses
import re

from server.collection.config import FILE_NAME, PREFIX, Config
from tests.docs.documents import assert_told, section, text_of

PAGE = "docs/operator-guide.md"


def test_every_setting_is_documented_with_its_default_and_no_other() -> None:
    text = section(text_of(PAGE), "Settings")
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| ([^|]*) \|", text, re.MULTILINE))
    actual = {
        field.name: str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
        for field in dataclasses.fields(Config)
    }
    told = {name: default.strip().strip("`") for name, default in rows.items()}
    assert_told(PAGE, "Settings", told, actual)
    assert told == actual, f"{PAGE}, Settings: correct the defaults"


def test_the_places_of_settings_are_documented() -> None:
    text = section(text_of(PAGE), "Settings")
    assert f"DATA/{FILE_NAME}" in text
    assert f"{PREFIX}<SETTING>" in text
