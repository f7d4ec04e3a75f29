from __future__ import annotations

import contextlib
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import BoardError
from shared.receipt import BallotReceipt

DIGEST = "f6b1189678d4d36bc91df418ba76a864d4b1b2d653344f323a3f591bc863e724"
HEX = hashlib.sha256(b"ballot").hexdigest()
RECEIPT = BallotReceipt.of(DIGEST, HEX)
TEXT = RECEIPT.to_text()


def test_the_text_fits_the_alphanumeric_mode_of_qr_codes() -> None:
    assert f"ROOMFUL-RECEIPT:F6B1189678D4D36B:{HEX.upper()}" == TEXT
    assert re.fullmatch(r"[0-9A-Z $%*+./:-]+", TEXT)
    assert BallotReceipt.parse(TEXT) == RECEIPT


@pytest.mark.parametrize(
    "text",
    [
        TEXT.lower(),
        f"  {TEXT}\n",
        f"Your receipt\n\n{TEXT}\nKeep it. Board: https://survey.example/s/f6b1189678d4d36b/board#{DIGEST}",
        f"{TEXT} {TEXT}",
        f"ROOMFUL-RECEIPT : {TEXT[16:32]} :\n {TEXT[33:65]}\n {TEXT[65:]}",
        "ROOMFUL-RECEIPT:" + " ".join(TEXT[16:]),
    ],
)
def test_reading_is_forgiving(text: str) -> None:
    assert BallotReceipt.parse(text) == RECEIPT


@pytest.mark.parametrize("text", [HEX, HEX.upper(), f" {HEX[:8]} {HEX[8:32]}\n{HEX[32:]} ", "\t".join(HEX)])
def test_the_digits_alone_will_do(text: str) -> None:
    receipt = BallotReceipt.parse(text)
    assert (receipt.survey, receipt.digest) == (None, RECEIPT.digest)
    with pytest.raises(ValueError, match="without its survey"):
        receipt.to_text()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ROOMFUL-RECEIPT:",
        TEXT[:-1],
        TEXT + "0",
        HEX[:-1],
        HEX + "0",
        HEX[:-1] + "g",
        TEXT.replace("ROOMFUL", "ROOMFULL"),
        f"{TEXT}\nROOMFUL-RECEIPT:F6B1189678D4D36B:{'0' * 64}",
        f"the digits are {HEX}",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        BallotReceipt.parse(text)
    assert caught.value.code == "board.receipt-form"


@given(st.binary(min_size=32, max_size=32), st.text(max_size=20), st.text(max_size=20))
def test_it_is_found_in_any_text(digest: bytes, before: str, after: str) -> None:
    receipt = BallotReceipt.of(DIGEST, digest.hex())
    if "roomful-receipt" not in (before + after).lower():
        assert BallotReceipt.parse(f"{before}\n{receipt.to_text()}\n.{after}") == receipt


@given(st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(BoardError):
        assert len(BallotReceipt.parse(text).digest) == 32
