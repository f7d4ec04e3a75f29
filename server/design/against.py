"""A new design beside earlier surveys of the same people: how few share their cells in all of them.

Each survey keeps its own promise, and who is in which cell of which survey is public. Whoever can tell that
rows of two released tables are the same people's (by common questions, or by what she knows of one) narrows a
group down to the people who share both cells. Earlier cells, used again, cannot be narrowed down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from server.design.mapping import assign_many
from server.design.population.model import Model
from server.files import read_file
from server.keys.parts_folder import parts_in
from server.keys.signing import envelope_at, verify_envelope
from shared.attributes import Attribute
from shared.envelope import Envelope
from shared.errors import AnswerError, DesignError, InputError
from shared.limits import MAX_ENVELOPE_BYTES
from shared.specification import Specification
from shared.words import digest_words

REUSED: Final = "reused"
"""Name of the algorithm of a specification with another one's cells; its parameter is that one's digest."""
ReadTogether = Callable[[tuple[Attribute, ...]], Model]
"""Reads the population once more, with further attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier survey, its signatures verified.

    Attributes
    ----------
    where : str
        As it was named.
    """

    where: str
    digest: str
    specification: Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class Intersection:
    """How the people of a model are divided by the new cells and those of earlier surveys together.

    Attributes
    ----------
    surveys : tuple of Earlier
        One, or all of them.
    people, alone, below_k : int
        People in all; those who share all their cells with nobody, and with fewer than k - 1 others.
    smallest : int
        People of the smallest intersection.
    nested : bool
        Whether no intersection is smaller than a cell of one of the surveys.
    """

    surveys: tuple[Earlier, ...]
    people: int
    alone: int
    below_k: int
    smallest: int
    nested: bool

    def figures(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "surveys": [survey.digest for survey in self.surveys],
            "alone": self.alone,
            "alone_share": round(self.alone / self.people, 6),
            "below_k": self.below_k,
            "below_k_share": round(self.below_k / self.people, 6),
            "smallest": self.smallest,
            "nested": self.nested,
        }

    def words(self, k: int) -> str:
        """A sentence for organizers."""
        names = " and ".join(digest_words(survey.digest).split("-")[0] for survey in self.surveys)
        if self.nested:
            return f"Together with {names}: nobody is in a smaller group than in one of the surveys."
        return (
            f"Together with {names}, {self.alone} of {self.people} people ({self.alone / self.people:.1%}) "
            f"are alone in the cells that they share, and {self.below_k} ({self.below_k / self.people:.1%}) "
            f"are fewer than k = {k}; the fewest are {self.smallest}. Who recognizes the same people in the "
            "released tables, by common questions for example, can tell them apart."
        )


def read_earlier(path: Path) -> Earlier:
    """Read an earlier survey: its folder, or its signed file.

    Raises
    ------
    InputError, EnvelopeError, SignatureError, SpecificationError
        If it cannot be read, or a signature does not verify.
    """
    signed = envelope_at(path)
    envelope = Envelope.parse(read_file(signed, "an earlier signed survey", MAX_ENVELOPE_BYTES))
    verified = verify_envelope(envelope, None)
    specification = Specification.parse(verified.payload, parts_in(signed.parent))
    return Earlier(where=str(path), digest=verified.digest, specification=specification)


def intersections(
    specification: Specification, model: Model, earlier: Sequence[Earlier], read_together: ReadTogether
) -> tuple[Intersection, ...]:
    """Count the people who share their cells in the new and in earlier surveys.

    Parameters
    ----------
    specification : Specification
        The new design.
    model : Model
        Its population.
    earlier : sequence of Earlier
    read_together : callable
        Reads the same population with further attributes, of which an earlier survey made its cells.

    Returns
    -------
    tuple of Intersection
        With each earlier survey, and if there are several, with all of them together.

    Raises
    ------
    DesignError
        If the attributes of an earlier survey cannot be compared with this population: a column is missing,
        or a value of the new attribute lies outside the domain of the earlier one of the same name.

    Notes
    -----
    The earlier population may have been another; counted are the people of this one. Time as a mapping of all
    distinct tuples for each survey.
    """
    known = {attribute.name for attribute in model.attributes}
    further: dict[str, Attribute] = {}
    for survey in earlier:
        for attribute in survey.specification.attributes:
            if attribute.name not in known:
                further.setdefault(attribute.name, attribute)
    together = model
    if further:
        try:
            together = read_together((*model.attributes, *further.values()))
        except InputError as problem:
            raise DesignError(
                f"quasi-identifiers of an earlier survey are not known of everybody: {problem.message}",
                where=problem.where,
                expected=f"a population file with {', '.join(further)} for everybody",
                remedy="Add the columns to the file, or leave that survey out and compare by other means.",
            ) from None
    people = together.people.sum(axis=1)
    dimension = sum(attribute.dimension for attribute in specification.attributes)
    labels = [assign_many(specification.cells, together.X[:, :dimension])]
    labels += [assign_many(survey.specification.cells, _as_earlier(survey, together)) for survey in earlier]
    found = [
        _intersection([labels[0], labels[i]], people, (survey,), specification.k)
        for i, survey in enumerate(earlier, 1)
    ]
    if len(earlier) > 1:
        found.append(_intersection(labels, people, tuple(earlier), specification.k))
    return tuple(found)


def _intersection(
    labels: Sequence[NDArray[np.int64]], people: NDArray[np.int64], surveys: tuple[Earlier, ...], k: int
) -> Intersection:
    together = _sizes(np.stack(labels, axis=1), people)
    alone = np.min([_sizes(own[:, None], people) for own in labels], axis=0)
    return Intersection(
        surveys=surveys,
        people=int(people.sum()),
        alone=int(people[together == 1].sum()),
        below_k=int(people[together < k].sum()),
        smallest=int(together.min()),
        nested=bool((together >= alone).all()),
    )


def _sizes(labels: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each tuple, how many people have its labels."""
    _, inverse = np.unique(labels, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    sums = np.zeros(int(inverse.max()) + 1, dtype=np.int64)
    np.add.at(sums, inverse, people)
    return sums[inverse]


def _as_earlier(survey: Earlier, together: Model) -> NDArray[np.int64]:
    """Tuples of the population as the earlier survey's attributes have them, by what people would answer."""
    columns, start = {}, 0
    for attribute in together.attributes:
        columns[attribute.name] = (attribute, together.X[:, start : start + attribute.dimension])
        start += attribute.dimension
    parts = []
    for attribute in survey.specification.attributes:
        own, vectors = columns[attribute.name]
        distinct, inverse = np.unique(vectors, axis=0, return_inverse=True)
        try:
            mapped = [attribute.vector(own.text_of(tuple(vector))) for vector in distinct.tolist()]
        except AnswerError as problem:
            raise DesignError(
                f"the attribute {attribute.name!r} is not that of an earlier survey: {problem.message}",
                where=survey.where,
                expected=f"values that the earlier {attribute.name} has too ({problem.expected})",
                remedy="Declare the attribute as it was then, or leave that survey out.",
            ) from None
        parts.append(np.array(mapped, dtype=np.int64)[inverse.reshape(-1)])
    return np.concatenate(parts, axis=1)


def reusable(earlier: Sequence[Earlier], attributes: Sequence[Attribute]) -> Earlier:
    """The first earlier survey whose cells can be used again.

    Raises
    ------
    DesignError
        If none has the same attributes; labels and help may differ.
    """
    wanted = [_declared(attribute) for attribute in attributes]
    for survey in earlier:
        if [_declared(attribute) for attribute in survey.specification.attributes] == wanted:
            return survey
    raise DesignError(
        "no earlier survey has the same quasi-identifiers, so its cells cannot be used again",
        where="--reuse-cells",
        expected="the same attributes in the same order; labels and help may differ",
        remedy="Declare the attributes as they were then, or leave out --reuse-cells.",
    )


def _declared(attribute: Attribute) -> dict[str, Any]:
    """What decides about vectors: everything but what people read."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(part) for name, part in value.items() if name not in ("label", "help")}
        return [without(part) for part in value] if isinstance(value, list) else value

    declared: dict[str, Any] = without(attribute.to_object())
    return declared
