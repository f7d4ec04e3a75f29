"""Free text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, final

from shared.characters import normalized, writable
from shared.conditions import Answer, Compared, Value
from shared.errors import QuestionnaireError
from shared.fields import Fields
from shared.limits import MAX_COMMENT_CHARACTERS
from shared.questions.base import AnswerColumn, Asking, Measure, Question
from shared.questions.texts import Localized

_LINE_CHARACTERS: Final = 200
_DESCRIPTION: Final = (
    "Free text, as written; it may identify its writer. An apostrophe is put wherever a spreadsheet would "
    "begin a formula."
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText(Question):
    """Free text, which can identify its writer; only where the organizer allows it.

    Attributes
    ----------
    max_characters : int
    one_line : bool
        Whether its field has one line, and no line ends can be in it.
    """

    types: ClassVar[tuple[str, ...]] = ("comment", "text:text")
    permitted: ClassVar[tuple[str, ...]] = (*Asking.permitted, "maxLength", "inputType")
    kind: ClassVar[str] = "text"
    measure: ClassVar[Measure | None] = None
    comparison: ClassVar[Compared] = "nothing"
    free_text: ClassVar[bool] = True

    max_characters: int
    one_line: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_characters <= MAX_COMMENT_CHARACTERS:
            raise QuestionnaireError(
                "maxLength is impossible", where=self.name, expected=f"1 to {MAX_COMMENT_CHARACTERS}"
            )

    @classmethod
    def read(
        cls,
        fields: Fields,
        languages: tuple[str, ...],  # noqa: ARG003 (as in every element)
        common: dict[str, Any],
    ) -> Self:
        one_line = fields.raw("type") == "text"
        if "inputType" in fields and not one_line:
            raise fields.fail("inputType", "a comment has several lines", "no inputType, or a text element")
        longest = _LINE_CHARACTERS if one_line else MAX_COMMENT_CHARACTERS
        if "maxLength" in fields:
            longest = fields.integer("maxLength", 1, MAX_COMMENT_CHARACTERS)
        return cls(**common, max_characters=longest, one_line=one_line)

    def accept(self, value: Any) -> Answer:
        text = normalized(value) if isinstance(value, str) else ""
        if self.one_line:
            text = text.replace("\n", " ")
        if not 0 < len(text) <= self.max_characters or not writable(text):
            raise self._refuse(f"a text of at most {self.max_characters} characters")
        return text

    @property
    def longest_answer(self) -> int:
        """See :meth:`Question.longest_answer`.

        Notes
        -----
        A character beyond the first plane takes four bytes in UTF-8; a quotation mark, a backslash or a line
        break takes two as an escape; no other character that :func:`shared.characters.writable` allows is
        escaped.
        """
        return 4 * self.max_characters + 2

    @property
    def domain_size(self) -> int | None:
        return None

    def rank(self, answer: Any) -> Any:
        return answer

    def literal(self, text: str) -> Value | None:  # noqa: ARG002 (as in every question)
        """See :meth:`Question.literal`: what people write is not compared."""
        return None

    def columns(self, language: str) -> tuple[AnswerColumn, ...]:
        return (
            AnswerColumn(
                name=self.name, type="string", title=self.column_title(language), description=_DESCRIPTION
            ),
        )

    def values(self, answer: Answer) -> tuple[str, ...]:
        return (str(answer),)

    @property
    def words(self) -> dict[str | bool, Localized]:
        return {}

    def to_object(self) -> dict[str, Any]:
        if self.one_line:
            return self._common_object("text") | {"inputType": "text", "maxLength": self.max_characters}
        return self._common_object("comment") | {"maxLength": self.max_characters}
