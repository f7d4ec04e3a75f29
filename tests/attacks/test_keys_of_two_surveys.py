"""One registrar's key, or one roll, for two surveys: codes of the one make tokens of the other.

The registrar signs blindly, so it cannot see for which survey a token is. An organizer who designs a second
survey with the key of the first, and has codes of the second, gets tokens of the first for them; as many as
people who fetched a token and did not answer stay hidden, since no board shows more ballots than used codes.
And the board of a closed survey publishes the proofs of its used codes, with which anybody fetches tokens of
another survey with the same roll.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import install_keys
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.collection.tokens.exchange import TokenOffice
from server.keys.token_keys import TokenKey, create_token_keys, load_token_keys
from shared import base64url, blind_rsa
from shared.errors import InputError
from shared.invitation_code import InvitationCode
from shared.roll import Roll
from shared.specification import Specification
from shared.token import Token, token_message
from tests.builders import ORGANIZER_KEY, sign, small_model
from tests.invited import (
    TOKEN_KEY_FILE,
    code,
    codes_of,
    device_key,
    digest_of,
    invited,
    invited_specification,
    roll,
)

FIRST = invited_specification()
OTHER_ROLL = Roll.of(b"the roll of the second survey !!", map(code, range(1_000, 1_150)))
PREFIX = b"minted for somebody who stays ho"


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data") as directory:
        yield directory


@pytest.fixture(scope="module")
def new_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "new.pem"
    create_token_keys(path)
    return path


def draft(data: DataDirectory, survey: Specification, own: Roll, key: Path = TOKEN_KEY_FILE) -> SurveyStore:
    """As a registrar publishes it, who has the organizer's word for the key."""
    envelope = sign(survey.to_bytes(), ORGANIZER_KEY).to_bytes()
    store = data.survey(data.publish(envelope, small_model(), own.to_bytes()))
    install_keys(store.published, token_key=key, collector_key=None)
    data.enrol(store.id)
    return store


def second(own: Roll, keys: Sequence[TokenKey]) -> Specification:
    """Another survey of the same people."""
    asked = invited(codes=codes_of(own), token_keys=tuple(key.n for key in keys))
    return invited_specification(invited=asked, title={"en": "A second survey", "de": "Eine zweite"})


def exchange(data: DataDirectory, at: SurveyStore, who: InvitationCode, roll_id: bytes, says: str) -> Token:
    """A token of one survey, fetched from the registrar of another."""
    n = load_token_keys(TOKEN_KEY_FILE)[0].n
    key = device_key(PREFIX).public_key().public_bytes_raw()
    message = blind_rsa.prepare(token_message(says, key), PREFIX)
    blinded, inverse = blind_rsa.blind(n, message, salt=bytes(48), r=3)
    body = {"code_proof": base64url.encode(who.proof(roll_id)), "blinded_message": base64url.encode(blinded)}
    signed = TokenOffice(data).exchange(at.id, json.dumps(body).encode())
    return Token(prefix=PREFIX, device_key=key, signature=blind_rsa.finalize(n, message, signed, inverse))


def test_a_code_of_one_survey_makes_no_token_of_another(
    data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = draft(data, FIRST, roll())
    data.open(target.id)
    trap = draft(data, second(OTHER_ROLL, load_token_keys(TOKEN_KEY_FILE)), OTHER_ROLL)
    with pytest.raises(InputError) as caught:
        data.open(trap.id)
    assert (caught.value.code, target.id in caught.value.message) == ("input.keys", True)
    assert trap.state is State.DRAFT
    monkeypatch.setattr(DataDirectory, "_require_own_codes", lambda *_: None)
    data.open(trap.id)
    token = exchange(data, trap, code(1_000), OTHER_ROLL.roll_id, digest_of(FIRST))
    token.verify(load_token_keys(TOKEN_KEY_FILE)[0].n, digest_of(FIRST))


def test_a_closed_survey_is_remembered(data: DataDirectory) -> None:
    target = draft(data, FIRST, roll())
    data.open(target.id)
    data.close(target.id)
    trap = draft(data, second(OTHER_ROLL, load_token_keys(TOKEN_KEY_FILE)), OTHER_ROLL)
    with pytest.raises(InputError, match="keys for tokens"):
        data.open(trap.id)


def test_used_codes_of_one_survey_fetch_nothing_in_the_next(data: DataDirectory, new_key: Path) -> None:
    """Everybody got one letter for two surveys. The proofs of the first are on its board."""
    target = draft(data, FIRST, roll())
    data.open(target.id)
    wave = draft(data, second(roll(), load_token_keys(new_key)), roll(), new_key)
    with pytest.raises(InputError, match="the same codes"):
        data.open(wave.id)


def test_surveys_with_keys_and_codes_of_their_own_are_opened(data: DataDirectory, new_key: Path) -> None:
    data.open(draft(data, FIRST, roll()).id)
    data.open(draft(data, second(OTHER_ROLL, load_token_keys(new_key)), OTHER_ROLL, new_key).id)


def test_a_draft_that_was_signed_again_is_opened(data: DataDirectory) -> None:
    """A text was mended, keys and codes stay: the earlier draft was never opened, and now never can be."""
    earlier = draft(data, FIRST, roll())
    mended = draft(data, second(roll(), load_token_keys(TOKEN_KEY_FILE)), roll())
    data.open(mended.id)
    with pytest.raises(InputError):
        data.open(earlier.id)
