"""What ``publish`` and ``close`` say of an invited survey: the next step, and what would be lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.survey import close_survey, publish, status
from server.cli.trustees import export
from server.collection.storage.data_directory import DataDirectory
from shared.errors import InputError
from shared.specification import Specification
from tests.builders import small_model
from tests.invited import TOKEN_KEY_FILE, invited_specification, roll
from tests.server.collection.relay.survey import RELAY_URL, envelope_of, open_collector, relayed
from tests.server.collection.storage.ballots import sealed, store_of


def test_after_publishing_come_letters_and_rehearsal(tmp_path: Path) -> None:
    (tmp_path / "survey.dsse.json").write_bytes(envelope_of(invited_specification()))
    (tmp_path / "model.csv").write_bytes(small_model())
    (tmp_path / "roll.txt").write_bytes(roll().to_bytes())
    words = [str(tmp_path), "--data", str(tmp_path / "data"), "--token-key", str(TOKEN_KEY_FILE)]
    result = CliRunner().invoke(publish, words)
    assert result.exit_code == 0
    for step in ("roomful invite", "roomful trustees challenge", "--rehearsal rehearsal.json"):
        assert step in result.output


@pytest.mark.parametrize(
    ("specification", "warned"),
    [(relayed(), True), (invited_specification(), False)],
    ids=["relay", "direct"],
)
def test_closing_warns_before_it_asks_of_ballots_at_the_relay(
    tmp_path: Path, specification: Specification, warned: bool
) -> None:
    with DataDirectory(tmp_path / "data") as data:
        name = open_collector(data, specification).id
    result = CliRunner().invoke(close_survey, [name, "--data", str(tmp_path / "data")], input="no\n")
    assert isinstance(result.exception, InputError)  # nothing was closed
    before = result.stderr.partition("Type the survey's id")[0]
    assert (RELAY_URL in before and "relay LINK --flush" in before) == warned
    result = CliRunner().invoke(close_survey, [name, "--data", str(tmp_path / "data"), "--yes"])
    assert "Next: roomful board create" in result.output


@pytest.mark.parametrize(
    ("role", "step", "foreign"),
    [
        ("registrar", "roomful board used-codes", ("board create", "emptied first", "answers")),
        ("collector", "roomful board create", ()),
    ],
)
def test_closing_names_the_next_step_of_this_server(
    tmp_path: Path, role: str, step: str, foreign: tuple[str, ...]
) -> None:
    with DataDirectory(tmp_path / "data") as data:
        name = open_collector(data, relayed()).id
    (tmp_path / "data/roomful.toml").write_text(f'role = "{role}"\n')
    result = CliRunner().invoke(close_survey, [name, "--data", str(tmp_path / "data"), "--yes"])
    assert step in result.output
    assert ("--used-codes" in result.output) == (role == "collector")
    assert not any(words in result.output for words in foreign)


def test_the_total_stays_the_same_all_day_until_closing(tmp_path: Path) -> None:
    """Whoever looks again and again must not see when one ballot arrives, also not by closing half-way."""
    with DataDirectory(tmp_path / "data") as data:
        store = store_of(data)
        where = [store.id, "--data", str(tmp_path / "data")]
        seen = []
        for number in range(11):
            store.submit(sealed(number))
            seen.append(json.loads(CliRunner().invoke(status, [*where, "--json"]).output)["total"])
        assert len(set(seen)) == 1
        assert seen[0] % 10 == 0
        assert f" ~{seen[0]} " in CliRunner().invoke(status, where).output
        assert "11" not in CliRunner().invoke(close_survey, where, input="no\n").stderr
        closed = CliRunner().invoke(close_survey, [*where, "--yes", "--json"])
        assert json.loads(closed.output)["total"] == 11
        assert " 11 " in CliRunner().invoke(status, where).output


def test_an_export_of_an_old_copy_says_so(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as data:
        store = store_of(data)
        store.submit(sealed(1))
        name, database = store.id, store.published.folder / "answers.sqlite"
        yesterday = database.read_bytes()
        store.submit(sealed(2))
    database.write_bytes(yesterday)
    with DataDirectory(tmp_path / "data") as data:
        data.close(name)
    words = [name, "--data", str(tmp_path / "data"), "--out", str(tmp_path / "export")]
    result = CliRunner().invoke(export, words)
    assert "WARNING (storage.rolled-back)" in result.stderr
