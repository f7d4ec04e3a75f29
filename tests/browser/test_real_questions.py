"""Answers as people give them: numbers in the signs of their language, long scales, odd names and values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from shared.questionnaire import Questionnaire
from shared.strict_json import dumps
from shared.submission import longest_message
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import LANGUAGES, ORGANIZER_KEY, age, sex, sign, small_model, small_specification
from tests.every_question import data_url, png

pytestmark = pytest.mark.browser

QUESTIONS: list[dict[str, Any]] = [
    {"type": "text", "inputType": "number", "name": "hours", "min": 0, "max": "100", "step": "0.5"},
    {"type": "text", "inputType": "number", "name": "cost", "min": 0, "max": "9000", "step": "0.001"},
    {"type": "text", "inputType": "number", "name": "steps", "min": 0, "max": "9000", "isRequired": True},
    {
        "type": "rating",
        "name": "pain",
        "rateMin": 0,
        "rateMax": 10,
        "minRateDescription": "no pain at all",
        "maxRateDescription": "the worst pain that you can think of",
    },
    {"type": "rating", "name": "heat", "rateMin": 0, "rateMax": 100},
    {"type": "rating", "name": "mood", "rateMin": -10, "rateMax": 10, "minRateDescription": "awful"},
    {"type": "radiogroup", "name": "valueOf", "choices": ["a|b", "c"]},
    {"type": "checkbox", "name": "constructor", "choices": ["x|y", "z", "w"]},
    {"type": "dropdown", "name": "town", "choices": ["Ulm|Neu-Ulm", "Augsburg"]},
    {"type": "boolean", "name": "toString", "title": "Smoker?"},
]


def in_one_language(value: Any, language: str) -> Any:
    """The document with one language alone, in the words of the first."""
    if isinstance(value, dict):
        if set(value) == set(LANGUAGES):
            return {language: value[LANGUAGES[0]]}
        return {key: in_one_language(item, language) for key, item in value.items()}
    if isinstance(value, list):
        return [language] if value == list(LANGUAGES) else [in_one_language(v, language) for v in value]
    return value


@pytest.fixture
def survey(make_site: Callable[..., Site]) -> Callable[..., Site]:
    """A site with these questions, in one language."""

    def make(language: str, **changes: Any) -> Site:
        questions = {"pages": [{"elements": QUESTIONS}]}
        parsed = Questionnaire.parse(questions, LANGUAGES)
        specification = small_specification(
            questionnaire=questions, message_bytes=longest_message(parsed), **changes
        )
        payload = dumps(in_one_language(specification.to_object(), language))
        return make_site(sign(payload, ORGANIZER_KEY).to_bytes(), small_model(specification))

    return make


@pytest.fixture
def asking(make_site: Callable[..., Site]) -> Callable[..., Site]:
    """A site with other questions."""

    def make(*pages: dict[str, Any]) -> Site:
        questions = {"pages": list(pages)}
        parsed = Questionnaire.parse(questions, LANGUAGES)
        specification = small_specification(questionnaire=questions, message_bytes=longest_message(parsed))
        return make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model(specification))

    return make


def to_questions(page: Page, site: Site, person: str = "43") -> Walk:
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    page.locator("#field-0").fill(person)
    page.locator("#field-1-0").check()
    walk.go_on()
    expect(page.locator("#picture")).to_be_visible()
    walk.go_on()
    expect(page.locator(".questionnaire input").first).to_be_visible()
    return walk


def number(page: Page, name: str) -> Any:
    return page.get_by_role("textbox", name=name)


def sent(site: Site) -> dict[str, Any]:
    (message,) = site.stored
    answers: dict[str, Any] = json.loads(message)["answers"]
    return answers


def finish(walk: Walk) -> None:
    walk.go_on()
    expect(walk.page.locator("#raw")).to_be_visible()
    walk.send()


def test_numbers_are_read_in_the_signs_of_the_surveys_language(
    page: Page, survey: Callable[..., Site]
) -> None:
    """French numbers were read as English ones: 1,500 was stored as 1500."""
    site = survey("fr")
    walk = to_questions(page, site)
    number(page, "hours").fill("7,5")
    number(page, "cost").fill("1,500")
    number(page, "steps").fill("1,500")
    walk.go_on()
    expect(page.locator("#error-summary li")).to_have_count(2)
    expect(page.locator("#error-summary")).to_contain_text("« 1,500 » peut vouloir dire 1500 ou 1,5.")
    number(page, "cost").fill("1,5")
    number(page, "steps").fill("1\u202f500")
    finish(walk)
    assert sent(site) == {"hours": "7.5", "cost": "1.5", "steps": "1500"}


@pytest.mark.parametrize(("language", "typed"), [("ar", "٧٫٥"), ("ar", "7.5"), ("en", "7.5"), ("de", "7,5")])
def test_every_decimal_sign_that_can_mean_nothing_else_is_understood(
    page: Page, survey: Callable[..., Site], language: str, typed: str
) -> None:
    site = survey(language)
    walk = to_questions(page, site)
    number(page, "hours").fill(typed)
    number(page, "steps").fill("1500")
    finish(walk)
    assert sent(site) == {"hours": "7.5", "steps": "1500"}


def test_another_language_does_not_change_a_number_that_was_typed(
    page: Page, make_site: Callable[..., Site]
) -> None:
    """1.500 was fifteen hundred when it was typed; the switch to English made it one and a half."""
    questions = {"pages": [{"elements": QUESTIONS[:3]}, {"elements": QUESTIONS[9:]}]}
    length = longest_message(Questionnaire.parse(questions, LANGUAGES))
    specification = small_specification(questionnaire=questions, message_bytes=length)
    site = make_site(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(), small_model(specification))
    walk = Walk(page)
    walk.open(site.link(KEY).replace("#", "?lang=de#"))
    walk.start()
    walk.go_on()
    page.locator("#field-0").fill("43")
    page.locator("#field-1-0").check()
    walk.to_group()
    walk.go_on()
    number(page, "cost").fill("2,5")
    number(page, "steps").fill("1.500")
    walk.go_on()
    expect(page.locator(".questionnaire").get_by_text("Smoker?")).to_be_visible()
    page.get_by_role("link", name="English").click()
    expect(walk.primary).to_have_text("Continue")
    finish(walk)
    assert sent(site) == {"cost": "2.5", "steps": "1500"}


def test_numbers_about_oneself_are_read_alike(page: Page, survey: Callable[..., Site]) -> None:
    """Also in a language in which the page has no texts: it speaks English then."""
    attributes = (age(rounding="down", maximum="2000", open_above=False), sex())
    site = survey("es", attributes=attributes)
    walk = Walk(page)
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    page.locator("#field-0").fill("1,500")
    page.locator("#field-1-0").check()
    walk.go_on()
    expect(page.locator(".field-error")).to_contain_text("can mean 1500 or 1,5")
    page.locator("#field-0").fill("43,5")
    walk.go_on()
    expect(walk.heading).to_contain_text("Your group")


def test_every_value_of_a_scale_can_be_chosen(page: Page, survey: Callable[..., Site]) -> None:
    """SurveyJS drew 0 to 19 of 0 to 100, and -10 to 9 of -10 to 10."""
    site = survey("en")
    walk = to_questions(page, site)
    page.get_by_role("combobox", name="heat").select_option("100")
    page.get_by_role("combobox", name="mood").select_option("-10 – awful")
    page.get_by_role("radio", name="10 on a scale from 0 to 10 – the worst").check(force=True)
    number(page, "steps").fill("1")
    finish(walk)
    assert sent(site) == {"pain": 10, "heat": 100, "mood": -10, "steps": "1"}


def test_names_and_values_mean_nothing_to_the_library(page: Page, survey: Callable[..., Site]) -> None:
    """ "a|b" could not be answered, and a question named constructor stopped the page for good."""
    site = survey("en")
    walk = to_questions(page, site)
    walk.question("a|b").click()
    walk.question("x|y").click()
    walk.question("w").click()
    page.get_by_role("combobox", name="town").select_option("Ulm|Neu-Ulm")
    walk.question("No").click()
    number(page, "steps").fill("1")
    walk.go_on()
    expect(page.locator("#raw")).to_be_visible()
    expect(page.locator(".facts")).to_contain_text("a|b")
    walk.send()
    assert sent(site) == {
        "steps": "1",
        "valueOf": "a|b",
        "constructor": ["x|y", "w"],
        "town": "Ulm|Neu-Ulm",
        "toString": False,
    }
    assert walk.problems == []


def test_a_detail_may_have_a_name_that_every_object_has(page: Page, survey: Callable[..., Site]) -> None:
    site = survey("en", attributes=(age(name="hasOwnProperty"), sex(name="isPrototypeOf")))
    walk = to_questions(page, site)
    number(page, "steps").fill("1")
    finish(walk)


def test_errors_are_sentences_under_the_field_and_yes_stands_before_no(
    page: Page, survey: Callable[..., Site]
) -> None:
    walk = to_questions(page, survey("en"))
    walk.go_on()
    expect(page.locator("#error-summary")).to_contain_text("“steps” – Please answer this question.")
    field = number(page, "steps")
    error = page.locator(".sd-question__erbox", has_text="Please answer this question.")
    above, below = field.bounding_box(), error.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] < below["y"]
    expect(field).to_have_attribute("inputmode", "numeric")
    expect(number(page, "hours")).to_have_attribute("inputmode", "decimal")
    expect(page.locator(".questionnaire")).to_contain_text("A number from 0 to 100. In steps of 0.5.")
    labels = (
        page.locator(".questionnaire label")
        .filter(has_text="Yes")
        .or_(page.locator(".questionnaire label").filter(has_text="No"))
    )
    assert [text.strip() for text in labels.all_inner_texts()] == ["Yes", "No"]


def test_a_chosen_radio_stays_a_dot_in_a_ring_while_it_is_focused(
    page: Page, survey: Callable[..., Site]
) -> None:
    """It was a solid block in the colour of the focus."""
    to_questions(page, survey("en"))
    radio = page.get_by_role("radio", name="c", exact=True)
    radio.focus()
    page.keyboard.press("Space")
    expect(radio).to_be_checked()
    styles = radio.evaluate(
        """(input) => {
          const ring = input.parentElement.querySelector(".sd-item__decorator");
          const [outside, dot] = [getComputedStyle(ring), getComputedStyle(ring, "::after")];
          return { outline: outside.outlineStyle, filled: outside.backgroundColor, dot: dot.backgroundColor,
                   ring: ring.getBoundingClientRect().width, size: parseFloat(dot.width) };
        }"""
    )
    assert styles["outline"] == "solid"
    assert styles["filled"] != styles["dot"]
    assert 4 < styles["size"] < styles["ring"] / 2 + 2


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_a_scale_stands_in_one_row(tab: Callable[..., Page], survey: Callable[..., Site], width: int) -> None:
    walk = to_questions(tab({"width": width, "height": 740}), survey("en"))
    walk.name = f"questions-{width}"
    boxes = walk.page.locator(".sd-rating__item").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect())"
    )
    assert len(boxes) == 11
    assert len({round(box["y"]) for box in boxes}) == 1
    assert max(box["x"] + box["width"] for box in boxes) <= width
    assert min(box["height"] for box in boxes) >= 44
    assert walk.overflow() <= 0
    walk.question("c").click()
    walk.page.get_by_role("radio", name="3 on a scale").check(force=True)
    walk.look("1")


BRACE = "{q0} {Q0.title} {hours} {#q0} { q0 } {0} {rowTitle} {choice} {panel.q0} {locale}"
"""What SurveyJS would put answers, titles or figures of its own in for."""


def test_a_brace_in_any_text_is_shown_as_it_was_signed(page: Page, asking: Callable[..., Site]) -> None:
    """A title "You earn {q0}. Are you sure?" was filled in with an answer that nobody signed."""

    def texts(*names: str) -> dict[str, Any]:
        return {name: f"{name} {BRACE}" for name in names}

    choices = [{"value": "{q0}", "text": f"first {BRACE}"}, {"value": "b", "text": f"second {BRACE}"}]
    several: list[dict[str, Any]] = [
        {"type": "radiogroup", "choices": choices, "hasNone": True, **texts("noneText")},
        {"type": "dropdown", "choices": choices},
        {"type": "checkbox", "choices": choices},
        {"type": "ranking", "choices": choices},
        {"type": "matrix", "rows": choices[:2], "columns": choices},
        {"type": "rating", **texts("minRateDescription", "maxRateDescription")},
        {"type": "boolean", **texts("labelTrue", "labelFalse")},
        {"type": "text", "inputType": "date"},
        {"type": "image", "imageLink": data_url(png()), **texts("altText")},
    ]
    first = {"type": "text", "inputType": "number", "name": "hours", "title": "How many?", **texts("unit")}
    elements = [first] + [
        {"name": f"e{i}"} | ({} if e["type"] == "image" else texts("title", "description")) | e
        for i, e in enumerate(several)
    ]
    site = asking({**texts("title", "description"), "elements": elements})
    walk = to_questions(page, site)
    number(page, "How many?").fill("17")
    page.locator("label", has_text=f"second {BRACE}").first.click()
    shown = page.locator("#screen")
    assert "17" not in shown.inner_text()
    once = ("noneText", "unit", "minRateDescription", "maxRateDescription", "labelTrue", "labelFalse")
    expected = dict.fromkeys(once, 1) | {"title": 9, "description": 9, "first": 5, "second": 5}
    for name, times in expected.items():
        assert shown.inner_text().count(f"{name} {BRACE}") >= times, name
    assert page.locator("#screen img").get_attribute("alt") == f"altText {BRACE}"
    finish(walk)
    assert sent(site)["e0"] == "b"
    assert walk.problems == []


def test_a_unit_stands_beside_the_field_and_in_its_name(page: Page, asking: Callable[..., Site]) -> None:
    unit = {"en": "hours a week", "de": "Stunden in der Woche"}
    question = {"type": "text", "inputType": "number", "name": "work", "title": "How long?", "max": 80}
    site = asking({"elements": [question | {"unit": unit, "isRequired": True}]})
    walk = to_questions(page, site)
    field = page.get_by_role("textbox", name="How long? hours a week")
    field.fill("x")
    walk.go_on()
    expect(page.locator("#error-summary")).to_be_visible()
    expect(page.locator(".unit")).to_have_count(1)
    field.fill("38")
    left, right = field.bounding_box(), page.locator(".unit").bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] + left["height"] / 2 - right["y"] - right["height"] / 2) < 4
    page.click("[data-language=de]")
    expect(page.get_by_role("textbox", name="Stunden in der Woche")).to_have_value("38")
    walk.go_on()
    expect(page.locator(".facts")).to_contain_text("38 Stunden in der Woche")
    walk.send()
    assert sent(site) == {"work": "38"}


def test_the_longest_row_of_a_scale_shows_every_figure_at_twice_the_size(
    tab: Callable[..., Page], survey: Callable[..., Site]
) -> None:
    """The button with 10 was narrower than its figures."""
    page = tab()
    to_questions(page, survey("en"))
    cut = """items => items.filter(item => {
      const text = item.querySelector(".sd-rating__item-text");
      return text && (text.scrollWidth > item.clientWidth || text.scrollHeight > item.clientHeight);
    }).map(item => item.textContent)"""
    items = page.locator("fieldset").filter(has_text="no pain at all").locator(".sd-rating__item")
    rows = "items => new Set(items.map(item => item.getBoundingClientRect().top)).size"
    assert items.evaluate_all(rows) == 1
    assert items.evaluate_all(cut) == []
    page.evaluate("document.documentElement.style.setProperty('font-size', '200%')")
    assert items.evaluate_all(cut) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("language", ["ar", "en"])
def test_errors_stand_within_their_question_in_both_directions(
    tab: Callable[..., Page], asking: Callable[..., Site], make_site: Callable[..., Site], language: str
) -> None:
    """In Arabic they began a third of a line too far to the left, and were cut off."""
    rows = [{"value": "a", "text": "A"}, {"value": "b", "text": "B"}]
    matrix = {"type": "matrix", "name": "views", "rows": rows, "columns": ["bad", "good"], "isRequired": True}
    own = asking({"elements": [matrix, {"type": "boolean", "name": "car", "isRequired": True}]})
    payload = dumps(in_one_language(own.specification.to_object(), language))
    site = make_site(sign(payload, ORGANIZER_KEY).to_bytes(), small_model(own.specification))
    page = tab()
    walk = to_questions(page, site)
    walk.go_on()
    expect(page.locator("#error-summary")).to_be_visible()
    starts = """boxes => boxes.map(box => {
      const range = document.createRange();
      range.selectNodeContents(box);
      const [own, question] = [range, box.closest(".sd-question")].map(one => one.getBoundingClientRect());
      const left = document.documentElement.dir !== "rtl";
      return Math.round(left ? own.left - question.left : question.right - own.right);
    })"""
    errors = page.locator(".sd-element__erbox:visible")
    expect(errors).to_have_count(2)
    assert errors.evaluate_all(starts) == [0, 0]
