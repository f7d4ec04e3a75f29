"""The columns of the released tables: one description serves header, data package and report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from server.release.safe_text import formula_safe
from shared.attributes.shown import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn(Column):
    """One column of a released table.

    Attributes
    ----------
    labels : tuple of (str, str)
        What ``true`` and ``false`` mean; empty for other types.
    question : str
        Name of the question whose answers it holds; empty for other columns.
    """

    labels: tuple[tuple[str, str], ...] = ()
    question: str = ""

    @classmethod
    def of(cls, column: Column) -> TableColumn:
        """A column of a quasi-identifier."""
        return cls(**{field.name: getattr(column, field.name) for field in fields(column)})


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
