"""Ballots per second into the relay and out of it, beside the collector that takes them directly.

    python benchmarks/bench_relay.py [--ballots 3000] [--json]

Every phase uses the same ballots, sealed beforehand, and the same loop of this file over connections that
stay as long as they may: the relay ends each after a ballot, the collector of a survey with a relay does not.

1. The collector (``roomful serve``) takes ballots directly: it opens, verifies and stores each.
2. The relay (``roomful relay``) takes others into its pool.
3. The relay passes its pool on to the same collector, one by one; asked for by ``--flush``.

All three are durable: an answer comes after the disk has it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from benchmarks.bench_submissions import start, stop
from server.collection.storage.data_directory import DataDirectory
from shared.ballot import CONTENT_TYPE
from shared.invited import Relay
from tests.invited import digest_of, invited, invited_specification, issue_token, make_ballot, seal_ballot
from tests.programs import COMMAND, free_port
from tests.server.collection.relay.survey import link_text, open_collector


def _seal(digest: str, number: int) -> bytes:
    token = issue_token(digest, secrets.token_bytes(32))
    return seal_ballot(digest, make_ballot(digest, number % 8, token))


async def load(port: int, survey: str, bodies: Sequence[bytes], connections: int, wanted: int) -> float:
    """Send all bodies over so many connections; answers a second. Any other answer ends the benchmark."""
    waiting = list(bodies)
    path = f"/api/v1/surveys/{survey}/submissions"

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            body = waiting.pop()
            head = (
                f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {CONTENT_TYPE}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = next(
                int(line.partition(":")[2])
                for line in answer.splitlines()
                if line.lower().startswith("content-length:")
            )
            content = await reader.readexactly(length)
            if int(answer.split()[1]) != wanted:
                raise SystemExit(f"answered {answer.splitlines()[0]}: {content[:200]!r}")
            if "connection: close" in answer.lower() and waiting:
                writer.close()
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    return len(bodies) / (time.perf_counter() - began)


def measure(ballots: int, connections: int, folder: Path) -> dict[str, object]:
    """Run the phases."""
    port, relay_port = free_port(), free_port()
    rule = Relay(url=f"http://127.0.0.1:{relay_port}/", messages=100_000, seconds=3600)
    specification = invited_specification(invited=invited(relay=rule))
    digest = digest_of(specification)
    bodies = [_seal(digest, number) for number in range(2 * ballots)]
    data, relay_data = folder / "data", folder / "relay"
    with DataDirectory(data) as directory:
        survey = open_collector(directory, specification).id
    link = link_text(specification, f"http://127.0.0.1:{port}/")
    collector = start([*COMMAND, "serve", "--data", str(data), "--port", str(port)], port)
    relay_command = [*COMMAND, "relay", link, "--data", str(relay_data)]
    relay = start([*relay_command, "--port", str(relay_port)], relay_port)
    try:
        direct = asyncio.run(load(port, survey, bodies[:ballots], connections, 201))
        accepted = asyncio.run(load(relay_port, survey, bodies[ballots:], connections, 202))
        began = time.perf_counter()
        subprocess.run([*relay_command, "--flush", "--yes"], check=True, capture_output=True)
        forwarded = ballots / (time.perf_counter() - began)
    finally:
        stop(relay)
        stop(collector)
    with DataDirectory(data) as directory:
        stored = directory.survey(survey).total()
    return {
        "ballots": ballots,
        "connections": connections,
        "collector_per_second": round(direct),
        "relay_accepted_per_second": round(accepted),
        "relay_forwarded_per_second": round(forwarded),
        "accepted_ratio": round(accepted / direct, 2),
        "forwarded_ratio": round(forwarded / direct, 2),
        "lost": 2 * ballots - stored if stored is not None else None,
    }


def main() -> None:
    """Parse the arguments, run, report; exit 1 if a ballot was lost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ballots", type=int, default=3000, help="ballots in each phase")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="bench-relay-") as folder:
        result = measure(arguments.ballots, arguments.connections, Path(folder))
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        for name, value in result.items():
            print(f"{name:28}{value}")
    if result["lost"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
