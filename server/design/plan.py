"""What an organizer decides, apart from the population itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.invited import Invited
from shared.model import ReadingRules
from shared.participation import Dependence, ParticipationSource
from shared.period import Period
from shared.pictures import Logo
from shared.questionnaire import Questionnaire
from shared.specification import Organizer, Permissions, ReleaseRule, Specification


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
    )
