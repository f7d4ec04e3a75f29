"""What all quasi-identifiers have in common: a text answer becomes a fixed-length vector of integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from shared.errors import AnswerError, SpecificationError
from shared.geometry import Ranges, Vector

MISSING_RULES = ("refused", "own-category")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute(ABC):
    """A declared quasi-identifier.

    Attributes
    ----------
    name : str
        Also the name of its column in the model file.
    label, help : dict
        Text per language; help may be empty texts.
    missing : str
        ``refused``: everybody must have a value; ``own-category``: a person who lacks or withholds it belongs
        to a category of its own.

    Notes
    -----
    With ``own-category`` a missing answer is one more category of a nominal attribute. The other kinds get
    one more 0/1 coordinate that marks it, with the value's own coordinates in the middle of the domain, so
    that it is equally far from both ends.
    """

    kind: ClassVar[str]

    name: str
    label: dict[str, str]
    help: dict[str, str]
    missing: str

    def _check_common(self) -> None:
        if not self.name or self.name != self.name.strip():
            raise SpecificationError(f"the attribute name {self.name!r} is unusable", where="attributes")
        if self.missing not in MISSING_RULES:
            raise SpecificationError(
                f"the rule for missing values {self.missing!r} is unknown",
                where=f"attribute {self.name}",
                expected="refused or own-category",
            )

    @property
    def dimension(self) -> int:
        """Number of integer coordinates."""
        return len(self.coordinate_ranges)

    @property
    def takes_missing(self) -> bool:
        """Whether a person without this value can take part."""
        return self.missing == "own-category"

    @property
    @abstractmethod
    def coordinate_ranges(self) -> Ranges:
        """Inclusive bounds of each coordinate."""

    @property
    @abstractmethod
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each coordinate, for tables and pictures."""

    @abstractmethod
    def vector(self, text: str | None) -> Vector:
        """Integer vector of an answer.

        Guarantee: for every text or None, either an :class:`AnswerError` or a vector within
        ``coordinate_ranges`` that depends on nothing but the text and this declaration.
        """

    @abstractmethod
    def text_of(self, vector: Vector) -> str | None:
        """Canonical answer of a vector: the inverse of :meth:`vector`; None is the missing answer.

        Raises
        ------
        AnswerError
            If no answer has this vector.
        """

    @abstractmethod
    def count_within(self, ranges: Ranges) -> int:
        """Number of distinct answers whose vector lies within inclusive bounds."""

    @abstractmethod
    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""

    def canonical(self, text: str | None) -> str | None:
        """The one way in which an answer is written."""
        return self.text_of(self.vector(text))

    def _common_object(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "label": dict(self.label),
            "help": dict(self.help),
            "missing": self.missing,
        }

    def _refuse_missing(self) -> AnswerError:
        return AnswerError(
            "the value is missing",
            where=self.name,
            expected="a value",
            remedy="This survey needs it; people without it cannot be placed in a group.",
        )

    def _no_such_vector(self, vector: Vector) -> AnswerError:
        return AnswerError(f"no answer has the vector {vector}", where=self.name)


def within(value: int, bounds: tuple[int, int]) -> bool:
    """Whether a coordinate lies in an inclusive range."""
    return bounds[0] <= value <= bounds[1]


def middle(low: int, high: int) -> int:
    """Middle of a coordinate's domain, rounded down."""
    return (low + high) // 2
