"""The numbered checks that a device makes before it asks its owner anything.

The numbers and codes are those of docs/protocol.md. A refused check is final: only :meth:`Examination.sound`
makes a :class:`SoundSpecification`, and only that can be mapped into or answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction

from shared.cells import Boxes
from shared.decimals import parse_probability
from shared.effective_anonymity import (
    Metrics,
    n_min,
    n_min_safe,
    table_failure,
    worst_cell_metrics,
)
from shared.envelope import Envelope, VerifiedPayload, encode_key
from shared.errors import QuestionnaireError, RoomfulError, SignatureError, SoundnessError, SpecificationError
from shared.invitation import Invitation
from shared.limits import EXACT_BOUND
from shared.specification import Specification
from shared.words import digest_words

SIGNATURE, DIGEST, FORM, DISTANCE, FLOOR, N_MIN, CELL_FAILURE, MODEL_SHAPE, QUESTIONS, MODEL = CODES = (
    "check.signature",
    "check.digest",
    "check.form",
    "check.distance",
    "check.floor",
    "check.n-min",
    "check.cell-failure",
    "check.model-shape",
    "check.questions",
    "check.model",
)
"""Codes of checks 1 to 10, in order."""

PASSED, REFUSED, COMPARE, NOT_APPLICABLE, NOT_RUN = (
    "passed",
    "refused",
    "compare",
    "not-applicable",
    "not-run",
)
_MAX_BOXES_TO_COMPARE = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The weakest specification that a client accepts, whatever an organizer signs.

    Attributes
    ----------
    k : int
        Smallest acceptable k.
    cell_failure : str
        Largest acceptable pbar.
    lowest_participation, highest_participation : str
        Participation claimed outside this range is not believed: a claim of certain participation makes every
        cell of k people look safe.
    """

    k: int = 3
    cell_failure: str = "0.01"
    lowest_participation: str = "0.001"
    highest_participation: str = "0.95"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Outcome of one check.

    Attributes
    ----------
    outcome : str
        passed, refused, compare (the respondent compares words herself), not-applicable or not-run.
    figures : dict
        Numbers and names for the sentence that a respondent reads.
    error : RoomfulError or None
        Why it was refused.
    """

    number: int
    code: str
    outcome: str
    figures: dict[str, str] = field(default_factory=dict)
    error: RoomfulError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundSpecification:
    """A specification that passed every check; only :meth:`Examination.sound` makes one."""

    specification: Specification
    digest: str
    metrics: tuple[Metrics, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All ten lines, and what they were made from.

    Attributes
    ----------
    lines : tuple of Line
        In the order of the numbers.
    specification : Specification or None
        None if it could not even be read.
    metrics : tuple of Metrics
        Of each cell, at the worst participation; empty if the check was not run.
    """

    lines: tuple[Line, ...]
    verified: VerifiedPayload | None
    specification: Specification | None
    metrics: tuple[Metrics, ...] = ()

    @property
    def refusal(self) -> Line | None:
        """The first refused check."""
        return next((line for line in self.lines if line.outcome == REFUSED), None)

    @property
    def must_compare(self) -> bool:
        """Whether the respondent has to compare words with her invitation."""
        return any(line.outcome == COMPARE for line in self.lines)

    @property
    def must_recount(self) -> bool:
        """Whether check 10 is still open: the model is public and has to be recounted."""
        return self.refusal is None and self.lines[-1].outcome == NOT_RUN

    def with_line(self, line: Line) -> Examination:
        """The examination with one check's outcome replaced."""
        lines = tuple(line if old.number == line.number else old for old in self.lines)
        return replace(self, lines=lines)

    def sound(self, *, compared: bool = False) -> SoundSpecification:
        """The specification, if every check passed.

        Guarantee: for every envelope, either a :class:`SoundnessError` with the code of the first refused
        check (if none is refused, of the first still open), or a specification that passed all that apply.

        Parameters
        ----------
        compared : bool
            That the respondent found the words to be those of her invitation.
        """
        if self.refusal is not None:
            raise _as_soundness_error(self.refusal)
        for line in self.lines:
            if line.outcome == NOT_RUN or (line.outcome == COMPARE and not compared):
                raise SoundnessError(
                    "the check is still open",
                    where=f"check {line.number}",
                    expected="its outcome",
                    code=line.code,
                )
        if self.specification is None or self.verified is None:
            raise SoundnessError("nothing was examined", code=FORM)
        return SoundSpecification(
            specification=self.specification, digest=self.verified.digest, metrics=self.metrics
        )


def refused_envelope(error: RoomfulError) -> Examination:
    """The examination of bytes that are not even an envelope: check 1 refuses."""
    return Examination(
        lines=_lines({SIGNATURE: _refused(SIGNATURE, error)}), verified=None, specification=None
    )


def examine(
    envelope: Envelope, outcomes: Sequence[bool], invitation: Invitation, floor: Floor | None = None
) -> Examination:
    """Checks 1 to 9; check 10 stays open for a public model (:class:`shared.recount.Recount`).

    Run by the respondent's device and by auditors.

    Parameters
    ----------
    envelope : Envelope
        As fetched.
    outcomes : sequence of bool
        Whether each of ``envelope.claims`` verified under the platform's Ed25519.
    invitation : Invitation
        What the respondent was told out of band.
    floor : Floor, optional
        The client's own limits.
    """
    done: dict[str, Line] = {}
    # 1 signature by the expected key
    try:
        verified = envelope.verified(outcomes, invitation.organizer_key)
    except SignatureError as problem:
        return refused_envelope(problem)
    key_words = digest_words(verified.organizer_key.hex())
    pinned = invitation.organizer_key is not None or invitation.digest is not None
    figures = {
        "key": encode_key(verified.organizer_key),
        "words": key_words,
        "auditors": str(len(verified.auditor_keys)),
    }
    done[SIGNATURE] = _line(SIGNATURE, PASSED if pinned else COMPARE, figures)

    # 2 digest equal to the one in the invitation
    words = {"words": digest_words(verified.digest), "digest": verified.digest}
    if invitation.digest not in (None, verified.digest):
        error = SoundnessError(
            "this is another survey than the one in the invitation",
            where="digest",
            expected=digest_words(invitation.digest or ""),
            code=DIGEST,
        )
        done[DIGEST] = _refused(DIGEST, error, words)
        return Examination(lines=_lines(done), verified=verified, specification=None)
    done[DIGEST] = _line(DIGEST, PASSED if invitation.digest else COMPARE, words)

    # 3 well-formed, within limits, no float, no unknown field
    try:
        specification = Specification.parse(verified.payload)
    except SpecificationError as problem:
        done[FORM] = _refused(FORM, problem)
    except QuestionnaireError as problem:
        done[QUESTIONS] = _refused(QUESTIONS, problem)
    if FORM in done or QUESTIONS in done:
        return Examination(lines=_lines(done), verified=verified, specification=None)
    done[FORM] = _line(FORM, PASSED, {"bytes": str(len(verified.payload))})

    # 4 to 9 all run, so that the respondent sees everything that is wrong
    metrics: list[Metrics] = []
    checks: tuple[tuple[str, Callable[[], dict[str, str]]], ...] = (
        (DISTANCE, lambda: _check_distance(specification)),
        (FLOOR, lambda: _check_floor(specification, floor or Floor())),
        (N_MIN, lambda: _check_n_min(specification)),
        (CELL_FAILURE, lambda: _check_cell_failure(specification, metrics)),
        (MODEL_SHAPE, lambda: _check_model_shape(specification)),
        (QUESTIONS, lambda: _check_questions(specification)),
    )
    for code, check in checks:
        try:
            done[code] = _line(code, PASSED, check())
        except SoundnessError as problem:
            done[code] = _refused(code, problem)

    # 10 a public model is recounted by shared.recount
    if specification.model.kind != "public":
        done[MODEL] = _line(MODEL, NOT_APPLICABLE, {"auditors": figures["auditors"]})
    return Examination(
        lines=_lines(done), verified=verified, specification=specification, metrics=tuple(metrics)
    )


def _check_distance(specification: Specification) -> dict[str, str]:
    largest = specification.cells.largest_value(specification.coordinate_ranges)
    if largest >= EXACT_BOUND:
        raise SoundnessError(
            "distances could be too large to be compared exactly",
            where="weights, cells",
            expected=f"below {EXACT_BOUND}",
            code=DISTANCE,
        )
    return {"largest": str(largest)}


def _check_floor(specification: Specification, floor: Floor) -> dict[str, str]:
    pbar = Fraction(specification.acceptable_cell_failure)
    low = min(level.lowest for level in specification.levels)
    high = max(level.highest for level in specification.levels)
    weak = (
        (specification.k < floor.k, "k", f"at least {floor.k}"),
        (pbar > Fraction(floor.cell_failure), "acceptable_cell_failure", f"at most {floor.cell_failure}"),
        (
            low < Fraction(floor.lowest_participation),
            "participation",
            f"at least {floor.lowest_participation}",
        ),
        (
            high > Fraction(floor.highest_participation),
            "participation",
            f"at most {floor.highest_participation}",
        ),
    )
    for is_weak, where, expected in weak:
        if is_weak:
            raise SoundnessError("the promise is too weak", where=where, expected=expected, code=FLOOR)
    return {"k": str(specification.k), "failure": specification.acceptable_cell_failure}


def _check_n_min(specification: Specification) -> dict[str, str]:
    k, failure = specification.k, specification.acceptable_cell_failure
    try:
        smallest = tuple(n_min(k, level, failure) for level in specification.levels)
        safe = tuple(n_min_safe(k, level, failure) for level in specification.levels)
    except ValueError as problem:
        raise SoundnessError(str(problem), where="anonymity", code=N_MIN) from None
    if (smallest, safe) != (specification.n_min, specification.n_min_safe):
        raise SoundnessError(
            "the needed number of people is wrong",
            where="anonymity.n_min",
            expected=f"{list(smallest)}, and {list(safe)} to be safe",
            code=N_MIN,
        )
    return {"n_min": ", ".join(map(str, smallest)), "n_min_safe": ", ".join(map(str, safe))}


def _check_cell_failure(specification: Specification, metrics: list[Metrics]) -> dict[str, str]:
    bound = parse_probability(specification.acceptable_cell_failure) or Fraction(0)
    known: dict[tuple[int, ...], Metrics] = {}
    for counts in specification.eligible:
        if counts not in known:
            known[counts] = worst_cell_metrics(counts, specification.levels, specification.k)
        metrics.append(known[counts])
    for cell, m in enumerate(metrics):
        if m.attained_cell_failure > bound:
            raise SoundnessError(
                f"group {cell} of {specification.people_in(cell)} people fails too often",
                where=f"eligible[{cell}]",
                expected=f"a failure of at most {specification.acceptable_cell_failure}, not "
                f"{_short(m.attained_cell_failure)}",
                code=CELL_FAILURE,
            )
    people = [specification.people_in(cell) for cell in range(specification.cells.count)]
    return {
        "cells": str(len(people)),
        "smallest": str(min(people)),
        "largest": str(max(people)),
        "worst_unprotected": _short(max(m.record_failure_given_participation for m in metrics)),
        "worst_failure": _short(max(m.attained_cell_failure for m in metrics)),
        "table_failure": _short(table_failure(m.attained_cell_failure for m in metrics)),
    }


def _check_model_shape(specification: Specification) -> dict[str, str]:
    kind, shape = specification.model.kind, specification.cells.shape
    figures = {"kind": kind, "shape": shape, "people": str(specification.model.people)}
    if kind == "public":
        return figures
    if shape == "balls" and specification.permissions.balls_from_register:
        return figures | {"override": "balls_from_register"}
    if shape not in ("power-diagram", "boxes"):
        raise SoundnessError(
            f"the shape {shape} publishes the data of real people in the register",
            where="cells.shape",
            expected="power-diagram or boxes",
            code=MODEL_SHAPE,
        )
    if isinstance(specification.cells, Boxes):
        _check_tiling(specification, specification.cells)
    smallest = min(map(specification.people_in, range(specification.cells.count)))
    if smallest < specification.k:
        raise SoundnessError(
            f"a centroid is the mean of only {smallest} people of the register",
            where="eligible",
            expected=f"at least k = {specification.k}",
            code=MODEL_SHAPE,
        )
    return figures


def _check_tiling(specification: Specification, cells: Boxes) -> None:
    """Boxes of a register must tile the domain: a box that is tight around people tells their extremes."""

    def size(box: tuple[tuple[int, int], ...]) -> int:
        total, start = 1, 0
        for attribute in specification.attributes:
            total *= attribute.count_within(box[start : start + attribute.dimension])
            start += attribute.dimension
        return total

    boxes = cells.boxes
    apart = len(boxes) <= _MAX_BOXES_TO_COMPARE and not any(
        size(tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)))
        for i, one in enumerate(boxes)
        for other in boxes[:i]
    )
    if not apart or sum(map(size, boxes)) != size(specification.coordinate_ranges):
        raise SoundnessError(
            "the boxes of a register overlap or leave gaps",
            where="cells.boxes",
            expected=f"at most {_MAX_BOXES_TO_COMPARE} boxes that tile the domain",
            code=MODEL_SHAPE,
        )


def _check_questions(specification: Specification) -> dict[str, str]:
    questionnaire = specification.questionnaire
    if questionnaire.has_free_text and not specification.permissions.free_text:
        raise SoundnessError(
            "a question asks for free text without permission",
            where="questionnaire",
            expected="permissions.free_text to be true",
            code=QUESTIONS,
        )
    asked = {a.name.casefold() for a in specification.attributes}
    for question in questionnaire.questions:
        if question.name.casefold() in asked:
            raise SoundnessError(
                f"the question {question.name!r} asks for what must stay on the device",
                where="questionnaire",
                expected="questions that are no quasi-identifiers",
                code=QUESTIONS,
            )
    return {
        "attributes": str(len(specification.attributes)),
        "questions": str(len(questionnaire.questions)),
        "free_text": "yes" if questionnaire.has_free_text else "no",
    }


def _line(code: str, outcome: str, figures: dict[str, str] | None = None) -> Line:
    return Line(number=CODES.index(code) + 1, code=code, outcome=outcome, figures=figures or {})


def _refused(code: str, error: RoomfulError, figures: dict[str, str] | None = None) -> Line:
    return replace(_line(code, REFUSED, figures), error=error)


def _lines(done: dict[str, Line]) -> tuple[Line, ...]:
    return tuple(done.get(code) or _line(code, NOT_RUN) for code in CODES)


def _as_soundness_error(line: Line) -> SoundnessError:
    error = line.error or RoomfulError("the check was refused", where=f"check {line.number}")
    return SoundnessError(
        error.message, where=error.where, expected=error.expected, remedy=error.remedy, code=line.code
    )


def _short(value: Decimal) -> str:
    """Three significant digits, for people."""
    return f"{value:.2e}" if value else "0"
