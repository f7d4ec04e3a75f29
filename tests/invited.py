"""Invited surveys for tests: fixed keys, tokens without the exchange, ballots without a client.

A finished blind token is an ordinary RSASSA-PSS signature, so :func:`issue_token` lets ``cryptography`` sign
it directly: a second implementation of what registrar and client do together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from server.keys.token_keys import CollectorKey
from shared import submission
from shared.ballot import Ballot, UnsignedBallot
from shared.invitation_code import InvitationCode
from shared.invited import Codes, Invited
from shared.roll import Roll
from shared.sealing import DEFAULT_SUITE, SUITES, ballot_info, box_info
from shared.specification import STORED, Specification
from shared.token import HeldToken, Token
from tests.builders import ANSWERS, MESSAGE_BYTES, ORGANIZER_KEY, public_bytes, sign, small_specification

TOKEN_KEY_FILE = Path(__file__).with_name("keys") / "tokens.pem"
OPENING_KEY = X25519PrivateKey.from_private_bytes(b"opening key of the test suite !!")
SPARE_KEY = Ed25519PrivateKey.from_private_bytes(b"spare signing key of the tests !")
COLLECTOR_KEY = X25519PrivateKey.from_private_bytes(b"collector key of the test suite!")
COLLECTOR = CollectorKey(SUITES[DEFAULT_SUITE], COLLECTOR_KEY.private_bytes_raw())
ROLL_ID = b"the roll id of all the tests !!!"
HPKE = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_128_GCM)


@cache
def token_key() -> RSAPrivateKey:
    """The registrar's key of the tests; it guards nothing."""
    key = load_pem_private_key(TOKEN_KEY_FILE.read_bytes(), None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(key, RSAPrivateKey)
    return key


@cache
def code(number: int) -> InvitationCode:
    """The n-th code of the tests."""
    return InvitationCode.create(hashlib.sha256(b"code %d" % number).digest())


@cache
def roll(people: int = 150) -> Roll:
    """The roll of the first so many codes."""
    return Roll.of(ROLL_ID, map(code, range(people)))


def codes_of(roll: Roll) -> Codes:
    """What is signed of a roll."""
    return Codes(roll_id=roll.roll_id, digest=roll.digest)


def used_codes(count: int) -> tuple[bytes, ...]:
    """Proofs of the first so many codes."""
    return tuple(sorted(code(number).proof(ROLL_ID) for number in range(count)))


def statement_keys(shares: int) -> tuple[bytes, ...]:
    """Public statement keys of trustees who hold nothing."""
    seeds = (hashlib.sha256(b"statement key %d" % number).digest() for number in range(shares))
    return tuple(Ed25519PrivateKey.from_private_bytes(s).public_key().public_bytes_raw() for s in seeds)


def invited(**changes: Any) -> Invited:
    """150 invitations with the codes of the tests, two of three trustees, no relay."""
    value = Invited(
        people=150,
        codes=codes_of(roll(changes.get("people", 150))),
        token_keys=(token_key().public_key().public_numbers().n,),
        suite=SUITES[DEFAULT_SUITE],
        opening_key=OPENING_KEY.public_key().public_bytes_raw(),
        collector_key=COLLECTOR_KEY.public_key().public_bytes_raw(),
        threshold=2,
        shares=3,
        statement_keys=statement_keys(3),
        relay=None,
        acceptance_key=COLLECTOR.acceptance_key,
        spare_keys=(public_bytes(SPARE_KEY),),
    )
    return replace(value, **changes)


def invited_specification(**changes: Any) -> Specification:
    """The small survey of the builders, for invited people."""
    return small_specification(**{"invited": invited(), "stored": STORED["invited"]} | changes)


def invited_envelope(**changes: Any) -> bytes:
    """Signed by the organizer of the tests."""
    return sign(invited_specification(**changes).to_bytes(), ORGANIZER_KEY).to_bytes()


def digest_of(specification: Specification) -> str:
    """The survey's identity."""
    return hashlib.sha256(specification.to_bytes()).hexdigest()


def device_key(prefix: bytes) -> Ed25519PrivateKey:
    """The one-time key of the token with this prefix, in tests."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"device key" + prefix).digest())


def unsigned_token(prefix: bytes, key: Ed25519PrivateKey | None = None) -> Token:
    """A token that the registrar has not signed."""
    public = (key or device_key(prefix)).public_key().public_bytes_raw()
    return Token(prefix=prefix, device_key=public, signature=bytes(384))


def issue_token(
    digest: str, prefix: bytes, key: Ed25519PrivateKey | None = None, signer: RSAPrivateKey | None = None
) -> Token:
    """A valid token with a chosen prefix, and a chosen device key."""
    token = unsigned_token(prefix, key)
    return replace(token, signature=sign_message(token.message(digest), signer))


def sign_message(message: bytes, signer: RSAPrivateKey | None = None) -> bytes:
    """What a registrar's answer, finished, is a signature of."""
    return (signer or token_key()).sign(
        message, padding.PSS(padding.MGF1(hashes.SHA384()), 48), hashes.SHA384()
    )


def hold_token(digest: str, prefix: bytes) -> HeldToken:
    """The same with its secret."""
    return HeldToken(token=issue_token(digest, prefix), secret=device_key(prefix).private_bytes_raw())


def make_ballot(
    digest: str,
    cell: int,
    token: Token,
    answers: Mapping[str, Any] | None = None,
    opening_key: X25519PublicKey | None = None,
    key: Ed25519PrivateKey | None = None,
    message_bytes: int = MESSAGE_BYTES,
) -> Ballot:
    """Answers sealed to the trustees of the tests, signed by the token's key."""
    entropy = hashlib.shake_256(token.prefix).digest(message_bytes)
    plaintext = submission.encode(digest, cell, answers or ANSWERS, entropy, message_bytes)
    info = box_info(digest, token.prefix, token.device_key, cell)
    box = HPKE.encrypt(plaintext, opening_key or OPENING_KEY.public_key(), info)
    return sign_ballot(digest, UnsignedBallot(cell=cell, token=token, box=box), key)


def sign_ballot(digest: str, ballot: UnsignedBallot, key: Ed25519PrivateKey | None = None) -> Ballot:
    """A ballot signed, or signed anew, by the key of its token or by another."""
    key = key or device_key(ballot.token.prefix)
    return ballot.signed(key.sign(ballot.to_be_signed(digest)))


def seal_ballot(digest: str, ballot: Ballot) -> bytes:
    """A ballot as it travels."""
    return HPKE.encrypt(ballot.to_bytes(), COLLECTOR_KEY.public_key(), ballot_info(digest))
