from __future__ import annotations

import base64
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.checkpoint import Checkpoint, SignedCheckpoint, board_origin, key_id
from shared.envelope import SignatureClaim
from shared.errors import BoardError
from tests.boards import sign_checkpoint
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes
from tests.shared.examining import genuine

DIGEST = "f6b1189678d4d36bc91df418ba76a864d4b1b2d653344f323a3f591bc863e724"
ORIGIN = board_origin(DIGEST)
KEY = public_bytes(ORGANIZER_KEY)
CHECKPOINT = Checkpoint(origin=ORIGIN, size=40, root=bytes(range(32)))
NOTE = sign_checkpoint(CHECKPOINT)
#: The example of C2SP's tlog-checkpoint.
EXAMPLE = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
).encode()


def verify(data: bytes, key: bytes = KEY, origin: str = ORIGIN) -> Checkpoint:
    """As an outsider does."""
    note = SignedCheckpoint.parse(data)
    return note.verified([genuine(claim) for claim in note.claims([key])], [key], origin)


def refused(data: bytes, key: bytes = KEY, origin: str = ORIGIN) -> BoardError:
    """The error of a checkpoint that is not to be believed."""
    with pytest.raises(BoardError) as caught:
        verify(data, key, origin)
    assert caught.value.code == "board.checkpoint"
    return caught.value


def test_the_key_id_of_the_go_reference() -> None:
    """``example.com/foo+530d903a+...``: key and signature of the examples of Go's package sumdb/note."""
    vkey = base64.b64decode("AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
    assert key_id("example.com/foo", vkey[1:]).hex() == "530d903a"
    signed = base64.b64decode(
        "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
    )
    assert signed[:4].hex() == "530d903a"
    claim = SignatureClaim(
        public_key=vkey[1:], signature=signed[4:], message=b"This is an example message.\n"
    )
    assert genuine(claim)


def test_the_example_of_the_specification_is_read() -> None:
    note = SignedCheckpoint.parse(EXAMPLE)
    assert note.checkpoint.size == 20852163
    assert note.checkpoint.root.hex().startswith("0ac5186a91863e8e")
    assert note.to_bytes() == EXAMPLE
    assert note.checkpoint.to_text() == EXAMPLE[: EXAMPLE.index(b"\n\n") + 1]


def test_layout() -> None:
    text, _, line = NOTE.decode().partition("\n\n")
    assert text == f"roomful-board/{DIGEST}\n40\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    dash, name, signature = line.removesuffix("\n").split(" ")
    assert (dash, name) == ("—", ORIGIN)
    assert base64.b64decode(signature) == key_id(ORIGIN, KEY) + ORGANIZER_KEY.sign(text.encode() + b"\n")


def test_a_genuine_checkpoint_verifies() -> None:
    assert verify(NOTE) == CHECKPOINT


def test_every_flipped_bit_is_refused() -> None:
    for bit in range(8 * len(NOTE)):
        changed = bytearray(NOTE)
        changed[bit // 8] ^= 1 << bit % 8
        refused(bytes(changed))


def test_another_key_and_another_survey_are_refused() -> None:
    stranger = sign_checkpoint(CHECKPOINT, AUDITOR_KEY)
    assert "did not sign" in refused(stranger).message
    assert verify(stranger, public_bytes(AUDITOR_KEY)) == CHECKPOINT
    assert "another survey" in refused(NOTE, origin=board_origin("0" * 64)).message


def test_the_name_of_the_organizers_key_over_a_strangers_signature_is_refused() -> None:
    forged = CHECKPOINT.signed(KEY, AUDITOR_KEY.sign(CHECKPOINT.to_text())).to_bytes()
    assert "does not verify" in refused(forged).message


def test_signatures_of_witnesses_are_kept_and_ignored() -> None:
    witness = "— witness.example " + base64.b64encode(bytes(100)).decode() + "\n"
    note = NOTE + witness.encode()
    assert verify(note) == CHECKPOINT
    assert SignedCheckpoint.parse(note).to_bytes() == note
    assert "did not sign" in refused(CHECKPOINT.to_text() + b"\n" + witness.encode()).message


def test_a_second_signature_by_the_same_key_must_be_genuine_too() -> None:
    line = NOTE[NOTE.index(b"\n\n") + 2 :]
    assert verify(NOTE + line) == CHECKPOINT
    forged = CHECKPOINT.signed(KEY, bytes(64)).to_bytes()
    refused(NOTE + forged[forged.index(b"\n\n") + 2 :])
    short = CHECKPOINT.signed(KEY, bytes(63)).to_bytes()
    note = SignedCheckpoint.parse(NOTE + short[short.index(b"\n\n") + 2 :])
    with pytest.raises(BoardError, match="does not verify"):
        note.verified([True, True], [KEY], ORIGIN)


@pytest.mark.parametrize("outcomes", [[], [True, True], [False], [1]])
def test_only_as_many_outcomes_as_signatures_and_all_true_suffice(outcomes: list[bool]) -> None:
    with pytest.raises(BoardError, match="does not verify"):
        SignedCheckpoint.parse(NOTE).verified(outcomes, [KEY], ORIGIN)


HEAD = CHECKPOINT.to_text().decode()
TAIL = NOTE.decode()[len(HEAD) + 1 :]
MALFORMED = {
    "empty": "",
    "not-utf-8": "\udcff",
    "no-signature": HEAD + "\n",
    "no-empty-line": HEAD + TAIL,
    "extension-line": HEAD + "more\n\n" + TAIL,
    "two-empty-lines": HEAD + "\n\n" + TAIL,
    "last-line-open": HEAD + "\n" + TAIL[:-1],
    "empty-line-at-the-end": HEAD + "\n" + TAIL + "\n",
    "carriage-return": (HEAD + "\n" + TAIL).replace("\n", "\r\n"),
    "null": HEAD.replace("40", "4\x00") + "\n" + TAIL,
    "no-origin": HEAD.replace(ORIGIN, "") + "\n" + TAIL,
    "leading-zero": HEAD.replace("\n40\n", "\n040\n") + "\n" + TAIL,
    "negative": HEAD.replace("\n40\n", "\n-1\n") + "\n" + TAIL,
    "other-digits": HEAD.replace("\n40\n", "\n٤٠\n") + "\n" + TAIL,
    "size-too-long": HEAD.replace("\n40\n", f"\n{10**16}\n") + "\n" + TAIL,
    "root-not-base64": HEAD.replace("AAEC", "A*EC") + "\n" + TAIL,
    "root-too-short": HEAD.replace("AAEC", "") + "\n" + TAIL,
    "root-with-slack": HEAD.replace("Hh8=", "Hh9=") + "\n" + TAIL,
    "hyphen": HEAD + "\n" + TAIL.replace("—", "-"),
    "no-name": HEAD + "\n— " + TAIL.split(" ")[2],
    "plus-in-name": HEAD + "\n" + TAIL.replace("roomful-board", "roomful+board"),
    "wide-blank-in-name": HEAD + "\n" + TAIL.replace("roomful-board", "roomful\u2003board"),
    "signature-not-base64": HEAD + "\n" + TAIL[:-2] + "*\n",
    "key-id-alone": HEAD + f"\n— {ORIGIN} AAAAAA==\n",
    "too-many": HEAD + "\n" + TAIL * 17,
    "too-long": HEAD + "\n" + TAIL + "— a " + "A" * 20_000 + "\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_notes_are_refused(name: str) -> None:
    data = MALFORMED[name].encode("utf-8", "surrogateescape")
    with pytest.raises(BoardError) as caught:
        SignedCheckpoint.parse(data)
    assert caught.value.code == "board.checkpoint"


def test_sixteen_signatures_are_read() -> None:
    assert len(SignedCheckpoint.parse((HEAD + "\n" + TAIL * 16).encode()).signatures) == 16


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_read_back_or_refused(data: bytes) -> None:
    with contextlib.suppress(BoardError):
        assert SignedCheckpoint.parse(data).to_bytes() == data
