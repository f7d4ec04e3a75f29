"""``roomful anonymity``: the effective anonymity of one combination of parameters."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import click

from shared.checks import HALF
from shared.decimals import parse_probability
from shared.effective_anonymity import n_min, n_min_safe, worst_cell_metrics
from shared.errors import InputError, SpecificationError
from shared.limits import HOUSEHOLD_SIZES, MAX_K
from shared.participation import HIGHEST_CORRELATION, Dependence, ParticipationLevel


@click.command()
@click.option("--k", type=click.IntRange(2, MAX_K), required=True, help="Fewest answers that protect.")
@click.option(
    "--participation",
    required=True,
    metavar="PROBABILITY",
    help="Probability of taking part, such as 0.5, or a range such as 0.4..0.6.",
)
@click.option(
    "--failure", required=True, metavar="PROBABILITY", help="Acceptable cell failure, such as 1e-6."
)
@click.option(
    "--correlation",
    default="0",
    show_default=True,
    metavar="DECIMAL",
    help=f"Between any two people of a cell, such as 0.005; at most {HIGHEST_CORRELATION}.",
)
@click.option(
    "--household-size",
    type=click.Choice([str(size) for size in HOUSEHOLD_SIZES]),
    default="1",
    show_default=True,
    help="So many people of a cell may decide together, all or none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with 25 significant digits.")
def anonymity(
    k: int, participation: str, failure: str, correlation: str, household_size: str, as_json: bool
) -> None:
    """How many eligible people a cell needs so that at least K of them answer, or nobody.

    The failure metrics are those of a cell of exactly n_min people; with households they are upper bounds.
    """
    result = effective_anonymity(k, participation, failure, correlation, int(household_size))
    warning = low_participation_warning(result["n_min"], result["n_min_safe"])
    if as_json:
        click.echo(json.dumps(result | {"warnings": [warning] if warning else []}, indent=1))
    else:
        for name, label in _LABELS.items():
            value = result[name]
            click.echo(f"{label:<66} {value if isinstance(value, int) else _short(value)}")
    if warning:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)


_LABELS: Final = {
    "n_min": "People a cell needs (n_min; more is safer)",
    "n_min_safe": "People from which every larger cell is safe too (n_min_safe)",
    "record_failure_given_participation": "A participant is not protected with probability (lower is safer)",
    "record_failure_if_half_take_part": "... if only half as many take part as assumed",
    "attained_cell_failure": "A cell fails with probability (lower is safer)",
    "expected_unprotected_records": "Unprotected answers expected in a cell that fails",
    "record_failure": "An eligible person takes part unprotected with probability",
}


def effective_anonymity(
    k: int, participation: str, failure: str, correlation: str = "0", household_size: int = 1
) -> dict[str, Any]:
    """All figures of one combination, under the names of the reference tables.

    Raises
    ------
    InputError
        For an impossible probability or correlation, or one at which no cell is safe.
    """
    low, _, high = participation.partition("..")
    for name, text in (("--participation", low), ("--participation", high or low), ("--failure", failure)):
        if parse_probability(text) is None:
            raise InputError(f"{text!r} is no probability", where=name, expected="a decimal in (0, 1]")
    if parse_probability(low) > parse_probability(high or low):  # type: ignore[operator]
        raise InputError("the range is upside down", where="--participation", expected="LOW..HIGH")
    level = ParticipationLevel(low=low, high=high or low)
    try:
        dependence = Dependence(correlation=correlation, household_size=household_size)
        dependence.check((level,))
    except SpecificationError as problem:
        raise InputError(problem.message, where="--correlation", expected=problem.expected) from None
    try:
        smallest = n_min(k, level, failure, dependence)
        safe = n_min_safe(k, level, failure, dependence)
    except ValueError as problem:
        raise InputError(
            str(problem), where="--failure", remedy="Ask for less, or expect more people."
        ) from None
    metrics, half = (
        worst_cell_metrics((smallest,), (level,), k, dependence, share) for share in (Fraction(1), HALF)
    )
    return {
        "k": k,
        "participation": participation,
        "acceptable_cell_failure": failure,
        "correlation": correlation,
        "household_size": household_size,
        "n_min": smallest,
        "n_min_safe": safe,
        "attained_cell_failure": _digits(metrics.attained_cell_failure),
        "expected_unprotected_records": _digits(metrics.expected_unprotected_records),
        "record_failure": _digits(metrics.record_failure),
        "record_failure_given_participation": _digits(metrics.record_failure_given_participation),
        "record_failure_if_half_take_part": _digits(half.record_failure_given_participation),
    }


def low_participation_warning(smallest: int, safe: int) -> str | None:
    """The trap of low participation, in words."""
    if smallest == safe:
        return None
    return (
        f"a cell of {smallest} people is acceptable only because it is usually empty; larger cells are not, "
        f"until they hold {safe}. Use {safe}: a person who does take part in a smaller cell is exposed."
    )


def _short(value: str) -> str:
    return f"{Decimal(value):.3g}"


def _digits(value: Decimal) -> str:
    return f"{value:.24e}" if value else "0"
