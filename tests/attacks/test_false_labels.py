"""A true census with false labels: everything is counted rightly, and people choose the wrong category.

"female" shown as "Member of the works council who joined in 2024" brings one member into a cell of the
organizer's choice. Numbers cannot find that; whoever reads can, if value and label stand side by side.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from respondent_client.browser.messages import attribute_object, room_object
from respondent_client.headless.report import room_lines
from respondent_client.headless.respondent import run
from respondent_client.session import examine_survey, place
from server.design.audit import audit_survey
from shared.attributes import Category
from tests.builders import ORGANIZER_KEY, age, sex, sign, small_model, small_specification
from tests.respondent_client.fakes import FakePlatform, link_to

FALSE = "Member of the works council who joined in 2024"
TRUE = {"en": "Male", "de": "Männlich"}
LYING = sex(
    categories=(
        Category(value="female", label={"en": FALSE, "de": "Mitglied des Betriebsrats seit 2024"}),
        Category(value="male", label=TRUE),
    )
)
SURVEY = small_specification(attributes=(age(), LYING))


def test_the_page_shows_what_a_false_label_is_counted_as() -> None:
    lying, honest = attribute_object(1, LYING)["categories"]
    assert lying["counted_as"] == {"en": "female", "de": "female"}
    assert honest["counted_as"] == {"en": "", "de": "male"}


def test_the_command_line_and_the_group_show_it_too() -> None:
    envelope = sign(SURVEY.to_bytes(), ORGANIZER_KEY).to_bytes()
    platform = FakePlatform(envelope, small_model(SURVEY))
    sound = run(examine_survey(platform, link_to(envelope))).sound()
    room = place(sound, {"age": "43", "sex": "female"}).room
    assert f"  Sex: {FALSE}, counted as: female (1.00 of the group)" in room_lines(room, SURVEY)
    shown = room_object(room, SURVEY)["centroid"][1]
    assert (shown["text"]["en"], shown["counted_as"]["en"]) == (FALSE, "female")
    assert room_object(room, SURVEY)["centroid"][0]["counted_as"] == {"en": "", "de": ""}


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_page_has_words_for_it(language: str) -> None:
    texts = Path(__file__).resolve().parents[2] / "respondent_client" / "web" / "texts" / f"{language}.json"
    assert "{value}" in json.loads(texts.read_text("utf-8"))["you.counted-as"]


def test_an_audit_lists_every_value_beside_its_words_in_every_language(tmp_path: Path) -> None:
    (tmp_path / "survey.dsse.json").write_bytes(sign(SURVEY.to_bytes(), ORGANIZER_KEY).to_bytes())
    (tmp_path / "model.csv").write_bytes(small_model(SURVEY))
    audit = audit_survey(tmp_path / "survey.dsse.json", tmp_path / "model.csv")
    listed = {f.title: f.detail for f in audit.findings if f.code == "audit.labels"}
    assert f"female = en: {FALSE}, de: Mitglied" in listed["What people read: sex"]
    assert "good = en: Good, de: Gut" in listed["What people read: health"]
    assert "true = en: , de: " in listed["What people read: smokes"]
    assert "health = en: How is your health?" in listed["What people read: names of attributes and questions"]
