"""The commands of the operator."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.checkup import checkup
from server.cli.expire import expire
from server.cli.survey import close_survey, discard, open_survey, publish, publishing_code, status
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.retention import utc_today
from server.collection.web.app import create_app
from shared.errors import InputError, NotFoundError, SetupError, StateError
from tests.served import no_client, serving
from tests.server.collection.storage import sample


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """A folder as design and sign leave it."""
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "survey.dsse.json").write_bytes(sample.envelope())
    (folder / "model.csv").write_bytes(sample.MODEL)
    return folder


def _run(command: object, *arguments: object, typed: str | None = None) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], input=typed)  # type: ignore[arg-type]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_survey_goes_through_its_life(signed: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    name = sample.digest()[:16]
    published = json.loads(_run(publish, signed, "--data", data, "--json").stdout)
    assert published == {"id": name, "digest": sample.digest(), "state": "draft"}
    opened = json.loads(_run(open_survey, name, "--data", data, "--yes", "--json").stdout)
    assert opened["state"] == "open"
    assert opened["address"].startswith(f"http://127.0.0.1:8000/s/{name}#{sample.digest()}.")
    with DataDirectory(data) as directory:
        directory.survey(name).submit(sample.message())
    found = json.loads(_run(status, name, "--data", data, "--json").stdout)
    assert found == {
        "id": name, "state": "open", "total": 1, "title": "Small survey",
        "retention_days": 365, "closed_on": None, "delete_on": None, "deleted_on": None,
    }  # fmt: skip
    closed = json.loads(_run(close_survey, name, "--data", data, "--yes", "--json").stdout)
    assert closed == {
        "id": name, "state": "closed", "total": 1,
        "retention_days": 365, "closed_on": str(utc_today()),
        "delete_on": str(utc_today() + timedelta(days=365)), "deleted_on": None,
    }  # fmt: skip
    with pytest.raises(StateError):
        _run(open_survey, name, "--data", data, "--yes")


def test_the_address_follows_the_configuration(signed: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "roomful.toml").write_text('public_url = "https://example.org/surveys"\n')
    _run(publish, signed, "--data", data)
    opened = _run(open_survey, sample.digest(), "--data", data, "--yes")
    assert f"https://example.org/surveys/s/{sample.digest()[:16]}#{sample.digest()}." in opened.stdout
    assert opened.stderr == ""


@pytest.mark.parametrize("test", [False, True])
def test_a_link_that_leads_to_this_machine_is_warned_of(signed: Path, tmp_path: Path, test: bool) -> None:
    """Unless it is a test copy: the address given to serve alone is not known to open."""
    data = tmp_path / "data"
    found = json.loads(_run(publish, signed, "--data", data, "--json", *["--test"] * test).stdout)
    opened = _run(open_survey, found["id"], "--data", data, "--yes")
    assert ("WARNING: links lead to http://127.0.0.1:8000/, which only" in opened.stderr) is not test


@pytest.mark.parametrize("command", [open_survey, close_survey])
def test_irreversible_steps_ask_for_the_id(signed: Path, tmp_path: Path, command: object) -> None:
    data = tmp_path / "data"
    name = sample.digest()[:16]
    _run(publish, signed, "--data", data)
    if command is close_survey:
        _run(open_survey, name, "--data", data, "--yes")
    with DataDirectory(data) as directory:
        before = directory.survey(name).state
        with pytest.raises(InputError) as caught:
            _run(command, name, "--data", data, typed="yes\n")
        assert caught.value.code == "input.confirmation"
        assert directory.survey(name).state is before
        assert "cannot be undone" in _run(command, name, "--data", data, typed=f"{name}\n").output
        assert directory.survey(name).state is not before


def test_the_status_never_counts_a_cell(signed: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert "No survey" in _run(status, "--data", data).stdout
    _run(publish, signed, "--data", data)
    rows = json.loads(_run(status, "--data", data, "--json").stdout)
    assert [set(row) for row in rows] == [
        {"id", "state", "total", "title", "retention_days", "closed_on", "delete_on", "deleted_on"}
    ]
    assert (
        "Small survey  (answers to be deleted 365 days after closing)" in _run(status, "--data", data).stdout
    )


def test_an_unknown_survey_is_named(tmp_path: Path) -> None:
    for command in (status, open_survey, close_survey, expire):
        with pytest.raises(NotFoundError):
            _run(command, "0" * 16, "--data", tmp_path)


def test_the_checkup_fails_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOMFUL_SERVER_PUBLIC_URL", "http://example.org/")
    runner = CliRunner()
    result = runner.invoke(checkup, ["--data", str(tmp_path), "--json"])
    assert isinstance(result.exception, SetupError)
    assert "secure-context" in result.exception.where
    lines = {line["code"]: line for line in json.loads(result.stdout)}
    assert lines["secure-context"]["outcome"] == "failed"
    assert lines["python"]["outcome"] == "passed"
    text = runner.invoke(checkup, ["--data", str(tmp_path)]).stdout
    assert "FAILED  secure-context" in text
    assert "-> Put a proxy" in text


def test_an_organizer_publishes_on_a_server_with_a_code(
    signed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, name = tmp_path / "server", sample.digest()[:16]
    code = json.loads(_run(publishing_code, "--data", server, "--json").stdout)["code"]
    with (
        DataDirectory(server) as data,
        serving(create_app(Config(), data, client=no_client)) as port,
    ):
        address = f"http://127.0.0.1:{port}/"
        (tmp_path / "code").write_text(f"{code}\n")
        done = _run(publish, signed, "--to", address, "--code-file", tmp_path / "code", "--json")
        assert json.loads(done.stdout) == {"id": name, "digest": sample.digest(), "server": address}
        monkeypatch.setenv("ROOMFUL_PUBLISHING_CODE", code)
        assert f"Published as {name} at {address}" in _run(publish, signed, "--to", address).stdout
        monkeypatch.delenv("ROOMFUL_PUBLISHING_CODE")
        assert name in _run(publish, signed, "--to", address, typed=f"{code}\n").stdout
        assert _run(publish, signed, "--to", address, "--token-key", tmp_path / "code").exit_code == 2
        assert _run(publish, signed, "--code-file", tmp_path / "code").exit_code == 2
    _run(publish, _folder_of("register", tmp_path), "--data", server)
    assert "of the same title in: model" in _run(status, "--data", server).stdout
    _run(discard, name, "--data", server, typed=f"{name}\n")
    assert name not in _run(status, "--data", server).stdout
    with pytest.raises(NotFoundError):
        _run(discard, name, "--data", server, "--yes")


def _folder_of(kind: str, path: Path) -> Path:
    folder = path / kind
    folder.mkdir()
    (folder / "survey.dsse.json").write_bytes(sample.envelope(kind=kind))
    return folder
