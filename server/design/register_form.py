"""A register's design in the form in which it may be published (:mod:`shared.register`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from server.arrays import IntArray
from server.design.compile import CompiledCells
from server.statistics.microaggregation.power_diagram import Snap
from shared.attributes import Attribute
from shared.geometry import Ranges
from shared.register import bound_of, map_centroids, site_steps


def snap_to(ranges: Ranges, need: int) -> Snap:
    """The coarse grid of the sites.

    Parameters
    ----------
    ranges : tuple of (low, high), length d
        Domain of each coordinate.
    need : int
        Fewest people of a cell.

    Notes
    -----
    To the nearest step, but less than a step from an end of the domain is that end: a mean that
    fewer than three people move away from where all the others are looks as if they were there too.
    """

    def snap(sites: IntArray, resolution: int) -> IntArray:
        low, high = resolution * np.array(ranges, np.int64).T
        step = np.array(site_steps(ranges, resolution, need), np.int64)
        nearest = np.minimum(low + (2 * (sites - low) + step) // (2 * step) * step, high)
        snapped: IntArray = np.where(sites - low < step, low, np.where(high - sites < step, high, nearest))
        return snapped

    return snap


def as_published(
    compiled: CompiledCells, attributes: Sequence[Attribute], safe: Sequence[int]
) -> CompiledCells:
    """Bounds in place of head counts, and the map's own points in place of means; safe: ``n_min_safe``."""
    published = tuple(bound_of(counts, safe) for counts in compiled.eligible)
    return replace(
        compiled,
        eligible=tuple(bound for bound in published if bound is not None),
        centroids=map_centroids(compiled.cells, attributes),
    )
