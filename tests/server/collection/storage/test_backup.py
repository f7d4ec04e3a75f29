"""Backups come back whole, and never over something newer; none of an open survey tells who came when."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from server.collection import backup
from server.collection.backup import MANIFEST, back_up, put_back
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.transfer import move_data
from server.keys.parts_folder import part_name
from shared.errors import InputError, RoomfulError, SpecificationError, StateError, StorageError
from tests.in_parts import publish_in_parts, submission_in_parts, survey_in_parts
from tests.invited import used_codes
from tests.server.collection.storage import ballots, sample
from tests.server.collection.storage.killing import run_killed

CODES = used_codes(150)
_, PARTS = survey_in_parts()
EVERY_DATABASE_BUT = frozenset(
    {"test_whatever_is_changed_in_a_backup_is_refused", "test_what_is_no_backup_is_not_replaced"}
)
K = 5


@contextmanager
def again(data: DataDirectory, path: Path | None = None) -> Iterator[DataDirectory]:
    """The same data directory as another process opens it."""
    with DataDirectory(path or data.path, quiet_seconds=60, databases=data._databases) as other:
        yield other


def close_all(data: DataDirectory) -> tuple[SurveyStore, list[str], SurveyStore, list[str]]:
    """A closed survey and a closed invited one, with receipts."""
    store = data.survey(data.publish(sample.envelope(), sample.MODEL))
    store.open()
    receipts = [store.submit(sample.message()) for _ in range(30)]
    store.close()
    invited = ballots.store_of(data)
    for code in CODES[:4]:
        data.registrar(invited.id).spend(code, b"blinded" + code)
    sealed = sorted(invited.submit(ballots.sealed(number)) for number in range(9))
    invited.close()
    return store, receipts, invited, sealed


def lose(data: DataDirectory) -> None:
    """The disk, or the whole database server; the anchors lie elsewhere."""
    data.end()
    for name in data.ids():
        for file in ("answers.sqlite", "registrar.sqlite"):
            database = data.database(name, file)
            if database.exists():
                with closing(database.connect()) as held, database.removing(held):
                    pass
    data._databases.end()
    shutil.rmtree(data.path / "surveys")


def refused(data: DataDirectory, backup: Path) -> str:
    with again(data) as other, pytest.raises(RoomfulError) as caught:
        put_back(other, backup)
    return caught.value.code


def test_what_was_lost_comes_back(data: DataDirectory, tmp_path: Path) -> None:
    store, receipts, invited, sealed = close_all(data)
    saved = back_up(data, tmp_path / "backup", ())
    assert {one["state"] for one in saved.surveys.values()} == {"closed"}
    files = {path.relative_to(data.path): path.read_bytes() for path in data.path.rglob("*.pem")}
    lose(data)
    with again(data) as other:
        assert put_back(other, tmp_path / "backup").digest == saved.digest
        assert all(map(other.survey(store.id).has_receipt, receipts))
        assert len(list(other.survey(store.id).answers())) == 30
        assert other.survey(invited.id).ballot_receipts() == tuple(sealed)
        assert other.survey(invited.id).old_copy() is None
        assert other.registrar(invited.id).used_codes() == CODES[:4]
        assert {path: (data.path / path).read_bytes() for path in files if path.parts[0] == "surveys"} == {
            path: content for path, content in files.items() if path.parts[0] == "surveys"
        }
        put_back(other, tmp_path / "backup")  # what is there already is the same
    assert not [path for path in (tmp_path / "backup").rglob("*") if path.suffix in (".lock", ".new")]


def test_a_survey_in_parts_comes_back_with_all_of_them(data: DataDirectory, tmp_path: Path) -> None:
    store = publish_in_parts(data)
    receipts = [store.submit(submission_in_parts(cell)) for cell in range(8)]
    store.close()
    back_up(data, tmp_path / "backup", ())
    first = min(PARTS)
    damaged = store.published.folder / part_name(first)
    damaged.write_bytes(PARTS[first] + b" ")
    with again(data) as other, pytest.raises(SpecificationError, match="part of district"):
        other.survey(store.id)
    with again(data) as other:
        put_back(other, tmp_path / "backup")
        assert other.survey(store.id).published.parts() == PARTS
    lose(data)
    with again(data) as other:
        put_back(other, tmp_path / "backup")
        back = other.survey(store.id)
        assert back.published.parts() == PARTS
        assert all(map(back.has_receipt, receipts))
    copied = tmp_path / "backup" / "surveys" / store.id / part_name(first)
    copied.write_bytes(PARTS[first] + b" ")
    assert refused(data, tmp_path / "backup") == "input.backup"
    copied.unlink()
    assert refused(data, tmp_path / "backup") == "input.backup"


def test_an_open_survey_is_not_copied(data: DataDirectory, store: SurveyStore, tmp_path: Path) -> None:
    with pytest.raises(StateError) as caught:
        back_up(data, tmp_path / "backup", ())
    assert caught.value.code == "state.backup"
    assert not (tmp_path / "backup").exists()


def test_two_copies_while_open_bracket_no_answer_or_k_of_a_cell(
    data: DataDirectory, store: SurveyStore, tmp_path: Path
) -> None:
    out = tmp_path / "backup"

    def copy() -> None:
        back_up(data, out, (), while_open=True)

    copy()  # nobody came yet
    for _ in range(K - 1):
        store.submit(sample.message(cell=1))
        with pytest.raises(StateError) as caught:  # since the opening, or the last copy
            copy()
        assert caught.value.code == "state.backup"
    store.submit(sample.message(cell=1))
    copy()
    for _ in range(K):
        store.submit(sample.message(cell=1))
    store.submit(sample.message(cell=0))
    with pytest.raises(StateError, match="1 cells got fewer than 5"):
        copy()
    for _ in range(K - 1):
        store.submit(sample.message(cell=0))
    copy()
    copy()
    lost = store.submit(sample.message())
    lose(data)
    assert refused(data, out) == "storage.older-backup"  # nobody knows what came since
    with again(data) as other:
        put_back(other, out, older=True)
        assert other.survey(store.id).total() == 3 * K
        assert not other.survey(store.id).has_receipt(lost)


def test_an_answer_that_comes_while_others_are_copied_is_counted(
    data: DataDirectory, store: SurveyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(K):
        store.submit(sample.message(cell=1))
    copy_files = backup._copy_files

    def late(source: Path, target: Path, *, databases: bool = False) -> None:
        copy_files(source, target, databases=databases)
        store.submit(sample.message(cell=0))

    monkeypatch.setattr(backup, "_copy_files", late)
    with pytest.raises(StateError, match="1 cells got fewer than 5"):
        back_up(data, tmp_path / "backup", (), while_open=True)
    assert not (tmp_path / "backup").exists()


def test_an_older_copy_does_not_replace_what_is_there(data: DataDirectory, tmp_path: Path) -> None:
    store = data.survey(data.publish(sample.envelope(), sample.MODEL))
    store.open()
    back_up(data, tmp_path / "empty", (), while_open=True)
    receipts = [store.submit(sample.message(cell=1)) for _ in range(K)]
    back_up(data, tmp_path / "some", (), while_open=True)
    store.close()
    back_up(data, tmp_path / "closed", ())
    for name in ("empty", "some"):
        assert refused(data, tmp_path / name) == "storage.older-backup"
    # The newer one does: what is there is contained in it.
    with again(data) as other:
        put_back(other, tmp_path / "some", older=True)
        assert other.survey(store.id).state == "open"
    with again(data) as other:
        put_back(other, tmp_path / "closed")
        assert other.survey(store.id).state == "closed"
        assert all(map(other.survey(store.id).has_receipt, receipts))


def test_codes_are_not_used_twice_by_an_old_copy(data: DataDirectory, tmp_path: Path) -> None:
    invited = ballots.store_of(data)
    back_up(data, tmp_path / "early", (), while_open=True)
    data.registrar(invited.id).spend(CODES[0], b"blinded")
    assert refused(data, tmp_path / "early") == "storage.older-backup"
    lose(data)
    assert refused(data, tmp_path / "early") == "storage.older-backup"  # the anchor knows
    with again(data) as other:
        put_back(other, tmp_path / "early", older=True)
        with pytest.raises(StorageError) as caught:
            other.registrar(invited.id).spend(CODES[0], b"another")
        assert caught.value.code == "storage.rolled-back"
    shutil.rmtree(data.path.with_name("data.anchors"))
    assert refused(data, tmp_path / "early") in ("storage.anchor-missing", "storage.older-backup")


def test_deleted_answers_do_not_come_back(data: DataDirectory, tmp_path: Path) -> None:
    store, *_ = close_all(data)
    back_up(data, tmp_path / "backup", (store.id,))
    with closing(store._database.connect()) as held, store._database.transaction(held) as connection:
        connection.execute("DELETE FROM answer")
        connection.execute("DELETE FROM receipt")
        connection.execute("INSERT INTO survey VALUES ('deleted_on', '2026-01-01')")
    assert refused(data, tmp_path / "backup") == "storage.older-backup"


def test_an_interrupted_restoration_is_repeated(
    data: DataDirectory, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store, receipts, invited, sealed = close_all(data)
    back_up(data, tmp_path / "backup", ())
    lose(data)
    url = getattr(data._databases, "_url", "")
    (data.path / "roomful.toml").write_text(f'database = "{url}"\n')
    words = (str(tmp_path / "backup"), "--data", str(data.path))
    for name, number in (
        ("_copy_files", 6),
        ("create", 1),
        ("copy", 2),
        ("contents", 5),
        ("arrive", 1),
    ):
        ended = run_killed("backup.restore", name, number, *words)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert list(data.path.rglob(".restored-*/**/answers.sqlite"))  # whose days nobody counts
    with again(data) as other:
        other.expire()
    assert not list(data.path.rglob(".restored-*"))
    with again(data) as other:
        with pytest.raises(StorageError) as caught:
            list(other.list())
        assert caught.value.code == "storage.moving"
        with pytest.raises(StorageError) as caught:
            move_data(Config.load(data.path, {}, {}), data.path, url, {}, lambda _: None)
        assert caught.value.code == "storage.moving"
        put_back(other, tmp_path / "backup")
        assert all(map(other.survey(store.id).has_receipt, receipts))
        assert other.survey(invited.id).ballot_receipts() == tuple(sealed)
    assert not list(data.path.rglob(".new-*"))


def test_the_next_backup_removes_what_a_killed_one_left(data: DataDirectory, tmp_path: Path) -> None:
    """Two copies beside each other are the series that one name avoids."""
    close_all(data)
    url = getattr(data._databases, "_url", "")
    (data.path / "roomful.toml").write_text(f'database = "{url}"\n')
    place = tmp_path / "copies"
    place.mkdir()
    words = (str(place / "backup"), "--data", str(data.path))
    back_up(data, place / "backup", ())
    ended = run_killed("backup.backup", "_digests", 1, *words)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert list(place.glob(".backup-*/**/answers.sqlite"))
    back_up(data, place / "backup", ())
    assert [path.name for path in place.iterdir()] == ["backup"]


def test_whatever_is_changed_in_a_backup_is_refused(data: DataDirectory, tmp_path: Path) -> None:
    close_all(data)
    backup = tmp_path / "backup"
    back_up(data, backup, ())
    for path in sorted(path for path in backup.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for changed in (content[:-1], content + b"x", b""):
            path.write_bytes(changed)
            assert refused(data, backup) == "input.backup", path
        path.unlink()
        assert refused(data, backup) == "input.backup", path
        path.write_bytes(content)
    (backup / "surveys" / data.ids()[0] / "more.txt").write_text("x")
    assert refused(data, backup) == "input.backup"
    for document in ([], {}, {"format": "roomful-backup/2", "files": {}, "surveys": {}}):
        (backup / MANIFEST).write_text(json.dumps(document))
        assert refused(data, backup) == "input.backup"


def test_what_is_no_backup_is_not_replaced(data: DataDirectory, tmp_path: Path) -> None:
    close_all(data)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("x")
    with pytest.raises(InputError):
        back_up(data, tmp_path / "notes", ())
    assert (tmp_path / "notes" / "mine.txt").exists()
