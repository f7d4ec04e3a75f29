"""An attacker who holds everything that registrar, collector and organizer hold, and links codes to ballots.

She knows of each invited person the code and, from the quasi-identifiers, the cell; and she has every file of
both servers as it lies on the disk. Each strategy names, for each person, the ballot that it takes for hers.
Within a cell of n ballots a guess is right with probability 1/n, so one in a cell is right by chance.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from shared.invitation_code import InvitationCode
from shared.roll import roll_hash
from tests.invited import ROLL_ID


@dataclass(frozen=True, slots=True, kw_only=True)
class Seized:
    """What the attacker holds.

    Attributes
    ----------
    people : mapping of InvitationCode to int
        Whom the organizer invited, and each person's cell.
    registrar, collector : Path
        The databases, as files.
    digest : str
        The survey's identity.
    """

    people: Mapping[InvitationCode, int]
    registrar: Path
    collector: Path
    digest: str

    def ballots(self) -> list[tuple[bytes, bytes, int, bytes]]:
        """Token prefix, signature, cell and box, in the order in which the database gives them."""
        with closing(sqlite3.connect(self.collector)) as connection:
            return [
                tuple(row)
                for row in connection.execute("SELECT token, token_signature, cell, box FROM ballot")
            ]

    def codes(self) -> list[tuple[bytes, bytes | None]]:
        """Hash and request of each code, in the order in which the database gives them."""
        with closing(sqlite3.connect(self.registrar)) as connection:
            return [tuple(row) for row in connection.execute("SELECT hash, request FROM code")]

    def holders(self) -> dict[bytes, InvitationCode]:
        """Whose hash is whose: the organizer printed the letters."""
        return {roll_hash(code.proof(ROLL_ID)): code for code in self.people}


Guesses = dict[InvitationCode, bytes]
Strategy = Callable[[Seized], Guesses]


def by_value(seized: Seized) -> Guesses:
    """Something in a ballot is derived from the code: its text, its hash, a hash of that, or its request."""
    requests = dict(seized.codes())
    pieces: dict[bytes, InvitationCode] = {}
    for hashed, code in seized.holders().items():
        known = [code.symbols.encode(), code.text.encode(), code.proof(ROLL_ID), hashed]
        known.append(requests.get(hashed) or b"")
        known += [
            function(b"".join(parts)).digest()
            for function in (hashlib.sha256, hashlib.sha384, hashlib.sha512)
            for value in tuple(known)
            for parts in (
                (value,),
                (value, bytes.fromhex(seized.digest)),
                (bytes.fromhex(seized.digest), value),
            )
        ]
        known += [hashlib.shake_256(value).digest(384) for value in tuple(known)]
        for value in known:
            for start in range(0, max(1, len(value) - 15), 16):
                pieces[value[start : start + 16]] = code
    found: Guesses = {}
    for prefix, signature, _cell, box in seized.ballots():
        for field in (prefix, signature, box):
            for start in range(0, len(field) - 15):
                code = pieces.get(field[start : start + 16])
                if code is not None:
                    found[code] = prefix
    return found


def by_order(seized: Seized) -> Guesses:
    """Both servers keep the order of arrival in the order of their rows: the first who fetched sent first."""
    fetched = [hashed for hashed, request in seized.codes() if request is not None]
    return _by_rank(seized, fetched, [ballot[0] for ballot in seized.ballots()])


def by_place_on_disk(seized: Seized) -> Guesses:
    """As :func:`by_order`, by where the bytes of each row lie in the file."""
    registrar, collector = seized.registrar.read_bytes(), seized.collector.read_bytes()
    requests = sorted((registrar.find(request), hashed) for hashed, request in seized.codes() if request)
    ballots = sorted((collector.find(ballot[1]), ballot[0]) for ballot in seized.ballots())
    return _by_rank(seized, [hashed for _, hashed in requests], [prefix for _, prefix in ballots])


def by_remains(seized: Seized) -> Guesses:
    """What should be nowhere: a token in the registrar's file, or a code in the collector's.

    Whatever code, or hash of one, lies just before or after it is taken for its own.
    """
    registrar, collector = seized.registrar.read_bytes(), seized.collector.read_bytes()
    found: Guesses = {}
    holders = seized.holders()
    names = {code.symbols.encode(): code for code in holders.values()} | holders
    for prefix, *_ in seized.ballots():
        at = registrar.find(prefix)
        if at >= 0:
            around = registrar[max(0, at - 64) : at + len(prefix) + 64]
            near = [(abs(around.find(name) - 64), name) for name in names if name in around]
            if near:
                found[names[min(near)[1]]] = prefix
    for code in holders.values():
        at = collector.find(code.symbols.encode())
        if at >= 0:
            around = collector[max(0, at - 64) : at + 84]
            for prefix, *_ in seized.ballots():
                if prefix in around:
                    found[code] = prefix
    return found


def by_chance(seized: Seized) -> Guesses:
    """Guess within the cell: what anybody can do, and the measure of the others."""
    chance = random.Random(5)
    hashes = [hashed for hashed, request in seized.codes() if request is not None]
    chance.shuffle(hashes)
    return _by_rank(seized, hashes, [ballot[0] for ballot in seized.ballots()])


STRATEGIES: tuple[Strategy, ...] = (by_value, by_order, by_place_on_disk, by_remains, by_chance)


def _by_rank(seized: Seized, hashes: Sequence[bytes], prefixes: Sequence[bytes]) -> Guesses:
    """Within each cell, the first in one order is taken for the first in the other."""
    cells = {ballot[0]: ballot[2] for ballot in seized.ballots()}
    holders = seized.holders()
    waiting: dict[int, list[bytes]] = defaultdict(list)
    for prefix in prefixes:
        waiting[cells[prefix]].append(prefix)
    found: Guesses = {}
    for hashed in hashes:
        code = holders[hashed]
        line = waiting[seized.people[code]]
        if line:
            found[code] = line.pop(0)
    return found


def hits(guesses: Guesses, truth: Mapping[InvitationCode, bytes]) -> int:
    """How many people were linked rightly."""
    return sum(truth.get(code) == prefix for code, prefix in guesses.items())
