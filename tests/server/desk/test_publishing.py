"""Publishing from the desk: drafts taken back, a server of somebody else, papers to print."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pypdfium2
import pytest

from server.collection.config import Config
from server.collection.publishing.codes import PublishingCodes
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.desk.pages import collecting
from tests.served import no_client, serving
from tests.server.collection.storage import sample
from tests.server.desk.visitor import Visitor

NAME = "Small survey"


@pytest.fixture
def signed(visitor: Visitor) -> Visitor:
    """A desk over a signed survey."""
    folder = visitor.folder / "survey"
    folder.mkdir()
    (folder / "survey.dsse.json").write_bytes(sample.envelope())
    (folder / "design.json").write_bytes(sample.payload())
    (folder / "model.csv").write_bytes(sample.MODEL)
    visitor.desk.draft().saved(title={"en": NAME, "de": "Kleine Umfrage"}, languages=["en", "de"])
    return visitor


@pytest.fixture
def server(tmp_path: Path) -> Iterator[DataDirectory]:
    """The data directory of somebody else's server."""
    with DataDirectory(tmp_path / "theirs") as data:
        yield data


def marks(visitor: Visitor) -> dict[str, str]:
    return {step.name: step.mark for step in visitor.desk.progress().steps}


def test_a_survey_is_published_on_the_server_of_somebody_else(signed: Visitor, server: DataDirectory) -> None:
    code, _ = PublishingCodes(server.path).make()
    with serving(create_app(Config(), server, client=no_client)) as port:
        form = {"page": "publish", "to": f"http://127.0.0.1:{port}", "publishing_code": code}
        wrong = signed.told(
            "/publish/server", form | {"publishing_code": "0000-0000-0000-0000-0000"}, "/publish"
        )
        assert "no publishing code of this server" in wrong
        assert f"127.0.0.1:{port}" in wrong  # what stood in the form, but for the code
        assert "0000-0000" not in wrong
        page = signed.told("/publish/server", form, "/publish")
        assert f"published at http://127.0.0.1:{port}/ as {sample.digest()[:16]}" in page
        assert f"http://127.0.0.1:{port}/s/{sample.digest()[:16]}#" in page
        assert server.ids() == (sample.digest()[:16],)
        assert (marks(signed)["publish"], marks(signed)["open"]) == ("done", "next")
        server.open(sample.digest())
        server.survey(sample.digest()).submit(sample.message())
        page = signed.told("/publish/ask", {"page": "publish"}, "/publish")
        assert "The survey is open. Answers so far: 1." in page
        assert marks(signed)["open"] == "done"
    kept = b"".join(path.read_bytes() for path in signed.folder.rglob("*") if path.is_file())
    assert code.encode() not in kept


@pytest.mark.parametrize("address", ["http://survey.example/", "file:///etc/passwd", ""])
def test_no_code_leaves_in_the_open(signed: Visitor, address: str) -> None:
    page = signed.told(
        "/publish/server", {"page": "publish", "to": address, "publishing_code": "x"}, "/publish"
    )
    assert 'id="problem"' in page


def test_a_draft_is_taken_back_by_its_name_alone(signed: Visitor) -> None:
    signed.post("/publish", {"page": "publish"})
    assert "not the survey" in signed.told("/discard", {"page": "publish", "name": "other"}, "/publish")
    assert "The draft is deleted." in signed.told("/discard", {"page": "publish", "name": NAME}, "/publish")
    assert marks(signed)["publish"] == "next"
    signed.post("/publish", {"page": "publish"})
    signed.post("/open", {"page": "publish", "name": NAME})
    assert "cannot delete" in signed.told("/discard", {"page": "publish", "name": NAME}, "/publish")


@pytest.mark.parametrize("name", ["poster.pdf", "letter.pdf"])
def test_papers_are_downloaded_in_each_language(signed: Visitor, name: str) -> None:
    signed.post("/publish", {"page": "publish"})
    answer = signed.get(f"/print/de/{name}?server=https://survey.example/")
    assert answer.content_type == "application/pdf"
    text = pypdfium2.PdfDocument(io.BytesIO(answer.data))[0].get_textpage().get_text_bounded()
    assert "Kleine Umfrage" in text
    assert f"https://survey.example/s/{sample.digest()[:16]}" in text
    for path in ("/print/fr/poster.pdf", "/print/de/other.pdf", "/print/de/poster.pdf?server=x"):
        assert signed.get(path).status_code == 400


def test_a_reminder_goes_to_all_and_a_forecast_comes_from_totals(
    signed: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed.post("/publish", {"page": "publish"})
    signed.post("/open", {"page": "publish", "name": NAME})
    store = signed.desk.published()
    day = [date(2030, 5, 1)]
    monkeypatch.setattr(collecting, "utc_today", lambda: day[0])
    for number in range(14):
        store.submit(sample.message(cell=number % 2))
    page = signed.text("/collect")
    assert "From tomorrow on a forecast" in page
    assert "Diese Erinnerung geht an alle" in page
    assert "this reminder goes to everybody" in page
    for number in range(10):
        store.submit(sample.message(cell=number % 2))
    day[0] = date(2030, 5, 2)
    page = signed.text("/collect")
    assert "Foreseen on May 9, 2030" in page
    assert "20 – 90" in page  # 10 a day in tens, or none any more
    assert (signed.folder / "totals.csv").read_text().splitlines() == [
        "day,total",
        "2030-05-01,10",
        "2030-05-02,20",
    ]
    assert signed.get("/print/de/letter.pdf?reminder=1").content_type == "application/pdf"
