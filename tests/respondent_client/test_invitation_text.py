from __future__ import annotations

import pytest

from respondent_client.invitation_text import read_entry
from shared.errors import TokenError
from shared.invitation import Invitation, survey_link
from shared.invitation_code import InvitationCode
from shared.token import HeldToken, Token
from tests.builders import ORGANIZER_KEY, public_bytes

DIGEST, OTHER = "ab" * 32, "cd" * 32
CODE = InvitationCode.create(b"twelve bytes")
TOKEN = HeldToken(
    token=Token(prefix=bytes(range(32)), device_key=bytes(range(32)), signature=bytes(range(128)) * 3),
    secret=bytes(range(32, 64)),
)


def link(digest: str = DIGEST, code: InvitationCode | None = None, token: HeldToken | None = None) -> str:
    return survey_link("https://example.org/", digest, public_bytes(ORGANIZER_KEY), code=code, token=token)


@pytest.mark.parametrize(
    "text",
    [
        CODE.text,
        f"  {CODE.text.lower()}\n",
        CODE.symbols,
        link(code=CODE),
        f"#{Invitation(digest=None, organizer_key=None, code=CODE).fragment()}",
    ],
)
def test_codes_are_found(text: str) -> None:
    assert read_entry(text, DIGEST) == CODE


@pytest.mark.parametrize(
    "text",
    [
        link(token=TOKEN),
        link(code=CODE, token=TOKEN),
        TOKEN.to_file(DIGEST).decode(),
        TOKEN.to_text(),
        "\n".join(TOKEN.to_text()[i : i + 76] for i in range(0, 640, 76)),
    ],
)
def test_tokens_are_found_and_come_before_codes(text: str) -> None:
    assert read_entry(text, DIGEST) == TOKEN


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "token.code-form"),
        ("ABCD", "token.code-form"),
        (link(), "token.form"),
        (link(OTHER, code=CODE), "token.survey"),
        (TOKEN.to_file(OTHER).decode(), "token.survey"),
        (link(code=CODE)[:-1], "token.form"),
        (link(token=TOKEN)[:-1], "token.form"),
        ("{}", "token.form"),
        ("{", "token.form"),
        ("x" * 300, "token.form"),
        ("1" * 5000, "token.form"),
        ("#", "token.form"),
        ("#....", "token.form"),
    ],
)
def test_anything_else_is_refused_and_not_repeated(text: str, code: str) -> None:
    with pytest.raises(TokenError) as caught:
        read_entry(text, DIGEST)
    assert caught.value.code == code
    assert CODE.symbols not in str(caught.value)
    assert TOKEN.to_text()[:40] not in str(caught.value)
