"""Numbers as reports of reproductions show them: enough digits to compare, never a bare ``1e-05``."""

from __future__ import annotations

from decimal import Decimal

from server.reports.numbers import significant
from server.statistics.reproduction.result import Cell, Comparison

NONE = "-"
"""Stands where there is no value."""
_DIGITS = 5


def shown(value: Cell) -> str:
    """A value of a table: texts and whole numbers as they are, others with five significant digits."""
    if value is None:
        return NONE
    if isinstance(value, str | int):
        return str(value)
    return significant(Decimal(repr(float(value))), _DIGITS)


def signed(value: float, digits: int = 3) -> str:
    """A difference with its sign."""
    text = significant(Decimal(repr(float(value))), digits)
    return text.replace("-", "−", 1) if text.startswith("-") else text if text == "0" else f"+{text}"


def percent(share: float | None) -> str:
    """A relative difference in percent, with its sign."""
    return NONE if share is None else f"{signed(100 * share)} %"


def promised(item: Comparison) -> str:
    """What is promised about a comparison, and whether it is kept."""
    if item.tolerance is None:
        return NONE
    sign = {"equal": "±", "at-most": "at most +", "at-least": "at least −"}[item.sense]
    bound = significant(Decimal(repr(item.tolerance)), 3)
    if item.sense != "equal" and not item.tolerance:
        sign, bound = {"at-most": "at most", "at-least": "at least"}[item.sense], "that"
    return f"{sign} {bound}".replace("+ ", "+").replace("− ", "−") + ("" if item.kept else ", not kept")


def worst(item: Comparison | None) -> str:
    """The worst comparison in a line, for summaries."""
    if item is None:
        return "nothing to compare with"
    place = ", ".join((*item.where, item.measure))
    unit = f" {item.unit}" if item.unit else ""
    if item.sense != "equal":
        bound = item.sense.replace("-", " ")
        return f"{shown(item.ours)}{unit} where {bound} {shown(item.published)} is asked ({place})"
    pair = f"{shown(item.ours)}{unit} beside {shown(item.published)}"
    return f"{percent(item.relative)}: {pair} ({place})"
