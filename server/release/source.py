"""Where released answers come from: the store of an open survey, or the trustees for an invited one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.collection.storage.store import SurveyStore
from server.release.answers import CollectedAnswers, collect, confidential_attributes
from server.release.gate import Decision, decide
from server.release.opened import OpenedAnswers
from server.release.permission import decide_groups, permit, stretch
from server.release.policy import policy_of
from shared.errors import InputError, OpeningError, ReleaseError
from shared.joining import row_of
from shared.verification.permitted import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSource:
    """Answers for a release.

    Attributes
    ----------
    collected : CollectedAnswers
        Cell by cell; the answers of cells that were opened as a group stand at the group's first cell.
    decision : Decision
        What the gate lets through of them.
    head_counts : callable
        Counts per cell, in the same places, once more and by another path than the tables take.
    invalid : int or None
        Ballots without valid answers; None for an open survey.
    """

    collected: CollectedAnswers
    decision: Decision
    head_counts: Callable[[], list[int]]
    invalid: int | None = None


def stored_answers(store: SurveyStore) -> AnswerSource:
    """The answers of an open survey.

    Raises
    ------
    InputError
        If the survey is an invited one: its answers are sealed.
    ReleaseError
        If nothing may be released.
    """
    specification = store.specification
    if specification.invited is not None:
        raise InputError(
            "the answers of an invited survey are sealed",
            where="--opened",
            expected="the file that the trustees made with roomful trustees open",
            code="input.opened",
        )
    collected = collect(store.answers(), specification.questionnaire, specification.cells.count)
    decision = decide(
        collected.counts,
        policy_of(specification),
        row_of(specification),
        confidential_attributes(collected),
    )
    return AnswerSource(
        collected=collected, decision=decision, head_counts=lambda: _stored_head_counts(store)
    )


def opened_answers(store: SurveyStore, data: bytes, root: bytes) -> AnswerSource:
    """What the trustees opened of an invited survey.

    Parameters
    ----------
    store : SurveyStore
        With the ballots.
    data : bytes
        opened.json.
    root : bytes
        Root of the tree over the receipts, from the board's verified checkpoint.

    Raises
    ------
    InputError
        If the survey is open to everybody.
    OpeningError
        With the code ``opening.opened`` if the file is malformed or does not fit the survey and its ballots.
    ReleaseError
        If nothing may be released.

    Notes
    -----
    Guarantee: for all files, either an error, or groups that the signed rule permits for the ballots in the
    store, with no more answers than ballots each; the gate has judged their diversity.
    """
    specification = store.specification
    if specification.invited is None:
        raise InputError(
            "this survey is open to everybody, so nothing of it was sealed",
            where="--opened",
            expected="no file",
            code="input.opened",
        )
    opened = OpenedAnswers.parse(data)
    ballots = [0] * specification.cells.count
    for ballot in store.ballots():
        ballots[ballot.cell] += 1
    _require_fit(opened, store, ballots, root)
    groups = [group.cells for group in opened.groups]
    rows = ((group.cells[0], answers) for group in opened.groups for answers in group.answers)
    try:
        collected = collect(rows, specification.questionnaire, specification.cells.count)
    except ReleaseError as problem:
        raise _misfit(problem.message, problem.expected) from None
    counts, sealed = _with_sealed(collected.counts, ballots, groups)
    decision = decide_groups(
        groups,
        counts,
        ballots,
        policy_of(specification),
        row_of(specification),
        confidential_attributes(collected, sealed={cell: ballots[cell] for cell in sealed}),
    )
    return AnswerSource(
        collected=collected,
        decision=decision,
        head_counts=lambda: _opened_head_counts(store, data),
        invalid=opened.invalid,
    )


def _require_fit(opened: OpenedAnswers, store: SurveyStore, ballots: Sequence[int], root: bytes) -> None:
    specification = store.specification
    if opened.specification != store.published.digest:
        raise _misfit("it is of another survey", store.published.digest)
    if opened.root != root.hex() or opened.ballots != sum(ballots):
        raise _misfit("other ballots were opened than those on the board", f"{sum(ballots)} ballots")
    in_groups = sum(ballots[cell] for group in opened.groups for cell in group.cells if cell < len(ballots))
    if opened.withheld != sum(ballots) - in_groups:
        raise _misfit("it withholds another number of ballots than its groups leave", "the same number")
    permitted = permit(ballots, specification)
    merged = specification.release.rule == "merge"
    if merged and opened.withheld:
        raise _misfit("it withholds answers, and the signed rule merges", "every ballot in a group")
    row, group_of = row_of(specification), permitted.group_of
    for group in opened.groups:
        indices = {group_of.get(cell) for cell in group.cells}
        whole = {cell for index in indices if index is not None for cell in permitted.groups[index]}
        as_signed = stretch(row, group.cells) is not None if merged else len(group.cells) == 1
        if None in indices or whole != set(group.cells) or not as_signed:
            raise _misfit("it opens a group that the signed rule does not permit", "permitted groups")
        if len(group.answers) > sum(ballots[cell] for cell in group.cells):
            raise _misfit("a group has more answers than ballots", "one answer per ballot")


def _with_sealed(
    counts: Sequence[int], ballots: Sequence[int], groups: Sequence[Group]
) -> tuple[list[int], list[int]]:
    opened = {cell for group in groups for cell in group}
    sealed = [cell for cell, count in enumerate(ballots) if count and cell not in opened]
    closed = set(sealed)
    return [ballots[cell] if cell in closed else count for cell, count in enumerate(counts)], sealed


def _stored_head_counts(store: SurveyStore) -> list[int]:
    counts = Counter(cell for cell, _ in store.answers())
    if counts.total() != store.total():
        raise ReleaseError(
            "the number of answers differs from the number of receipts",
            remedy="The database was changed from outside; restore it from a copy.",
        )
    return [counts[cell] for cell in range(store.specification.cells.count)]


def _opened_head_counts(store: SurveyStore, data: bytes) -> list[int]:
    counts = Counter(ballot.cell for ballot in store.ballots())
    for group in json.loads(data)["groups"]:
        for cell in group["cells"]:
            counts[cell] = 0
        counts[group["cells"][0]] = len(group["answers"])
    return [counts[cell] for cell in range(store.specification.cells.count)]


def _misfit(message: str, expected: str) -> OpeningError:
    return OpeningError(
        f"opened.json does not fit this survey: {message}",
        where="opened.json",
        expected=expected,
        remedy="Use the file of the newest opening of this survey, and compare its words with the trustees'.",
        code="opening.opened",
    )
