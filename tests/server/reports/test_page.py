"""The shell of every report: complete in itself, escaped, and the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from server.reports.charts import Line, line_chart
from server.reports.page import (
    Column,
    DataTable,
    KeyFigure,
    Page,
    Picture,
    Section,
    render,
)

NASTY = "</script><script>alert(1)</script>\"'&<b> äöü 漢"
TABLE = DataTable(
    caption=NASTY,
    columns=(Column(heading=NASTY, hint=NASTY), Column(heading="x")),
    rows=((NASTY, "2"),),
    note=NASTY,
)
CHART = line_chart(alt=NASTY, lines=(Line(label=NASTY, x=(1, 2), y=(3, 4)),), x_label=NASTY, y_label="y")


def page() -> Page:
    section = Section(
        name="first",
        title=NASTY,
        paragraphs=(NASTY,),
        figures=(KeyFigure(label=NASTY, value=NASTY, meaning=NASTY, safe=NASTY),),
        pictures=(Picture(svg=CHART, caption=NASTY, data=replace(TABLE, folded=True)),),
        tables=(TABLE,),
    )
    others = tuple(replace(section, name=name, pictures=()) for name in ("second", "third"))
    return Page(
        kind="Test report",
        title=NASTY,
        title_language="de",
        summary=(NASTY,),
        warnings=(NASTY,),
        sections=(section, *others),
        script="cell_map.js",
        data={"text": NASTY},
        command=NASTY,
    )


class Elements(HTMLParser):
    def __init__(self, document: bytes) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document.decode("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_nothing_is_loaded_from_elsewhere() -> None:
    document = render(page())
    for tag, attributes in Elements(document).found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        for name in ("src", "href", "xlink:href", "action", "srcset", "data"):
            assert (attributes.get(name) or "#").startswith("#")
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
    assert not re.search(rb"url\((?!#)|@import", document)


def test_texts_cannot_become_markup() -> None:
    elements = Elements(render(page()))
    assert len(elements.all("script")) == 2
    assert elements.all("b") == []


def test_the_data_reaches_the_script_unchanged() -> None:
    text = render(page()).decode("utf-8")
    match = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    assert json.loads(match[1]) == {"text": NASTY}


def policy_of(document: bytes) -> str:
    match = re.search(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', document)
    assert match is not None
    return html.unescape(match[1].decode("ascii"))


def test_policy_allows_exactly_the_style_and_the_script() -> None:
    document = render(page())
    policy = policy_of(document)
    assert policy.startswith("default-src 'none'; ")
    text = document.decode("utf-8")
    for pattern, directive in (
        (r"<style>(.*?)</style>", "style-src"),
        (r"<script>(.*?)</script>", "script-src"),
    ):
        match = re.search(pattern, text, re.DOTALL)
        assert match is not None
        digest = base64.b64encode(hashlib.sha256(match[1].encode("utf-8")).digest()).decode("ascii")
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "script-src" not in policy_of(render(replace(page(), script="", data=None)))


def test_document_is_accessible_in_form() -> None:
    elements = Elements(render(page()))
    assert elements.all("html") == [{"lang": "en"}]
    assert elements.all("h1") == [{"lang": "de"}]
    names = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(names) == len(set(names))
    assert all(attributes.get("scope") in ("col", "row") for attributes in elements.all("th"))
    assert len(elements.all("caption")) == len(elements.all("table"))
    labels = {attributes.get("aria-labelledby") for attributes in elements.all("section")}
    assert labels <= set(names)


def test_warnings_stand_before_every_figure() -> None:
    text = render(page()).decode("utf-8")
    assert text.index('class="warnings"') < text.index('class="figures"')
    assert 'class="warnings"' not in render(replace(page(), warnings=())).decode("utf-8")


def test_same_page_same_bytes() -> None:
    assert render(page()) == render(page())


def test_impossible_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="wrong length"):
        DataTable(caption="x", columns=(Column(heading="x"),), rows=(("1", "2"),))
    with pytest.raises(ValueError, match="anchor"):
        Section(name="Not an anchor", title="x")
