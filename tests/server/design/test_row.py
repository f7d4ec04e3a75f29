"""The row: a permutation, the same on every run, and better than chance where joining matters."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from server.design import row as rows
from server.design.row import choose_row
from shared.joining import Row, points_of
from shared.participation import ParticipationLevel
from tests.builders import small_specification
from tests.reference import cell_row

HALF = (ParticipationLevel(low="0.5", high="0.5"),)


def grid(side: int) -> list[tuple[int, ...]]:
    return [(10_000 * x, 10_000 * y) for x in range(side) for y in range(side)]


def test_cells_on_a_line_lie_in_their_order() -> None:
    places = random.Random(1).sample(range(60), 60)
    order = choose_row([(10_000 * p,) for p in places], (1,), [[20]] * 60, HALF, 10)
    shown = [places[cell] for cell in order]
    assert shown in (list(range(60)), list(range(59, -1, -1)))


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_every_cell_stands_in_it_once(n: int) -> None:
    chance = random.Random(n)
    points = [tuple(chance.randrange(-5, 5) for _ in range(3)) for _ in range(n)]
    order = choose_row(
        points, (1, 0, 7), [[12, 3]] * n, (*HALF, ParticipationLevel(low="0.6", high="0.6")), 5
    )
    assert sorted(order) == list(range(n))


def test_equal_points_and_constant_coordinates_are_no_trouble() -> None:
    assert sorted(choose_row([(3, 3)] * 9, (1, 1), [[9]] * 9, HALF, 3)) == list(range(9))


def test_it_loses_less_than_the_order_of_the_cells_and_than_chance() -> None:
    chance = random.Random(2)
    points = grid(9)
    chance.shuffle(points)
    eligible = [[24]] * len(points)
    chosen = choose_row(points, (1, 1), eligible, HALF, 10)
    draws = rows._draws(eligible, HALF)

    def score(order: tuple[int, ...]) -> int:
        row = Row(order=order, points=tuple(points), weights=(1, 1))
        return sum(rows._loss(row, counts, 10) for counts in draws)

    others = [tuple(range(81)), *(tuple(chance.sample(range(81), 81)) for _ in range(5))]
    assert 2 * score(chosen) < min(map(score, others))


def test_the_hilbert_curve_steps_to_a_neighbour() -> None:
    keys = {(x, y): rows._hilbert_key([x, y]) for x in range(32) for y in range(32)}
    path = sorted(keys, key=keys.__getitem__)
    assert len(set(keys.values())) == len(keys)
    assert all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in itertools.pairwise(path))


def test_two_opt_leaves_no_turn_that_shortens_the_path() -> None:
    def length(path: list[int]) -> float:
        return sum(math.dist(z[:, a], z[:, b]) for a, b in itertools.pairwise(path))

    chance = random.Random(3)
    for _ in range(30):
        n = chance.randint(2, 25)
        z = rows._scaled([(chance.randrange(99), chance.randrange(99)) for _ in range(n)], (1, 1))
        order = chance.sample(range(n), n)
        [better] = rows._two_opt(z, [order])
        assert sorted(better) == list(range(n))
        turned = (
            [*better[:i], *better[i:j][::-1], *better[j:]] for i, j in itertools.combinations(range(n + 1), 2)
        )
        assert length(better) <= min([length(order), *map(length, turned)]) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_those_of_comparing_everything(seed: int) -> None:
    """Bit for bit: also of equal points, of coordinates without weight, and of many categories."""
    chance = np.random.default_rng(seed)
    n, d = int(chance.integers(1, 70)), int(chance.integers(1, 6))
    points = chance.integers(0, int(chance.integers(1, 40)), (n, d))
    categories = 10 * np.eye(12, dtype=np.int64)[chance.integers(0, 12, n)]
    points = np.concatenate([points, categories], axis=1)[:, : int(chance.choice([d, d + 12]))]
    weights = tuple(chance.integers(0, 9, points.shape[1]).tolist())
    z = rows._scaled([tuple(point) for point in points.tolist()], weights)
    people = chance.integers(5, 60, n).astype(float)
    leaves = rows._ward_leaves(z, people)
    assert leaves == cell_row.ward_leaves(z, people)
    orders = [leaves, chance.permutation(n).tolist()]
    assert rows._two_opt(z, orders) == [cell_row.two_opt(z, order) for order in orders]


def test_turnouts_are_drawn_alike_everywhere() -> None:
    """From SHAKE-256, not from a generator that a library may change."""
    draws = rows._draws([[40, 10], [30, 0]], (*HALF, ParticipationLevel(low="0.75", high="0.75")))
    assert len(draws) == len(rows.SHARES) * rows.MOST_DRAWS
    assert draws[0] == (28, 10)
    assert draws[-1][0] < draws[0][0]


def test_very_many_people_are_counted_on_instead_of_drawn() -> None:
    [first, *_] = rows._draws([[4_000_001]], HALF)
    assert first == (2_000_000,)


def test_it_is_a_function_of_what_is_published() -> None:
    specification = small_specification()
    given = (
        points_of(specification.centroids),
        specification.weights,
        specification.eligible,
        specification.levels,
        specification.release.minimum,
    )
    assert choose_row(*given) == choose_row(*given)
