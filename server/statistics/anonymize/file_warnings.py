"""What an organizer is told of a file before it is divided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.statistics.anonymize.ordinal import Orders
from server.statistics.anonymize.prepared import numbering
from server.statistics.anonymize.request import Request
from server.tables.data_file import DataFile
from server.tables.doubts import numbers_as_texts
from server.tables.missing import likely_codes
from server.wording import quoted
from shared.characters import looks

_NUMBERS_OF_CODES: Final = 2
"""Of a column that is more likely one of codes, such as 1 for men and 2 for women."""


def file_warnings(original: DataFile, request: Request, orders: Orders, rows: IntArray) -> tuple[str, ...]:
    """Warnings about what is read: what was guessed, left out, and what nobody gave a role."""
    warnings = []
    left_out = original.n_records - len(rows)
    if left_out:
        warnings.append(f"{left_out} records without a quasi-identifier were left out (--missing drop).")
    if original.understood.encoding_guessed:
        warnings.append(
            f"{original.source} is read as {original.understood.encoding}, as in "
            f"{quoted(original.beyond_ascii(), 20)}: --encoding names another."
        )
    left = numbering(original, request)
    if left:
        warnings.append(
            f"{', '.join(map(quoted, left))} numbers the records, as pandas stores it unasked; "
            "it would give their order away, and was left out."
        )
    roles = {*request.quasi_identifiers, *request.confidential}
    settled = {*request.nominal, *request.numeric, *request.ordinal, *request.hierarchies}
    for name in original.names:
        if name in roles - settled and (decided := original.column(name).decided):
            warnings.append(
                f"{quoted(name)} is taken {decided}. --numeric, --nominal and --ordinal say otherwise, and "
                f"--missing-values {name}=A,B which of its values are none."
            )
    warnings += [
        f"{quoted(name)} is taken as categories, since {original.source} holds its numbers as texts. Make "
        "numbers of them there if they are quantities; --nominal says that they are none."
        for name in original.names
        if name in roles - settled and numbers_as_texts(original.column(name), original)
    ]
    warnings += [
        _codes_said(name, codes)
        for name in original.names
        if name in roles - settled and (codes := _likely_codes(original, name))
    ]
    warnings += [
        f"{quoted(name)} holds {values[0]} and {values[1]} alone, and is taken for a number, of which means "
        f"are published. If these are codes: --nominal with {name}; if not, --numeric says so."
        for name in request.quasi_identifiers
        if name not in settled and len(values := _few_numbers(original, name)) == _NUMBERS_OF_CODES
    ]
    warnings += [
        f"{quoted(name)} has values that look alike and are different categories: "
        f"{', '.join(map(ascii, alike))}. Write them alike first."
        for name in original.names
        if name in roles and (alike := _look_alikes(original, name))
    ]
    used = {*request.named, *left}
    untouched = [name for name in original.names if name not in used]
    if untouched:
        listed = ", ".join(quoted(name) for name in untouched)
        warnings.append(
            f"Published as they are, though named in no role: {listed}. Who knows them recognizes people: "
            "make them quasi-identifiers or leave them out with --drop."
        )
    if request.blocks:
        warnings.append(
            "Each block keeps the size rule by itself; all blocks together do not: who knows a person's "
            "values in two blocks may single her out."
        )
    for name in (name for name in request.median if name not in orders):
        warnings.append(
            f"The median of {quoted(name)} in a group is the true value of one of its members, though it does"
            " not say whose."
        )
    for name in request.unpublished:
        warnings.append(f"{quoted(name)} was left out: it is each person's own.")
    return tuple(warnings)


def _few_numbers(original: DataFile, name: str) -> list[str]:
    """The different numbers of a column, as texts; of one without numbers none."""
    column = original.column(name)
    if column.kind != "numeric" or len(column.distinct) > _NUMBERS_OF_CODES + 1:
        return []
    return [text for text in column.distinct if text is not None]


def _look_alikes(original: DataFile, name: str) -> list[str]:
    """The first values of a column of texts that differ in case alone, or in nothing that is seen."""
    column = original.column(name)
    if column.kind == "numeric":
        return []
    alike: dict[str, list[str]] = {}
    for text in column.distinct:
        if text is not None:
            alike.setdefault(looks(text).casefold(), []).append(text)
    return next((texts for texts in alike.values() if len(texts) > 1), [])


def _likely_codes(original: DataFile, name: str) -> tuple[Fraction, ...]:
    """Numbers of a column that probably mean that there is none; none of a column with fractions."""
    column = original.column(name)
    if column.kind != "numeric" or column.values is None:
        return ()
    given = column.values[~np.isnan(column.values)]
    outermost = np.unique(given)[[0, -1]] if len(given) else given
    if not any(likely_codes({Fraction(end), Fraction(1), Fraction(0)}) for end in outermost.tolist()):
        return ()  # the others need no look
    return likely_codes({Fraction(number) for number in given.tolist()})


def _codes_said(name: str, codes: Sequence[Fraction]) -> str:
    listed = ",".join(map(str, codes))
    return (
        f"{quoted(name)} is {' or '.join(map(str, codes))} in some records, as if there were no value, which "
        f"is taken for a number. If there is none: --missing-values {name}={listed}."
    )
