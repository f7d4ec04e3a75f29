"""The checkup names what a PostgreSQL tells, and the operator's guide has the remedy of each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from server.collection.config import Config
from server.collection.web.checkup import examine_server
from server.collection.web.checkup_line import Line, Outcome
from server.collection.web.checkup_postgres import RULES
from tests.conftest import PROJECT
from tests.postgres import PostgresServer, why_not
from tests.server.collection.storage import sample

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
GUIDE = (PROJECT / "docs" / "operator-guide.md").read_text()
BLOCK = GUIDE.partition("# postgresql.conf")[2].partition("\n\n")[0]
SETTINGS = re.findall(r"^    ([a-z_]+ = [^#\n]+?) *(?:#.*)?$", BLOCK, re.MULTILINE)
GRANTS = re.findall(r"-c '(GRANT [^']+)'", GUIDE)
BAD = (
    "fsync=off", "track_commit_timestamp=on", "archive_mode=on", "archive_command='/bin/true'",
    "wal_level=logical", "wal_recycle=on", "log_statement=all", "log_checkpoints=on",
    "shared_preload_libraries='auto_explain,pg_stat_statements'",
)  # fmt: skip


@contextmanager
def lines(server: PostgresServer, url: str, path: Path) -> Iterator[dict[str, Line]]:
    """Of a survey's whole life, by the codes of what concerns the database."""
    with Config(database=url, quiet_seconds=60).open_data(path) as data:
        store = data.survey(data.publish(sample.envelope(), sample.MODEL))
        store.open()
        store.submit(sample.message())
        store.close()
        found = examine_server(Config(), data, None)
        yield {line.code: line for line in found if line.code.startswith("database-")}


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    own = PostgresServer(*request.param)
    yield own
    own.end()


@pytest.mark.parametrize("server", [SETTINGS], indirect=True, ids=["guide"])
def test_as_the_guide_says_all_is_well_for_an_ordinary_user(server: PostgresServer, tmp_path: Path) -> None:
    import psycopg

    assert len(SETTINGS) > 12
    with psycopg.connect(server.url, autocommit=True) as raw:  # createuser, createdb --owner, grants
        raw.execute("CREATE ROLE plain LOGIN")
        raw.execute("CREATE DATABASE surveys OWNER plain")
    with psycopg.connect(server.url.replace("/postgres?", "/surveys?"), autocommit=True) as raw:
        assert len(GRANTS) == 2
        for grant in GRANTS:
            raw.execute(grant.replace("TO roomful", "TO plain"))
    url = f"postgresql://plain@/surveys?host={server.folder}"
    with lines(server, url, tmp_path / "data") as found:
        assert {
            code: line.finding for code, line in found.items() if line.outcome is not Outcome.PASSED
        } == {}
        assert set(found) == {rule.code for rule in RULES}


@pytest.mark.parametrize("server", [BAD], indirect=True, ids=["bad"])
def test_each_setting_that_tells_is_named_with_its_remedy(server: PostgresServer, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as raw:
        raw.execute("SELECT pg_create_physical_replication_slot('kept', true)")
    with lines(server, server.url, tmp_path / "data") as found:
        for rule in RULES:
            line = found[rule.code]
            assert line.outcome is (Outcome.WARNING if rule.warning else Outcome.FAILED), line
            assert line.fix == rule.fix
        assert "archive_mode = on, replication_slots = 1" in found["database-copies"].finding
        assert "auto_explain" in found["database-libraries"].finding
        assert "pg_stat_statements.track = top" in found["database-libraries"].finding


@pytest.mark.parametrize("server", [SETTINGS], indirect=True, ids=["guide"])
def test_without_the_grants_it_says_that_the_log_is_not_ended(server: PostgresServer, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(server.url, autocommit=True) as raw:
        raw.execute("CREATE ROLE plain LOGIN")
        raw.execute("CREATE DATABASE surveys OWNER plain")
    url = f"postgresql://plain@/surveys?host={server.folder}"
    with lines(server, url, tmp_path / "data") as found:
        assert found["database-wal"].outcome is Outcome.WARNING
        assert "pg_switch_wal = missing, pg_checkpoint = missing" in found["database-wal"].finding


def test_every_setting_of_a_rule_is_in_the_guide() -> None:
    counted = {"replication_slots", "replicas"}
    granted = {"pg_switch_wal", "pg_checkpoint"}
    named = {name for rule in RULES for name, value in rule.wanted.items() if value} - counted - granted
    assert named - {"synchronous_commit"} <= {line.split(" ")[0] for line in SETTINGS}
