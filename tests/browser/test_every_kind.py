"""A respondent whose survey asks for an attribute of every kind."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from shared.attributes import KINDS
from shared.cells import PowerDiagram
from shared.model import ModelRow, format_model
from tests.browser.conftest import KEY
from tests.browser.site import Site
from tests.browser.walk import Walk
from tests.builders import ORGANIZER_KEY, both, build_specification, sign
from tests.kinds import ANSWERS, MADE

pytestmark = pytest.mark.browser


def test_every_kind_can_be_answered(page: Page, make_site: Callable[..., Site]) -> None:
    attributes = tuple(MADE[kind](name=kind, label=both(kind.title())) for kind in KINDS)
    people = [[ANSWERS[kind][i] for kind in KINDS] for i in (0, 1)]
    vectors = [
        tuple(c for a, text in zip(attributes, texts, strict=True) for c in a.vector(text))
        for texts in people
    ]
    rows = [ModelRow(vector=vector, level=0, people=30) for vector in sorted(vectors)]
    cells = PowerDiagram(weights=(1,) * len(vectors[0]), resolution=1, sites=(vectors[0],), offsets=(0,))
    specification = build_specification(attributes=attributes, rows=rows, cells=cells)
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    site = make_site(envelope.to_bytes(), format_model(attributes, rows))
    walk = Walk(page, "every-kind")
    walk.open(site.link(KEY))
    walk.start()
    walk.go_on()
    walk.go_on()
    expect(page.locator("#error-summary li")).to_have_count(len(KINDS))
    for attribute in attributes:
        answer, form = ANSWERS[attribute.kind][1], attribute.form_field()["form"]
        if form != "choice":
            page.get_by_label(attribute.label["en"], exact=True).fill(answer)
        elif len(attribute.listed) <= 7:
            page.get_by_label(answer.title(), exact=True).check()
        else:
            page.get_by_label(attribute.label["en"], exact=True).select_option(answer)
    place = page.get_by_label("Lookup", exact=True)
    place.fill("2 There")
    expect(page.get_by_role("status").filter(has_text="counted as: there")).to_be_visible()
    page.click("[data-language=de]")
    expect(page.locator("input[list]")).to_have_value("2 Dort")
    page.click("[data-language=en]")
    expect(place).to_have_value("2 There")
    walk.look("you")
    walk.go_on()
    expect(page.locator("#example")).to_contain_text("2 There")
    walk.see_picture()
    expect(page.locator(".picture .place").first).to_have_text("Town")
    expect(page.locator("#axis-0 option:checked")).to_have_text("Lookup: To the east")
    page.click("#more > summary")
    shown = page.locator("#screen").inner_text()
    assert all(f"{kind.title()}:" in shown for kind in KINDS)
    assert not walk.problems
