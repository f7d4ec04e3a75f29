"""The small survey of the builders as an election: two contests, trustees of :mod:`tests.election_held`."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from server.keys.token_keys import CollectorKey
from shared.invited import Invited
from shared.questionnaire import Questionnaire
from shared.sealing import ELECTION_SUITE, SUITES
from shared.specification import ReleaseRule, Specification
from tests import election_held as held
from tests.builders import LANGUAGES
from tests.invited import invited, invited_specification

CONTESTS: dict[str, Any] = {
    "pages": [
        {
            "name": "ballot",
            "elements": [
                {
                    "type": "radiogroup",
                    "name": "board",
                    "isRequired": True,
                    "choices": ["ada", "ben", "blank"],
                },
                {"type": "boolean", "name": "statutes", "isRequired": True},
            ],
        }
    ]
}
CHOICES = (("ada", "ben", "blank"), (True, False))
RULE = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)


@cache
def collector() -> CollectorKey:
    """Of the one suite of elections."""
    return CollectorKey(SUITES[ELECTION_SUITE], hashlib.sha256(b"collector of elections").digest())


def election_keys(**changes: Any) -> Invited:
    """The member ``invited`` of an election."""
    own = {
        "suite": SUITES[ELECTION_SUITE],
        "opening_key": held.trustees().key,
        "election": held.trustees(),
        "collector_key": collector().public_key,
        "acceptance_key": collector().acceptance_key,
    }
    return invited(**own | changes)


def contests(value: dict[str, Any] = CONTESTS) -> Questionnaire:
    """A questionnaire."""
    return Questionnaire.parse(value, LANGUAGES)


def election_specification(**changes: Any) -> Specification:
    """150 voters in eight boxes, k = 3."""
    own = {"questionnaire": CONTESTS, "invited": election_keys(), "release": RULE}
    return invited_specification(**own | changes)
