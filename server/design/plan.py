"""What an organizer decides, apart from the population itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.cells import Cells, UnitCells
from shared.declarations import Organizer, Permissions, ReleaseRule
from shared.errors import DesignError
from shared.invited import Invited
from shared.limits import MAX_CELLS, MAX_PEOPLE
from shared.model import ReadingRules
from shared.participation import Dependence, ParticipationSource
from shared.period import Period
from shared.pictures import Logo
from shared.questionnaire import Questionnaire
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan:
    """Units of law, within each of which cells are designed.

    Attributes
    ----------
    attribute : str
        Whose answers make them.
    values : tuple of tuple of str
        The answers of each unit.
    """

    attribute: str
    values: tuple[tuple[str, ...], ...]


LARGEST_UNCUT: Final = 1_000_000
"""People who are designed together unless districts are asked for."""
DISTRICT: Final = 500_000
"""Most people of a district of a larger population."""
FEWEST_CELLS: Final = 20
"""Cells that a district of the size that is asked for could hold: in fewer, most lie at a cut."""
SIZE, BY = "district", "district_attribute"
"""Names of what a specification says about its districts, beside the parameters of the algorithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistrictPlan:
    """Into which districts a population is cut before cells are designed.

    Attributes
    ----------
    most : int or None
        Most people of a district; 0: it is not cut for its size; None: if it is large.
    attribute : str or None
        Between whose answers it is cut first.
    """

    most: int | None = None
    attribute: str | None = None

    @property
    def text(self) -> str:
        """As :func:`district_plan` reads it; empty if it says nothing."""
        return self.attribute or ("" if self.most is None else str(self.most))

    def most_of(self, people: int, need: int) -> int:
        """Most people of a district, or 0; `need` is how many a cell has at least.

        Raises
        ------
        DesignError
            If so small districts are asked for that most cells would lie at a cut.
        """
        if self.most is None:
            cells = MAX_CELLS * need
            return 0 if people <= min(LARGEST_UNCUT, cells) else min(DISTRICT, cells)
        if 0 < self.most < FEWEST_CELLS * need:
            raise DesignError(
                f"in districts of {self.most} people most cells of {need} would lie at a cut",
                where="--district",
                expected=f"at least {FEWEST_CELLS * need} people, or 0 not to cut the population",
            )
        return self.most

    def parameters(self, people: int, need: int) -> dict[str, int | str]:
        """What a specification says of it, so that an auditor can cut again."""
        found: dict[str, int | str] = {SIZE: self.most_of(people, need)}
        return found if self.attribute is None else found | {BY: self.attribute}

    @classmethod
    def of_parameters(cls, parameters: Mapping[str, int | str]) -> DistrictPlan:
        """What a specification says of it; nothing is cut if it says nothing.

        Raises
        ------
        DesignError
            If it is no number of people, or no text.
        """
        most, attribute = parameters.get(SIZE, 0), parameters.get(BY)
        if not isinstance(most, int) or not 0 <= most <= MAX_PEOPLE or isinstance(attribute, int):
            raise DesignError(
                "the districts are no number of people, or by no attribute",
                where="algorithm.parameters",
                expected=f"{SIZE}: 0 to {MAX_PEOPLE}; {BY}: a name",
            )
        return cls(most=most, attribute=attribute)


def district_plan(value: str | int) -> DistrictPlan:
    """What ``--district`` and ``district`` of [design] say: how many people, or the name of an attribute."""
    text = str(value)
    return DistrictPlan(most=int(text)) if text.isdecimal() else DistrictPlan(attribute=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything from which, with a population, a specification follows."""

    languages: tuple[str, ...]
    title: dict[str, str]
    description: dict[str, str]
    organizer: Organizer
    model_kind: str
    reading: ReadingRules
    participation_source: ParticipationSource
    dependence: Dependence
    k: int
    acceptable_cell_failure: str
    algorithm: str
    parameters: Mapping[str, int | str]
    questionnaire: Questionnaire
    retention_days: int
    release: ReleaseRule
    permissions: Permissions
    invited: Invited | None
    period: Period | None = None
    logo: Logo | None = None
    units: UnitPlan | None = None
    district: DistrictPlan = DistrictPlan()


def unit_plan(cells: Cells) -> UnitPlan | None:
    """The units of some cells, if they have units."""
    if not isinstance(cells, UnitCells):
        return None
    return UnitPlan(attribute=cells.attribute, values=tuple(unit.values for unit in cells.units))


def plan_from(specification: Specification) -> Plan:
    """The plan behind a specification, to be carried out again."""
    return Plan(
        languages=specification.languages,
        title=specification.title,
        description=specification.description,
        organizer=specification.organizer,
        model_kind=specification.model.kind,
        reading=specification.model.reading,
        participation_source=specification.participation_source,
        dependence=specification.dependence,
        k=specification.k,
        acceptable_cell_failure=specification.acceptable_cell_failure,
        algorithm=specification.algorithm.name,
        parameters={
            name: value
            for name, value in specification.algorithm.parameters.items()
            if name not in (SIZE, BY)
        },
        questionnaire=specification.questionnaire,
        retention_days=specification.retention_days,
        release=specification.release,
        permissions=specification.permissions,
        invited=specification.invited,
        period=specification.period,
        logo=specification.logo,
        units=unit_plan(specification.cells),
        district=DistrictPlan.of_parameters(specification.algorithm.parameters),
    )
