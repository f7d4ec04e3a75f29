"""Durable submissions per second, beside a bare endpoint, and what a killed server loses.

    python benchmarks/bench_submissions.py [--seconds 30] [--postgres [--collectors 2]] [--json]

Three phases, each with the server as a process of its own and the load from another one:

1. The real server (``roomful serve``, full validation, every message different) and a bare Flask + SQLite
   endpoint (one insert per request, ``synchronous=FULL``, the same WSGI server) take turns, so that whatever
   else the machine does hits both.
2. The real server is killed (SIGKILL) in the middle of the load and started again.
3. Every receipt that was acknowledged in all phases is looked up in the store, and answers are counted
   against receipts: whoever is there twice has two answers and one receipt.

With ``--postgres`` both keep what they take in one PostgreSQL, started in a folder of its own, which is
killed and started again under load too. With ``--collectors 2`` two real servers share it behind one nginx,
and two bare ones behind another; one real server is killed.

The load is wrk with a Lua script if wrk is installed, else a loop of this file. Only answers 201 count.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psycopg

from server.collection.config import Config
from shared.submission import PROTOCOL
from tests.builders import MESSAGE_BYTES, small_envelope, small_model, small_specification
from tests.postgres import PostgresServer
from tests.programs import COMMAND, free_port

REQUIRED_RATIO = 0.70
REQUIRED_ON_POSTGRES = 0.60
ANSWERS = '{"health":"good","conditions":["asthma"],"wellbeing":7,"smokes":false,"wage":"12.5"}'

LUA = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local threads = {}
function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end
function init(args)
  head, tail, run = args[1], '"}', args[2]
  acknowledged, refused, sent = 0, 0, 0
  fill = string.rep("x", %(bytes)d)
  receipts = args[3] and io.open(args[3] .. "." .. number, "w")
end
function request()
  sent = sent + 1
  local body = head .. run .. "-" .. number .. "-" .. sent .. "-"
  body = body .. string.sub(fill, 1, %(bytes)d - #body - #tail) .. tail
  return wrk.format(nil, nil, nil, body)
end
function response(status, headers, body)
  if status == 201 then
    acknowledged = acknowledged + 1
    if receipts then receipts:write(body, "\\n") receipts:flush() end
  else
    refused = refused + 1
  end
end
function done(summary, latency, requests)
  local ok, no = 0, 0
  for _, thread in ipairs(threads) do
    ok = ok + thread:get("acknowledged")
    no = no + thread:get("refused")
  end
  io.write(string.format('RESULT {"acknowledged": %%d, "refused": %%d, "p50_ms": %%.2f, "p99_ms": %%.2f}\\n',
    ok, no, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one stretch of load saw."""

    acknowledged: int
    refused: int
    p50_ms: float
    p99_ms: float
    seconds: float


def bare_server(port: int, place: str, processes: int, threads: int) -> None:
    """The endpoint to compare with: one insert and one commit per request, and nothing else.

    SQLite with a write-ahead log, which is its fastest durable setting, or a PostgreSQL; and the same
    arrangement of waitress.
    """
    from flask import Flask, Response, request
    from waitress.server import create_server

    from server.collection.web.supervisor import supervise

    on_postgres = place.startswith("postgresql:")
    number = "bigint GENERATED ALWAYS AS IDENTITY" if on_postgres else "INTEGER"
    mark = "%s" if on_postgres else "?"

    def connect() -> Any:
        if on_postgres:
            return psycopg.connect(place)
        connection = sqlite3.connect(place, timeout=30)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    connection = connect()
    connection.execute(f"CREATE TABLE IF NOT EXISTS submission (id {number} PRIMARY KEY, body TEXT)")
    connection.commit()
    connection.close()
    local = threading.local()
    app = Flask(__name__)

    @app.post("/")
    def submit() -> Response:
        if not hasattr(local, "connection"):
            local.connection = connect()
        body = request.get_data(as_text=True)
        query = f"INSERT INTO submission (body) VALUES ({mark}) RETURNING id"  # noqa: S608
        (found,) = local.connection.execute(query, (body,)).fetchone()
        local.connection.commit()
        return Response(json.dumps({"id": found}), 201, content_type="application/json")

    logging.getLogger("waitress.queue").disabled = True  # as ours
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)

    def work() -> None:
        create_server(
            app, sockets=[listener], threads=threads, connection_limit=1000,
            clear_untrusted_proxy_headers=False,
        ).run()  # fmt: skip

    supervise(work, processes)


def wait_for(port: int) -> None:
    """Wait until somebody listens and answers."""
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as probe:
            probe.sendall(b"GET /api/v1/openapi.json HTTP/1.0\r\n\r\n")
            if probe.recv(16):
                return
        time.sleep(0.05)
    raise SystemExit("the server did not start")


def start(command: Sequence[str], port: int) -> subprocess.Popen[bytes]:
    """Start a server process and wait until it answers."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for(port)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a server in the orderly way."""
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


def proxy(folder: Path, port: int, servers: Sequence[int]) -> subprocess.Popen[bytes]:
    """One nginx in front of several servers on this machine, which takes turns among them."""
    upstream = " ".join(f"server 127.0.0.1:{server} max_fails=0;" for server in servers)
    settings = folder / f"nginx-{port}.conf"
    settings.write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx-{port}.pid; error_log /dev/null emerg;
        events {{ worker_connections 2048; }}
        http {{
            access_log off; client_body_temp_path {folder}/bodies-{port};
            upstream servers {{ {upstream} keepalive 64; }}
            server {{
                listen 127.0.0.1:{port} backlog=1024; client_max_body_size 80k; client_body_buffer_size 80k;
                location / {{
                    proxy_pass http://servers; proxy_http_version 1.1; proxy_set_header Connection "";
                }}
            }}
        }}""")
    return start(["nginx", "-c", str(settings), "-p", str(folder)], port)


class Loader:
    """The load: wrk if there is one, else our own loop."""

    def __init__(self, folder: Path, head: str, connections: int, own: bool) -> None:
        self.folder, self.head, self.connections = folder, head, connections
        self.wrk = None if own else shutil.which("wrk")
        self.script = folder / "load.lua"
        self.script.write_text(LUA % {"bytes": MESSAGE_BYTES})

    def __call__(self, url: str, seconds: float, run: str, receipts: Path | None) -> Load:
        began = time.monotonic()
        if self.wrk is None:
            command = [
                sys.executable,
                __file__,
                "--own-load",
                url,
                str(seconds),
                str(self.connections),
                self.head,
            ]
            command += [run, str(receipts or "")]
        else:
            command = [
                self.wrk,
                "-t1",
                f"-c{self.connections}",
                f"-d{max(1, round(seconds))}s",
                "--timeout",
                "10s",
            ]
            command += ["-s", str(self.script), url, "--", self.head, run]
            command += [str(receipts)] if receipts else []
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.search(r"RESULT (\{.*\})", text)
        if found is None:
            raise SystemExit(f"the load failed:\n{text}")
        return Load(**json.loads(found[1]), seconds=time.monotonic() - began)


async def own_load(url: str, seconds: float, connections: int, head: str, run: str, receipts: str) -> None:
    """A simple loop over keep-alive connections, for machines without wrk."""
    host, port = re.match(r"http://([^:/]+):(\d+)", url).groups()  # type: ignore[union-attr]
    path = url.split(port, 1)[1] or "/"
    end, times, counts = time.monotonic() + seconds, [], [0, 0]
    with Path(f"{receipts}.0" if receipts else os.devnull).open("wb", buffering=0) as written:

        async def one(number: int) -> None:
            sent, streams = 0, None
            while time.monotonic() < end:
                sent += 1
                body = f"{head}{run}-{number}-{sent}-"
                body += "x" * (MESSAGE_BYTES - len(body) - 2) + '"}'
                began = time.monotonic()
                try:
                    streams = streams or await asyncio.open_connection(host, int(port))
                    reader, writer = streams
                    writer.write(
                        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
                        f"Content-Length: {MESSAGE_BYTES}\r\n\r\n{body}".encode()
                    )
                    answer = await reader.readuntil(b"\r\n\r\n")
                    length = int(re.search(rb"(?i)content-length: (\d+)", answer)[1])  # type: ignore[index]
                    content = await reader.readexactly(length)
                except (OSError, asyncio.IncompleteReadError):
                    streams = None
                    await asyncio.sleep(0.02)
                    continue
                good = b" 201 " in answer.partition(b"\r\n")[0]
                counts[0 if good else 1] += 1
                times.append(time.monotonic() - began)
                if good:
                    written.write(content + b"\n")

        await asyncio.gather(*(one(number) for number in range(connections)))
    times.sort()
    p50, p99 = (1000 * times[int(len(times) * part)] if times else 0.0 for part in (0.5, 0.99))
    result = {"acknowledged": counts[0], "refused": counts[1], "p50_ms": p50, "p99_ms": p99}
    print("RESULT", json.dumps(result))


def acknowledged_receipts(prefixes: Sequence[Path]) -> Iterator[str]:
    """Every receipt in the files of the load; a line cut off by the end of the load is no acknowledgement."""
    for prefix in prefixes:
        for path in prefix.parent.glob(prefix.name + ".*"):
            for line in path.read_text().splitlines():
                with contextlib.suppress(ValueError):
                    yield json.loads(line)["receipt"]


def measure(
    arguments: argparse.Namespace, folder: Path, postgres: PostgresServer | None
) -> dict[str, object]:
    """Run the phases."""
    data = folder / "data"
    database = "" if postgres is None else postgres.url
    config = Config(database=database)
    os.environ["ROOMFUL_SERVER_DATABASE"] = database
    with config.open_data(data) as directory:
        survey = directory.publish(small_envelope(), small_model())
        directory.open(survey)
        digest = directory.survey(survey).published.digest
    assert small_specification().questionnaire.accept(json.loads(ANSWERS))
    head = f'{{"protocol":"{PROTOCOL}","specification":"{digest}","cell":1,"answers":{ANSWERS},"padding":"'
    load = Loader(folder, head, arguments.connections, arguments.own)
    number = arguments.collectors
    ports, bare_ports = ([free_port() for _ in range(number)] for _ in range(2))
    folders = [data, *(folder / f"data{other}" for other in range(1, number))]
    for other in folders[1:]:
        with config.open_data(other) as directory:
            directory.publish(small_envelope(), small_model())
    processes = str(arguments.processes)
    os.environ["ROOMFUL_SERVER_PROCESSES"] = processes
    command = [*COMMAND, "serve"]
    ours = [[*command, "--data", str(one), "--port", str(port)] for one, port in zip(folders, ports)]
    bare = [sys.executable, __file__, "--bare-server"]
    bare_rest = [database or str(folder / "bare.sqlite"), processes, str(arguments.bare_threads)]
    seconds = arguments.seconds / arguments.rounds
    servers = [start(one, port) for one, port in zip(ours, ports)]
    others = [start([*bare, str(port), *bare_rest], port) for port in bare_ports]
    port, bare_port = ports[0], bare_ports[0]
    if number > 1:
        port, bare_port = free_port(), free_port()
        proxies = [proxy(folder, port, ports), proxy(folder, bare_port, bare_ports)]
    else:
        proxies = []
    address = f"http://127.0.0.1:{port}/api/v1/surveys/{survey}/submissions"
    loads: dict[str, list[Load]] = {"roomful": [], "bare": []}
    kept = []
    for turn in range(arguments.rounds):
        loads["bare"].append(
            load(f"http://127.0.0.1:{bare_port}/", seconds, f"b{turn}", folder / f"bare{turn}")
        )
        kept.append(folder / f"ours{turn}")
        loads["roomful"].append(load(address, seconds, f"r{turn}", kept[-1]))
    for other_server in others:
        stop(other_server)
    crash_seconds = min(10.0, max(4.0, arguments.seconds / 3))

    def around(name: str, failure: Callable[[], None]) -> Load:
        def fail() -> None:
            time.sleep(crash_seconds / 2)
            failure()

        failing = threading.Thread(target=fail)
        failing.start()
        kept.append(folder / name)
        seen = load(address, crash_seconds, name, kept[-1])
        failing.join()
        return seen

    def kill_a_server() -> None:
        os.killpg(servers[0].pid, signal.SIGKILL)
        servers[0].wait()
        servers[0] = start(ours[0], ports[0])

    crashes = {"kill": around("kill", kill_a_server)}
    if postgres is not None:

        def kill_the_database() -> None:
            postgres.stop()
            postgres.start()

        crashes["database"] = around("database", kill_the_database)
    for process in (*servers, *proxies):
        stop(process)

    receipts = set(acknowledged_receipts(kept))
    with config.open_data(data) as directory:
        store = directory.survey(survey)
        store.check()
        lost = sum(not store.has_receipt(receipt) for receipt in receipts)
        stored = store.total()
        store.close()
        answers = sum(1 for _ in store.answers())
    rates = {
        name: sum(part.acknowledged for part in parts) / sum(part.seconds for part in parts)
        for name, parts in loads.items()
    }
    return {
        "load": "wrk" if load.wrk else "own loop",
        "connections": arguments.connections,
        "seconds": arguments.seconds,
        "roomful_per_second": round(rates["roomful"]),
        "bare_per_second": round(rates["bare"]),
        "ratio": round(rates["roomful"] / rates["bare"], 3),
        "required_ratio": REQUIRED_ON_POSTGRES if database else REQUIRED_RATIO,
        "roomful_p50_ms": loads["roomful"][-1].p50_ms,
        "roomful_p99_ms": loads["roomful"][-1].p99_ms,
        "bare_p50_ms": loads["bare"][-1].p50_ms,
        "bare_p99_ms": loads["bare"][-1].p99_ms,
        "collectors": number,
        "refused": sum(part.refused for part in loads["roomful"]),
        "acknowledged": len(receipts),
        **{f"acknowledged_around_{name}": seen.acknowledged for name, seen in crashes.items()},
        **{f"failed_around_{name}": seen.refused for name, seen in crashes.items()},
        "stored": stored,
        "answers": answers,
        "lost": lost,
    }


def main() -> None:
    """Parse the arguments, run, report; exit 1 if something was lost or the rate is too low."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="load on each of the two servers")
    parser.add_argument("--rounds", type=int, default=3, help="turns that the two servers take")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--processes", type=int, default=2, help="processes of each server, bare ones too")
    parser.add_argument("--collectors", type=int, default=1, help="servers behind one nginx, with --postgres")
    parser.add_argument("--bare-threads", type=int, default=8, help="threads of each of them")
    parser.add_argument("--postgres", action="store_true", help="keep everything in PostgreSQL")
    parser.add_argument("--own", action="store_true", help="use the loop of this file even if there is wrk")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.collectors > 1 and not arguments.postgres:
        parser.error("--collectors needs --postgres")
    with tempfile.TemporaryDirectory(prefix="bench-submissions-") as folder:
        postgres = PostgresServer() if arguments.postgres else None
        try:
            result = measure(arguments, Path(folder), postgres)
        finally:
            if postgres is not None:
                postgres.end()
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        for name, value in result.items():
            print(f"{name:28}{value}")
    if (
        result["lost"]
        or result["answers"] != result["stored"]
        or float(str(result["ratio"])) < float(str(result["required_ratio"]))
    ):
        raise SystemExit(1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--bare-server"]:
        bare_server(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1:2] == ["--own-load"]:
        asyncio.run(own_load(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:8]))
    else:
        main()
