"""Blind signatures of 3072 bits: what each safeguard costs, beside OpenSSL's RSA signature in the same run.

    python benchmarks/bench_tokens.py [--rounds 30] [--crowd 10000] [--json]

Ways to sign are taken in turns; the figure is the median of the processor time, so that other work on the
machine hits all alike. Rates are by the clock.
Then blind signatures a second by threads and by processes, and what a device and a collector do with a token.
Last, a real server on all cores: a crowd that arrives in the same moment, each person on a connection of her
own with a code of her own; every answer is checked, then all requests are sent once more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from gmpy2 import powmod, powmod_sec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import install_keys
from server.collection.tokens.issuing import blind_sign
from server.collection.tokens.verifying import BallotVerifier
from server.keys.token_keys import TokenKey, load_token_keys
from shared import base64url, blind_rsa, ed25519
from shared.ballot import Ballot
from shared.invitation_code import InvitationCode
from shared.model import format_model
from tests.builders import ORGANIZER_KEY, sign, small_rows
from tests.invited import (
    device_key,
    digest_of,
    invited,
    invited_specification,
    issue_token,
    make_ballot,
)
from tests.programs import free_port
from tests.server.collection.web.process import ServerProcess

KEY_FILE = Path(__file__).resolve().parents[1] / "tests" / "keys" / "tokens.pem"
PSS = padding.PSS(padding.MGF1(hashes.SHA384()), 48)
Power = Callable[[int, int, int], int]


def by_halves(key: TokenKey, m: int, power: Power) -> int:
    """The textbook's CRT, with one way to raise to a power."""
    at_p, at_q = power(m % key.p, key.dp, key.p), power(m % key.q, key.dq, key.q)
    return int(at_q + key.q * ((at_p - at_q) * key.q_inverse % key.p))


def measure(actions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Median milliseconds of processor time of each, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            started = time.thread_time()
            action()
            times[name].append(1000 * (time.thread_time() - started))
    return {name: statistics.median(found) for name, found in times.items()}


def signing(rounds: int) -> dict[str, float]:
    """Ways to make one signature; all give the same number."""
    key, library = load_token_keys(KEY_FILE)[0], load_pem_private_key(KEY_FILE.read_bytes(), None)
    d = pow(blind_rsa.PUBLIC_EXPONENT, -1, (key.p - 1) * (key.q - 1))
    m = secrets.randbelow(key.n - 2) + 2
    message = m.to_bytes(384, "big")
    expected = pow(m, d, key.n)
    assert by_halves(key, m, pow) == by_halves(key, m, powmod_sec) == expected
    assert int.from_bytes(blind_sign(key, message), "big") == expected
    return measure(
        {
            "pow": lambda: pow(m, d, key.n),
            "pow, CRT": lambda: by_halves(key, m, pow),
            "gmpy2 powmod, CRT": lambda: by_halves(key, m, powmod),
            "gmpy2 powmod_sec, CRT": lambda: by_halves(key, m, powmod_sec),
            "blind_sign (with blinding and check)": lambda: blind_sign(key, message),
            "cryptography, PSS signature": lambda: library.sign(message, PSS, hashes.SHA384()),
        },
        rounds,
    )


def verify_ballot(verifier: BallotVerifier, ballot: Ballot) -> None:
    """What the collector, and each trustee, verifies of a ballot; before there were device keys it was
    "token, in Python" for the collector, "token, cryptography" for the trustees."""
    verifier.verify_token(ballot.token, ballot.cell)
    verifier.verify_signature(ballot)


def using(rounds: int) -> dict[str, float]:
    """What device and collector do with a token, in CPython."""
    specification = invited_specification()
    digest = digest_of(specification)
    device = device_key(bytes(32))
    ballot = make_ballot(digest, 0, issue_token(digest, bytes(32)))
    verifier = BallotVerifier(specification.invited, digest)
    key = load_token_keys(KEY_FILE)[0]
    public = load_pem_private_key(KEY_FILE.read_bytes(), None).public_key()
    prepared = blind_rsa.prepare(b"message", secrets.token_bytes(32))
    r = blind_rsa.blinding_factor(key.n, secrets.token_bytes(400))
    blinded, inv = blind_rsa.blind(key.n, prepared, salt=secrets.token_bytes(48), r=r)
    answer = blind_sign(key, blinded)
    signature = blind_rsa.finalize(key.n, prepared, answer, inv)
    return measure(
        {
            "device: blind": lambda: blind_rsa.blind(key.n, prepared, salt=bytes(48), r=r),
            "device: finalize": lambda: blind_rsa.finalize(key.n, prepared, answer, inv),
            "token, in Python": lambda: blind_rsa.verify(key.n, prepared, signature),
            "token, cryptography": lambda: public.verify(signature, prepared, PSS, hashes.SHA384()),
            "device key of prime order": lambda: ed25519.is_key(ballot.token.device_key),
            "device: sign a ballot": lambda: device.sign(ballot.to_be_signed(digest)),
            "device: verify its ballot": lambda: ballot.verify(digest),
            "collector: verify a ballot": lambda: verify_ballot(verifier, ballot),
        },
        rounds,
    )


def issue(count: int) -> int:
    """Sign so many times."""
    key = load_token_keys(KEY_FILE)[0]
    for _ in range(count):
        blind_sign(key, (secrets.randbelow(key.n - 2) + 2).to_bytes(384, "big"))
    return count


def per_second(executor: Executor, workers: int, count: int) -> float:
    """Blind signatures a second by several workers."""
    with executor:
        list(executor.map(issue, [1] * workers))
        started = time.perf_counter()
        done = sum(executor.map(issue, [count] * workers))
        return done / (time.perf_counter() - started)


def over_http(crowd: int) -> dict[str, float]:
    """Everybody asks a server for her token at once; who is not let in tries again."""
    rows = [replace(row, people=-(-crowd // len(small_rows()))) for row in small_rows()]
    specification = invited_specification(rows=rows, invited=invited(people=crowd))
    model = format_model(specification.attributes, rows)
    digest, n = digest_of(specification), load_token_keys(KEY_FILE)[0].n
    codes = [InvitationCode.create(secrets.token_bytes(12)) for _ in range(crowd)]
    messages = [secrets.randbelow(n - 2) + 2 for _ in codes]
    bodies = [
        json.dumps({"code": code.text, "blinded_message": base64url.encode(m.to_bytes(384, "big"))}).encode()
        for code, m in zip(codes, messages, strict=True)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name) / "data", free_port()
        with DataDirectory(folder) as data:
            envelope = sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes()
            store = data.survey(data.publish(envelope, model))
            install_keys(store.published, token_key=KEY_FILE, collector_key=None)
            data.invite(store.id, [code.hash(digest) for code in codes])
            store.open()
        path = f"/api/v1/surveys/{digest[:16]}/tokens"
        with ServerProcess(folder, port, processes=os.cpu_count() or 1):
            first, seconds, waits, turned_away = asyncio.run(_arrive(port, path, bodies))
            again = asyncio.run(_arrive(port, path, bodies))
        with DataDirectory(folder) as data:
            issued = data.registrar(digest[:16]).issued()
    for m, answer in zip(messages, first, strict=True):
        signature = int.from_bytes(base64url.decode(json.loads(answer)["blind_signature"]) or b"", "big")
        assert powmod(signature, blind_rsa.PUBLIC_EXPONENT, n) == m, "a wrong signature"
    assert first == again[0], "a request was answered in two ways"
    assert issued == crowd, "codes were lost"
    waits.sort()
    return {
        "people": crowd,
        "tokens a second": crowd / seconds,
        "half of them within, s": waits[crowd // 2],
        "all of them within, s": waits[-1],
        "turned away, tried again": turned_away,
        "the same requests again, a second": crowd / again[1],
    }


async def _arrive(port: int, path: str, bodies: list[bytes]) -> tuple[list[bytes], float, list[float], int]:
    """Answers, seconds in all, seconds of each, and how often somebody was turned away."""
    started, turned_away = time.perf_counter(), 0
    waits = [0.0] * len(bodies)
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nConnection: close\r\n"

    async def one(number: int) -> bytes:
        nonlocal turned_away
        body = bodies[number]
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
                answer = await reader.read()
                writer.close()
            except OSError:
                answer = b""
            if answer.startswith(b"HTTP/1.1 200"):
                waits[number] = time.perf_counter() - started
                return answer.partition(b"\r\n\r\n")[2]
            turned_away += 1
            await asyncio.sleep(secrets.randbelow(1000) / 1000)

    answers = await asyncio.gather(*(one(number) for number in range(len(bodies))))
    return list(answers), time.perf_counter() - started, waits, turned_away


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--crowd", type=int, default=10_000, help="people over HTTP; 0 for none")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    cores, count = os.cpu_count() or 1, 10 * given.rounds
    found: dict[str, Any] = {
        "signing_ms": signing(given.rounds),
        "using_ms": using(given.rounds),
        "per_second": {
            "1 thread": per_second(ThreadPoolExecutor(1), 1, count),
            f"{cores} threads": per_second(ThreadPoolExecutor(cores), cores, count),
            f"{cores} processes": per_second(ProcessPoolExecutor(cores), cores, count),
        },
    }
    if given.crowd:
        found["http"] = over_http(given.crowd)
        bare = found["per_second"][f"{cores} processes"]
        found["http"]["ratio to bare blind signatures"] = found["http"]["tokens a second"] / bare
    if given.json:
        print(json.dumps(found, indent=1))
        return
    ours = found["signing_ms"]["blind_sign (with blinding and check)"]
    print(f"{'one signature':<38} {'ms':>8} {'beside blind_sign':>18}")
    for name, milliseconds in found["signing_ms"].items():
        print(f"{name:<38} {milliseconds:>8.2f} {milliseconds / ours:>17.2f}x")
    print()
    for name, milliseconds in found["using_ms"].items():
        print(f"{name:<38} {milliseconds:>8.2f}")
    print()
    for name, rate in found["per_second"].items():
        print(f"blind signatures, {name:<20} {rate:>8.0f} a second")
    print()
    for name, figure in found.get("http", {}).items():
        print(f"over HTTP: {name:<36} {figure:>8.2f}")


if __name__ == "__main__":
    main()
