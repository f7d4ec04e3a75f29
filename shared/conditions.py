"""Conditions of questions: when one is shown, and when it must be answered.

The expressions of SurveyJS, as far as they compare an answer to an earlier question with values. A condition
is read once into a tree, checked against the questions that it names, and evaluated on the device and on the
server by this module alone; SurveyJS never sees it.

Grammar (precedence from low to high)::

    condition  = all {("or" | "||") all}
    all        = one {("and" | "&&") one}
    one        = ("!" | "negate") one | "(" condition ")" | "{" name "}" [comparison]
    comparison = ("empty" | "notempty") | operator (value | "[" value {"," value} "]")
    value      = "'" text "'" | '"' text '"' | number | "true" | "false" | word
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NoReturn, Protocol

from shared.errors import QuestionnaireError
from shared.limits import MAX_CONDITION_CHARACTERS, MAX_CONDITION_DEPTH, MAX_CONDITION_TERMS

Answer = str | int | bool | tuple[str, ...]
Answers = Mapping[str, Answer]
Value = str | bool
Compared = Literal["value", "number", "text", "set", "nothing"]
"""As what answers are compared: one of listed values, a number, a text in its order, a set, or not at all."""

_WORDS: Final = {
    "=": "=", "==": "=", "equal": "=", "equals": "=",
    "<>": "<>", "!=": "<>", "notequal": "<>", "notequals": "<>",
    "<": "<", "less": "<", "<=": "<=", "lessorequal": "<=",
    ">": ">", "greater": ">", ">=": ">=", "greaterorequal": ">=",
    "contains": "contains", "contain": "contains", "*=": "contains",
    "notcontains": "notcontains", "notcontain": "notcontains",
    "anyof": "anyof", "noneof": "noneof", "allof": "contains",
    "empty": "empty", "notempty": "notempty",
}  # fmt: skip
_PERMITTED: Final[dict[Compared, tuple[str, ...]]] = {
    "value": ("=", "<>", "anyof", "noneof"),
    "number": ("=", "<>", "<", "<=", ">", ">=", "anyof", "noneof"),
    "text": ("=", "<>", "<", "<=", ">", ">="),
    "set": ("=", "<>", "contains", "notcontains", "anyof", "noneof"),
    "nothing": (),
}
_PLAIN: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_TOKEN: Final = re.compile(
    r"""\s*(?:\{(?P<name>[^{}]*)\}
    |'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"
    |(?P<number>-?\d+(?:\.\d+)?(?![\w.-]))
    |(?P<sign><=|>=|<>|!=|==|&&|\|\||\*=|[=<>!()\[\],])
    |(?P<word>[A-Za-z_][\w-]*))""",
    re.VERBOSE | re.ASCII,
)


class Operand(Protocol):
    """What a condition needs to know of a question."""

    @property
    def compared_as(self) -> Compared:
        """How its answers are compared."""

    def literal(self, text: str) -> Value | None:
        """The value that a text in a condition means; None if no answer can be compared with it."""


class Condition(ABC):
    """Something that holds of the answers to earlier questions, or does not."""

    __slots__ = ()

    @abstractmethod
    def holds(self, answers: Answers) -> bool:
        """Whether it holds of canonical answers; what was not answered is absent."""

    @abstractmethod
    def to_text(self) -> str:
        """In the one form in which it is signed."""

    @abstractmethod
    def names(self) -> Iterator[str]:
        """Questions on which it depends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Condition):
    """An answer compared with values.

    Attributes
    ----------
    question : str
    operator : str
        ``empty``, ``notempty`` or one of those that the question permits.
    values : tuple of str or bool
        What it is compared with.
    compared_as : str
        How, see :data:`Compared`.
    """

    question: str
    operator: str
    values: tuple[Value, ...] = ()
    compared_as: Compared = "value"

    def holds(self, answers: Answers) -> bool:
        """See :meth:`Condition.holds`. An answer that is absent equals nothing and is less than nothing."""
        answer = answers.get(self.question)
        if self.operator in _OPPOSITE:
            return not self._holds(_OPPOSITE[self.operator], answer)
        return self._holds(self.operator, answer)

    def _holds(self, operator: str, answer: Answer | None) -> bool:
        if answer is None or answer == ():
            return operator == "empty"
        if operator == "empty":
            return False
        if isinstance(answer, tuple):
            if operator == "=":
                return set(answer) == set(self.values)
            inside = [value in answer for value in self.values]
            return all(inside) if operator == "contains" else any(inside)
        if operator == "anyof":
            return any(self._key(value) == self._key(answer) for value in self.values)
        return _COMPARE[operator](self._key(answer), self._key(self.values[0]))

    def _key(self, value: Answer) -> Fraction | str | bool:
        if self.compared_as == "number":
            return Fraction(str(value))
        return value if isinstance(value, bool) else str(value)

    def to_text(self) -> str:
        if not self.values:
            return f"{{{self.question}}} {self.operator}"
        texts = [self._written(value) for value in self.values]
        exactly = self.compared_as == "set" and self.operator in ("=", "<>")
        listed = exactly or self.operator in ("anyof", "noneof") or len(texts) > 1
        return f"{{{self.question}}} {self.operator} " + (f"[{', '.join(texts)}]" if listed else texts[0])

    def _written(self, value: Value) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if self.compared_as == "number" and _PLAIN.fullmatch(value):
            return value
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def names(self) -> Iterator[str]:
        yield self.question


_OPPOSITE: Final = {"<>": "=", "notempty": "empty", "notcontains": "contains", "noneof": "anyof"}
_COMPARE: Final[dict[str, Callable[..., bool]]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(Condition):
    """Conditions of which all, or any, must hold.

    Attributes
    ----------
    word : {"and", "or"}
    parts : tuple of Condition
        At least two.
    """

    word: str
    parts: tuple[Condition, ...]

    def holds(self, answers: Answers) -> bool:
        return (all if self.word == "and" else any)(part.holds(answers) for part in self.parts)

    def to_text(self) -> str:
        texts = (f"({p.to_text()})" if isinstance(p, Joined) else p.to_text() for p in self.parts)
        return f" {self.word} ".join(texts)

    def names(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.names()


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(Condition):
    """A condition that must not hold."""

    part: Condition

    def holds(self, answers: Answers) -> bool:
        return not self.part.holds(answers)

    def to_text(self) -> str:
        return f"!({self.part.to_text()})"

    def names(self) -> Iterator[str]:
        return self.part.names()


def parse_condition(text: str, where: str, earlier: Mapping[str, Operand]) -> Condition:
    """Read a condition.

    Parameters
    ----------
    text : str
        An expression of SurveyJS.
    where : str
        Its place in the document, for messages.
    earlier : mapping of str to Operand
        The questions that stand before the one that has the condition, by name.

    Raises
    ------
    QuestionnaireError
        For what the grammar does not know, too much of it, a question that is not asked before, or a value
        that is no answer to it.

    Notes
    -----
    Only earlier questions can be named, so that no two conditions depend on each other. A question that is
    hidden has no answer.

    Guarantee: for every text, either an error, or a condition ``c`` such that reading ``c.to_text()`` gives
    ``c``; the work is linear in the length of the text, which is bounded.
    """
    if len(text) > MAX_CONDITION_CHARACTERS:
        raise QuestionnaireError(
            f"the condition has {len(text)} characters",
            where=where,
            expected=f"at most {MAX_CONDITION_CHARACTERS}",
        )
    return _Reader(text, where, earlier).read()


class _Reader:
    """A recursive descent over the tokens of one condition."""

    def __init__(self, text: str, where: str, earlier: Mapping[str, Operand]) -> None:
        self._where, self._earlier = where, earlier
        self._tokens = [*self._split(text)]
        self._at = self._terms = self._depth = 0

    def read(self) -> Condition:
        result = self._any()
        if self._at < len(self._tokens):
            self._refuse(f"{self._seen()} stands where the condition should end", "and, or, or nothing")
        return result

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                self._refuse(f"{text[place : place + 20].strip()!r} is not understood", "a comparison")
            kind = str(match.lastgroup)
            value = match[kind]
            if kind in ("single", "double"):
                kind, value = "value", re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
            yield kind, value.strip() if kind == "name" else value
            place = match.end()

    def _any(self) -> Condition:
        return self._joined("or", "||", lambda: self._joined("and", "&&", self._one))

    def _joined(self, word: str, sign: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self._take(word, sign):
            parts.append(part())
        flat = [q for p in parts for q in (p.parts if isinstance(p, Joined) and p.word == word else (p,))]
        return flat[0] if len(flat) == 1 else Joined(word=word, parts=tuple(flat))

    def _one(self) -> Condition:
        if self._depth > MAX_CONDITION_DEPTH:
            self._refuse("the parentheses are nested too deeply", f"at most {MAX_CONDITION_DEPTH} levels")
        if self._take("!", "negate"):
            self._depth += 1
            part = self._one()
            self._depth -= 1
            return part.part if isinstance(part, Not) else Not(part=part)
        if self._take("("):
            self._depth += 1
            inner = self._any()
            self._depth -= 1
            if not self._take(")"):
                self._refuse("a parenthesis is not closed", ")")
            return inner
        return self._comparison()

    def _comparison(self) -> Condition:
        self._terms += 1
        if self._terms > MAX_CONDITION_TERMS:
            self._refuse("too many comparisons", f"at most {MAX_CONDITION_TERMS}")
        kind, name = self._next()
        if kind != "name":
            self._refuse(f"{self._seen(-1)} stands where a question should", "{name of an earlier question}")
        name = self._known(name)
        question = self._earlier[name]
        kind, word = self._peek()
        operator = _WORDS.get(word.lower()) if kind in ("word", "sign") else None
        if operator is None:
            if question.literal("true") is True:  # {smokes} alone
                return Comparison(question=name, operator="=", values=(True,))
            self._refuse(f"{self._seen()} follows {{{name}}}", "a comparison, such as = 'yes' or notempty")
        self._at += 1
        compared_as = question.compared_as
        if operator in ("empty", "notempty"):
            return Comparison(question=name, operator=operator, compared_as=compared_as)
        if operator not in _PERMITTED[compared_as]:
            permitted = ", ".join((*_PERMITTED[compared_as], "empty", "notempty"))
            self._refuse(f"answers to {name!r} cannot be compared by {word}", permitted)
        values = tuple(self._value(name, question, text) for text in self._listed())
        if len(values) > 1 and compared_as != "set" and operator not in ("anyof", "noneof"):
            self._refuse(f"{name!r} is compared by {word} with a list", "one value, or anyof")
        return Comparison(question=name, operator=operator, values=values, compared_as=compared_as)

    def _known(self, name: str) -> str:
        known = name if name in self._earlier else name.replace(".", "_", 1)  # {matrix.row}
        if known not in self._earlier:
            self._refuse(
                f"the condition names {name[:80]!r}, which is not asked before",
                "earlier questions: " + (", ".join(self._earlier)[:200] or "there are none"),
            )
        return known

    def _value(self, name: str, question: Operand, text: str) -> Value:
        value = question.literal(text)
        if value is None:
            self._refuse(f"{text[:80]!r} is no answer to {name!r}", "a value that can be answered")
        return value

    def _listed(self) -> list[str]:
        if not self._take("["):
            return [self._text()]
        texts = [self._text()]
        while self._take(","):
            texts.append(self._text())
        if not self._take("]"):
            self._refuse("a list is not closed", "]")
        return texts

    def _text(self) -> str:
        kind, value = self._next()
        if kind not in ("value", "number", "word"):
            self._refuse(f"{self._seen(-1)} stands where a value should", "a value, such as 'yes' or 5")
        return value

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _next(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def _take(self, *words: str) -> bool:
        kind, value = self._peek()
        if kind not in ("word", "sign") or value.lower() not in words:
            return False
        self._at += 1
        return True

    def _seen(self, offset: int = 0) -> str:
        place = self._at + offset
        return repr(self._tokens[place][1][:80]) if place < len(self._tokens) else "nothing"

    def _refuse(self, message: str, expected: str) -> NoReturn:
        raise QuestionnaireError(message, where=self._where, expected=expected)
