"""Named specifications for the eleven soundness checks: sound ones, and one defect each.

A vector's check is the one that must refuse it; its name says what is wrong with it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from shared.envelope import PAYLOAD_TYPE, Envelope
from shared.model import ModelRow, format_model, model_digest
from shared.participation import Dependence, ParticipationLevel, ParticipationSource
from shared.questionnaire import Questionnaire
from shared.specification import Specification
from tests.builders import (
    AUDITOR_KEY,
    ORGANIZER_KEY,
    QUESTIONNAIRE,
    age,
    register_cells,
    sex,
    sign,
    small_cells,
    small_model,
    small_rows,
    small_specification,
)
from tests.invited import invited, invited_specification
from tests.vectors.surveys import (
    STRANGER_KEY,
    SoundnessVector,
    altered,
    fragment_of,
    register,
    small_balls,
    small_boxes,
    small_prototypes,
    uneven_survey,
)

DESIGN = "design.md section 8, check {}"
Change = Callable[[dict[str, Any]], object]


def soundness_vectors() -> Iterator[SoundnessVector]:
    """All of them, in the order of the checks."""
    yield from _sound()
    yield from _signature()
    yield from _digest()
    yield from _form()
    yield from _distance()
    yield from _floor()
    yield from _n_min()
    yield from _cell_failure()
    yield from _model_shape()
    yield from _off_the_grid()
    yield from _questions()
    yield from _model()
    yield from _length()


def _vector(
    name: str,
    comment: str,
    check: str | None,
    envelope: Envelope | bytes,
    *,
    number: int | None = None,
    invitation: str | None = None,
    model: bytes | None = None,
) -> SoundnessVector:
    data = envelope.to_bytes() if isinstance(envelope, Envelope) else envelope
    if invitation is None:
        assert isinstance(envelope, Envelope)
        invitation = fragment_of(envelope)
    source = "design.md section 8" if number is None else DESIGN.format(number)
    return SoundnessVector(
        name=name,
        comment=comment,
        source=source,
        check=check,
        envelope=data,
        invitation=invitation,
        model=model,
    )


def _signed(specification: Specification | bytes) -> Envelope:
    payload = specification if isinstance(specification, bytes) else specification.to_bytes()
    return sign(payload, ORGANIZER_KEY)


def _sound() -> Iterator[SoundnessVector]:
    def sound(name: str, comment: str, envelope: Envelope, **more: Any) -> SoundnessVector:
        return _vector(f"sound-{name}", comment, None, envelope, **more)

    model, honest = small_model(), _signed(small_specification())
    yield sound("power-diagram", "200 people of a public model in eight cells.", honest, model=model)
    yield sound("balls", "Balls of a public model, and a last cell for the rest.", _balls(), model=model)
    yield sound(
        "balls-nearest",
        "Balls of a public model; what none contains belongs to the nearest.",
        _signed(small_specification(cells=small_balls(remainder="nearest"))),
        model=model,
    )
    yield sound(
        "boxes", "Boxes of a public model.", _signed(small_specification(cells=small_boxes())), model=model
    )
    yield sound(
        "prototypes",
        "Tabulated tuples of a public model.",
        _signed(small_specification(cells=small_prototypes())),
        model=model,
    )
    yield sound(
        "register-power-diagram", "A register: check 10 does not apply.", _signed(register(register_cells()))
    )
    yield sound(
        "register-boxes", "Boxes of a register that tile the domain.", _signed(register(small_boxes()))
    )
    yield sound(
        "register-balls-permitted",
        "Balls of a register, with the permission that was signed for it.",
        _signed(
            altered(register(small_balls()), lambda d: d["permissions"].update(balls_from_register=True))
        ),
    )
    yield sound(
        "participation-range",
        "Participation from 0.4 to 0.6: the worst value in the range counts.",
        _signed(small_specification(levels=(ParticipationLevel(low="0.4", high="0.6"),))),
        model=model,
    )
    yield sound(
        "correlated-participation",
        "Any two people of a cell have a correlation of 0.005; cells of 25 are large enough for that.",
        _signed(small_specification(dependence=Dependence(correlation="0.005"))),
        model=model,
    )
    yield sound(
        "households",
        "Couples may decide together: one failure in a hundred.",
        _signed(small_specification(dependence=Dependence(household_size=2), failure="0.005")),
        model=model,
    )
    uneven_together, uneven_model = uneven_survey(dependence=Dependence(correlation="0.005"), failure="0.01")
    yield sound(
        "uneven-correlated-participation",
        "Two levels of participation that one draw moves alike.",
        _signed(uneven_together),
        model=uneven_model,
    )
    yield sound(
        "participation-with-a-source",
        "A participation of 0.7, and a statement of where the figure comes from.",
        _signed(_claimed("0.7", {"en": "The last three censuses.", "de": "Die letzten drei Zählungen."})),
        model=model,
    )
    uneven, uneven_model = uneven_survey()
    yield sound(
        "uneven-participation",
        "Two levels of participation, and an attribute that may be refused.",
        _signed(uneven),
        model=uneven_model,
    )
    yield sound(
        "countersigned",
        "An auditor signed after the organizer.",
        sign(small_specification().to_bytes(), ORGANIZER_KEY, AUDITOR_KEY),
        model=model,
    )


def _claimed(participation: str, statement: dict[str, str] | None) -> Specification:
    """The small survey with another participation, and what its organizer says about it."""
    level = ParticipationLevel(low=participation, high=participation)
    source = ParticipationSource(kind="even", statement=statement)
    return small_specification(levels=(level,), participation_source=source)


def _balls(**changes: Any) -> Envelope:
    return _signed(small_specification(cells=small_balls(**changes)))


def _signature() -> Iterator[SoundnessVector]:
    honest = _signed(small_specification())
    text, model = honest.to_bytes(), small_model()

    def refused(name: str, comment: str, data: bytes, **more: Any) -> SoundnessVector:
        more.setdefault("invitation", fragment_of(honest))
        return _vector(name, comment, "check.signature", data, number=1, model=model, **more)

    (key, signature), payload = honest.signatures[0], honest.payload
    identity = bytes([1]) + bytes(31)
    yield refused(
        "signed-by-the-identity",
        "The identity for a key: R = identity, S = 0 is a signature of everything.",
        Envelope(payload=payload, signatures=((identity, identity + bytes(32)),)).to_bytes(),
        invitation=fragment_of(honest).partition(".")[0],
    )
    flipped = bytes([signature[0] ^ 1]) + signature[1:]
    yield refused(
        "signature-bit-flipped",
        "The first bit of the signature is another.",
        Envelope(payload=payload, signatures=((key, flipped),)).to_bytes(),
    )
    weaker = payload.replace(b'"retention_days":365', b'"retention_days":366')
    yield refused(
        "payload-changed-after-signing",
        "The collector keeps the answers a day longer than was signed.",
        Envelope(payload=weaker, signatures=honest.signatures).to_bytes(),
    )
    yield refused(
        "signed-by-another-key",
        "A genuine signature, by a key that is not the one in the invitation.",
        sign(payload, STRANGER_KEY).to_bytes(),
    )
    yield refused(
        "organizer-signed-second",
        "The organizer's key comes after a stranger's: the first key is the organizer's.",
        sign(payload, STRANGER_KEY, ORGANIZER_KEY).to_bytes(),
    )
    yield refused(
        "auditor-signature-broken",
        "The organizer's signature is genuine, the auditor's is not.",
        Envelope(
            payload=payload,
            signatures=(*honest.signatures, (_public(AUDITOR_KEY), AUDITOR_KEY.sign(b"something else"))),
        ).to_bytes(),
    )
    yield refused(
        "key-signed-twice",
        "The same key signs twice, to look like an auditor.",
        Envelope(payload=payload, signatures=honest.signatures * 2).to_bytes(),
    )
    yield refused("whitespace-appended", "A line break after the envelope.", text + b"\n")
    _, members = text.split(b'"payload":', 1)
    value, rest = members.split(b",", 1)
    yield refused(
        "members-reordered",
        "The members of the envelope in another order.",
        b"{" + rest.removesuffix(b"}") + b',"payload":' + value + b"}",
    )
    yield refused(
        "other-payload-type",
        "A document of another type, signed by the same key.",
        text.replace(PAYLOAD_TYPE.encode(), b"application/vnd.roomful.specification.v2+json"),
    )
    encoded = base64.b64encode(payload)
    yield refused(
        "base64-broken-into-lines",
        "The payload's base64 has a line break.",
        text.replace(encoded, encoded[:76] + b"\\n" + encoded[76:]),
    )


def _public(key: Any) -> bytes:
    return bytes(key.public_key().public_bytes_raw())


def _digest() -> Iterator[SoundnessVector]:
    honest, model = _signed(small_specification()), small_model()

    def refused(name: str, comment: str, envelope: Envelope) -> SoundnessVector:
        return _vector(
            name,
            comment,
            "check.digest",
            envelope,
            number=2,
            invitation=fragment_of(honest),
            model=model,
        )

    yield refused(
        "swapped-specification",
        "Another sound survey of the same organizer in place of the one in the invitation.",
        _signed(small_specification(cells=small_boxes())),
    )
    yield refused(
        "changed-and-signed-again",
        "The organizer changed the retention after the invitations were sent.",
        _signed(small_specification(retention_days=3650)),
    )


def _form() -> Iterator[SoundnessVector]:
    honest = small_specification()
    text, model = honest.to_bytes(), small_model()

    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return _vector(name, comment, "check.form", _signed(payload), number=3, model=model)

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


def _distance() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return _vector(name, comment, "check.distance", _signed(payload), number=4, model=small_model())

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


def _floor() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification) -> SoundnessVector:
        return _vector(name, comment, "check.floor", _signed(specification), number=5, model=small_model())

    yield refused("k-too-small", "k = 2, consistently.", small_specification(k=2))
    yield refused(
        "acceptable-failure-too-large",
        "One cell in twenty may fail, consistently.",
        small_specification(failure="0.05"),
    )
    yield refused(
        "participation-certain",
        "Everybody is claimed to take part, which makes cells of k people look safe.",
        small_specification(levels=(ParticipationLevel(low="1", high="1"),)),
    )
    yield refused(
        "participation-range-reaches-certainty",
        "A range of participation up to 0.99.",
        small_specification(levels=(ParticipationLevel(low="0.5", high="0.99"),)),
    )
    yield refused(
        "participation-claimed-without-source",
        "A participation of 0.9 is claimed, and nothing is said about where the figure comes from.",
        _claimed("0.9", None),
    )
    yield refused(
        "participation-hardly-any",
        "Participation so low that cells are safe by being empty.",
        small_specification(levels=(ParticipationLevel(low="0.0001", high="0.0001"),)),
    )


def _n_min() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes, model: bytes | None = None) -> SoundnessVector:
        return _vector(name, comment, "check.n-min", _signed(payload), number=6, model=model or small_model())

    honest = small_specification()

    def claims(**values: list[int]) -> Change:
        return lambda d: d["anonymity"].update(values)

    yield refused(
        "n-min-too-small",
        "n_min 17 where 18 are needed.",
        altered(honest, claims(n_min=[17], n_min_safe=[17])),
    )
    yield refused("n-min-too-large", "n_min 19 where 18 suffice.", altered(honest, claims(n_min=[19])))
    yield refused(
        "k-weakened",
        "k lowered from 4 to 3 without computing n_min again.",
        altered(small_specification(k=4), lambda d: d["anonymity"].update(k=3)),
    )
    rare = small_specification(levels=(ParticipationLevel(low="0.003", high="0.003"),), failure="0.01")
    assert rare.n_min[0] < rare.n_min_safe[0]
    yield refused(
        "low-participation-trap",
        "n_min is 3 because cells so small are usually empty; n_min_safe is claimed to be 3 too.",
        altered(rare, claims(n_min_safe=list(rare.n_min))),
    )
    yield refused(
        "n-min-of-people-who-decide-alone",
        "A correlation is stated, and n_min is that of people who decide alone.",
        altered(honest, lambda d: d["participation"].update(correlation="0.02")),
    )
    yield refused(
        "correlation-withdrawn",
        "n_min was computed for a correlation that is no longer stated: one side forgot it.",
        altered(
            small_specification(dependence=Dependence(correlation="0.02")),
            lambda d: d["participation"].update(correlation="0"),
        ),
    )
    uneven, uneven_model = uneven_survey()
    yield refused(
        "n-min-levels-swapped",
        "n_min of two levels of participation in the wrong order.",
        altered(uneven, lambda d: d["anonymity"]["n_min"].reverse()),
        uneven_model,
    )


def _cell_failure() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification, **more: Any) -> SoundnessVector:
        more.setdefault("model", small_model())
        return _vector(name, comment, "check.cell-failure", _signed(specification), number=7, **more)

    cells = small_cells()
    sites = ((20, 0, 10), *cells.sites[1:])
    yield refused(
        "cell-too-small",
        "An offset of the power diagram leaves 7 people in a cell; it fails in one of five surveys.",
        small_specification(cells=replace(cells, sites=sites, offsets=(90_000, *cells.offsets[1:]))),
    )
    yield refused(
        "cell-fails-within-range",
        "Cells of 25 are acceptable at the high end of participation, not at the low end.",
        small_specification(levels=(ParticipationLevel(low="0.3", high="0.6"),)),
    )
    yield refused(
        "cell-too-small-for-couples",
        "25 people are enough if they decide alone, and too few if couples decide together.",
        small_specification(dependence=Dependence(household_size=2)),
    )
    yield refused(
        "cell-too-small-for-a-strike",
        "25 people are enough if they decide alone, and too few for a correlation of 0.05.",
        small_specification(dependence=Dependence(correlation="0.05")),
    )
    uneven, uneven_model = uneven_survey(failure="1e-6")
    yield refused(
        "uneven-cell-too-small",
        "A cell of 12 people at 0.4 and 15 at 0.6 fails more often than once in a million.",
        uneven,
        model=uneven_model,
    )
    small = register(replace(cells, sites=sites, offsets=(90_000, *cells.offsets[1:])))
    yield refused("register-cell-too-small", "The same in a register.", small, model=None)
    sites = tuple((10 * middle, 10 * f, 10 * (1 - f)) for middle in range(2, 100, 5) for f in (0, 1))
    lonely = small_specification(
        cells=replace(small_cells(), sites=sites, offsets=(0,) * len(sites)),
        k=10,
        failure="0.01",
        levels=(ParticipationLevel(low="0.001", high="0.001"),),
    )
    yield refused(
        "cell-safe-by-being-empty",
        "At low participation a cell of 5 hardly ever fails, but whoever does answer from it is alone.",
        lonely,
    )
    yield refused(
        "fewer-invitations-than-answers",
        "Eight cells of 25 are counted on for half, which is 100 answers; 99 people are invited.",
        invited_specification(invited=invited(people=99)),
    )


def _model_shape() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification) -> SoundnessVector:
        return _vector(name, comment, "check.model-shape", _signed(specification), number=8)

    yield refused(
        "register-balls", "Reference points of balls are people of the register.", register(small_balls())
    )
    yield refused(
        "register-prototypes", "Tabulated tuples are people of the register.", register(small_prototypes())
    )
    boxes = small_boxes().boxes
    gap = (((0, 23), *boxes[0][1:]), *boxes[1:])
    yield refused(
        "register-boxes-leave-a-gap",
        "A box ends at the oldest of its people, which tells their greatest age.",
        register(small_boxes(boxes=gap)),
    )
    overlap = (((0, 25), *boxes[0][1:]), *boxes[1:])
    yield refused("register-boxes-overlap", "Two boxes share an age.", register(small_boxes(boxes=overlap)))


def _off_the_grid() -> Iterator[SoundnessVector]:
    """Check 8 for the figures of a register: each finer than shared/register.py allows."""

    def refused(name: str, comment: str, change: Change) -> SoundnessVector:
        payload = altered(register(register_cells()), change)
        return _vector(f"register-{name}", comment, "check.model-shape", _signed(payload), number=8)

    yield refused(
        "exact-head-count",
        "A cell's true number of people instead of the bound of 18.",
        lambda d: d["eligible"].__setitem__(3, [25]),
    )
    yield refused(
        "exact-people",
        "The number of people in the register to the last one.",
        lambda d: d["model"].update(people=201),
    )
    yield refused(
        "exact-weight",
        "A weight with the variance of everybody in it.",
        lambda d: d["weights"].__setitem__(0, 1001),
    )
    yield refused(
        "exact-site",
        "A site at the mean of its cell, finer than three people could move it.",
        lambda d: (
            d["cells"]["sites"][0].__setitem__(0, 166),
            d["centroids"][0].__setitem__(0, "16.6000"),
        ),
    )
    yield refused(
        "exact-centroid",
        "A mean of the people of a cell in place of the point of the map.",
        lambda d: d["centroids"][0].__setitem__(0, "12.0000"),
    )


def _choice(value: str, english: str, german: str) -> dict[str, Any]:
    return {"value": value, "text": {"en": english, "de": german}}


def _questions() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return _vector(name, comment, "check.questions", _signed(payload), number=9, model=small_model())

    honest = small_specification()

    def element(**members: Any) -> Change:
        def change(document: dict[str, Any]) -> None:
            document["questionnaire"]["pages"][0]["elements"][0].update(members)

        return change

    comment = {"type": "comment", "name": "remarks"}
    free_text = {"pages": [*QUESTIONNAIRE["pages"], {"elements": [comment]}]}
    yield refused(
        "free-text-without-permission",
        "A question asks for free text, which was not permitted.",
        small_specification(questionnaire=free_text).to_bytes(),
    )
    asks = {"pages": [{"elements": [{"type": "boolean", "name": "Age"}]}]}
    yield refused(
        "brace-in-a-title",
        "The page would put the answer to another question into the title.",
        altered(honest, element(title={"en": "You earn {wage}.", "de": "Sie verdienen {wage}."})),
    )
    yield refused(
        "zero-width-spaces-in-a-value",
        "The value of a choice is longer than it looks.",
        altered(
            honest,
            element(choices=[_choice("yes" + "\u200b" * 400, "Yes", "Ja"), _choice("no", "No", "Nein")]),
        ),
    )
    yield refused(
        "value-longer-than-its-text",
        "The value of a choice has 65 characters, its text has three.",
        altered(
            honest,
            element(choices=[_choice("y" * 65, "Yes", "Ja"), _choice("no", "No", "Nein")]),
        ),
    )
    yield refused(
        "asks-for-a-quasi-identifier",
        "A question has the name of a quasi-identifier.",
        small_specification(questionnaire=asks).to_bytes(),
    )
    yield refused(
        "expression", "An expression in a question.", altered(honest, element(visibleIf="{smokes} = true"))
    )
    yield refused(
        "html-element",
        "HTML among the questions.",
        altered(
            honest,
            lambda d: d["questionnaire"]["pages"][1]["elements"].append(
                {"type": "html", "name": "x", "html": "<img src='https://example.org/pixel'>"}
            ),
        ),
    )
    yield refused(
        "picture",
        "A picture from elsewhere.",
        altered(honest, element(imageLink="https://example.org/p.png")),
    )


def _model() -> Iterator[SoundnessVector]:
    honest, rows = small_specification(), small_rows()
    attributes, model = (age(), sex()), small_model()

    def refused(name: str, comment: str, payload: Specification | bytes, text: bytes) -> SoundnessVector:
        return _vector(name, comment, "check.model", _signed(payload), number=10, model=text)

    yield refused(
        "dropped-record",
        "The model lacks a person of the one that was signed.",
        honest,
        format_model(attributes, rows[:-1]),
    )

    def counted(name: str, comment: str, change: Change) -> SoundnessVector:
        return refused(name, comment, altered(honest, change), model)

    def move_person(document: dict[str, Any]) -> None:
        document["eligible"][0], document["eligible"][1] = [24], [26]

    yield counted("wrong-count", "A person is counted in another cell.", move_person)

    def swap(document: dict[str, Any]) -> None:
        sites = document["cells"]["sites"]
        sites[0], sites[3] = sites[3], sites[0]

    yield counted("swapped-cell", "Two cells have changed places; their counts are equal.", swap)
    yield counted(
        "moved-centroid",
        "A centroid is a ten-thousandth off.",
        lambda d: d["centroids"][5].__setitem__(0, "62.0001"),
    )
    yield refused(
        "moved-radius",
        "The radius of a ball is one year longer than the counts were made with.",
        altered(
            small_specification(cells=small_balls()),
            lambda d: d["cells"]["radii"].__setitem__(1, 30**2),
        ),
        model,
    )
    invented = [replace(row, people=2) if i == 7 else row for i, row in enumerate(rows)]
    yield refused(
        "invented-person",
        "The head counts hold a person who is not in the model.",
        small_specification(
            rows=invented,
            model=replace(honest.model, people=201, digest=model_digest(model)),
        ),
        model,
    )
    shuffled = format_model(attributes, [rows[1], rows[0], *rows[2:]])
    yield refused(
        "model-out-of-order",
        "The rows of the signed model are not in canonical order.",
        altered(honest, lambda d: d["model"].update(digest=model_digest(shuffled))),
        shuffled,
    )
    outside = [*rows[:-2], ModelRow(vector=rows[-1].vector, level=0, people=2)]
    text = format_model(attributes, outside).replace(b"\n99,female", b"\n99,Female")
    yield refused(
        "model-answer-unknown",
        "A row of the signed model has a category that the specification does not know.",
        altered(honest, lambda d: d["model"].update(digest=model_digest(text))),
        text,
    )


def _length() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes) -> SoundnessVector:
        return _vector(name, comment, "check.length", _signed(payload), number=11, model=small_model())

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
