"""Statements, factors and results: what is accepted, and the line of everything else."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from shared import statements
from shared.edwards import L
from shared.election import schnorr, trustees
from shared.election.decryption import Factors, decrypt, logarithms, remaining, verify_factors
from shared.election.group import GENERATOR, IDENTITY, PythonGroup
from shared.election.result import Result, count
from shared.election.trustees import sign_specification, verify_specification
from shared.errors import ElectionError
from shared.statements import groups_digest
from tests import election_held as held
from tests.election import GROUP
from tests.refusals import code_of

ALL = (1, 2, 3)


def test_any_two_trustees_give_the_votes() -> None:
    for pair in itertools.combinations(ALL, 2):
        by = {i: held.factors(i) for i in pair}
        assert count(held.sums(), held.BALLOTS, by, held.T, GROUP) == held.COUNTED
    every = {i: held.factors(i) for i in ALL}
    assert count(held.sums(), held.BALLOTS, every, held.T, GROUP) == held.COUNTED
    for i in ALL:
        verify_factors(held.factors(i), i, held.trustees(), held.stated(), held.sums(), GROUP)


def test_one_trustee_gives_nothing() -> None:
    alone = {2: held.factors(2)}
    assert (
        code_of(lambda: count(held.sums(), held.BALLOTS, alone, held.T, GROUP)) == "election.too-few-factors"
    )


def test_an_empty_group_has_zeros_and_no_factors() -> None:
    assert held.sums()[2] == (((IDENTITY, IDENTITY),) * 3,)
    assert [len(rows) for rows in held.factors(1)] == [1, 1, 0]
    assert remaining(held.sums(), {1: held.factors(1), 2: held.factors(2)}, 2, GROUP)[2] == ((IDENTITY,) * 3,)
    assert count((), (), {1: (), 2: ()}, 2, GROUP) == ()


def test_more_votes_than_ballots_are_found() -> None:
    by = {1: held.factors(1), 2: held.factors(2)}
    assert code_of(lambda: count(held.sums(), (1, 1, 0), by, held.T, GROUP)) == "election.votes"


def test_logarithms() -> None:
    found = logarithms(5, GROUP)
    assert sorted(found.values()) == [0, 1, 2, 3, 4, 5]
    assert found[GROUP.combine((5,), (GENERATOR,))] == 5


def changed_factor(factors: Factors, **changes: Any) -> Factors:
    """The last factor of the first group is another."""
    ((*row, last),) = factors[0]
    contest = (*row, replace(last, **changes))
    return ((contest,), *factors[1:])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"response": 5}, "election.factor"),
        ({"challenge": 5}, "election.factor"),
        ({"element": GENERATOR}, "election.factor"),
        ({"element": b"\x01" + bytes(31)}, "election.factor"),
    ],
    ids=["response", "challenge", "element", "no-element"],
)
def test_a_bad_factor_is_named(changes: dict[str, Any], code: str) -> None:
    bad = changed_factor(held.factors(1), **changes)
    with pytest.raises(ElectionError) as caught:
        verify_factors(bad, 1, held.trustees(), held.stated(), held.sums(), GROUP)
    assert (caught.value.code, caught.value.where) == (code, "trustee 1, group 1, contest 1, choice 3")


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f[:2],
        lambda f: (*f, ()),
        lambda f: (f[0], ((*f[1][0], f[1][0][0]),), f[2]),
        lambda f: (f[0], f[1], f[1]),
    ],
    ids=["fewer", "more", "more-in-a-contest", "of-an-empty-group"],
)
def test_factors_are_as_many_as_sums(change: Callable[[Any], Any]) -> None:
    wrong = change(held.factors(1))
    assert (
        code_of(lambda: verify_factors(wrong, 1, held.trustees(), held.stated(), held.sums(), GROUP))
        == "election.factors"
    )


def test_every_input_of_a_factors_proof_counts() -> None:
    good, keys, about = held.factors(1), held.trustees(), held.stated()
    for stated in (
        replace(about, specification="00" * 32),
        replace(about, root="00" * 32),
        replace(about, groups="00" * 32),
    ):
        assert code_of(lambda s=stated: verify_factors(good, 1, keys, s, held.sums(), GROUP)) != ""  # type: ignore[misc]
    assert code_of(lambda: verify_factors(good, 2, keys, about, held.sums(), GROUP)) == "election.factor"
    moved = (good[1], good[0], good[2])
    assert code_of(lambda: verify_factors(moved, 1, keys, about, held.sums(), GROUP)) == "election.factor"
    ((a, b, c),) = good[0]
    permuted = ((((b, a, c)),), *good[1:])
    assert code_of(lambda: verify_factors(permuted, 1, keys, about, held.sums(), GROUP)) == "election.factor"


def test_nonces_differ_though_the_random_bytes_repeat() -> None:
    same = [held.fresh("same")] * 6
    found = decrypt(held.secrets()[0], 1, held.stated(), held.sums(), same, GROUP)
    row = found[0][0]
    nonces = {(f.response - f.challenge * held.secrets()[0]) % L for f in row}
    assert len(nonces) == 3
    with pytest.raises(ValueError, match="32 fresh"):
        schnorr.nonce(1, b"short", "label", ())


# Keys


def test_all_trustees_sign_the_specification() -> None:
    keys, digest = held.trustees(), held.terms().digest
    signed = [
        sign_specification(x, i, digest, held.fresh(f"key {i}"), GROUP)
        for i, x in enumerate(held.secrets(), 1)
    ]
    verify_specification(keys, digest, signed, GROUP)
    for wrong in (signed[:2], [*signed[:2], signed[1]]):
        assert (
            code_of(lambda w=wrong: verify_specification(keys, digest, w, GROUP)) == "election.key-signature"
        )  # type: ignore[misc]
    assert code_of(lambda: verify_specification(keys, "00" * 32, signed, GROUP)) == "election.key-signature"


def test_keys_lie_on_one_polynomial() -> None:
    keys = held.trustees()
    for wrong, code in (
        (replace(keys, key=keys.verification_keys[0]), "election.key"),
        (replace(keys, verification_keys=(*keys.verification_keys[:2], GENERATOR)), "election.key"),
        (replace(keys, key=IDENTITY), "election.element"),
        (replace(keys, verification_keys=(IDENTITY, *keys.verification_keys[1:])), "election.element"),
    ):
        assert code_of(lambda w=wrong: w.require_one_polynomial(GROUP)) == code  # type: ignore[misc]
    for changes in ({"threshold": 1}, {"threshold": 4}, {"verification_keys": (GENERATOR,) * 17}):
        with pytest.raises(ValueError, match="at least two"):
            replace(keys, **changes)  # type: ignore[arg-type]
    assert trustees.lagrange((1, 2)) == (2, L - 1)


# The result


def test_a_result_is_verified_and_read_back() -> None:
    found = held.result()
    assert tuple(g.votes for g in found.groups) == held.COUNTED
    held.verify_result(found)
    assert Result.parse(found.to_bytes()) == found


def other_votes(found: Result, votes: Any) -> Result:
    """Another count in the first group."""
    return replace(found, groups=(replace(found.groups[0], votes=votes), *found.groups[1:]))


RESULTS: dict[str, tuple[Callable[[Result], Result], str]] = {
    "another-election": (
        lambda r: replace(r, stated=replace(r.stated, specification="00" * 32)),
        "election.result-board",
    ),
    "another-board": (
        lambda r: replace(r, stated=replace(r.stated, root="00" * 32)),
        "election.result-board",
    ),
    "other-groups": (lambda r: replace(r, groups=r.groups[::-1]), "election.result-groups"),
    "fewer-ballots": (
        lambda r: replace(r, groups=(replace(r.groups[0], ballots=2), *r.groups[1:])),
        "election.result-groups",
    ),
    "two-statements": (lambda r: replace(r, statements=r.statements[:2]), "opening.statements"),
    "statement-of-another": (
        lambda r: replace(r, statements=(replace(r.statements[1], trustee=1), *r.statements[1:])),
        "opening.statement",
    ),
    "a-trustee-twice": (lambda r: replace(r, factors=(r.factors[0], r.factors[0])), "election.factors"),
    "no-such-trustee": (lambda r: replace(r, factors=(*r.factors, (4, r.factors[0][1]))), "election.factors"),
    "factors-of-another": (
        lambda r: replace(r, factors=((2, r.factors[0][1]), r.factors[1])),
        "election.factor",
    ),
    "one-trustee": (lambda r: replace(r, factors=r.factors[:1]), "election.too-few-factors"),
    "choices-permuted": (lambda r: other_votes(r, ((2, 0, 1),)), "election.votes"),
    "a-vote-moved": (lambda r: other_votes(r, ((1, 1, 1),)), "election.votes"),
    "a-vote-more": (lambda r: other_votes(r, ((1, 1, 2),)), "election.votes"),
    "a-choice-more": (lambda r: other_votes(r, ((1, 0, 2, 0),)), "election.votes"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_wrong_result_is_refused_with_its_line(name: str) -> None:
    change, code = RESULTS[name]
    wrong = change(held.result())
    assert code_of(lambda: held.verify_result(wrong)) == code


class RememberingGroup(PythonGroup):
    """Computes no sum twice: of a result with one changed byte nearly all are those of the true one."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: dict[object, bytes] = {}

    def combine(self, factors: Sequence[int], elements: Sequence[bytes]) -> bytes:
        key = (tuple(factors), tuple(elements))
        if key not in self.sums:
            self.sums[key] = super().combine(factors, elements)
        return self.sums[key]


def test_every_byte_of_a_result_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each changed once: not read, or refused; most of it is the base64 of factors, tried at every byte."""
    monkeypatch.setattr(statements.ed25519, "verifies", cache(statements.ed25519.verifies))
    data, group = held.result().to_bytes(), RememberingGroup()
    held.verify_result(Result.parse(data), group)
    for place in range(len(data)):
        changed = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
        assert code_of(lambda c=changed: held.verify_result(Result.parse(c), group)), place  # type: ignore[misc]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"cells":[0,1]', b'"cells":[1,0]'),
        (b'"cells":[0,1]', b'"cells":["0",1]'),
        (b'"votes":[[1,0,2]]', b'"votes":[1]'),
        (b'"votes":[[1,0,2]]', b'"votes":[[true,0,2]]'),
        (b'"groups":[[[["', b'"groups":[[[["A'),
        (b'"groups":[[[[', b'"groups":[[[[null,'),
        (b'"groups":[[[["', b'"groups":[[["'),
        (b'{"format"', b'{ "format"'),
        (b'"ballots":3', b'"ballots":-3'),
    ],
)
def test_malformed_results_are_refused(old: bytes, new: bytes) -> None:
    data = held.result().to_bytes()
    assert old in data
    assert code_of(lambda: Result.parse(data.replace(old, new, 1))) == "election.result-form"


def test_groups_have_one_digest() -> None:
    assert groups_digest(held.GROUPS) == held.result().stated.groups
    assert (
        len({groups_digest(g) for g in (held.GROUPS, ((0,), (1,), (2,), (3,)), ((1, 0), (2,), (3,)), ())})
        == 4
    )
