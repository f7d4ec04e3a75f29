"""Checks 4 to 9, 11 and 12: whether a well-formed specification keeps its promise.

Each returns the figures of the sentence that a respondent reads, or raises a :class:`SoundnessError` with its
code. The codes of all checks are here; :mod:`shared.soundness` runs them in order.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Final

from shared.ballot import require_invited
from shared.cells import Boxes, DistrictCells, ReferencedCells
from shared.effective_anonymity import is_acceptable, n_min, n_min_safe, table_failure, worst_cell_metrics
from shared.election.unanimity import expected_unanimous
from shared.errors import QuestionnaireError, SoundnessError
from shared.geometry import Ranges
from shared.limits import EXACT_BOUND, MAX_BOXES_TO_COMPARE, MAX_FAILURE_WORK, MAX_TILING_WORK
from shared.metrics import Metrics
from shared.participation import ParticipationLevel, ParticipationSource
from shared.register import coarse_people, off_the_grid
from shared.specification import Specification
from shared.submission import longest_message

(
    SIGNATURE,
    DIGEST,
    FORM,
    DISTANCE,
    FLOOR,
    N_MIN,
    CELL_FAILURE,
    MODEL_SHAPE,
    QUESTIONS,
    MODEL,
    LENGTH,
) = CODES = (
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
    "check.length",
)
"""Codes of checks 1 to 11, in order."""
UNANIMOUS: Final = "check.unanimous"
"""Of check 12, which only an election has."""
HALF: Final = Fraction(1, 2)
"""Beside the promise stands what remains of it if only so large a share of the assumed people take part."""


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
    highest_unsourced_participation : str
        A participation above it is not believed unless the specification says where it comes from.
    """

    k: int = 3
    cell_failure: str = "0.01"
    lowest_participation: str = "0.001"
    highest_participation: str = "0.95"
    highest_unsourced_participation: str = "0.6"


def check_distance(specification: Specification) -> dict[str, str]:
    """Check 4: every number that is compared stays exact."""
    largest = specification.cells.largest_value(specification.coordinate_ranges)
    if largest >= EXACT_BOUND:
        raise SoundnessError(
            "distances could be too large to be compared exactly",
            where="weights, cells",
            expected=f"below {EXACT_BOUND}",
            code=DISTANCE,
        )
    return {"largest": str(largest)}


def check_floor(specification: Specification, floor: Floor) -> dict[str, str]:
    """Check 5: the parameters are at least as strict as the client's own floor."""
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
    check_believed(specification.levels, specification.participation_source, floor)
    figures = {"k": str(specification.k), "failure": specification.acceptable_cell_failure}
    return figures | {"participation": _span(low, high)}


def check_believed(levels: Sequence[ParticipationLevel], source: ParticipationSource, floor: Floor) -> None:
    """Part of check 5: a high participation is only believed with a statement of where it comes from."""
    believed = floor.highest_unsourced_participation
    if source.statement is None and max(level.highest for level in levels) > Fraction(believed):
        raise SoundnessError(
            "the promise counts on a high participation and does not say where the figure comes from",
            where="participation.source.statement",
            expected=f"a statement, or a participation of at most {believed}",
            remedy="Say as source_statement in [participation] where it comes from; respondents read it.",
            code=FLOOR,
        )


def check_n_min(specification: Specification) -> dict[str, str]:
    """Check 6: the needed number of people, computed again."""
    k, failure, together = specification.k, specification.acceptable_cell_failure, specification.dependence
    try:
        smallest = tuple(n_min(k, level, failure, together) for level in specification.levels)
        safe = tuple(n_min_safe(k, level, failure, together) for level in specification.levels)
    except ValueError as problem:
        raise SoundnessError(str(problem), where="anonymity", code=N_MIN) from None
    if (smallest, safe) != (specification.n_min, specification.n_min_safe):
        raise SoundnessError(
            "the needed number of people is wrong",
            where="anonymity.n_min",
            expected=f"{list(smallest)}, and {list(safe)} to be safe",
            code=N_MIN,
        )
    figures = {"n_min": ", ".join(map(str, smallest)), "n_min_safe": ", ".join(map(str, safe))}
    if together.is_none:
        return figures
    size = str(together.household_size)
    return figures | {"kind": together.kind, "correlation": together.correlation, "household_size": size}


def check_cell_failure(specification: Specification, metrics: dict[int, Metrics]) -> dict[str, str]:
    """Check 7: every cell's failure from its own head count; fills ``metrics``, by cell.

    Of a specification in parts it is every cell of the parts that are here.
    """
    _check_people(specification)
    _check_invitations(specification)
    check_failure_work(specification)
    held = specification.held
    distinct = {specification.eligible[cell] for cell in held}
    promised = specification.levels, specification.k, specification.dependence
    known = {c: worst_cell_metrics(c, *promised) for c in distinct}
    half = max(worst_cell_metrics(c, *promised, HALF).record_failure_given_participation for c in distinct)
    metrics.update((cell, known[specification.eligible[cell]]) for cell in held)
    bound = specification.acceptable_cell_failure
    for cell, m in metrics.items():
        if not is_acceptable(m, bound):
            raise SoundnessError(
                f"group {cell} of {specification.people_in(cell)} people fails too often: it fails with "
                f"{_short(m.attained_cell_failure)}, and leaves a participant unprotected with "
                f"{_short(m.record_failure_given_participation)}",
                where=f"eligible[{cell}]",
                expected=f"at most {bound} for both",
                code=CELL_FAILURE,
            )
    people = [specification.people_in(cell) for cell in held]
    kind = {"kind": "register"} if specification.counts_are_bounds else {}
    if not specification.is_whole:
        kind = {"kind": "part", "all": str(specification.cells.count)}
    return kind | {
        "cells": str(len(people)),
        "smallest": str(min(people)),
        "largest": str(max(people)),
        "worst_unprotected": _short(max(m.record_failure_given_participation for m in metrics.values())),
        "worst_failure": _short(max(m.attained_cell_failure for m in metrics.values())),
        "table_failure": _short(table_failure(m.attained_cell_failure for m in metrics.values())),
        "half_unprotected": _short(half),
    }


def failure_work(specification: Specification, distinct: Collection[tuple[int, ...]]) -> int:
    """Work behind check 7 in tenths of a microsecond, roughly, for :data:`MAX_FAILURE_WORK`.

    For people who decide alone it is k^2 a distinct row and level. For those who decide together it is 400,
    and 4500 + 20 (k + h) for each number of people at a level or above it: 170 times that where the worst
    of a range is searched, twice where it is a bound. For several levels without households another
    38,000 + 150 k a level for each number of people in a cell: the generating functions.
    """
    k, size, levels = specification.k, specification.dependence.household_size, len(specification.levels)
    rows = len(distinct) * levels
    if specification.dependence.is_none:
        return rows * k**2
    sums = {(level, sum(row[level:])) for row in distinct for level in range(levels)}
    repeated = 2 if levels > 1 or size > 1 else 170 if specification.levels[0].is_range else 1
    work = 400 * rows + repeated * len(sums) * (4_500 + 20 * (k + size))
    if levels > 1 and size == 1:
        work += len({total for level, total in sums if not level}) * levels * (38_000 + 150 * k)
    return work


def check_failure_work(specification: Specification) -> None:
    """Whether check 7 can be made on a device."""
    work = failure_work(specification, {specification.eligible[cell] for cell in specification.held})
    if work > MAX_FAILURE_WORK:
        raise SoundnessError(
            "the groups are too many and too varied to be checked on a device",
            where="eligible",
            expected=f"work of at most {MAX_FAILURE_WORK}, not {work}",
            code=CELL_FAILURE,
        )


def _check_people(specification: Specification) -> None:
    """A register has at least the people that its cells have: of a public model the sum is exact.

    Both are bounds of one secret sample, and of the register's people two digits are published.
    """
    people = coarse_people(sum(specification.people_at_levels))
    if people > specification.model.people:
        raise SoundnessError(
            f"the groups would have {people} people together, which is more than the register has",
            where="model.people",
            expected=f"at least {people}",
            code=CELL_FAILURE,
        )


def _check_invitations(specification: Specification) -> None:
    """With fewer invitations than answers that are counted on, cells are emptier than their failure says."""
    if specification.invited is None:
        return
    at_levels = zip(specification.people_at_levels, specification.levels, strict=True)
    expected = sum(people * level.lowest for people, level in at_levels)
    # A register has more people than its bounds say, each at the lowest level or above.
    expected = max(expected, specification.model.people * specification.levels[0].lowest)
    if specification.invited.people < expected:
        raise SoundnessError(
            f"{specification.invited.people} people are invited, and more are expected to answer",
            where="invited.people",
            expected=f"at least {ceil(expected)}, or a lower participation",
            code=CELL_FAILURE,
        )


def check_model_shape(specification: Specification) -> dict[str, str]:
    """Check 8: the shape suits the kind of model.

    Of a register, also that no published figure tells of fewer than three people (:mod:`shared.register`).
    """
    kind, all_parts = specification.model.kind, specification.cells.parts
    parts = [part for part in all_parts if not isinstance(part, ReferencedCells)]
    shape = ", ".join(dict.fromkeys(part.shape for part in parts))
    figures = {"kind": kind, "shape": shape, "people": str(specification.model.people)}
    if isinstance(specification.cells, DistrictCells):
        _check_reachable(specification, specification.cells)
        figures["districts"] = str(len(all_parts))
    if kind == "public":
        return figures
    permitted = shape == "balls" and specification.permissions.balls_from_register
    if not all(part.shape in ("power-diagram", "boxes") for part in parts) and not permitted:
        raise SoundnessError(
            f"the shape {shape} publishes the data of real people in the register",
            where="cells.shape",
            expected="power-diagram or boxes",
            code=MODEL_SHAPE,
        )
    for part in parts:
        if isinstance(part, Boxes):
            _check_tiling(specification, part)
    finer = off_the_grid(specification)
    if finer is not None:
        where, expected = finer
        raise SoundnessError(
            "a figure of a register is finer than may be published",
            where=where,
            expected=expected,
            code=MODEL_SHAPE,
        )
    if not specification.is_whole:
        figures["kind"] = "part"
    return figures | ({"override": "balls_from_register"} if permitted else {})


class _Answers:
    """Counts the distinct answers inside of boxes, up to a bound on the work.

    Parameters
    ----------
    place : str
        Where the boxes stand.
    """

    def __init__(self, specification: Specification, place: str) -> None:
        self._attributes, self._place = specification.attributes, place
        self._known: dict[tuple[int, Ranges], int] = {}
        self._looked_at = 0

    def inside(self, box: Ranges) -> int:
        """Their number, attribute by attribute; 0 as soon as one has none."""
        if any(low > high for low, high in box):
            return 0
        total, start = 1, 0
        for i, attribute in enumerate(self._attributes):
            part = box[start : start + attribute.dimension]
            start += attribute.dimension
            if (i, part) not in self._known:
                self._looked_at += attribute.counting_steps
                if self._looked_at > MAX_TILING_WORK:
                    raise _too_many_boxes(f"boxes over the table of {attribute.name!r}", self._place)
                self._known[i, part] = attribute.count_within(part)
            total *= self._known[i, part]
            if not total:
                break
        return total


def _check_reachable(specification: Specification, cells: DistrictCells) -> None:
    """Every district has answers: one without would be an empty promise, and its cells too."""
    answers = _Answers(specification, "cells.tree")
    for number, box in enumerate(cells.tree.boxes(specification.coordinate_ranges)):
        if not answers.inside(box):
            raise SoundnessError(
                f"no answers lead to district {number}",
                where="cells.tree",
                expected="cuts that leave answers on both sides",
                code=MODEL_SHAPE,
            )


def _check_tiling(specification: Specification, cells: Boxes) -> None:
    """Boxes of a register must tile the domain: a box that is tight around people tells their extremes."""
    boxes = cells.boxes
    work = len(boxes) * (len(boxes) - 1) // 2 * len(cells.weights)
    if len(boxes) > MAX_BOXES_TO_COMPARE or work > MAX_TILING_WORK:
        raise _too_many_boxes(f"{len(boxes)} boxes of {len(cells.weights)} coordinates")
    size = _Answers(specification, "cells.boxes").inside
    apart = not any(
        size(tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)))
        for i, one in enumerate(boxes)
        for other in boxes[:i]
    )
    if not apart or sum(map(size, boxes)) != size(specification.coordinate_ranges):
        raise SoundnessError(
            "the boxes of a register overlap or leave gaps",
            where="cells.boxes",
            expected="boxes that tile the domain",
            code=MODEL_SHAPE,
        )


def _too_many_boxes(what: str, place: str = "cells.boxes") -> SoundnessError:
    return SoundnessError(
        f"{what} are too many to be compared on a device",
        where=place,
        expected=f"at most {MAX_BOXES_TO_COMPARE} boxes, and {MAX_TILING_WORK} steps to compare them",
        code=MODEL_SHAPE,
    )


def check_questions(specification: Specification) -> dict[str, str]:
    """Check 9: every attribute and question is permitted."""
    questionnaire = specification.questionnaire
    if questionnaire.has_free_text and not specification.permissions.free_text:
        raise SoundnessError(
            "a question asks for free text without permission",
            where="questionnaire",
            expected="permissions.free_text to be true",
            code=QUESTIONS,
        )
    asked = {a.name.casefold() for a in specification.attributes}
    elements = [element for page in questionnaire.pages for element in page.elements]
    for element in (*elements, *questionnaire.questions):
        if element.name.casefold() in asked:
            raise SoundnessError(
                f"the question {element.name!r} asks for what must stay on the device",
                where="questionnaire",
                expected="questions that are no quasi-identifiers",
                code=QUESTIONS,
            )
    return {
        "attributes": str(len(specification.attributes)),
        "questions": str(len(questionnaire.questions)),
        "free_text": "yes" if questionnaire.has_free_text else "no",
    }


def check_length(specification: Specification) -> dict[str, str]:
    """Check 11: every message has the length of the longest that the questionnaire admits."""
    try:
        longest = longest_message(specification.questionnaire, specification.cells.count)
    except QuestionnaireError as problem:
        raise SoundnessError(
            problem.message, where=problem.where, expected=problem.expected, code=LENGTH
        ) from None
    if specification.message_bytes != longest:
        raise SoundnessError(
            "messages do not have the length of the longest, so that their length could tell answers",
            where="message_bytes",
            expected=f"{longest}, not {specification.message_bytes}",
            code=LENGTH,
        )
    return {"bytes": str(longest)}


def check_unanimous(specification: Specification) -> dict[str, str]:
    """Check 12, of an election: with the share that is expected for one choice in any box, at most one group
    is expected in which everybody chooses the same."""
    invited = require_invited(specification)
    k, contests = specification.k, len(specification.questionnaire.questions)
    share = Fraction(invited.top_share or "1")
    expected = expected_unanimous(contests=contests, people=invited.people, k=k, top_share=share)
    if expected > 1:
        raise SoundnessError(
            "groups are so small that in some of them everybody may choose the same, which tells every vote",
            where="invited.top_share, k",
            expected=f"at most 1 such group, not {float(expected):.3g}: a larger k",
            remedy="Choose a larger k, or take the top share from an earlier vote and say so.",
            code=UNANIMOUS,
        )
    return {
        "top_share": f"{float(100 * share):.3g}",
        "k": str(k),
        "contests": str(contests),
        "expected": f"{float(expected):.2g}",
    }


def _span(low: Fraction, high: Fraction) -> str:
    ends = (f"{float(100 * value):.3g}" for value in sorted({low, high}))
    return ", ".join(ends)


def _short(value: Decimal) -> str:
    """Three significant digits, for people."""
    return f"{value:.2e}" if value else "0"
