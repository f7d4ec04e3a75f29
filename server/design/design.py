"""Designing a survey: from a population model to a specification that keeps its promise."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.design.compile import ROOM, SHAPE_OF, count_again, partition_units
from server.design.dividing import (
    Divided,
    Recipe,
    cells_of,
    cut_into_districts,
    divide,
    divide_districts,
    published,
)
from server.design.mapping import assign_many
from server.design.plan import Plan, unit_plan
from server.design.population.model import Model
from server.design.secret_sample import secret_sample
from server.design.survey_file.design_entry import ALGORITHMS
from server.design.weights import Weights, normalizing_weights
from server.executor import THREADS, Executor
from server.progress import StageProgress
from server.statistics.microaggregation.geometry import distortion, sums_by_label
from shared.cells import Cells, DistrictCells
from shared.checks import (
    CELL_FAILURE,
    HALF,
    MODEL,
    Floor,
    check_believed,
    check_failure_work,
    check_floor,
    check_model_shape,
    check_questions,
)
from shared.declarations import Algorithm, ModelReference
from shared.effective_anonymity import is_acceptable, n_min, n_min_safe, table_failure, worst_cell_metrics
from shared.errors import DesignError, SoundnessError, SpecificationError
from shared.limits import HOUSEHOLD_SIZES, MAX_RECOUNT_WORK, MAX_SPECIFICATION_BYTES
from shared.metrics import Metrics
from shared.model import model_digest
from shared.participation import Dependence, ParticipationLevel, published_household_size
from shared.recount import ROW_WORK, check_recount_work
from shared.register import coarse_people
from shared.specification import STORED, Specification
from shared.submission import longest_message

_EASIER: Final = (
    "Ask for a larger k or a smaller acceptable failure, which makes fewer and larger cells; or give "
    "attributes larger steps or fewer categories, and participation fewer levels."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Design:
    """A finished design.

    Attributes
    ----------
    model : Model
        Everybody.
    basis : Model
        The people from whom it was made, and who may be shown: the model itself if it is public, the secret
        sample of a register.
    labels : ndarray of int64, shape (n_tuples,)
        Cell of each distinct tuple of the model.
    metrics, half : tuple of Metrics
        Of each cell, at the worst participation, and if only half as many take part, from what is published
        of it.
    table_failure : Decimal
        That some cell of the table fails.
    distortion : float
        D: within-cell over total sum of squares of the basis, weighted, 0 (no loss) to 1.
    refused : bool
        Whether respondents' devices would refuse it, so that it cannot be signed; the first warning says why.
    """

    specification: Specification
    model: Model
    basis: Model
    labels: NDArray[np.int64]
    metrics: tuple[Metrics, ...]
    half: tuple[Metrics, ...]
    table_failure: Decimal
    distortion: float
    refused: bool
    warnings: tuple[str, ...]

    @property
    def people_of_cells(self) -> list[int]:
        """How many people of the model each cell has; of a register not to be published."""
        people = self.model.people.sum(axis=1, keepdims=True)
        return [int(n) for n in sums_by_label(people, self.labels, self.specification.cells.count)[:, 0]]


def design(
    plan: Plan,
    model: Model,
    progress: StageProgress | None = None,
    *,
    salt: bytes | None = None,
    reuse: Cells | None = None,
    executor: Executor = THREADS,
) -> Design:
    """Design a survey, with the cells of an earlier one if `reuse` has them.

    Guarantee: every cell of the specification, under the mapping that devices run, fails with at most the
    acceptable probability at every published participation; the same plan, model and salt give the same
    bytes. Of a register the specification is a function of a secret sample and in the form of
    :mod:`shared.register`.

    Parameters
    ----------
    salt : bytes, optional
        32 random bytes; for a register only, and needed there.
    executor : Executor
        Who makes the cells of each unit of law.

    Raises
    ------
    ValueError
        For a register without a salt, or a public model with one.
    DesignError
        If the model is too small, its distances cannot be kept exact, the shape must not be published from a
        register, or a cell that is to be used again does not keep this promise for these people.
    QuestionnaireError
        If answers could be longer than any message may be.
    """
    longest_message(plan.questionnaire)  # or a refusal, before minutes of work
    is_register = plan.model_kind == "register"
    if is_register != (salt is not None):
        raise ValueError("a register is designed with a salt, a public model without one")
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
    dependence = _dependence(plan, model)
    _, safe = _needed_people(plan, model.levels, dependence)
    basis = model if salt is None else secret_sample(model, salt, safe)
    smallest, safe = _needed_people(plan, basis.levels, dependence)
    _refuse_too_few(basis, safe)
    if not is_register:
        _refuse_too_large(model)
    weights = _weights(plan, basis) if reuse is None else Weights(values=reuse.weights, warnings=())
    recipe = Recipe(
        algorithm=plan.algorithm,
        parameters=plan.parameters,
        weights=weights.values,
        k=plan.k,
        failure=plan.acceptable_cell_failure,
        dependence=dependence,
        levels=basis.levels,
        safe=safe,
        minimum=plan.release.minimum,
        is_register=is_register,
    )
    if reuse is None:
        divided = _new_cells(plan, recipe, basis, progress, executor)
    else:
        divided = published(recipe, basis.attributes, count_again(basis, reuse, recipe.size_rule()))
    compiled = divided.compiled
    loss = distortion(basis.X, basis.people, weights.values, compiled.labels)
    if len(compiled.eligible) < 2:
        raise DesignError(
            "only one cell would be left, which tells nothing about anybody's quasi-identifiers",
            where=model.source,
            remedy="Use a larger population, a smaller k, or a larger acceptable failure.",
        )
    reference = ModelReference(
        kind=plan.model_kind,
        digest=model_digest(model.canonical_text(), salt),
        people=coarse_people(basis.n_people) if is_register else model.n_people,
        reading=plan.reading,
    )
    specification = _specification(plan, basis, reference, divided, dependence, smallest, safe)
    metrics, half = (
        _metrics(compiled.eligible, basis.levels, plan.k, dependence, share) for share in (Fraction(1), HALF)
    )
    labels = assign_many(compiled.cells, model.X) if is_register else compiled.labels
    if is_register:
        people_by_label = sums_by_label(model.people, labels, compiled.cells.count)
        _require_true_cells(plan, model, dependence, people_by_label)
    refusal = _warn_refusal_by_devices(specification, model)
    return Design(
        specification=specification,
        model=model,
        basis=basis,
        labels=labels,
        metrics=metrics,
        half=half,
        table_failure=table_failure(m.attained_cell_failure for m in metrics),
        distortion=loss,
        refused=bool(refusal),
        warnings=(
            *refusal,
            *_warn_of_one_key(plan),
            *model.warnings,
            *weights.warnings,
            *_warn_low_participation(basis.levels, smallest, safe),
        ),
    )


def _metrics(
    eligible: Sequence[tuple[int, ...]],
    levels: tuple[ParticipationLevel, ...],
    k: int,
    dependence: Dependence,
    share: Fraction,
) -> tuple[Metrics, ...]:
    known = {counts: worst_cell_metrics(counts, levels, k, dependence, share) for counts in set(eligible)}
    return tuple(known[counts] for counts in eligible)


def _weights(plan: Plan, basis: Model) -> Weights:
    return normalizing_weights(
        basis.attributes,
        basis.X,
        basis.people.sum(axis=1),
        room=ROOM.get(plan.algorithm, 1),
        coarse=plan.model_kind == "register",
    )


def _new_cells(
    plan: Plan, recipe: Recipe, basis: Model, progress: StageProgress | None, executor: Executor
) -> Divided:
    """Cells designed from the basis: by units of law, by districts, or all together."""
    told = None if progress is None else lambda done, total: progress("Cells", done, total)
    if plan.units is not None:
        if plan.district.text not in ("", "0"):
            raise DesignError(
                "units of law divide the people already, and are not cut into districts",
                where="--district",
                remedy="Leave it out, and put small units together in [units].",
            )
        parts = partition_units(
            plan.units, basis, recipe.weights, recipe.size_rule(), partial(cells_of, recipe), told, executor
        )
        return published(recipe, basis.attributes, parts)
    tree = cut_into_districts(recipe, basis, plan.district)
    if tree is None:
        return divide(recipe, basis, told)
    return divide_districts(recipe, basis, tree, told, executor)


def _require_true_cells(plan: Plan, model: Model, dependence: Dependence, cells: NDArray[np.int64]) -> None:
    """Compute every cell's failure from everybody, which what is published of a register only bounds."""
    for counts in {tuple(row) for row in cells.tolist()}:
        metrics = worst_cell_metrics(counts, model.levels, plan.k, dependence)
        if not is_acceptable(metrics, plan.acceptable_cell_failure):
            raise DesignError(f"a cell holds {list(counts)} people, fewer than it needs")


def _warn_refusal_by_devices(specification: Specification, model: Model) -> tuple[str, ...]:
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


def _dependence(plan: Plan, model: Model) -> Dependence:
    """The stated correlation, with the published size of the largest household of the model."""
    size: int | None = plan.dependence.household_size
    if plan.participation_source.household_column is not None:
        size = published_household_size(model.largest_household)
    if size is None:
        raise DesignError(
            f"a household of the model has {model.largest_household} people",
            where="participation.household_column",
            expected=f"at most {HOUSEHOLD_SIZES[-1]}",
            remedy="Leave the value empty for homes and other institutions, whose people decide alone.",
        )
    dependence = replace(plan.dependence, household_size=size)
    try:
        dependence.check(model.levels)
    except SpecificationError as problem:
        raise DesignError(problem.message, where=problem.where, expected=problem.expected) from None
    return dependence


def _needed_people(
    plan: Plan, levels: tuple[ParticipationLevel, ...], dependence: Dependence
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    k, failure = plan.k, plan.acceptable_cell_failure
    try:
        return (
            tuple(n_min(k, level, failure, dependence) for level in levels),
            tuple(n_min_safe(k, level, failure, dependence) for level in levels),
        )
    except ValueError as problem:
        raise DesignError(str(problem), where="participation", remedy="Expect more participation.") from None


def _refuse_records_from_register(plan: Plan) -> None:
    if plan.model_kind != "register":
        return
    shape = SHAPE_OF.get(plan.algorithm, "prototypes")
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


def _warn_of_one_key(plan: Plan) -> tuple[str, ...]:
    if plan.invited is None or plan.invited.spare_keys:
        return ()
    return (
        "invited.spare_keys names no spare key: if the signing key is lost, nothing can be opened. "
        "Make one with roomful keygen, and keep it in another place.",
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


def _warn_low_participation(
    levels: tuple[ParticipationLevel, ...], smallest: tuple[int, ...], safe: tuple[int, ...]
) -> tuple[str, ...]:
    return tuple(
        f"At participation {level.low} a cell of {a} people would be acceptable only by being empty; "
        f"the design uses {b}, from which every larger cell is safe too."
        for level, a, b in zip(levels, smallest, safe, strict=True)
        if a != b
    )


def _specification(
    plan: Plan,
    basis: Model,
    reference: ModelReference,
    divided: Divided,
    dependence: Dependence,
    smallest: tuple[int, ...],
    safe: tuple[int, ...],
) -> Specification:
    compiled, parameters = divided.compiled, dict(plan.parameters)
    if isinstance(compiled.cells, DistrictCells) and plan.algorithm in ALGORITHMS:  # not used again
        parameters |= plan.district.parameters(basis.n_people, min(safe))
    return Specification(
        languages=plan.languages,
        title=plan.title,
        description=plan.description,
        organizer=plan.organizer,
        attributes=basis.attributes,
        levels=basis.levels,
        dependence=dependence,
        participation_source=plan.participation_source,
        k=plan.k,
        acceptable_cell_failure=plan.acceptable_cell_failure,
        n_min=smallest,
        n_min_safe=safe,
        model=reference,
        algorithm=Algorithm(name=plan.algorithm, parameters=parameters),
        cells=compiled.cells,
        eligible=compiled.eligible,
        centroids=compiled.centroids,
        questionnaire=plan.questionnaire,
        message_bytes=longest_message(plan.questionnaire, compiled.cells.count),
        stored=STORED["invited" if plan.invited else "open"],
        retention_days=plan.retention_days,
        release=plan.release,
        row=divided.row,
        permissions=plan.permissions,
        invited=plan.invited,
        period=plan.period,
        logo=plan.logo,
    )
