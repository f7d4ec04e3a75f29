"""The main job as its users do it: the command line from an empty folder, from a file to a released table."""

from __future__ import annotations

import csv
import json
import re
import resource
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from tests.builders import ANSWERS
from tests.end_to_end.office import Office
from tests.towns import RATES, write_town

CANARY_AGE, CANARY_ANSWER = "77", "poor"


def get(address: str) -> bytes:
    """Body of a successful answer."""
    with urllib.request.urlopen(address) as answer:
        body: bytes = answer.read()
    return body


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


@pytest.fixture(scope="module", params=["public", "register"])
def released(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Office, str]:
    """A survey of a town, from its file to its release; one person answers by hand.

    Of the one survey every command starts from nothing, as for an organizer.
    """
    kind = request.param
    office = Office(tmp_path_factory.mktemp(kind), fresh=kind == "public")
    write_town(office.folder, kind=kind, participation=RATES, people=1200)
    office.run("design", "survey.toml", "--out", "out")
    office.run("keygen", "--out", "key.pem")
    office.run("sign", "out", "--key", "key.pem")
    office.run("audit", "out", "--model", "town.csv", "--key", "key.pub", "--k", "5")
    office.run("verify", "out", "--key", "key.pub")
    published = office.run("publish", "out", "--data", "data")
    survey = re.search(r"[0-9a-f]{16}", published)
    assert survey is not None
    office.run("open", survey[0], "--data", "data", "--yes")
    with office.serve() as server:
        link = server.found
        person = {"age": CANARY_AGE, "sex": "female", "schooling": "high"}
        (office.folder / "me.json").write_text(
            json.dumps({"quasi_identifiers": person, "answers": ANSWERS | {"health": CANARY_ANSWER}})
        )
        mine = json.loads(office.run("respond", link, "--answers", "me.json", "--json"))
        assert len(mine["receipt"]) == 64
        office.run("simulate", link, "--model", "town.csv", "--seed", "7", "--into-real-survey")
        base = link.split("/s/")[0]
        receipt = f"{base}/api/v1/surveys/{survey[0]}/receipts/{mine['receipt']}"
        assert get(receipt)
        status = json.loads(get(f"{base}/api/v1/surveys/{survey[0]}/status"))
        assert status["state"] == "open"
        assert status["total"] > 300
        office.run("close", survey[0], "--data", "data", "--yes")
        assert "closed" in office.run("respond", link, "--answers", "me.json", code=6)
    office.run("release", survey[0], "--data", "data", "--out", "release")
    return office, survey[0]


def test_no_released_cell_is_below_k_and_every_file_is_there(released: tuple[Office, str]) -> None:
    office, survey = released
    folder = office.folder / "release"
    assert {path.name for path in folder.iterdir()} == {
        "microdata.csv",
        "cells.csv",
        "report.html",
        "codebook.xml",
        "datapackage.json",
    }
    with (folder / "microdata.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sizes = Counter(row["group"] for row in rows)
    assert min(sizes.values()) >= 5
    assert len(rows) > 300
    total = json.loads(office.run("status", survey, "--data", "data", "--json"))
    assert json.dumps(total).count("released")
    # Released once: a second, different release could be subtracted from the first.
    assert "release" in office.run("release", survey, "--data", "data", "--out", "again", code=6)
    assert not (office.folder / "again").exists()


def test_no_quasi_identifier_reaches_the_collector(released: tuple[Office, str]) -> None:
    office, _ = released
    paths = list((office.folder / "data").rglob("*.sqlite*"))
    assert "answers.sqlite" in {path.name for path in paths}
    for path in paths:
        raw = path.read_bytes()
        assert CANARY_ANSWER.encode() in raw or path.name != "answers.sqlite"
        for word in (b"schooling", b'"sex"', b"female", b'"age"', b"quasi"):  # too long to come by chance
            assert word not in raw, (path.name, word)


def test_steps_out_of_order_are_refused_with_the_state(office: Office) -> None:
    write_town(office.folder)
    office.run("design", "survey.toml", "--out", "out")
    office.run("sign", "out", "--key", "absent.pem", code=3)
    office.run("keygen", "--out", "key.pem")
    office.run("keygen", "--out", "key.pem", code=3)
    office.run("publish", "out", "--data", "data", code=3)
    office.run("sign", "out", "--key", "key.pem")
    published = office.run("publish", "out", "--data", "data")
    found = re.search(r"[0-9a-f]{16}", published)
    assert found is not None
    survey = found[0]
    office.run("close", survey, "--data", "data", "--yes", code=6)
    office.run("release", survey, "--data", "data", "--out", "release", code=6)
    office.run("open", "0123456789abcdef", "--data", "data", "--yes", code=6)
    office.run("open", survey, "--data", "data", "--yes")
    office.run("open", survey, "--data", "data", "--yes", code=6)
    office.run("close", survey, "--data", "data", "--yes")
    assert not (office.folder / "release").exists()
    # Nobody answered: there is nothing that could be released, and nothing is written.
    office.run("release", survey, "--data", "data", "--out", "release", code=7)
    assert not (office.folder / "release").exists()


def test_design_is_quick_to_say_what_is_wrong(tmp_path: Path) -> None:
    office = Office(tmp_path, fresh=True)
    survey = write_town(office.folder)
    town = office.folder / "town.csv"
    lines = town.read_text().splitlines()
    lines[7] = "seventeen,female,high,x"
    lines[9] = "30,female,,y"
    town.write_text("\n".join(lines))
    message = office.run("design", survey, "--out", "out", code=3)
    for part in ("line 8", "seventeen", "age", "line 10", "schooling"):
        assert part in message, message
    assert not (office.folder / "out").exists()
    before = _worked()
    office.run("design", "absent.toml", "--out", "out", code=3)
    assert _worked() - before < 10


def _worked() -> float:
    """Seconds of processor time that ended commands took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
