"""What the store promises to its callers."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State, following, require_step
from server.collection.storage.store import SurveyStore
from shared.errors import StateError, StorageError, SubmissionError, VerificationError
from tests.server.collection.storage import sample

EVERY_DATABASE_BUT = frozenset[str]()


def test_a_submission_gets_its_digest_as_receipt(store: SurveyStore) -> None:
    message = sample.message()
    receipt = store.submit(message)
    assert receipt == hashlib.sha256(message).hexdigest()
    assert store.has_receipt(receipt)
    assert store.total() == 1


def test_the_same_bytes_are_stored_once(store: SurveyStore) -> None:
    message = sample.message()
    assert {store.submit(message) for _ in range(5)} == {hashlib.sha256(message).hexdigest()}
    assert store.total() == 1


def test_a_replay_after_closing_is_answered_and_not_stored_again(store: SurveyStore) -> None:
    message = sample.message()
    receipt = store.submit(message)
    store.close()
    assert store.submit(message) == receipt
    assert store.total() == 1


@pytest.mark.parametrize("receipt", ["", "zz", "0" * 63, "0" * 64, "0" * 66, "é" * 64])
def test_a_receipt_that_nobody_got_is_not_there(store: SurveyStore, receipt: str) -> None:
    store.submit(sample.message())
    assert not store.has_receipt(receipt)


def test_a_draft_takes_nothing(draft: SurveyStore) -> None:
    with pytest.raises(StateError) as caught:
        draft.submit(sample.message())
    assert caught.value.code == "state.draft"
    assert draft.total() == 0


def test_a_closed_survey_takes_nothing(store: SurveyStore) -> None:
    store.submit(sample.message())
    store.close()
    with pytest.raises(StateError) as caught:
        store.submit(sample.message())
    assert caught.value.code == "state.closed"
    assert store.total() == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", "submission.length"),
        (b"{}", "submission.length"),
        (b"{}".ljust(sample.MESSAGE_BYTES), "submission"),
        (b"[" * sample.MESSAGE_BYTES, "submission"),
        (sample.message(title="Another"), "submission.specification"),
        (sample.message(cell=2), "submission.cell"),
        (sample.message(health="fine"), "submission.answers"),
        (sample.message() + b" ", "submission.length"),
    ],
)
def test_a_malformed_submission_is_refused_by_name(store: SurveyStore, message: bytes, code: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        store.submit(message)
    assert caught.value.code == code
    assert store.total() == 0


def test_answers_come_back_after_closing_only(store: SurveyStore) -> None:
    store.submit(sample.message(cell=1, health="bad", remark="x"))
    with pytest.raises(StateError) as caught:
        store.answers()
    assert caught.value.code == "state.open"
    store.close()
    assert list(store.answers()) == [(1, {"health": "bad", "remark": "x"})]


def test_answers_are_stored_in_one_form_whoever_wrote_them(store: SurveyStore) -> None:
    """The order of names would be a mark of the client."""
    store.submit(sample.message(health="good", remark="r"))
    store.close()
    raw = store._one("SELECT answers FROM answer", ())[0]
    assert raw == '{"health":"good","remark":"r"}'


def test_states_go_one_way_one_step_at_a_time() -> None:
    for election in (False, True):
        allowed = {(state, after) for state in State if (after := following(state, election=election))}
        assert allowed == {
            (State.DRAFT, State.TOKENS if election else State.OPEN), (State.TOKENS, State.OPEN),
            (State.OPEN, State.CLOSED), (State.CLOSED, State.RELEASED),
        }  # fmt: skip
        for current, target in itertools.product(State, State):
            if (current, target) in allowed:
                require_step(current, target, election=election)
            else:
                with pytest.raises(StateError) as caught:
                    require_step(current, target, election=election)
                assert caught.value.code == f"state.{current}"


def test_steps_cannot_be_repeated_or_skipped(draft: SurveyStore, tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    (release / "microdata.csv").write_text("a\n")
    with pytest.raises(StateError):
        draft.close()
    with pytest.raises(StateError):
        draft.mark_released(release)
    draft.open()
    with pytest.raises(StateError):
        draft.open()
    draft.close()
    with pytest.raises(StateError):
        draft.open()
    assert draft.published.released_files() == ()
    draft.mark_released(release)
    assert draft.state is State.RELEASED
    with pytest.raises(StateError):
        draft.close()
    assert [file.name for file in draft.published.released_files()] == ["microdata.csv"]


@pytest.mark.parametrize("strange", ["folder", "link", "empty"])
def test_a_release_is_a_folder_of_plain_files(store: SurveyStore, tmp_path: Path, strange: str) -> None:
    release = tmp_path / "release"
    release.mkdir()
    if strange == "folder":
        (release / "inner").mkdir()
    elif strange == "link":
        (release / "passwd").symlink_to("/etc/passwd")
    store.close()
    with pytest.raises(StorageError):
        store.mark_released(release)
    assert store.state is State.CLOSED
    assert store.published.released_files() == ()


def test_a_release_interrupted_between_copy_and_state_can_be_repeated(
    store: SurveyStore, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    release.mkdir()
    (release / "a.csv").write_text("new")
    store.close()
    store.published.take_release(release)  # and here the machine stopped
    half = store.published.folder / ".new-half"
    half.mkdir()
    (half / "a.csv").write_text("half of a table")
    assert store.state is State.CLOSED
    store.mark_released(release)
    assert store.state is State.RELEASED
    assert not half.exists()


def test_an_ended_store_refuses_and_names_it(store: SurveyStore) -> None:
    store.submit(sample.message())
    store.end()
    with pytest.raises(StorageError) as caught:
        store._writer.store(None)
    assert caught.value.code == "storage.stopping"


def test_a_changed_specification_is_refused_at_once(store: SurveyStore, data: DataDirectory) -> None:
    path = store.published.folder / "specification.dsse.json"
    genuine = path.read_bytes()
    path.write_bytes(sample.envelope("Changed"))
    with pytest.raises(VerificationError) as caught:
        store.submit(sample.message())
    assert caught.value.code == "verification.specification-changed"
    data.end()
    with pytest.raises(VerificationError):
        data.survey(sample.digest())
    path.write_bytes(genuine)
    assert data.survey(sample.digest()).state is State.OPEN


def test_a_specification_signed_by_another_key_is_refused(store: SurveyStore) -> None:
    path = store.published.folder / "specification.dsse.json"
    path.write_bytes(sample.sign(sample.payload(), sample.AUDITOR))
    with pytest.raises(VerificationError) as caught:
        _ = store.specification
    assert caught.value.code == "verification.signature"
