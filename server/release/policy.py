"""The signed release rule as the gate understands it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from shared.specification import Specification

Rule = Literal["withhold", "merge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The release rule as signed.

    Attributes
    ----------
    rule : {"merge", "withhold"}
        What happens to a cell that may not be released alone.
    minimum : int
        Fewest answers in a released group; at least the k of the specification. Higher is safer.
    distinct_values : int
        Fewest different answers to each question in a group (distinct l-diversity); 1 asks nothing.
    t_closeness : Fraction or None
        Greatest distance between the distribution of a group and that of the released table, per question.
        Lower is safer; ``None`` asks nothing.
    """

    rule: Rule
    minimum: int
    distinct_values: int = 1
    t_closeness: Fraction | None = None

    def __post_init__(self) -> None:
        if self.rule not in ("withhold", "merge"):
            raise ValueError(f"unknown release rule {self.rule!r}")
        if self.minimum < 2:
            raise ValueError("a group of fewer than two people is not a group")
        if self.distinct_values < 1:
            raise ValueError("distinct_values is at least 1")
        if self.t_closeness is not None and not 0 <= self.t_closeness <= 1:
            raise ValueError("t_closeness lies between 0 and 1")


def policy_of(specification: Specification) -> Policy:
    """Rule, minimum and diversity as signed."""
    rule = specification.release
    return Policy(
        rule="merge" if rule.rule == "merge" else "withhold",
        minimum=specification.smallest_group,
        distinct_values=rule.distinct_values,
        t_closeness=None if rule.t_closeness is None else Fraction(rule.t_closeness),
    )


def policy_of_counts(specification: Specification, surplus: int) -> Policy:
    """What the rule says where only numbers of ballots are known, before anything is opened.

    Of `surplus` ballots nobody knows whether they are of invited people, so every group needs so many more.
    """
    policy = policy_of(specification)
    return replace(policy, minimum=policy.minimum + surplus, distinct_values=1, t_closeness=None)
