"""Columns on the command line: lists of names, what is assigned to one, and options of several commands."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click

from server.cli.options import PATH
from shared.errors import InputError


def listed(text: str) -> tuple[str, ...]:
    """Names with commas between; a name with a comma stands in double quotes.

    Raises
    ------
    InputError
        For an empty name or a quote that never closes.
    """
    if not text.strip():
        return ()
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], strict=True, skipinitialspace=True)))
    except csv.Error:
        raise InputError(f"a quote in {text!r} never closes", expected="names with commas between") from None
    if "" in names:
        raise InputError(f"{text!r} holds an empty name", expected="names with single commas between")
    return names


def assigned(texts: Sequence[str], option: str, *, alone: bool = False) -> dict[str, str]:
    """``NAME=VALUE`` as a mapping, split at the first equals sign.

    Parameters
    ----------
    texts : sequence of str
        As often as the option was given.
    option : str
        For messages.
    alone : bool
        Whether ``NAME`` may stand alone; its value is empty then.

    Raises
    ------
    InputError
        For a name given twice, or without a value.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not name or (not value and (equals or not alone)):
            raise InputError(f"{text!r} assigns nothing to a column", where=option, expected="NAME=...")
        if name in found:
            raise InputError(f"{name!r} is given twice", where=option)
        found[name] = value
    return found


def several(
    flag: str, *names: str, multiple: bool = False, **more: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option for names of columns, given as a tuple; as a tuple of tuples if it is `multiple`."""

    def read(_context: click.Context, _option: click.Parameter, given: Any) -> tuple[Any, ...]:
        return tuple(map(listed, given)) if multiple else listed(given or "")

    return click.option(flag, *names, multiple=multiple, callback=read, **{"metavar": "A,B"} | more)


def one(flag: str, about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option for one column; by default an empty name."""
    return click.option(flag, metavar="COLUMN", default="", help=about)


def hierarchy(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--hierarchy``: the command gets ``hierarchies``, a path for each column."""
    return click.option(
        "--hierarchy",
        "hierarchies",
        metavar="NAME=FILE",
        multiple=True,
        help=about,
        callback=lambda _context, _option, texts: {
            name: Path(file) for name, file in assigned(texts, "--hierarchy").items()
        },
    )


ORDINAL: Final = click.option(
    "--ordinal",
    metavar="NAME=LOW,...,HIGH",
    multiple=True,
    help="A column's values have this order.",
    callback=lambda _context, _option, texts: {
        name: listed(order) for name, order in assigned(texts, "--ordinal", alone=True).items()
    },
)
NOMINAL: Final = several("--nominal", help="Columns to take as categories.")
KNOWN: Final = several("--known", help="Quasi-identifiers that the intruder of DLD knows.")
COUNTS: Final = one("--counts", "How many people each record stands for.")
SAMPLING_WEIGHT: Final = one("--sampling-weight", "People of a population behind each record.")
PARTICIPATION_COLUMN: Final = one("--participation-column", "Each record's chance to take part.")
RISK_FILE: Final = click.option(
    "--risk-file", type=PATH, help="List each record's risk here; never publish it."
)
