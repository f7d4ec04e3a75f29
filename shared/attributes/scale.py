"""What numbers and ordered categories share: one place on a scale, 0, 1, 2, ..."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from shared.attributes.base import Attribute, middle, within
from shared.geometry import Ranges, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale(Attribute):
    """An attribute whose answer is a place from 0 to :attr:`last`."""

    @property
    @abstractmethod
    def last(self) -> int:
        """The highest place."""

    @abstractmethod
    def _place(self, text: str) -> int:
        """Place of an answer; raises AnswerError."""

    @abstractmethod
    def _text_at(self, place: int) -> str:
        """Canonical answer of a place."""

    @property
    def coordinate_ranges(self) -> Ranges:
        """The place, and with ``own-category`` the mark of a missing value."""
        place = ((0, self.last),)
        return (*place, (0, 1)) if self.takes_missing else place

    @property
    def counting_steps(self) -> int:
        return self.dimension

    def vector(self, text: str | None) -> Vector:
        """Place on the scale, see :meth:`Attribute.vector`."""
        if text is None or not text.strip():
            if not self.takes_missing:
                raise self._refuse_missing()
            return (middle(0, self.last), 1)
        place = self._place(text.strip())
        return (place, 0) if self.takes_missing else (place,)

    def text_of(self, vector: Vector) -> str | None:
        """Answer at a place, see :meth:`Attribute.text_of`."""
        ranges = self.coordinate_ranges
        if len(vector) != len(ranges) or not all(map(within, vector, ranges)):
            raise self._no_such_vector(vector)
        if self.takes_missing and vector[1]:
            if vector[0] != middle(0, self.last):
                raise self._no_such_vector(vector)
            return None
        return self._text_at(vector[0])

    def count_within(self, ranges: Ranges) -> int:
        places = max(0, min(ranges[0][1], self.last) - max(ranges[0][0], 0) + 1)
        if not self.takes_missing:
            return places
        absent = within(1, ranges[1]) and within(middle(0, self.last), ranges[0])
        return (places if within(0, ranges[1]) else 0) + int(absent)
