"""What an organizer is told of a file before it is divided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from server.arrays import IntArray
from server.statistics.anonymize.ordinal import Orders
from server.statistics.anonymize.prepared import numbering
from server.statistics.anonymize.request import Request
from server.tables.data_file import DataFile
from server.tables.doubts import numbers_as_texts
from server.tables.missing import likely_codes
from server.wording import quoted


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
