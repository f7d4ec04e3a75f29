"""Questions at the desk: every type of the builder, conditions, imports, and the real page to try them."""

from __future__ import annotations

import io
import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from server.desk.pages.questions import BUILT
from tests.server.desk.test_way import declare
from tests.server.desk.visitor import Visitor
from tests.waiting import PATIENCE_SECONDS

CHOICES = "bus | By bus\ncar | By car"
FILLED: dict[str, dict[str, str]] = {
    "radiogroup": {"choices": CHOICES},
    "dropdown": {"choices": CHOICES},
    "checkbox": {"choices": CHOICES},
    "ranking": {"choices": CHOICES},
    "matrix": {"rows": "rent\nnoise", "columns": "good\nbad"},
    "rating": {"rateMin": "0", "rateMax": "10"},
    "boolean": {},
    "number": {"min": "0", "max": "99", "step": "0.5"},
    "date": {"min": "2026-01-01", "max": "2026-12-31"},
    "comment": {"free_text": "on", "maxLength": "500"},
}


def asked(visitor: Visitor) -> list[dict[str, Any]]:
    """The elements of questions.json."""
    document = json.loads((visitor.folder / "questions.json").read_bytes())
    return [element for page in document["pages"] for element in page["elements"]]


@pytest.mark.parametrize("kind", BUILT)
def test_every_type_is_added_and_saved_again_as_it_is(visitor: Visitor, kind: str) -> None:
    declare(visitor)
    page = visitor.text(f"/questions?type={kind}")
    assert all(f'name="{name}"' in page for name in FILLED[kind])
    form = {"type": kind, "name": "way", "title-en": "How?", "visibleIf": "{content} > 2", **FILLED[kind]}
    page = visitor.told("/questions", {**form, "action": "add", "page": "questions"}, "/questions")
    assert "Saved." in page
    before = asked(visitor)
    assert before[1]["visibleIf"] == "{content} > 2"
    again = {**form, "action": "save", "at_page": "0", "at_place": "1", "page": "questions"}
    assert "Saved." in visitor.told("/questions", again, "/questions")
    assert asked(visitor) == before
    assert visitor.desk.draft().survey().plan.questionnaire.questions[1].name.startswith("way")


def test_a_condition_on_what_is_not_asked_is_refused(visitor: Visitor) -> None:
    declare(visitor)
    form = {"type": "boolean", "name": "way", "visibleIf": "{nothing} = 1", "action": "add"}
    page = visitor.told("/questions", {**form, "page": "questions"}, "/questions")
    assert 'id="problem"' in page
    assert 'value="{nothing} = 1"' in page  # what was typed is still there
    assert len(asked(visitor)) == 1


def test_an_import_tells_what_it_left_out(visitor: Visitor) -> None:
    declare(visitor)
    elements = [
        {"type": "boolean", "name": "happy", "title": "Happy?"},
        {"type": "file", "name": "photo", "title": "A photo of you"},
    ]
    data = json.dumps({"pages": [{"name": "p", "elements": elements}]}).encode()
    form = {"file": (io.BytesIO(data), "Kobo.json"), "page": "questions"}
    page = visitor.told("/questions/import", form, "/questions")
    assert "Left out or changed in the import" in page
    assert "photo" in page
    assert [element["name"] for element in asked(visitor)] == ["happy"]
    assert "Left out" not in visitor.text("/questions")


@pytest.mark.parametrize("designed", [False, True])
def test_the_real_page_shows_the_questions_until_they_change(visitor: Visitor, designed: bool) -> None:
    declare(visitor)
    if designed:
        visitor.post("/design", {"page": "design"})
        visitor.desk.jobs.wait(300)
    before = sorted(path for path in visitor.folder.rglob("*"))
    page = visitor.told("/questions/preview", {"page": "questions"}, "/questions")
    address = visitor.desk.preview.address.partition("#")[0]
    assert address in page
    with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS) as answer:
        assert "Ways to work" in answer.read().decode()
    assert sorted(path for path in visitor.folder.rglob("*")) == before
    form = {"type": "boolean", "name": "happy", "action": "add", "page": "questions"}
    assert address not in visitor.told("/questions", form, "/questions")
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    ("start", "to", "side", "expected"),
    [
        ("0-0", "1-0", "before", [["b"], ["a", "c"]]),
        ("0-0", "1-0", "after", [["b"], ["c", "a"]]),
        ("1-0", "0-0", "before", [["c", "a", "b"]]),
        ("0-1", "0-0", "before", [["b", "a"], ["c"]]),
        ("0-0", "0-1", "after", [["b", "a"], ["c"]]),
        ("0-0", "0-0", "after", [["a", "b"], ["c"]]),
        ("0-0", "9-9", "after", None),
        ("0-0", "x", "after", None),
    ],
)
def test_a_question_is_dropped_beside_another(
    visitor: Visitor, start: str, to: str, side: str, expected: list[list[str]] | None
) -> None:
    declare(visitor)
    pages = [["a", "b"], ["c"]]
    document = {"pages": [{"elements": [{"type": "boolean", "name": n} for n in names]} for names in pages]}
    (visitor.folder / "questions.json").write_text(json.dumps(document))
    at_page, _, at_place = start.partition("-")
    form = {"action": "move", "at_page": at_page, "at_place": at_place, "to": to, "side": side}
    page = visitor.told("/questions", {**form, "page": "questions"}, "/questions")
    found = json.loads((visitor.folder / "questions.json").read_bytes())["pages"]
    assert [[e["name"] for e in p["elements"]] for p in found] == (expected or pages)
    assert ("no such question" in page) is (expected is None)
