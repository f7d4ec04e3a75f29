"""An organizer whose key lets everybody sign: a point of small order, above all the identity.

Under the identity ``R = identity, S = 0`` is a signature of every message, and the libraries accept it. Who
is invited by such a key is invited by everybody.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from server.keys.signing import examine_envelope
from server.keys.signing_keys import load_public_key, verifies
from shared import ed25519
from shared.envelope import Envelope, decode_key, encode_key
from shared.errors import EnvelopeError, KeyFileError, VerificationError
from shared.invitation import Invitation
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, sign, small_specification
from tests.reference import affine_ed25519 as curve
from tests.vectors.generate import FOLDER

PAYLOAD = small_specification().to_bytes()
IDENTITY = curve.encode(curve.IDENTITY)
SMALL = tuple(curve.encode(point) for point in curve.torsion())
P = 2**255 - 19
UNREDUCED = tuple(
    (y | sign << 255).to_bytes(32, "little") for y in (P, P + 1, P + 18, 2**255 - 1) for sign in (0, 1)
)
NEGATIVE_ZERO = tuple((y | 1 << 255).to_bytes(32, "little") for y in (1, P - 1))
WEAK = (*SMALL, *UNREDUCED, *NEGATIVE_ZERO)
FOR_EVERYTHING = IDENTITY + bytes(32)
WEB = Path(__file__).resolve().parents[2] / "respondent_client" / "web"


def test_libraries_would_accept_the_identity() -> None:
    """What is defended against: the platform alone takes it for a genuine signature."""
    envelope = Envelope(payload=PAYLOAD, signatures=((IDENTITY, FOR_EVERYTHING),))
    assert all(verifies(claim) for claim in envelope.claims)
    other = Envelope(payload=PAYLOAD.replace(b"365", b"999"), signatures=((IDENTITY, FOR_EVERYTHING),))
    assert all(verifies(claim) for claim in other.claims)


@pytest.mark.parametrize("key", WEAK, ids=bytes.hex)
def test_no_weak_key_is_a_key(key: bytes) -> None:
    with pytest.raises(EnvelopeError, match="not a public key"):
        decode_key(encode_key(key))
    with pytest.raises(KeyFileError):
        load_public_key(f"ed25519:{encode_key(key)}")
    with pytest.raises(VerificationError):
        Invitation.parse_fragment(f".{encode_key(key)}")


@pytest.mark.parametrize("key", WEAK, ids=bytes.hex)
def test_no_envelope_has_a_weak_key_also_not_an_auditors(key: bytes) -> None:
    honest = sign(PAYLOAD, ORGANIZER_KEY).signatures
    for signatures in (((key, FOR_EVERYTHING),), (*honest, (key, FOR_EVERYTHING))):
        with pytest.raises(EnvelopeError):
            Envelope.parse(Envelope(payload=PAYLOAD, signatures=signatures).to_bytes())


def test_a_second_form_of_a_signature_is_none() -> None:
    ((key, signature),) = sign(PAYLOAD, ORGANIZER_KEY).signatures
    s = int.from_bytes(signature[32:], "little") + curve.L
    again = signature[:32] + s.to_bytes(32, "little")
    with pytest.raises(EnvelopeError, match="not an Ed25519 signature"):
        Envelope.parse(Envelope(payload=PAYLOAD, signatures=((key, again),)).to_bytes())


def test_honest_keys_stay_keys() -> None:
    envelope = Envelope.parse(sign(PAYLOAD, ORGANIZER_KEY, AUDITOR_KEY).to_bytes())
    found = examine_envelope(
        envelope, Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY)), None
    )
    assert found.lines[0].outcome == "passed"


def in_javascript(expression: str, given: object) -> list[bool]:
    """What the board page's module says of each item."""
    program = f"""
        import {{ isKey, verifies }} from {json.dumps((WEB / "ed25519.mjs").as_uri())};
        const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
        const given = {json.dumps(given)};
        console.log(JSON.stringify(await Promise.all(given.map({expression}))));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    answers: list[bool] = json.loads(done.stdout)
    return answers


def test_the_boards_page_judges_keys_alike() -> None:
    scalars = [int.from_bytes(hashlib.sha256(b"%d" % i).digest(), "little") % curve.L for i in range(8)]
    mixed = [curve.add(curve.multiply(s, curve.base()), t) for s in scalars for t in curve.torsion()]
    anything = [hashlib.sha256(b"bytes %d" % i).digest() for i in range(100)]
    keys = [*WEAK, *map(curve.encode, mixed), *anything, IDENTITY[:-1], IDENTITY + b"\0"]
    expected = [ed25519.is_key(key) for key in keys]
    assert expected.count(True) > len(scalars)
    assert in_javascript("(hex) => isKey(bytes(hex))", [key.hex() for key in keys]) == expected


def test_the_boards_page_judges_signatures_alike() -> None:
    vectors = json.loads((FOLDER / "ed25519.json").read_text("utf-8"))
    cases = vectors["cases"] + vectors["refused"]
    found = in_javascript("(c) => verifies(bytes(c.public_key), bytes(c.signature), bytes(c.message))", cases)
    assert found == [True] * len(vectors["cases"]) + [False] * len(vectors["refused"])
