"""Auditing a specification: everything in it is rebuilt from the model and compared.

Nothing is taken from the specification but what the organizer decided: the attributes, the rules of reading,
participation, k, the acceptable failure and the algorithm's name. All that follows from them (tuples, levels,
weights, geometry, counts, centroids, n_min) is computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.design.design import StageProgress, design
from server.design.mapping import assign_many
from server.design.plan import plan_from
from server.microaggregation.geometry import sums_by_label
from server.reading.design_entry import ALGORITHMS
from server.reading.model import Model, read_population
from server.signing.signing import examine_envelope, read_file
from shared.attributes import Nominal, Ordinal
from shared.checks import MODEL, Floor
from shared.envelope import Envelope
from shared.errors import RoomfulError, SoundnessError
from shared.invitation import Invitation
from shared.model import model_digest
from shared.questions import MultipleChoice, SingleChoice, YesNo
from shared.soundness import NOT_RUN, PASSED, REFUSED, Line
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Outcome of one comparison, as an auditor reads it."""

    code: str
    title: str
    outcome: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """All findings, in order."""

    digest: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether the specification is what it claims to be."""
        return all(finding.outcome == PASSED for finding in self.findings)

    def require_passed(self) -> None:
        """Raise the first finding that did not pass.

        Raises
        ------
        SoundnessError
            With the finding's code.
        """
        for finding in self.findings:
            if finding.outcome == REFUSED:
                raise SoundnessError(
                    finding.detail,
                    where=finding.title,
                    expected="what the model gives",
                    remedy="Do not countersign; ask the organizer.",
                    code=finding.code,
                )


def audit_survey(
    envelope_path: Path,
    model_path: Path,
    *,
    expected_key: bytes | None = None,
    floor: Floor | None = None,
    progress: StageProgress | None = None,
    **reading: Any,
) -> Audit:
    """Rebuild a signed specification from its model and compare, check by check.

    Parameters
    ----------
    envelope_path, model_path : Path
        The signed survey, and the population file in the organizer's own form.
    expected_key : bytes, optional
        The organizer's public key.
    floor : Floor, optional
        What was announced, such as k; a weaker specification is refused.
    **reading
        ``separator``, ``decimal``, ``encoding`` of a CSV, where they cannot be found out.

    Raises
    ------
    EnvelopeError, InputError
        If a file cannot be read at all. Everything else is a finding.
    """
    envelope = Envelope.parse(read_file(envelope_path, "a signed survey"))
    examination = examine_envelope(envelope, Invitation(digest=None, organizer_key=expected_key), floor)
    findings = [_of_line(line) for line in examination.lines if line.code != MODEL]
    specification, verified = examination.specification, examination.verified
    if specification is None or verified is None:
        return Audit(digest="", findings=tuple(findings))
    model = read_population(
        model_path,
        specification.attributes,
        specification.model.reading,
        specification.participation_source,
        specification.levels[0] if specification.participation_source.kind == "even" else None,
        **reading,
    )
    findings += [_compare(*comparison) for comparison in _model_comparisons(specification, model)]
    if specification.levels == model.levels:
        findings += _counts(specification, model)
    findings += _rebuilt(specification, model, progress)
    findings += _labels(specification)
    return Audit(digest=verified.digest, findings=tuple(findings))


_LINE_TITLES = {
    "check.signature": "Signatures are genuine",
    "check.digest": "Digest",
    "check.form": "Form is valid",
    "check.distance": "Distances are exact",
    "check.floor": "Parameters are strict enough",
    "check.n-min": "n_min",
    "check.cell-failure": "Every cell's failure is acceptable",
    "check.model-shape": "Shape suits the kind of model",
    "check.questions": "Questions are permitted",
    "check.length": "Every message has one length",
}


def _of_line(line: Line) -> Finding:
    detail = str(line.error) if line.error else ", ".join(f"{k} {v}" for k, v in line.figures.items())
    # An auditor who was given no digest or key compares the words that are shown.
    outcome = line.outcome if line.outcome in (REFUSED, NOT_RUN) else PASSED
    return Finding(code=line.code, title=_LINE_TITLES[line.code], outcome=outcome, detail=detail)


def _model_comparisons(
    specification: Specification, model: Model
) -> tuple[tuple[str, str, object, object], ...]:
    levels = [(level.low, level.high) for level in specification.levels]
    return (
        ("audit.people", "People in the model", specification.model.people, model.n_people),
        (
            "audit.digest",
            "Digest of the model",
            specification.model.digest,
            model_digest(model.canonical_text()),
        ),
        (
            "audit.levels",
            "Levels of participation",
            levels,
            [(level.low, level.high) for level in model.levels],
        ),
    )


def _labels(specification: Specification) -> list[Finding]:
    """What people read beside what they are counted as, in every language, for the auditor to judge.

    A true census under false labels isolates: "female" shown as "joined in 2024" puts into one cell whom the
    organizer chose.
    """
    shown = [
        (attribute.name, [(c.value, c.label) for c in attribute.categories])
        for attribute in specification.attributes
        if isinstance(attribute, Ordinal | Nominal)
    ]
    shown += [
        (question.name, [(c.value, c.text) for c in question.choices])
        for question in specification.questionnaire.questions
        if isinstance(question, SingleChoice | MultipleChoice)
    ]
    shown += [
        (question.name, [("true", question.yes_label), ("false", question.no_label)])
        for question in specification.questionnaire.questions
        if isinstance(question, YesNo)
    ]
    names = [(attribute.name, attribute.label) for attribute in specification.attributes]
    names += [(question.name, question.title) for question in specification.questionnaire.questions]
    listed = [("names of attributes and questions", names), *shown]
    return [
        Finding(
            code="audit.labels",
            title=f"What people read: {name}",
            outcome=PASSED,
            detail="; ".join(
                f"{value} = " + ", ".join(f"{language}: {text}" for language, text in texts.items())
                for value, texts in pairs
            ),
        )
        for name, pairs in listed
    ]


def _counts(specification: Specification, model: Model) -> list[Finding]:
    """Map the model with the published geometry, whatever made it, and count."""
    labels = assign_many(specification.cells, model.X)
    counted = sums_by_label(model.people, labels, specification.cells.count).tolist()
    claimed = [list(row) for row in specification.eligible]
    return [_compare("audit.counts", "People of each cell, by the published mapping", claimed, counted)]


def _rebuilt(specification: Specification, model: Model, progress: StageProgress | None) -> list[Finding]:
    title = "Rebuilt from the model"
    if specification.algorithm.name not in ALGORITHMS:
        detail = f"the algorithm {specification.algorithm.name!r} is unknown to this version"
        return [Finding(code="audit.algorithm", title=title, outcome=REFUSED, detail=detail)]
    try:
        rebuilt = design(plan_from(specification), model, progress).specification
    except RoomfulError as problem:
        return [Finding(code="audit.rebuild", title=title, outcome=REFUSED, detail=str(problem))]
    parts: tuple[tuple[str, str, Callable[[Specification], object]], ...] = (
        ("audit.weights", "Weights", lambda s: list(s.weights)),
        ("audit.n-min", "n_min and n_min_safe", lambda s: [list(s.n_min), list(s.n_min_safe)]),
        ("audit.cells", "Cells", lambda s: s.cells.to_object()),
        ("audit.eligible", "Eligible people of each cell", lambda s: [list(row) for row in s.eligible]),
        ("audit.centroids", "Centroids", lambda s: [list(row) for row in s.centroids]),
        ("audit.bytes", "The whole document, byte for byte", lambda s: s.to_bytes()),
    )
    return [_compare(code, name, part(specification), part(rebuilt)) for code, name, part in parts]


def _compare(code: str, title: str, claimed: object, found: object) -> Finding:
    if claimed == found:
        return Finding(code=code, title=title, outcome=PASSED, detail=_short(found))
    return Finding(code=code, title=title, outcome=REFUSED, detail=_difference(claimed, found, ""))


def _difference(claimed: object, found: object, path: str) -> str:
    """Where two values first differ, in words."""
    if isinstance(claimed, dict) and isinstance(found, dict):
        for key in claimed:
            if claimed[key] != found.get(key):
                return _difference(claimed[key], found.get(key), f"{path}.{key}".lstrip("."))
    if isinstance(claimed, list) and isinstance(found, list):
        if len(claimed) != len(found):
            return f"{path or 'it'} has {len(claimed)} entries; the model gives {len(found)}"
        i = next(i for i, (a, b) in enumerate(zip(claimed, found, strict=True)) if a != b)
        return _difference(claimed[i], found[i], f"{path}[{i}]")
    if isinstance(claimed, bytes):
        return "the documents differ; see the findings above"
    return f"{path or 'it'} is {_short(claimed)}; the model gives {_short(found)}".strip()


def _short(value: object) -> str:
    text = f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
    return text if len(text) <= 70 else f"{text[:60]}..."
