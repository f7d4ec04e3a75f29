"""An invited survey with its keys in a data directory, and ballots for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import install_keys
from server.collection.storage.store import SurveyStore
from server.keys.private_pem import private_pem
from shared.ballot import Ballot
from shared.sealing import DEFAULT_SUITE, SUITES
from tests.builders import small_model
from tests.invited import (
    COLLECTOR_KEY,
    TOKEN_KEY_FILE,
    digest_of,
    invited_envelope,
    invited_specification,
    issue_token,
    make_ballot,
    roll,
    seal_ballot,
)

SPECIFICATION = invited_specification()
DIGEST = digest_of(SPECIFICATION)


def collector_pem(folder: Path) -> Path:
    """The collector's private key as a file."""
    path = folder / "collector.pem"
    path.write_bytes(private_pem(SUITES[DEFAULT_SUITE], COLLECTOR_KEY.private_bytes_raw()))
    return path


def publish(data: DataDirectory, *, token_key: bool = True, collector_key: bool = True) -> SurveyStore:
    """A draft with the keys of one role or both."""
    survey = data.publish(invited_envelope(), small_model(), roll().to_bytes())
    store = data.survey(survey)
    install_keys(
        store.published,
        token_key=TOKEN_KEY_FILE if token_key else None,
        collector_key=collector_pem(data.path) if collector_key else None,
    )
    if token_key:
        data.enrol(survey)
    return store


def store_of(data: DataDirectory) -> SurveyStore:
    """An open survey on a server that is both."""
    store = publish(data)
    store.open()
    return store


def ballot(number: int, cell: int = 0, **answers: Any) -> Ballot:
    """A good ballot; the same number has the same token and, with the same arguments, the same bytes."""
    return _ballot(number, cell, tuple(sorted(answers.items())))


@cache
def _ballot(number: int, cell: int, answers: tuple[tuple[str, Any], ...]) -> Ballot:
    token = issue_token(DIGEST, number.to_bytes(32, "big"))
    return make_ballot(DIGEST, cell, token, dict(answers) or None)


def sealed(number: int, cell: int = 0, **answers: Any) -> bytes:
    """A good ballot as it travels; sealed anew each time."""
    return seal_ballot(DIGEST, ballot(number, cell, **answers))
