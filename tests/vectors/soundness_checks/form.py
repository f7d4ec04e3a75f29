"""Checks 3, 4 and 11: form, distances that stay exact, and the one length of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from shared.questionnaire import Questionnaire
from tests.builders import QUESTIONNAIRE, small_model, small_specification
from tests.vectors.soundness_checks.making import Change, signed, vector
from tests.vectors.surveys import SoundnessVector, altered, small_balls


def form() -> Iterator[SoundnessVector]:
    honest = small_specification()
    text, model = honest.to_bytes(), small_model()

    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return vector(name, comment, "check.form", signed(payload), number=3, model=model)

    def changed(name: str, comment: str, change: Change) -> SoundnessVector:
        return refused(name, comment, altered(honest, change))

    yield changed(
        "unknown-field", "A field that the protocol does not know.", lambda d: d.update(tracking="yes")
    )
    yield changed("missing-field", "No release rule.", lambda d: d.pop("release"))
    yield changed("other-protocol", "A later protocol.", lambda d: d.update(protocol="roomful/4"))
    yield changed("earlier-protocol", "Signed under roomful/2.", lambda d: d.update(protocol="roomful/2"))
    yield refused("duplicate-key", "Two values of k.", text.replace(b'"k":3', b'"k":3,"k":4'))
    yield refused("float", "k as a floating-point number.", text.replace(b'"k":3', b'"k":3.0'))
    yield refused("byte-order-mark", "A byte order mark before the document.", b"\xef\xbb\xbf" + text)
    yield refused("not-json", "The document is cut off.", text[:-1])
    yield refused(
        "lone-surrogate",
        "Half a surrogate pair in the title.",
        text.replace(b"Smallville", b"Small\\ud800ville"),
    )
    yield refused("nested-too-deeply", "Ten thousand nested lists.", b"[" * 10_000 + b"]" * 10_000)
    yield changed(
        "cycle-of-two-steps",
        "Two steps are no cycle; the coordinates would be as many as before.",
        lambda d: d["attributes"][1].update(kind="cyclic"),
    )
    yield changed(
        "stores-address",
        "The collector would store the address of the sender.",
        lambda d: d["stored"].append("address"),
    )
    yield changed(
        "correlation-omitted",
        "Nothing is said about whether people decide together.",
        lambda d: d["participation"].pop("correlation"),
    )
    yield changed(
        "correlation-that-empties-cells",
        "A correlation so strong that cells look safe: everybody comes, or nobody.",
        lambda d: d["participation"].update(correlation="0.99"),
    )
    yield changed(
        "household-size-that-describes-one",
        "Households of 7, which is not one of the published sizes.",
        lambda d: d["participation"].update(household_size=7),
    )
    yield changed(
        "stores-nothing",
        "The list of what is stored is empty, although answers are kept.",
        lambda d: d.update(stored=[]),
    )
    yield changed(
        "zero-width-space-in-a-title",
        "A character that nobody sees in the title.",
        lambda d: d["title"].update(en="Health in\u200b Smallville"),
    )
    yield changed(
        "head-counts-do-not-add-up",
        "One more eligible person in a cell than in the model.",
        lambda d: d["eligible"][0].__setitem__(0, 26),
    )
    yield changed(
        "site-outside-domain",
        "A site at an age of 100.",
        lambda d: d["cells"]["sites"][-1].__setitem__(0, 1000),
    )
    yield changed(
        "release-below-k",
        "Groups of two may be released although k is three.",
        lambda d: d["release"].update(minimum=2),
    )


def distance() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return vector(name, comment, "check.distance", signed(payload), number=4, model=small_model())

    honest = small_specification()
    yield refused(
        "weights-too-large",
        "Squared distances reach 2^53, where JavaScript and Python part.",
        altered(honest, lambda d: d["weights"].__setitem__(0, 2**34)),
    )
    yield refused(
        "offset-too-large",
        "An offset of the power diagram at 2^53.",
        altered(honest, lambda d: d["cells"]["offsets"].__setitem__(7, 2**53)),
    )
    balls = small_specification(cells=small_balls())
    yield refused(
        "radius-too-large",
        "A squared radius of 2^53.",
        altered(balls, lambda d: d["cells"]["radii"].__setitem__(3, 2**53)),
    )


def length() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return vector(name, comment, "check.length", signed(payload), number=11, model=small_model())

    honest = small_specification()

    def claims(length: int) -> bytes:
        return altered(honest, lambda d: d.update(message_bytes=length))

    yield refused(
        "message-one-byte-short",
        "The longest answers need a byte more than every message is said to have.",
        claims(honest.message_bytes - 1),
    )
    yield refused(
        "message-too-long",
        "Messages longer than any answers need: a length must follow from the questions alone.",
        claims(1024),
    )
    texts = [{"type": "comment", "name": f"remark{i}"} for i in range(9)]
    pages = [*QUESTIONNAIRE["pages"], {"elements": texts}]
    free = replace(
        honest,
        questionnaire=Questionnaire.parse({"pages": pages}, honest.languages),
        permissions=replace(honest.permissions, free_text=True),
        message_bytes=65_536,
    )
    yield refused(
        "answers-longer-than-any-message",
        "Nine free texts of 2,000 characters could take 72,018 bytes, more than a message may have.",
        free.to_bytes(),
    )
