"""How a vector of the soundness checks is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shared.envelope import Envelope
from shared.participation import ParticipationLevel, ParticipationSource
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, sign, small_specification
from tests.vectors.surveys import SoundnessVector, fragment_of

DESIGN = "design.md section 8, check {}"
Change = Callable[[dict[str, Any]], object]


def vector(
    name: str,
    comment: str,
    check: str | None,
    envelope: Envelope | bytes,
    *,
    number: int | None = None,
    invitation: str | None = None,
    model: bytes | None = None,
) -> SoundnessVector:
    """One vector, of the check with a number; the invitation is the envelope's own, unless given."""
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


def signed(specification: Specification | bytes) -> Envelope:
    """By the organizer."""
    payload = specification if isinstance(specification, bytes) else specification.to_bytes()
    return sign(payload, ORGANIZER_KEY)


def claimed(participation: str, statement: dict[str, str] | None) -> Specification:
    """The small survey with another participation, and what its organizer says about it."""
    level = ParticipationLevel(low=participation, high=participation)
    source = ParticipationSource(kind="even", statement=statement)
    return small_specification(levels=(level,), participation_source=source)
