"""How the answers to each kind of question appear in the released tables."""

from __future__ import annotations

from server.release.columns import TableColumn
from shared.questions import Answer, FreeText, MultipleChoice, Number, Question, Rating, SingleChoice, YesNo


def answer_columns(question: Question, language: str) -> tuple[TableColumn, ...]:
    """Columns that hold the answers to one question: one, or one per choice if several can be ticked."""
    title, absent = question.title[language] or question.name, not question.required
    if isinstance(question, SingleChoice):
        return (
            TableColumn(
                name=question.name,
                type="string",
                title=title,
                description="The choice.",
                categories=tuple((choice.value, choice.text[language]) for choice in question.choices),
                can_be_missing=absent,
                question=question.name,
            ),
        )
    if isinstance(question, MultipleChoice):
        return tuple(
            TableColumn(
                name=f"{question.name}_{choice.value}",
                type="boolean",
                title=f"{title}: {choice.text[language]}",
                description="Whether this choice was ticked; empty if the question was not answered.",
                labels=(("false", "not ticked"), ("true", "ticked")),
                can_be_missing=absent,
                question=question.name,
            )
            for choice in question.choices
        )
    if isinstance(question, Rating):
        scale = _scale_words(question, language)
        low, high = str(question.minimum), str(question.maximum)
        description = f"The rating, from {low} to {high}{scale}."
        return (
            TableColumn(
                name=question.name,
                type="integer",
                title=title,
                description=description,
                unit="points",
                minimum=low,
                maximum=high,
                can_be_missing=absent,
                question=question.name,
            ),
        )
    if isinstance(question, YesNo):
        yes, no = question.yes_label[language] or "yes", question.no_label[language] or "no"
        description = f"true: {yes}; false: {no}."
        return (
            TableColumn(
                name=question.name,
                type="boolean",
                title=title,
                description=description,
                labels=(("false", no), ("true", yes)),
                can_be_missing=absent,
                question=question.name,
            ),
        )
    if isinstance(question, Number):
        return (
            TableColumn(
                name=question.name,
                type="number",
                title=title,
                description=f"The number, in steps of {question.step}.",
                unit="as asked in the question",
                minimum=question.minimum,
                maximum=question.maximum,
                can_be_missing=absent,
                question=question.name,
            ),
        )
    if isinstance(question, FreeText):
        description = (
            "Free text, as written; it may identify its writer. An apostrophe is put wherever a spreadsheet "
            "would begin a formula."
        )
        return (
            TableColumn(
                name=question.name,
                type="string",
                title=title,
                description=description,
                can_be_missing=absent,
                question=question.name,
            ),
        )
    raise TypeError(f"no columns for a question of kind {question.kind!r}")


def answer_values(question: Question, answer: Answer | None) -> tuple[str, ...]:
    """Values of :func:`answer_columns` for one person; empty texts if she did not answer."""
    if isinstance(question, MultipleChoice):
        if answer is None:
            return ("",) * len(question.choices)
        ticked = answer if isinstance(answer, tuple) else ()
        return tuple(_boolean(choice.value in ticked) for choice in question.choices)
    if answer is None:
        return ("",)
    if isinstance(answer, bool):
        return (_boolean(answer),)
    return (str(answer),)


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _scale_words(question: Rating, language: str) -> str:
    low, high = question.minimum_label[language], question.maximum_label[language]
    return f" ({low} to {high})" if low and high else ""
