"""What is not seen stands in no value and in no text, but where a script needs it."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.characters import clean_text, clean_value, normalized, writable

UNSEEN = {
    "nul": "\x00",
    "carriage return": "\r",
    "escape": "\x1b",
    "delete": "\x7f",
    "next line": "\x85",
    "soft hyphen": "\u00ad",
    "combining grapheme joiner": "\u034f",
    "arabic letter mark": "\u061c",
    "hangul filler": "\u3164",
    "mongolian variation selector": "\u180b",
    "zero-width space": "\u200b",
    "left-to-right mark": "\u200e",
    "line separator": "\u2028",
    "override": "\u202e",
    "word joiner": "\u2060",
    "isolate": "\u2066",
    "braille blank": "\u2800",
    "private use": "\ue000",
    "variation selector": "\ufe0f",
    "byte order mark": "\ufeff",
    "halfwidth filler": "\uffa0",
    "noncharacter": "\uffff",
    "tag": "\U000e0041",
    "variation selector supplement": "\U000e0100",
    "private plane": "\U00100000",
}


@pytest.mark.parametrize("name", UNSEEN)
def test_unseen_characters(name: str) -> None:
    text = f"a{UNSEEN[name]}b"
    assert not clean_text(text)
    assert not clean_value(text)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: "I want"
        "क्\u200dष",  # Devanagari, half form
        "ශ්\u200dරී",  # Sinhala, touching letters
        "\u0645\u200d\u0647",  # Arabic, forced join
    ],
)
def test_joiners_where_a_script_needs_them(text: str) -> None:
    assert clean_text(text)
    assert not clean_value(text), "what is compared has none"


@pytest.mark.parametrize(
    "text", ["\u200cab", "ab\u200d", "a\u200db", "م\u200d\u200dه", "م\u200c", "1\u200c2"]
)
def test_joiners_where_no_script_needs_them(text: str) -> None:
    assert not clean_text(text)


@pytest.mark.parametrize(
    "text", ["Mittelmäßig", "مرحبا", "日本語 テスト", "1 000 €", "a\u00a0b", "naïve 😀", ""]
)
def test_what_people_read_is_clean(text: str) -> None:
    assert clean_text(text)
    assert clean_value(text)


def test_lines_and_tabs_are_for_texts_only() -> None:
    assert clean_text("one\ntwo\tthree")
    assert not clean_value("one\ntwo")
    assert not clean_value("two\tthree")


@pytest.mark.no_cover
def test_every_format_private_and_unassigned_character_is_refused() -> None:
    allowed = {"\n", "\t"}
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if unicodedata.category(character)[0] == "C" and character not in allowed:
            assert not clean_text(character), hex(number)


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"), max_codepoint=0x24FF)))
def test_printable_texts_are_clean(text: str) -> None:
    assert clean_text(text.replace("\u115f", "").replace("\u1160", ""))


@given(st.text())
def test_normalized_text_has_one_kind_of_line_end_and_stays(text: str) -> None:
    once = normalized(text)
    assert normalized(once) == once
    assert len(once) <= len(text)
    assert not set(once) & set("\r\t\x0b\x0c\x85\u2028\u2029")


def test_every_kind_of_line_end() -> None:
    assert (
        normalized("a\r\nb\rc\nd\x85e\u2028f\u2029g\x0bh\x0ci\tj\n\rk") == "a\nb\nc\nd\ne\nf\ng\nh\ni j\n\nk"
    )


@pytest.mark.parametrize("character", ["\x00", "\x1f", "\x7f", "\x80", "\x9f", "\u202e", "\u2066", "\ud800"])
def test_what_nobody_writes(character: str) -> None:
    assert not writable(f"a{character}b")


@pytest.mark.parametrize("text", ["👨\u200d👩\u200d👧", "\ufeffa", "\ue000", "a\nb", "❤\ufe0f"])
def test_what_people_write_is_theirs(text: str) -> None:
    assert writable(text)
