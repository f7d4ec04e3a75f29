"""A server that goes on running lets go of the private keys of a survey that is over."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.tokens.exchange import TokenOffice
from server.keys.sealing import OpeningKey
from server.keys.token_keys import TokenKey
from shared import base64url
from shared.errors import StateError
from tests.invited import ROLL_ID, code
from tests.server.collection.storage import ballots
from tests.server.collection.storage.sample import Clock

DAY = date(2030, 1, 31)
CODE = code(0)


@pytest.fixture
def clock() -> Clock:
    return Clock(DAY)


@pytest.fixture
def data(tmp_path: Path, clock: Clock) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60, today=clock) as directory:
        yield directory


def _held(*roots: object) -> set[str]:
    """Private keys that can be reached from some objects."""
    seen: set[int] = set()
    found: set[str] = set()
    line = list(roots)
    while line:
        thing = line.pop()
        if id(thing) in seen or isinstance(thing, ModuleType | FunctionType | type):
            continue
        seen.add(id(thing))
        if isinstance(thing, TokenKey | OpeningKey):
            found.add(type(thing).__name__)
        line.extend(gc.get_referents(thing))
    return found


@pytest.fixture
def office(data: DataDirectory) -> TokenOffice:
    """A registrar and collector who has used both keys."""
    store = ballots.store_of(data)
    made = TokenOffice(data)
    proof = base64url.encode(CODE.proof(ROLL_ID))
    request = {"code_proof": proof, "blinded_message": base64url.encode(bytes(383) + b"\x02")}
    made.exchange(store.id, json.dumps(request).encode())
    store.submit(ballots.sealed(1))
    assert _held(data, made) == {"TokenKey", "OpeningKey"}
    return made


def test_closing_drops_the_keys(office: TokenOffice, data: DataDirectory) -> None:
    data.close(ballots.DIGEST)
    assert _held(data, office) == set()


@pytest.mark.parametrize("days", [0, 365])
def test_another_process_closes_or_deletes(
    office: TokenOffice, data: DataDirectory, clock: Clock, days: int
) -> None:
    """What a worker runs once an hour finds out, and a ballot that comes again does not bring a key back."""
    with DataDirectory(data.path, today=clock) as elsewhere:
        elsewhere.close(ballots.DIGEST)
        clock.day = DAY + timedelta(days=days)
        elsewhere.expire()
    store = data.survey(ballots.DIGEST)
    if not days:
        assert store.submit(ballots.sealed(1))  # again, after closing
    assert data.expire() == ()
    assert _held(data, office) == set()
    if days:
        with pytest.raises(StateError) as caught:
            store.submit(ballots.sealed(1))
        assert caught.value.code == "state.closed"
        assert _held(data, office) == set()
