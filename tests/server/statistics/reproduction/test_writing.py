"""The folder of a run: files, page, index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.writing import INDEX, as_json, write_entry, write_index
from tests.server.statistics.reproduction.examples import ENTRY, NAME, record, reproduction


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(CATALOGUE, NAME, ENTRY)
    done = reproduction(record(4.2), record(5.0, k=5))
    files = write_entry(tmp_path, done)
    write_index(tmp_path, [done], files, "roomful reproduce")
    return tmp_path


def test_the_index_names_every_file(folder: Path) -> None:
    index = json.loads((folder / INDEX).read_text("utf-8"))
    assert (
        sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()) == index["files"]
    )
    (entry,) = index["entries"]
    assert (entry["compared"], entry["promised"], entry["kept"]) == (2, 2, 1)
    assert entry["worst"]["ours"] == 5.0
    assert entry["worst"]["kept"] is False


def test_json_holds_everything(folder: Path) -> None:
    value = json.loads((folder / NAME / "report.json").read_text("utf-8"))
    assert value == json.loads(json.dumps(as_json(reproduction(record(4.2), record(5.0, k=5)))))
    assert value["records"][0]["difference"] == pytest.approx(0.2)
    assert value["records"][0]["at"] == {"data": "census <b>", "k": 3}
    assert value["verdicts"]["Table 9"].startswith("within 25 %")


def test_the_page_escapes_and_links_only_to_files_of_the_run(folder: Path) -> None:
    page = (folder / "index.html").read_text("utf-8")
    assert "census &lt;b&gt;" in page
    assert "census <b>" not in page
    assert "Not kept: +25 %" in page
    for name in ("report.txt", "report.json", "curve.svg"):
        assert f'href="{NAME}/{name}"' in page
        assert (folder / NAME / name).is_file()


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_its_pictures_are_seen(
    folder: Path, browser: Browser, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto((folder / "index.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = page.get_by_role("img", name="Loss against k")
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] >= min(width, 400) * 0.85
    verdict = page.get_by_role("cell", name="within 25 %").first.bounding_box()
    assert verdict is not None
    assert verdict["x"] + 150 < width
    ink = page.evaluate("getComputedStyle(document.body).color")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ink[4:-1].split(","))) > sum(map(int, paper[4:-1].split(",")))) == (scheme == "dark")
    assert messages == []
    context.close()
