"""How the answers to each kind of question appear in the released tables."""

from __future__ import annotations

from functools import partial

from server.release.columns import TableColumn
from shared.questions import Answer, FreeText, MultipleChoice, Number, Question, Rating, SingleChoice, YesNo


def answer_columns(question: Question, language: str) -> tuple[TableColumn, ...]:
    """Columns that hold the answers to one question: one, or one per choice if several can be ticked."""
    title = question.title[language] or question.name
    column = partial(TableColumn, question=question.name, can_be_missing=not question.required)
    if isinstance(question, MultipleChoice):
        return tuple(
            column(
                name=f"{question.name}_{choice.value}",
                type="boolean",
                title=f"{title}: {choice.text[language]}",
                description="Whether this choice was ticked; empty if the question was not answered.",
                labels=(("false", "not ticked"), ("true", "ticked")),
            )
            for choice in question.choices
        )
    column = partial(column, name=question.name, title=title)
    if isinstance(question, SingleChoice):
        choices = tuple((choice.value, choice.text[language]) for choice in question.choices)
        return (column(type="string", description="The choice.", categories=choices),)
    if isinstance(question, Rating):
        low, high = str(question.minimum), str(question.maximum)
        description = f"The rating, from {low} to {high}{_scale_words(question, language)}."
        return (column(type="integer", description=description, unit="points", minimum=low, maximum=high),)
    if isinstance(question, YesNo):
        yes, no = question.yes_label[language] or "yes", question.no_label[language] or "no"
        labels = (("false", no), ("true", yes))
        return (column(type="boolean", description=f"true: {yes}; false: {no}.", labels=labels),)
    if isinstance(question, Number):
        return (
            column(
                type="number",
                description=f"The number, in steps of {question.step}.",
                unit="as asked in the question",
                minimum=question.minimum,
                maximum=question.maximum,
            ),
        )
    if isinstance(question, FreeText):
        description = (
            "Free text, as written; it may identify its writer. An apostrophe is put wherever a spreadsheet "
            "would begin a formula."
        )
        return (column(type="string", description=description),)
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
