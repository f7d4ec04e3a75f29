"""A survey in parts: signed, handed over, served, and refused where a part is missing or another one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from server.cli.signing import verify
from server.collection.publishing.from_files import publish_files
from server.collection.publishing.publication import Publication
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import PublishedSurvey
from server.collection.web.previewing import prepared
from server.collection.web.static_files import ClientFiles
from server.design.against import read_earlier
from server.keys.parts_folder import part_name
from server.keys.signing import ENVELOPE_FILE, countersign, sign_design
from shared.errors import (
    InputError,
    NotFoundError,
    RoomfulError,
    SoundnessError,
    SpecificationError,
    StorageError,
)
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY
from tests.in_parts import survey_in_parts, write_survey_in_parts

SURVEY, PARTS = survey_in_parts()
FIRST, SECOND = (reference.digest for reference in SURVEY.parts)


def test_a_design_in_parts_is_signed_countersigned_and_verified(tmp_path: Path) -> None:
    write_survey_in_parts(tmp_path, signed=False)
    verified = sign_design(tmp_path, ORGANIZER_KEY)
    assert verified.digest == hashlib.sha256(SURVEY.to_bytes()).hexdigest()
    countersign(tmp_path / ENVELOPE_FILE, AUDITOR_KEY)
    assert read_earlier(tmp_path).specification == SURVEY
    assert CliRunner().invoke(verify, [str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("damage", ["missing", "another", "swapped", "truncated", "too-long"])
def test_nobody_signs_publishes_or_verifies_with_a_wrong_part(tmp_path: Path, damage: str) -> None:
    write_survey_in_parts(tmp_path)
    path, other = (tmp_path / part_name(digest) for digest in (FIRST, SECOND))
    data = path.read_bytes()
    {
        "missing": path.unlink,
        "another": lambda: path.write_bytes(data.replace(b"18", b"19", 1)),
        "swapped": lambda: path.write_bytes(other.read_bytes()),
        "truncated": lambda: path.write_bytes(data[:-1]),
        "too-long": lambda: path.write_bytes(data + b" "),
    }[damage]()
    for step in (
        lambda: sign_design(tmp_path, ORGANIZER_KEY),
        lambda: countersign(tmp_path / ENVELOPE_FILE, AUDITOR_KEY),
        lambda: Publication.read(tmp_path).require_sound(),
        lambda: read_earlier(tmp_path),
    ):
        with pytest.raises(RoomfulError) as caught:
            step()
        assert "part of district 0" in str(caught.value)
    refused = CliRunner().invoke(verify, [str(tmp_path)])
    assert isinstance(refused.exception, SoundnessError)
    assert refused.exception.code == "check.digest"
    assert "check.digest" in refused.output


def test_a_file_that_is_too_large_for_a_part_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_survey_in_parts(tmp_path)
    monkeypatch.setattr("server.keys.parts_folder.MAX_SPECIFICATION_BYTES", 10)
    with pytest.raises(SpecificationError):
        read_earlier(tmp_path)


def test_parts_are_served_under_their_digests(
    data: DataDirectory, client: FlaskClient, tmp_path: Path
) -> None:
    write_survey_in_parts(tmp_path / "design")
    survey = publish_files(data, tmp_path / "design")
    for digest, part in PARTS.items():
        answer = client.get(f"/api/v1/surveys/{survey}/parts/{digest}")
        assert (answer.status_code, answer.data) == (200, part)
        assert answer.content_type == "application/json"
        assert "immutable" in answer.headers["Cache-Control"]
        assert "Set-Cookie" not in answer.headers
        assert "ETag" not in answer.headers
    for strange in ("0" * 64, "x", FIRST.upper(), f"..%2f{FIRST}"):
        answer = client.get(f"/api/v1/surveys/{survey}/parts/{strange}")
        assert answer.status_code == 404
    assert client.get(f"/api/v1/surveys/{survey}/parts/{'0' * 64}").get_json()["code"] == "not-found.part"


def test_a_published_survey_is_read_again_with_its_parts(data: DataDirectory, tmp_path: Path) -> None:
    write_survey_in_parts(tmp_path / "design")
    published = data.survey(publish_files(data, tmp_path / "design")).published
    assert (published.specification, published.parts()) == (SURVEY, PARTS)
    again = PublishedSurvey.load(published.folder, organizer_key=published.organizer_key)
    assert again.specification == SURVEY
    (published.folder / part_name(FIRST)).unlink()
    with pytest.raises(StorageError):
        published.part(FIRST)
    with pytest.raises(NotFoundError):
        published.part("0" * 64)
    with pytest.raises(SpecificationError, match="is not there"):
        PublishedSurvey.load(published.folder, organizer_key=published.organizer_key)


def test_a_publication_carries_all_parts(tmp_path: Path) -> None:
    write_survey_in_parts(tmp_path)
    (tmp_path / part_name("0" * 64)).write_bytes(b"of another survey")
    publication = Publication.read(tmp_path)
    assert publication.parts == PARTS
    assert Publication.parse(publication.to_bytes()) == publication
    assert publication.require_sound().specification == SURVEY


def test_what_is_too_large_to_be_sent_is_published_by_the_operator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_survey_in_parts(tmp_path)
    monkeypatch.setattr("server.collection.publishing.publication.MAX_PUBLICATION_BYTES", 1000)
    with pytest.raises(InputError, match="at most 1000") as caught:
        Publication.read(tmp_path).to_bytes()
    assert "--data" in caught.value.remedy


@pytest.mark.parametrize("parts", [None, [], {"a": 1}, {"a": ""}, {str(i): "x" for i in range(1001)}])
def test_a_publication_with_other_parts_is_refused(tmp_path: Path, parts: object) -> None:
    write_survey_in_parts(tmp_path)
    body = json.loads(Publication.read(tmp_path).to_bytes()) | {"parts": parts}
    with pytest.raises(InputError, match="part"):
        Publication.parse(json.dumps(body).encode())


def test_a_preview_has_the_parts(tmp_path: Path, client_folder: Path) -> None:
    write_survey_in_parts(tmp_path)
    with prepared(tmp_path, 8123, lambda: ClientFiles.load(client_folder)) as preview:
        survey = preview.link.rpartition("/s/")[2].partition("#")[0]
        answer = preview.app.test_client().get(f"/api/v1/surveys/{survey}/parts/{SECOND}")
        assert answer.data == PARTS[SECOND]
