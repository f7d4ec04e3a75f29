"""The columns of the released tables: one description serves header, data package and report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from server.release.safe_text import formula_safe

ColumnType = Literal["integer", "number", "string", "boolean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """One column of a released table.

    Parameters
    ----------
    name : str
        As in the header.
    type : {"integer", "number", "string", "boolean"}
        Its Frictionless type.
    title, description : str
        For people.
    unit : str
        Unit of a number; empty where the values have none.
    categories : tuple of (str, str)
        Value and label of each category; empty if the values are not categories.
    labels : tuple of (str, str)
        What ``true`` and ``false`` mean; empty for other types.
    ordered : bool
        Whether the categories ascend.
    minimum, maximum : str or None
        Bounds of a number.
    can_be_missing : bool
        Whether a field can be empty.
    question : str
        Name of the question whose answers it holds; empty for other columns.
    """

    name: str
    type: ColumnType
    title: str
    description: str
    unit: str = ""
    categories: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    ordered: bool = False
    minimum: str | None = None
    maximum: str | None = None
    can_be_missing: bool = False
    question: str = ""


def published_columns(columns: Iterable[TableColumn]) -> tuple[TableColumn, ...]:
    """The columns as they are published: names and categories are no formulas, and no name stands twice.

    A column whose name is already taken (a question called like an attribute) gets a numbered one.
    """
    taken: set[str] = set()
    result = []
    for column in columns:
        name = plain = formula_safe(column.name)
        number = 2
        while name.casefold() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.casefold())
        categories = tuple((formula_safe(value), label) for value, label in column.categories)
        result.append(replace(column, name=name, categories=categories))
    return tuple(result)
