"""What it takes to move, save and put back a large survey, beside what the two programs do for themselves.

    python benchmarks/bench_moving.py [--answers 200000] [--invited] [--json]

``roomful move`` to a PostgreSQL and back to files, ``roomful backup`` and ``roomful restore``, from files and
from PostgreSQL, each as a process of its own. Beside them, in the same run and of the same rows: COPY of the
tables into PostgreSQL, from it into a new SQLite file, and SQLite's own backup. These compare nothing, put
nothing into the order of keys and delete nothing.

An open survey has an answer of 200 bytes and a receipt for each person; an invited one a sealed ballot and a
code.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from subprocess import DEVNULL, Popen

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.collection.config import Config
from tests.postgres import PostgresServer
from tests.programs import COMMAND
from tests.server.collection.storage import ballots, sample

ANSWER = json.dumps({"health": "good", "remark": "x" * 170})
SECRET_BYTES = {"device_key": 32, "token_signature": 384, "box": 600, "signature": 64}
LENGTHS = {"key": 16, "digest": 32, "token": 32, "hash": 32, "proof": 32, "request": 32, **SECRET_BYTES}


def filled(data: Path, answers: int, *, invited: bool) -> dict[Path, tuple[str, ...]]:
    """A closed survey of so many people; its files, and the tables of each that grow with them."""
    with Config.load(data, {}, {}).open_data(data) as directory:
        if invited:
            survey = ballots.store_of(directory)
        else:
            survey = directory.survey(directory.publish(sample.envelope(), sample.MODEL))
            survey.open()
        folder = survey.published.folder
        survey.close()
    tables = {folder / "answers.sqlite": ("ballot",) if invited else ("answer", "receipt")}
    if invited:
        tables[folder / "registrar.sqlite"] = ("code",)
    for path, names in tables.items():
        with closing(sqlite3.connect(path)) as connection, connection:
            for name in names:
                columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
                marks = ", ".join("?" * len(columns))
                connection.executemany(
                    f"INSERT OR IGNORE INTO {name} VALUES ({marks})",  # noqa: S608 - our own names
                    rows_of(columns, answers),
                )
    return tables


def rows_of(columns: list[str], number: int) -> Iterator[list[object]]:
    """Rows as people make them, in the order of their keys."""
    spread = 2**64 // number
    for at in range(number):
        values: list[object] = [
            at % 12 if column == "cell" else 0 if column == "box" and "hash" in columns
            else ANSWER if column == "answers" else os.urandom(LENGTHS[column])
            for column in columns
        ]  # fmt: skip
        key = values[0]
        assert isinstance(key, bytes)
        values[0] = (at * spread).to_bytes(8, "big") + key[8:]
        yield values


def command(*words: str | Path) -> dict[str, float]:
    """Seconds by the clock, processor seconds and peak megabytes of a command."""
    started = time.perf_counter()
    with Popen([*COMMAND, *map(str, words)], stdout=DEVNULL) as run:
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"roomful {words[0]} ended with {run.returncode}")
    return {
        "seconds": time.perf_counter() - started,
        "processor_seconds": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1024,
    }


def bare(work: Callable[[], None]) -> dict[str, float]:
    """The same of what the programs do for themselves, in this process."""
    started, before = time.perf_counter(), time.process_time()
    work()
    return {
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - before,
    }


def copy_in(tables: dict[Path, tuple[str, ...]], url: str) -> None:
    """COPY every row into tables of its own, with their keys, durably."""
    for path, names in tables.items():
        with closing(sqlite3.connect(path)) as source, psycopg.connect(url) as raw:
            for name in names:
                described = source.execute(f"PRAGMA table_info({name})").fetchall()
                types = {"BLOB": "bytea", "INTEGER": "bigint", "TEXT": "text"}
                columns = ", ".join(f"{column} {types[kind]}" for _, column, kind, *_ in described)
                raw.execute(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({described[0][1]}))")
                with raw.cursor().copy(f"COPY {name} FROM STDIN (FORMAT BINARY)") as copy:
                    copy.set_types([types[kind] for _, _, kind, *_ in described])
                    for row in source.execute(f"SELECT * FROM {name} ORDER BY 1"):  # noqa: S608
                        copy.write_row(row)


def copy_out(tables: dict[Path, tuple[str, ...]], url: str, target: Path) -> None:
    """COPY every row out of them into a new SQLite file."""
    with closing(sqlite3.connect(target)) as written, psycopg.connect(url) as raw, written:
        written.execute("PRAGMA synchronous=FULL")
        for name in (name for names in tables.values() for name in names):
            kinds = raw.execute(
                "SELECT column_name, data_type FROM information_schema.columns"
                " WHERE table_name = %s AND table_schema = 'public' ORDER BY ordinal_position",
                (name,),
            ).fetchall()
            columns = ", ".join(column for column, _ in kinds)
            written.execute(f"CREATE TABLE {name} ({columns}, PRIMARY KEY ({kinds[0][0]})) WITHOUT ROWID")
            with raw.cursor().copy(f"COPY {name} TO STDOUT (FORMAT BINARY)") as copy:
                copy.set_types([kind for _, kind in kinds])
                marks = ", ".join("?" * len(kinds))
                insert = f"INSERT INTO {name} VALUES ({marks})"  # noqa: S608 - our own names
                written.executemany(insert, copy.rows())


def save(tables: dict[Path, tuple[str, ...]], folder: Path) -> None:
    """SQLite's own backup of the same files."""
    folder.mkdir()
    for path in tables:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(folder / path.name)) as target:
            source.backup(target)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--answers", type=int, default=200_000)
    parser.add_argument("--invited", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    server = PostgresServer()
    folder = Path(tempfile.mkdtemp(prefix="moving-"))
    try:
        data, again = folder / "data", folder / "again"
        tables = filled(data, given.answers, invited=given.invited)
        size = sum(path.stat().st_size for path in tables)
        for part in ("", ".anchors"):
            if (present := folder / f"data{part}").exists():
                shutil.copytree(present, folder / f"again{part}")
        url, other = server.new_database(), server.new_database()
        found = {
            "COPY into PostgreSQL": bare(lambda: copy_in(tables, other)),
            "COPY into SQLite": bare(lambda: copy_out(tables, other, folder / "copy.sqlite")),
            "SQLite's backup": bare(lambda: save(tables, folder / "saved")),
            "backup of files": command("backup", folder / "first", "--data", data),
            "restore to files": command("restore", folder / "first", "--data", again),
            "move to PostgreSQL": command("move", "--data", data, "--to", url),
            "backup of PostgreSQL": command("backup", folder / "second", "--data", data),
            "restore to PostgreSQL": command("restore", folder / "second", "--data", data),
            "move to files": command("move", "--data", data, "--to", "files"),
        }
        like = {
            "backup of files": "SQLite's backup", "restore to files": "SQLite's backup",
            "move to PostgreSQL": "COPY into PostgreSQL", "restore to PostgreSQL": "COPY into PostgreSQL",
            "backup of PostgreSQL": "COPY into SQLite", "move to files": "COPY into SQLite",
        }  # fmt: skip
        for name, one in found.items():
            one["people_a_second"] = given.answers / one["seconds"]
            if name in like:
                one["ratio"] = one["seconds"] / found[like[name]]["seconds"]
    finally:
        server.end()
        shutil.rmtree(folder)
    if given.json:
        print(json.dumps({"people": given.answers, "bytes": size, "runs": found}))
        return
    print(f"{given.answers} people, {size / 1e6:.0f} MB in SQLite, load {os.getloadavg()[0]:.0f}")
    for name, one in found.items():
        print(
            f"{name:<22} {one['seconds']:7.1f} s  {one['processor_seconds']:7.1f} CPU s"
            f" {one['people_a_second']:9.0f} people/s  {one.get('megabytes', 0):6.0f} MB"
            f"  ratio {one.get('ratio', 1):.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
