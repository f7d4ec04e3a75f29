"""A whole small election for tests: ceremony, ballots, statements, factors, result."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from shared.election import ceremony
from shared.election.ceremony import First, Second
from shared.election.decryption import Factors, decrypt
from shared.election.group import Group
from shared.election.groups import Cells, Sums, add_up
from shared.election.result import CountedGroup, Result, count
from shared.election.terms import Terms
from shared.election.trustees import Trustees
from shared.invited import Invited
from shared.statements import Stated, Statement, groups_digest
from tests.builders import public_bytes
from tests.election import GROUP, TERMS, vote_of
from tests.invited import invited

CEREMONY = hashlib.sha256(b"the ceremony of the tests").hexdigest()
N, T = 3, 2
GROUPS: tuple[Cells, ...] = ((0, 1), (2,), (3,))
VOTES = ((0, 2), (1, 0), (1, 2), (2, 2))
"""Box and choice of each voter."""
BALLOTS = (3, 1, 0)
COUNTED = (((1, 0, 2),), ((0, 0, 1),), ((0, 0, 0),))


def fresh(seed: str, count: int = 1) -> bytes:
    """So many times 32 bytes."""
    return hashlib.shake_256(b"election held: " + seed.encode()).digest(32 * count)


def coefficients(trustee: int, ceremony_id: str = CEREMONY) -> tuple[int, ...]:
    """A trustee's polynomial."""
    return ceremony.draw(T, fresh(f"polynomial {trustee} {ceremony_id}", 2 * T))


def first_of(trustee: int, drawn: Sequence[int]) -> First:
    """Her first message."""
    elements = ceremony.published(drawn, GROUP)
    return First(
        ceremony=CEREMONY,
        trustees=N,
        threshold=T,
        trustee=trustee,
        sealing_key=fresh(f"sealing key {trustee}"),
        coefficients=ceremony.coefficients_digest(CEREMONY, trustee, elements),
    )


@cache
def first_round() -> tuple[First, ...]:
    """Of all trustees."""
    return tuple(first_of(i, coefficients(i)) for i in range(1, N + 1))


@cache
def second_round() -> tuple[Second, ...]:
    """Of all trustees."""
    return tuple(
        ceremony.second(first_round(), i, coefficients(i), fresh(f"knowledge {i}", T), GROUP)
        for i in range(1, N + 1)
    )


@cache
def secrets() -> tuple[int, ...]:
    """x_1 to x_n: sums of the shares."""
    return tuple(
        sum(ceremony.share_for(j, coefficients(i)) for i in range(1, N + 1)) % ceremony.L
        for j in range(1, N + 1)
    )


@cache
def trustees() -> Trustees:
    """The keys that follow."""
    return ceremony.keys(second_round(), "7a" * 32, GROUP)


def terms() -> Terms:
    """Of one contest with three choices."""
    return replace(TERMS, key=trustees().key, choices=(3,))


@cache
def sums() -> tuple[Sums, ...]:
    """Of the groups."""
    votes = [vote_of(i, cell, (choice,), terms()) for i, (cell, choice) in enumerate(VOTES)]
    return add_up(votes, GROUPS, terms(), GROUP)


def stated(root: str = "5a" * 32, groups: Sequence[Cells] = GROUPS) -> Stated:
    """What is to be decrypted."""
    return Stated(specification=terms().digest, root=root, groups=groups_digest(groups))


def statement_key(trustee: int) -> Ed25519PrivateKey:
    """Hers."""
    return Ed25519PrivateKey.from_private_bytes(fresh(f"statement key {trustee}"))


@cache
def keys() -> Invited:
    """What a specification says of the trustees."""
    statement_keys = tuple(public_bytes(statement_key(i)) for i in range(1, N + 1))
    return invited(
        statement_keys=statement_keys, opening_key=trustees().key, election=trustees(), top_share="0.2"
    )


def statement(trustee: int, about: Stated | None = None) -> Statement:
    """Of one trustee."""
    about = about or stated()
    signature = statement_key(trustee).sign(about.message(trustee))
    return Statement(stated=about, trustee=trustee, signature=signature)


@cache
def factors(trustee: int) -> Factors:
    """Of one trustee."""
    drawn = [fresh(f"factor {trustee} {i}") for i in range(6)]
    return decrypt(secrets()[trustee - 1], trustee, stated(), sums(), drawn, GROUP)


@cache
def result() -> Result:
    """By trustees 1 and 3, on the statements of all."""
    by = {i: factors(i) for i in (1, 3)}
    votes = count(sums(), BALLOTS, by, T, GROUP)
    return Result(
        stated=stated(),
        statements=tuple(statement(i) for i in range(1, N + 1)),
        groups=tuple(
            CountedGroup(cells=cells, ballots=ballots, votes=row)
            for cells, ballots, row in zip(GROUPS, BALLOTS, votes, strict=True)
        ),
        factors=tuple(by.items()),
    )


def verify_result(found: Result, group: Group = GROUP) -> None:
    """As somebody who counted the board herself."""
    found.verify(terms(), keys(), "5a" * 32, GROUPS, BALLOTS, sums(), group)
