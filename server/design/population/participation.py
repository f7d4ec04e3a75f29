"""Each record's published participation level, from whichever source the organizer named."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.tables.data_file import DataFile
from server.tables.missing import is_missing
from server.tables.problems import Problems
from server.wording import quoted
from shared.attributes import Attribute
from shared.decimals import parse_decimal, parse_probability
from shared.errors import AnswerError, ModelFileError
from shared.model import ReadingRules
from shared.participation import GRID, ParticipationLevel, ParticipationSource, published_level

_TOO_SMALL: Final = (
    f"Probabilities are published on a grid of {float(GRID)}, rounded down. People less likely than that to"
    " take part cannot be promised anything: leave them out of the model, or raise their participation."
)

Levels = tuple[tuple[ParticipationLevel, ...], NDArray[np.int64]]


def record_levels(
    table: DataFile,
    rows: NDArray[np.int64],
    source: ParticipationSource,
    level: ParticipationLevel | None,
    attributes: tuple[Attribute, ...],
    answer_of: Callable[[DataFile, Attribute, str | None], str | None],
    problems: Problems,
) -> Levels:
    """Return the ascending levels that occur, and the index of each kept record's level.

    Parameters
    ----------
    table : DataFile
        The population file.
    rows : ndarray of int64, shape (n,)
        The kept records.
    source : ParticipationSource
        ``even``, ``column`` or ``rates``.
    level : ParticipationLevel, optional
        The one level of an even source.
    attributes : tuple of Attribute
        Attributes of the survey, for ``rates``.
    answer_of : callable
        Turns a cell into an attribute's answer (missing markers, decimal sign).
    problems : Problems
        Receives records without a usable probability; their index is 0.

    Notes
    -----
    Probabilities that differ between people are rounded down to a grid of 0.05 (design section 5), so that
    nobody's own can be read from a cell.
    """
    if source.kind == "even":
        if level is None:
            raise ValueError("an even source needs its level")
        return (level,), np.zeros(len(rows), np.int64)
    if source.kind == "column":
        column = table.exact(source.column or "", purpose="participation")
        published = [_published_cell(table, text) for text in column.distinct]
    else:
        attribute = next((a for a in attributes if a.name == source.attribute), None)
        if attribute is None:
            raise ValueError(f"no attribute {source.attribute!r}")
        column = table.exact(attribute.name)
        rates = _Rates(source, attribute)
        published = [rates.published(answer_of(table, attribute, text)) for text in column.distinct]
    codes = column.codes[rows]
    used = np.unique(codes).tolist()
    texts = sorted({published[code][0] for code in used} - {""}, key=Fraction)
    index = {text: position for position, text in enumerate(texts)}
    positions = np.zeros(len(column.distinct), np.int64)
    for code in used:
        text, error = published[code]
        if error:
            mask = codes == code
            problems.add(
                error,
                place=table.place_of(int(rows[np.argmax(mask)]), column.name),
                remedy=_TOO_SMALL if "rounded down" in error else "",
                times=table.behind(rows[mask]),
            )
        elif text:
            positions[code] = index[text]
    return tuple(ParticipationLevel(low=text, high=text) for text in texts), positions[codes]


def largest_household(
    table: DataFile,
    rows: NDArray[np.int64],
    counts: NDArray[np.int64],
    column: str | None,
    rules: ReadingRules,
) -> int:
    """Most people of one household, by equal values of a column; who has no value there lives alone.

    Parameters
    ----------
    table : DataFile
        The population file.
    rows, counts : ndarray of int64, shape (n,)
        The kept records, and how many people each stands for.
    column : str, optional
        None if households are not told.
    rules : ReadingRules
        Markers of a missing value.

    Raises
    ------
    ModelFileError
        If there is no such column.
    """
    if column is None:
        return 1
    households = table.exact(column, purpose="households")
    alone = [is_missing(text, rules.missing_markers) for text in households.distinct]
    sizes = np.zeros(len(households.distinct), np.int64)
    np.add.at(sizes, households.codes[rows], counts)
    sizes[alone] = 0
    return max(1, int(sizes.max(initial=1)))


def _published(rate: Fraction, shown: str) -> tuple[str, str]:
    text = published_level(rate)
    return (text, "") if text else ("", f"{shown} is nothing when rounded down to the grid of {float(GRID)}")


def _published_cell(table: DataFile, text: str | None) -> tuple[str, str]:
    cell = table.number_text((text or "").strip())
    rate = parse_probability(cell)
    if rate is None:
        return "", f"{quoted(text)} is not a probability above 0 and up to 1"
    return _published(rate, cell)


class _Rates:
    """A table of response rates by one attribute, applied to its answers."""

    def __init__(self, source: ParticipationSource, attribute: Attribute) -> None:
        self._attribute = attribute
        self._rates = source.rates
        for rate in source.rates:
            if rate.value is not None and rate.upto is None and attribute.is_number:
                raise ModelFileError(
                    f"the rates of {quoted(attribute.name)} name values, but it is numeric",
                    where="participation.rates",
                    expected="upto",
                )

    def published(self, answer: str | None) -> tuple[str, str]:
        name = quoted(self._attribute.name)
        if answer is not None and self._attribute.is_number:
            try:
                # The rate follows from the tuple alone, so that an auditor can derive it: 95 counts as 90 if
                # the attribute ends with "90 or older".
                answer = self._attribute.canonical(answer)
            except AnswerError:
                return "", ""  # already noted where the vectors are made
        if answer is None:
            return (
                "",
                f"people without {name} have no response rate; expected rates for everybody, in a column",
            )
        number = parse_decimal(answer) if self._attribute.is_number else None
        for rate in self._rates:
            upto = parse_decimal(rate.upto) if rate.upto is not None else None
            if rate.value == answer or (number is not None and upto is not None and number <= upto):
                return _published(Fraction(rate.rate), f"the rate {rate.rate} of {quoted(answer)}")
        return "", f"{quoted(answer)} of {name} has no response rate in [[participation.rates]]"
