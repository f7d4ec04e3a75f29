"""The room a respondent is in: who shares her cell, how she will appear, how likely it is to fail."""

from __future__ import annotations

from dataclasses import dataclass

from shared.checks import HALF
from shared.description import CentroidValue, describe_centroid
from shared.effective_anonymity import worst_cell_metrics
from shared.soundness import SoundSpecification


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A cell as its respondent sees it.

    Attributes
    ----------
    people : int
        Eligible people who share it, herself included; at least so many if ``at_least``, as in a register.
    centroid : tuple of CentroidValue
        How she will appear in the results.
    cell_failure : str
        qbar: that somebody takes part, but fewer than k do.
    record_failure : str
        rbar': that fewer than k take part, given that she does.
    half_failure : str
        The same if only half as many take part as the specification assumes.
    """

    cell: int
    people: int
    at_least: bool
    centroid: tuple[CentroidValue, ...]
    cell_failure: str
    record_failure: str
    half_failure: str


def describe(sound: SoundSpecification, cell: int) -> Room:
    """What there is to say about a cell; the failures are those that the checks recomputed."""
    specification, metrics = sound.specification, sound.metrics[cell]
    half = worst_cell_metrics(
        specification.eligible[cell],
        specification.levels,
        specification.k,
        specification.dependence,
        HALF,
    )
    return Room(
        cell=cell,
        people=specification.people_in(cell),
        at_least=specification.counts_are_bounds,
        centroid=describe_centroid(specification, cell),
        cell_failure=f"{metrics.attained_cell_failure:.2e}",
        record_failure=f"{metrics.record_failure_given_participation:.2e}",
        half_failure=f"{half.record_failure_given_participation:.2e}",
    )
