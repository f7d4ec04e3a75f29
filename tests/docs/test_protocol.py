"""docs/protocol.md agrees with the code: fields, limits, paths, stored fields and the worked example."""

from __future__ import annotations

import json
import re
from typing import Any

from server.collection.storage.schema import STORED_FIELDS, SURVEY_ROWS
from server.collection.storage.states import State, following
from server.collection.web.openapi import document
from server.collection.web.problems import CONTENT_TYPE
from shared import limits
from shared.attributes import KINDS
from shared.cells import Balls, Boxes, Cells, PowerDiagram, Prototypes
from shared.envelope import PAYLOAD_TYPE
from shared.invited import Relay
from shared.metrics import Metrics
from shared.period import Period
from shared.pictures import Logo, data_url
from shared.questionnaire import ELEMENT_TYPES
from shared.questions import ELEMENTS
from shared.submission import decode, receipt
from tests.builders import small_cells
from tests.docs.documents import assert_told, first_cells, section, text_of
from tests.docs.worked_example import PROTOCOL, SHOWN_PADDING, blocks, build, rewrite
from tests.elections import election_keys, relay_key
from tests.every_question import everything, png
from tests.kinds import MADE
from tests.unit_cells import unit_cells
from tests.vectors.part_vectors import survey_in_parts
from tests.vectors.surveys import districts_of

LANGUAGES = ("en", "de")
BOTH = dict.fromkeys(LANGUAGES, "text")


def table_fields(title: str) -> set[str]:
    """Names in the first column of the tables of a section."""
    return {cell.strip("`") for cell in first_cells(section(text_of("docs/protocol.md"), title))}


def paths(value: Any, path: str = "") -> set[str]:
    """Every field of a document as the page writes it."""
    if isinstance(value, dict):
        if value and set(value) <= set(LANGUAGES):
            return {f"{path}.{{language}}"}
        inner = [paths(item, f"{path}.{key}" if path else key) for key, item in value.items()]
        return set().union(*inner) if inner else {path}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return set().union(*(paths(item, f"{path}[]") for item in value))
    return {path}


def test_every_field_of_a_specification_is_documented() -> None:
    specification = build().specification.to_object()
    specification["title"] = specification["description"] = BOTH
    specification["participation"]["source"]["rates"] = [{"upto": "1", "value": None, "rate": "0.5"}]
    specification["participation"]["source"]["statement"] = BOTH
    specification["invited"] = election_keys(
        relay=Relay(url="https://relay.example/", messages=20, seconds=600, key=relay_key().public_key)
    ).to_object()
    specification["period"] = dict(Period(opens="2030-12-01T08:00:00Z").to_object())
    specification["logo"] = Logo(image=data_url(png()), alt=BOTH).to_object()
    for name in ("attributes", "cells", "questionnaire"):
        del specification[name]
    documented = table_fields("The specification")
    own = {
        field
        for field in documented
        if not field.startswith(("attributes[", "questionnaire."))
        and field not in ("attributes", "cells", "questionnaire")
    }
    told = own - {"invited", "invited.relay", "invited.election"}
    assert_told("docs/protocol.md", "The specification", told, paths(specification))
    assert {"attributes", "cells", "questionnaire"} <= documented


def test_every_field_of_an_attribute_is_documented() -> None:
    attributes = [MADE[kind]() for kind in KINDS]
    found = set().union(*(paths(attribute.to_object(), "attributes[]") for attribute in attributes))
    assert_told("docs/protocol.md", "Attributes", table_fields("Attributes"), found)


def test_every_field_of_a_questionnaire_is_documented() -> None:
    made = everything().to_object()
    types = {element["type"] for page in made["pages"] for element in page["elements"]}
    assert types == set(ELEMENT_TYPES)
    page = section(text_of("docs/protocol.md"), "Questionnaire")
    for word in (*types, *(word.partition(":")[2] for word in ELEMENTS if word.startswith("text:"))):
        assert f"`{word}`" in page, f"docs/protocol.md, Questionnaire: name `{word}` as type or inputType"
    assert_told(
        "docs/protocol.md", "Questionnaire", table_fields("Questionnaire"), paths(made, "questionnaire")
    )


def test_every_field_of_root_and_parts_is_documented() -> None:
    root, parts = survey_in_parts()
    told = set(root.parts[0].to_object()) | set(json.loads(parts[0]))
    assert_told("docs/protocol.md", "Parts", table_fields("Parts"), told)


def test_every_field_of_the_cell_shapes_is_documented() -> None:
    shapes: tuple[Cells, ...] = (
        Balls(weights=(1,), references=((0,),), radii=(1,), remainder="nearest"),
        PowerDiagram(weights=(1,), resolution=1, sites=((0,),), offsets=(0,)),
        Boxes(weights=(1,), boxes=(((0, 1),),)),
        Prototypes(weights=(1,), points=((0,),), cells=(0,)),
    )
    found = set().union(*(paths(shape.to_object(), "cells") for shape in shapes))
    units = unit_cells().to_object()
    for unit in units["units"]:
        unit["cells"] = "an object of another shape"
    found |= paths(units, "cells")
    districts = districts_of(small_cells(), 49).to_object()
    districts["districts"] = ["an object of another shape"]
    found |= paths(districts, "cells")
    documented = {field for field in table_fields("Cell shapes") if field.startswith("cells.")}
    assert_told("docs/protocol.md", "Cell shapes", documented, found)


def test_the_envelope_and_the_submission_are_documented() -> None:
    example = build()
    envelope = json.loads(example.envelope.to_bytes())
    assert_told("docs/protocol.md", "The envelope", table_fields("The envelope"), paths(envelope))
    assert list(envelope) == ["payload", "payloadType", "signatures"]
    assert PAYLOAD_TYPE in section(text_of("docs/protocol.md"), "The envelope")
    message = json.loads(example.message)
    assert_told("docs/protocol.md", "The submission", table_fields("The submission"), message)


def test_every_limit_is_documented_with_its_value() -> None:
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| ([0-9, ]+)", section(text_of("docs/protocol.md"), "Limits"), re.MULTILINE
    )
    documented = {name: tuple(map(int, value.split(","))) for name, value in rows}
    actual = {
        name: value if isinstance(value, tuple) else (value,)
        for name, value in vars(limits).items()
        if name.isupper()
    }
    assert_told("docs/protocol.md", "Limits", documented, actual)
    assert documented == actual, "docs/protocol.md, Limits: correct the numbers"


def test_every_stored_field_is_documented() -> None:
    text = section(text_of("docs/protocol.md"), "What is stored")
    told = {cell.strip("`") for cell in first_cells(text)}
    assert_told("docs/protocol.md", "What is stored", told, {field.name for field in STORED_FIELDS})
    assert all(f"`{row}`" in text for row in SURVEY_ROWS)


def test_every_path_of_the_server_is_documented() -> None:
    rows = first_cells(section(text_of("docs/protocol.md"), "HTTP API"))
    documented = {cell.strip("`") for cell in rows if "/" in cell}
    described = {
        f"{method.upper()} {path}"
        for path, item in document("https://survey.example/")["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert documented == described
    assert CONTENT_TYPE in text_of("docs/protocol.md")


def test_every_state_is_documented() -> None:
    text = section(text_of("docs/protocol.md"), "States of a survey")
    assert list(first_cells(text)) == [state.value for state in State]
    order = [State.DRAFT]
    while (after := following(order[-1], election=False)) is not None:
        order.append(after)
    assert re.findall(r"[a-z]+", text.strip().splitlines()[0].replace("-->", " "))[::2] == [
        s.value for s in order
    ]


def test_every_metric_is_documented() -> None:
    text = section(text_of("docs/protocol.md"), "Effective anonymity")
    for name in (*Metrics.__slots__, "table_failure", "n_min", "n_min_safe"):
        assert f"| `{name}` |" in text


def test_the_worked_example_is_what_the_code_gives() -> None:
    text = PROTOCOL.read_text("utf-8")
    assert set(re.findall(r"<!-- generated: ([a-z-]+) -->", text)) == set(blocks())
    assert rewrite(text) == text


def test_the_worked_example_is_sound_and_accepted() -> None:
    example = build()
    assert example.examination.sound().digest == example.digest
    assert decode(example.message, example.specification.message_bytes).cell == example.cell == 1
    assert len(example.message) == example.specification.message_bytes
    assert receipt(example.message) == blocks()["receipt"]
    assert SHOWN_PADDING >= 22
