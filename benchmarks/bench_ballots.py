"""Sealed ballots of an invited survey accepted per second, beside plain submissions of an open one.

    python benchmarks/bench_ballots.py [--ballots 4000] [--rounds 2] [--json]

One server (``roomful serve``) holds both surveys. The messages are made beforehand, every one with a token
and seals of its own; then both kinds take turns over the same kept-alive connections, each message once.
Only answers 201 count. At the end the store must hold exactly what was acknowledged.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench_submissions import ANSWERS, start, stop
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from server.collection.storage.data_directory import DataDirectory
from shared import submission
from shared.ballot import CONTENT_TYPE
from tests.builders import MESSAGE_BYTES, small_envelope, small_model
from tests.invited import make_ballot, seal_ballot, token_key, unsigned_token
from tests.programs import COMMAND, free_port
from tests.server.collection.storage.ballots import DIGEST, store_of


def make_ballots(count: int) -> list[bytes]:
    """Ballots as they travel, each of a person of her own."""
    found, key = [], token_key()
    pss = padding.PSS(padding.MGF1(hashes.SHA384()), 48)
    for number in range(count):
        unsigned = unsigned_token(number.to_bytes(32, "big"))
        token = replace(unsigned, signature=key.sign(unsigned.message(DIGEST), pss, hashes.SHA384()))
        found.append(seal_ballot(DIGEST, make_ballot(DIGEST, number % 8, token)))
    return found


def make_submissions(count: int, digest: str) -> list[bytes]:
    """Plain messages, of the length of what is sealed in a ballot."""
    drawn_for = [hashlib.shake_256(b"%d" % number) for number in range(count)]
    entropy = [drawn.digest(MESSAGE_BYTES) for drawn in drawn_for]
    return [submission.encode(digest, 1, json.loads(ANSWERS), drawn, MESSAGE_BYTES) for drawn in entropy]


async def send_all(port: int, path: str, kind: str, bodies: Sequence[bytes], connections: int) -> int:
    """Send each body once, over connections that stay as long as the server lets them; how many it took."""
    waiting, acknowledged = list(bodies), 0
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: "

    async def one() -> None:
        nonlocal acknowledged
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            body = waiting.pop()
            writer.write(f"{head}{len(body)}\r\n\r\n".encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(answer.partition(b"content-length: ")[2].split(b"\r\n")[0]))
            acknowledged += answer.startswith(b"http/1.1 201")
            if b"connection: close" in answer and waiting:
                writer.close()
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return acknowledged


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, object]:
    """Make the messages, send them in turns, and count what is stored."""
    with DataDirectory(folder / "data") as data:
        sealed = store_of(data).id
        plain = data.publish(small_envelope(), small_model())
        data.open(plain)
        digest = data.survey(plain).published.digest
    count = arguments.ballots
    began = time.perf_counter()
    bodies = {sealed: make_ballots(count), plain: make_submissions(count, digest)}
    making = time.perf_counter() - began
    kinds = {sealed: CONTENT_TYPE, plain: "application/json"}
    port = free_port()
    command = [*COMMAND, "serve"]
    server = start([*command, "--data", str(folder / "data"), "--port", str(port)], port)
    seconds, acknowledged = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0)
    for turn in range(arguments.rounds):
        for survey, kind in kinds.items():
            path = f"/api/v1/surveys/{survey}/submissions"
            part = bodies[survey][turn :: arguments.rounds]
            began = time.perf_counter()
            acknowledged[survey] += asyncio.run(send_all(port, path, kind, part, arguments.connections))
            seconds[survey] += time.perf_counter() - began
    stop(server)
    with DataDirectory(folder / "data") as data:
        stored = {survey: data.survey(survey).total() for survey in kinds}
    rates = {survey: acknowledged[survey] / seconds[survey] for survey in kinds}
    return {
        "messages_of_each_kind": count,
        "ballots_per_second": round(rates[sealed]),
        "plain_per_second": round(rates[plain]),
        "ratio": round(rates[sealed] / rates[plain], 3),
        "bytes_of_a_ballot": len(bodies[sealed][0]),
        "making_seconds": round(making, 1),
        "acknowledged": sum(acknowledged.values()),
        "as_stored": stored == acknowledged == dict.fromkeys(kinds, count),
    }


def main() -> None:
    """Parse the arguments, run, report; exit 1 if what is stored is not what was acknowledged."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ballots", type=int, default=4000, help="messages of each kind")
    parser.add_argument("--rounds", type=int, default=2, help="turns that the two kinds take")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-ballots-") as folder:
        result = measure(arguments, Path(folder))
    if arguments.json:
        print(json.dumps(result, indent=1))
    else:
        for name, value in result.items():
            print(f"{name:28}{value}")
    if not result["as_stored"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
