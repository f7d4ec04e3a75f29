"""What is refused before and after the minutes of a design, and what an organizer is warned of."""

from __future__ import annotations

import contextlib
from math import ceil
from typing import Final

from server.design.algorithms import ALGORITHMS
from server.design.plan import Plan, unit_plan
from server.design.population.model import Model
from shared.cells import Cells
from shared.checks import (
    CELL_FAILURE,
    MODEL,
    Floor,
    check_believed,
    check_failure_work,
    check_floor,
    check_model_shape,
    check_questions,
)
from shared.errors import DesignError, SoundnessError, SpecificationError
from shared.limits import MAX_RECOUNT_WORK, MAX_SPECIFICATION_BYTES
from shared.participation import ParticipationLevel
from shared.recount import ROW_WORK, check_recount_work
from shared.specification import Specification
from shared.submission import longest_message

_EASIER: Final = (
    "Ask for a larger k or a smaller acceptable failure, which makes fewer and larger cells; or give "
    "attributes larger steps or fewer categories, and participation fewer levels."
)


def refuse_unfit(plan: Plan, model: Model, reuse: Cells | None) -> None:
    """Refuse, before minutes of work, what could never be signed or released.

    Raises
    ------
    DesignError, QuestionnaireError
        As :func:`server.design.design.design`.
    """
    longest_message(plan.questionnaire)
    if reuse is None:
        _refuse_records_from_register(plan)
    elif unit_plan(reuse) != plan.units:
        raise DesignError(
            "the earlier cells have other units",
            where="--reuse-cells",
            expected="cells within the units of this survey",
            remedy="Leave out --reuse-cells, or state the units of the earlier survey.",
        )
    _refuse_unreachable_diversity(plan)
    _refuse_invitations_that_do_not_fit(plan, model)
    _refuse_unsourced_participation(plan, model)


def _refuse_records_from_register(plan: Plan) -> None:
    if plan.model_kind != "register":
        return
    shape = ALGORITHMS[plan.algorithm].shape
    if shape == "balls" and not plan.permissions.balls_from_register:
        raise DesignError(
            "balls publish the quasi-identifiers of real people: their references are records",
            where="design.algorithm",
            expected="power-diagram or mondrian for a model of kind register",
            remedy="Leave out algorithm, or set balls_from_register = true in [design]: respondents see it.",
        )
    if shape == "prototypes":
        raise DesignError(
            f"{plan.algorithm} publishes the quasi-identifiers of real people: its cells are tabulated",
            where="design.algorithm",
            expected="power-diagram or mondrian for a model of kind register",
            remedy="Leave out algorithm; no permission allows prototypes from a register.",
        )


def _refuse_unreachable_diversity(plan: Plan) -> None:
    for question in plan.questionnaire.questions:
        possible = question.domain_size
        if question.measure is not None and possible is not None and possible < plan.release.distinct_values:
            raise DesignError(
                f"question {question.name!r} has only {possible} possible answers: nothing could be released",
                where="release.distinct_values",
                expected=f"at most {possible}",
                remedy="Lower distinct_values, or give the question more choices.",
            )


def _refuse_invitations_that_do_not_fit(plan: Plan, model: Model) -> None:
    if plan.invited is None:
        return
    invited = plan.invited.people
    if invited > model.n_people:
        raise DesignError(
            f"{invited} people are invited, but the model has {model.n_people}",
            where="invited.people",
            expected="no more invitations than people in the model",
            remedy="Cells are counted from the model, so everybody who is invited must be in it.",
        )
    counted_on = sum(
        int(people) * level.lowest
        for people, level in zip(model.people.sum(axis=0), model.levels, strict=True)
    )
    if invited < counted_on:
        raise DesignError(
            f"{invited} people are invited, but at the lowest participation {ceil(counted_on)} would answer",
            where="invited.people",
            expected=f"at least {ceil(counted_on)} invitations",
            remedy="Invite more people, or give the participation of the whole model, those not invited too.",
        )


def _refuse_unsourced_participation(plan: Plan, model: Model) -> None:
    try:
        check_believed(model.levels, plan.participation_source, Floor())
    except SoundnessError as refusal:
        raise DesignError(
            refusal.message,
            where="participation.source_statement",
            expected=refusal.expected,
            remedy=refusal.remedy,
        ) from None


def refuse_size(basis: Model, safe: tuple[int, ...], *, is_public: bool) -> None:
    """Refuse too few people for two cells, and more public rows than devices can read."""
    _refuse_too_few(basis, safe)
    if is_public:
        _refuse_too_large(basis)


def _refuse_too_few(model: Model, safe: tuple[int, ...]) -> None:
    needed = 2 * min(safe)
    if model.n_people < needed:
        raise DesignError(
            f"the model has {model.n_people} people, too few for two cells",
            where=model.source,
            expected=f"at least {needed} (two cells of n_min_safe = {min(safe)})",
            remedy="Use a larger population, a smaller k, or a larger acceptable failure.",
        )


def _refuse_too_large(model: Model) -> None:
    """Before minutes of work: reading the rows alone would be too much for devices (check 10)."""
    most = MAX_RECOUNT_WORK // (ROW_WORK * len(model.attributes))
    if len(model.X) > most:
        raise DesignError(
            f"the public model has {len(model.X)} distinct rows, too many for devices to count again",
            where=model.source,
            expected=f"at most {most} with {len(model.attributes)} attributes",
            remedy="Give attributes larger steps or fewer categories, or make several surveys of parts.",
        )


def refuse_one_cell(n_cells: int, source: str) -> None:
    """Refuse a partition that says nothing."""
    if n_cells < 2:
        raise DesignError(
            "only one cell would be left, which tells nothing about anybody's quasi-identifiers",
            where=source,
            remedy="Use a larger population, a smaller k, or a larger acceptable failure.",
        )


def warn_refusal_by_devices(specification: Specification, model: Model) -> tuple[str, ...]:
    """What respondents' devices would say, before it is signed.

    Raises
    ------
    DesignError
        If they would refuse the shape or a question, or could not make the checks in reasonable time; a
        promise below their floor is only a warning, because a design may be made to compare.
    """
    try:
        if specification.model.kind == "public":
            check_recount_work(specification, model.canonical_text())
        check_failure_work(specification)
        check_model_shape(specification)
        check_questions(specification)
    except SoundnessError as refusal:
        raise DesignError(
            f"respondents' devices would refuse the survey: {refusal.message}",
            where=refusal.where,
            expected=refusal.expected,
            remedy=_EASIER if refusal.code in (CELL_FAILURE, MODEL) else "",
        ) from None
    size = len(specification.to_bytes())
    if size > MAX_SPECIFICATION_BYTES:
        with contextlib.suppress(SpecificationError):  # it stays in one piece
            size = len(specification.in_parts()[0].to_bytes())
    if size > MAX_SPECIFICATION_BYTES:
        why = " A survey of invited people stays in one piece." if specification.invited else ""
        return (
            "Respondents' devices would refuse this survey, and it cannot be signed: its specification has "
            f"{size:,} bytes, and may have {MAX_SPECIFICATION_BYTES:,}.{why} {_EASIER}",
        )
    try:
        check_floor(specification, Floor())
    except SoundnessError as refusal:
        return (
            "Respondents' devices would refuse this survey, and it cannot be signed: "
            f"{refusal.message} ({refusal.where}: {refusal.expected}).",
        )
    return ()


def warn_of_one_key(plan: Plan) -> tuple[str, ...]:
    if plan.invited is None or plan.invited.spare_keys:
        return ()
    return (
        "invited.spare_keys names no spare key: if the signing key is lost, nothing can be opened. "
        "Make one with roomful keygen, and keep it in another place.",
    )


def warn_low_participation(
    levels: tuple[ParticipationLevel, ...], smallest: tuple[int, ...], safe: tuple[int, ...]
) -> tuple[str, ...]:
    return tuple(
        f"At participation {level.low} a cell of {a} people would be acceptable only by being empty; "
        f"the design uses {b}, from which every larger cell is safe too."
        for level, a, b in zip(levels, smallest, safe, strict=True)
        if a != b
    )
