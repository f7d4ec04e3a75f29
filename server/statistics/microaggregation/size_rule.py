"""The size rule of a partition: how many records, or people, a group needs before it may exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.arrays import IntArray
from server.statistics.microaggregation.need import Need


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SizeRule:
    """What every group of a partition must hold, and for whom each record stands.

    Build one with `SizeRule.of_k` (plain k-anonymity) or `SizeRule.of_need` (participation probabilities
    through `n_min` or a predicate on the head counts per level).

    Attributes
    ----------
    need : Need
        The requirement on the people of one group.
    people : int array, n x L, optional
        People per record and participation level. Without it each record is one person.

    Raises
    ------
    ValueError
        People that are no integers or of another shape than n x L, a negative count, a record without
        people, more people than 64 bits can add up, or several levels without people.
    """

    need: Need
    people: IntArray | None = None

    def __post_init__(self) -> None:
        if self.people is None:
            if self.need.levels > 1:
                raise ValueError("several participation levels need the people per record and level")
            return
        given = np.asarray(self.people)
        if given.dtype.kind not in "iu":
            raise ValueError(f"people must be integers, not {given.dtype}")
        _refuse_overflow("people", given)
        people = given.astype(np.int64)
        if people.ndim == 1:
            people = people[:, None]
        if people.ndim != 2 or people.shape[1] != self.need.levels:
            raise ValueError(f"people must be n x {self.need.levels}, one column a participation level")
        if len(people) and (people.min() < 0 or people.sum(axis=1).min() < 1):
            raise ValueError("each record must stand for at least one person, and no count may be negative")
        people.setflags(write=False)
        object.__setattr__(self, "people", people)

    @classmethod
    def of_k(cls, k: int) -> SizeRule:
        """At least `k` records (or people, with counts) in every group; ValueError unless k >= 1."""
        if isinstance(k, bool) or k % 1 != 0 or k < 1:
            raise ValueError(f"k must be an integer of at least 1, not {k!r}")
        return cls(need=Need(minimum=(int(k),)))

    @classmethod
    def of_need(cls, need: Need, people: IntArray | None = None) -> SizeRule:
        """Whatever `need` accepts, for `people` (n x L) behind the records."""
        return cls(need=need, people=people)

    @property
    def plain(self) -> bool:
        """Whether one head count decides: a single level and no predicate."""
        return self.need.levels == 1 and self.need.predicate is None

    @property
    def minimum(self) -> int:
        """The head count that decides. ValueError when the rule is more than a head count."""
        if not self.plain:
            raise ValueError("this size rule is no single head count; ask `enough`")
        return self.need.minimum[0]

    @property
    def floor(self) -> int:
        """Head count below which no group may exist, whatever else the rule asks."""
        return self.need.floor

    def enough(self, counts: int | Sequence[int] | IntArray) -> bool:
        """Say whether a group of `counts` people (a total, or L head counts) may exist."""
        return self.need.acceptable(np.atleast_1d(np.asarray(counts, dtype=np.int64)))

    def people_of(self, n_records: int, counts: IntArray | None = None) -> IntArray:
        """People per record and level, n x L: the rule's own, or `counts` (n), or one each.

        Raises
        ------
        ValueError
            Another number of records, both `counts` and the rule's own people, a count below 1, or more
            people than 64 bits can add up.
        """
        if self.people is not None:
            if counts is not None:
                raise ValueError("the size rule already knows the people of each record; leave `counts` out")
            if len(self.people) != n_records:
                raise ValueError(f"the size rule knows {len(self.people)} records, the data have {n_records}")
            return self.people
        if counts is None:
            return np.ones((n_records, 1), dtype=np.int64)
        given = np.asarray(counts)
        if given.shape != (n_records,) or given.dtype.kind not in "iu":
            raise ValueError(f"counts must be {n_records} integers, one a record")
        _refuse_overflow("counts", given)
        if n_records and given.min() < 1:
            raise ValueError("counts must be at least 1; leave out records that nobody has")
        return given.astype(np.int64)[:, None]

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
        k, total = self.minimum, int(people.sum())
        if total < k:
            raise ValueError(f"n = {total} records are fewer than k = {k}")
        return k, people

    def single_records(self, algorithm: str, n_records: int, counts: IntArray | None = None) -> int:
        """The k of an algorithm that knows only single records; else ValueError naming `algorithm`."""
        k, people = self.head_counts(algorithm, n_records, counts)
        if n_records and people.max() > 1:
            raise ValueError(f"{algorithm} serves single records; repeat each record by its count")
        return k


def _refuse_overflow(name: str, given: NDArray[np.integer[Any]]) -> None:
    if given.sum(dtype=np.float64) >= 2.0**62:
        raise ValueError(f"{name} add up to more than 2^62, too many to be added up")
