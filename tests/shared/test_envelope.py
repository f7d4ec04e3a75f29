"""The envelope has one accepted byte sequence."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.envelope import (
    PAYLOAD_TYPE,
    Envelope,
    decode_key,
    encode_key,
    pre_authentication_encoding,
    survey_digest,
    survey_id,
)
from shared.errors import EnvelopeError, SignatureError
from shared.limits import MAX_ENVELOPE_BYTES, MAX_SIGNATURES
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, sign
from tests.shared.examining import outcomes, verify
from tests.shared.strategies import KEYS

SMALL = sign(b"payload", ORGANIZER_KEY)
BYTES = SMALL.to_bytes()


def test_pre_authentication_encoding_of_the_dsse_specification() -> None:
    """DSSE protocol.md, section "Test Vectors"."""
    assert (
        pre_authentication_encoding("http://example.com/HelloWorld", b"hello world")
        == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pre_authentication_encoding("ä", b"") == b"DSSEv1 2 \xc3\xa4 0 "


def test_layout() -> None:
    assert json.loads(BYTES) == {
        "payload": base64.b64encode(b"payload").decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [
            {
                "keyid": "ed25519:" + encode_key(public_bytes(ORGANIZER_KEY)),
                "sig": base64.b64encode(SMALL.signatures[0][1]).decode(),
            }
        ],
    }


@given(st.binary(min_size=1, max_size=200))
def test_envelope_survives_a_round_trip(payload: bytes) -> None:
    data = sign(payload, ORGANIZER_KEY, AUDITOR_KEY).to_bytes()
    assert Envelope.parse(data).to_bytes() == data
    verified = verify(data, public_bytes(ORGANIZER_KEY))
    assert (verified.payload, verified.digest) == (payload, survey_digest(payload))
    assert verified.organizer_key == public_bytes(ORGANIZER_KEY)
    assert verified.auditor_keys == (public_bytes(AUDITOR_KEY),)


@given(st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_an_envelope_or_refused(data: bytes) -> None:
    try:
        envelope = Envelope.parse(data)
    except EnvelopeError:
        return
    assert envelope.to_bytes() == data


def document(**changes: Any) -> dict[str, Any]:
    """The small envelope's members, some of them changed."""
    value: dict[str, Any] = json.loads(BYTES)
    return value | changes


SIGNATURE = document()["signatures"][0]
OTHER = json.loads(sign(b"payload", AUDITOR_KEY).to_bytes())["signatures"][0]


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ([], ""),
        (document(extra=1), ""),
        ({"payload": "AA==", "payloadType": PAYLOAD_TYPE}, ""),
        (document(payloadType="text/plain"), "payloadType"),
        (document(payload=""), "payload"),
        (document(payload="cGF5bG9hZA"), "payload"),
        (document(payload="cGF5bG9hZB=="), "envelope"),
        (document(payload="cGF5 bG9hZA=="), "payload"),
        (document(payload="cGF5bG9hZA==\n"), "payload"),
        (document(payload="é"), "payload"),
        (document(payload=3), "payload"),
        (document(signatures=[]), "signatures"),
        (document(signatures={}), "signatures"),
        (document(signatures=[SIGNATURE] * (MAX_SIGNATURES + 1)), "signatures"),
        (document(signatures=[SIGNATURE, SIGNATURE]), "signatures"),
        (document(signatures=[SIGNATURE, OTHER | {"keyid": SIGNATURE["keyid"]}]), "signatures"),
        (document(signatures=[SIGNATURE | {"cert": ""}]), "signatures[0]"),
        (
            document(signatures=[SIGNATURE | {"keyid": "rsa:" + SIGNATURE["keyid"][8:]}]),
            "signatures[0].keyid",
        ),
        (document(signatures=[SIGNATURE | {"keyid": "ed25519:"}]), "key"),
        (document(signatures=[SIGNATURE | {"keyid": SIGNATURE["keyid"][:-1]}]), "key"),
        (document(signatures=[SIGNATURE | {"keyid": SIGNATURE["keyid"] + "="}]), "key"),
        (document(signatures=[SIGNATURE | {"sig": SIGNATURE["sig"][:-4]}]), "signatures[0].sig"),
        (document(signatures=[SIGNATURE | {"sig": "AA=="}]), "signatures[0].sig"),
        (document(signatures=[SIGNATURE | {"sig": "?"}]), "signatures[0].sig"),
    ],
)
def test_what_is_no_envelope_is_refused_with_its_place(value: Any, where: str) -> None:
    with pytest.raises(EnvelopeError) as caught:
        Envelope.parse(json.dumps(value, separators=(",", ":")).encode())
    assert caught.value.where == where


@pytest.mark.parametrize(
    "data",
    [
        b" " + BYTES,
        BYTES + b" ",
        BYTES + b"\n",
        BYTES.replace(b",", b", ", 1),
        BYTES.replace(b"payloadType", b"payload\\u0054ype"),
        BYTES.replace(b"roomful", b"roomf\\u0075l"),
        BYTES.replace(b"/vnd", b"\\/vnd"),
        json.dumps(dict(sorted(document().items(), reverse=True)), separators=(",", ":")).encode(),
        json.dumps(document(signatures=[dict(reversed(SIGNATURE.items()))]), separators=(",", ":")).encode(),
        BYTES.decode().encode("utf-16"),
        b"\xef\xbb\xbf" + BYTES,
    ],
)
def test_another_writing_of_the_same_envelope_is_refused(data: bytes) -> None:
    with pytest.raises(EnvelopeError):
        Envelope.parse(data)


def test_oversized_bytes_are_refused_before_they_are_read() -> None:
    with pytest.raises(EnvelopeError, match="bytes are too many"):
        Envelope.parse(b" " * (MAX_ENVELOPE_BYTES + 1))


def test_claims_are_what_the_platform_verifies() -> None:
    claim = SMALL.claims[0]
    assert claim.message == pre_authentication_encoding(PAYLOAD_TYPE, b"payload")
    assert claim.public_key == public_bytes(ORGANIZER_KEY)
    ORGANIZER_KEY.public_key().verify(claim.signature, claim.message)


@pytest.mark.parametrize("results", [[], [False], [True, True], [1], ["yes"], [None]])
def test_only_one_true_for_each_signature_verifies(results: list[Any]) -> None:
    with pytest.raises(SignatureError, match="a signature does not verify"):
        SMALL.verified(results, None)


def test_one_bad_signature_of_several_refuses() -> None:
    both = SMALL.with_signature(public_bytes(AUDITOR_KEY), AUDITOR_KEY.sign(b"another document"))
    assert outcomes(both) == [True, False]
    with pytest.raises(SignatureError):
        both.verified(outcomes(both), None)


def test_countersigning_keeps_the_payload_and_the_order() -> None:
    claim = SMALL.claims[0]
    both = SMALL.with_signature(public_bytes(AUDITOR_KEY), AUDITOR_KEY.sign(claim.message))
    assert both == sign(b"payload", ORGANIZER_KEY, AUDITOR_KEY)


def test_expected_key_is_the_first_signers() -> None:
    both = sign(b"payload", ORGANIZER_KEY, AUDITOR_KEY)
    assert both.verified([True, True], None).organizer_key == public_bytes(ORGANIZER_KEY)
    with pytest.raises(SignatureError, match="signed by another key") as caught:
        both.verified([True, True], public_bytes(AUDITOR_KEY))
    assert caught.value.expected == encode_key(public_bytes(AUDITOR_KEY))


@given(KEYS)
def test_keys_survive_a_round_trip(key: bytes) -> None:
    assert decode_key(encode_key(key)) == key


@pytest.mark.parametrize(
    "text", ["", "A" * 42, "A" * 44, "A" * 42 + "B", "A" * 42 + "/", "A" * 42 + "é", "A" * 43 + "="]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(EnvelopeError, match="not a public key"):
        decode_key(text)


def test_short_identity() -> None:
    assert survey_id(survey_digest(b"payload")) == survey_digest(b"payload")[:16]
