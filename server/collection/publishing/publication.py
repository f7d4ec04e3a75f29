"""What is handed over when a survey is published: the signed file, the public model, the roll.

On its way to a server it is one JSON object, ``{"specification": text, "model": text or null, "roll": text or
null, "parts": {digest: text}, "test": boolean}``; the texts are the files' bytes in UTF-8, so that their
digests stay what was signed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from server.collection.storage.published import MODEL_NAME, ROLL_NAME, PublishedSurvey
from server.files import read_bounded, write_new
from server.keys.parts_folder import parts_in, write_parts
from server.keys.signing import ENVELOPE_FILE, examine_envelope
from shared import strict_json
from shared.envelope import Envelope
from shared.errors import InputError, VerificationError
from shared.invitation import Invitation
from shared.limits import MAX_DISTRICTS, MAX_ENVELOPE_BYTES, MAX_MODEL_BYTES, MAX_SPECIFICATION_BYTES
from shared.parts import named_parts
from shared.recount import Recount
from shared.roll import MAX_ROLL_BYTES

PATH: Final = "/api/v1/publications"
MAX_PUBLICATION_BYTES: Final = 96 * 2**20
"""Of the JSON object; each file in it has its own bound besides."""
_BOUNDS: Final = {
    "specification": MAX_ENVELOPE_BYTES,
    "model": MAX_MODEL_BYTES,
    "roll": MAX_ROLL_BYTES,
}
_MEMBERS: Final = {*_BOUNDS, "parts", "test"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """The files of one signed survey.

    Attributes
    ----------
    envelope : bytes
        The DSSE envelope.
    model : bytes or None
        The canonical model, of a public one.
    roll : bytes or None
        The roll of an invited survey.
    is_test : bool
        Whether it is to be a copy to be tried.
    parts : mapping of str to bytes
        Of a specification in parts those that are there, by digest.
    """

    envelope: bytes
    model: bytes | None
    roll: bytes | None
    is_test: bool = False
    parts: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, source: Path, *, is_test: bool = False) -> Self:
        """Read the folder with ``survey.dsse.json``, or the signed file itself, and what lies beside it.

        Raises
        ------
        InputError
            If nothing is signed there, or a file is unreadable or too large.
        """
        signed = source / ENVELOPE_FILE if source.is_dir() else source
        if not signed.is_file():
            raise InputError(
                "there is no signed specification",
                where=str(signed),
                remedy="Sign the design first: roomful sign DIR --key KEY",
                code="input.not-signed",
            )
        model, roll = signed.with_name(MODEL_NAME), signed.with_name(ROLL_NAME)
        envelope, part = _read(signed, MAX_ENVELOPE_BYTES), parts_in(signed.parent)
        named = [reference.digest for reference in named_parts(Envelope.parse(envelope).payload)]
        return cls(
            envelope=envelope,
            parts={digest: data for digest in named if (data := part(digest)) is not None},
            model=_read(model, MAX_MODEL_BYTES) if model.is_file() else None,
            roll=_read(roll, MAX_ROLL_BYTES) if roll.is_file() else None,
            is_test=is_test,
        )

    def write(self, folder: Path) -> None:
        """Write them into an empty folder, from which :meth:`read` has them again."""
        files = {ENVELOPE_FILE: self.envelope, MODEL_NAME: self.model, ROLL_NAME: self.roll}
        for name, data in files.items():
            if data is not None:
                write_new(folder / name, data)
        write_parts(folder, self.parts, write_new)

    @classmethod
    def parse(cls, body: bytes) -> Self:
        """Read what was sent.

        Raises
        ------
        InputError
            If it is another object, or a file in it is too large.
        """
        value = strict_json.loads(body, error=_malformed, where="body", max_bytes=MAX_PUBLICATION_BYTES)
        if not isinstance(value, dict) or value.keys() != _MEMBERS:
            raise _malformed("not an object of specification, model, roll, parts and test")
        files = {name: _bytes(value[name], name) for name in _BOUNDS}
        envelope = files["specification"]
        if envelope is None or type(value["test"]) is not bool:
            raise _malformed("the specification is missing, or test is neither true nor false")
        return cls(
            envelope=envelope,
            model=files["model"],
            roll=files["roll"],
            is_test=value["test"],
            parts=_parts(value["parts"]),
        )

    def to_bytes(self) -> bytes:
        """The JSON object.

        Raises
        ------
        InputError
            If a file is no text, or they are too large together.
        """
        files = {"specification": self.envelope, "model": self.model, "roll": self.roll}
        try:
            texts = {name: None if data is None else data.decode("utf-8") for name, data in files.items()}
            parts = {digest: data.decode("utf-8") for digest, data in self.parts.items()}
        except UnicodeDecodeError:
            raise _malformed("a file is no text in UTF-8") from None
        body = json.dumps({**texts, "parts": parts, "test": self.is_test}, ensure_ascii=False).encode("utf-8")
        if len(body) > MAX_PUBLICATION_BYTES:
            raise _malformed(
                f"{len(body)} bytes are too many",
                expected=f"at most {MAX_PUBLICATION_BYTES}",
                remedy="Give the folder to the operator, who publishes it there: roomful publish --data.",
            )
        return body

    def require_sound(self) -> PublishedSurvey:
        """Verify the signature, the files beside it, and every check of a respondent's device.

        Guarantee: what this returns is signed, belongs to this model and roll, and no device of this version
        refuses it, the recount of a public model included. A survey that devices refuse is never published.

        Raises
        ------
        VerificationError, SpecificationError, InputError
            The first thing that is wrong.
        """
        part = self.parts.get
        published = PublishedSurvey.verify(Path(), self.envelope, organizer_key=None, parts=part)
        published.require_model(self.model)
        published.require_roll(self.roll)
        invitation = Invitation(digest=published.digest, organizer_key=published.organizer_key)
        examination = examine_envelope(Envelope.parse(self.envelope), invitation, parts=part)
        if examination.must_recount and self.model is not None:
            examination = Recount(examination, self.model).finish()
        if (refusal := examination.refusal) is not None:
            raise refusal.error or VerificationError("a soundness check refused the survey")
        return published


def _read(path: Path, max_bytes: int) -> bytes:
    return read_bounded(path, max_bytes, lambda message: InputError(message, where=str(path)))


def _bytes(value: Any, name: str) -> bytes | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _malformed(f"{name} is no text")
    data = value.encode("utf-8")
    if len(data) > _BOUNDS[name]:
        raise _malformed(f"{name} is too large")
    return data


def _parts(value: Any) -> dict[str, bytes]:
    if not isinstance(value, dict) or len(value) > MAX_DISTRICTS:
        raise _malformed(f"parts is no object of at most {MAX_DISTRICTS} texts")
    parts = {}
    for digest, text in value.items():
        data = text.encode("utf-8") if isinstance(text, str) else b""
        if not 0 < len(data) <= MAX_SPECIFICATION_BYTES:
            raise _malformed("a part is no text, or too large")
        parts[digest] = data
    return parts


def _malformed(message: str, **more: str) -> InputError:
    return InputError(message, **({"where": "publication"} | more), code="input.publication")
