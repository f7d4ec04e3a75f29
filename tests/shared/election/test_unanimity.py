"""Groups of one mind: the bound of check 12 against the design's table, and against draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from shared.checks import CODES, UNANIMOUS
from shared.election.unanimity import expected_unanimous, unanimous
from shared.errors import SpecificationError
from shared.invited import Invited
from shared.soundness import Examination
from shared.specification import Specification
from tests.elections import election_keys, election_specification
from tests.invited import digest_of
from tests.shared.examining import examine_bytes
from tests.vectors.soundness_checks.making import signed
from tests.vectors.surveys import fragment_of

PUBLISHED = {
    "0.8": {10: 21, 20: 2.3, 30: 0.25, 50: 0.003},
    "0.9": {10: 70, 20: 24, 30: 8.5, 50: 1.0},
    "0.95": {10: 120, 20: 72, 30: 43, 50: 15},
}
"""Unanimous groups expected among 200 of exactly k, by the design of the pilot."""


@pytest.mark.parametrize("share", PUBLISHED)
@pytest.mark.parametrize("k", [10, 20, 30, 50])
def test_the_published_table(share: str, k: int) -> None:
    found = expected_unanimous(contests=1, people=200 * k, k=k, top_share=Fraction(share))
    assert float(found) == pytest.approx(PUBLISHED[share][k], rel=0.06)


def test_draws_agree() -> None:
    random, k, groups = Random(12), 5, 20_000
    alike = sum(all(random.random() < 0.7 for _ in range(k)) for _ in range(groups))
    bound = expected_unanimous(contests=1, people=groups * k, k=k, top_share=Fraction("0.7"))
    assert alike == pytest.approx(float(bound), rel=0.05)


def test_unanimous_groups_are_found() -> None:
    assert unanimous(((0, 4, 0), (2, 2), (0, 0))) == (1, None, None)


def examined(specification: Specification) -> Examination:
    envelope = signed(specification)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), None)


def test_an_election_has_a_twelfth_check() -> None:
    examination = examined(election_specification())
    last = examination.lines[-1]
    assert [line.code for line in examination.lines] == [*CODES, UNANIMOUS]
    assert (last.number, last.outcome) == (12, "passed")
    assert last.figures == {"top_share": "18", "k": "3", "contests": "2", "expected": "0.78"}


@pytest.mark.parametrize("share", ["0.3", "1"])
def test_groups_that_are_too_small_are_refused(share: str) -> None:
    examination = examined(election_specification(invited=election_keys(top_share=share)))
    assert examination.refusal is not None
    assert examination.refusal.code == UNANIMOUS


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.pop("top_share"),
        lambda v: v.update(top_share="0"),
        lambda v: v.update(top_share="1.1"),
        lambda v: v.update(top_share=1),
        lambda v: v.pop("election"),
    ],
    ids=["missing", "zero", "above-1", "number", "of-a-survey"],
)
def test_a_share_is_a_share(change: Callable[[dict[str, Any]], object]) -> None:
    value = election_keys().to_object()
    change(value)
    with pytest.raises(SpecificationError):
        Invited.parse(value, "invited")


def test_the_share_is_signed() -> None:
    specification = election_specification()
    other = replace(specification, invited=election_keys(top_share="0.1"))
    assert Specification.parse(other.to_bytes()) == other
    assert digest_of(other) != digest_of(specification)
