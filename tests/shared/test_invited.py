"""The member ``invited`` of a specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared import base64url
from shared.errors import SpecificationError
from shared.invited import Invited, Relay, is_relay_url, statements_needed
from shared.specification import Specification
from shared.strict_json import dumps
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes
from tests.elections import election_keys, relay_key
from tests.invited import SPARE_KEY, invited, invited_specification

RELAY = Relay(url="https://relay.example/mix/", messages=20, seconds=600)
Change = Callable[[dict[str, Any]], Any]


@pytest.mark.parametrize("relay", [None, RELAY])
def test_an_invited_survey_survives_a_round_trip(relay: Relay | None) -> None:
    specification = invited_specification(invited=invited(relay=relay))
    assert Specification.parse(specification.to_bytes()) == specification
    assert specification.invited is not None
    assert Invited.parse(specification.invited.to_object(), "invited") == specification.invited


def set_key(invited: dict[str, Any], place: int, key: str) -> None:
    """Put another statement key into its place."""
    invited["trustees"]["statement_keys"][place] = key


@pytest.mark.parametrize("shares", range(2, 17))
def test_two_majorities_have_as_many_in_common_as_open_together(shares: int) -> None:
    for threshold in range(2, shares + 1):
        needed = statements_needed(threshold, shares)
        assert 2 * needed - shares >= threshold
        assert 2 * (needed - 1) - shares < threshold, "not more of them than it takes"
        assert threshold <= needed <= shares
    assert (statements_needed(2, 3), statements_needed(3, 5), statements_needed(3, 7)) == (3, 4, 5)


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("invited", lambda o: o.update(more=1)),
        ("invited.people", lambda o: o.update(people=0)),
        ("invited.suite", lambda o: o.update(suite="p256-hkdf-sha256-aes128gcm")),
        ("invited", lambda o: o.update(token_key=o.pop("token_keys")[0])),
        ("invited.token_keys", lambda o: o.update(token_keys=[])),
        ("invited.token_keys", lambda o: o.update(token_keys=[o["token_keys"][0][:-4]])),
        ("invited.token_keys", lambda o: o.update(token_keys=["A" * 512])),
        ("invited.token_keys", lambda o: o.update(token_keys=["_" * 511 + "-"])),
        ("invited.token_keys", lambda o: o.update(token_keys=["!" * 512])),
        ("invited.opening_key", lambda o: o.update(opening_key="AAAA")),
        ("invited.collector_key", lambda o: o.update(collector_key=o["collector_key"] + "A")),
        ("invited.trustees.threshold", lambda o: o["trustees"].update(threshold=1)),
        ("invited.trustees.threshold", lambda o: o["trustees"].update(threshold=4)),
        ("invited.trustees.shares", lambda o: o["trustees"].update(shares=17)),
        ("invited.acceptance_key", lambda o: o.update(acceptance_key="AAAA")),
        ("invited.spare_keys", lambda o: o.update(spare_keys=["AAAA"])),
        ("invited.spare_keys", lambda o: o.update(spare_keys=o["spare_keys"] * 2)),
        ("invited.spare_keys", lambda o: o.update(spare_keys=SPARE_KEYS)),
        ("invited.trustees.statement_keys", lambda o: o["trustees"].update(shares=4)),
        ("invited.trustees.statement_keys", lambda o: o["trustees"]["statement_keys"].pop()),
        ("invited.trustees.statement_keys", lambda o: o["trustees"].update(statement_keys=["AA"] * 3)),
        ("invited.trustees.statement_keys", lambda o: o["trustees"].update(statement_keys=[1, 2, 3])),
        ("invited.trustees.statement_keys", lambda o: set_key(o, 2, o["trustees"]["statement_keys"][0])),
        ("invited.trustees.statement_keys", lambda o: set_key(o, 1, "AQ" + "A" * 41)),  # the identity
        ("invited.relay", lambda o: o.update(relay={"url": "https://relay.example/"})),
        ("invited.relay.url", lambda o: o.update(relay={"url": "relay", "messages": 2, "seconds": 1})),
        ("invited.relay.messages", lambda o: o.update(relay=RELAY_OBJECT | {"messages": 1})),
        ("invited.relay.seconds", lambda o: o.update(relay=RELAY_OBJECT | {"seconds": 0})),
        ("invited", lambda o: o.update(people=201)),
    ],
)
def test_each_defect_is_refused_by_name(where: str, change: Change) -> None:
    document = invited_specification().to_object()
    change(document["invited"])
    with pytest.raises(SpecificationError) as caught:
        Specification.parse(dumps(document))
    assert caught.value.where == where


SPARE_KEYS = [base64url.encode(public_bytes(key)) for key in (ORGANIZER_KEY, AUDITOR_KEY, SPARE_KEY)]
RELAY_OBJECT = {"url": RELAY.url, "messages": RELAY.messages, "seconds": RELAY.seconds}


def test_the_member_must_be_there() -> None:
    document = invited_specification().to_object()
    del document["invited"]
    with pytest.raises(SpecificationError, match="'invited' is missing"):
        Specification.parse(dumps(document))


@pytest.mark.parametrize(("stored", "kind"), [(["answers"], "invited"), (["sealed"], "open")])
def test_each_kind_of_survey_stores_its_own(stored: list[str], kind: str) -> None:
    document = invited_specification().to_object() | {"stored": stored}
    if kind == "open":
        document["invited"] = None
    with pytest.raises(SpecificationError, match="what is stored"):
        Specification.parse(dumps(document))


@pytest.mark.parametrize(
    "url", ["https://relay.example/", "http://a.onion/", "https://[::1]:8443/", "https://r.example:8/a/b.c/"]
)
def test_addresses_of_relays(url: str) -> None:
    assert is_relay_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://relay.example",
        "ftp://relay.example/",
        "https:///",
        "https://me@relay.example/",
        "https://relay.example/?q/",
        "https://relay.example/#/",
        "https://relay.example:0/",
        "https://relay.example//",
        "javascript:alert(1)/",
        "https://relay.example/" + "a" * 500 + "/",
        "https://räley.example/",
    ],
)
def test_everything_else_is_no_relay(url: str) -> None:
    assert not is_relay_url(url)


def test_a_relay_of_an_election_may_have_a_key() -> None:
    signing = replace(RELAY, key=relay_key().public_key)
    keys = election_keys(relay=signing)
    assert Invited.parse(keys.to_object(), "invited") == keys
    assert RELAY.to_object() == RELAY_OBJECT, "without one nothing is said of it"
    for wrong in ("AA", base64url.encode(bytes(32)), None):
        value = keys.to_object()
        value["relay"]["key"] = wrong
        with pytest.raises(SpecificationError) as caught:
            Invited.parse(value, "invited")
        assert caught.value.where == "invited.relay.key"
    with pytest.raises(SpecificationError, match="of an election"):
        Invited.parse(invited(relay=signing).to_object(), "invited")
