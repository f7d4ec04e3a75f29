"""[design] of survey.toml: which algorithm makes the cells, and with which parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from server.design.algorithms import ALGORITHMS
from server.design.plan import DistrictPlan, district_plan
from server.design.survey_file.toml_document import Section
from server.wording import quoted
from shared.decimals import parse_decimal
from shared.limits import EXACT_BOUND, MAX_PEOPLE

OTHER_NAMES: Final = {"pcl": "power-diagram"}
"""Names by which papers call an algorithm; a specification uses ours."""
NAMES: Final = (*ALGORITHMS, *OTHER_NAMES)
"""All names that are understood."""
DEFAULTS: Final[dict[str, int | str]] = {"gamma": "0.2", "seed": 0}
LARGEST_GAMMA: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEntry:
    """[design]: ``parameters`` hold every parameter of the algorithm, defaults included."""

    algorithm: str
    parameters: Mapping[str, int | str]
    balls_from_register: bool
    district: DistrictPlan


def read_design(root: Section, model_kind: str, algorithm: str | None = None) -> DesignEntry:
    """Read the section, which may be left out; ``algorithm`` takes the place of the file's.

    Raises
    ------
    SurveyFileError
        For an unknown algorithm, and for a parameter that the algorithm does not take.
    """
    section = root.section("design", ("algorithm", "balls_from_register", "district", *DEFAULTS), {})
    default = "mdav" if model_kind == "public" else "power-diagram"
    declared: str = section.choice("algorithm", NAMES, default)
    chosen = algorithm or declared
    algorithm = OTHER_NAMES.get(chosen, chosen)
    taken = ALGORITHMS[algorithm].parameters
    for name in DEFAULTS:
        if name in section and name not in taken:
            takers = (other for other, row in ALGORITHMS.items() if name in row.parameters)
            raise section.fail(
                name,
                f"the algorithm {quoted(chosen)} takes no {name}",
                expected=f"{name} only with {', '.join(takers)}",
                remedy=f"Remove {name}: nothing is ignored silently.",
            )
    parameters: dict[str, int | str] = {}
    if "gamma" in taken:
        gamma: str = section.decimal("gamma", DEFAULTS["gamma"])
        if not _is_gamma(gamma):
            raise section.fail("gamma", f"{gamma} stands here", expected=f"from 0 to {LARGEST_GAMMA}")
        parameters["gamma"] = gamma
    if "seed" in taken:
        parameters["seed"] = section.integer("seed", 0, EXACT_BOUND - 1, DEFAULTS["seed"])
    return DesignEntry(
        algorithm=algorithm,
        parameters=parameters,
        balls_from_register=section.boolean("balls_from_register", False),
        district=_district(section),
    )


def _district(section: Section) -> DistrictPlan:
    if "district" not in section:
        return DistrictPlan()
    if isinstance(section.value["district"], str):
        return district_plan(section.text("district"))
    return district_plan(section.integer("district", 0, MAX_PEOPLE))


def wrong_parameter(algorithm: str, parameters: Mapping[str, int | str]) -> str:
    """What is wrong with the parameters of a specification, in words; empty if nothing is.

    A specification is no survey.toml: it may have been written by anybody, and must hold exactly the
    parameters that a design writes.
    """
    taken = ALGORITHMS[algorithm].parameters
    if set(parameters) != set(taken):
        return f"{algorithm} takes {', '.join(taken) or 'no parameters'}"
    gamma, seed = parameters.get("gamma", "0"), parameters.get("seed", 0)
    if not isinstance(gamma, str) or not _is_gamma(gamma):
        return f"gamma is a decimal from 0 to {LARGEST_GAMMA}"
    if not isinstance(seed, int) or not 0 <= seed < EXACT_BOUND:
        return f"seed is an integer from 0 to {EXACT_BOUND - 1}"
    return ""


def _is_gamma(text: str) -> bool:
    value = parse_decimal(text)
    return value is not None and 0 <= Fraction(value) <= LARGEST_GAMMA
