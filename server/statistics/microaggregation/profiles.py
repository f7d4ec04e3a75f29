"""Tuples by profile: what each has in the coordinates that take two values only, and the others apart.

The categories of an attribute are a coordinate each, 0 or 1, and many tuples agree in all of them: they have
one profile. To the tuples of one profile the squared distance of a site is a constant and the distance in the
few other coordinates; so among them a power diagram is one of those coordinates alone, whose offsets hold the
constants.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import BoolArray, FloatArray, IntArray

_TOGETHER: Final = 8
"""Tuples that a profile has in the mean, at least: to search for one costs a pass over all sites."""
_BITS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profiles:
    """n tuples of d coordinates, of which c take two values or one.

    Attributes
    ----------
    binary : int array, c
        Coordinates of which profiles tell, ascending; perhaps not all that take so few values.
    other : int array, d - c
        All the others, ascending.
    low, high : float array, c
        The least and the greatest value of each.
    is_high : bool array, g x c
        The profiles: which coordinates have not the least value. All different.
    profile : int array, n
        Of each tuple.
    order : int array, n
        The tuples, profile by profile; those of one in their own order.
    start : int array, g + 1
        Where each profile begins in `order`.
    rest : float array, n x (d - c)
        Each tuple's other coordinates.
    """

    binary: IntArray
    other: IntArray
    low: FloatArray
    high: FloatArray
    is_high: BoolArray
    profile: IntArray
    order: IntArray
    start: IntArray
    rest: FloatArray

    @classmethod
    def of(cls, points: FloatArray) -> Profiles:
        """Take the points (n x d, n >= 1) apart.

        Notes
        -----
        So many coordinates of two values, from the first on, that a profile has eight tuples in the mean.
        Time O(n d) and a sort of n profiles.
        """
        low, high = points.min(axis=0), points.max(axis=0)
        binary = np.flatnonzero(((points == low) | (points == high)).all(axis=0))
        is_high = np.empty((len(points), len(binary)), dtype=bool)
        for place, j in enumerate(binary):
            is_high[:, place] = points[:, j] > low[j]
        told = bisect_right(
            range(1, len(binary) + 1),
            len(points) // _TOGETHER,
            key=lambda told: len(_distinct(is_high[:, :told])[0]),
        )
        first, profile = _distinct(is_high[:, :told])
        binary = binary[:told]
        other = np.setdiff1d(np.arange(points.shape[1]), binary)
        return cls(
            binary=binary,
            other=other,
            low=low[binary],
            high=high[binary],
            is_high=is_high[first, :told],
            profile=profile,
            order=np.argsort(profile, kind="stable"),
            start=np.concatenate([[0], np.cumsum(np.bincount(profile, minlength=len(first)))]),
            rest=np.ascontiguousarray(points[:, other]),
        )


def _distinct(is_high: BoolArray) -> tuple[IntArray, IntArray]:
    """The first row of each profile, and the profile of every row of is_high (n x c)."""
    first, profile = np.zeros(1, dtype=np.int64), np.zeros(len(is_high), dtype=np.int64)
    for start in range(0, is_high.shape[1], _BITS):
        bits = is_high[:, start : start + _BITS]
        key = profile << _BITS
        for place, bit in enumerate(bits.T):
            key |= bit.astype(np.int64) << place
        _, first, profile = np.unique(key, return_index=True, return_inverse=True)
    return first, profile
