"""A line of the checkup."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a line of the checkup came out."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the checkup.

    Attributes
    ----------
    code : str
        Stable, for programs.
    outcome : Outcome
        Passed, failed, or something to think about.
    finding : str
        What was found, for everybody's eyes.
    fix : str
        What to do; empty if it passed.
    """

    code: str
    outcome: Outcome
    finding: str
    fix: str = ""


def line(code: str, good: bool, finding: str, otherwise: str, fix: str, *, warning: bool = False) -> Line:
    """A line that passes with one finding or does not with another."""
    if good:
        return Line(code=code, outcome=Outcome.PASSED, finding=finding)
    outcome = Outcome.WARNING if warning else Outcome.FAILED
    return Line(code=code, outcome=outcome, finding=otherwise, fix=fix)
