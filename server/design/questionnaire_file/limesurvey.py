"""LimeSurvey: the tab-separated structure of a survey.

A line is a setting, a group, a question, a subquestion or an answer, in one language; those in other
languages have the same names.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from server.design.questionnaire_file.drafting import Draft, Texts, add_words
from server.design.questionnaire_file.expressions import bound, bounds, from_limesurvey
from server.design.survey_file.toml_document import read_survey_bytes
from shared.decimals import parse_decimal
from shared.errors import QuestionnaireError
from shared.limits import MAX_SPECIFICATION_BYTES

HEADER: Final = ("class", "type/scale", "name")
_SINGLE: Final = {"L": "radiogroup", "!": "dropdown", "O": "radiogroup"}
_MULTIPLE: Final = ("M", "P")
_TEXTS: Final = {"S": "text", "T": "comment", "U": "comment"}
_ARRAYS: Final[dict[str, tuple[str, ...]]] = {
    "F": (), "H": (), "A": ("1", "2", "3", "4", "5"), "B": tuple(str(i) for i in range(1, 11)),
    "C": ("yes", "uncertain", "no"), "E": ("increase", "same", "decrease"),
}  # fmt: skip
_LEFT_OUT: Final = {
    "G": "If sex matters for protection, declare it as an attribute of the design.",
    "I": "The page has its languages above it.",
    "*": "Nothing is computed on the page; compute from the released table.",
    "|": "Nobody can send files; they tell who sent them.",
    "1": "Ask two matrices, one for each scale.",
    ":": "Ask a number for each cell.",
    ";": "Ask a text for each cell.",
}
_WORDLESS: Final = ("1", "")
_LIMITING: Final = (
    "array_filter", "array_filter_exclude", "exclude_all_others", "exclude_all_others_auto", "min_answers",
    "max_answers", "minimum_chars", "maximum_chars", "numbers_only", "min_num_value", "max_num_value",
    "equals_num_value", "date_min", "date_max", "em_validation_sq",
)  # fmt: skip
"""Attributes of a question that limit what can be answered."""


@dataclass(slots=True)
class _Entry:
    """A group, question, subquestion or answer, with its texts by language."""

    row: dict[str, str]
    text: Texts = field(default_factory=dict)
    help: Texts = field(default_factory=dict)
    inner: dict[str, _Entry] = field(default_factory=dict)
    answers: dict[str, _Entry] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return self.row.get("type/scale", "").strip()

    @property
    def name(self) -> str:
        return self.row.get("name", "").strip()

    def say(self, row: dict[str, str]) -> None:
        language = row.get("language", "").strip()
        self.text[language], self.help[language] = row.get("text", ""), row.get("help", "")


def import_limesurvey(path: Path, languages: tuple[str, ...]) -> Draft:
    """Draft of an export "Tab-separated values" of a survey's structure.

    Raises
    ------
    QuestionnaireError
        If the file has another form.
    """
    settings, titles, groups = _structure(_rows(path))
    own = settings.get("language", "") or next((code for code in titles if code), "en")
    others = settings.get("additional_languages", "").split()
    draft = Draft(languages=languages or tuple(dict.fromkeys([own, *others])))
    if titles:
        title = titles.get(own) or next(iter(titles.values()))
        draft.title = {code: titles.get(code) or title for code in draft.languages}
    _Writer(draft, groups).write()
    return draft


def _rows(path: Path) -> Iterator[dict[str, str]]:
    data = read_survey_bytes(path)
    try:
        if len(data) > MAX_SPECIFICATION_BYTES:
            raise ValueError
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter="\t")
        header = [name.strip() for name in next(reader, [])]
        if not set(HEADER) <= set(header):
            raise ValueError
        rows = [dict(zip(header, row, strict=False)) for row in reader]
    except (ValueError, csv.Error):
        raise QuestionnaireError(
            "this is no survey structure of LimeSurvey",
            where=path.name,
            expected=f"tab-separated UTF-8 text whose first line has {', '.join(HEADER)}",
            remedy="In LimeSurvey: Display/Export, Tab-separated values.",
        ) from None
    yield from rows


def _structure(rows: Iterator[dict[str, str]]) -> tuple[dict[str, str], Texts, list[_Entry]]:
    """Settings, titles by language, and groups with their questions."""
    settings: dict[str, str] = {}
    titles: Texts = {}
    groups: dict[str, _Entry] = {}
    questions: dict[str, _Entry] = {}
    group = question = None
    for row in rows:
        kind, name = row.get("class", "").strip(), row.get("name", "").strip()
        if kind == "S":
            settings[name] = row.get("text", "")
        elif kind == "SL" and name == "surveyls_title":
            titles[row.get("language", "").strip()] = row.get("text", "")
        elif kind == "G":
            # Newer versions write the order of a group as its type, which several can share.
            key = row.get("id", "").strip() or row.get("type/scale", "").strip() or name
            group = groups.setdefault(key, _Entry(row))
            group.say({**row, "help": name})
        elif kind == "Q" and group is not None:
            question = questions.get(name)
            if question is None:
                question = questions[name] = group.inner[name] = _Entry(row)
            question.say(row)
        elif kind in ("SQ", "A") and question is not None:
            held = question.inner if kind == "SQ" else question.answers
            held.setdefault(f"{row.get('type/scale', '').strip()} {name}", _Entry(row)).say(row)
    return settings, titles, [*groups.values()]


class _Writer:
    """Turns groups into pages."""

    def __init__(self, draft: Draft, groups: list[_Entry]) -> None:
        self._draft, self._groups = draft, groups
        questions = [question for group in groups for question in group.inner.values()]
        self._boxes = {
            f"{q.name}_{sub.name}": (q.name, sub.name)
            for q in questions
            if q.kind in _MULTIPLE
            for sub in q.inner.values()
        }
        self._yes_no = {q.name for q in questions if q.kind == "Y"}

    def write(self) -> None:
        """Pages of the draft."""
        for group in self._groups:
            page: dict[str, Any] = {"title": group.help, "elements": []}
            if any(text.strip() for text in group.text.values()):
                page["description"] = group.text
            condition = self._condition(group)
            if condition:
                page["visibleIf"] = condition
            waiting: list[_Entry] = []
            for question in group.inner.values():
                if question.kind == "X" and question.row.get("relevance", "").strip() in _WORDLESS:
                    waiting.append(question)
                    continue
                elements = [*self._elements(question)]
                for words in waiting if elements else ():
                    add_words(elements[0] if page["elements"] else page, words.text, self._draft)
                waiting = [] if elements else waiting
                page["elements"] += elements
            self._draft.add_page(page, [words.text for words in waiting])

    def _elements(self, question: _Entry) -> Iterator[dict[str, Any]]:
        kind, name = question.kind, question.name
        common = {"name": name, **self._asked(question)}
        choices = [_choice(answer) for answer in question.answers.values()]
        subquestions = [_choice(sub) for sub in question.inner.values()]
        if question.row.get("hidden", "").strip() == "1":
            self._leave(name, "It is hidden.", "Nobody is asked it.")
        elif kind in _SINGLE:
            yield common | {"type": _SINGLE[kind], "choices": choices} | _other(question)
        elif kind in _MULTIPLE:
            yield common | {"type": "checkbox", "choices": subquestions} | _other(question)
        elif kind == "R":
            yield common | {"type": "ranking", "choices": choices or subquestions}
        elif kind == "Y":
            yield common | {"type": "boolean"}
        elif kind == "5":
            yield common | {"type": "rating", "rateMin": 1, "rateMax": 5}
        elif kind == "N":
            yield common | self._number(question)
        elif kind == "D":
            yield common | {"type": "text", "inputType": "date"}
        elif kind in _TEXTS:
            yield common | {"type": _TEXTS[kind]}
        elif kind in ("K", "Q"):
            for sub in question.inner.values():
                one = self._number(question) if kind == "K" else {"type": "text"}
                yield common | one | {"name": f"{name}_{sub.name}", "title": _both(question.text, sub.text)}
        elif kind in _ARRAYS:
            columns = choices or [{"value": value, "text": value} for value in _ARRAYS[kind]]
            yield common | {"type": "matrix", "rows": subquestions, "columns": columns}
        else:
            self._leave(
                name, f"A question of the type {kind!r} cannot be asked.", _LEFT_OUT.get(kind, "Leave it.")
            )
        if kind in ("O", "P"):
            self._leave(name, "The comments beside its choices are left out.", "Add a comment element.")

    def _asked(self, question: _Entry) -> dict[str, Any]:
        row = question.row
        result: dict[str, Any] = {"title": question.text}
        if any(text.strip() for text in question.help.values()):
            result["description"] = question.help
        if row.get("mandatory", "").strip() == "Y":
            result["isRequired"] = True
        condition = self._condition(question)
        if condition:
            result["visibleIf"] = condition
        if row.get("default", "").strip():
            self._leave(question.name, "An answer stood there already.", "She gives it herself.")
        if question.kind != "N" and row.get("em_validation_q", "").strip():
            self._leave(question.name, "Its validation is left out.", "Look at it.")
        limiting = [key for key in _LIMITING if row.get(key, "").strip() not in ("", "0")]
        if limiting:
            self._leave(question.name, f"These are left out: {', '.join(limiting)}.", "Look at them.")
        if any(sub.row.get("relevance", "").strip() not in _WORDLESS for sub in question.inner.values()):
            self._leave(
                question.name, "Lines of it depended on other answers; all are asked.", "Split the question."
            )
        if row.get("validation", "").strip():
            self._leave(question.name, "Its regular expression is left out.", "Look at it.")
        return result

    def _number(self, question: _Entry) -> dict[str, Any]:
        row = question.row
        step = "1" if row.get("num_value_int_only", "").strip() == "1" else "0.01"
        text = re.sub(r"\b(?:self|this)(?:\.NAOK)?\b", ".", row.get("em_validation_q", "").strip())
        found, whole = bounds(text, step)
        given = [(">=", "min", row.get("min_num_value_n", "")), ("<=", "max", row.get("max_num_value_n", ""))]
        for operator, end, number in given:
            if parse_decimal(number.strip()) is not None:
                found[end] = bound(operator, number.strip(), step)
            elif number.strip():
                whole, text = False, number
        if text and not whole:
            self._leave(question.name, "Its validation is left out.", "Give it min and max.")
        low, high = found.get("min"), found.get("max")
        if not low or not high:
            self._leave(
                question.name, f"It is asked from {low or 0} to {high or 1000000}.", "Give it min and max."
            )
        ends = {"min": low or "0", "max": high or "1000000", "step": step}
        unit = {"unit": suffix} if (suffix := row.get("suffix", "").strip()) else {}
        return {"type": "text", "inputType": "number", **ends, **unit}

    def _condition(self, entry: _Entry) -> str | None:
        text = entry.row.get("relevance", "").strip()
        if text in _WORDLESS:
            return None
        condition = from_limesurvey(text, self._boxes)
        for name in self._yes_no:
            for letter, value in (("Y", "true"), ("N", "false")):
                condition = re.sub(
                    rf"(\{{{re.escape(name)}\}} (?:==|=|!=|<>)) *['\"]{letter}['\"]",
                    rf"\1 {value}",
                    condition,
                )
        return condition

    def _leave(self, name: str, reason: str, remedy: str) -> None:
        self._draft.note(name, reason, remedy)


def _choice(entry: _Entry) -> dict[str, Any]:
    return {"value": entry.name, "text": {code: text or entry.name for code, text in entry.text.items()}}


def _other(question: _Entry) -> dict[str, Any]:
    if question.row.get("other", "").strip() != "Y":
        return {}
    text = question.row.get("other_replace_text", "").strip()
    return {"hasOther": True} | ({"otherText": text} if text else {})


def _both(question: Texts, sub: Texts) -> Texts:
    return {code: f"{text}: {sub.get(code, '')}" for code, text in question.items()}
