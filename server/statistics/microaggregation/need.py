"""What a cell needs before it may exist: a head count, or a predicate on head counts per level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from server.arrays import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The requirement on every cell of a design.

    Attributes
    ----------
    minimum : sequence of int
        One integer >= 1 per participation level: how many people a cell of that level alone would need
        (`n_min_safe`). With a single level and no predicate, a cell is acceptable from `minimum[0]`
        people on.
    predicate : callable, optional
        `predicate(counts) -> bool` on the tuple of head counts per level. Required with more than one
        level. It is the only judge of a cell; `minimum` then steers where a kernel starts to ask and how
        much room an optimizer aims at.

    Raises
    ------
    ValueError
        No level, a minimum below 1, or several levels without a predicate.

    Notes
    -----
    A predicate is asked only about cells of at least `floor = min(minimum)` people. With low
    participation a tiny cell can be "safe" by being empty; the floor keeps growing cells out of that
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

    @property
    def levels(self) -> int:
        """Number of participation levels."""
        return len(self.minimum)

    @property
    def floor(self) -> int:
        """Head count below which no cell is acceptable, whatever the predicate says."""
        return min(self.minimum)

    def acceptable(self, counts: Sequence[int] | IntArray) -> bool:
        """Say whether a cell of `counts` people per level (length L) may exist."""
        key = tuple(int(value) for value in counts)
        if sum(key) < self.floor:
            return False
        if self.predicate is None:
            return True
        answer = self._memory.get(key)
        if answer is None:
            answer = self._memory[key] = bool(self.predicate(key))
        return answer

    def mass(self, people: IntArray) -> tuple[IntArray, int]:
        """Linear stand-in for the predicate: integer mass per row of `people` (n x L), and the mass a
        cell needs.

        A person of level l weighs about 1 / minimum[l] of a cell. Exact when there is one level; with
        several it is a guide for optimizers, never a judge.
        """
        if self.levels == 1:
            return np.asarray(people[:, 0], dtype=np.int64), self.minimum[0]
        unit = 1 << 20
        per_person = np.array([-(-unit // value) for value in self.minimum], dtype=np.int64)
        return np.asarray(people @ per_person, dtype=np.int64), unit
