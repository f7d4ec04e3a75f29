"""Nobody stands in a population file twice: a column that names each person, and rows that are equal
altogether."""

from __future__ import annotations

import numpy as np

from server.tables.data_file import DataFile
from server.tables.missing import is_missing
from server.tables.problems import Problems


def refuse_repeats(table: DataFile, name: str, markers: tuple[str, ...]) -> None:
    """Refuse records whose id stands in an earlier record, or is missing.

    Ids are compared without the blanks around them. Messages say lines, never an id.

    Raises
    ------
    ModelFileError
        If there is no such column; with the line of each repeat, and the line that has the id already.
    """
    column = table.exact(name, purpose="id_column")
    first_code: dict[str, int] = {}
    person = np.empty(len(column.distinct), np.int64)
    absent = np.zeros(len(column.distinct), bool)
    for code, text in enumerate(column.distinct):
        absent[code] = text is None or is_missing(text, markers)
        person[code] = first_code.setdefault((text or "").strip(), code)
    problems = Problems(table.source, "records name nobody, or a person who stands there already")
    who = person[column.codes]
    _, first, inverse = np.unique(who, return_index=True, return_inverse=True)
    repeated = np.flatnonzero(first[inverse] != np.arange(len(who)))
    missing = absent[column.codes]
    for row in np.flatnonzero(missing | np.isin(np.arange(len(who)), repeated)).tolist():
        if missing[row]:
            problems.add(
                "the id is missing", place=table.place_of(row, name), remedy="Give every record its id."
            )
        else:
            problems.add(
                f"the person stands in {table.place_of(int(first[inverse[row]]))} already",
                place=table.place_of(row, name),
                remedy="Remove the repeat: somebody counted twice makes a cell look larger than it is.",
            )
    problems.raise_if_any()
