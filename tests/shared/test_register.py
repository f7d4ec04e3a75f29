"""What may be published of a register: bounds that are true and few, coarse figures, points of the map."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cells import Boxes
from shared.checks import MODEL_SHAPE, check_model_shape
from shared.effective_anonymity import cell_failure, is_acceptable, n_min_safe, worst_cell_metrics
from shared.errors import SoundnessError
from shared.participation import ParticipationLevel
from shared.register import (
    CERTAINTY,
    SHARES,
    bound_of,
    coarse_people,
    coarse_weight,
    left_out,
    map_centroids,
    on_grid,
    site_steps,
)
from tests.builders import age, register_cells, sex
from tests.vectors.surveys import band, register, small_balls, small_boxes, small_prototypes

K, FAILURE = 3, "0.001"
LEVELS = tuple(ParticipationLevel(low=low, high=low) for low in ("0.3", "0.5", "0.7"))
NEEDS = tuple(n_min_safe(K, level, FAILURE) for level in LEVELS)
COUNTS = st.tuples(*(st.integers(0, 40) for _ in LEVELS))


def dominates(counts: tuple[int, ...], bound: tuple[int, ...]) -> bool:
    """Each of the bound's people stands for another one of the cell, who takes part at least as likely."""
    return all(sum(counts[level:]) >= sum(bound[level:]) for level in range(len(bound)))


@settings(max_examples=400)
@given(COUNTS)
def test_a_cell_has_what_its_bound_says_and_fails_no_more_often(counts: tuple[int, ...]) -> None:
    bound = bound_of(counts, NEEDS)
    if bound is None:
        assert sum(counts) < NEEDS[0]
        return
    assert dominates(counts, bound)
    claimed, true = worst_cell_metrics(bound, LEVELS, K), worst_cell_metrics(counts, LEVELS, K)
    assert is_acceptable(claimed, FAILURE)
    assert true.attained_cell_failure <= claimed.attained_cell_failure
    assert true.record_failure_given_participation <= claimed.record_failure_given_participation
    assert bound_of(bound, NEEDS) == bound


@given(COUNTS)
def test_a_bound_says_little(counts: tuple[int, ...]) -> None:
    """One of as many vectors as there are levels, whatever the counts: a need at one, and nobody else.

    So whatever follows of the people at a level and above follows of as many as a cell needs there, of whom
    hardly ever everybody is in the secret sample.
    """
    bound = bound_of(counts, NEEDS)
    if bound is None:
        assert all(sum(counts[level:]) < need for level, need in enumerate(NEEDS))
    else:
        (level,) = (level for level, people in enumerate(bound) if people)
        assert bound[level] == NEEDS[level] <= sum(counts[level:])
        assert all(sum(counts[above:]) < NEEDS[above] for above in range(level + 1, len(NEEDS)))


@given(COUNTS, st.integers(0, 2))
def test_whoever_comes_takes_no_bound_away(counts: tuple[int, ...], level: int) -> None:
    more = tuple(n + (i == level) for i, n in enumerate(counts))
    assert bound_of(counts, NEEDS) is None or bound_of(more, NEEDS) is not None


def test_qbar_rises_then_falls_and_a_bound_lies_where_it_falls() -> None:
    """At a participation of 0.03 a small cell is safe by being empty; bounds are where it falls."""
    rare = ParticipationLevel(low="0.03", high="0.03")
    need = n_min_safe(K, rare, "0.05")
    failures = [cell_failure((n,), ("0.03",), K).attained_cell_failure for n in range(1, need + 50)]
    assert failures[1] < failures[need // 2]
    falling = failures[need - 1 :]
    assert falling == sorted(falling, reverse=True)


@pytest.mark.parametrize("need", [3, 18, 37, 53, 200, 10_000])
def test_everybody_of_a_smallest_cell_is_hardly_ever_in_the_sample(need: int) -> None:
    share = left_out(need)
    assert Fraction(SHARES - share, SHARES) ** need <= Fraction(1, CERTAINTY)
    assert share == 1 or Fraction(SHARES - share + 1, SHARES) ** need > Fraction(1, CERTAINTY)


def test_numbers_are_rounded_down() -> None:
    assert [coarse_people(n) for n in (7, 99, 100, 199, 37_981)] == [7, 99, 100, 190, 37_000]
    assert [coarse_weight(w) for w in (0, 1, 15, 16, 31, 5000)] == [0, 1, 15, 16, 30, 4608]


def test_sites_step_over_three_people() -> None:
    steps = site_steps(((0, 99), (0, 1)), 10, 18)
    assert steps == (165, 2)
    assert all(18 * step >= 10 * 3 * span for step, span in zip(steps, (99, 1), strict=True))
    assert on_grid(330, 0, 990, 165)
    assert on_grid(31, 0, 31, 4)
    assert not on_grid(331, 0, 990, 165)


def test_centroids_are_points_of_the_map() -> None:
    people = (age(), sex())
    assert map_centroids(register_cells(), people)[1] == ("16.5000", "1.0000", "0.0000")
    assert map_centroids(small_boxes(), people)[0] == ("12.0000", "0.0000", "1.0000")
    either = Boxes(weights=(1, 1, 1), boxes=(((0, 9), (0, 1), (0, 1)),))
    assert map_centroids(either, people) == (("4.5000", "0.5000", "0.5000"),)
    balls = map_centroids(small_balls(), people)
    assert balls[0] == ("0.0000", "0.0000", "1.0000")
    assert balls[-1] == ("49.5000", "0.5000", "0.5000")
    assert map_centroids(small_balls(remainder="nearest"), people) == balls[:-1]
    missing = Boxes(weights=(1, 1), boxes=(((0, 2), (0, 1)), ((1, 1), (1, 1))))
    assert map_centroids(missing, (band(),)) == (("1.0000", "0.0000"), ("1.0000", "1.0000"))
    with pytest.raises(ValueError, match="never published"):
        map_centroids(small_prototypes(), people)


def test_a_register_with_several_levels_passes_with_its_bounds() -> None:
    specification = register(small_boxes(), levels=LEVELS[1:])
    assert {sum(map(bool, row)) for row in specification.eligible} == {1}
    assert check_model_shape(specification)["kind"] == "register"
    half = -(-specification.n_min_safe[1] // 2)
    mixed = (specification.n_min_safe[0] - half, half)
    with pytest.raises(SoundnessError, match="finer than may be published") as caught:
        check_model_shape(replace(specification, eligible=(mixed, *specification.eligible[1:])))
    assert caught.value.code == MODEL_SHAPE
