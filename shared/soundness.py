"""The numbered checks that a device makes before it shows its owner a group or sends anything.

The numbers and codes are those of docs/protocol.md. A refused check is final: only :meth:`Examination.sound`
makes a :class:`SoundSpecification`, and only that can be mapped into or answered.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared.checks import (
    CELL_FAILURE,
    CODES,
    DIGEST,
    DISTANCE,
    FLOOR,
    FORM,
    LENGTH,
    MODEL,
    MODEL_SHAPE,
    N_MIN,
    QUESTIONS,
    SIGNATURE,
    UNANIMOUS,
    Floor,
    check_cell_failure,
    check_distance,
    check_floor,
    check_length,
    check_model_shape,
    check_n_min,
    check_questions,
    check_unanimous,
)
from shared.envelope import Envelope, VerifiedPayload, encode_key
from shared.errors import QuestionnaireError, RoomfulError, SignatureError, SoundnessError, SpecificationError
from shared.invitation import Invitation
from shared.metrics import Metrics
from shared.parts import PART_CODE, Parts, no_parts
from shared.specification import Specification
from shared.words import digest_words

PASSED, REFUSED, COMPARE, NOT_APPLICABLE, NOT_RUN = (
    "passed",
    "refused",
    "compare",
    "not-applicable",
    "not-run",
)

_ORDER: Final = (*CODES, UNANIMOUS)
_OF_CELLS: Final = (DISTANCE, CELL_FAILURE, MODEL_SHAPE)
"""Checks that need cells, of which the root of a specification in parts has none."""


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
    metrics: Mapping[int, Metrics]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All eleven lines, of an election twelve, and what they were made from.

    Attributes
    ----------
    lines : tuple of Line
        In the order of the numbers.
    specification : Specification or None
        None if it could not even be read.
    metrics : mapping of int to Metrics
        Of each cell whose people are known, at the worst participation; empty if the check was not run.
    """

    lines: tuple[Line, ...]
    verified: VerifiedPayload | None
    specification: Specification | None
    metrics: Mapping[int, Metrics] = field(default_factory=dict)

    @property
    def refusal(self) -> Line | None:
        """The first refused check."""
        return next((line for line in self.lines if line.outcome == REFUSED), None)

    @property
    def must_compare(self) -> bool:
        """Whether the respondent has to compare words with her invitation."""
        return any(line.outcome == COMPARE for line in self.lines)

    @property
    def must_load(self) -> bool:
        """Whether nothing but the root of a specification in parts is here: checks 4, 7 and 8 are open."""
        return self.refusal is None and self.specification is not None and not self.specification.held

    @property
    def must_recount(self) -> bool:
        """Whether check 10 is still open: the model is public and has to be recounted."""
        return self.refusal is None and self.line(MODEL).outcome == NOT_RUN

    def line(self, code: str) -> Line:
        """The line of a check."""
        return self.lines[CODES.index(code)]

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
    envelope: Envelope,
    outcomes: Sequence[bool],
    invitation: Invitation,
    floor: Floor | None = None,
    parts: Parts = no_parts,
    needed: Collection[int] | None = None,
) -> Examination:
    """Checks 1 to 9, 11 and 12; check 10 stays open for a public model (:class:`shared.recount.Recount`).

    Of a specification in parts, checks 4, 7 and 8 stay open until :func:`examine_parts` has some.

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
    parts, needed : optional
        See :meth:`shared.specification.Specification.parse`; without them one in parts is refused.
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

    return _examine_payload(done, verified, floor or Floor(), parts, needed)


def examine_parts(
    examination: Examination, parts: Parts, needed: Collection[int], floor: Floor | None = None
) -> Examination:
    """The same examination with some parts of the specification: checks 3 to 9 and 11.

    Parameters
    ----------
    examination : Examination
        Of the root, none of whose checks refused.
    parts, needed
        See :meth:`shared.specification.Specification.parse`.
    floor : Floor, optional
        The client's own limits.
    """
    if examination.verified is None:
        raise SoundnessError("nothing was examined", code=FORM)
    done = {line.code: line for line in examination.lines if line.code in (SIGNATURE, DIGEST)}
    return _examine_payload(done, examination.verified, floor or Floor(), parts, needed)


def _examine_payload(
    done: dict[str, Line],
    verified: VerifiedPayload,
    floor: Floor,
    parts: Parts,
    needed: Collection[int] | None,
) -> Examination:
    # 3 well-formed, within limits, no float, no unknown field
    try:
        specification = Specification.parse(verified.payload, parts, needed)
    except SpecificationError as problem:
        # A part that is not the signed one is no fault of form: somebody gave another one.
        code = DIGEST if problem.code == PART_CODE else FORM
        done[code] = _refused(code, problem, done[DIGEST].figures if code == DIGEST else None)
    except QuestionnaireError as problem:
        done[QUESTIONS] = _refused(QUESTIONS, problem)
    if FORM in done or QUESTIONS in done or done[DIGEST].outcome == REFUSED:
        return Examination(lines=_lines(done), verified=verified, specification=None)
    done[FORM] = _line(FORM, PASSED, {"bytes": str(len(verified.payload))})

    # 4 to 9, 11 and of an election 12 all run, so that the respondent sees everything that is wrong
    metrics: dict[int, Metrics] = {}
    checks: tuple[tuple[str, Callable[[], dict[str, str]]], ...] = (
        (DISTANCE, lambda: check_distance(specification)),
        (FLOOR, lambda: check_floor(specification, floor)),
        (N_MIN, lambda: check_n_min(specification)),
        (CELL_FAILURE, lambda: check_cell_failure(specification, metrics)),
        (MODEL_SHAPE, lambda: check_model_shape(specification)),
        (QUESTIONS, lambda: check_questions(specification)),
        (LENGTH, lambda: check_length(specification)),
    )
    if specification.invited is not None and specification.invited.election is not None:
        checks = (*checks, (UNANIMOUS, lambda: check_unanimous(specification)))
    for code, check in checks:
        if not specification.held and code in _OF_CELLS:
            continue
        try:
            done[code] = _line(code, PASSED, check())
        except SoundnessError as problem:
            done[code] = _refused(code, problem)

    # 10 a public model is recounted by shared.recount
    if specification.model.kind != "public":
        done[MODEL] = _line(MODEL, NOT_APPLICABLE, {"auditors": str(len(verified.auditor_keys))})
    return Examination(lines=_lines(done), verified=verified, specification=specification, metrics=metrics)


def _line(code: str, outcome: str, figures: dict[str, str] | None = None) -> Line:
    return Line(number=_ORDER.index(code) + 1, code=code, outcome=outcome, figures=figures or {})


def _refused(code: str, error: RoomfulError, figures: dict[str, str] | None = None) -> Line:
    return replace(_line(code, REFUSED, figures), error=error)


def _lines(done: dict[str, Line]) -> tuple[Line, ...]:
    codes = _ORDER if UNANIMOUS in done else CODES
    return tuple(done.get(code) or _line(code, NOT_RUN) for code in codes)


def _as_soundness_error(line: Line) -> SoundnessError:
    error = line.error or RoomfulError("the check was refused", where=f"check {line.number}")
    return SoundnessError(
        error.message, where=error.where, expected=error.expected, remedy=error.remedy, code=line.code
    )
