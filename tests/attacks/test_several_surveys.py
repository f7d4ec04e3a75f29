"""Two surveys of the same people, each sound: who shares both cells with nobody is known by them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.design.audit import audit_survey
from shared.envelope import Envelope
from shared.errors import DesignError, InputError
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, sign
from tests.towns import write_town

SCHOOLING = (
    '[[attributes]]\nname = "schooling"\nkind = "ordinal"\ncategories = ["none", "basic", "middle", "high"]\n'
)
POWER = '[design]\nalgorithm = "power-diagram"'


def run(survey: Path, out: Path, *options: object) -> Any:
    words = ["design", str(survey), "--out", str(out), *map(str, options), "--json"]
    result = CliRunner().invoke(roomful, words, catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def town(folder: Path, *, without: str = "", **changes: Any) -> Path:
    """A survey of the town; `without` is taken out of its text."""
    survey = write_town(folder, **{"more": POWER} | changes)
    survey.write_text(survey.read_text("utf-8").replace(without, ""), "utf-8")
    return survey


def signed(folder: Path) -> Specification:
    payload = (folder / "design.json").read_bytes()
    (folder / "survey.dsse.json").write_bytes(sign(payload, ORGANIZER_KEY).to_bytes())
    return Specification.parse(payload)


def people(folder: Path) -> list[dict[str, str]]:
    with (folder / "town.csv").open(newline="", encoding="utf-8") as file:
        return [row | {"age": str(min(90, int(row["age"])))} for row in csv.DictReader(file)]


def cell(specification: Specification, person: dict[str, str]) -> int:
    """As anybody computes it who knows the person."""
    known = {attribute.name: person[attribute.name] for attribute in specification.attributes}
    return specification.cells.assign(specification.vector(known))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed survey by age and sex, in the folder of its files."""
    folder = tmp_path_factory.mktemp("first")
    run(town(folder, without=SCHOOLING), folder / "out")
    signed(folder / "out")
    return folder / "out"


def test_people_alone_in_the_intersection_are_counted_and_said(first: Path, tmp_path: Path) -> None:
    """The attacker counts for herself; the design says the same before anything is signed."""
    figures = run(town(tmp_path), tmp_path / "out", "--against", first)
    earlier, new = signed(first), signed(tmp_path / "out")
    everybody = people(tmp_path)
    shared = Counter((cell(earlier, person), cell(new, person)) for person in everybody)
    alone = sum(count for count in shared.values() if count == 1)
    few = sum(count for count in shared.values() if count < new.k)
    assert alone > 0
    [told] = figures["against"]
    assert (told["alone"], told["below_k"], told["smallest"]) == (alone, few, 1)
    assert not told["nested"]
    assert f"{alone} of {len(everybody)} people" in figures["warnings"][0]
    assert "--reuse-cells" in figures["warnings"][1]
    assert f"{alone} of {len(everybody)} people" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_several_are_counted_one_by_one_and_together(first: Path, tmp_path: Path) -> None:
    second = town(tmp_path / "second", more='[design]\nalgorithm = "mondrian"')
    run(second, tmp_path / "second" / "out")
    other = signed(tmp_path / "second" / "out")
    survey = town(tmp_path)
    figures = run(survey, tmp_path / "out", "--against", first, "--against", tmp_path / "second" / "out")
    new, earlier = signed(tmp_path / "out"), signed(first)
    shared = Counter((cell(earlier, p), cell(other, p), cell(new, p)) for p in people(tmp_path))
    assert [len(found["surveys"]) for found in figures["against"]] == [1, 1, 2]
    assert figures["against"][2]["alone"] == sum(count for count in shared.values() if count == 1)


def test_cells_that_are_used_again_leave_nobody_alone(first: Path, tmp_path: Path) -> None:
    survey = town(tmp_path, without=SCHOOLING, failure="0.001")
    figures = run(survey, tmp_path / "out", "--against", first, "--reuse-cells")
    earlier, new = signed(first), signed(tmp_path / "out")
    assert new.cells == earlier.cells
    assert new.algorithm.name == "reused"
    assert figures["against"][0]["nested"]
    assert figures["against"][0]["below_k"] == 0
    shared = Counter((cell(earlier, person), cell(new, person)) for person in people(tmp_path))
    assert min(shared.values()) == figures["against"][0]["smallest"] >= new.n_min_safe[0]
    words = CliRunner().invoke(
        roomful,
        ["design", str(survey), "--out", str(tmp_path / "b"), "--against", str(first), "--reuse-cells"],
    )
    assert "nobody is in a smaller group" in words.output


def test_an_audit_compares_them_with_the_earlier_survey(first: Path, tmp_path: Path) -> None:
    run(town(tmp_path, without=SCHOOLING), tmp_path / "out", "--against", first, "--reuse-cells")
    signed(tmp_path / "out")
    envelope, model = tmp_path / "out" / "survey.dsse.json", tmp_path / "town.csv"
    assert audit_survey(envelope, model, against=first).passed
    refused = [f.code for f in audit_survey(envelope, model).findings if f.outcome == "refused"]
    assert refused == ["audit.algorithm"]
    # Other cells under the same name: of another earlier survey.
    changed = json.loads(Envelope.parse(envelope.read_bytes()).payload)
    changed["cells"]["offsets"][0] += 1
    payload = json.dumps(changed, separators=(",", ":"), ensure_ascii=False).encode()
    envelope.write_bytes(sign(payload, ORGANIZER_KEY).to_bytes())
    assert not audit_survey(envelope, model, against=first).passed


def test_cells_that_keep_no_promise_any_more_are_not_used_again(first: Path, tmp_path: Path) -> None:
    survey = town(tmp_path, without=SCHOOLING, people=500)
    with pytest.raises(DesignError, match="earlier cells hold too few people"):
        run(survey, tmp_path / "out", "--against", first, "--reuse-cells")


def test_what_cannot_be_compared_is_refused_in_words(first: Path, tmp_path: Path) -> None:
    elder = 'name = "age"\nkind = "numeric"\nminimum = 18\nmaximum = 90'
    survey = town(tmp_path / "domain")
    text = survey.read_text("utf-8")
    survey.write_text(text.replace(elder, elder.replace("18", "0")).replace("open_above = true", ""), "utf-8")
    rows = (tmp_path / "domain" / "town.csv").read_text("utf-8").replace("\n18,", "\n3,", 1)
    rows = "\n".join(",".join(["90", *r.split(",")[1:]]) if r[:2] > "90" and r[:1] == "9" else r
                     for r in rows.splitlines())  # fmt: skip
    (tmp_path / "domain" / "town.csv").write_text(rows, "utf-8")
    with pytest.raises(DesignError, match="'age' is not that of an earlier survey") as caught:
        run(survey, tmp_path / "a", "--against", first)
    assert str(first) in caught.value.where
    with pytest.raises(DesignError, match="same quasi-identifiers"):
        run(survey, tmp_path / "a", "--against", first, "--reuse-cells")
    survey = town(tmp_path / "column", without=SCHOOLING)
    run(town(tmp_path / "three"), tmp_path / "three" / "out")
    signed(tmp_path / "three" / "out")
    figures = run(survey, tmp_path / "b", "--against", tmp_path / "three" / "out")
    assert figures["against"][0]["alone"] > 0  # the column is in the file, though this survey leaves it out
    file = tmp_path / "column" / "town.csv"
    file.write_text(file.read_text("utf-8").replace("schooling", "hair", 1), "utf-8")
    with pytest.raises(DesignError, match="not known of everybody"):
        run(survey, tmp_path / "c", "--against", tmp_path / "three" / "out")


@pytest.mark.parametrize("options", [["--reuse-cells"], ["--reuse-cells", "--algorithm", "mdav"]])
def test_cells_are_used_again_from_somewhere(options: list[str], first: Path, tmp_path: Path) -> None:
    against = ["--against", first] if len(options) > 1 else []
    with pytest.raises(InputError, match="used again from an earlier survey"):
        run(town(tmp_path), tmp_path / "out", *options, *against)
