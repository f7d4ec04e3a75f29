"""The relay, its directory and its log in the hands of an attacker."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from server.collection.storage.relay import POOL_NAME
from shared.sealing import ballot_info
from tests.builders import ANSWERS
from tests.invited import COLLECTOR_KEY, HPKE, digest_of
from tests.programs import free_port
from tests.server.collection.relay.process import RelayProcess, post
from tests.server.collection.relay.survey import (
    ballot,
    envelope_of,
    link_text,
    relayed,
    sealed,
    stub_collector,
)
from tests.server.collection.storage.raw_bytes import files_containing

PEOPLE = 12


def test_who_takes_the_relay_reads_nothing_and_learns_no_time_or_order(tmp_path: Path) -> None:
    port = free_port()
    specification = relayed(f"http://127.0.0.1:{port}/", messages=100, seconds=60)
    digest = digest_of(specification)
    data = tmp_path / "relay"
    sent = [sealed(digest, number) for number in range(PEOPLE)]
    began = time.time()
    with (
        stub_collector(envelope_of(specification)) as stub,
        RelayProcess(link_text(specification, stub.base), data, port) as relay,
    ):
        for body in sent:
            assert post(port, digest[:16], body) == 202
        assert relay.stop() == 0
    assert stub.bodies == []
    (folder,) = (data / "surveys").iterdir()

    connection = sqlite3.connect(folder / POOL_NAME)
    rows = connection.execute("SELECT key, body FROM waiting").fetchall()
    numbers = dict(connection.execute("SELECT name, value FROM survey").fetchall())
    everything = list(connection.iterdump())
    connection.close()

    # 1. It has the sealed ballots and no key that opens one; the collector's key would.
    assert sorted(body for _, body in rows) == sorted(sent)
    for _, body in rows:
        for stranger in (X25519PrivateKey.generate(), X25519PrivateKey.from_private_bytes(b"\1" * 32)):
            with pytest.raises(InvalidTag):
                HPKE.decrypt(body, stranger, ballot_info(digest))
    assert HPKE.decrypt(rows[0][1], COLLECTOR_KEY, ballot_info(digest))
    assert len({len(body) for _, body in rows}) == 1  # answers cannot be told apart

    # 2. Neither answers, tokens, cells nor receipts are anywhere in its files or its log.
    needles = [str(value).encode() for value in ANSWERS.values() if len(str(value)) > 6]
    for number in range(PEOPLE):
        one = ballot(digest, number)
        needles += [one.token.prefix, one.token.signature[:32], one.box[:32], bytes.fromhex(one.receipt)]
        needles += [one.receipt.encode()]
    for needle in needles:
        assert files_containing(tmp_path, needle) == [], needle

    # 3. No time, no address: every number in it is named, and none is a clock's.
    assert set(numbers) == {"specification", "waiting", "leaving", "passed", "waited", "flush"}
    assert (numbers["waiting"], numbers["leaving"], numbers["passed"]) == ("12", "0", "0")
    assert int(numbers["waited"]) <= 16
    text = "\n".join(line for line in everything if "waiting" not in line and "leaving" not in line)
    clock = re.compile(rf"(?<![0-9a-f]){str(int(began))[:6]}[0-9]{{4}}")
    assert not clock.search(text)
    assert files_containing(data, b"127.0.0.1") == []

    # 4. The order of rows and of bytes on the disk is that of their hash.
    assert [key for key, _ in rows] == sorted(hashlib.sha256(body).digest() for body in sent)
    assert (folder / "pool.sqlite-journal").read_bytes() == b""

    # 5. Its log names no message and no visitor.
    assert set(relay.output.splitlines()) == {
        f"Relaying at http://127.0.0.1:{port}/",
        f"  survey {digest[:16]}, to {stub.base}",
        "Stopped. What waits stays, and is passed on after the next start.",
    }


def test_the_same_attacker_succeeds_against_a_relay_that_keeps_order(tmp_path: Path) -> None:
    """The test above can fail: with a table that numbers its rows, the order of arrival is plain."""
    connection = sqlite3.connect(tmp_path / "broken.sqlite")
    connection.execute("CREATE TABLE waiting (key BLOB, body BLOB)")
    sent = [b"%d" % number for number in range(PEOPLE)]
    connection.executemany(
        "INSERT INTO waiting VALUES (?, ?)", [(hashlib.sha256(body).digest(), body) for body in sent]
    )
    rows = connection.execute("SELECT key, body FROM waiting").fetchall()
    connection.close()
    assert [body for _, body in rows] == sent
    assert [key for key, _ in rows] != sorted(key for key, _ in rows)
