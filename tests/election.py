"""A small election for tests: fixed keys and seeds, ballots as devices make them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from shared.ballot import Ballot, UnsignedBallot
from shared.edwards import L
from shared.election.group import GENERATOR, PythonGroup
from shared.election.making import make
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote
from shared.token import Token
from tests.invited import sign_ballot, unsigned_token

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


def vote_of(number: int, cell: int, chosen: Sequence[int], terms: Terms = TERMS) -> EncryptedVote:
    """The vote of the n-th voter."""
    return make(terms, cell, token_of(number).device_key, chosen, seed(number), GROUP)


def voted(number: int, cell: int, chosen: Sequence[int], terms: Terms = TERMS) -> Ballot:
    """The ballot of the n-th voter."""
    return in_ballot(vote_of(number, cell, chosen, terms), number, terms)


def in_ballot(vote: EncryptedVote, number: int, terms: Terms = TERMS) -> Ballot:
    """A vote in a ballot with the token of the n-th voter, who signs whatever it is."""
    token = token_of(number)
    return sign_ballot(terms.digest, UnsignedBallot(cell=vote.cell, token=token, box=vote.to_bytes()))


def read(data: bytes, terms: Terms = TERMS) -> Ballot:
    """A ballot from its bytes."""
    return Ballot.read(data, box=terms.box_bytes, cells=terms.cells)
