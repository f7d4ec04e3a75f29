"""The signed release rule as the gate understands it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from server.release.gate import Policy
from shared.specification import Specification


def policy_of(specification: Specification) -> Policy:
    """Rule, minimum and diversity as signed."""
    rule = specification.release
    return Policy(
        rule="merge" if rule.rule == "merge" else "withhold",
        minimum=max(rule.minimum, specification.k),
        distinct_values=rule.distinct_values,
        t_closeness=None if rule.t_closeness is None else Fraction(rule.t_closeness),
    )


def policy_of_counts(specification: Specification, surplus: int = 0) -> Policy:
    """What the rule says where only numbers of ballots are known, before anything is opened.

    Of `surplus` ballots nobody knows whether they are of invited people, so every group needs so many more.
    """
    policy = policy_of(specification)
    return replace(policy, minimum=policy.minimum + surplus, distinct_values=1, t_closeness=None)
