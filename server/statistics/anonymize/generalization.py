"""Quasi-identifiers that are generalized along a hierarchy: what a group publishes, and what that loses.

A group publishes the lowest node above the values of all its members, such as ``30-39`` or ``respiratory``.
That is true of every one of them, which a mean or a most frequent value is not.

References
----------
J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, "Utility-based anonymization using local recoding", KDD 2006:
normalized certainty penalty. V. S. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002:
generalized loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from server.arrays import FloatArray, IntArray, TextArray
from server.statistics.anonymize.encoding import Block
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.measures.measure import Measure
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.tables.missing import is_missing
from server.wording import quoted
from shared.errors import InputError


def check_hierarchy(hierarchy: Hierarchy, column: DataColumn, original: DataFile) -> None:
    """Raise InputError for a value that has no line, and for names that cannot be published and read again.

    These are names of two meanings, those that count as missing, and those that the file's encoding lacks.
    """
    occurring = {column.distinct[code] for code in np.unique(column.codes).tolist()}
    hierarchy.of(column, tuple(text for text in column.distinct if text is not None and text in occurring))
    encoding = original.understood.encoding
    for name in hierarchy.values_below():
        if is_missing(name, original.missing.of(column.name)):
            raise InputError(
                f"the node {quoted(name)} of {quoted(column.name)} would be read as a missing value",
                where=hierarchy.source,
                remedy=f"Name it otherwise, or say what is missing: --missing-values {column.name}=A,B.",
            )
        try:
            name.encode(encoding or "utf-8")
        except UnicodeEncodeError:
            raise InputError(
                f"the node {quoted(name)} of {quoted(column.name)} cannot be written in {encoding}",
                where=hierarchy.source,
                remedy="Name it in the letters of the file, or convert the file to UTF-8.",
            ) from None


def as_categories(column: DataColumn) -> DataColumn:
    """The column as categories, whatever the file takes it for."""
    return replace(column, kind="nominal", values=None, order=(), reason="")


def group_nodes(hierarchy: Hierarchy, column: DataColumn, labels: IntArray) -> TextArray:
    """Name of the lowest node above the values of each group (m)."""
    pairs = np.unique(np.column_stack([labels, column.codes]), axis=0)
    starts = np.flatnonzero(np.r_[True, np.diff(pairs[:, 0]) != 0])
    paths = dict(zip(column.distinct, _paths(hierarchy, column), strict=True))
    names = np.empty(len(starts), dtype=object)
    for group, codes in enumerate(np.split(pairs[:, 1], starts[1:])):
        names[group] = hierarchy.node(paths[column.distinct[code]] for code in codes.tolist())
    return names


def place_nodes(
    entries: FloatArray, block: Block, hierarchy: Hierarchy, before: DataColumn, after: DataColumn
) -> None:
    """Put published nodes into the encoded values (m x width) of ``after``, in place: as what is known.

    Notes
    -----
    A node is the mean of the indicators of the values below it, weighted as they occur in the original: the
    best guess of an intruder, and of an analyst. Without this all nodes would be equally far from everything,
    and linkage would look harder than it is.
    """
    below = hierarchy.values_below()
    keys = [_key(hierarchy, before, str(text)) for text in block.categories.tolist()]
    occurring = np.bincount(after.codes, minlength=len(after.distinct))
    for code, text in enumerate(after.distinct):
        if text is None or not occurring[code]:
            continue
        held = block.centre * np.array([key in below[text] for key in keys])
        share = held / held.sum() if held.sum() > 0 else held
        entries[code] = (share - block.centre) / block.scale


def check_nodes(hierarchy: Hierarchy, after: DataColumn, place: Callable[[int], str]) -> None:
    """Raise InputError, naming the record, for a published value that is neither a value nor a node."""
    below = hierarchy.values_below()
    for code, text in enumerate(after.distinct):
        rows = np.flatnonzero(after.codes == code)
        if len(rows) and (text is None or text not in below):
            raise InputError(
                f"the masked {quoted(after.name)} is "
                + (f"{quoted(text)}, which is no node of its hierarchy" if text is not None else "missing"),
                where=place(int(rows[0])),
                expected=f"a value or a node of {hierarchy.source}",
            )


def generalization_losses(
    hierarchies: Mapping[str, Hierarchy], columns: Sequence[DataColumn]
) -> tuple[Measure, ...]:
    """Mean penalty of the published nodes over people and generalized attributes. Higher loses more.

    Both are 0 for a value itself and 1 for the root. With u values below a node of A in all, NCP is u / A,
    and the generalized loss (u - 1) / (A - 1).
    """
    certainty, loss = [], []
    for column in columns:
        hierarchy = hierarchies[column.name]
        below, everything = hierarchy.values_below(), len(hierarchy.paths)
        held = np.bincount(column.codes, minlength=len(column.distinct))
        sizes = np.array([len(below[text]) if text in below else everything for text in column.distinct])
        shares = np.where(sizes > 1, sizes / everything, 0.0)
        certainty.append(float(held @ shares) / len(column.codes))
        loss.append(float(held @ (sizes - 1)) / max(everything - 1, 1) / len(column.codes))
    found = (
        ("NCP, mean of generalized values", certainty, "Xu et al. 2006"),
        ("generalized loss, mean of generalized values", loss, "Iyengar 2002"),
    )
    return tuple(
        Measure(name=name, value=float(np.mean(values)), direction="higher loses more", source=source)
        for name, values, source in found
    )


def category_paths(hierarchy: Hierarchy, column: DataColumn, block: Block) -> tuple[tuple[str, ...], ...]:
    """Path of each category of an encoded attribute."""
    return hierarchy.of(column, tuple(block.categories.tolist()))


def _paths(hierarchy: Hierarchy, column: DataColumn) -> list[tuple[str, ...]]:
    occurring = set(np.unique(column.codes).tolist())
    return [
        hierarchy.of(column, (text,))[0] if code in occurring else ()
        for code, text in enumerate(column.distinct)
    ]


def _key(hierarchy: Hierarchy, column: DataColumn, text: str) -> str:
    """What the hierarchy calls a value of the column: its text, or its label."""
    return hierarchy.of(column, (text,))[0][-1]
