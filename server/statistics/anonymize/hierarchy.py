"""Hierarchies of values, as CSV files in the form that ARX uses: a value, then its ancestors upwards.

flu;respiratory;*
asthma;respiratory;*
rash;skin;*
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.tables.column import DataColumn
from server.tables.delimited import read_bytes
from server.tables.sniffing import decode
from server.wording import nearest_name, quoted
from shared.errors import InputError

_SEPARATORS: Final = ";,\t|"
_ROOT: Final = "*"
"""Name of the root where the file has several topmost nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """Ancestors of the values of one attribute.

    Attributes
    ----------
    source : str
        The file.
    paths : mapping of value to path
        From just below the root down to the value itself, all of one length.
    root : str
        Its name.
    """

    source: str
    paths: Mapping[str, tuple[str, ...]]
    root: str = _ROOT

    def of(self, column: DataColumn, values: tuple[object, ...]) -> tuple[tuple[str, ...], ...]:
        """Paths of some values of a column, found by their text or their value label.

        Raises
        ------
        InputError
            For a value that the file does not have.
        """
        found = []
        for value in values:
            text = str(value)
            path = self.paths.get(text) or self.paths.get(column.value_labels.get(text, text))
            if path is None:
                shown = quoted(column.shown(text))
                raise InputError(
                    f"the value {shown} of {quoted(column.name)} is not in the hierarchy",
                    where=self.source,
                    expected="a line for every value of the column",
                    remedy=f"{nearest_name(text, tuple(self.paths))}Write values alike in both files.",
                )
            found.append(path)
        return tuple(found)

    def node(self, paths: Iterable[tuple[str, ...]]) -> str:
        """Name of the lowest node above all of some values, or of the value if it is one."""
        first, *others = paths
        shared = len(first)
        for path in others:
            shared = next((i for i in range(shared) if path[i] != first[i]), shared)
        return first[shared - 1] if shared else self.root

    def values_below(self) -> dict[str, frozenset[str]]:
        """The values that each name stands for: of a value itself, of every node, and of the root.

        Raises
        ------
        InputError
            If one name stands for two sets of values: published, it would mean either.
        """
        below: dict[tuple[str, ...], set[str]] = {}
        for value, path in self.paths.items():
            for depth in range(len(path) + 1):
                below.setdefault(path[:depth], set()).add(value)
        named: dict[str, frozenset[str]] = {}
        for place, values in below.items():
            name = place[-1] if place else self.root
            if named.setdefault(name, frozenset(values)) != values:
                raise InputError(
                    f"{quoted(name)} stands for two sets of values: once for {len(named[name])} and once for"
                    f" {len(values)}",
                    where=self.source,
                    expected="one meaning for every name that can be published",
                    remedy="Give one of the nodes another name.",
                )
        return named


def read_hierarchy(path: Path, attribute: str) -> Hierarchy:
    """Read the hierarchy of an attribute.

    Parameters
    ----------
    path : Path
        CSV with semicolons, commas, tabs or bars; UTF-8, or what `server.tables` finds out. One line a
        value: the value, its parent, and so on up; a last level that is the same for all is the root. A
        first line that begins with the attribute's name or "value" is a header.
    attribute : str

    Raises
    ------
    InputError
        Naming the line: fewer levels than the first line has, an empty field, a value twice, one node under
        two parents.
    """
    if not path.is_file():
        raise InputError("there is no such file", where=str(path), remedy="Check the name.")
    text, _ = decode(read_bytes(path, source=path.name), source=path.name)
    file = io.StringIO(text, newline=None)  # the line ends of every system
    first = file.readline()
    file.seek(0)
    separator = max(_SEPARATORS, key=first.count)
    lines: list[tuple[int, list[str]]] = []
    reader = csv.reader(file, delimiter=separator, strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                lines.append((reader.line_num, [cell.strip() for cell in row]))
    except csv.Error as error:
        raise InputError(
            f"this is no line of a CSV ({error})",
            where=f"{path.name}, line {reader.line_num}",
            expected="value;parent;... per line",
        ) from None
    if lines and lines[0][1][0].casefold() in ("value", attribute.casefold()):
        lines = lines[1:]
    if not lines:
        raise InputError("the hierarchy has no line", where=path.name, expected="value;parent;... per line")
    _check(path.name, lines)
    rows = [row for _, row in lines]
    root = _ROOT
    if len({row[-1] for row in rows}) == 1:
        root = rows[0][-1]
        rows = [row[:-1] for row in rows]
    return Hierarchy(source=path.name, paths={row[0]: tuple(reversed(row)) for row in rows}, root=root)


def read_hierarchies(
    files: Mapping[str, Path], quasi_identifiers: Sequence[str], confidential: Sequence[str]
) -> tuple[dict[str, Hierarchy], dict[str, Hierarchy]]:
    """Hierarchies of quasi-identifiers, to generalize along, and of confidential attributes.

    Raises
    ------
    InputError
        If a column is neither, or as :func:`read_hierarchy`.
    """
    for name in files:
        if name not in (*quasi_identifiers, *confidential):
            raise InputError(f"{quoted(name)} is not a quasi-identifier or confidential", where="--hierarchy")
    trees = {name: read_hierarchy(path, name) for name, path in files.items()}
    along = {name: tree for name, tree in trees.items() if name in quasi_identifiers}
    return along, {name: tree for name, tree in trees.items() if name not in along}


def _check(source: str, lines: list[tuple[int, list[str]]]) -> None:
    first, levels = lines[0][0], len(lines[0][1])
    if levels < 2:
        raise InputError(
            "a value without a parent is no hierarchy",
            where=f"{source}, line {first}",
            expected="the value, its parent, and so on up, with ; or , between",
        )
    seen: dict[str, int] = {}
    parents: dict[tuple[int, str], tuple[str, int]] = {}
    for number, row in lines:
        where = f"{source}, line {number}"
        if len(row) != levels:
            raise InputError(
                f"there are {len(row)} levels, where line {first} has {levels}",
                where=where,
                expected="the same number in every line; repeat a value that skips a level",
            )
        if "" in row:
            raise InputError(f"field {row.index('') + 1} is empty", where=where)
        if row[0] in seen:
            raise InputError(f"the value {quoted(row[0])} stands in line {seen[row[0]]} already", where=where)
        seen[row[0]] = number
        for level in range(1, levels - 1):
            above, line = parents.setdefault((level, row[level]), (row[level + 1], number))
            if above != row[level + 1]:
                raise InputError(
                    f"{quoted(row[level])} belongs to {quoted(row[level + 1])} here "
                    f"and to {quoted(above)} in line {line}",
                    where=where,
                    expected="one parent for every node",
                )
