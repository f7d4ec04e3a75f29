"""A survey asks for something that the release does not know, and 1,007 people answer before anybody notices.

So `design` and `open` release made-up answers first, in a folder that nobody sees.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.release import preview, tables
from server.release.preview import require_releasable
from server.release.recheck_columns import CENTROIDS
from shared.attributes import Attribute, Numeric, Ordinal
from shared.errors import DesignError
from shared.questions import Rating
from tests.server.release.survey import N_CELLS, specification
from tests.towns import write_town

MERGE = {
    "rule": "merge",
    "minimum": 5,
    "distinct_values": 3,
    "t_closeness": "0.1",
    "row": list(range(N_CELLS)),
}


@pytest.mark.parametrize("rule", [None, MERGE], ids=["withhold", "merge"])
def test_a_survey_of_known_kinds_passes(rule: dict[str, Any] | None) -> None:
    require_releasable(specification(**({} if rule is None else {"release": rule})))


def test_a_kind_of_attribute_cannot_lack_its_tables() -> None:
    """What a newcomer adds who stops after the vectors: an hour of the day, known to the cells only."""

    class Hour(Numeric):  # type: ignore[misc] # final
        columns = Attribute.columns

    with pytest.raises(TypeError, match="abstract"):
        Hour(name="hour", label={}, help={}, missing="refused", minimum="0", maximum="23", step="1")


def test_a_kind_of_attribute_that_the_last_look_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(CENTROIDS, "ordinal")
    with pytest.raises(DesignError, match="ordinal") as caught:
        require_releasable(specification())
    assert caught.value.code == "design.release"


def test_it_is_whole_releases_that_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that the last look does not know is found as well."""
    columns = Numeric.columns

    def more(attribute: Numeric, language: str) -> Any:
        known = columns(attribute, language)
        return (*known, replace(known[0], name="more"))

    monkeypatch.setattr(Numeric, "columns", more)
    with pytest.raises(DesignError):
        require_releasable(specification())


def unknown(function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    def wrapped(thing: Any, *more: Any) -> Any:
        if isinstance(thing, kind):
            raise TypeError(f"no columns for {thing.kind!r}")
        return function(thing, *more)

    return wrapped


@pytest.mark.parametrize(
    ("place", "name", "kind"),
    [(Ordinal, "columns", Ordinal), (tables, "answer_columns", Rating)],
)
def test_design_writes_nothing_and_a_signed_survey_does_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, kind: type
) -> None:
    survey, runner = str(write_town(tmp_path / "town", people=400)), CliRunner()

    def run(*arguments: str) -> Any:
        return runner.invoke(roomful, list(arguments), env={"ROOMFUL_PASSPHRASE": "a passphrase of the test"})

    folder, key, data = (str(tmp_path / part) for part in ("design", "office.pem", "data"))
    assert run("design", survey, "--out", folder).exit_code == 0
    assert run("keygen", "--out", key).exit_code == 0
    assert run("sign", folder, "--key", key).exit_code == 0
    published = run("publish", folder, "--data", data, "--json")
    assert published.exit_code == 0, published.output
    identity = published.stdout.split('"id": "')[1].split('"')[0]
    # From here on the release does not know one kind.
    monkeypatch.setattr(place, name, unknown(getattr(place, name), kind))
    refused = run("open", identity, "--data", data, "--yes")
    assert isinstance(refused.exception, DesignError)
    assert refused.exception.code == "design.release"
    again = run("design", survey, "--out", str(tmp_path / "again"))
    assert isinstance(again.exception, DesignError)
    assert not (tmp_path / "again").exists()
    monkeypatch.undo()
    assert run("open", identity, "--data", data, "--yes").exit_code == 0


def test_made_up_answers_are_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    contents = preview.contents_of_release
    monkeypatch.setattr(
        preview, "contents_of_release", lambda *arguments: seen.append(arguments[3]) or contents(*arguments)
    )
    state = random.getstate()
    require_releasable(specification())
    require_releasable(specification())
    assert seen[0] == seen[1]
    assert random.getstate() == state
