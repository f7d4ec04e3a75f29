"""Auditing a specification: everything in it is rebuilt from the model and compared.

Nothing is taken from the specification but what the organizer decided: the attributes, the rules of reading,
participation, k, the acceptable failure and the algorithm's name. All that follows from them (tuples, levels,
weights, geometry, counts, centroids, n_min) is computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.design.against import REUSED, Earlier, read_earlier
from server.design.algorithms import ALGORITHMS
from server.design.design import design
from server.design.mapping import assign_many
from server.design.plan import plan_from
from server.design.population.model import Model, read_population
from server.design.salt import no_salt, read_salt, salt_at
from server.executor import THREADS, Executor
from server.files import read_file
from server.keys.parts_folder import parts_in
from server.keys.signing import examine_envelope
from server.progress import StageProgress
from server.statistics.microaggregation.geometry import sums_by_label
from server.tables.files import Reading
from shared.checks import MODEL, Floor
from shared.effective_anonymity import is_acceptable, worst_cell_metrics
from shared.envelope import Envelope
from shared.errors import InputError, RoomfulError, SoundnessError
from shared.invitation import Invitation
from shared.limits import MAX_ENVELOPE_BYTES
from shared.model import model_digest
from shared.participation import ParticipationLevel
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
    salt_path: Path | None = None,
    progress: StageProgress | None = None,
    against: Path | None = None,
    reading: Reading | None = None,
    executor: Executor = THREADS,
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
    salt_path : Path, optional
        Salt of a register, and only of one, without which nothing about it can be rebuilt; by default the
        one beside the signed survey.
    against : Path, optional
        The earlier survey whose cells are used again.
    reading : Reading, optional
        What cannot be found out about the file.
    executor : Executor
        Who designs again.

    Raises
    ------
    EnvelopeError, InputError
        If a file cannot be read at all, or a salt is named for a public model. Everything else is a finding.
    """
    envelope = Envelope.parse(read_file(envelope_path, "a signed survey", MAX_ENVELOPE_BYTES))
    examination = examine_envelope(
        envelope, Invitation(digest=None, organizer_key=expected_key), floor, parts_in(envelope_path.parent)
    )
    findings = [_of_line(line) for line in examination.lines if line.code != MODEL]
    specification, verified = examination.specification, examination.verified
    if specification is None or verified is None:
        return Audit(digest="", findings=tuple(findings))
    is_register = specification.model.kind == "register"
    if salt_path is not None and not is_register:
        raise no_salt()
    salt = _salt(salt_path or envelope_path.parent) if is_register else None
    model = read_population(
        model_path,
        specification.attributes,
        specification.model.reading,
        specification.participation_source,
        specification.levels[0] if specification.participation_source.kind == "even" else None,
        reading,
    )
    digest = model_digest(model.canonical_text(), salt)
    findings.append(_compare("audit.digest", "Digest of the model", specification.model.digest, digest))
    findings += _bounds(specification, model) if is_register else _counts(specification, model)
    earlier = None if against is None else read_earlier(against)
    findings += _rebuilt(specification, model, salt, progress, earlier, executor)
    findings += _labels(specification)
    return Audit(digest=verified.digest, findings=tuple(findings))


_LINE_TITLES: Final = {
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
    "check.unanimous": "At most one group of one mind is expected",
}


def _salt(path: Path) -> bytes:
    if not salt_at(path).exists():
        raise InputError(
            "a register can only be audited with its salt",
            where="--salt",
            expected="model.salt, which the organizer hands to auditors with the model",
            remedy="Ask the organizer for it.",
        )
    return read_salt(path)


def _of_line(line: Line) -> Finding:
    detail = str(line.error) if line.error else ", ".join(f"{k} {v}" for k, v in line.figures.items())
    # An auditor who was given no digest or key compares the words that are shown.
    outcome = line.outcome if line.outcome in (REFUSED, NOT_RUN) else PASSED
    return Finding(code=line.code, title=_LINE_TITLES[line.code], outcome=outcome, detail=detail)


def _labels(specification: Specification) -> list[Finding]:
    """What people read beside what they are counted as, in every language, for the auditor to judge.

    A true census under false labels isolates: "female" shown as "joined in 2024" puts into one cell whom the
    organizer chose.
    """
    shown = [
        (attribute.name, [(c.value, c.label) for c in attribute.labelled])
        for attribute in specification.attributes
        if attribute.labelled
    ]
    shown += [
        (question.name, [(_plain(value), text) for value, text in question.words.items()])
        for question in specification.questionnaire.questions
        if question.words
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


def _plain(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value


def _counts(specification: Specification, model: Model) -> list[Finding]:
    """Map a public model with the published geometry, whatever made it, and count."""
    levels, counted_levels = _written(specification.levels), _written(model.levels)
    findings = [
        _compare("audit.people", "People in the model", specification.model.people, model.n_people),
        _compare("audit.levels", "Levels of participation", levels, counted_levels),
    ]
    if levels == counted_levels:
        counted = _people_of_cells(specification, model).tolist()
        claimed = [list(row) for row in specification.eligible]
        title = "People of each cell, by the published mapping"
        findings.append(_compare("audit.counts", title, claimed, counted))
    return findings


def _bounds(specification: Specification, model: Model) -> list[Finding]:
    """Map the whole register with the published geometry, and compare with the lower bounds.

    The people of a cell who take part with at least a level's probability must be at least as many as the
    bound counts on from that level upwards: then each of the bound's people stands for another one of the
    register.
    """
    people = _people_of_cells(specification, model)
    findings = [
        _at_least(
            "audit.people", "People in the model", specification.model.people, model.n_people, "model.people"
        )
    ]
    bounds = np.array(specification.eligible, np.int64)
    for level, published in enumerate(specification.levels):
        as_likely = [i for i, own in enumerate(model.levels) if own.lowest >= published.lowest]
        counted = people[:, as_likely].sum(axis=1)
        claimed = bounds[:, level:].sum(axis=1)
        cell = int((counted - claimed).argmin())
        title = f"People of each cell at {published.low} or above, at least"
        findings.append(
            _at_least("audit.counts", title, int(claimed[cell]), int(counted[cell]), f"eligible[{cell}]")
        )
    failing = [
        cell
        for cell, counts in enumerate(people.tolist())
        if not any(counts)
        or not is_acceptable(
            worst_cell_metrics(counts, model.levels, specification.k, specification.dependence),
            specification.acceptable_cell_failure,
        )
    ]
    outcome, detail = (REFUSED, f"cell {failing[0]} fails too often") if failing else (PASSED, "acceptable")
    title = "Failure of each cell, from everybody"
    findings.append(Finding(code="audit.cell-failure", title=title, outcome=outcome, detail=detail))
    return findings


def _people_of_cells(specification: Specification, model: Model) -> NDArray[np.int64]:
    labels = assign_many(specification.cells, model.X)
    return sums_by_label(model.people, labels, specification.cells.count)


def _written(levels: tuple[ParticipationLevel, ...]) -> list[tuple[str, str]]:
    return [(level.low, level.high) for level in levels]


def _rebuilt(
    specification: Specification,
    model: Model,
    salt: bytes | None,
    progress: StageProgress | None,
    earlier: Earlier | None,
    executor: Executor,
) -> list[Finding]:
    title = "Rebuilt from the model"
    reuse = None
    if specification.algorithm.name == REUSED:
        digest = specification.algorithm.parameters.get("specification")
        if earlier is None or earlier.digest != digest:
            detail = f"the cells are those of the survey {digest}; give it with --against"
            return [Finding(code="audit.algorithm", title=title, outcome=REFUSED, detail=detail)]
        reuse = earlier.specification.cells
    elif specification.algorithm.name not in ALGORITHMS:
        detail = f"the algorithm {specification.algorithm.name!r} is unknown to this version"
        return [Finding(code="audit.algorithm", title=title, outcome=REFUSED, detail=detail)]
    try:
        rebuilt = design(
            plan_from(specification), model, progress, salt=salt, reuse=reuse, executor=executor
        ).specification
        if specification.parts:
            rebuilt, _ = rebuilt.in_parts()
    except RoomfulError as problem:
        return [Finding(code="audit.rebuild", title=title, outcome=REFUSED, detail=str(problem))]
    parts: tuple[tuple[str, str, Callable[[Specification], object]], ...] = (
        ("audit.levels", "Levels of participation", lambda s: _written(s.levels)),
        ("audit.weights", "Weights", lambda s: list(s.weights)),
        ("audit.n-min", "n_min and n_min_safe", lambda s: [list(s.n_min), list(s.n_min_safe)]),
        ("audit.cells", "Cells", lambda s: s.cells.to_object()),
        ("audit.eligible", "Eligible people of each cell", lambda s: [list(row) for row in s.eligible]),
        ("audit.centroids", "Centroids", lambda s: [list(row) for row in s.centroids]),
        ("audit.row", "Row along which cells are merged", lambda s: list(s.row)),
        ("audit.bytes", "The whole document, byte for byte", lambda s: s.to_bytes()),
    )
    return [_compare(code, name, part(specification), part(rebuilt)) for code, name, part in parts]


def _compare(code: str, title: str, claimed: object, found: object) -> Finding:
    if claimed == found:
        return Finding(code=code, title=title, outcome=PASSED, detail=_short(found))
    return Finding(code=code, title=title, outcome=REFUSED, detail=_difference(claimed, found, ""))


def _at_least(code: str, title: str, claimed: int, found: int, where: str) -> Finding:
    if claimed <= found:
        return Finding(code=code, title=title, outcome=PASSED, detail=f"{claimed} of {found}")
    detail = f"{where} is {claimed}; the model gives {found}"
    return Finding(code=code, title=title, outcome=REFUSED, detail=detail)


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
