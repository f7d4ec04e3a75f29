"""r' where participation is uneven: the mean over people and the worst-off person, by enumeration."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from server.statistics.measures.participation import participant_failures
from shared.effective_anonymity import cell_failure


def enumerated(pis: list[Fraction], k: int) -> list[Fraction]:
    """P{fewer than k take part | j does}, for each person j."""
    found = []
    for j in range(len(pis)):
        others = pis[:j] + pis[j + 1 :]
        total = Fraction(0)
        for chosen in itertools.product((0, 1), repeat=len(others)):
            chance = Fraction(1)
            for pi, takes_part in zip(others, chosen, strict=True):
                chance *= pi if takes_part else 1 - pi
            total += chance if sum(chosen) < k - 1 else 0
        found.append(total)
    return found


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(
    ("counts", "pis"),
    [((3, 2), ("0.2", "0.9")), ((1, 4, 1), ("0.5", "0.25", "1")), ((0, 5), ("0.5", "0.75"))],
)
def test_both_are_those_of_enumeration(counts: tuple[int, ...], pis: tuple[str, ...], k: int) -> None:
    each = enumerated([Fraction(pi) for n, pi in zip(counts, pis, strict=True) for _ in range(n)], k)
    found = participant_failures(counts, pis, k)
    assert float(found.mean) == pytest.approx(float(sum(each) / len(each)), rel=1e-12)
    assert float(found.worst) == pytest.approx(float(max(each)), rel=1e-12)


def test_one_uneven_pair_is_half_as_bad_on_average_as_for_those_who_take_part() -> None:
    found = participant_failures((1, 1), ("1", "0.05"), 2)
    given = cell_failure((1, 1), ("1", "0.05"), 2).record_failure_given_participation
    assert (float(found.mean), float(found.worst)) == (0.475, 0.95)
    assert float(given) == pytest.approx(0.905, abs=5e-4)


def test_even_participation_has_one_figure_only() -> None:
    found = participant_failures((30,), ("0.5",), 10)
    expected = cell_failure((30,), ("0.5",), 10).record_failure_given_participation
    assert found.mean == found.worst == pytest.approx(expected)
    with pytest.raises(ValueError, match="cell must hold somebody"):
        participant_failures((0,), ("0.5",), 2)
