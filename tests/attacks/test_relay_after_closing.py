"""A survey is over, and nobody sends any more: whoever then takes the relay's disk learns who had sent.

What somebody sent is on her device, or was recorded on the way. As long as the relay keeps its hash, that
proves that she took part. The relay was told of the end only by the refusal of a late ballot, so without one
it kept the hashes of all for ever.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from server.collection.relay import watching
from server.collection.relay.pool import open_store, prepare
from server.collection.storage.relay import POOL_NAME
from tests.attacks.relayed_survey import Relayed, relayed_survey
from tests.server.collection.relay.survey import link_of
from tests.server.collection.storage.raw_bytes import files_containing
from tests.waiting import until

PEOPLE = 6


def hashes_on_disk(folder: Path, sent: list[bytes]) -> int:
    return sum(bool(files_containing(folder, hashlib.sha256(body).digest())) for body in sent)


def send_all(survey: Relayed) -> list[bytes]:
    sent = [survey.sealed(number) for number in range(PEOPLE)]
    for body in sent:
        assert survey.send(body) == 202
    until(lambda: survey.pool.totals().passed == PEOPLE)
    return sent


def test_the_relay_forgets_at_closing_without_a_late_ballot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "ASK_SECONDS", 0.0)
    with relayed_survey(tmp_path, messages=PEOPLE) as survey:
        sent, folder = send_all(survey), survey.pool.survey.folder
        assert hashes_on_disk(folder, sent) == PEOPLE
        survey.store.close()
        until(lambda: hashes_on_disk(folder, sent) == 0)
        # What is not remembered must not leave with a second pool either: nothing is taken any more.
        assert survey.send(sent[0]) == 409
        assert survey.pool.totals().refused == ()
        link = link_of(survey.specification, survey.pool.link.base)
    with open_store(prepare(tmp_path / "relay", link)) as again:
        assert again.refusals == {"state.closed"}
    assert files_containing(folder, b"state.closed") == [POOL_NAME]


def test_what_waits_at_closing_is_refused_and_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "ASK_SECONDS", 0.0)
    with relayed_survey(tmp_path, messages=PEOPLE) as survey:
        late = [survey.sealed(number) for number in range(PEOPLE - 1)]
        for body in late:
            assert survey.send(body) == 202
        survey.store.close()
        until(lambda: survey.pool.totals().waiting == 0)
        assert survey.pool.totals().refused == (("state.closed", PEOPLE - 1),)
        assert survey.sent == []
        folder = survey.pool.survey.folder
        assert not any(files_containing(folder, body[:64]) for body in late)
        assert hashes_on_disk(folder, late) == 0
