"""What the command-line client seals, the server's side opens; what is no key is refused by name."""

from __future__ import annotations

import pytest

from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import run
from server.keys.sealing import OpeningKey
from shared.errors import SpecificationError, SubmissionError
from shared.sealing import SUITES, Suite

every_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


def seal(suite: Suite, key: bytes, info: bytes, plaintext: bytes) -> bytes:
    sealing = HeadlessPlatform().seal(suite=suite.name, public_key=key, info=info, plaintext=plaintext)
    return run(sealing)


@every_suite
@pytest.mark.parametrize("plaintext", [b"", b"answers", bytes(65536)], ids=len)
def test_what_the_client_seals_opens_with_its_info_alone(suite: Suite, plaintext: bytes) -> None:
    key = OpeningKey(suite, bytes(range(32)))
    sealed = seal(suite, key.public_key, b"info", plaintext)
    assert len(sealed) == len(plaintext) + suite.overhead
    assert key.open(b"info", sealed) == plaintext
    with pytest.raises(SubmissionError):
        key.open(b"other", sealed)


@every_suite
def test_the_same_message_is_never_sealed_the_same_way(suite: Suite) -> None:
    key = OpeningKey(suite, bytes(range(32))).public_key
    first, second = (seal(suite, key, b"info", b"answers") for _ in range(2))
    n = suite.encapsulated_bytes
    assert first[:n] != second[:n]
    assert first[n:] != second[n:]


@every_suite
def test_what_is_no_key_is_refused_by_name(suite: Suite) -> None:
    n = suite.public_key_bytes
    for key in (b"", bytes(n - 1), bytes(n + 1), bytes(n), b"\xff" * (n + 1)):
        with pytest.raises(SpecificationError) as caught:
            seal(suite, key, b"info", b"answers")
        assert caught.value.code == "specification.sealing-key"
