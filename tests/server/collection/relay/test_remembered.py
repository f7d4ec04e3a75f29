"""What has left is remembered by its hash until closing, within bounds, and never leaves again."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing

import pytest

from server.collection.storage import remembered
from server.collection.storage.relay import RelayStore
from tests.server.collection.relay.conftest import Opening
from tests.server.collection.relay.survey import take_all

PEOPLE = 5
EVERY_DATABASE_BUT: frozenset[str] = frozenset()


@pytest.fixture
def store(opening: Opening) -> Iterator[RelayStore]:
    with opening(capacity=400, people=PEOPLE) as found:
        yield found


def rows(store: RelayStore, table: str) -> int:
    with closing(store._database.connect()) as connection:
        query = f"SELECT COUNT(*) FROM {table}"  # noqa: S608 - a name of this test's own
        return int(connection.execute(query).fetchone()[0])


def leave(store: RelayStore, bodies: list[bytes], refusal: str | None = None) -> None:
    """Take messages in, and let the collector answer for them."""
    for body in bodies:
        store.accept(body)
    store.take()
    keys = store.leaving()
    store.settle({} if refusal else take_all(keys), dict.fromkeys(keys, refusal) if refusal else {})


@pytest.mark.parametrize("refusal", [None, "token.spent", "ballot.sealed"])
def test_a_repeat_is_accepted_and_goes_nowhere(
    store: RelayStore, opening: Opening, refusal: str | None
) -> None:
    body = secrets.token_bytes(1509)
    leave(store, [body], refusal)
    store.accept(body)
    assert store.totals().waiting == 0
    store.end()
    with opening(capacity=400, people=PEOPLE) as again:
        again.accept(body)
        assert again.totals().waiting == 0


def test_a_flood_never_makes_it_forget_what_the_collector_has(
    store: RelayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MAX_DROPPED", 20)
    genuine = [secrets.token_bytes(100) for _ in range(PEOPLE)]
    leave(store, genuine)
    for _ in range(4):
        leave(store, [secrets.token_bytes(100) for _ in range(50)], "ballot.sealed")
    assert (rows(store, "passed"), rows(store, "dropped")) == (PEOPLE, 20)
    for body in genuine:
        store.accept(body)
    assert store.totals().waiting == 0


def test_who_seals_one_ballot_often_counts_once_and_makes_it_forget_nobody(
    store: RelayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MAX_DROPPED", 20)
    for _ in range(PEOPLE):
        take_in(store, [secrets.token_bytes(100) for _ in range(30)], bytes(32))
    genuine = [secrets.token_bytes(100) for _ in range(PEOPLE - 1)]
    leave(store, genuine)
    assert store.totals().passed == PEOPLE
    leave(store, [secrets.token_bytes(100) for _ in range(50)], "ballot.sealed")
    for body in genuine:
        store.accept(body)
    assert store.totals().waiting == 0
    assert rows(store, "passed") == rows(store, "taken") == PEOPLE


def test_after_closing_nothing_is_counted_any_more(store: RelayStore) -> None:
    """The receipts are forgotten then, so what the collector has could not be told apart."""
    leave(store, [secrets.token_bytes(100)])
    leave(store, [secrets.token_bytes(100)], "state.closed")
    take_in(store, [secrets.token_bytes(100) for _ in range(9)], bytes(32))
    assert store.totals().passed == 1
    assert store.totals().leaving == 0


def take_in(store: RelayStore, bodies: list[bytes], receipt: bytes) -> None:
    """Let the collector say that each is the same ballot."""
    for body in bodies:
        store.accept(body)
    store.take()
    store.settle(dict.fromkeys(store.leaving(), receipt), {})


def test_claims_beyond_the_invitations_are_remembered_within_the_same_bound(
    store: RelayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MAX_DROPPED", 20)
    leave(store, [secrets.token_bytes(100) for _ in range(80)])
    assert (rows(store, "passed"), rows(store, "dropped")) == (PEOPLE, 20)


def test_what_is_forgotten_is_chosen_by_chance(store: RelayStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the newest nor the smallest hashes: a flood could arrange for either."""
    monkeypatch.setattr(remembered, "MAX_DROPPED", 30)
    old = [secrets.token_bytes(100) for _ in range(30)]
    leave(store, old, "ballot.sealed")
    leave(store, [secrets.token_bytes(100) for _ in range(30)], "ballot.sealed")
    for body in old:
        store.accept(body)
    assert 2 <= store.totals().waiting <= 28  # 15 on average; outside it once in 10^8


def test_nothing_is_remembered_once_the_survey_is_closed(store: RelayStore) -> None:
    leave(store, [secrets.token_bytes(100)])
    leave(store, [secrets.token_bytes(100)], "ballot.sealed")
    leave(store, [secrets.token_bytes(100)], "state.closed")
    leave(store, [secrets.token_bytes(100)], "ballot.sealed")
    assert [rows(store, table) for table in ("passed", "dropped", "taken")] == [0, 0, 0]
