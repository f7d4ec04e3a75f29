"""Surveys move between SQLite and PostgreSQL: nothing is lost, whenever it is interrupted."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.move import move as command
from server.collection import transfer
from server.collection.backup import back_up, put_back
from server.collection.config import Config, set_database
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import Databases, databases_at, embedded
from server.collection.storage.holding import holding
from server.collection.storage.relay import RelayStore
from shared.errors import NotFoundError, RoomfulError, SetupError, StateError, StorageError
from tests.in_parts import publish_in_parts, submission_in_parts, survey_in_parts
from tests.invited import used_codes
from tests.postgres import PostgresServer, why_not
from tests.server.collection.storage import ballots, sample
from tests.server.collection.storage.killing import run_killed

pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(why_not()), reason=why_not())]
TOKEN_CODES = used_codes(150)
_, PARTS = survey_in_parts()
BEFORE_DECIDING = [
    ("is_there", 1), ("create", 1), ("create", 2), ("_read", 1), ("copy", 2), ("contents", 2), ("turn", 4),
    ("transaction", 7), ("set_database", 1), ("replace", 1),
]  # fmt: skip
AFTER_DECIDING = [
    ("set_database", 2), ("removing", 2), ("removing", 4), ("bring", 2), ("removing", 5), ("arrive", 1),
    ("arrive", 3),
]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    own = PostgresServer()
    yield own
    own.end()


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.new_database()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data"


def opened(path: Path) -> DataDirectory:
    return Config.load(path, {}, {"quiet_seconds": 60}).open_data(path)


def fill(path: Path) -> tuple[str, str, list[str], list[str]]:
    """An open survey and a closed invited one; what was acknowledged of each."""
    with opened(path) as data:
        survey = data.survey(data.publish(sample.envelope(), sample.MODEL))
        survey.open()
        receipts = [survey.submit(sample.message(remark=f"\u00e4 {n}")) for n in range(40)]
        invited = ballots.store_of(data)
        for code in TOKEN_CODES[:5]:
            data.registrar(invited.id).spend(code, b"blinded" + code)
        sealed = [invited.submit(ballots.sealed(number)) for number in range(12)]
        invited.close()
        return survey.id, invited.id, receipts, sealed


def require_all(path: Path, filled: tuple[str, str, list[str], list[str]]) -> None:
    survey, invited, receipts, sealed = filled
    with opened(path) as data:
        data.require_current(invited)
        assert data.survey(survey).total() == len(receipts)
        assert all(map(data.survey(survey).has_receipt, receipts))
        assert data.survey(invited).ballot_receipts() == tuple(sorted(sealed))
        registrar = data.registrar(invited)
        assert registrar.used_codes() == TOKEN_CODES[:5]
        assert registrar.invited() == 150


def move(path: Path, target: str) -> dict[str, int]:
    """Rows of each table that was moved."""
    found: dict[str, int] = {}
    transfer.move_data(
        Config.load(path, {}, {}), path, target, {},
        lambda one: found.update({f"{one.name}.{table.table}": table.rows for table in one.contents}),
    )  # fmt: skip
    return found


def files(path: Path) -> list[str]:
    return sorted(found.name for found in path.rglob("*.sqlite*"))


def schemas(url: str) -> list[str]:
    import psycopg

    with psycopg.connect(url) as raw:
        query = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'roomful%' ORDER BY 1"
        return [name for (name,) in raw.execute(query)]


def test_there_and_back_again(path: Path, url: str) -> None:
    filled = fill(path)
    (path / "roomful.toml").write_text('# ours\noperator = "us"\n')
    before = files(path)
    counted = move(path, url)
    assert counted[f"{filled[0]}/answers.sqlite.answer"] == 40
    assert counted[f"{filled[1]}/registrar.sqlite.code"] == 150
    assert files(path) == []
    assert len(schemas(url)) == 3
    require_all(path, filled)
    assert (path / "roomful.toml").read_text() == f'database = "{url}"\n# ours\noperator = "us"\n'
    assert move(path, "") == counted
    assert schemas(url) == []
    assert [name for name in before if name.endswith(".sqlite")] == [
        name for name in files(path) if name.endswith(".sqlite")
    ]
    require_all(path, filled)
    with pytest.raises(StateError) as caught:
        move(path, "")
    assert caught.value.code == "state.moved"


def test_a_survey_in_parts_moves_and_goes_on_taking_answers(path: Path, url: str) -> None:
    with opened(path) as data:
        store = publish_in_parts(data)
        receipts = [store.submit(submission_in_parts(cell)) for cell in range(8)]
    for target in (url, ""):
        move(path, target)
        with opened(path) as data:
            moved = data.survey(store.id)
            assert moved.published.parts() == PARTS
            receipts.append(moved.submit(submission_in_parts(7)))
            assert all(map(moved.has_receipt, receipts))


def test_no_order_of_arrival_is_copied(path: Path, url: str) -> None:
    survey, *_ = fill(path)  # the open one's rows lie as they came: nobody swept
    move(path, url)
    import psycopg

    for table in ("answer", "receipt", "survey"):
        with psycopg.connect(url) as raw:
            query = f"SELECT xmin::text, t.* FROM roomful_{survey}_answers.{table} t ORDER BY ctid"  # noqa: S608
            rows = raw.execute(query).fetchall()
        assert len({row[0] for row in rows}) == 1
        assert [row[1] for row in rows] == sorted(row[1] for row in rows)


@pytest.mark.parametrize("back", [False, True], ids=["there", "back"])
def test_whenever_it_is_killed_nothing_is_lost_and_it_can_be_repeated(
    path: Path, url: str, back: bool
) -> None:
    filled = fill(path)
    if back:
        move(path, url)
    target = "files" if back else url
    old, new = (url, "") if back else ("", url)
    words = ("--data", str(path), "--to", target)
    killed = 0
    for name, number in (*BEFORE_DECIDING, *AFTER_DECIDING):
        ended = run_killed("move.move", name, number, *words)
        if ended.returncode == -signal.SIGKILL:
            killed += 1
        elif ended.returncode == 0:  # what it would have been killed at is not done any more, or by another
            assert (name, number) in AFTER_DECIDING
            break
        if (name, number) in BEFORE_DECIDING and Config.load(path, {}, {}).database == old:
            require_all(path, filled)  # the old place is what it was, and can be used
    else:
        move(path, new)
    assert killed > len(BEFORE_DECIDING)
    assert Config.load(path, {}, {}).database == new
    require_all(path, filled)
    assert (schemas(url) if back else files(path)) == []


def test_after_the_decision_nobody_uses_a_copy_that_is_not_finished(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = fill(path)
    with opened(path) as data:
        back_up(data, path.with_name("backup"), [filled[1]])

    def decide(data: Path, wanted: str) -> None:
        set_database(data, wanted)
        raise KeyboardInterrupt

    monkeypatch.setattr(transfer, "set_database", decide)
    with pytest.raises(KeyboardInterrupt):
        move(path, url)
    monkeypatch.undo()
    with opened(path) as data:
        for survey in filled[:2]:
            with pytest.raises(StorageError) as caught:
                data.survey(survey)
            assert caught.value.code == "storage.moving"
    with pytest.raises(StorageError) as caught:
        move(path, "")  # not back from half the way
    assert caught.value.code == "storage.moving"
    # Nor is a backup put over what may be the only copy, whatever is said.
    with opened(path) as data, pytest.raises(StorageError) as caught:
        put_back(data, path.with_name("backup"), older=True)
    assert caught.value.code == "storage.moving"
    # Another machine that still has the old place takes an answer: it comes along.
    with DataDirectory(path, quiet_seconds=60) as data:
        filled[2].append(data.survey(filled[0]).submit(sample.message()))
    move(path, url)
    require_all(path, filled)
    assert files(path) == []


def test_a_place_with_another_copy_of_a_survey_is_refused(path: Path, url: str) -> None:
    fill(path)
    with Config(database=url).open_data(path.with_name("second")) as second:
        second.publish(sample.envelope(), sample.MODEL)
    with pytest.raises(StorageError) as caught:
        move(path, url)
    assert caught.value.code == "storage.not-empty"
    assert Config.load(path, {}, {}).database == ""


def test_nothing_moves_while_somebody_serves(path: Path, url: str) -> None:
    survey, *_ = filled = fill(path)
    with holding(path, alone=False), pytest.raises(StateError) as caught:
        move(path, url)
    assert caught.value.code == "state.serving"
    move(path, url)
    # A collector on another machine, which has its own folder: its session tells.
    script = (
        "import sys; from pathlib import Path; from server.collection.config import Config\n"
        "data = Config(database=sys.argv[1]).open_data(Path(sys.argv[2])); store = data.survey(sys.argv[3])\n"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, url, str(path), survey], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StateError) as caught:
            move(path, "")
        assert caught.value.code == "state.serving"
        other.kill()
    assert len(schemas(url)) == 3
    require_all(path, filled)


def test_who_has_the_old_file_open_stores_nothing_there(path: Path, url: str) -> None:
    survey, *_ = fill(path)
    with DataDirectory(path, quiet_seconds=60) as late:
        store = late.survey(survey)
        store.submit(sample.message())  # its writer has the file open
        move(path, url)
        with pytest.raises(StorageError):
            store.submit(sample.message())


def test_a_relays_pool_moves_too(tmp_path: Path, url: str) -> None:
    digest, body = "ab" * 32, b"sealed"
    folder = tmp_path / "surveys" / digest[:16]
    folder.mkdir(parents=True)
    RelayStore.create(folder, digest=digest)

    def pool(databases: Databases) -> RelayStore:
        return RelayStore(folder, digest=digest, capacity=9, people=4, quiet_seconds=60, databases=databases)

    with pool(embedded) as store:
        store.accept(body)
    assert move(tmp_path, url)[f"{digest[:16]}/pool.sqlite.waiting"] == 1
    there = databases_at(url)
    with pool(there) as store:
        store.accept(body)  # known
        assert (store.totals().waiting, store.take()) == (1, 1)
    there.end()
    move(tmp_path, "")
    with pool(embedded) as store:
        assert [store.body(key) for key in store.leaving()] == [body]


def test_another_layout_is_refused(path: Path, url: str) -> None:
    survey, *_ = fill(path)
    file = path / "surveys" / survey / "answers.sqlite"
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("ALTER TABLE answer ADD COLUMN came TEXT")
    with pytest.raises(StorageError) as caught:
        move(path, url)
    assert caught.value.code == "storage.layout"
    assert schemas(url) == []


@pytest.mark.parametrize("target", ["mysql:///x", ""])
def test_the_command_says_what_else_it_takes(path: Path, target: str) -> None:
    done = CliRunner().invoke(command, ["--data", str(path), "--to", target])
    assert isinstance(done.exception, SetupError)
    assert done.exception.where == "--to"
    assert done.exception.expected == "postgresql://USER@HOST/NAME, or files"


@pytest.mark.parametrize(
    ("target", "environment", "kind"),
    [
        ("postgresql://us:secret@/x", {}, SetupError),
        ("postgresql:///x?user=us&password=secret", {}, SetupError),
        ("mysql:///x", {}, SetupError),
        ("", {"ROOMFUL_SERVER_DATABASE": "postgresql:///x"}, SetupError),
        ("postgresql:///x", {}, NotFoundError),
    ],
)
def test_what_cannot_be_moved_is_named(
    path: Path, target: str, environment: dict[str, str], kind: type[RoomfulError]
) -> None:
    with pytest.raises(kind):
        transfer.move_data(Config(), path, target, environment, lambda _: None)
    assert not path.exists()
