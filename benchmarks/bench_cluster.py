"""Time against workers: the commands that divide their work, by threads and by workers of a local cluster.

Each command is run as a process of its own; its processor seconds are those of all its processes. Bytes of
what it writes must not depend on who worked. Beside it what a cluster costs before its first task and with a
worker that is killed, and what becomes of a pool of the standard library then.

    python benchmarks/bench_cluster.py [--records 200000] [--only anonymize] [--schedulers]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_design import write_register
from respondent_client.headless import headless
from server.executor import Executor
from server.executor.cluster import executor_at
from server.simulation.taking_part import Contribution, send_all
from tests.builders import ANSWERS
from tests.programs import COMMAND
from tests.respondent_client.test_headless import PERSON, Server
from tests.server.executor.clusters import certificates, joined, started

QUASI = [f"q{number}" for number in range(6)]
WORKERS = [
    ("one thread", "", True),
    ("threads", "", False),
    ("one process", "local:1", False),
    ("two processes", "local:2", False),
]
"""Who works: label, ``--cluster``, whether on one core."""


def run(words: list[str], cluster: str, one_core: bool) -> tuple[float, float, bytes]:
    """Seconds by the clock, processor seconds, and what a command printed."""
    more = ["--cluster", cluster] if cluster else []
    cores = ["taskset", "-c", "0"] if one_core else []
    started, before = time.perf_counter(), os.times()
    done = subprocess.run([*cores, *COMMAND, *words, *more], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, used, done.stdout


def table(name: str, words: list[str], written: list[Path]) -> None:
    """One command, by each who may work."""
    expected = ""
    for label, cluster, one_core in WORKERS:
        clock, used, printed = run(words, cluster, one_core)
        digest = hashlib.sha256(b"".join([*(path.read_bytes() for path in written), printed]))
        expected = expected or digest.hexdigest()
        same = "same bytes" if digest.hexdigest() == expected else "OTHER BYTES"
        print(f"{name:<10} {label:<20} {clock:7.1f} s  {used:7.1f} CPU s  {same}", flush=True)


def anonymize(folder: Path, records: int) -> None:
    """Grouping and mending eight districts, and measuring."""
    draw = np.random.default_rng(1)
    source, out = folder / "people.parquet", folder / "masked.parquet"
    pd.DataFrame(draw.normal(0, 1000, (records, 6)).round().astype(int), columns=QUASI).to_parquet(source)
    words = ["anonymize", str(source), "--quasi-identifiers", ",".join(QUASI), "--k", "5", "--out", str(out)]
    table("anonymize", [*words, "--district", str(records // 5), "--json"], [out])


def evaluate(folder: Path, records: int) -> None:
    """Linkage, and twenty models."""
    draw = np.random.default_rng(1)
    source, out = folder / "original.parquet", folder / "other.parquet"
    records //= 10
    frame = pd.DataFrame(draw.normal(0, 1000, (records, 6)).round().astype(int), columns=QUASI)
    frame["ill"] = np.where(frame.q0 + frame.q1 + draw.normal(0, 1000, records) > 0, "yes", "no")
    frame.to_parquet(source)
    frame[QUASI] = (frame[QUASI] / 500).round().astype(int) * 500
    frame.to_parquet(out)
    words = ["evaluate", str(source), str(out), "--quasi-identifiers", ",".join(QUASI), "--target", "ill"]
    table("evaluate", [*words, "--json"], [])


def design(folder: Path, records: int) -> None:
    """Five districts of a register, and curves; then the audit, which designs it again."""
    survey = write_register(folder, "town", records, "register", "power-diagram", folder)
    salt, out, secret = folder / "model.salt", folder / "out", folder / "passphrase"
    salt.write_text("5a" * 32 + "\n")
    secret.write_text("long enough to keep\n")
    words = ["design", str(survey), "--out", str(out), "--salt", str(salt), "--district", str(records // 5)]
    table("design", [*words, "--json"], [out / "design.json"])
    key = ["--passphrase-file", str(secret)]
    run(["keygen", "--out", str(folder / "key.pem"), *key], "", False)
    run(["sign", str(out), "--key", str(folder / "key.pem"), *key], "", False)
    table("audit", ["audit", str(out), "--model", str(folder / "people.csv"), "--json"], [])


def simulate(folder: Path, records: int) -> None:  # noqa: ARG001
    """Messages of an open survey: composed by who is named, and sent by this process."""
    server = Server()
    people = [Contribution(quasi_identifiers=PERSON, answers=ANSWERS)] * (records // 40)
    for label, cluster in (("threads", None), ("one process", "local:1"), ("two processes", "local:2")):
        respondent = headless(server.url)
        respondent.prepare(compared=True)
        with executor_at(cluster) as executor:
            begun = time.perf_counter()
            sent = send_all(respondent, people, 16, lambda _stage, _done, _total: None, executor)
            print(
                f"simulate   {label:<14} {time.perf_counter() - begun:7.1f} s  {len(sent.cells)} sent",
                flush=True,
            )
        respondent.close()
    server.http.shutdown()
    server.http.server_close()


COMMANDS: dict[str, Callable[[Path, int], None]] = {
    "anonymize": anonymize,
    "evaluate": evaluate,
    "design": design,
    "simulate": simulate,
}


@contextlib.contextmanager
def by_schedulers(folder: Path) -> Iterator[list[tuple[str, str, bool]]]:
    """Two schedulers of this machine, reached by TLS, with one worker and with two.

    Processor seconds of a command are without those of their workers, which live on.
    """
    files = certificates(folder)
    os.environ.update(files)
    options = ("--nthreads", "1", "--memory-limit", "0")
    with contextlib.ExitStack() as running:
        found = []
        for number in (1, 2):
            url, _ = running.enter_context(started(folder, files))
            for _ in range(number):
                running.enter_context(joined(url, folder, files, *options))
            found.append((f"scheduler, {number} by TLS", url, False))
        yield found


def slept(_task: int) -> int:
    """A task of a twentieth of a second."""
    time.sleep(0.05)
    return os.getpid()


def killing(victims: Iterator[int]) -> Callable[[int, int], None]:
    """Kill one worker after the first result."""

    def told(_done: int, _total: int) -> None:
        for victim in victims:
            os.kill(victim, signal.SIGKILL)

    return told


def overhead() -> None:
    """What a cluster costs before its first task, and when a worker is killed."""
    for processes in (1, 2):
        before, started = os.times(), time.perf_counter()
        with executor_at(f"local:{processes}") as executor:
            print(
                f"cluster of {processes}: there after {time.perf_counter() - started:.1f} s",
                end="",
                flush=True,
            )
            workers = set(executor.map(slept, range(8)))
            begun = time.perf_counter()
            executor.map(slept, range(100))
            print(f", 100 tasks {time.perf_counter() - begun:.2f} s", end="", flush=True)
            begun = time.perf_counter()
            executor.map(slept, range(100), progress=killing(iter([min(workers)])))
            print(f", one worker killed {time.perf_counter() - begun:.2f} s", end="")
            _large(executor)
        after = os.times()
        used = sum(after[:4]) - sum(before[:4])
        print(f"; {time.perf_counter() - started:.1f} s and {used:.1f} CPU s in all")
    started = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        workers = set(pool.map(slept, range(8)))
        print(f"pool of 2: there after {time.perf_counter() - started:.2f} s", end="")
        waiting = [pool.submit(slept, number) for number in range(100)]
        os.kill(min(workers), signal.SIGKILL)
        try:
            [future.result() for future in waiting]
        except BrokenExecutor as problem:
            print(f", one worker killed: {type(problem).__name__}")


def _large(executor: Executor) -> None:
    """Ten tasks of 8 MB there and back."""
    begun = time.perf_counter()
    executor.map(np.negative, (np.ones(1 << 20) for _ in range(10)))
    print(f", 80 MB there and back {time.perf_counter() - begun:.1f} s", end="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--only", choices=["overhead", *COMMANDS])
    parser.add_argument(
        "--schedulers",
        action="store_true",
        help="also by one and two workers, each set of a scheduler by TLS",
    )
    given = parser.parse_args()
    if given.only in (None, "overhead"):
        overhead()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        if given.schedulers:
            WORKERS.extend(running.enter_context(by_schedulers(Path(name))))
        for command, measure in COMMANDS.items():
            if given.only in (None, command):
                measure(Path(name), given.records)
