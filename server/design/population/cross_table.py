"""Tables as offices publish them: titles above the header, categories across the top, totals at the ends."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

import numpy as np

from server.arrays import IntArray
from server.tables.data_file import DataFile

_COUNT: Final = re.compile(r"[0-9]{1,12}|[0-9]{1,3}(?:[.,'’ \u00a0\u202f][0-9]{3}){1,3}")
_NONE_THERE: Final = frozenset("-–—")
"""What stands where nobody is; a point or a slash hides how many there are."""
_SPAN: Final = re.compile(r"[0-9]+\D{1,9}[0-9]+\D*")
"""Ages from and to."""
_FEWEST: Final = 2
"""Columns of counts, and records, of a cross table."""
_FEWEST_WITH_TOTAL: Final = 3
_MOST_RECORDS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossTable:
    """People by the categories of the first columns and by those that the other columns are named after.

    Attributes
    ----------
    keys, across : tuple of str
        Names of the columns of categories, and of the columns of counts that are no totals.
    rows : tuple of int
        Records that are no totals.
    people : IntArray
        One row for each of `rows`, one column for each of `across`.
    totals : tuple of str
        What is left out: the rows and columns that are the sums of all others.
    evident : bool
        Whether totals or spans of ages show that it is one; a short list of people looks alike otherwise.
    """

    keys: tuple[str, ...]
    across: tuple[str, ...]
    rows: tuple[int, ...]
    people: IntArray
    totals: tuple[str, ...]
    evident: bool


def find_cross_table(table: DataFile) -> CrossTable | None:
    """What a table says as a cross table; None if it is none."""
    if table.n_records > _MOST_RECORDS:
        return None
    counts = [_counts(table, name) for name in table.names]
    width = max([1, *(place + 1 for place, found in enumerate(counts) if found is None)])
    columns = [table.exact(name).texts.tolist() for name in table.names]
    while width < len(columns) and len(set(zip(*columns[:width], strict=True))) < table.n_records:
        width += 1  # ages of single years look like counts
    keys, across = table.names[:width], table.names[width:]
    records = list(zip(*columns[:width], strict=True))
    if len(across) < _FEWEST or len(records) < _FEWEST or not all(map(all, records)):
        return None
    people = np.array([found for found in counts[width:] if found is not None], np.int64).T
    summed = {
        row: str(records[row][place]) for place in range(width) for row in _totals(records, people, place)
    }
    rows = [row for row in range(len(records)) if row not in summed]
    kept = people[rows]
    of_all = [place for place in range(len(across)) if np.array_equal(kept.sum(axis=1), 2 * kept[:, place])][
        :1
    ]
    single = [place for place in range(len(across)) if place not in of_all]
    if len(single) < _FEWEST or not rows:
        return None
    spans = sum(bool(_SPAN.fullmatch(record[0] or "")) for record in records)
    return CrossTable(
        keys=keys,
        across=tuple(across[place] for place in single),
        rows=tuple(rows),
        people=kept[:, single],
        totals=tuple(dict.fromkeys([*summed.values(), *(across[place] for place in of_all)])),
        evident=bool(summed or of_all or 2 * spans > len(records)),
    )


def _counts(table: DataFile, name: str) -> list[int] | None:
    """The numbers of people of a column; None if it holds something else."""
    found = []
    for text in table.exact(name).texts.tolist():
        plain = (text or "").strip()
        if not _COUNT.fullmatch(plain) and plain not in _NONE_THERE:
            return None
        found.append(int(re.sub(r"\D", "", plain) or 0))
    return found


def _totals(records: list[tuple[str | None, ...]], people: IntArray, place: int) -> list[int]:
    """Records of the one category of a column that, wherever it stands, has as many people as all others."""
    others = [record[:place] + record[place + 1 :] for record in records]
    number = {record: index for index, record in enumerate(dict.fromkeys(others))}
    group = np.array([number[record] for record in others])
    if np.bincount(group).max() < _FEWEST_WITH_TOTAL:
        return []
    sums = np.zeros((len(number), people.shape[1]), np.int64)
    np.add.at(sums, group, people)
    half = (2 * people == sums[group]).all(axis=1)
    rows = defaultdict(list)
    for row, record in enumerate(records):
        rows[record[place]].append(row)
    return next((found for found in rows.values() if len(found) == len(number) and half[found].all()), [])


def header_below(table: DataFile) -> int | None:
    """The record that is the header of a table below titles; None if its columns have names."""
    unnamed = [name for name in table.names if name.startswith("(column ")]
    if len(table.names) < 2 or 2 * len(unnamed) < len(table.names):
        return None
    columns = [table.exact(name).texts.tolist() for name in table.names]
    for row, record in enumerate(zip(*columns, strict=True)):
        texts = [(text or "").strip() for text in record]
        if all(texts):  # below two rows of names, of which neither is full, that is a record
            return None if len(set(texts)) < len(texts) or any(map(_COUNT.fullmatch, texts)) else row
    return None
