"""Cells that stand in a file of their own, of which a specification says the digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from shared.cells.base import Cells
from shared.errors import SpecificationError, StateError
from shared.fields import Fields
from shared.geometry import Ranges, Vector
from shared.limits import MAX_CELLS, MAX_LEVELS, MAX_PEOPLE, MAX_SPECIFICATION_BYTES

KEYS: Final = ("shape", "digest", "bytes", "cells", "people")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencedCells(Cells):
    """A district whose cells are in a part (:mod:`shared.parts`) that is not here.

    Attributes
    ----------
    digest : str
        SHA-256 of the part, hexadecimal.
    n_bytes, n_cells : int
        Its length, and its number of cells.
    people : tuple of int, length L
        What ``eligible`` of all its cells sums to, at each level.
    """

    shape: ClassVar[str] = "part"

    digest: str
    n_bytes: int
    n_cells: int
    people: tuple[int, ...]

    @property
    def count(self) -> int:
        return self.n_cells

    @property
    def compared(self) -> int:
        """Nothing, as nobody is assigned here."""
        return 0

    def assign(self, x: Sequence[int]) -> int:  # noqa: ARG002 - nothing is computed
        """Nobody can be assigned without the part.

        Raises
        ------
        StateError
            Always.
        """
        raise StateError(
            "the part of a district is not here", where=f"part {self.digest}", expected="it, before its cells"
        )

    def largest_value(self, ranges: Ranges) -> int:  # noqa: ARG002 - nothing is computed
        """Nothing is compared."""
        return 0

    @classmethod
    def parse(cls, value: Any, where: str, weights: Vector) -> ReferencedCells:
        """Read a reference to a part.

        Raises
        ------
        SpecificationError
            With the path of the field that is wrong.
        """
        fields = Fields(value, where, KEYS, error=SpecificationError)
        fields.choice("shape", (cls.shape,))
        people = fields.integers("people", 0, MAX_PEOPLE)
        if not 0 < len(people) <= MAX_LEVELS:
            raise fields.fail("people", f"{len(people)} numbers stand here", "one per level")
        return cls(
            weights=weights,
            digest=fields.digest("digest"),
            n_bytes=fields.integer("bytes", 1, MAX_SPECIFICATION_BYTES),
            n_cells=fields.integer("cells", 1, MAX_CELLS),
            people=people,
        )

    def to_object(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "digest": self.digest,
            "bytes": self.n_bytes,
            "cells": self.n_cells,
            "people": list(self.people),
        }
