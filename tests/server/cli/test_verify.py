"""A survey is verified by the link of an invitation as by its files, with all its parts and its model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.signing import verify
from server.keys.parts_folder import part_name
from server.keys.signing import ENVELOPE_FILE, MODEL_FILE
from shared.errors import InputError, NotFoundError, RemoteError, SoundnessError
from tests.builders import small_envelope, small_model
from tests.in_parts import envelope_in_parts, survey_in_parts
from tests.respondent_client.fakes import link_to
from tests.respondent_client.test_headless import Server, server

__all__ = ["server"]
_, PARTS = survey_in_parts()


def run(*words: object) -> Result:
    return CliRunner().invoke(verify, [str(word) for word in words])


def in_parts(server: Server) -> str:
    """The link of the survey in parts, which is served."""
    server.fake.envelope, server.fake.parts = envelope_in_parts(), dict(PARTS)
    link = link_to(server.fake.envelope)
    return f"{server.base}s/{link.survey}#{link.invitation.fragment()}"


def test_a_link_is_enough_and_what_was_fetched_can_be_kept(server: Server, tmp_path: Path) -> None:
    lines = json.loads(run(server.url, "--json").output)
    assert {line["outcome"] for line in lines} == {"passed"}
    kept = tmp_path / "kept"
    assert run(server.url, "--save", kept).exit_code == 0
    assert (kept / ENVELOPE_FILE).read_bytes() == small_envelope()
    assert (kept / MODEL_FILE).read_bytes() == small_model()
    assert run(kept).exit_code == 0
    assert run(kept, "--save", tmp_path / "again").exit_code == 2


def test_of_a_survey_in_parts_all_are_fetched(server: Server, tmp_path: Path) -> None:
    link, kept = in_parts(server), tmp_path / "kept"
    assert run(link, "--save", kept).exit_code == 0
    assert {digest: (kept / part_name(digest)).read_bytes() for digest in PARTS} == PARTS
    assert run(kept).exit_code == 0


def test_a_folder_that_is_there_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    nobody = f"http://127.0.0.1:9/s/{link_to(small_envelope()).survey}"
    found = run(nobody, "--save", tmp_path / "kept")
    assert isinstance(found.exception, InputError)
    assert found.exception.code == "input.exists"


@pytest.mark.parametrize("lie", ["another", "longer", "missing"])
def test_a_server_that_lies_to_an_auditor_is_refused(server: Server, tmp_path: Path, lie: str) -> None:
    link, digest = in_parts(server), max(PARTS)
    part = server.fake.parts.pop(digest)
    if lie != "missing":
        server.fake.parts[digest] = part[::-1] if lie == "another" else part + b" "
    found = run(link, "--save", tmp_path / "kept")
    if lie == "another":
        assert isinstance(found.exception, SoundnessError)
        assert "part of district" in str(found.exception)
    else:
        assert isinstance(found.exception, (RemoteError, NotFoundError))
        assert not (tmp_path / "kept").exists()


def test_a_link_to_another_survey_is_refused(server: Server) -> None:
    found = run(server.url.replace(link_to(server.fake.envelope).invitation.digest or "", "0" * 64))
    assert isinstance(found.exception, SoundnessError)
    assert found.exception.code == "check.digest"
