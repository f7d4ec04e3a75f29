"""The respondent's one code path, for the browser and the command line alike.

Each step has its own type, and only the step before makes it::

    Link -> Examination -> SoundSpecification -> Placement -> Message -> Receipt

so what was not verified cannot be mapped into, and what was not mapped cannot be sent. In an invited survey
a code becomes a token on the way (:mod:`respondent_client.token_request`), and the message spends it
(:mod:`respondent_client.composing`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.room import Room, describe
from shared import strict_json
from shared.attributes import Attribute
from shared.cells import DistrictCells
from shared.checks import Floor
from shared.envelope import Envelope
from shared.errors import AnswerError, EnvelopeError, NotFoundError, RemoteError
from shared.geometry import Vector
from shared.limits import MAX_ENVELOPE_BYTES, MAX_MODEL_BYTES
from shared.recount import Recount
from shared.roll import MAX_TOKENS_BYTES, parse_token_counts
from shared.soundness import Examination, SoundSpecification, examine, examine_parts, refused_envelope
from shared.specification import Specification

MAX_STATUS_BYTES: Final = 4096
ROWS_A_STEP: Final = 500
"""Rows of a public model that are recounted between two reports of progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """A person in her room; only :func:`place` makes one. Her vector never leaves this object's device."""

    sound: SoundSpecification
    vector: Vector
    room: Room

    def __repr__(self) -> str:
        return "Placement(...)"


async def examine_survey(platform: Platform, link: Link, floor: Floor | None = None) -> Examination:
    """Fetch the specification with all its parts and make all checks; raises as :func:`examine_alone`."""
    examination = await examine_alone(platform, link, floor)
    if examination.must_load:
        examination = await load_parts(platform, link, examination, None, floor)
    return await recount(platform, link, examination)


async def examine_alone(platform: Platform, link: Link, floor: Floor | None = None) -> Examination:
    """Fetch the specification and make all checks but the recount of a public model.

    Of a specification in parts the root alone is fetched: :func:`load_parts` makes what is open then.

    Run by the respondent's device before it shows its owner a group or sends anything.

    Raises
    ------
    NotFoundError, RemoteError
        If the server has no such survey, or cannot be reached. A survey that is not sound does not raise
        here: the examination holds the refusal, and its ``sound()`` raises.
    """
    data = await _get(platform, link, "specification", MAX_ENVELOPE_BYTES)
    try:
        envelope = Envelope.parse(data)
    except EnvelopeError as problem:
        return refused_envelope(problem)
    outcomes = [
        await platform.verify(public_key=c.public_key, signature=c.signature, message=c.message)
        for c in envelope.claims
    ]
    return examine(envelope, outcomes, link.invitation, floor, needed=())


async def load_parts(
    platform: Platform,
    link: Link,
    examination: Examination,
    districts: Collection[int] | None = None,
    floor: Floor | None = None,
    kept: dict[str, bytes] | None = None,
) -> Examination:
    """Fetch parts of a specification in parts, and make the checks that are open without them.

    Parameters
    ----------
    examination : Examination
        Of the root, and perhaps of parts; one that is refused, or in one piece, stays as it is.
    districts : collection of int, optional
        Whose parts are needed, in any order; all by default, which tells the server nothing.
    floor : Floor, optional
        That of :func:`examine_alone`.
    kept : dict of str to bytes, optional
        By digest what came earlier, and is not asked for again; what comes now is put there.

    Raises
    ------
    NotFoundError, RemoteError
        If a part does not arrive; `kept` has those that did. One that is not the signed one is a refusal of
        check 2.
    """
    specification = examination.specification
    if specification is None or not specification.parts or examination.refusal is not None:
        return examination
    kept, references = {} if kept is None else kept, specification.parts
    wanted = range(len(references)) if districts is None else districts
    needed = [n for n, part in enumerate(references) if n in wanted or part.digest in kept]
    for done, number in enumerate(needed, start=1):
        reference = references[number]
        if reference.digest not in kept:
            most = reference.n_bytes + 1  # so that a longer one is told from one that is no part at all
            kept[reference.digest] = await _get(platform, link, f"parts/{reference.digest}", most)
        platform.notify({"part": number, "done": done, "total": len(needed)})
    return examine_parts(examination, kept.get, needed, floor)


def district_of(specification: Specification, answers: Mapping[str, str | None]) -> int:
    """The district of a person, from the root alone; answers that are at fault have been refused before."""
    cells = specification.cells
    return cells.part_of(specification.vector(answers)) if isinstance(cells, DistrictCells) else 0


async def recount(platform: Platform, link: Link, examination: Examination) -> Examination:
    """The examination with check 10 made where it is still open; raises what :func:`examine_alone` raises."""
    if not examination.must_recount:
        return examination
    counting = Recount(examination, await _get(platform, link, "model", MAX_MODEL_BYTES))
    while not counting.advance(ROWS_A_STEP):
        platform.notify({"check": 10, "done": counting.people, "total": counting.total})
    return counting.finish()


def faulty(specification: Specification, answers: Mapping[str, str | None]) -> dict[str, AnswerError]:
    """What is wrong with quasi-identifiers, by attribute; empty if she can be placed.

    A person withholds a value by saying so (None), never by leaving a field empty: an oversight must not put
    her into another room.
    """
    errors: dict[str, AnswerError] = {}
    for attribute in specification.attributes:
        try:
            _canonical(attribute, answers)
        except AnswerError as problem:
            errors[attribute.name] = problem
    return errors


def _canonical(attribute: Attribute, answers: Mapping[str, str | None]) -> str | None:
    value = answers.get(attribute.name, "")
    if value is not None and not value.strip():
        raise AnswerError(
            "the answer is missing",
            where=attribute.name,
            expected="a value" + (", or null to withhold it" if attribute.takes_missing else ""),
        )
    return attribute.canonical(value)


def place(sound: SoundSpecification, answers: Mapping[str, str | None]) -> Placement:
    """Map a person to her cell, on her own device.

    Raises
    ------
    AnswerError
        For a quasi-identifier that is missing, unknown or outside its domain.
    """
    for problem in faulty(sound.specification, answers).values():
        raise problem
    vector = sound.specification.vector(answers)
    cell = sound.specification.cells.assigner()(vector)
    return Placement(sound=sound, vector=vector, room=describe(sound, cell))


async def is_test_copy(platform: Platform, link: Link) -> bool:
    """Whether the server says that the survey is a copy to be tried; raises as :func:`status_of`."""
    return (await status_of(platform, link)).get("test") is True


async def status_of(platform: Platform, link: Link) -> dict[str, Any]:
    """What the server says of the survey: ``state``, ``total``, and whether it is a test copy.

    Raises
    ------
    NotFoundError, RemoteError
        If it does not say.
    """
    data = await _get(platform, link, "status", MAX_STATUS_BYTES)
    value = strict_json.loads(data, error=RemoteError, where="status", max_bytes=MAX_STATUS_BYTES)
    return value if isinstance(value, dict) else {}


async def issued_by_box(platform: Platform, link: Link) -> tuple[int, ...]:
    """How many tokens were issued for each box of an election.

    Raises
    ------
    NotFoundError, RemoteError
        If the registrar does not say, as long as codes are exchanged.
    """
    data = await _get(platform, link, "tokens", MAX_TOKENS_BYTES)
    return parse_token_counts(data)


async def _get(platform: Platform, link: Link, resource: str, max_bytes: int) -> bytes:
    reply = await platform.request("GET", link.api(resource), body=None, content_type="", max_bytes=max_bytes)
    if reply.status == 200:
        return reply.body
    if reply.status == 404:
        raise NotFoundError(
            "the server has no such survey", where=resource, remedy="Check the link in your invitation."
        )
    raise RemoteError(f"the server answered with status {reply.status}", where=resource)
