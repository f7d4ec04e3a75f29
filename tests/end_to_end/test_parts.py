"""The main job of a survey in parts, by the command line: designed, audited, answered, released."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path

from tests.builders import ANSWERS
from tests.end_to_end.office import Office
from tests.towns import write_town

PERSON = {"age": "44", "sex": "female", "schooling": "high"}


def test_a_survey_in_parts_from_its_file_to_its_release(tmp_path: Path) -> None:
    office = Office(tmp_path)
    write_town(office.folder, kind="register", people=1200)
    office.run("design", "survey.toml", "--out", "out", "--district", "schooling", "--parts")
    office.run("keygen", "--out", "key.pem")
    office.run("sign", "out", "--key", "key.pem")
    published = re.search(r"[0-9a-f]{16}", office.run("publish", "out", "--data", "data"))
    assert published is not None
    survey = published[0]
    (office.folder / "me.json").write_text(json.dumps({"quasi_identifiers": PERSON, "answers": ANSWERS}))
    parts = sorted((office.folder / "data" / "surveys" / survey / "parts").iterdir())
    kept = {path: path.read_bytes() for path in parts}
    office.run("open", survey, "--data", "data", "--yes")
    with office.serve() as server:
        link = server.found
        tried = office.run("respond", link, "--answers", "me.json", "--dry-run")
        assert f"one of {len(parts)} parts is loaded" in tried
        assert "checks nothing" not in tried
        everything = office.run("respond", link, "--answers", "me.json", "--dry-run", "--all-parts")
        assert f"all {len(parts)} parts are loaded" in everything
        office.run("respond", link, "--answers", "me.json", "--json")
        office.run("verify", link, "--save", "fetched")
        office.run("simulate", link, "--model", "town.csv", "--seed", "7", "--into-real-survey")
        office.run("close", survey, "--data", "data", "--yes")
    salt = Path("out") / "model.salt"
    office.run("audit", "fetched", "--model", "town.csv", "--salt", salt, "--key", "key.pub", "--k", "5")
    office.run("release", survey, "--data", "data", "--out", "release")
    with (office.folder / "release" / "microdata.csv").open(newline="", encoding="utf-8") as file:
        sizes = Counter(row["group"] for row in csv.DictReader(file))
    assert min(sizes.values()) >= 5
    assert sum(sizes.values()) > 300
    # The parts of the signed file are needed by whoever checks all.
    signed = {path: path.read_bytes() for path in (office.folder / "out" / "parts").iterdir()}
    assert sorted(signed.values()) == sorted(kept.values())
    first = min(signed)
    first.write_bytes(signed[first] + b" ")
    assert "part of district" in office.run("verify", "out", "--key", "key.pub", code=5)
    first.unlink()
    assert "part of district" in office.run("publish", "out", "--data", "elsewhere", code=5)
