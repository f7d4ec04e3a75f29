"""Units of law at the desk: chosen, put together, refused, and written as ``roomful design`` reads them."""

from __future__ import annotations

import tomllib
from typing import Any

from server.desk.pages.promise import promise_of
from tests.server.desk.test_mistakes import choose, promise, use
from tests.server.desk.visitor import Visitor, people_csv

WARDS = ("Harbour", "Hill", "Market", "Riverside")


def election(visitor: Visitor) -> None:
    """An election's survey.toml without keys, of people in four wards."""
    path = people_csv(visitor.folder / "roll.csv", 900, ward=lambda i, _: WARDS[i % len(WARDS)])
    choose(visitor, path)
    use(visitor, "age", "ward")
    promise(visitor, algorithm="mondrian")
    draft = visitor.desk.draft()
    draft.saved(invited={"people": 900, "roll": "roll.txt", "top_share": "0.6"})


def units(visitor: Visitor) -> Any:
    """The section as it stands in the file."""
    document = tomllib.loads((visitor.folder / "survey.toml").read_text())
    return document.get("units")


def marks(*texts: str) -> dict[str, str]:
    """The form with the answers of the ward."""
    own = {f"together-{i}": text for i, text in enumerate(texts)}
    return {"page": "units", "attribute": "ward", "shown": "ward", **own}


def test_answers_are_shown_and_then_put_together(visitor: Visitor) -> None:
    election(visitor)
    assert "Units of law" in visitor.text("/population")
    assert "together-0" not in visitor.text("/units")
    first = visitor.post("/units", {"page": "units", "attribute": "ward", "shown": ""})
    assert first.headers["Location"].endswith("/units?attribute=ward")
    assert units(visitor) is None, "nothing is kept before the answers were seen"
    page = visitor.text("/units?attribute=ward")
    assert all(ward in page for ward in WARDS)
    assert "Saved." in visitor.told("/units", marks("1", "", "", "1"), "/units")
    assert units(visitor) == {"attribute": "ward", "together": [["Harbour", "Riverside"]]}
    assert visitor.text("/units").count('value="1"') == 2
    with visitor.desk.draft().completed() as survey:
        assert survey.plan.units is not None
        assert survey.plan.units.values == (("Harbour", "Riverside"), ("Hill",), ("Market",))
    assert "Saved." in visitor.told("/units", marks(), "/units")
    assert units(visitor) == {"attribute": "ward"}
    assert "Saved." in visitor.told("/units", {"page": "units", "attribute": ""}, "/units")
    assert units(visitor) is None


def test_the_estimate_stands_while_there_are_units(visitor: Visitor) -> None:
    election(visitor)
    visitor.post("/units", marks())
    assert promise_of(visitor.desk.draft()).k
    assert "units of law belong" not in visitor.text("/promise/estimate")
    assert visitor.desk.model().n_people == 900


def test_what_is_refused(visitor: Visitor) -> None:
    election(visitor)
    told = visitor.told("/units", marks("1"), "/units")
    assert "only Harbour has the mark 1" in told
    assert units(visitor) is None
    visitor.post("/units", marks("1", "7"))
    page = visitor.text("/units")
    assert ('value="1"' in page, 'value="7"' in page) == (True, True), "what was typed is still there"
    assert "no such attribute" in visitor.told("/units", marks() | {"attribute": "age"}, "/units")
    visitor.desk.draft().saved(invited=None)
    assert "belong to an election" in visitor.told("/units", marks(), "/units")
    assert "This survey is none." in visitor.text("/units")
    assert units(visitor) is None


def test_units_that_were_written_elsewhere_can_be_taken_back(visitor: Visitor) -> None:
    """An editor's section in a survey that is no election: the step says so, and the page removes it."""
    election(visitor)
    visitor.desk.draft().saved(invited=None, units={"attribute": "ward", "together": [["Hill", "Market"]]})
    assert "Units of law" in visitor.text("/population")
    assert visitor.text("/units").count('value="1"') == 2
    assert "Saved." in visitor.told("/units", {"page": "units", "attribute": ""}, "/units")
    assert units(visitor) is None


def test_no_attribute_has_a_list(visitor: Visitor) -> None:
    visitor.desk.draft().saved(invited={"top_share": "0.6"})
    assert "No attribute has a list" in visitor.text("/units")
    visitor.desk.draft().saved(attributes=[{"name": "ward", "kind": "odd"}])
    assert "odd" in visitor.text("/units")
