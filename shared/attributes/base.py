"""What every quasi-identifier brings: a text answer becomes a fixed-length vector of integers, and back.

A kind of attribute is one class. Whatever a page, a table or a picture must know of it is an abstract method
here, so that a type checker names what a new kind lacks, and no code outside asks which kind it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Self, TypeVar

from shared.attributes.categories import Category
from shared.attributes.shown import GROUP, SHARE_DIGITS, Column, Described, PictureAxis, share_column
from shared.decimals import round_decimal
from shared.errors import AnswerError, SpecificationError
from shared.fields import Fields
from shared.geometry import Ranges, Vector

Coordinate = TypeVar("Coordinate", float, Fraction)

MISSING_RULES: Final = ("refused", "own-category")


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
    """The word for it in a specification and in ``survey.toml``."""
    is_number: ClassVar[bool] = False
    """Whether answers are decimals, read as such from files, with rates "up to" a number."""
    one_hot: ClassVar[bool] = False
    """Whether the coordinates are 0 or 1, one for each category and for a missing value."""

    declared: ClassVar[tuple[str, ...]] = ()
    """Fields that stand in a specification only if the organizer declares something by them."""

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
    def marks_missing(self) -> bool:
        """Whether the last coordinate marks a missing value."""
        return self.takes_missing and not self.one_hot

    @classmethod
    @abstractmethod
    def parse(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        """Read the fields of its own from a specification; ``common`` are the others, already read.

        Raises
        ------
        SpecificationError
            With the path of the field that is wrong.
        """

    @property
    @abstractmethod
    def coordinate_ranges(self) -> Ranges:
        """Inclusive bounds of each coordinate."""

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

    @property
    @abstractmethod
    def counting_steps(self) -> int:
        """How long :meth:`count_within` takes, in comparisons of two coordinates."""

    @abstractmethod
    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""

    @property
    @abstractmethod
    def labelled(self) -> tuple[Category, ...]:
        """The answers that have a label, in their order; none of numbers."""

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers that the declaration lists, in their order; none of numbers."""
        return tuple(category.value for category in self.labelled)

    @property
    def open_range(self) -> tuple[str, str] | None:
        """Smallest and largest number, where an end takes in what lies beyond it; None for all others."""
        return None

    @abstractmethod
    def form_field(self) -> dict[str, Any]:
        """What the respondent's page needs to ask for it.

        Under ``form`` stands how: ``number`` (with bounds and rounding), ``choice`` (one of the categories)
        or ``entry`` (a text of a long list).
        """

    @property
    @abstractmethod
    def picture_axes(self) -> tuple[PictureAxis, ...]:
        """The axes over which pictures show it."""

    @abstractmethod
    def columns(self, language: str) -> tuple[Column, ...]:
        """Columns of a release that describe the mean of a group, see :meth:`column_values`."""

    @abstractmethod
    def column_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:
        """Values of :meth:`columns` for a mean vector; empty texts where nobody has a value.

        Parameters
        ----------
        mean : sequence of Fraction, length ``dimension``
            Mean of the coordinates over some people.
        """

    @abstractmethod
    def describe(self, mean: Sequence[Fraction]) -> Described:
        """A mean as a person would say it; parameters as :meth:`column_values`."""

    def share_columns(self, language: str) -> tuple[Column, ...]:  # noqa: ARG002 - of kinds without shares
        """Columns with the share of each category, for kinds whose mean consists of such shares."""
        return ()

    def share_values(self, mean: Sequence[Fraction]) -> tuple[str, ...]:  # noqa: ARG002 - of kinds without
        """Values of :meth:`share_columns`; parameters as :meth:`column_values`."""
        return ()

    def position(self, axis: PictureAxis, point: Sequence[Coordinate]) -> Coordinate:
        """Where a vector or a mean lies on one of :attr:`picture_axes`."""
        return point[axis.coordinate]

    def moved(self, axis: PictureAxis, vector: Vector, place: int) -> Vector:
        """The vector of a person who has a value, and differs only by her place on an axis."""
        result = list(vector)
        result[axis.coordinate] = place
        if self.marks_missing:
            result[-1] = 0
        return tuple(result)

    def middle_of(self, box: Ranges) -> tuple[Fraction, ...]:
        """Middle of inclusive bounds of the coordinates."""
        middles = [Fraction(low + high, 2) for low, high in box]
        if self.marks_missing:
            middles[-1] = Fraction(box[-1][0])
        return tuple(middles)

    def present(self, mean: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
        """Mean of those who have a value, without the mark; None if nobody has one.

        A missing value lies at one place (see the notes of the class), so the mean of the others is
        (mean - share * place) / (1 - share), kept within the domain against the rounding of published
        centroids.
        """
        place = self.vector(None)[:-1] if self.marks_missing else (0,) * self.dimension
        share = mean[-1] if self.marks_missing else Fraction(0)
        if share >= 1:
            return None
        return tuple(
            max(Fraction(low), min(Fraction(high), (value - share * nowhere) / (1 - share)))
            for value, nowhere, (low, high) in zip(mean, place, self.coordinate_ranges, strict=False)
        )

    def _missing_columns(self, language: str) -> tuple[Column, ...]:
        if not self.marks_missing:
            return ()
        title = f"{self.label[language]}: missing"
        return (share_column(f"{self.name}_missing", title, f"Share without a value among {GROUP[3:]}."),)

    def _missing_values(self, mean: Sequence[Fraction], digits: int = SHARE_DIGITS) -> tuple[str, ...]:
        return (round_decimal(mean[-1], digits),) if self.marks_missing else ()

    def _described(self, value: str | None, mean: Sequence[Fraction]) -> Described:
        missing = next(iter(self._missing_values(mean, 2)), None)
        return Described(value=value, missing_share=missing)

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
