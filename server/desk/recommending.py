"""Three promises to choose from, each with its reason: the finest, a middle, the safest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from server.design.estimate import Estimate, Promise, estimate
from server.design.population.model import Model
from shared.errors import DesignError
from shared.participation import Dependence

_LADDER: Final = (
    ("finest", 5, "1e-4", "0"),
    ("balanced", 10, "1e-6", "0.005"),
    ("safest", 20, "1e-6", "0.02"),
)
"""Name, k, acceptable failure, correlation that is allowed for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A promise; ``name`` is a key of its reason; without an estimate there are too few people for it."""

    name: str
    promise: Promise
    estimate: Estimate | None


def recommend(model: Model, start: Promise) -> tuple[Proposal, ...]:
    """Propose three promises at the participation that the organizer expects.

    Notes
    -----
    The first is the weakest that the usual advice of the organizer's guide allows, for people of whom little
    is at stake. Each further one asks for more answers and allows for people who decide together.
    """
    found = []
    for name, k, failure, correlation in _LADDER:
        promise = replace(
            start,
            k=k,
            failure=failure,
            dependence=Dependence(correlation=correlation, household_size=start.dependence.household_size),
        )
        try:
            found.append(Proposal(name=name, promise=promise, estimate=estimate(model, promise)))
        except DesignError:
            found.append(Proposal(name=name, promise=promise, estimate=None))
    return tuple(found)
