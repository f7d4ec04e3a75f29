"""One text for some bytes, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import base64url


@given(st.binary(max_size=400))
def test_bytes_survive_a_round_trip(data: bytes) -> None:
    text = base64url.encode(data)
    assert "=" not in text
    assert base64url.decode(text) == data


@pytest.mark.parametrize("text", ["A", "AB=", "A+", "A/", "Q Q", "QR\n", "é", "AB", "AAB"])
def test_every_other_text_is_refused(text: str) -> None:
    assert base64url.decode(text) is None
