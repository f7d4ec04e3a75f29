"""Publishing, finding and preparing surveys."""

from __future__ import annotations

import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from server.collection.publishing.from_files import publish_files
from server.collection.storage import data_directory
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from shared import strict_json
from shared.errors import InputError, NotFoundError, RoomfulError, SpecificationError, StateError
from tests.server.collection.storage import sample
from tests.waiting import PATIENCE_SECONDS


def test_publishing_makes_a_private_draft(data: DataDirectory) -> None:
    survey = data.publish(sample.envelope(), sample.MODEL)
    assert survey == sample.digest()[:16]
    store = data.survey(survey)
    assert store.state is State.DRAFT
    assert store.published.envelope == sample.envelope()
    assert store.published.model_path.read_bytes() == sample.MODEL
    assert store.specification.title["en"] == "Small survey"
    for path in [data.path, *data.path.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_survey_is_found_by_id_and_by_full_digest(draft: SurveyStore, data: DataDirectory) -> None:
    assert data.survey(draft.id) is draft
    assert data.survey(sample.digest()) is draft
    assert list(data.list()) == [draft]


@pytest.mark.parametrize("survey", ["", "..", "../../etc", "0" * 16, "A" * 16, "0" * 15, "0" * 17, "0" * 64])
def test_an_unknown_survey_is_named_so(draft: SurveyStore, data: DataDirectory, survey: str) -> None:
    with pytest.raises(NotFoundError):
        data.survey(survey)


def test_a_full_digest_must_match_in_full(draft: SurveyStore, data: DataDirectory) -> None:
    with pytest.raises(NotFoundError):
        data.survey(draft.id + "0" * 48)


@pytest.mark.parametrize(
    ("kind", "model", "code"),
    [
        ("public", None, "input.model-missing"),
        ("public", sample.MODEL + b"\n", "input.model-digest"),
        ("register", sample.MODEL, "input.model-of-register"),
    ],
)
def test_the_model_must_fit_the_specification(
    data: DataDirectory, kind: str, model: bytes | None, code: str
) -> None:
    with pytest.raises(InputError) as caught:
        data.publish(sample.envelope(kind=kind), model)
    assert caught.value.code == code
    assert data.ids() == ()


def test_a_register_has_no_model_to_fetch(data: DataDirectory) -> None:
    store = data.survey(data.publish(sample.envelope(kind="register"), None))
    with pytest.raises(NotFoundError):
        _ = store.published.model_path


@pytest.mark.parametrize("flip", [0, 30, 200, -30])
def test_a_flipped_bit_in_the_envelope_is_refused(data: DataDirectory, flip: int) -> None:
    envelope = bytearray(sample.envelope())
    envelope[flip] ^= 1
    with pytest.raises(RoomfulError):
        data.publish(bytes(envelope), sample.MODEL)
    assert data.ids() == ()


def test_a_specification_that_hides_a_stored_field_is_refused(data: DataDirectory) -> None:
    document = sample.document() | {"stored": ["cell", "answers"]}
    with pytest.raises(SpecificationError) as caught:
        data.publish(sample.sign(strict_json.dumps(document)), sample.MODEL)
    assert caught.value.code == "specification.stored"
    assert "receipt" in caught.value.expected


def test_signatures_are_added_to_a_draft_and_seen_by_a_running_server(
    draft: SurveyStore, data: DataDirectory
) -> None:
    both = sample.sign(sample.payload(), sample.KEY, sample.AUDITOR)
    with DataDirectory(data.path) as elsewhere:
        assert elsewhere.publish(both, sample.MODEL) == draft.id
    assert draft.published.envelope == both


def test_publishing_the_same_bytes_again_changes_nothing(store: SurveyStore, data: DataDirectory) -> None:
    assert data.publish(sample.envelope(), sample.MODEL) == store.id
    assert store.state is State.OPEN


def test_an_open_specification_cannot_change(store: SurveyStore, data: DataDirectory) -> None:
    with pytest.raises(StateError) as caught:
        data.publish(sample.sign(sample.payload(), sample.KEY, sample.AUDITOR), sample.MODEL)
    assert caught.value.code == "state.open"


def test_nobody_takes_over_a_draft_with_another_key(draft: SurveyStore, data: DataDirectory) -> None:
    with pytest.raises(StateError) as caught:
        data.publish(sample.sign(sample.payload(), sample.AUDITOR), sample.MODEL)
    assert caught.value.code == "state.key"
    assert draft.published.envelope == sample.envelope()


def test_settling_clears_what_an_interrupted_publication_left(
    store: SurveyStore, data: DataDirectory
) -> None:
    leftover = data.path / "surveys" / ".new-abc"
    leftover.mkdir()
    (leftover / "model.csv").write_text("x")
    assert data.settle() == ()
    assert not leftover.exists()


def test_settling_leaves_a_publication_that_runs_alone(
    data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that starts while somebody publishes waits, and takes nothing away."""
    began, settled = threading.Event(), threading.Event()
    create = data_directory.create_database

    def settle() -> None:
        assert began.wait(PATIENCE_SECONDS)
        with DataDirectory(data.path) as server:
            server.settle()
        settled.set()

    def slow(*arguments: Any, **options: Any) -> None:
        began.set()
        assert not settled.wait(0.5)
        create(*arguments, **options)

    monkeypatch.setattr(data_directory, "create_database", slow)
    thread = threading.Thread(target=settle)
    thread.start()
    survey = data.publish(sample.envelope(), sample.MODEL)
    thread.join(PATIENCE_SECONDS)
    assert settled.is_set()
    assert data.survey(survey).state is State.DRAFT


def test_settling_names_the_damaged_survey_and_keeps_the_others(data: DataDirectory) -> None:
    good = data.publish(sample.envelope("Good"), sample.MODEL)
    bad = data.publish(sample.envelope("Bad"), sample.MODEL)
    (data.path / "surveys" / bad / "answers.sqlite").write_bytes(b"not a database" * 100)
    damaged = data.settle()
    assert [(name, error.code) for name, error in damaged] == [(bad, "storage.corrupt")]
    assert data.survey(good).state is State.DRAFT


def test_files_of_design_and_sign_are_published(data: DataDirectory, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        publish_files(data, tmp_path)
    assert caught.value.code == "input.not-signed"
    (tmp_path / "survey.dsse.json").write_bytes(sample.envelope())
    with pytest.raises(InputError) as caught:
        publish_files(data, tmp_path)
    assert caught.value.code == "input.model-missing"
    (tmp_path / "model.csv").write_bytes(sample.MODEL)
    assert publish_files(data, tmp_path) == sample.digest()[:16]
    assert publish_files(data, tmp_path / "survey.dsse.json") == sample.digest()[:16]


def test_files_too_large_to_be_read_are_named(data: DataDirectory, tmp_path: Path) -> None:
    signed = tmp_path / "survey.dsse.json"
    with signed.open("wb") as stream:
        stream.truncate(13 * 1024 * 1024)
    with pytest.raises(InputError) as caught:
        publish_files(data, tmp_path)
    assert caught.value.where == str(signed)


def test_a_file_that_cannot_be_read_is_named(
    data: DataDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = tmp_path / "survey.dsse.json"
    signed.write_bytes(sample.envelope())

    def refuse(_path: Path, _mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError) as caught:
        publish_files(data, tmp_path)
    assert "Permission denied" in caught.value.message
