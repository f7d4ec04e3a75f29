"""One measured figure: its name, its value, which direction is unsafe, and where its definition stands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Direction = Literal["lower is unsafe", "higher is unsafe", "lower loses more", "higher loses more"]
"""Unsafe is about people (disclosure), losing about the analyst (information)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure that cannot be read the wrong way round.

    Attributes
    ----------
    name : str
        In words, such as "achieved k". `label` adds the direction.
    value : float
        May be infinite where the definition says so; never NaN.
    direction : Direction
    source : str
        Paper that defines it.
    """

    name: str
    value: float
    direction: Direction
    source: str

    def __post_init__(self) -> None:
        if self.direction not in get_args(Direction):
            raise ValueError(f"unknown direction {self.direction!r}")
        if math.isnan(self.value):
            raise ValueError(f"{self.name} has no value")

    @property
    def label(self) -> str:
        """Name with the unsafe direction: "achieved k (lower is unsafe)"."""
        return f"{self.name} ({self.direction})"

    def as_json(self) -> dict[str, object]:
        """For JSON: an infinite value becomes the text "infinite"."""
        value: object = self.value
        if math.isinf(self.value):
            value = "infinite"
        elif float(self.value).is_integer() and abs(self.value) < 2**53:
            value = int(self.value)
        return {"name": self.name, "value": value, "direction": self.direction, "source": self.source}
