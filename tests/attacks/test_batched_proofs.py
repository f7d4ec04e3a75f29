"""Bad ballots in a batch whose errors would cancel, and the weights that keep them apart.

Each equation of each ballot has a weight of its own, drawn after all bytes were read. Every attack here is
seen to succeed with weights that leave that out.

References
----------
Bellare, Garay, Rabin: Fast batch verification for modular exponentiation and digital signatures (1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from shared.edwards import L
from shared.election import verifying
from shared.election.contest import EncryptedContest
from shared.election.group import GENERATOR
from shared.election.proofs import Equation, equations
from shared.election.verifying import WEIGHT_BYTES, verify_batch
from shared.election.vote import EncryptedVote
from tests import election_held as held
from tests.election import GROUP, TERMS, vote_of

GOOD = vote_of(0, 0, (0, 1))
EQUATIONS = sum(4 * m + 2 for m in TERMS.choices)
CONTEST_ONE = 4 * TERMS.choices[0] + 2


def weights(*, equal: Callable[[int], bool] = lambda _: False) -> tuple[Callable[[int], bytes], list[int]]:
    """Weights that differ but for those that are to be equal, and how many bytes each had."""
    drawn: list[int] = []

    def draw(count: int) -> bytes:
        place = len(drawn)
        drawn.append(count)
        return held.fresh("equal" if equal(place) else f"weight {place}")[:count]

    return draw, drawn


def shifted(vote: EncryptedVote, contest: int, by: int) -> EncryptedVote:
    """The response of a contest's sum is off by a number: two equations are, by multiples of G and of Y."""
    found = list(vote.contests)
    found[contest] = replace(found[contest], sum_response=(found[contest].sum_response + by) % L)
    return replace(vote, contests=tuple(found))


def codes(votes: list[EncryptedVote], draw: Callable[[int], bytes]) -> list[str]:
    """What a batch says of each ballot."""
    return [error.code if error else "" for error in verify_batch(votes, TERMS, GROUP, draw)]


def test_each_equation_draws_128_bits() -> None:
    draw, drawn = weights()
    assert codes([GOOD, vote_of(1, 3, (2, 0))], draw) == ["", ""]
    assert drawn == [WEIGHT_BYTES] * 2 * EQUATIONS
    assert WEIGHT_BYTES == 16


def test_two_ballots_that_cancel_each_other() -> None:
    """One is off by 1, the other by -1: with one weight for both, two bad ballots count."""
    bad = [shifted(GOOD, 0, 1), shifted(vote_of(1, 3, (2, 0)), 0, -1)]
    assert codes(bad, weights()[0]) == ["ballot.sum", "ballot.sum"]
    assert codes(bad, weights(equal=lambda place: place % EQUATIONS in sums_of(0))[0]) == ["", ""]


def test_two_contests_that_cancel_each_other() -> None:
    """Within one ballot, so a weight for each ballot is not enough."""
    bad = [shifted(shifted(GOOD, 0, 1), 1, -1)]
    assert codes(bad, weights()[0]) == ["ballot.sum"]
    # By itself the ballot is verified equation by equation, so another, good one is beside it.
    both = [*bad, vote_of(1, 3, (2, 0))]
    everywhere = {*sums_of(0), *sums_of(1)}
    assert codes(both, weights(equal=lambda place: place % EQUATIONS in everywhere)[0]) == ["", ""]
    assert codes(both, weights()[0]) == ["ballot.sum", ""]


def sums_of(contest: int) -> tuple[int, int]:
    """Places of a contest's two equations of its sum among those of a ballot."""
    end = EQUATIONS if contest else CONTEST_ONE
    return end - 2, end - 1


@pytest.mark.parametrize("place", range(EQUATIONS))
def test_every_equation_counts(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any one of them off by G: refused; with the weight 0 for it, not."""
    seen = iter(range(10**9))

    def off(key: bytes, contest: EncryptedContest) -> Iterator[Equation]:
        for equation in equations(key, contest):
            more = ((1, GENERATOR),) if next(seen) == place else ()
            yield replace(equation, terms=(*equation.terms, *more))

    drawn = iter(range(10**9))

    def without(count: int) -> bytes:
        return bytes(count) if next(drawn) == place else held.fresh("weight")[:count]

    monkeypatch.setattr(verifying, "equations", off)
    assert not verifying._all_hold((GOOD,), TERMS, GROUP, weights()[0])
    seen = iter(range(10**9))
    assert verifying._all_hold((GOOD,), TERMS, GROUP, without)


def test_weights_known_beforehand_would_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is why they are drawn after all bytes were read: here an attacker knew them."""

    def known(place: int) -> int:
        return int.from_bytes(held.fresh(f"weight {place}")[:WEIGHT_BYTES], "big")

    # Off by 1 in the first ballot, by -w / w' in the second, for one of the two equations of the sum.
    first, last = sums_of(0)
    by = -known(first) * pow(known(EQUATIONS + first), -1, L) % L
    bad = [shifted(GOOD, 0, 1), shifted(vote_of(1, 3, (2, 0)), 0, by)]
    assert codes(bad, weights()[0]) == ["ballot.sum", "ballot.sum"], "the other one has weights of its own"

    def without_last(key: bytes, contest: EncryptedContest) -> Iterator[Equation]:
        for place, equation in enumerate(equations(key, contest)):
            yield replace(equation, terms=()) if place == last else equation

    monkeypatch.setattr(verifying, "equations", without_last)
    assert verifying._all_hold(bad, TERMS, GROUP, weights()[0])
