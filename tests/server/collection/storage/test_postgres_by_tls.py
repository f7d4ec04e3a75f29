"""PostgreSQL on another machine, as the operator's guide sets it up: TLS, a password file, no other way."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.collection.config import Config
from shared.errors import StorageError
from tests.postgres import PostgresServer, why_not
from tests.programs import free_port
from tests.server.collection.storage import sample
from tests.server.executor.clusters import certificates

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Where it is, without certificates, and the folder of an authority's."""
    folder, port = tmp_path_factory.mktemp("authority"), free_port()
    authority, certificate, key = map(Path, certificates(folder).values())
    server = PostgresServer("listen_addresses='localhost'", f"port={port}")
    for name, path in (("server.crt", certificate), ("server.key", key)):
        shutil.copyfile(path, server.data / name)
        (server.data / name).chmod(0o600)
        server.own(server.data / name)
    url = f"postgresql://roomful@localhost:{port}/postgres"
    try:
        import psycopg

        with psycopg.connect(f"{url}?host={server.folder}", autocommit=True) as raw:
            raw.execute("ALTER USER roomful PASSWORD 'four words, no less'")
        with (server.data / "postgresql.conf").open("a") as file:
            file.write("ssl = on\n")
        (server.data / "pg_hba.conf").write_text(
            "hostssl  all  roomful  127.0.0.1/32  scram-sha-256\n"
            "hostssl  all  roomful  ::1/128       scram-sha-256\n"
        )
        server.stop("fast")
        server.start()
        (folder / "pgpass").write_text("localhost:*:*:roomful:four words, no less\n")
        (folder / "pgpass").chmod(0o600)
        yield url, authority
    finally:
        server.end()


def publish(url: str, data: Path) -> int:
    """Publish a survey and take an answer; how many there are."""
    with Config(database=url, quiet_seconds=60).open_data(data) as directory:
        survey = directory.survey(directory.publish(sample.envelope(), sample.MODEL))
        survey.open()
        survey.submit(sample.message())
        return survey.total()


def test_the_line_of_the_guide(
    site: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, authority = site
    other = Path(next(iter(certificates(tmp_path).values())))
    whole = f"{url}?sslmode=verify-full&sslrootcert={authority}"
    ways = {
        "without a password": whole,
        "without encryption": f"{url}?sslmode=disable",
        "another authority": f"{url}?sslmode=verify-full&sslrootcert={other}",
        "another name": whole.replace("localhost", "127.0.0.1"),
        "no authority": f"{url}?sslmode=verify-full",
    }
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, way in ways.items():
        if name != "without a password":
            monkeypatch.setenv("PGPASSFILE", str(authority.with_name("pgpass")))
        with pytest.raises(StorageError) as caught:
            publish(way, tmp_path / "refused")
        assert caught.value.code == "storage.failed", name
    assert publish(whole, tmp_path / "data") == 1
