"""What a masked file gives away besides its quasi-identifiers: warnings with counts, and what to do."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.statistics.anonymize.encoding import selected
from server.statistics.anonymize.masking import Masked
from server.statistics.anonymize.prepared import Prepared
from server.statistics.anonymize.rounding import window_warning
from server.statistics.measures.disclosure_risk import equivalence_classes
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted

_IDENTIFYING: Final = 0.5
"""Share of records with a value of their own from which a column looks like an identifier."""

_FEW, _MOST_RECORDS, _SOME_RECORDS, _EQUAL = 10, 40, 1.2, 0.9
"""A column may name people if it has so many values, each in so many records, most in equally many."""

_ID_NAME: Final = re.compile(r"(id|nr|no|num|person|member|case|hh|household)$", re.IGNORECASE)

_LARGEST_JSON: Final = 1 << 24


def warnings_of(masked: Masked) -> tuple[str, ...]:
    """Warnings about what was written."""
    prepared = masked.prepared
    request, original = prepared.request, prepared.original
    numbers = {
        column.name: (column.numbers, digits)
        for column, is_nominal, digits in zip(
            prepared.columns, prepared.nominal, prepared.digits, strict=True
        )
        if column.numbers is not None
        and not is_nominal
        and column.kind != "ordinal"
        and column.name not in request.median
    }
    kept = [
        name
        for name in original.names
        if name not in prepared.left_out and name not in request.quasi_identifiers and name != request.counts
    ]
    unmasked = [selected(original.column(name), masked.rows) for name in kept]
    secret = [column for column in unmasked if column.name in request.confidential]
    return (
        *(window_warning(numbers, request.k) if request.breach == "none" else ()),
        *one_value_groups(secret, masked.classes),
        *identifiers(unmasked),
        *(() if request.person or request.household or request.counts else repeated_ids(prepared)),
        *(unique_counts(original.column(request.counts), masked.rows) if request.counts else ()),
        *(kept_order(prepared) if request.keep_order else ()),
    )


def disclosed(
    masked: DataFile, quasi_identifiers: Sequence[str], confidential: Sequence[str]
) -> tuple[str, ...]:
    """Warnings about a masked file that any program may have made."""
    classes = equivalence_classes([masked.column(name).ranks for name in quasi_identifiers]).labels
    return one_value_groups([masked.column(name) for name in confidential], classes)


def one_value_groups(columns: Sequence[DataColumn], classes: IntArray) -> tuple[str, ...]:
    """Classes in which only one confidential value occurs; who has none says nothing, as in l-diversity."""
    warnings = []
    total = len(np.unique(classes))
    for column in columns:
        given, n_values = ~column.missing, len(column.distinct)
        pairs = np.unique(classes[given] * n_values + column.codes[given])
        values = np.bincount(pairs // n_values, minlength=int(classes.max()) + 1)
        alike = (values == 1)[classes]
        groups = int((values == 1).sum())
        if groups:
            warnings.append(
                f"In {groups} of {total} groups, with {int(alike.sum())} of {len(classes)} records "
                f"({alike.mean():.1%}), everybody has the same {quoted(column.name)}: whoever is known to be "
                "in such a group is known to have it. Ask for larger groups with --k, make the column "
                "coarser, or leave it out with --drop."
            )
    return tuple(warnings)


def identifiers(columns: Sequence[DataColumn]) -> tuple[str, ...]:
    """Columns that are not masked and have another value for most records, whatever role they were given."""
    found = []
    for column in columns:
        times = np.bincount(column.codes, minlength=len(column.distinct))
        alone = int(((times == 1) & ~column.absent).sum())
        if alone > _IDENTIFYING * len(column):
            found.append(f"{quoted(column.name)} ({alone} of {len(column)} records)")
    if not found:
        return ()
    return (
        f"Not masked, and with a value that no other record has: {', '.join(found)}. Such a column looks "
        "like an identifier. Who knows its value finds the record, whatever k is: leave the column out with "
        "--drop, or make it coarser.",
    )


def repeated_ids(prepared: Prepared) -> tuple[str, ...]:
    """Columns that look as if they named people of whom each has several records: ``k`` counts records."""
    request = prepared.request
    roles = {*request.quasi_identifiers, *request.confidential, request.sampling_weight}
    found = []
    for name in prepared.original.names:
        column = selected(prepared.original.column(name), prepared.rows)
        times = np.bincount(column.codes[~column.missing])
        times = times[times > 0]
        if name in roles or len(times) < _FEW or times.mean() > _MOST_RECORDS or column.decimals_up_to(1):
            continue
        named = _ID_NAME.search(name) is not None and times.mean() > _SOME_RECORDS
        equal = int(np.bincount(times).argmax())
        if (equal > 1 and (times == equal).mean() >= _EQUAL) or named:
            found.append(f"{quoted(name)} (each of {len(times)} values in {times.mean():.3g} records)")
    if not found:
        return ()
    return (
        f"Values repeat as names of people with several records do: {', '.join(found)}. k counts records, "
        "and a group can be one person alone. If the column names persons or households, add --person or "
        "--household with it.",
    )


def unique_counts(column: DataColumn, rows: IntArray) -> tuple[str, ...]:
    """Counts that stand in one record only: they name it to whoever knows them."""
    alone = int((np.bincount(column.codes[rows]) == 1).sum())
    if not alone:
        return ()
    return (
        f"{alone} of {len(rows)} records have a number of people in {quoted(column.name)} that no other "
        "record has: who knows how many they are finds the record. Split such records into several with "
        "smaller counts before masking.",
    )


def kept_order(prepared: Prepared) -> tuple[str, ...]:
    """What the order of the file says about each quasi-identifier, by two attacks.

    Notes
    -----
    The attacker knows how often each value occurs, and takes the file for sorted, up or down: the record at
    place i has the i-th smallest value. Without the order she can do no better than to say the most frequent
    value of all. The other attack knows one record and says its value of the next one.
    """
    parts = []
    for column in prepared.columns:
        values = column.numbers if column.numbers is not None else column.ranks
        _, codes = np.unique(values, return_inverse=True)
        codes = codes.reshape(-1)
        ascending = np.sort(codes)
        sorted_share = max(float((codes == ascending).mean()), float((codes == ascending[::-1]).mean()))
        next_share = float((codes[1:] == codes[:-1]).mean()) if len(codes) > 1 else 0.0
        guess = float(np.bincount(codes).max() / len(codes))
        parts.append(
            f"{quoted(column.name)} {sorted_share:.0%} from the place in the file, {next_share:.0%} from the "
            f"record before ({guess:.0%} by guessing)"
        )
    return (
        "The order of the file was kept. Share of exact values that follow from it, though unpublished: "
        + "; ".join(parts)
        + ". Leave --keep-order out in what you publish.",
    )


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def masked_before(original: DataFile, sha256: str, data: Path) -> tuple[str, ...]:
    """A warning if other maskings of the same file lie beside the one to come.

    Parameters
    ----------
    sha256 : str
        Of the original.
    data : Path
        The JSON to come; it replaces an earlier one of its name.
    """
    earlier = []
    for path in sorted(data.parent.glob("*.json")):
        try:
            if path == data or path.stat().st_size > _LARGEST_JSON:
                continue
            document = json.loads(path.read_bytes())
            same = document["original"]["sha256"] == sha256
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            continue
        if same:
            earlier.append(quoted(path.name.removesuffix(".json")))
    if not earlier:
        return ()
    return (
        f"{original.source} was masked before, into {', '.join(earlier)}. Who has two maskings of one file "
        "intersects their groups, and most intersections are smaller than k: publish one of them only.",
    )
