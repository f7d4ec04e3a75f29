"""Somebody who can sign sends documents that are made to break their reader."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cells import Cells, PowerDiagram
from shared.errors import QuestionnaireError, SpecificationError
from shared.model import ModelRow
from shared.specification import Specification
from tests.builders import (
    ORGANIZER_KEY,
    QUESTIONNAIRE,
    age,
    both,
    build_specification,
    sex,
    sign,
    small_specification,
)
from tests.shared.examining import examine_bytes
from tests.shared.test_categorical import PLACES, place
from tests.vectors.surveys import band, fragment_of, small_balls, small_boxes, small_prototypes

Path = tuple[str | int, ...]
REPLACEMENTS: list[Any] = [None, True, -1, 10**18, "1.5", 1.5, "", [], {}, "x" * 20_000]


def every_kind() -> dict[str, Any]:
    """A document with every kind of attribute and of question, and two cells."""
    attributes = (age(missing="own-category"), sex(), band(), place(*PLACES))
    people = [
        tuple(c for a, t in zip(attributes, (str(i), "male", "low", "east")) for c in a.vector(t))
        for i in range(0, 100, 5)
    ]
    cells = PowerDiagram(
        weights=(1,) * len(people[0]), resolution=1, sites=(people[0], people[-1]), offsets=(0, 0)
    )
    questionnaire = copy.deepcopy(QUESTIONNAIRE)
    questionnaire["pages"][1]["elements"].append({"type": "comment", "name": "remarks", "title": both("?")})
    specification = build_specification(
        attributes=attributes,
        rows=[ModelRow(vector=v, level=0, people=2) for v in people],
        cells=cells,
        questionnaire=questionnaire,
    )
    return specification.to_object()


DOCUMENT = every_kind()


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    """Path of every value in a document."""
    yield here
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for step, inner in items:
        yield from paths(inner, (*here, step))


def get(value: Any, path: Path) -> Any:
    """The value at a path."""
    for step in path:
        value = value[step]
    return value


def changed(path: Path, value: Any, original: dict[str, Any] = DOCUMENT) -> dict[str, Any]:
    """The document with another value at a path."""
    document = copy.deepcopy(original)
    get(document, path[:-1])[path[-1]] = value
    return document


def deleted(path: Path, original: dict[str, Any] = DOCUMENT) -> dict[str, Any]:
    """The document without a path."""
    document = copy.deepcopy(original)
    del get(document, path[:-1])[path[-1]]
    return document


def doubled(value: Any, path: Path) -> str:
    """JSON text in which the last step of a path stands twice."""
    if len(path) > 1:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        inner = [doubled(v, path[1:]) if step == path[0] else json.dumps(v) for step, v in items]
    else:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        inner = [json.dumps(v) for _, v in items]
    if isinstance(value, list):
        if len(path) == 1:
            inner.insert(int(path[0]), inner[int(path[0])])
        return f"[{','.join(inner)}]"
    members = [f"{json.dumps(k)}:{v}" for k, v in zip(value, inner, strict=True)]
    if len(path) == 1:
        members.append(f"{json.dumps(path[0])}:{inner[list(value).index(path[0])]}")
    return f"{{{','.join(members)}}}"


def read(data: bytes) -> Specification | None:
    """The specification, or None for an error of ours; anything else ends the test."""
    try:
        specification = Specification.parse(data)
    except (SpecificationError, QuestionnaireError) as problem:
        assert problem.message  # noqa: PT017 - both outcomes are right
        assert len(str(problem)) < 2000  # noqa: PT017
        return None
    assert Specification.parse(specification.to_bytes()) == specification
    envelope = sign(data, ORGANIZER_KEY)
    examine_bytes(envelope.to_bytes(), fragment_of(envelope))
    return specification


PATHS = [path for path in paths(DOCUMENT) if path]
SECTIONS = sorted({str(path[0]) for path in PATHS})


def encode(value: Any) -> bytes:
    """As a hostile writer does, floats and all."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def test_the_document_itself_is_read() -> None:
    assert read(encode(DOCUMENT)) is not None


@pytest.mark.parametrize("section", SECTIONS)
def test_every_value_replaced_by_every_other(section: str) -> None:
    for path in PATHS:
        if path[0] == section:
            for replacement in REPLACEMENTS:
                specification = read(encode(changed(path, replacement)))
                assert specification is None or not isinstance(replacement, float), path


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_is_required(section: str) -> None:
    for path in PATHS:
        if path[0] == section:
            specification = read(encode(deleted(path)))
            optional = (
                path[0] == "questionnaire" or isinstance(path[-1], int) or path[-2:-1] == ("parameters",)
            )
            assert specification is None or optional, path


@pytest.mark.parametrize("section", SECTIONS)
def test_no_key_may_stand_twice(section: str) -> None:
    for path in PATHS:
        if path[0] == section:
            specification = read(doubled(DOCUMENT, path).encode("utf-8"))
            assert specification is None or isinstance(path[-1], int), path


def test_no_object_takes_another_field() -> None:
    for path in [(), *PATHS]:
        if isinstance(get(DOCUMENT, path), dict):
            document = copy.deepcopy(DOCUMENT)
            get(document, path)["surprise"] = 1
            specification = read(encode(document))
            assert specification is None or path == ("algorithm", "parameters"), path


@pytest.mark.parametrize(
    "cells", [small_balls(), small_boxes(), small_prototypes()], ids=["balls", "boxes", "prototypes"]
)
def test_other_shapes_are_read_as_strictly(cells: Cells) -> None:
    document = small_specification(cells=cells).to_object()
    assert read(encode(document)) is not None
    for path in paths(document["cells"], ("cells",)):
        for replacement in REPLACEMENTS:
            read(encode(changed(path, replacement, document)))
        assert read(encode(deleted(path, document))) is None


def nested(depth: int, opening: str, closing: str, middle: str = "1") -> bytes:
    """The title, nested."""
    text = json.dumps(DOCUMENT | {"title": "@"})
    return text.replace('"@"', opening * depth + middle + closing * depth).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"0",
        b'"x"',
        b"\xef\xbb\xbf" + encode(DOCUMENT),
        encode(DOCUMENT).decode().encode("utf-16"),
        encode(DOCUMENT) + b"\x00",
        encode(DOCUMENT) * 2,
        encode(DOCUMENT)[:-1],
        encode(DOCUMENT).replace(b"365", b"NaN"),
        encode(DOCUMENT).replace(b"365", b"-Infinity"),
        encode(DOCUMENT).replace(b"365", b"365.0"),
        encode(DOCUMENT).replace(b"365", b"3.65e2"),
        encode(DOCUMENT).replace(b"365", b"9" * 5000),
        encode(DOCUMENT).replace(b"365", b"0365"),
        encode(DOCUMENT).replace(b"Institute", b"\\ud800"),
        encode(DOCUMENT).replace(b"Institute", b"\\udc00\\ud800"),
        encode(DOCUMENT).replace(b"Institute", b"\xff"),
        encode(DOCUMENT).replace(b"Institute", b"\xed\xa0\x80"),
        encode(DOCUMENT).replace(b"Institute", b"a\\u0000b"),
        encode(DOCUMENT).replace(b"Institute", "a\u202eb".encode()),
        encode(DOCUMENT).replace(b'"name"', b'"\\u006eame":"x","name"', 1),
        nested(100_000, "[", "]"),
        nested(100_000, '{"a":', "}"),
        nested(500, "[", "]"),
        nested(3, '{"en":', "}"),
    ],
)
def test_documents_made_to_break_a_reader(data: bytes) -> None:
    assert read(data) is None


@settings(max_examples=150)
@given(st.integers(0, len(encode(DOCUMENT)) - 1), st.binary(min_size=1, max_size=4))
def test_bytes_overwritten_anywhere(place_: int, noise: bytes) -> None:
    data = bytearray(encode(DOCUMENT))
    data[place_ : place_ + len(noise)] = noise
    read(bytes(data))


@settings(max_examples=150)
@given(st.data())
def test_two_values_exchanged(data: st.DataObject) -> None:
    one, other = data.draw(st.sampled_from(PATHS)), data.draw(st.sampled_from(PATHS))
    document = copy.deepcopy(DOCUMENT)
    get(document, one[:-1])[one[-1]] = copy.deepcopy(get(DOCUMENT, other))
    read(encode(document))
