"""What a disk that fills under load loses: nothing that was acknowledged, in SQLite and in PostgreSQL.

    python benchmarks/bench_full_disk.py [--megabytes 48] [--json]

The databases lie on a small disk of their own (a tmpfs; mounting takes root). The real server (``roomful
serve``) takes submissions until it is full, and is asked on. Then the rest of the disk is freed and it goes
on without a restart, and in the end every receipt that was acknowledged is looked up. Of PostgreSQL once a
tablespace fills, with the write-ahead log elsewhere, and once the disk of the whole server.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.collection.config import Config
from shared.submission import encode
from tests.builders import MESSAGE_BYTES, small_envelope, small_model
from tests.postgres import PostgresServer
from tests.programs import COMMAND, free_port

ANSWERS = {"health": "good", "conditions": ["asthma"], "wellbeing": 7, "smokes": False, "wage": "12.5"}
THREADS = 16
ROOM_BYTES = 4 * 2**20
"""Free on the disk at the beginning."""


@contextlib.contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A disk of its own that is soon full, and holds a file whose deletion makes room again."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


class Load:
    """Threads that send messages, each another one, until they are told to end."""

    def __init__(self, port: int, survey: str, digest: str) -> None:
        self.port, self.path, self.digest = port, f"/api/v1/surveys/{survey}/submissions", digest
        self.acknowledged: list[str] = []
        self.refused: dict[int, int] = {}
        self.ended = threading.Event()
        self.pool = ThreadPoolExecutor(THREADS)
        self.futures = [self.pool.submit(self._send) for _ in range(THREADS)]

    def end(self) -> None:
        """Wait for the last answers."""
        self.ended.set()
        for future in self.futures:
            future.result()
        self.pool.shutdown()

    def _send(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.ended.is_set():
            message = encode(self.digest, 1, ANSWERS, os.urandom(MESSAGE_BYTES), MESSAGE_BYTES)
            try:
                connection.request("POST", self.path, message, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                self.ended.wait(0.05)
                continue
            if answer.status == 201:
                self.acknowledged.append(hashlib.sha256(message).hexdigest())
            else:
                self.refused[answer.status] = self.refused.get(answer.status, 0) + 1
                self.ended.wait(0.02)


def fill(data: Path, url: str, disk: Path, revive: Any = None) -> dict[str, object]:
    """Serve until the disk is full, make room, serve on, and look everything up."""
    config = Config(database=url)
    os.environ["ROOMFUL_SERVER_DATABASE"] = url
    with config.open_data(data) as directory:
        survey = directory.publish(small_envelope(), small_model())
        directory.open(survey)
        digest = directory.survey(survey).published.digest
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - ROOM_BYTES))
    port = free_port()
    server = subprocess.Popen(
        [*COMMAND, "serve", "--data", str(data), "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    load = Load(port, survey, digest)
    began = time.monotonic()
    try:
        while not load.refused.get(503) and time.monotonic() - began < 240:
            time.sleep(0.1)
        time.sleep(3)  # full, and asked on
        until_full = len(load.acknowledged)
        refused = dict(load.refused)
        ballast.unlink()
        if revive is not None:
            revive()
        reached, patience = len(load.acknowledged), time.monotonic() + 60
        while len(load.acknowledged) < reached + 200 and time.monotonic() < patience:
            time.sleep(0.1)
    finally:
        load.end()
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=120)
    with config.open_data(data) as directory:
        store = directory.survey(survey)
        store.check()
        stored = store.total()
        lost = sum(not store.has_receipt(receipt) for receipt in load.acknowledged)
        store.close()
        answers = sum(1 for _ in store.answers())
    return {
        "acknowledged_until_full": until_full,
        "refused_while_full": sum(refused.values()),
        "codes": sorted(load.refused),
        "acknowledged_in_all": len(load.acknowledged),
        "stored": stored,
        "answers": answers,
        "lost": lost,
    }


def main() -> None:
    """Run all three; exit 1 if something was lost, doubled, or did not go on."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=48, help="size of the small disk")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-full-disk-") as name:
        folder = Path(name)
        with small_disk(folder / "sqlite", arguments.megabytes) as disk:
            found["sqlite"] = fill(disk / "data", "", disk)
        folder.chmod(0o755)
        with small_disk(folder / "tablespace", arguments.megabytes) as disk:
            place = disk / "space"
            place.mkdir(mode=0o700)
            postgres = PostgresServer()
            try:
                postgres.own(place)
                url = postgres.new_database(place)
                found["postgresql tablespace"] = fill(folder / "data1", url, disk)
            finally:
                postgres.end()
        with small_disk(folder / "server", 4 * arguments.megabytes) as disk:
            postgres = PostgresServer("min_wal_size=32MB", "max_wal_size=48MB", base=disk)
            try:

                def start_again() -> None:
                    with contextlib.suppress(subprocess.CalledProcessError):  # it goes on by itself, or not
                        postgres.stop()
                    postgres.start()

                found["postgresql whole disk"] = fill(folder / "data2", postgres.url, disk, start_again)
            finally:
                postgres.end()
    print(json.dumps(found, indent=1))
    for figures in found.values():
        went_on = (
            int(str(figures["acknowledged_in_all"])) >= int(str(figures["acknowledged_until_full"])) + 200
        )
        if figures["lost"] or figures["answers"] != figures["stored"] or not went_on:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
