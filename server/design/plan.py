"""What an organizer decides, apart from the population itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.cells import Cells, UnitCells
from shared.invited import Invited
from shared.model import ReadingRules
from shared.participation import Dependence, ParticipationSource
from shared.period import Period
from shared.pictures import Logo
from shared.questionnaire import Questionnaire
from shared.specification import Organizer, Permissions, ReleaseRule, Specification


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
        parameters=specification.algorithm.parameters,
        questionnaire=specification.questionnaire,
        retention_days=specification.retention_days,
        release=specification.release,
        permissions=specification.permissions,
        invited=specification.invited,
        period=specification.period,
        logo=specification.logo,
        units=unit_plan(specification.cells),
    )
