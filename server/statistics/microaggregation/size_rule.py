"""The size rule of a partition: what a group must hold before it may exist, in records or in people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import IntArray

_UNIT: Final = 1 << 20
"""Mass of a group where people of several levels weigh differently."""
_PRECISION: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRule:
    """The requirement on every group of a partition: a head count, or a predicate on head counts per level.

    Attributes
    ----------
    minimum : sequence of int
        One integer >= 1 per participation level: how many people a group of that level alone would need
        (`n_min_safe`). With a single level and no predicate, a group is acceptable from `minimum[0]`
        people on.
    predicate : callable, optional
        `predicate(counts) -> bool` on the tuple of head counts per level. Required with more than one
        level. It is the only judge of a group; `minimum` then steers where a kernel starts to ask and how
        much room an optimizer aims at.

    Raises
    ------
    ValueError
        No level, a minimum below 1, or several levels without a predicate.

    Notes
    -----
    A predicate is asked only about groups of at least `floor = min(minimum)` people. With low
    participation a tiny group can be "safe" by being empty; the floor keeps growing groups out of that
    trap, as `n_min_safe` does for even participation. Answers are remembered, so a predicate may be slow
    but must be pure.
    """

    minimum: tuple[int, ...]
    predicate: Callable[[tuple[int, ...]], bool] | None = None
    _memory: dict[tuple[int, ...], bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "minimum", tuple(int(value) for value in self.minimum))
        if not self.minimum or min(self.minimum) < 1:
            raise ValueError("minimum needs one integer >= 1 per participation level")
        if len(self.minimum) > 1 and self.predicate is None:
            raise ValueError("several participation levels need a predicate on the head counts")

    @classmethod
    def of_k(cls, k: int) -> SizeRule:
        """At least `k` records (or people, with counts) in every group; ValueError unless k >= 1."""
        if isinstance(k, bool) or k % 1 != 0 or k < 1:
            raise ValueError(f"k must be an integer of at least 1, not {k!r}")
        return cls(minimum=(int(k),))

    @property
    def levels(self) -> int:
        """Number of participation levels."""
        return len(self.minimum)

    @property
    def plain(self) -> bool:
        """Whether one head count decides: a single level and no predicate."""
        return self.levels == 1 and self.predicate is None

    @property
    def floor(self) -> int:
        """Head count below which no group is acceptable, whatever the predicate says."""
        return min(self.minimum)

    def acceptable(self, counts: Sequence[int] | IntArray) -> bool:
        """Say whether a group of `counts` people per level (length L) may exist."""
        key = tuple(int(value) for value in counts)
        if sum(key) < self.floor:
            return False
        if self.predicate is None:
            return True
        answer = self._memory.get(key)
        if answer is None:
            answer = self._memory[key] = bool(self.predicate(key))
        return answer

    def acceptable_rows(self, counts: IntArray) -> NDArray[np.bool_]:
        """`acceptable` of every row of counts (m x L)."""
        if self.plain:
            return np.asarray(counts[:, 0] >= self.floor)
        return np.array([self.acceptable(row) for row in counts.tolist()], dtype=bool)

    def enough(self, counts: IntArray, mass: IntArray) -> IntArray:
        """Mass that each group (counts: m x L, of this mass: m) needs with people in its own proportions.

        Exact for one head count. With a predicate it is a guide for optimizers, never a judge: found by
        halving, as if the predicate accepted every larger group of the same proportions.
        """
        if self.plain:
            return np.full(len(mass), self.floor, dtype=np.int64)
        unit = self.minimum[0] if self.levels == 1 else _UNIT
        needed = np.full(len(mass), unit, dtype=np.int64)
        for i in np.flatnonzero((mass > 0) & (mass < 2 * unit)):
            held, row = int(mass[i]), counts[i].tolist()
            low, high = unit // 2, 2 * unit
            while high - low > max(1, unit // _PRECISION):
                middle = (low + high) // 2
                if self.acceptable([n * middle // held for n in row]):
                    high = middle
                else:
                    low = middle
            needed[i] = min(high, held) if self.acceptable(row) else max(high, held + 1)
        return needed

    def mass(self, people: IntArray) -> tuple[IntArray, int]:
        """Linear stand-in for the predicate: mass per row of `people` (n x L), and that of a group.

        A person of level l weighs about 1 / minimum[l] of a group. Exact when there is one level; with
        several it is a guide for optimizers, never a judge.
        """
        if self.levels == 1:
            return np.asarray(people[:, 0], dtype=np.int64), self.minimum[0]
        per_person = np.array([-(-_UNIT // value) for value in self.minimum], dtype=np.int64)
        return np.asarray(people @ per_person, dtype=np.int64), _UNIT

    def people_of(self, n_records: int, counts: IntArray | None = None) -> IntArray:
        """People per record and level, n x L: `counts` (n, or n x L), or one each.

        Raises
        ------
        ValueError
            Counts that are no integers or of another shape, a negative count, a record without people, more
            people than 64 bits can add up, or several levels without counts.
        """
        if counts is None:
            if self.levels > 1:
                raise ValueError(
                    "several participation levels need the people per record and level as counts"
                )
            return np.ones((n_records, 1), dtype=np.int64)
        given = np.asarray(counts)
        if given.ndim == 1:
            given = given[:, None]
        if given.shape != (n_records, self.levels) or given.dtype.kind not in "iu":
            raise ValueError(
                f"counts must be {n_records} x {self.levels} integers, a row per record and a column per"
                f" participation level, not {given.shape} of {given.dtype}"
            )
        _refuse_overflow(given)
        if n_records and (given.min() < 0 or given.sum(axis=1).min() < 1):
            raise ValueError("counts must be at least 1 a record, none negative; leave out what nobody has")
        return given.astype(np.int64)

    def head_counts(
        self, algorithm: str, n_records: int, counts: IntArray | None = None
    ) -> tuple[int, IntArray]:
        """The needed head count and the people per record (n), for algorithms that weigh records.

        Raises
        ------
        ValueError
            The rule is more than one head count (the message names `algorithm`); fewer people than one
            group needs (the message names both numbers); `counts` as in `people_of`.
        """
        if not self.plain:
            raise ValueError(
                f"{algorithm} serves one head count per group, not several participation levels or a "
                "predicate; use power_diagram or the balls of mdav"
            )
        # A copy: compiled code would be compiled anew for read-only or strided arrays.
        people = self.people_of(n_records, counts)[:, 0].copy()
        k, total = self.minimum[0], int(people.sum())
        if total < k:
            raise ValueError(f"n = {total} records are fewer than k = {k}")
        return k, people

    def single_records(self, algorithm: str, n_records: int, counts: IntArray | None = None) -> int:
        """The k of an algorithm that knows only single records; else ValueError naming `algorithm`."""
        k, people = self.head_counts(algorithm, n_records, counts)
        if n_records and people.max() > 1:
            raise ValueError(f"{algorithm} serves single records; repeat each record by its count")
        return k


def _refuse_overflow(counts: NDArray[np.integer[Any]]) -> None:
    if counts.sum(dtype=np.float64) >= 2.0**62:
        raise ValueError("counts add up to more than 2^62, too many to be added up")
