"""What a relay remembers of the ballots that are gone: their hashes, until the survey is closed.

Whoever hears no answer sends the same bytes again. If the relay queued them once more, her ballot would leave
with two pools, and the one ballot that is in both would be that of the one person who sent in both times. So
a repeat is told "accepted" and goes nowhere.

A hash is that of sealed bytes and as random as the seal. Rows lie in its order; no time is kept and no pool.

One ballot can be sealed as often as its owner likes, and the collector has it each time. So ballots are told
apart by the receipts that come back, which are kept too, apart from the hashes: else one person could look
like all who are invited.

Guarantee: the hash of the first bytes with which the collector said it has a ballot is never forgotten before
closing, for as many ballots as there are invitations; a genuine survey has no more. Of what it refused, of
later seals of a ballot, and of what it claims beyond the invitations, :data:`MAX_DROPPED` are kept. Then
chance forgets one of them for each new one: a flood cannot choose which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from server.collection.storage.databases import Connection

MAX_DROPPED: Final = 65_536
"""Hashes kept of refused messages, some three megabytes."""
ENDED: Final = frozenset({"state.closed", "state.released"})
"""Refusals after which no pool leaves any more, so that nothing needs to be remembered."""


def known(connection: Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Which of some messages wait, are on their way, or are gone."""
    marks = ",".join("?" * len(keys))
    query = " UNION ALL ".join(
        f"SELECT key FROM {table} WHERE key IN ({marks})"  # noqa: S608 - our own names, and question marks
        for table in ("waiting", "leaving", "passed", "dropped")
    )
    return {bytes(row[0]) for row in connection.execute(query, [*keys] * 4)}


def remember(
    connection: Connection, *, passed: Mapping[bytes, bytes], refused: Iterable[bytes], people: int
) -> int:
    """Keep the hashes of what the collector has taken or refused for good.

    Parameters
    ----------
    passed : mapping of bytes to bytes
        Keys, and the receipt of each.
    refused : iterable of bytes
        Keys.
    people : int
        Invitations.

    Returns
    -------
    int
        How many ballots are new: their receipts had not come back before.
    """
    marks = ",".join("?" * len(passed)) or "NULL"
    query = f"SELECT receipt FROM taken WHERE receipt IN ({marks})"  # noqa: S608 - only question marks
    before = {bytes(row[0]) for row in connection.execute(query, [*passed.values()])}
    first: dict[bytes, bytes] = {}
    for key in sorted(passed):
        if passed[key] not in before:
            first.setdefault(passed[key], key)
    room = max(0, people - _count(connection, "taken"))
    kept = dict(sorted(first.items())[:room])
    connection.executemany("INSERT INTO taken VALUES (?)", [(receipt,) for receipt in kept])
    keys = sorted(kept.values())
    connection.executemany("INSERT INTO passed VALUES (?) ON CONFLICT DO NOTHING", [(key,) for key in keys])
    others = sorted({*passed, *refused}.difference(keys))
    connection.executemany(
        "INSERT INTO dropped VALUES (?) ON CONFLICT DO NOTHING", [(key,) for key in others]
    )
    surplus = _count(connection, "dropped") - MAX_DROPPED if others else 0
    if surplus > 0:
        # By chance and not by the order of hashes: that, a flood could choose.
        connection.execute(
            "DELETE FROM dropped WHERE key IN (SELECT key FROM dropped ORDER BY random() LIMIT ?)", (surplus,)
        )
    return len(first)


def forget(connection: Connection) -> None:
    """Delete all hashes and receipts: the survey is closed."""
    for table in ("passed", "dropped", "taken"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names


def _count(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()  # noqa: S608 - one of our own names
    return int(row[0])
