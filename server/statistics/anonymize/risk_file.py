"""The list of risks, one line a record of the original: for whoever holds the original, and nobody else."""

from __future__ import annotations

import csv
import io

import numpy as np

from server.arrays import IntArray
from server.statistics.anonymize.evaluation import Evaluation
from server.tables.data_file import DataFile


def members_of(original: DataFile, name: str, rows: IntArray) -> IntArray | None:
    """Person or household of some records, as numbers from 0; None where no column names them."""
    if not name:
        return None
    codes = original.column(name).codes[rows]
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def risk_list(evaluation: Evaluation, original: DataFile, *, person: str = "", household: str = "") -> bytes:
    """The list as CSV in UTF-8, in the order of the original.

    Parameters
    ----------
    evaluation : Evaluation
    original : DataFile
    person, household : str
        Columns whose values are repeated in the list, so that it can be joined.
    """
    rows = evaluation.places
    before, after = evaluation.risks_before, evaluation.risks_after
    columns: dict[str, list[object]] = {"record": (rows + 1).tolist()}
    for name in filter(None, (person, household)):
        columns[name] = original.column(name).texts[rows].tolist()
    for words, found in (("before", before), ("after", after)):
        columns[f"alike_{words}"] = found.alike.astype(np.int64).tolist()
        columns[f"risk_{words}"] = [f"{value:.6g}" for value in found.individual.tolist()]
        if found.household is not None:
            columns[f"household_risk_{words}"] = [f"{value:.6g}" for value in found.household.tolist()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    lines = list(zip(*columns.values(), strict=True))
    writer.writerows(lines[place] for place in np.argsort(rows, kind="stable").tolist())
    return text.getvalue().encode("utf-8")
