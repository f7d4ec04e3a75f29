"""The look at a specification before Python is there (``web/early.mjs``) against Python itself."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from respondent_client.browser.messages import survey_object
from respondent_client.build import WEB, element_fields
from shared.attributes import KINDS
from shared.cells import PowerDiagram
from shared.checks import DIGEST, QUESTIONS, SIGNATURE
from shared.declarations import Permissions
from shared.envelope import Envelope, encode_key, survey_digest
from shared.model import ModelRow
from shared.specification import Specification
from shared.words import digest_words
from tests.builders import (
    ORGANIZER_KEY,
    both,
    build_specification,
    public_bytes,
    sign,
    small_specification,
)
from tests.every_question import everything
from tests.in_parts import survey_in_parts
from tests.kinds import ANSWERS, MADE

FOLDER = Path(__file__).resolve().parent.parent / "vectors" / "soundness"
VECTORS = {path.stem: json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}
WORDING = {"expression", "value-longer-than-its-text", "zero-width-spaces-in-a-value"}
"""Questions whose words or conditions only Python refuses, long before any question is shown."""

LOOK = f"""
import {{ askedBy }} from "{(WEB / "early.mjs").as_uri()}";
import {{ readFileSync }} from "node:fs";
const {{ cases, known }} = JSON.parse(readFileSync(0, "utf8"));
const bytes = (text) => new TextEncoder().encode(text);
const look = ([envelope, fragment]) => askedBy(bytes(envelope), fragment, known).catch(() => null);
console.log(JSON.stringify(await Promise.all(cases.map(look))));
"""


def look(*cases: tuple[str, str]) -> list[dict[str, Any] | None]:
    """What the page asks of each envelope by its link, or None."""
    given = json.dumps({"cases": cases, "known": element_fields()})
    command = [shutil.which("node") or "node", "--input-type=module", "--eval", LOOK]
    result = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    seen: list[dict[str, Any] | None] = json.loads(result.stdout)
    return seen


def look_at(specification: Specification) -> dict[str, Any] | None:
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    link = f"{survey_digest(envelope.payload)}.{encode_key(public_bytes(ORGANIZER_KEY))}"
    return look((envelope.to_bytes().decode(), link))[0]


def every_kind(*, free_text: bool) -> Specification:
    """Attributes of every kind, and an element of every type."""
    attributes = tuple(MADE[kind](name=kind, label=both(kind.title())) for kind in KINDS)
    vector = tuple(c for a in attributes for c in a.vector(ANSWERS[a.kind][0]))
    cells = PowerDiagram(weights=(1,) * len(vector), resolution=1, sites=(vector,), offsets=(0,))
    rows = [ModelRow(vector=vector, level=0, people=60)]
    made = build_specification(attributes=attributes, rows=rows, cells=cells)
    permissions = Permissions(free_text=free_text, balls_from_register=False)
    return replace(made, questionnaire=everything(), permissions=permissions)


def test_no_survey_is_shown_that_fails_the_checks_of_signature_digest_and_questions() -> None:
    early = {SIGNATURE, DIGEST, QUESTIONS}
    wrong = {name: v for name, v in VECTORS.items() if v["check"] in early and name not in WORDING}
    assert {vector["check"] for vector in wrong.values()} == early
    seen = look(*((vector["envelope"], vector["invitation"]) for vector in wrong.values()))
    assert [name for name, asked in zip(wrong, seen, strict=True) if asked] == []


def test_it_asks_what_python_asks() -> None:
    sound = [vector for vector in VECTORS.values() if vector["check"] is None]
    shown = 0
    seen = look(*((vector["envelope"], vector["invitation"]) for vector in sound))
    for vector, asked in zip(sound, seen, strict=True):
        specification = Specification.parse(Envelope.parse(vector["envelope"].encode()).payload)
        if specification.invited is not None:
            assert asked is None
            continue
        survey = survey_object(specification)
        whole = all(vector["invitation"].partition(".")[::2])
        words = None if whole else digest_words(survey_digest(specification.to_bytes()))
        same = {name: survey[name] for name in ("title", "attributes", "in_parts")}
        assert asked == same | {"words": words}
        shown += 1
    assert shown > 10


def test_of_a_survey_in_parts_it_looks_at_the_root() -> None:
    root = survey_in_parts()[0]
    asked, survey = look_at(root), survey_object(root)
    assert asked is not None
    assert (asked["in_parts"], survey["in_parts"]) == (True, True)
    assert asked["attributes"] == survey["attributes"]


def test_where_the_link_leaves_out_digest_or_key_words_are_to_be_compared() -> None:
    specification = small_specification()
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    digest, text = survey_digest(envelope.payload), envelope.to_bytes().decode()
    key, other = encode_key(public_bytes(ORGANIZER_KEY)), "0" * 64
    links = ("", digest, f".{key}", f"{digest}.{key}", other, f"{other}.{key}", f".{'A' * 43}")
    seen = look(*((text, link) for link in links))
    words = digest_words(digest)
    assert [asked and asked["words"] for asked in seen] == [words, words, words, None, None, None, None]
    assert [asked is None for asked in seen] == [False] * 4 + [True] * 3


def test_every_kind_of_attribute_and_element_is_known() -> None:
    specification = every_kind(free_text=True)
    asked = look_at(specification)
    assert asked is not None
    assert asked["attributes"] == json.loads(json.dumps(survey_object(specification)["attributes"]))


def test_words_of_her_own_wait_for_their_permission() -> None:
    assert look_at(every_kind(free_text=False)) is None


def test_names_that_may_be_one_to_python_alone_are_left_to_it() -> None:
    """JavaScript knows no ``casefold``."""
    small = small_specification()
    age, sex = small.attributes

    def named(name: str, label: str) -> Specification:
        first = replace(sex.categories[0], value="weiss", label=both(label))
        changed = replace(sex, name=name, categories=(first, *sex.categories[1:]))
        return replace(small, attributes=(age, changed))

    assert look_at(named("GRÖẞE", "weiß")) is None
    sure = named("GRÖẞE", "WEISS")
    asked = look_at(sure)
    assert asked is not None
    assert asked["attributes"] == json.loads(json.dumps(survey_object(sure)["attributes"]))
