"""What each SHA-256 and each signed text of an election binds, input by input.

The hashes to a number are in ``test_bound_hashes``. Here every input changed once gives another text, and the
line that compares it refuses; with an input left out on both sides, what it stood for is exchanged and nobody
notices.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from shared.acceptance import acceptance_message, passed_on_message
from shared.ballot import UnsignedBallot
from shared.election import ceremony
from shared.election.ceremony import FIRST, SECOND, First, Fourth, Second
from shared.election.group import GENERATOR
from shared.election.schnorr import Proof
from shared.invitation_code import InvitationCode
from shared.roll import roll_hash
from shared.sealing import ballot_info, box_info
from shared.statements import Stated, groups_digest, require_statements
from shared.token import Token, token_message
from tests import election_held as held
from tests.election import GROUP, token_of
from tests.refusals import code_of

ONE, TWO = "1a" * 32, "2b" * 32
A, B = bytes.fromhex(ONE), bytes.fromhex(TWO)
SEALED = [b"sealed %d" % i for i in range(6)]


@dataclass(frozen=True)
class Text:
    """A digest or a text: how it is made, its inputs, and for each another value."""

    make: Callable[..., object]
    inputs: tuple[Any, ...]
    others: tuple[Any, ...]


def body_of(cell: int, prefix: bytes, device_key: bytes, signature: bytes, box: bytes, digest: str) -> bytes:
    """What a device key signs."""
    token = Token(prefix=prefix, device_key=device_key, signature=signature)
    return UnsignedBallot(cell=cell, token=token, box=box).to_be_signed(digest)


def coefficients(ceremony_id: str, trustee: int, first: bytes, second: bytes) -> str:
    """The hash of round 1."""
    return ceremony.coefficients_digest(ceremony_id, trustee, (first, second))


def statement_text(specification: str, root: str, groups: str, trustee: int) -> bytes:
    """What a trustee signs."""
    return Stated(specification=specification, root=root, groups=groups).message(trustee)


TEXTS = {
    "coefficients": Text(coefficients, (ONE, 1, A, B), (TWO, 2, B, A)),
    "share": Text(ceremony.share_info, (ONE, 1, 2), (TWO, 3, 3)),
    "statement": Text(statement_text, (ONE, ONE, ONE, 1), (TWO, TWO, TWO, 2)),
    "groups": Text(lambda *groups: groups_digest(groups), ((0, 1), (2,), (3,)), ((1, 0), (4,), ())),
    "acceptance": Text(acceptance_message, (ONE, A), (TWO, B)),
    "passed on": Text(passed_on_message, (ONE, A), (TWO, B)),
    "token": Text(token_message, (ONE, A), (TWO, B)),
    "ballot": Text(body_of, (1, A, A, bytes(384), b"box", ONE), (2, B, B, bytes(383) + b"\x01", b"bOx", TWO)),
    "box's seal": Text(box_info, (ONE, A, A, 1), (TWO, B, B, 2)),
    "ballot's seal": Text(ballot_info, (ONE,), (TWO,)),
    "proof of a code": Text(
        lambda roll, entropy: InvitationCode.create(entropy).proof(roll), (A, bytes(12)), (B, b"\x01" * 12)
    ),
    "roll hash": Text(roll_hash, (A,), (B,)),
}
INPUTS = [(name, place) for name, text in TEXTS.items() for place in range(len(text.inputs))]


@pytest.mark.parametrize(("name", "place"), INPUTS, ids=[f"{name}-{place}" for name, place in INPUTS])
def test_every_input_gives_another_text(name: str, place: int) -> None:
    text = TEXTS[name]
    changed = list(text.inputs)
    changed[place] = text.others[place]
    assert text.make(*text.inputs) == text.make(*text.inputs)
    assert text.make(*changed) != text.make(*text.inputs)


def test_two_inputs_exchanged_give_another_text() -> None:
    """All parts have one length or bring it, so that no byte of one can be taken for one of the next."""
    assert statement_text(ONE, TWO, ONE, 1) != statement_text(TWO, ONE, ONE, 1)
    assert coefficients(ONE, 1, A, B) != coefficients(ONE, 1, B, A)
    assert groups_digest(((0,), (1, 2))) != groups_digest(((0, 1), (2,)))
    assert groups_digest(((1,), (0,))) != groups_digest(((0,), (1,)))
    assert groups_digest(((1, 2),)) != groups_digest(((12,),))
    assert ceremony.share_info(ONE, 1, 2) != ceremony.share_info(ONE, 2, 1)
    first = held.first_round()
    assert ceremony.messages_digest(FIRST, first) != ceremony.messages_digest(SECOND, first)


ANOTHER_FIRST: dict[str, Any] = {
    "ceremony": ONE,
    "trustees": 5,
    "threshold": 3,
    "trustee": 7,
    "sealing_key": A,
    "coefficients": TWO,
}
ANOTHER_SECOND: dict[str, Any] = {
    "ceremony": ONE,
    "trustee": 7,
    "coefficients": (GENERATOR, GENERATOR),
    "proofs": (Proof(challenge=1, response=1),) * 2,
}


def changed_rounds() -> list[tuple[str, tuple[First, ...], tuple[Second, ...], list[bytes]]]:
    """The ceremony with each member of each message changed once, and each sealed share."""
    first, second = list(held.first_round()), list(held.second_round())
    found: list[tuple[str, tuple[First, ...], tuple[Second, ...], list[bytes]]] = []
    for i in range(held.N):
        for name, value in ANOTHER_FIRST.items():
            messages = [*first[:i], replace(first[i], **{name: value}), *first[i + 1 :]]
            found.append((f"first {i + 1} {name}", tuple(messages), tuple(second), SEALED))
        for name, value in ANOTHER_SECOND.items():
            others = [*second[:i], replace(second[i], **{name: value}), *second[i + 1 :]]
            found.append((f"second {i + 1} {name}", tuple(first), tuple(others), SEALED))
    for place in range(len(SEALED)):
        sealed = [*SEALED[:place], b"other", *SEALED[place + 1 :]]
        found.append((f"sealed {place}", tuple(first), tuple(second), sealed))
    return found


CHANGED = changed_rounds()


def test_the_table_of_changed_messages_is_whole() -> None:
    assert set(ANOTHER_FIRST) == {field.name for field in fields(First)}
    assert set(ANOTHER_SECOND) == {field.name for field in fields(Second)}


def seen(transcript: str) -> list[Fourth]:
    """What each trustee signs who saw this."""
    return [
        ceremony.fourth(x, i, transcript, held.fresh(f"key {i}"), held.fresh(f"seen {i}"), GROUP)
        for i, x in enumerate(held.secrets(), 1)
    ]


@pytest.mark.parametrize(
    ("first", "second", "sealed"), [case[1:] for case in CHANGED], ids=[case[0] for case in CHANGED]
)
def test_whoever_saw_another_message_is_noticed(
    first: tuple[First, ...], second: tuple[Second, ...], sealed: list[bytes]
) -> None:
    """One trustee was shown one member of one message, or one sealed share, changed."""
    honest = ceremony.transcript(held.first_round(), held.second_round(), SEALED)
    other = ceremony.transcript(first, second, sealed)
    assert other != honest
    keys = ceremony.keys(held.second_round(), honest, GROUP)
    assert code_of(lambda: ceremony.require_fourth(keys, seen(honest), GROUP)) == ""
    split = [*seen(honest)[:2], seen(other)[2]]
    assert code_of(lambda: ceremony.require_fourth(keys, split, GROUP)) == "election.ceremony"
    # She cannot be made to have signed the transcript of the others either.
    forged = [*split[:2], replace(split[2], transcript=honest)]
    assert code_of(lambda: ceremony.require_fourth(keys, forged, GROUP)) == "election.ceremony"


def test_a_transcript_without_the_sealed_shares_hides_an_exchanged_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = ceremony.transcript
    monkeypatch.setattr(ceremony, "transcript", lambda first, second, _: whole(first, second, ()))
    exchanged = [case[1:] for case in CHANGED if case[0].startswith("sealed ")]
    transcripts = {ceremony.transcript(*case) for case in exchanged}
    assert len(exchanged) == len(SEALED)
    assert transcripts == {ceremony.transcript(held.first_round(), held.second_round(), SEALED)}


def test_an_exchanged_sealing_key_is_noticed_in_round_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever carries the messages puts a key of his own into trustee 3's, to read the shares for her."""
    honest = held.first_round()
    shown = (*honest[:2], replace(honest[2], sealing_key=A))
    assert code_of(lambda: ceremony.require_second(shown, held.second_round(), GROUP)) == "election.ceremony"
    whole = ceremony.messages_digest

    def without_keys(label: str, messages: Any) -> bytes:
        return whole(label, [replace(m, sealing_key=b"") if isinstance(m, First) else m for m in messages])

    monkeypatch.setattr(ceremony, "messages_digest", without_keys)
    second = [
        ceremony.second(honest, i, held.coefficients(i), held.fresh(f"knowledge {i}", held.T), GROUP)
        for i in range(1, held.N + 1)
    ]
    assert code_of(lambda: ceremony.require_second(shown, second, GROUP)) == ""


@pytest.mark.parametrize("place", range(2))
def test_a_coefficient_chosen_after_the_others_is_noticed(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trustee 3 waits for round 2 of the others, and takes another number than the one that she promised."""
    drawn = list(held.coefficients(3))
    drawn[place] += 1

    def second() -> list[Second]:
        """Of all, as each makes hers."""
        polynomials = (held.coefficients(1), held.coefficients(2), tuple(drawn))
        return [
            ceremony.second(first(), i, polynomial, held.fresh(f"knowledge {i}", held.T), GROUP)
            for i, polynomial in enumerate(polynomials, 1)
        ]

    def first() -> list[First]:
        return [held.first_of(i, held.coefficients(i)) for i in range(1, held.N + 1)]

    assert code_of(lambda: ceremony.require_second(first(), second(), GROUP)) == "election.ceremony"
    whole = ceremony.coefficients_digest

    def without(ceremony_id: str, trustee: int, elements: Any) -> str:
        return whole(ceremony_id, trustee, [*elements[:place], *elements[place + 1 :]])

    monkeypatch.setattr(ceremony, "coefficients_digest", without)
    assert code_of(lambda: ceremony.require_second(first(), second(), GROUP)) == ""


@pytest.mark.parametrize("changes", [{"root": ONE}, {"groups": groups_digest(((0,), (1,)))}], ids=str)
def test_a_statement_rewritten_is_no_statement(
    changes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The organizer writes another root or other groups into genuine files."""
    about = replace(held.stated(), **changes)

    def opened() -> None:
        rewritten = [replace(held.statement(i), stated=about) for i in range(1, held.N + 1)]
        require_statements(about, held.keys(), [("file", statement) for statement in rewritten])

    assert code_of(opened) == "opening.statement"
    whole, left_out = Stated.message, dict.fromkeys(changes, "00" * 32)
    monkeypatch.setattr(
        Stated, "message", lambda stated, trustee: whole(replace(stated, **left_out), trustee)
    )
    assert code_of(opened) == ""


def test_words_and_receipt_are_of_all_bytes() -> None:
    """The words of what stands before the signature, the receipt of that and the signature."""
    unsigned = UnsignedBallot(cell=1, token=token_of(0), box=b"box")
    signed = unsigned.signed(bytes(64))
    assert signed.receipt == hashlib.sha256(signed.body + bytes(64)).hexdigest()
    assert signed.words == unsigned.words
    assert unsigned.signed(b"\x01" + bytes(63)).receipt != signed.receipt
    for changed in (
        replace(unsigned, cell=2),
        replace(unsigned, box=b"bOx"),
        replace(unsigned, token=token_of(1)),
    ):
        assert changed.words != unsigned.words
