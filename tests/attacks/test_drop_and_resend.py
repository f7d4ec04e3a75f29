"""Somebody drops the relay's answer to one person: she sends again, and must not stand out for it.

The attacker sees who sends to the relay and when, drops one answer, and has the collector's help. Each pool
is the set of tokens that the collector was sent between two pauses. If her ballot is in two pools, it is the
only one that is, and everything that the relay hid is undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from respondent_client.headless.commands import respond
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.platform import Reply
from shared.errors import RemoteError
from tests.attacks.relayed_survey import Relayed, relayed_survey
from tests.builders import ANSWERS

OTHERS = 9


@pytest.fixture
def survey(tmp_path: Path) -> Iterator[Relayed]:
    with relayed_survey(tmp_path, messages=OTHERS + 1) as found:
        yield found


def test_the_same_bytes_again_leave_with_one_pool_only(survey: Relayed) -> None:
    hers = survey.sealed(0)
    survey.send(hers)
    first = survey.pool_of(range(1, OTHERS + 1))
    survey.send(hers)  # no answer had come
    second = survey.pool_of(range(OTHERS + 1, 2 * OTHERS + 3))
    assert len(first) == OTHERS + 1
    assert len(second) >= OTHERS + 1
    assert first & second == set()


def test_the_command_line_sends_the_same_bytes_again(
    survey: Relayed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer of the relay is lost; the second call is another process as far as anybody can see."""
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"quasi_identifiers": {"age": "43", "sex": "male"}, "answers": ANSWERS}))
    real = HeadlessPlatform.request

    async def lose(platform: HeadlessPlatform, method: str, url: str, **more: Any) -> Reply:
        reply = await real(platform, method, url, **more)
        if url.endswith("/submissions"):
            raise RemoteError("lost", code="remote.unreachable")
        return reply

    words = [survey.link, "--answers", str(answers), "--json", "--token-file", str(tmp_path / "token.json")]

    def run(*more: str) -> Any:
        return CliRunner().invoke(respond, [*words, *more], catch_exceptions=False, standalone_mode=False)

    with monkeypatch.context() as patch:
        patch.setattr(HeadlessPlatform, "request", lose)
        with pytest.raises(RemoteError):
            run("--code", survey.code.text)
    first = survey.pool_of(range(1, OTHERS + 1))
    result = json.loads(run().stdout)
    second = survey.pool_of(range(OTHERS + 1, 2 * OTHERS + 3))
    assert len(first) == OTHERS + 1
    assert first & second == set()
    assert result["relayed"]
    # The receipt is that of the ballot which the collector has: the board will list it.
    assert result["receipt"] in survey.receipts()
