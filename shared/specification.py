"""The specification of a survey: what the organizer signs, every device checks and nobody can change.

One function turns bytes into a :class:`Specification`; everything after it works on frozen values.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from shared import strict_json
from shared.attributes import Attribute, parse_attribute
from shared.cell_tables import parse_centroids, parse_eligible, parse_row, require_sums
from shared.cells import Cells, DistrictCells, ReferencedCells, UnitCells, parse_cells
from shared.characters import looks
from shared.declarations import (
    Algorithm,
    ModelReference,
    Organizer,
    Permissions,
    ReleaseRule,
    probability,
)
from shared.election.contests import sizes_of
from shared.election.terms import contest_bytes
from shared.errors import AnswerError, SpecificationError
from shared.fields import Fields, is_language
from shared.geometry import Ranges, Vector
from shared.invited import Invited
from shared.limits import (
    EXACT_BOUND,
    MAX_ATTRIBUTES,
    MAX_COORDINATES,
    MAX_K,
    MAX_LANGUAGES,
    MAX_MESSAGE_BYTES,
    MAX_PEOPLE,
    MAX_SPECIFICATION_BYTES,
)
from shared.participation import Dependence, ParticipationLevel, ParticipationSource, parse_levels
from shared.parts import Parts, no_parts, put_together, references_of, root_of, take_apart
from shared.period import Period
from shared.pictures import Logo
from shared.questionnaire import Questionnaire
from shared.sealing import ELECTION_SUITE, SUITES

PROTOCOL: Final = "roomful/3"
_EARLIER_PROTOCOLS: Final = ("roomful/1", "roomful/2")
STORED: Final = {"open": ("cell", "answers", "receipt"), "invited": ("cell", "sealed", "token")}
"""Codes of what a collector keeps of a submission, by the kind of survey; a specification lists them all."""
MAX_RETENTION_DAYS: Final = 36_500
_RESERVED_NAMES: Final = ("level", "people")
_IN_ONE_PIECE: Final = (
    f"Leave it in one piece (--no-parts): {MAX_SPECIFICATION_BYTES:,} bytes have room for about 70,000 cells."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Specification:
    """Everything a respondent's device needs, and nothing that it must believe unchecked.

    Attributes
    ----------
    levels : tuple of ParticipationLevel, length L
        Published levels of participation.
    dependence : Dependence
        How far people of a cell decide together, at worst.
    n_min, n_min_safe : tuple of int, length L
        Effective anonymity at each level, were everybody at that level.
    message_bytes : int
        The one length of every submission before sealing, :func:`shared.submission.longest_message`.
    eligible : tuple of tuple of int, m x L
        Eligible people of each cell at each level, under the mapping that devices run; of a register a lower
        bound, in which people may count at a lower level than their own.
    centroids : tuple of tuple of str, m x d
        Mean of each coordinate over the people of a cell, with four decimals; of a register a point of the
        map (:mod:`shared.register`).
    row : tuple of int, length m
        The cells side by side: a permutation, along which cells are merged; those of a unit are neighbours.
    invited : Invited or None
        None for an open survey, which everybody may answer.
    period : Period or None
        When answers are taken, if that is declared; else from the organizer's opening to his closing.
    logo : Logo or None
        The organizer's, if there is one.
    parts : tuple of ReferencedCells
        Of a specification in parts (:mod:`shared.parts`) one for each district. Cells whose part is not here
        have empty rows in ``eligible`` and ``centroids``; only devices that answer have such a one.
    """

    languages: tuple[str, ...]
    title: dict[str, str]
    description: dict[str, str]
    organizer: Organizer
    attributes: tuple[Attribute, ...]
    levels: tuple[ParticipationLevel, ...]
    dependence: Dependence
    participation_source: ParticipationSource
    k: int
    acceptable_cell_failure: str
    n_min: tuple[int, ...]
    n_min_safe: tuple[int, ...]
    model: ModelReference
    algorithm: Algorithm
    cells: Cells
    eligible: tuple[tuple[int, ...], ...]
    centroids: tuple[tuple[str, ...], ...]
    questionnaire: Questionnaire
    message_bytes: int
    stored: tuple[str, ...]
    retention_days: int
    release: ReleaseRule
    row: tuple[int, ...]
    permissions: Permissions
    invited: Invited | None
    period: Period | None = None
    logo: Logo | None = None
    parts: tuple[ReferencedCells, ...] = ()

    @property
    def weights(self) -> Vector:
        """Weight of each coordinate in the squared distance."""
        return self.cells.weights

    @property
    def coordinate_ranges(self) -> Ranges:
        """Bounds of all coordinates."""
        return ranges_of(self.attributes)

    @property
    def counts_are_bounds(self) -> bool:
        """Whether the numbers of people are lower bounds: those of a register (:mod:`shared.register`)."""
        return self.model.kind == "register"

    @property
    def smallest_group(self) -> int:
        """Fewest answers of a group that may be released, opened or decrypted."""
        return max(self.release.minimum, self.k)

    @property
    def held(self) -> tuple[int, ...]:
        """Cells whose people are known: all, unless some parts are not here."""
        return tuple(cell for cell, counts in enumerate(self.eligible) if counts)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing that somebody must have to check everything."""
        return all(self.eligible)

    @property
    def people_at_levels(self) -> tuple[int, ...]:
        """Eligible people of all cells together at each level, those of parts that are not here too."""
        rows = [part.people for part in self.parts] or self.eligible
        return tuple(map(sum, zip(*rows, strict=True)))

    def people_in(self, cell: int) -> int:
        """Eligible people of a cell; at least so many where :attr:`counts_are_bounds`."""
        return sum(self.eligible[cell])

    def vector(self, answers: Mapping[str, str | None]) -> Vector:
        """Vector of a person's quasi-identifiers.

        Raises
        ------
        AnswerError
            For an unknown attribute or a value outside its domain.
        """
        known = {attribute.name for attribute in self.attributes}
        for name in answers:
            if name not in known:
                raise AnswerError(
                    "no such quasi-identifier", where=name[:80], expected=", ".join(sorted(known))
                )
        return tuple(c for a in self.attributes for c in a.vector(answers.get(a.name)))

    @classmethod
    def parse(
        cls, payload: bytes, parts: Parts = no_parts, needed: Collection[int] | None = None
    ) -> Specification:
        """Read a specification.

        Parameters
        ----------
        payload : bytes
            In one piece, or the root of one in parts.
        parts : callable, optional
            Contents of a part by its digest, or None.
        needed : collection of int, optional
            Districts whose parts must be here; by default all, as everybody needs them but a device that
            answers.

        Guarantee: for all bytes, either an error that names the field (:class:`SpecificationError`, or
        :class:`QuestionnaireError` for the questionnaire), or a specification whose parts fit together in
        form. Whether it is *sound* is decided by :mod:`shared.soundness`.
        """
        value = strict_json.loads(
            payload, error=SpecificationError, where="specification", max_bytes=MAX_SPECIFICATION_BYTES
        )
        _require_protocol(value)
        references = references_of(value)
        if references:
            value = put_together(value, references, parts, needed)
        return _parse(value, references)

    def to_bytes(self) -> bytes:
        """The payload to sign; the same specification gives the same bytes."""
        return strict_json.dumps(self.to_object())

    def to_object(self) -> dict[str, Any]:
        """As a JSON document: of a specification in parts the root."""
        document = self._in_one_piece()
        if isinstance(self.cells, DistrictCells) and self.parts:
            return root_of(document, self.cells, self.parts)
        return document

    def in_parts(self) -> tuple[Specification, dict[str, bytes]]:
        """The same specification in parts, and their contents by digest.

        Raises
        ------
        SpecificationError
            If it has no districts, or every device needs all of them.
        """
        cells = _separable(self.cells, self.model, self.invited)
        references, parts = take_apart(self._in_one_piece(), cells)
        return replace(self, parts=references), parts

    def _in_one_piece(self) -> dict[str, Any]:
        return {
            "protocol": PROTOCOL,
            "languages": list(self.languages),
            "title": dict(self.title),
            "description": dict(self.description),
            "organizer": self.organizer.to_object(),
            "attributes": [attribute.to_object() for attribute in self.attributes],
            "weights": list(self.weights),
            "participation": {
                "levels": [{"low": level.low, "high": level.high} for level in self.levels],
                "correlation": self.dependence.correlation,
                "household_size": self.dependence.household_size,
                "source": self.participation_source.to_object(),
            },
            "anonymity": {
                "k": self.k,
                "acceptable_cell_failure": self.acceptable_cell_failure,
                "n_min": list(self.n_min),
                "n_min_safe": list(self.n_min_safe),
            },
            "model": self.model.to_object(),
            "algorithm": self.algorithm.to_object(),
            "cells": self.cells.to_object(),
            "eligible": [list(counts) for counts in self.eligible],
            "centroids": [list(centroid) for centroid in self.centroids],
            "questionnaire": self.questionnaire.to_object(),
            "message_bytes": self.message_bytes,
            "stored": list(self.stored),
            "retention_days": self.retention_days,
            "release": self.release.to_object() | {"row": list(self.row)},
            "permissions": self.permissions.to_object(),
            "invited": None if self.invited is None else self.invited.to_object(),
            **({} if self.period is None else {"period": self.period.to_object()}),
            **({} if self.logo is None else {"logo": self.logo.to_object()}),
        }


_KEYS: Final = (
    "protocol",
    "languages",
    "title",
    "description",
    "organizer",
    "attributes",
    "weights",
    "participation",
    "anonymity",
    "model",
    "algorithm",
    "cells",
    "eligible",
    "centroids",
    "questionnaire",
    "message_bytes",
    "stored",
    "retention_days",
    "release",
    "permissions",
    "invited",
)


_DECLARED: Final = ("period", "logo")
"""Fields that stand there only if the organizer declares something by them."""


def ranges_of(attributes: Sequence[Attribute]) -> Ranges:
    """Bounds of all coordinates of several attributes."""
    return tuple(bounds for attribute in attributes for bounds in attribute.coordinate_ranges)


def _sub(fields: Fields, name: str, keys: Sequence[str]) -> Fields:
    return Fields(fields.raw(name), fields.where(name), keys, error=SpecificationError)


def _require_protocol(value: Any) -> None:
    """Tell a document of an earlier protocol by its name, before its other fields look wrong."""
    protocol = value.get("protocol") if isinstance(value, dict) else None
    if protocol in _EARLIER_PROTOCOLS:
        raise SpecificationError(
            f"this survey was signed under {protocol}, an earlier version of the protocol",
            where="protocol",
            expected=PROTOCOL,
            remedy="Design and sign it again with this version of Roomful; a survey that is open already is "
            "finished with the version that opened it.",
        )


def _parse(value: Any, parts: tuple[ReferencedCells, ...]) -> Specification:
    fields = Fields(value, "", _KEYS, error=SpecificationError, optional=_DECLARED)
    fields.choice("protocol", (PROTOCOL,))
    languages = _parse_languages(fields)
    attributes = _parse_attributes(fields, languages)
    ranges = ranges_of(attributes)
    weights = _parse_weights(fields, len(ranges))
    participation = _sub(fields, "participation", ("levels", "correlation", "household_size", "source"))
    source = ParticipationSource.parse(participation.raw("source"), participation.where("source"), languages)
    _check_source(source, attributes, participation)
    levels = parse_levels(participation.raw("levels"), participation.where("levels"))
    dependence = Dependence.parse(participation)
    dependence.check(levels)
    anonymity = _sub(fields, "anonymity", ("k", "acceptable_cell_failure", "n_min", "n_min_safe"))
    k = anonymity.integer("k", 2, MAX_K)
    cells = parse_cells(fields.raw("cells"), "cells", weights, ranges, attributes)
    model = ModelReference.parse(fields.raw("model"), "model")
    invited = _parse_invited(fields, model)
    questionnaire = Questionnaire.parse(fields.raw("questionnaire"), languages)
    release = _sub(fields, "release", ("rule", "minimum", "distinct_values", "t_closeness", "row"))
    rule = ReleaseRule.parse(release, k)
    if invited is not None and invited.election is not None:
        _require_election(release, rule, invited, questionnaire)
    _require_token_keys(invited, cells.count)
    eligible = parse_eligible(fields, cells, len(levels))
    total = sum(map(sum, eligible))
    if total != model.people and model.kind == "public":  # of a register all are lower bounds
        raise fields.fail("eligible", f"{total} people are in the cells", f"{model.people}, as in the model")
    if parts:
        require_sums(parts, _separable(cells, model, invited), eligible, len(levels))
    if isinstance(cells, UnitCells) and not rule.by_counts_alone:
        raise release.fail(
            "rule",
            "whole units are joined by their numbers of answers alone",
            "merge, one distinct value, no closeness",
        )
    return Specification(
        languages=languages,
        title=fields.localized("title", languages),
        description=fields.localized("description", languages, empty=True),
        organizer=Organizer.parse(fields.raw("organizer"), "organizer"),
        attributes=attributes,
        levels=levels,
        dependence=dependence,
        participation_source=source,
        k=k,
        acceptable_cell_failure=probability(anonymity, "acceptable_cell_failure"),
        n_min=_per_level(anonymity, "n_min", len(levels)),
        n_min_safe=_per_level(anonymity, "n_min_safe", len(levels)),
        model=model,
        algorithm=Algorithm.parse(fields.raw("algorithm"), "algorithm"),
        cells=cells,
        eligible=eligible,
        centroids=parse_centroids(fields, cells, len(ranges)),
        questionnaire=questionnaire,
        message_bytes=fields.integer("message_bytes", 1, MAX_MESSAGE_BYTES),
        stored=_parse_stored(fields, STORED["invited" if invited else "open"]),
        retention_days=fields.integer("retention_days", 1, MAX_RETENTION_DAYS),
        release=rule,
        row=parse_row(release, cells),
        permissions=Permissions.parse(fields.raw("permissions"), "permissions"),
        invited=invited,
        period=Period.parse(fields.raw("period")) if "period" in fields else None,
        logo=Logo.parse(fields.raw("logo"), languages) if "logo" in fields else None,
        parts=parts,
    )


def _separable(cells: Cells, model: ModelReference, invited: Invited | None) -> DistrictCells:
    """The districts of a specification that can be in parts; refused if devices need all of them."""
    if not isinstance(cells, DistrictCells):
        raise SpecificationError(
            "only districts can be in parts",
            where="cells.shape",
            expected=DistrictCells.shape,
            remedy="Design it in districts (--district), or in one piece (--no-parts).",
        )
    require_partial(model.kind, is_invited=invited is not None)
    return cells


def require_partial(model_kind: str, *, is_invited: bool) -> None:
    """Refuse parts for a survey of which every device needs everything, known before it is designed.

    Raises
    ------
    SpecificationError
        For a public model, and for invited people.
    """
    if model_kind == "public":
        raise SpecificationError(
            "every device counts all cells of a public model again, so it needs all parts",
            where="model.kind",
            expected="register, or a specification in one piece",
            remedy=_IN_ONE_PIECE,
        )
    if is_invited:
        raise SpecificationError(
            "a part that is fetched beside a code would tell in which district its owner is",
            where="invited",
            expected="an open survey, or a specification in one piece",
            remedy=_IN_ONE_PIECE,
        )


def _parse_languages(fields: Fields) -> tuple[str, ...]:
    languages = fields.texts("languages", MAX_LANGUAGES)
    if not languages or not all(map(is_language, languages)):
        raise fields.fail("languages", "no language, or not a language tag", "BCP 47 tags such as en, de-AT")
    return languages


def _parse_attributes(fields: Fields, languages: tuple[str, ...]) -> tuple[Attribute, ...]:
    attributes = tuple(
        parse_attribute(item, f"attributes[{i}]", languages)
        for i, item in enumerate(fields.items("attributes", MAX_ATTRIBUTES, minimum=1))
    )
    names = [attribute.name for attribute in attributes]
    if len(set(map(looks, names))) != len(names) or any(name in _RESERVED_NAMES for name in names):
        raise fields.fail(
            "attributes", "a name stands twice or is reserved", "distinct names other than level and people"
        )
    return attributes


def _parse_weights(fields: Fields, dimension: int) -> Vector:
    if dimension > MAX_COORDINATES:
        raise fields.fail("attributes", f"{dimension} coordinates are too many", f"at most {MAX_COORDINATES}")
    weights = fields.integers("weights", 0, EXACT_BOUND)
    if len(weights) != dimension:
        raise fields.fail("weights", f"{len(weights)} weights stand here", f"{dimension}, one per coordinate")
    return weights


def _check_source(
    source: ParticipationSource, attributes: tuple[Attribute, ...], participation: Fields
) -> None:
    """Refuse rates by an attribute that does not exist, or of the wrong kind for it."""
    if source.kind != "rates":
        return
    attribute = next((a for a in attributes if a.name == source.attribute), None)
    if attribute is None or not source.rates:
        raise participation.fail("source", "no such attribute, or no rates", "rates by a declared attribute")
    if any((rate.upto is not None) != attribute.is_number for rate in source.rates):
        raise participation.fail(
            "source", "the rates do not suit the attribute", "'upto' for a number, 'value' for a category"
        )


def _per_level(fields: Fields, name: str, n_levels: int) -> tuple[int, ...]:
    values = fields.integers(name, 2, MAX_PEOPLE)
    if len(values) != n_levels:
        raise fields.fail(name, f"{len(values)} numbers stand here", f"{n_levels}, one per level")
    return values


def _parse_stored(fields: Fields, allowed: tuple[str, ...]) -> tuple[str, ...]:
    stored = fields.texts("stored", len(allowed))
    if stored != allowed:
        raise SpecificationError(
            "the list of what is stored is not what a collector stores",
            where="stored",
            expected="exactly " + ", ".join(allowed),
            code="specification.stored",
        )
    return stored


def _parse_invited(fields: Fields, model: ModelReference) -> Invited | None:
    if fields.raw("invited") is None:
        return None
    invited = Invited.parse(fields.raw("invited"), "invited")
    # Of a register the people of the model are only a lower bound.
    if model.kind == "public" and invited.people > model.people:
        raise fields.fail(
            "invited", f"{invited.people} are invited", f"at most {model.people}, the people of the model"
        )
    return invited


def _require_election(
    release: Fields, rule: ReleaseRule, invited: Invited, questionnaire: Questionnaire
) -> None:
    """Refuse an election whose votes could not be added, or whose groups would depend on votes."""
    if not rule.by_counts_alone:
        raise release.fail(
            "rule",
            "in an election boxes are joined by their numbers of ballots alone",
            "merge, one distinct value, no closeness: nobody may see votes before groups are fixed",
        )
    if invited.suite is not SUITES[ELECTION_SUITE]:
        raise SpecificationError(
            "ballots of an election travel in another suite",
            where="invited.suite",
            expected=f"{ELECTION_SUITE}, as recorded traffic ties addresses to ballots",
            code="specification.election",
        )
    if sum(map(contest_bytes, sizes_of(questionnaire))) > MAX_MESSAGE_BYTES:
        raise SpecificationError(
            "the ballots would be too long",
            where="questionnaire",
            expected=f"at most {MAX_MESSAGE_BYTES} bytes: 288 for each choice and 128 for each contest",
            code="specification.election",
        )


def _require_token_keys(invited: Invited | None, n_cells: int) -> None:
    """One key for a survey, and one for each box of an election: a token then counts in its box only."""
    if invited is None:
        return
    expected = 1 if invited.election is None else n_cells
    if len(invited.token_keys) != expected:
        raise SpecificationError(
            f"{len(invited.token_keys)} keys for tokens stand here",
            where="invited.token_keys",
            expected="one" if invited.election is None else f"{expected}, one for each box",
        )
