"""The whole way through the desk, in one process: from a file to an exported table."""

from __future__ import annotations

import io
import re
import secrets
import threading
from pathlib import Path
from typing import Any

import pyreadstat
import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.desk.desk import Desk
from server.desk.pages import releasing
from server.desk.pages.promise import promise_of
from server.desk.recommending import recommend
from server.desk.steps import INVITED_STEPS, OPEN_STEPS
from server.desk.texts import LANGUAGES, texts
from server.progress import StageProgress
from shared.pictures import Logo
from shared.submission import encode
from tests.every_question import data_url, png
from tests.server.desk.test_mistakes import choose, promise, use
from tests.server.desk.visitor import Visitor, people_csv
from tests.waiting import PATIENCE_SECONDS

DESK = Path(__file__).parents[3] / "server" / "desk"
NAME = "Ways to work"
PAGES = (
    "/", "/population", "/promise", "/about", "/questions", "/design", "/sign", "/publish", "/collect",
    "/release", "/roles", "/promise/estimate", "/promise/curve", "/population/cost",
)  # fmt: skip


def declare(visitor: Visitor) -> None:
    """Everything up to the design."""
    choose(visitor, people_csv(visitor.folder / "people.csv", 900))
    visitor.post("/population/reading", {"kind": "public"})
    use(visitor, "age", "sex")
    promise(visitor, algorithm="mdav")
    about = {"languages": "en", "title-en": NAME, "name": "Council", "contact": "a@b.example"}
    visitor.post("/about", {**about, "retention_days": "30", "page": "about"})
    rating = {
        "action": "add",
        "type": "rating",
        "name": "content",
        "title-en": "Content?",
        "page": "questions",
    }
    assert "Saved." in visitor.told("/questions", rating | {"page": "questions"}, "/questions")


def design(visitor: Visitor) -> None:
    assert visitor.post("/design", {"page": "design"}).status_code == 303
    visitor.desk.jobs.wait(300)
    state = visitor.desk.jobs.state
    assert state is not None
    assert state.state == "done", state.error


def marks(visitor: Visitor) -> dict[str, str]:
    return {step.name: step.mark for step in visitor.desk.progress().steps}


def test_a_problem_leads_to_the_page_where_it_is_mended(visitor: Visitor) -> None:
    declare(visitor)
    promise(visitor, low="0.7", high="0.7")
    assert visitor.post("/design", {"page": "design"}).status_code == 303
    visitor.desk.jobs.wait(300)
    page = visitor.text("/design")
    assert "does not say where the figure comes from" in page
    assert re.search(r'<a href="[^"]*/promise">Go to: The promise</a>', page)
    refused = visitor.told("/promise", {"k": "1", "failure": "1e-4", "page": "promise"}, "/promise")
    assert 'id="problem"' in refused
    assert "Go to:" not in refused, "it is there already"


def test_from_a_file_to_an_exported_table(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    assert marks(visitor)["population"] == "next"
    assert marks(visitor)["sign"] == "blocked"
    declare(visitor)
    assert marks(visitor)["design"] == "next"
    design(visitor)
    assert marks(visitor)["sign"] == "next"
    report = visitor.get("/report/design")
    assert "sandbox allow-scripts" in report.headers["Content-Security-Policy"]
    assert "unsafe" not in report.headers["Content-Security-Policy"]
    (visitor.folder / "survey" / "report.html").write_text(
        """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src *">"""
    )
    forged = visitor.get("/report/design")
    assert forged.headers["Content-Security-Policy"] == report.headers["Content-Security-Policy"]

    # The design is the command's, byte for byte.
    again = CliRunner().invoke(
        roomful, ["design", str(visitor.folder / "survey.toml"), "--out", str(visitor.folder / "again")]
    )
    assert again.exit_code == 0, again.output
    for file in ("design.json", "model.csv"):
        assert (visitor.folder / "survey" / file).read_bytes() == (
            visitor.folder / "again" / file
        ).read_bytes()

    secret = "correct horse battery"
    visitor.post("/sign/key", {"passphrase": secret, "passphrase_again": secret, "page": "sign"})
    signature = {"key": "key.pem", "passphrase": secret, "page": "sign"}
    assert "waits for another" in visitor.told("/publish", {"page": "publish"}, "/publish")
    wrong = visitor.told("/sign", signature | {"name": "x"}, "/sign")
    assert "not the survey" in wrong
    assert secret not in wrong
    assert "This survey is signed" not in visitor.text("/questions")
    visitor.post("/sign", signature | {"name": NAME})
    assert marks(visitor)["sign"] == "done"
    assert "This survey is signed" in visitor.text("/questions")
    (visitor.folder / "key.pub").unlink()  # as if it had been signed elsewhere
    assert "Make a key" not in visitor.text("/sign")
    kept = b"".join(path.read_bytes() for path in visitor.folder.rglob("*") if path.is_file())
    assert secret.encode() not in kept

    visitor.post("/publish", {"page": "publish"})
    refused = visitor.told("/open", {"name": "other", "page": "publish"}, "/publish")
    assert "not the survey" in refused
    visitor.post("/open", {"name": NAME, "page": "publish"})
    assert "Invitation" in visitor.text("/publish")
    store = visitor.desk.progress().store
    assert store is not None
    answer(store)
    page = visitor.text("/collect")
    assert "Answers so far" in page
    assert '<dd class="value">450</dd>' in page  # half of 900 are expected
    visitor.post("/close", {"name": NAME, "page": "collect"})
    release_while_the_page_is_drawn(visitor, monkeypatch)
    page = visitor.text("/release")
    assert "Answers of the smallest group" in page
    assert "microdata.sav" in page
    frame, _ = pyreadstat.read_sav(visitor.folder / "release" / "microdata.sav")
    assert len(frame) == store.total()
    download = visitor.get("/release/file/microdata.csv")
    assert "attachment" in download.headers["Content-Disposition"]
    assert visitor.get("/release/file/..%2Fkey.pem").status_code in (400, 404)
    assert set(marks(visitor).values()) == {"done"}
    assert tuple(marks(visitor)) == OPEN_STEPS


def release_while_the_page_is_drawn(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page drawn while the work ends: it said that all was done, and offered to release once more."""
    drawn, release, files = threading.Event(), releasing.release_survey, releasing._files

    def late(*given: Any) -> Any:
        assert drawn.wait(PATIENCE_SECONDS)
        return release(*given)

    def read(desk: Desk) -> tuple[str, ...]:
        found = files(desk)
        drawn.set()
        visitor.desk.jobs.wait(300)
        return found

    monkeypatch.setattr(releasing, "release_survey", late)
    monkeypatch.setattr(releasing, "_QUICK_SECONDS", 0)
    monkeypatch.setattr(releasing, "_files", read)
    formats = ["sav", "xlsx"]
    answered = visitor.post("/release", {"name": NAME, "formats": formats, "page": "release"})
    assert answered.status_code == 303
    page = visitor.text("/release")
    assert "hx-get" in page, "it asks again"
    assert f">{texts('en')['release.button']}</button>" not in page


def answer(store: SurveyStore) -> None:
    """A dozen people of every cell answer."""
    for cell in range(store.specification.cells.count):
        for person in range(12):
            answers = {"content": person % 5 + 1}
            length = store.specification.message_bytes
            store.submit(encode(store.published.digest, cell, answers, secrets.token_bytes(length), length))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_in_every_language(language: str) -> None:
    assert texts(language).keys() == texts("en").keys()
    assert {f"state.{state}" for state in State} <= texts(language).keys()
    for key, text in texts(language).items():
        assert text.strip(), key
        places = [sorted(re.findall(r"{(\w+)}", each)) for each in (text, texts("en")[key])]
        assert places[0] == places[1], key


def test_every_text_of_a_page_is_known() -> None:
    pages = "".join(path.read_text() for path in (DESK / "templates").glob("*.j2"))
    named = re.findall(r"""\bt\(["']([a-z][A-Za-z0-9._-]*)["'](?=[,)])""", pages)
    assert len(named) > 100
    assert set(named) <= texts("en").keys()


def test_pages_speak_german(visitor: Visitor) -> None:
    declare(visitor)
    visitor.post("/language", {"language": "de"})
    for path in PAGES:
        assert visitor.get(path).status_code == 200, path
    assert "Grundgesamtheit" in visitor.text("/population")


def test_long_work_is_cancelled_without_a_trace(visitor: Visitor) -> None:
    declare(visitor)
    before = sorted(visitor.folder.rglob("*"))
    started = threading.Event()

    def work(report: StageProgress) -> None:
        started.set()
        while True:
            report("Cells", 1, 2)

    visitor.desk.jobs.start("design", work)
    assert started.wait(PATIENCE_SECONDS)
    assert "Cancel" in visitor.text("/design")
    refused = visitor.told("/design", {"page": "design"}, "/design")
    assert "something else is being computed" in refused
    visitor.post("/job/cancel", {"page": "design"})
    visitor.desk.jobs.wait(PATIENCE_SECONDS)
    assert "Cancelled" in visitor.text("/design")
    assert sorted(visitor.folder.rglob("*")) == before


def test_designs_stand_side_by_side_and_write_nothing(visitor: Visitor) -> None:
    declare(visitor)
    before = sorted(visitor.folder.rglob("*"))
    for k in ("5", "8"):
        form = {
            "k": k,
            "failure": "1e-4",
            "low": "0.5",
            "high": "0.5",
            "correlation": "0",
            "algorithm": "mdav",
        }
        answered = visitor.post("/promise/try", {**form, "household_size": "1", "page": "promise"})
        visitor.desk.jobs.wait(300)
        assert "k=" + k in answered.headers["Location"]  # the controls stay as they were
    page = visitor.text("/promise?k=8&algorithm=mondrian")
    assert 'aria-describedby="k-hint" value="8"' in page
    assert [design.k for design in visitor.desk.tried] == [5, 8]
    assert "Designs that were made" in page
    assert sorted(visitor.folder.rglob("*")) == before


def test_a_recommendation_has_three_and_the_safest_is_the_coarsest(visitor: Visitor) -> None:
    declare(visitor)
    proposals = recommend(visitor.desk.model(), promise_of(visitor.desk.draft()))
    assert [proposal.name for proposal in proposals] == ["finest", "balanced", "safest"]
    needed = [p.estimate.needed for p in proposals if p.estimate is not None]
    assert needed == sorted(needed)
    assert "Finest" in visitor.post("/promise/recommend", {"page": "promise"}).text


def test_what_was_written_by_hand_is_kept_once_and_nothing_is_lost(visitor: Visitor) -> None:
    by_hand = '# mine\nretention_days = 7\n[release]\nrule = "withhold"\n'
    (visitor.folder / "survey.toml").write_text(by_hand)
    choose(visitor, people_csv(visitor.folder / "people.csv"))
    use(visitor, "age")
    assert (visitor.folder / "survey.before-desk.toml").read_text() == by_hand
    document = visitor.desk.draft().document
    assert document["retention_days"] == 7
    assert document["release"] == {"rule": "withhold"}


def test_a_logo_is_sent_tried_and_dropped(visitor: Visitor) -> None:
    declare(visitor)
    about = {
        "languages": "en",
        "title-en": NAME,
        "name": "Council",
        "contact": "a@b.example",
        "page": "about",
    }

    def with_file(content: bytes) -> dict[str, Any]:
        return {**about, "alt-en": "A tower", "logo": (io.BytesIO(content), "our logo.png")}

    assert "this can be no logo" in visitor.told("/about", with_file(b"<svg/>"), "/about")
    visitor.post("/about", with_file(png()))
    with visitor.desk.draft().completed() as survey:
        assert survey.plan.logo == Logo(image=data_url(png()), alt={"en": "A tower"})
    visitor.post("/about", {**about, "alt-en": "Our tower"})
    assert visitor.desk.draft().section("logo") == {"file": "logo", "alt": {"en": "Our tower"}}
    assert "Use logo no more" in visitor.text("/about")
    visitor.post("/about", {**about, "no_logo": "on"})
    assert "logo" not in visitor.desk.draft().document


def test_words_of_a_table_of_places_outlive_a_change_of_the_attribute(visitor: Visitor) -> None:
    words = 'axes = { x = { en = "East" } }\nlabels = "called"\nregions = "part"\n'
    entry = f'[[attributes]]\nname = "place"\nkind = "lookup"\ntable = "places.csv"\n{words}'
    (visitor.folder / "survey.toml").write_text(entry)
    (visitor.folder / "places.csv").write_text("value,x,called,part\na,1,A,North\nb,2,B,\n")
    form = {"name": "place", "action": "save", "kind": "lookup", "table": "places.csv", "page": "population"}
    visitor.post("/population/attribute", {**form, "label-en": "Where"})
    (kept,) = visitor.desk.draft().attributes
    assert (kept["axes"], kept["labels"], kept["regions"]) == ({"x": {"en": "East"}}, "called", "part")
    (visitor.folder / "others.csv").write_text("value,x\na,1\nb,2\n")
    visitor.post("/population/attribute", {**form, "table": "others.csv"})
    assert set(visitor.desk.draft().attributes[0]) == {"name", "kind", "table", "label"}


def test_a_period_is_declared_shown_signed_and_kept(visitor: Visitor) -> None:
    declare(visitor)
    about = {
        "languages": "en",
        "title-en": NAME,
        "name": "Council",
        "contact": "a@b.example",
        "page": "about",
    }
    opened, closes = "2026-01-01T08:00", "2199-12-15T23:59"
    visitor.post("/about", {**about, "retention_days": "30", "opens": opened, "closes": closes})
    page = visitor.text("/about")
    assert f'value="{opened}"' in page
    assert f'value="{closes}"' in page
    assert "this is no day" in visitor.told("/about", {**about, "closes": "tomorrow"}, "/about")
    design(visitor)
    secret = "correct horse battery"
    visitor.post("/sign/key", {"passphrase": secret, "passphrase_again": secret, "page": "sign"})
    visitor.post("/sign", {"key": "key.pem", "passphrase": secret, "name": NAME, "page": "sign"})
    visitor.post("/publish", {"page": "publish", "test": "on"})
    visitor.post("/open", {"name": NAME, "page": "publish"})
    assert "This is a test copy." in visitor.text("/collect")
    assert "It closes by itself on December 15, 2199" in visitor.text("/collect")
    page = visitor.told("/close", {"name": NAME, "page": "collect"}, "/collect")
    assert "promises its respondents" in page
    assert marks(visitor)["close"] == "next"
    visitor.post("/close", {"name": NAME, "early": "on", "page": "collect"})
    assert marks(visitor)["close"] == "done"


def test_an_invited_survey_shows_its_own_steps(visitor: Visitor) -> None:
    (visitor.folder / "survey.toml").write_text("[invited]\npeople = 10\n")
    assert tuple(marks(visitor)) == INVITED_STEPS
    page = visitor.text("/")
    assert "roomful trustees create" in page


def test_broken_toml_is_named(visitor: Visitor) -> None:
    (visitor.folder / "survey.toml").write_text("k = = 1\n")
    answered = visitor.get("/")
    assert answered.status_code == 400
    assert "this is no TOML" in answered.text


def test_without_htmx_every_page_works(visitor: Visitor) -> None:
    declare(visitor)
    page = visitor.text("/promise")
    assert 'formaction="' in page
    assert "Groups" in page


@pytest.mark.parametrize("action", ["up", "down", "remove", "save"])
def test_questions_are_ordered_changed_and_removed(visitor: Visitor, action: str) -> None:
    declare(visitor)
    second = {
        "action": "add",
        "type": "radiogroup",
        "name": "way",
        "title-en": "How?",
        "choices": "bus\ncar | Car",
    }
    visitor.post("/questions", {**second, "page": "questions"})
    place = "1" if action == "up" else "0"
    form = {"action": action, "at_page": "0", "at_place": place, "page": "questions"}
    if action == "save":
        form |= {"type": "rating", "name": "mood", "title-en": "Mood?", "rateMin": "0", "rateMax": "3"}
    visitor.post("/questions", form)
    assert visitor.desk.problem is None
    names = [question.name for question in visitor.desk.draft().survey().plan.questionnaire.questions]
    wanted = {
        "up": ["way", "content"],
        "down": ["way", "content"],
        "remove": ["way"],
        "save": ["mood", "way"],
    }
    assert names == wanted[action]


def test_free_text_and_nonsense_are_refused_and_change_nothing(visitor: Visitor) -> None:
    declare(visitor)
    before = (visitor.folder / "questions.json").read_bytes()
    for form in (
        {"type": "comment", "name": "more"},
        {"type": "radiogroup", "name": "one", "choices": "only"},
        {"type": "rating", "name": "1", "rateMin": "x"},
        {"json": "[1"},
        {"type": "matrixdynamic", "name": "x"},
    ):
        page = visitor.told("/questions", {"action": "add", **form, "page": "questions"}, "/questions")
        assert 'id="problem"' in page
        assert (visitor.folder / "questions.json").read_bytes() == before
