"""The room a respondent is in: who shares her cell, how she will appear, how likely it is to fail."""

from __future__ import annotations

from dataclasses import dataclass

from shared.description import CentroidValue, describe_centroid
from shared.soundness import SoundSpecification


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A cell as its respondent sees it.

    Attributes
    ----------
    people : int
        Eligible people who share it, herself included.
    centroid : tuple of CentroidValue
        How she will appear in the results.
    cell_failure : str
        qbar: that somebody takes part, but fewer than k do.
    record_failure : str
        rbar': that fewer than k take part, given that she does.
    """

    cell: int
    people: int
    centroid: tuple[CentroidValue, ...]
    cell_failure: str
    record_failure: str


def describe(sound: SoundSpecification, cell: int) -> Room:
    """What there is to say about a cell; the failures are those that the checks recomputed."""
    metrics = sound.metrics[cell]
    return Room(
        cell=cell,
        people=sound.specification.people_in(cell),
        centroid=describe_centroid(sound.specification, cell),
        cell_failure=f"{metrics.attained_cell_failure:.2e}",
        record_failure=f"{metrics.record_failure_given_participation:.2e}",
    )
