"""The figures of a verified election, as terminals and pages show them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from shared.election.contests import choices_of
from shared.election.result import Result
from shared.election.unanimity import unanimous
from shared.specification import Specification
from shared.units import names_of_units, units_joined, units_of
from shared.verification.examining import Examined
from shared.words import digest_words


def figures(examined: Examined, ballots: Sequence[int], result: Result) -> dict[str, Any]:
    """Those of :func:`examined_figures`, votes of each choice, and groups in which everybody chose the same.

    Parameters
    ----------
    examined : Examined
    ballots : sequence of int
        Counted ballots of each group.
    result : Result
    """
    specification = examined.survey.specification
    told = examined_figures(examined, ballots)
    return told | {
        "totals": totals(specification, result),
        "unanimous": unanimous_groups(specification, result),
    }


def examined_figures(examined: Examined, ballots: Sequence[int]) -> dict[str, Any]:
    """What is known of an election before its result."""
    return {
        "survey_words": digest_words(examined.survey.digest),
        "root_words": digest_words(examined.stated.root),
        "ballots": len(examined.receipts),
        "counted": sum(ballots),
        "groups": len(ballots),
        "smallest_group": min(filter(None, ballots), default=0),
        "admitted": examined.admitted,
        **_relay_signs(examined),
        **_joined_units(examined),
        "refused": [{"receipt": receipt, "code": error.code} for receipt, error in examined.refused],
    }


def _relay_signs(examined: Examined) -> dict[str, Any]:
    """That a relay may have lost what was admitted; nothing where only the collector can have."""
    relay = examined.survey.invited.relay
    return {} if relay is None or relay.key is None else {"relay_signs": True}


def totals(specification: Specification, result: Result) -> dict[str, dict[str, int]]:
    """Votes of each choice of each contest, in all groups together."""
    found = {}
    for place, (contest, choices) in enumerate(_names(specification)):
        columns = zip(*(group.votes[place] for group in result.groups), strict=True)
        found[contest] = dict(zip(choices, map(sum, columns), strict=True))
    return found


def unanimous_groups(specification: Specification, result: Result) -> list[dict[str, Any]]:
    """Groups in which everybody chose the same, from 1: there everybody's vote is known."""
    names = list(_names(specification))
    return [
        {"group": number, "ballots": group.ballots, "contest": contest, "choice": choices[choice]}
        | ({"units": units} if (units := _units(specification, group.cells)) else {})
        for number, group in enumerate(result.groups, 1)
        for (contest, choices), choice in zip(names, unanimous(group.votes), strict=True)
        if choice is not None
    ]


def _units(specification: Specification, cells: Sequence[int]) -> list[str]:
    """Names of the units of law that a group has boxes of."""
    return list(names_of_units(specification, cells, specification.languages[0]))


def _joined_units(examined: Examined) -> dict[str, Any]:
    """Units of law, and which of them were joined; nothing if there are none."""
    specification = examined.survey.specification
    units, language = units_of(specification), specification.languages[0]
    if not units:
        return {}
    stretches = units_joined(specification, examined.permitted.groups)
    return {
        "units": len(units),
        "joined_units": [[units[i].name[language] for i in own] for own in stretches if len(own) > 1],
    }


def _names(specification: Specification) -> Iterator[tuple[str, list[str]]]:
    """Each contest and its choices, as they are printed."""
    questionnaire = specification.questionnaire
    for question, choices in zip(questionnaire.questions, choices_of(questionnaire), strict=True):
        yield (
            question.name,
            [choice if isinstance(choice, str) else json.dumps(choice) for choice in choices],
        )
