"""The canonical model: one row per distinct tuple and level."""

from __future__ import annotations

import csv
import hashlib
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shared.model
from shared.attributes import Attribute, Lookup
from shared.errors import ModelFileError, SpecificationError
from shared.limits import MAX_PEOPLE
from shared.model import ModelRow, ReadingRules, format_model, model_digest, parse_model, split
from tests.builders import age, sex, small_model, small_rows
from tests.shared.strategies import admissible, attributes
from tests.vectors.surveys import band

ATTRIBUTES: tuple[Attribute, ...] = (age(), band())


def read(text: str, n_levels: int = 2, over: tuple[Attribute, ...] = ATTRIBUTES) -> list[ModelRow]:
    """All rows of a model."""
    return list(parse_model(text.encode("utf-8"), over, n_levels))


def test_layout() -> None:
    rows = [
        ModelRow(vector=(17, 0, 0), level=0, people=3),
        ModelRow(vector=(17, 0, 0), level=1, people=1),
        ModelRow(vector=(99, 1, 1), level=0, people=12),
    ]
    text = "age,income,level,people\n17,low,0,3\n17,low,1,1\n99,,0,12\n"
    assert format_model(ATTRIBUTES, rows).decode() == text
    assert read(text) == rows


@given(st.data())
def test_any_model_survives_a_round_trip(data: st.DataObject) -> None:
    chosen = tuple(data.draw(attributes(f"a{i}")) for i in range(data.draw(st.integers(1, 2))))
    tuples = data.draw(
        st.sets(
            st.tuples(*(st.sampled_from([a.vector(t) for t in admissible(a)]) for a in chosen)), max_size=6
        )
    )
    vectors = sorted(tuple(c for part in parts for c in part) for parts in tuples)
    rows = [ModelRow(vector=v, level=i % 3, people=i + 1) for i, v in enumerate(vectors)]
    text = format_model(chosen, rows)
    assert list(parse_model(text, chosen, 3)) == rows
    assert [split(chosen, v) for v in vectors] == [list(parts) for parts in sorted(tuples)]


def test_texts_with_separators_and_line_breaks_are_quoted() -> None:
    table = Lookup(
        name='place, "old"',
        label={"en": "Place"},
        help={"en": ""},
        missing="refused",
        axes=("x",),
        entries=tuple(
            shared.attributes.Entry(value=v, vector=(i,)) for i, v in enumerate(("a,b", 'say "c"', "d\ne"))
        ),
    )
    rows = [ModelRow(vector=(i,), level=0, people=1) for i in range(3)]
    expected = io.StringIO()
    csv.writer(expected, lineterminator="\n").writerows(
        [[table.name, "level", "people"], *([entry.value, 0, 1] for entry in table.entries)]
    )
    assert format_model((table,), rows).decode() == expected.getvalue()
    assert list(parse_model(format_model((table,), rows), (table,), 1)) == rows


def test_digest_is_that_of_the_bytes() -> None:
    assert model_digest(small_model()) == hashlib.sha256(small_model()).hexdigest()
    with pytest.raises(ValueError, match="32 bytes"):
        model_digest(small_model(), b"short")
    assert list(parse_model(small_model(), (age(), sex()), 1)) == small_rows()


HEADER = "age,income,level,people\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "wrong columns"),
        ("age,income,people,level\n", "wrong columns"),
        ("age,level,people\n", "wrong columns"),
        ("\ufeff" + HEADER, "wrong columns"),
        (HEADER + "17,low,0\n", "wrong number of columns"),
        (HEADER + "17,low,0,3,4\n", "wrong number of columns"),
        (HEADER + "\n", "wrong number of columns"),
        (HEADER + "17,low,0,3\n\n", "wrong number of columns"),
        (HEADER + "017,low,0,3\n", "not written canonically"),
        (HEADER + "117,low,0,3\n", "not written canonically"),
        (HEADER + "17, low,0,3\n", "not written canonically"),
        (HEADER + "17, ,0,3\n", "not written canonically"),
        (HEADER + "17,rich,0,3\n", "'rich' is not a category"),
        (HEADER + ",low,0,3\n", "the value is missing"),
        (HEADER + "17,low,2,3\n", "wrong number"),
        (HEADER + "17,low,-1,3\n", "wrong number"),
        (HEADER + "17,low,,3\n", "wrong number"),
        (HEADER + "17,low,0,0\n", "wrong number"),
        (HEADER + "17,low,0,03\n", "wrong number"),
        (HEADER + "17,low,0,+3\n", "wrong number"),
        (HEADER + "17,low,0,3.0\n", "wrong number"),
        (HEADER + "17,low,0,٣\n", "wrong number"),
        (HEADER + f"17,low,0,{MAX_PEOPLE + 1}\n", "wrong number"),
        (HEADER + f"17,low,0,{10**4000}\n", "wrong number"),
        (HEADER + "17,low,0,3\n17,low,0,3\n", "not in canonical order"),
        (HEADER + "17,low,1,3\n17,low,0,3\n", "not in canonical order"),
        (HEADER + "18,low,0,3\n17,low,0,3\n", "not in canonical order"),
        (HEADER + '17,"low,0,3\n', "not readable as CSV"),
        (HEADER + '17,"low"x,0,3\n', "not readable as CSV"),
        (HEADER + "1" * 200_000 + ",low,0,3\n", "not readable as CSV"),
        (HEADER + "17\rx,low,0,3\n", "wrong number of columns"),
    ],
)
def test_another_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read(text)
    assert caught.value.message.startswith(message)
    assert caught.value.where.startswith("model")


def test_line_is_named() -> None:
    with pytest.raises(ModelFileError) as caught:
        read(HEADER + "17,low,0,3\n18,rich,0,3\n")
    assert caught.value.where == "model, line 3, income"


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(ModelFileError, match="not readable"):
        list(parse_model(HEADER.encode() + b"17,l\xe4w,0,3\n", ATTRIBUTES, 1))


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    smallest = HEADER + "17,low,0,3\n"
    monkeypatch.setattr(shared.model, "MAX_MODEL_BYTES", len(smallest))
    assert len(read(smallest)) == 1
    with pytest.raises(ModelFileError, match="too large"):
        read(HEADER + "17,low,0,3\n18,low,0,3\n19,low,0,3\n")


RULES = {
    "count_column": None,
    "missing_markers": ["", "?"],
    "incomplete": "drop",
    "required_columns": ["job"],
    "id_column": "number",
}


@pytest.mark.parametrize("count_column", [None, "people"])
def test_reading_rules_survive_a_round_trip(count_column: str | None) -> None:
    document = RULES | {"count_column": count_column}
    assert ReadingRules.parse(document, "reading").to_object() == document


@pytest.mark.parametrize(
    "changes",
    [
        {"count_column": 3},
        {"count_column": ""},
        {"missing_markers": "?"},
        {"missing_markers": ["?", "?"]},
        {"incomplete": "guess"},
        {"required_columns": [""]},
        {"id_column": ""},
        {"encoding": "latin-1"},
    ],
)
def test_unclear_reading_rules_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SpecificationError):
        ReadingRules.parse(RULES | changes, "reading")
