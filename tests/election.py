"""A small election for tests: fixed keys and seeds, ballots as devices make them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from shared.edwards import L
from shared.election.ballot import ElectionBallot
from shared.election.group import GENERATOR, PythonGroup
from shared.election.making import make
from shared.election.terms import Terms
from shared.token import Token
from tests.invited import device_key, unsigned_token

GROUP = PythonGroup()
DIGEST = hashlib.sha256(b"the election of the tests").hexdigest()


def scalar(seed: str) -> int:
    """A number below L."""
    return int.from_bytes(hashlib.sha512(b"election tests: " + seed.encode()).digest(), "little") % L


SECRET = scalar("secret key")
TERMS = Terms(digest=DIGEST, key=GROUP.combine((SECRET,), (GENERATOR,)), choices=(3, 2), cells=4)


def seed(number: int) -> bytes:
    """Of the n-th voter."""
    return hashlib.sha256(b"seed of voter %d" % number).digest()


def token_of(number: int) -> Token:
    """The token of the n-th voter; its signature is any bytes, as proofs do not look at it."""
    prefix = hashlib.sha256(b"voter %d" % number).digest()
    return replace(unsigned_token(prefix), signature=hashlib.shake_256(prefix).digest(384))


def voted(number: int, cell: int, chosen: Sequence[int], terms: Terms = TERMS) -> ElectionBallot:
    """The ballot of the n-th voter."""
    ballot = make(terms, cell, token_of(number), chosen, seed(number), GROUP)
    return ballot.signed(device_key(ballot.token.prefix).sign(ballot.to_be_signed(terms.digest)))
