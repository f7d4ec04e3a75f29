"""What the worker tells the page, as JSON objects; texts of the survey go in all its languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from respondent_client.composing import Attempt, Message
from respondent_client.delay import window_seconds
from respondent_client.picture import axes_of, best_axes
from respondent_client.room import Room
from respondent_client.sending import Receipt
from shared.attributes import Attribute
from shared.ballot import envelope_bytes
from shared.election.tested import Rebuilt
from shared.errors import RoomfulError
from shared.invited import Invited
from shared.questions import Answer, Asking, Question
from shared.soundness import Line
from shared.specification import Specification
from shared.units import neighbourhood


def error_object(error: RoomfulError) -> dict[str, Any]:
    """An error with its stable code."""
    return {
        "code": error.code,
        "message": error.message,
        "where": error.where,
        "expected": error.expected,
        "remedy": error.remedy,
    }


def line_object(line: Line) -> dict[str, Any]:
    """One check."""
    return {"number": line.number, "code": line.code, "outcome": line.outcome, "figures": line.figures}


def survey_object(specification: Specification) -> dict[str, Any]:
    """What the page needs of a survey that passed the checks, but perhaps for the recount."""
    axes = axes_of(specification)
    return {
        "title": specification.title,
        "description": specification.description,
        "organizer": specification.organizer.name,
        "contact": specification.organizer.contact,
        "smallest": smallest_of(specification),
        "in_parts": bool(specification.parts),
        "free_text": specification.questionnaire.has_free_text,
        "k": specification.k,
        "acceptable_cell_failure": specification.acceptable_cell_failure,
        "participation": participation_object(specification),
        "release_rule": specification.release.rule,
        "retention_days": specification.retention_days,
        "stored": specification.stored,
        "period": None if specification.period is None else specification.period.to_object(),
        "logo": None if specification.logo is None else specification.logo.to_object(),
        "invited": invited_object(specification.invited),
        "attributes": [attribute_object(i, a) for i, a in enumerate(specification.attributes)],
        "question_pages": len(specification.questionnaire.pages),
        "conditions": specification.questionnaire.has_conditions,
        "questions": {
            question.name: question_object(question, element)
            for page in specification.questionnaire.pages
            for element in page.elements
            if isinstance(element, Asking)
            for question in element.questions
        },
        "axes": [{"label": axis.label} for axis in axes],
        "picture_axes": best_axes(axes),
    }


def smallest_of(specification: Specification) -> int:
    """People of the smallest cell; of a specification in parts what check 8 demands of every cell."""
    if not specification.is_whole:
        return min(specification.n_min_safe)
    return min(map(specification.people_in, specification.held))


def part_object(specification: Specification, district: int) -> dict[str, Any]:
    """What she is told before her device fetches the part of her district."""
    own, sizes = specification.parts[district], [part.n_bytes for part in specification.parts]
    return {
        "people": {"count": sum(own.people), "at_least": specification.counts_are_bounds},
        "all_people": specification.model.people,
        "parts": len(sizes),
        "bytes": own.n_bytes,
        "all_bytes": sum(sizes),
    }


def participation_object(specification: Specification) -> dict[str, Any]:
    """What the promise assumes of the others, and where the organizer says that it comes from."""
    together, source = specification.dependence, specification.participation_source
    return {
        "lowest": str(float(min(level.lowest for level in specification.levels))),
        "correlation": together.correlation,
        "household_size": together.household_size,
        "kind": together.kind,
        "statement": source.statement,
    }


def invited_object(invited: Invited | None) -> dict[str, Any] | None:
    """Who opens the answers of an invited survey, and over whom they travel; None for an open survey."""
    if invited is None:
        return None
    relay = invited.relay
    return {
        "election": invited.election is not None,
        "threshold": invited.threshold,
        "shares": invited.shares,
        "relay": None
        if relay is None
        else {"host": urlsplit(relay.url).netloc, "messages": relay.messages, "seconds": relay.seconds},
        "window_seconds": window_seconds(invited),
    }


def attribute_object(position: int, attribute: Attribute) -> dict[str, Any]:
    """A quasi-identifier as a field of a form."""
    return {
        "position": position,
        "name": attribute.name,
        "label": attribute.label,
        "help": attribute.help,
        "takes_missing": attribute.takes_missing,
        **attribute.form_field(),
    }


def question_object(question: Question, element: Asking) -> dict[str, Any]:
    """What the page needs beside the SurveyJS element, to put errors in words."""
    return {
        "element": element.name,
        "kind": question.kind,
        "title": question.title,
        "required": question.required,
        **_DETAILS.get(question.kind, lambda _: {})(question),
    }


def _number(question: Any) -> dict[str, Any]:
    return {
        "minimum": question.minimum,
        "maximum": question.maximum,
        "step": question.step,
        "fractional": "." in question.minimum + question.step,
        "unit": question.unit,
    }


def _rating(question: Any) -> dict[str, Any]:
    return {
        "minimum": question.minimum,
        "maximum": question.maximum,
        "minimum_label": question.minimum_label,
        "maximum_label": question.maximum_label,
    }


_DETAILS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "number": _number,
    "rating": _rating,
    "date": lambda question: {"minimum": question.minimum, "maximum": question.maximum},
}
"""Of kinds whose errors name bounds."""


def room_object(room: Room, specification: Specification) -> dict[str, Any]:
    """The room, with the centroid in each language."""
    return {
        "cell": room.cell,
        "people": {"count": room.people, "at_least": room.at_least},
        "cell_failure": room.cell_failure,
        "record_failure": room.record_failure,
        "half_failure": room.half_failure,
        "joined_with": neighbourhood_object(specification, room.cell),
        "centroid": [
            {
                "label": value.attribute.label,
                "numeric": value.attribute.is_number,
                "text": {language: value.label(language) for language in specification.languages},
                "counted_as": {
                    language: value.counted_as(language) or "" for language in specification.languages
                },
                "share": value.described.share,
                "missing_share": value.described.missing_share,
            }
            for value in room.centroid
        ],
    }


def neighbourhood_object(specification: Specification, cell: int) -> dict[str, Any]:
    """With whom her box may be joined: the boxes beside it, and of an election with units those of law."""
    beside = neighbourhood(specification, cell)
    return {
        "boxes": list(beside.boxes),
        "unit": None if beside.unit is None else beside.unit.name,
        "units": [unit.name for unit in beside.units],
    }


def message_object(message: Message, specification: Specification) -> dict[str, Any]:
    """The message as it will be sent, and what it says."""
    return _said(message, specification) | {
        "length": len(message.body),
        "sealed": message.sealed,
        "words": "",
    }


def attempt_object(attempted: Attempt, specification: Specification) -> dict[str, Any]:
    """An encrypted vote before it is cast or tested: the same, with its words."""
    length = envelope_bytes(specification)
    return _said(attempted, specification) | {"length": length, "sealed": True, "words": attempted.words}


def _said(message: Message | Attempt, specification: Specification) -> dict[str, Any]:
    return {
        "text": message.content.decode("utf-8"),
        "text_length": len(message.content),
        "cell": message.cell,
        "answers": answers_object(specification, message.answers),
    }


def answers_object(specification: Specification, answers: Mapping[str, Answer]) -> list[dict[str, Any]]:
    """Answers in the words in which they were asked, and the page of each."""
    return [
        {
            "title": q.title,
            "kind": q.kind,
            "unit": q.unit,
            "texts": _answer_texts(q, answers[q.name], specification.languages),
            "page": number,
        }
        for number, page in enumerate(specification.questionnaire.pages)
        for q in page.questions
        if q.name in answers
    ]


def rebuilt_object(found: Rebuilt, specification: Specification) -> dict[str, Any]:
    """A ballot that was given away to be tested, made again: its words, and what it says."""
    return {
        "words": found.words,
        "cell": found.cell,
        "genuine": found.genuine,
        "answers": answers_object(specification, found.answers),
    }


def receipt_object(receipt: Receipt) -> dict[str, Any]:
    """What the server or the relay answered."""
    return {"receipt": receipt.digest, "earlier": receipt.earlier, "relayed": receipt.relayed}


def _answer_texts(question: Question, answer: Answer, languages: tuple[str, ...]) -> dict[str, list[str]]:
    """An answer in the words in which it was asked; what has no words of its own stays a code."""
    values = list(answer) if isinstance(answer, tuple) else [answer]
    words: dict[Any, dict[str, str]] = dict(question.words)
    return {language: [words.get(v, {}).get(language) or _plain(v) for v in values] for language in languages}


def _plain(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
