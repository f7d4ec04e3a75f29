"""A matrix: the same choices for each of several rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

from shared.fields import Fields
from shared.limits import MAX_ROWS
from shared.questions.base import Asking, Question
from shared.questions.choices import Choice, choices_object, label, read_choices
from shared.questions.single import SingleChoice


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(Asking):
    """Rows, for each of which one of the same choices is taken: each row is a question of its own.

    Attributes
    ----------
    rows : tuple of Choice
        Value and text of each.
    choices : tuple of Choice
        The columns that are shown.
    required : bool
        Whether every row must be answered.
    """

    types: ClassVar[tuple[str, ...]] = ("matrix",)
    needed: ClassVar[tuple[str, ...]] = ("rows", "columns")

    rows: tuple[Choice, ...]
    choices: tuple[Choice, ...]

    @classmethod
    def read(cls, fields: Fields, languages: tuple[str, ...], common: dict[str, Any]) -> Self:
        rows = read_choices(fields, "rows", languages, minimum=1, maximum=MAX_ROWS)
        return cls(**common, rows=rows, choices=read_choices(fields, "columns", languages, maximum=MAX_ROWS))

    @property
    def questions(self) -> tuple[Question, ...]:
        """See :attr:`Element.questions`: one for each row, called by the name and the value of the row."""
        return tuple(
            SingleChoice(
                name=f"{self.name}_{row.value}",
                title={
                    language: f"{title or self.name}: {label(row, language)}"
                    for language, title in self.title.items()
                },
                description=self.description,
                required=self.required,
                visible_if=self.visible_if,
                required_if=self.required_if,
                choices=self.choices,
            )
            for row in self.rows
        )

    def to_object(self) -> dict[str, Any]:
        return self._common_object("matrix") | {
            "rows": choices_object(self.rows),
            "columns": choices_object(self.choices),
        }
