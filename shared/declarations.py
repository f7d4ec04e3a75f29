"""What an organizer declares in a specification, an object of the document each: read and written here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from shared.decimals import parse_probability
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import MAX_K, MAX_PEOPLE
from shared.model import ReadingRules

MODEL_KINDS: Final = ("public", "register")
RELEASE_RULES: Final = ("withhold", "merge")


def probability(fields: Fields, name: str) -> str:
    """A probability as the decimal that it is written as; SpecificationError if it is none."""
    text = fields.text(name, maximum=64)
    if parse_probability(text) is None:
        raise fields.fail(name, f"{text!r} is no probability", "a decimal in (0, 1], such as 0.5 or 1e-6")
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Organizer:
    """Who answers for the survey."""

    name: str
    contact: str

    @classmethod
    def parse(cls, value: Any, where: str) -> Self:
        """Read the object ``organizer``; SpecificationError if it has not its form."""
        fields = Fields(value, where, ("name", "contact"), error=SpecificationError)
        return cls(name=fields.text("name"), contact=fields.text("contact"))

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return {"name": self.name, "contact": self.contact}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReference:
    """The population model that the cells were designed from.

    Attributes
    ----------
    digest : str
        Of a public model the digest of its canonical text, of a register a commitment to it
        (:func:`shared.model.model_digest`).
    people : int
        Of a register a lower bound.
    """

    kind: str
    digest: str
    people: int
    reading: ReadingRules

    @classmethod
    def parse(cls, value: Any, where: str) -> Self:
        """Read the object ``model``; SpecificationError if it has not its form."""
        fields = Fields(value, where, ("kind", "digest", "people", "reading"), error=SpecificationError)
        return cls(
            kind=fields.choice("kind", MODEL_KINDS),
            digest=fields.digest("digest"),
            people=fields.integer("people", 1, MAX_PEOPLE),
            reading=ReadingRules.parse(fields.raw("reading"), fields.where("reading")),
        )

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        counted = {"kind": self.kind, "digest": self.digest, "people": self.people}
        return counted | {"reading": self.reading.to_object()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """The microaggregation that an auditor runs again."""

    name: str
    parameters: Mapping[str, int | str]

    @classmethod
    def parse(cls, value: Any, where: str) -> Self:
        """Read the object ``algorithm``; SpecificationError if it has not its form."""
        fields = Fields(value, where, ("name", "parameters"), error=SpecificationError)
        name, given = fields.name("name"), fields.raw("parameters")
        if not isinstance(given, dict) or not all(type(v) in (int, str) for v in given.values()):
            raise fields.fail("parameters", "not a table of numbers and texts", "integers and texts by name")
        return cls(name=name, parameters=given)

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return {"name": self.name, "parameters": dict(self.parameters)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRule:
    """What may be released, fixed before anybody answers.

    Attributes
    ----------
    rule : str
        ``merge`` cells below the minimum with their neighbours in the signed row, or ``withhold`` them.
    minimum : int
        Fewest answers of a released group; at least k.
    distinct_values : int
        Fewest distinct values of each confidential attribute in a group (distinct l-diversity,
        p-sensitivity); 1 asks for nothing.
    t_closeness : str or None
        Largest distance between a group's answers and everybody's, per confidential attribute.
    """

    rule: str
    minimum: int
    distinct_values: int
    t_closeness: str | None

    @classmethod
    def parse(cls, fields: Fields, k: int) -> Self:
        """Read the object ``release``, in which the row stands too; SpecificationError if it is malformed."""
        closeness = None if fields.raw("t_closeness") is None else probability(fields, "t_closeness")
        return cls(
            rule=fields.choice("rule", RELEASE_RULES),
            minimum=fields.integer("minimum", k, MAX_PEOPLE),
            distinct_values=fields.integer("distinct_values", 1, MAX_K),
            t_closeness=closeness,
        )

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification, without the row."""
        return {
            "rule": self.rule,
            "minimum": self.minimum,
            "distinct_values": self.distinct_values,
            "t_closeness": self.t_closeness,
        }

    @property
    def by_counts_alone(self) -> bool:
        """Whether groups depend on nothing but numbers of answers."""
        return (self.rule, self.distinct_values, self.t_closeness) == ("merge", 1, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Departures from the cautious defaults, signed so that every respondent sees them."""

    free_text: bool
    balls_from_register: bool

    @classmethod
    def parse(cls, value: Any, where: str) -> Self:
        """Read the object ``permissions``; SpecificationError if it has not its form."""
        names = ("free_text", "balls_from_register")
        fields = Fields(value, where, names, error=SpecificationError)
        return cls(**{name: fields.boolean(name) for name in names})

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return {"free_text": self.free_text, "balls_from_register": self.balls_from_register}
