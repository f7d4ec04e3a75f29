"""The population model as canonical text: how many people share each tuple of quasi-identifiers.

A public model is published in this form and recounted by every device; of a register only the digest is
published. One row per distinct tuple and participation level::

    age,sex,level,people
    17,female,0,3

Rows ascend by the integer vector of the tuple, then by level; an empty field is a missing value.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.attributes import Attribute
from shared.errors import AnswerError, ModelFileError, SpecificationError
from shared.fields import Fields
from shared.geometry import Vector
from shared.limits import MAX_ATTRIBUTES, MAX_MODEL_BYTES, MAX_PEOPLE

INCOMPLETE_RULES: Final = ("refuse", "drop")
SALT_BYTES: Final = 32
_COMMITMENT: Final = b"roomful/3 model commitment\x00"
_PEOPLE_DIGITS: Final = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """How the organizer's file was read, so that an auditor reads it the same way.

    Attributes
    ----------
    count_column : str or None
        Column with the number of people a row stands for (aggregated tables).
    missing_markers : tuple of str
        Texts that mean "no value", beside the empty text.
    incomplete : str
        ``refuse`` or ``drop`` records without a value where one is needed.
    required_columns : tuple of str
        Further columns that must have a value.
    id_column : str or None
        Column that names each person, so that nobody stands in the file twice. Only its name is ever written
        anywhere; the canonical text has nothing of it.
    """

    count_column: str | None
    missing_markers: tuple[str, ...]
    incomplete: str
    required_columns: tuple[str, ...]
    id_column: str | None = None

    @classmethod
    def parse(cls, value: Any, where: str) -> ReadingRules:
        """Read it from a specification."""
        names = ("count_column", "missing_markers", "incomplete", "required_columns", "id_column")
        fields = Fields(value, where, names, error=SpecificationError)
        return cls(
            count_column=None if fields.raw("count_column") is None else fields.name("count_column"),
            missing_markers=fields.texts("missing_markers", MAX_ATTRIBUTES, empty=True),
            incomplete=fields.choice("incomplete", INCOMPLETE_RULES),
            required_columns=fields.texts("required_columns", MAX_ATTRIBUTES * 4),
            id_column=None if fields.raw("id_column") is None else fields.name("id_column"),
        )

    def to_object(self) -> dict[str, Any]:
        """As it stands in a specification."""
        return {
            "count_column": self.count_column,
            "missing_markers": list(self.missing_markers),
            "incomplete": self.incomplete,
            "required_columns": list(self.required_columns),
            "id_column": self.id_column,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """``people`` people share one vector and one participation level."""

    vector: Vector
    level: int
    people: int


class ModelText:
    """Lines of the canonical text, each with its line end.

    Few distinct answers stand behind many tuples, so each is written only once.
    """

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._slices = _slices(attributes)
        self._known: list[dict[Vector, str]] = [{} for _ in attributes]

    @property
    def header(self) -> str:
        """The first line."""
        return ",".join([*(_csv_field(a.name) for a in self._attributes), "level", "people"]) + "\n"

    def line(self, row: ModelRow) -> str:
        """The line of a row."""
        texts = []
        for place, (part, known) in enumerate(zip(self._slices, self._known, strict=True)):
            value = row.vector[part]
            if value not in known:
                known[value] = _csv_field(self._attributes[place].text_of(value) or "")
            texts.append(known[value])
        return f"{','.join(texts)},{row.level},{row.people}\n"


def format_model(attributes: Sequence[Attribute], rows: Iterable[ModelRow]) -> bytes:
    """Canonical text of a model whose rows are in canonical order."""
    text = ModelText(attributes)
    return "".join([text.header, *map(text.line, rows)]).encode("utf-8")


def _csv_field(text: str) -> str:
    """A field as it stands in a line of several."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([text, ""])
    return out.getvalue().removesuffix(",\n")


def model_digest(data: bytes, salt: bytes | None = None) -> str:
    """What a specification says of its model: SHA-256, hexadecimal.

    Parameters
    ----------
    data : bytes
        The canonical text.
    salt : bytes, optional
        32 random bytes; of a register always, of a public model never.

    Notes
    -----
    Guarantee: with a salt it is a commitment. Without the salt nobody can test a guess of the
    text; with it nobody can open the digest to another text. The label and the salt have one length, so no
    two inputs are the same bytes.
    """
    if salt is None:
        return hashlib.sha256(data).hexdigest()
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    return hashlib.sha256(_COMMITMENT + salt + data).hexdigest()


def parse_model(data: bytes, attributes: Sequence[Attribute], n_levels: int) -> Iterator[ModelRow]:
    """Rows of a canonical model, one by one.

    Raises
    ------
    ModelFileError
        For anything but the canonical text of some model, with the line.
    """
    if len(data) > MAX_MODEL_BYTES:
        raise ModelFileError(
            "the model is too large", where="model", expected=f"at most {MAX_MODEL_BYTES} bytes"
        )
    try:
        lines = csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
        header = [*(a.name for a in attributes), "level", "people"]
        if next(lines, None) != header:
            raise ModelFileError("wrong columns", where="model, line 1", expected=", ".join(header))
        previous: tuple[Vector, int] | None = None
        # Few distinct answers stand behind many tuples, so each is read only once.
        known: list[dict[str, Vector]] = [{} for _ in attributes]
        for cells in lines:
            row = _parse_row(cells, attributes, known, n_levels, lines.line_num)
            if previous is not None and (row.vector, row.level) <= previous:
                raise ModelFileError(
                    "not in canonical order",
                    where=f"model, line {lines.line_num}",
                    expected="ascending tuples",
                )
            previous = row.vector, row.level
            yield row
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ModelFileError(f"not readable as CSV ({problem})", where="model") from None


def _parse_row(
    cells: list[str],
    attributes: Sequence[Attribute],
    known: Sequence[dict[str, Vector]],
    n_levels: int,
    line: int,
) -> ModelRow:
    where = f"model, line {line}"
    if len(cells) != len(attributes) + 2:
        raise ModelFileError("wrong number of columns", where=where, expected=str(len(attributes) + 2))
    *texts, level, people = cells
    vector: list[int] = []
    try:
        for attribute, text, read in zip(attributes, texts, known, strict=True):
            if text not in read:
                part = attribute.vector(text or None)
                if (attribute.text_of(part) or "") != text:
                    raise ModelFileError("not written canonically", where=f"{where}, {attribute.name}")
                read[text] = part
            vector.extend(read[text])
    except AnswerError as problem:
        raise ModelFileError(
            problem.message, where=f"{where}, {problem.where}", expected=problem.expected
        ) from None
    return ModelRow(
        vector=tuple(vector),
        level=_whole(level, n_levels - 1, f"{where}, level"),
        people=_whole(people, MAX_PEOPLE, f"{where}, people", lowest=1),
    )


def _whole(text: str, highest: int, where: str, lowest: int = 0) -> int:
    if text.isascii() and text.isdigit() and len(text) <= _PEOPLE_DIGITS and str(int(text)) == text:
        value = int(text)
        if lowest <= value <= highest:
            return value
    raise ModelFileError("wrong number", where=where, expected=f"a whole number from {lowest} to {highest}")


def split(attributes: Sequence[Attribute], vector: Sequence[int]) -> list[Vector]:
    """Cut a person's vector into the parts of the attributes."""
    return [tuple(vector[part]) for part in _slices(attributes)]


def _slices(attributes: Sequence[Attribute]) -> list[slice]:
    ends = [*itertools.accumulate(attribute.dimension for attribute in attributes)]
    return [slice(start, end) for start, end in itertools.pairwise([0, *ends])]
