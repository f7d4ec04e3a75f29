"""From when until when a survey takes answers, as its organizer declares and signs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.days import is_moment
from shared.errors import SpecificationError
from shared.fields import Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Two moments in UTC (:func:`shared.days.is_moment`), of which one may be left open.

    Attributes
    ----------
    opens : str or None
        The first moment at which an answer is taken.
    closes : str or None
        The first moment at which none is taken any more.

    Raises
    ------
    SpecificationError
        If neither is given, one is no moment, or it closes before it opens.
    """

    opens: str | None = None
    closes: str | None = None

    def __post_init__(self) -> None:
        given = {"opens": self.opens, "closes": self.closes}
        for name, moment in given.items():
            if moment is not None and not is_moment(moment):
                raise _refused(
                    name, f"{moment[:40]!r} is no moment", "a moment in UTC, as 2030-12-01T08:00:00Z"
                )
        if self.opens is None and self.closes is None:
            raise _refused("", "it has neither beginning nor end", "opens, closes or both")
        if self.opens is not None and self.closes is not None and self.closes <= self.opens:
            raise _refused("closes", "it closes before it opens", f"a moment after {self.opens}")

    def is_before(self, moment: str) -> bool:
        """Whether it has not begun at a moment."""
        return self.opens is not None and moment < self.opens

    def is_over(self, moment: str) -> bool:
        """Whether it has ended at a moment."""
        return self.closes is not None and moment >= self.closes

    @classmethod
    def parse(cls, value: Any) -> Period:
        """Read the field ``period`` of a specification."""
        fields = Fields(value, "period", ("opens", "closes"), error=SpecificationError)
        opens, closes = (None if fields.raw(n) is None else fields.text(n) for n in ("opens", "closes"))
        return cls(opens=opens, closes=closes)

    def to_object(self) -> Mapping[str, str | None]:
        """As a JSON document."""
        return {"opens": self.opens, "closes": self.closes}


def _refused(name: str, message: str, expected: str) -> SpecificationError:
    return SpecificationError(message, where=f"period.{name}" if name else "period", expected=expected)
