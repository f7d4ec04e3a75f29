"""What the worker tells the page of questions under conditions."""

from __future__ import annotations

from respondent_client.browser.typed import check_answers
from respondent_client.typed_numbers import Signs
from tests.every_question import everything

GERMAN = Signs(decimal=",", group=".")


def test_what_is_hidden_by_the_answers() -> None:
    said = check_answers(everything(), 0, {"agree": True, "travel": "bus"}, {}, GERMAN)
    assert said["errors"] == {}
    assert said["accepted"] == {"agree": True, "travel": "bus"}
    assert {"travel-Comment", "reasons", "reasons-Comment", "remarks"} <= set(said["hidden"])
    assert "line" not in said["hidden"]
    assert said["empty"] == [1, 3]
    assert "views_price" in said["required"]


def test_a_number_is_compared_as_it_is_meant() -> None:
    """61,5 is more than 60 in a German survey; to SurveyJS it is no number."""
    settled = {"agree": True, "travel": "bus"}
    rows = {"views_price": "bad", "views_staff": "bad"}
    said = check_answers(everything(), 2, rows | {"minutes": "61,5"}, settled, GERMAN)
    assert said["errors"] == {"day": "missing"}
    assert said["accepted"]["minutes"] == "61.5"
    said = check_answers(everything(), 2, rows | {"minutes": "6,5"}, settled, GERMAN)
    assert said["errors"] == {}


def test_other_pages_count_by_what_passed_on_them() -> None:
    said = check_answers(everything(), 3, {"content": 1, "travel": "bus"}, {"content": 2}, GERMAN)
    assert 3 not in said["empty"]
    said = check_answers(everything(), 3, {"content": 1}, {"content": 3}, GERMAN)
    assert 3 in said["empty"]
    assert said["errors"] == {}


def test_an_empty_list_is_no_answer() -> None:
    typed = {"agree": True, "travel": "other", "travel-Comment": "By boat", "line": "Line 1"}
    said = check_answers(everything(), 0, typed, {}, GERMAN)
    assert "line" in said["hidden"]
    assert "line" not in said["accepted"]
    said = check_answers(everything(), 1, {"reasons": []}, {"travel": "other"}, GERMAN)
    assert said["accepted"] == {}
    assert said["errors"] == {}
