"""Nine codes of one's own: against lists of those who wait, and against totals, as they were and as they are.

Batches of ten are filled up to nine by accomplices; then the tenth stands alone. The rules of before are kept
here, built into the game that the rules of now must win: otherwise this test could not fail.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest

from server.collection.storage.registrar import Fetched
from server.collection.totals import SCALE, draw_noise, told
from server.invitations.reminding import least_batch, require_batch
from shared.errors import StateError

OWN = 9
K = 3
PEOPLE = 150
SURVEYS = 400
GUESS_AT_MOST = 1 / (1 + math.exp(-1 / SCALE))


def batches_of_ten(issued: int, last_issued: int, waiting: int) -> bool:
    """When a list was given out before: ten on every side, and ten more since the last one."""
    return issued >= 10 and issued - last_issued >= 10 and waiting >= 10


def named_before(order: list[int]) -> bool:
    """A list, then nine codes of her own, then a list as soon as there is one: how many others are new?

    `order` is that in which the others fetch their tokens; she asks after each.
    """
    fetched = set(order[:10])
    first, own = set(fetched), set(range(-OWN, 0))
    fetched |= own
    for person in order[10:]:
        fetched.add(person)
        if batches_of_ten(len(fetched), len(first), PEOPLE - len(fetched)):
            return len(fetched - first - own) == 1
    return False


def named_now(order: list[int], chance: random.Random) -> bool:
    """The one list, as early as there is one, and a guess at who was the last to fetch a token."""
    own = set(range(-OWN, 0))
    fetched = set(own)
    for person in order:
        fetched.add(person)
        waiting = frozenset(number.to_bytes(32, "big") for number in range(PEOPLE - len(fetched)))
        try:
            require_batch(Fetched(waiting=waiting, issued=len(fetched)), k=K, people=PEOPLE)
        except StateError:
            continue
        return chance.choice(sorted(fetched - own)) == person
    return False


def orders() -> Iterable[list[int]]:
    """In which the others fetch their tokens, survey by survey."""
    chance = random.Random(17)
    for _ in range(SURVEYS):
        yield chance.sample(range(PEOPLE - OWN), PEOPLE - OWN)


def test_two_lists_named_one_person_each_time() -> None:
    assert all(named_before(order) for order in orders())


def test_the_one_list_leaves_her_among_the_others() -> None:
    others = least_batch(K, PEOPLE) - OWN
    assert others == 11
    chance = random.Random(4)
    hits = sum(named_now(order, chance) for order in orders())
    expected = SURVEYS / others
    assert abs(hits - expected) < 4 * math.sqrt(expected)


@pytest.mark.parametrize("k", [2, 5, 10, 30, 100])
def test_as_many_accomplices_as_break_a_group_leave_more_than_a_group(k: int) -> None:
    assert least_batch(k, 10_000) - (max(k, 10) - 1) > max(k, 10)


def in_tens(exact: int) -> int:
    """A total as it was told before."""
    return exact - exact % 10


@pytest.mark.parametrize("comes", [False, True])
def test_a_total_in_tens_showed_whether_she_came(comes: bool) -> None:
    """Thirty came before her, and nine are held back no longer."""
    assert (in_tens(30 + OWN + comes) == 40) is comes


def test_the_best_guess_from_daily_totals_is_hardly_better_than_a_coin() -> None:
    """She knows all others, on every day, and sees the growth of the day itself, not even rounded.

    The likelihood of a growth is larger with the person than without exactly if it exceeds what the others
    bring; so no guess is better than this one.
    """
    chance, rounds, right = random.Random(11), 100_000, 0
    for _ in range(rounds):
        comes = chance.random() < 0.5
        right += (draw_noise(chance) + comes >= 1) is comes
    deviation = math.sqrt(0.25 / rounds)
    assert abs(right / rounds - GUESS_AT_MOST) < 4 * deviation
    assert round(GUESS_AT_MOST, 2) == 0.55
    assert round(1 / (1 + math.exp(-2 / SCALE)), 2) == 0.60


def test_many_days_do_not_average_it_away(tmp_path: Path) -> None:
    """She asks on each of thirty days after the day in question, and takes the mean of what she is told."""
    days, chance, right = 30, random.Random(23), 0
    surveys = 400
    for number in range(surveys):
        comes = chance.random() < 0.5
        path = tmp_path / str(number)
        numbers = [
            told(
                path,
                100 + (comes and day > 0),
                most=1000,
                today=lambda day=day: date(2026, 11, 1) + timedelta(days=day),  # type: ignore[misc]
                chance=chance,
            )
            for day in range(days)
        ]
        right += (sum(numbers[1:]) / (days - 1) > numbers[0] + 0.5) is comes
    assert right / surveys < GUESS_AT_MOST + 4 * math.sqrt(0.25 / surveys)
