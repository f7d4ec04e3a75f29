"""Designing a survey: from a population model to a specification that keeps its promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from server.design.algorithms import ALGORITHMS
from server.design.compile import count_again, partition_units
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
from server.design.plan import Plan
from server.design.population.model import Model
from server.design.refusals import (
    refuse_one_cell,
    refuse_size,
    refuse_unfit,
    warn_low_participation,
    warn_of_one_key,
    warn_refusal_by_devices,
)
from server.design.secret_sample import secret_sample
from server.design.weights import Weights, normalizing_weights
from server.executor import THREADS, Executor
from server.progress import StageProgress, stage
from server.statistics.microaggregation.geometry import distortion, sums_by_label
from shared.cells import Cells, DistrictCells
from shared.checks import HALF
from shared.declarations import Algorithm, ModelReference
from shared.effective_anonymity import is_acceptable, n_min, n_min_safe, table_failure, worst_cell_metrics
from shared.errors import DesignError, SpecificationError
from shared.limits import HOUSEHOLD_SIZES
from shared.metrics import Metrics
from shared.model import model_digest
from shared.participation import Dependence, ParticipationLevel, published_household_size
from shared.register import coarse_people
from shared.specification import STORED, Specification
from shared.submission import longest_message


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
    is_register = plan.model_kind == "register"
    if is_register != (salt is not None):
        raise ValueError("a register is designed with a salt, a public model without one")
    refuse_unfit(plan, model, reuse)
    dependence = _dependence(plan, model)
    _, safe = _needed_people(plan, model.levels, dependence)
    basis = model if salt is None else secret_sample(model, salt, safe)
    smallest, safe = _needed_people(plan, basis.levels, dependence)
    refuse_size(basis, safe, is_public=not is_register)
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
    refuse_one_cell(len(compiled.eligible), model.source)
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
    refusal = warn_refusal_by_devices(specification, model)
    return Design(
        specification=specification,
        model=model,
        basis=basis,
        labels=_true_labels(plan, model, dependence, compiled.cells) if is_register else compiled.labels,
        metrics=metrics,
        half=half,
        table_failure=table_failure(m.attained_cell_failure for m in metrics),
        distortion=distortion(basis.X, basis.people, weights.values, compiled.labels),
        refused=bool(refusal),
        warnings=(
            *refusal,
            *warn_of_one_key(plan),
            *model.warnings,
            *weights.warnings,
            *warn_low_participation(basis.levels, smallest, safe),
        ),
    )


def _true_labels(plan: Plan, model: Model, dependence: Dependence, cells: Cells) -> NDArray[np.int64]:
    """Cell of every tuple of a register, whose cells were made and counted from a sample.

    Raises
    ------
    DesignError
        If a cell fails by everybody in it, which what is published of a register only bounds: a defect.
    """
    labels = assign_many(cells, model.X)
    people = sums_by_label(model.people, labels, cells.count)
    for counts in {tuple(row) for row in people.tolist()}:
        metrics = worst_cell_metrics(counts, model.levels, plan.k, dependence)
        if not is_acceptable(metrics, plan.acceptable_cell_failure):
            raise DesignError(f"a cell holds {list(counts)} people, fewer than it needs")
    return labels


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
        room=ALGORITHMS[plan.algorithm].room,
        coarse=plan.model_kind == "register",
    )


def _new_cells(
    plan: Plan, recipe: Recipe, basis: Model, progress: StageProgress | None, executor: Executor
) -> Divided:
    """Cells designed from the basis: by units of law, by districts, or all together."""
    told = stage(progress, "Cells")
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
