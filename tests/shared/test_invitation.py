"""What an invitation pins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.envelope import encode_key, survey_digest
from shared.errors import VerificationError
from shared.invitation import Invitation, survey_link
from shared.invitation_code import InvitationCode
from shared.token import HeldToken, Token
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.shared.strategies import KEYS

DIGEST = survey_digest(b"payload")
KEY = public_bytes(ORGANIZER_KEY)
CODE = InvitationCode.create(bytes(range(12)))
TOKEN = HeldToken(
    token=Token(prefix=bytes(range(32)), device_key=bytes(32), signature=bytes(384)), secret=b"s" * 32
)


@given(
    st.none() | st.binary(min_size=32, max_size=32).map(bytes.hex),
    st.none() | KEYS,
    st.none() | st.binary(min_size=12, max_size=12).map(InvitationCode.create),
    st.sampled_from([None, TOKEN]),
    st.booleans(),
)
def test_fragment_survives_a_round_trip(
    digest: str | None,
    key: bytes | None,
    code: InvitationCode | None,
    token: HeldToken | None,
    hash_sign: bool,
) -> None:
    invitation = Invitation(digest=digest, organizer_key=key, code=code, token=token)
    assert Invitation.parse_fragment("#" * hash_sign + invitation.fragment()) == invitation


def test_parts_may_be_absent() -> None:
    assert Invitation.parse_fragment("") == Invitation(digest=None, organizer_key=None)
    assert Invitation.parse_fragment("#." + encode_key(KEY)).organizer_key == KEY
    assert Invitation.parse_fragment(DIGEST + ".").digest == DIGEST


@pytest.mark.parametrize(
    "fragment",
    [
        DIGEST[:-1],
        DIGEST + "0",
        DIGEST.upper() if DIGEST.upper() != DIGEST else "A" * 64,
        "g" * 64,
        "٠" * 64,
        f"{DIGEST}.{encode_key(KEY)[:-1]}",
        f"{DIGEST}.{encode_key(KEY)}=",
        f"{DIGEST}.{encode_key(KEY)}A",
        f"{DIGEST}.{encode_key(KEY)}.x",
        f"{DIGEST}.{encode_key(KEY)}.{CODE.symbols[:-1]}",
        f"{DIGEST}.{encode_key(KEY)}.{CODE.symbols[::-1]}",
        f"{DIGEST}.{encode_key(KEY)}.{CODE.symbols}.x",
        f"{DIGEST}.{encode_key(KEY)}..{TOKEN.to_text()[:-1]}",
        f"{DIGEST}.{encode_key(KEY)}.{CODE.symbols}.{TOKEN.to_text()}.",
        f"{DIGEST}.{encode_key(KEY)[:-1]}é",
        f"##{DIGEST}",
        f"{DIGEST} ",
    ],
)
def test_a_damaged_link_does_not_pass_for_one_that_says_nothing(fragment: str) -> None:
    with pytest.raises(VerificationError) as caught:
        Invitation.parse_fragment(fragment)
    assert caught.value.code == "verification.invitation"
    assert caught.value.remedy
    assert CODE.symbols not in str(caught.value)


@given(st.text(max_size=120))
def test_any_text_is_an_invitation_or_refused(fragment: str) -> None:
    try:
        invitation = Invitation.parse_fragment(fragment)
    except VerificationError:
        return
    assert Invitation.parse_fragment(invitation.fragment()) == invitation


def test_link_keeps_what_is_pinned_in_the_fragment() -> None:
    link = survey_link("https://example.org/roomful/", DIGEST, KEY)
    address, _, fragment = link.partition("#")
    assert address == f"https://example.org/roomful/s/{DIGEST[:16]}"
    assert Invitation.parse_fragment(fragment) == Invitation(digest=DIGEST, organizer_key=KEY)


def test_link_keeps_code_and_token_in_the_fragment() -> None:
    address, _, fragment = survey_link("https://example.org", DIGEST, KEY, code=CODE, token=TOKEN).partition(
        "#"
    )
    assert address == f"https://example.org/s/{DIGEST[:16]}"
    assert fragment == f"{DIGEST}.{encode_key(KEY)}.{CODE.symbols}.{TOKEN.to_text()}"
    invitation = Invitation.parse_fragment(fragment)
    assert (invitation.code, invitation.token) == (CODE, TOKEN)


def test_a_code_is_read_from_a_link_as_it_is_from_a_letter() -> None:
    assert Invitation.parse_fragment(f"..{CODE.text.lower()}").code == CODE


def test_an_invitation_does_not_show_its_secrets() -> None:
    shown = repr(Invitation(digest=DIGEST, organizer_key=KEY, code=CODE, token=TOKEN))
    assert CODE.symbols not in shown
    assert TOKEN.to_text()[:20] not in shown
