"""The checks and the room in plain words, for the command line."""

from __future__ import annotations

from typing import Any, Final

from respondent_client.room import Room
from shared.soundness import Line
from shared.specification import Specification
from shared.words import digest_words

NAMES: Final = {
    "check.signature": "Signed by the organizer's key",
    "check.digest": "The survey you were invited to",
    "check.form": "Complete and well-formed",
    "check.distance": "Groups are exact on every device",
    "check.floor": "Promise strict enough",
    "check.n-min": "Needed group size recomputed",
    "check.cell-failure": "Failure of every group recomputed",
    "check.model-shape": "The rules expose nobody",
    "check.questions": "Only permitted questions",
    "check.model": "People of every group recounted",
    "check.length": "Length of messages tells nothing",
    "check.unanimous": "Few groups of one mind; a choice that nobody in a group took tells as well",
}
_POINT: Final = " (not the group's own average, which is not published, but a point on the map of the groups)"
_MARKS: Final = {
    "passed": "ok",
    "refused": "REFUSED",
    "compare": "compare",
    "not-applicable": "n/a",
    "not-run": "-",
}
_SHOWN: Final = (
    "words",
    "k",
    "failure",
    "participation",
    "correlation",
    "household_size",
    "n_min",
    "cells",
    "smallest",
    "worst_failure",
    "half_unprotected",
    "kind",
    "people",
    "questions",
    "bytes",
    "top_share",
    "expected",
)


def check_line(line: Line) -> str:
    """One check as a line."""
    figures = ", ".join(f"{name} {line.figures[name]}" for name in _SHOWN if name in line.figures)
    if line.error is not None:
        figures = str(line.error)
    end = f": {figures}" if figures else ""
    return f"{line.number:2d} {_MARKS[line.outcome]:8s} {NAMES[line.code]} ({line.code}){end}"


def part_line(specification: Specification, district: int | None) -> str:
    """What the server learns when the part of a district is fetched; None: all parts are."""
    parts = specification.parts
    if district is None:
        size = sum(part.n_bytes for part in parts)
        return f"This survey is large: all {len(parts)} parts are loaded, {size} bytes."
    own = parts[district]
    return (
        f"This survey is large: one of {len(parts)} parts is loaded, {own.n_bytes} bytes, which tells the "
        f"server that you are one of at least {sum(own.people)} people. With --all-parts it learns nothing."
    )


def line_object(line: Line) -> dict[str, Any]:
    """One check for machines."""
    error = None if line.error is None else {"code": line.error.code, "message": str(line.error)}
    return {
        "number": line.number,
        "code": line.code,
        "outcome": line.outcome,
        "figures": line.figures,
        "error": error,
    }


def room_lines(room: Room, specification: Specification) -> list[str]:
    """The room as lines, in the survey's first language."""
    language, statement = specification.languages[0], specification.participation_source.statement
    bound = "at least " if room.at_least else ""
    lines = [
        f"Your group is number {room.cell}: {bound}{room.people} people share it.",
        f"Chance that fewer than {specification.k} of them take part although you do: {room.record_failure}",
        f"If only half as many take part as assumed: {room.half_failure}",
        f"The first figure holds if at least {participation_text(specification)} of the people take part"
        f"{together_text(specification)}.",
        *([] if statement is None else [f"Where that comes from, says the organizer: {statement[language]}"]),
        f"You will appear in the results as{_POINT if room.at_least else ''}:",
    ]
    for value in room.centroid:
        whose = "at that point" if room.at_least else "of the group"
        share = f" ({value.described.share} {whose})" if value.described.share is not None else ""
        counted = value.counted_as(language)
        told = "" if counted is None else f", counted as: {counted}"
        label = value.label(language) or "not given"
        lines.append(f"  {value.attribute.label[language]}: {label}{told}{share}")
    return lines


def participation_text(specification: Specification) -> str:
    """The lowest assumed participation, as a share."""
    return f"{float(100 * min(level.lowest for level in specification.levels)):.3g} %"


def together_text(specification: Specification) -> str:
    """How far they may decide together, as the end of a sentence."""
    together = specification.dependence
    if together.is_none:
        return ", and everybody decides alone"
    parts = {
        "correlation": f"a correlation of at most {together.correlation} between them",
        "households": f"households of at most {together.household_size} who decide together",
    }
    return ", with " + (parts.get(together.kind) or " and ".join(parts.values()))


def words_to_compare(digest: str) -> str:
    """What to compare with an invitation that names no digest."""
    return digest_words(digest)
