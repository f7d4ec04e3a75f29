"""Generate Lindenau, a synthetic town of 20,000 adults, for the demo.

    python deploy/town.py --out DIR [--seed 2015] [--people 20000]

Nobody in it exists. It is drawn household by household, so that the attributes hang together as in a real
town: families live at the edge and students in the centre, older people went to school for less time, couples
are of similar age, and income follows education and age. Three files are written:

``town.csv``
    The public population model, one row per adult: ``age``, ``sex``, ``district``, ``education``. These are
    the quasi-identifiers: what a neighbour could know.
``people.csv``
    The same people in the same order with what they would answer in the demo's survey. It stands for what is
    in their heads; only ``roomful simulate`` reads it, and only to answer on their behalf.
``districts.csv``
    The lookup table of the attribute ``district``: its place in units of 100 m east and north of the market.

The same seed gives the same bytes on any machine and any Python: only ``random.Random(seed).random()`` is
used, which Python promises to keep, and no library beyond the standard one.

How a household is drawn
    1. A district, with probability proportional to its size.
    2. A type of household: one of seven, with the district's own shares.
    3. Its adults (16 or older), aged and sexed by the type's rule. Children are not in the file.
    4. For each adult an education that depends on the birth cohort, the district and chance.
    5. For each adult the answers, which depend on all of the above.

The shares are round figures of plausible size for a middle-sized European town, taken from no data set.
"""

from __future__ import annotations

import argparse
import csv
import io
import math
import random
import sys
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

Choice = TypeVar("Choice")
Chance = Callable[[], float]

EDUCATION = ("none", "lower", "vocational", "upper", "degree")
HOUSEHOLDS = ("student", "single", "couple", "family", "single-parent", "older-couple", "widowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class District:
    """A part of the town: its place, its size and who lives there."""

    name: str
    east: int
    north: int
    weight: int
    household_shares: tuple[int, ...]
    learned: float


_CENTRE, _OLD_TOWN, _BLOCKS, _EDGE, _VILLAGE = (
    (24, 26, 18, 10, 6, 8, 8),
    (10, 24, 18, 14, 6, 14, 14),
    (6, 20, 14, 22, 14, 12, 12),
    (1, 8, 18, 42, 6, 17, 8),
    (1, 7, 14, 36, 4, 24, 14),
)

DISTRICTS = (
    District(name="Market", east=0, north=0, weight=9, household_shares=_CENTRE, learned=0.12),
    District(name="Cathedral", east=3, north=5, weight=7, household_shares=_CENTRE, learned=0.14),
    District(name="Station", east=-6, north=2, weight=9, household_shares=_CENTRE, learned=0.02),
    District(name="University", east=8, north=11, weight=8, household_shares=_CENTRE, learned=0.22),
    District(name="Old Town South", east=2, north=-6, weight=7, household_shares=_OLD_TOWN, learned=0.04),
    District(name="Tanners' Quarter", east=-9, north=-5, weight=6, household_shares=_OLD_TOWN, learned=-0.02),
    District(name="Riverside", east=12, north=-3, weight=6, household_shares=_OLD_TOWN, learned=0.10),
    District(name="Harbour", east=17, north=-9, weight=5, household_shares=_BLOCKS, learned=-0.06),
    District(name="North Blocks", east=-4, north=21, weight=9, household_shares=_BLOCKS, learned=-0.10),
    District(name="West Blocks", east=-21, north=8, weight=8, household_shares=_BLOCKS, learned=-0.12),
    District(name="Garden City", east=20, north=18, weight=6, household_shares=_EDGE, learned=0.10),
    District(name="Vineyard Hill", east=29, north=9, weight=4, household_shares=_EDGE, learned=0.18),
    District(name="Mill Meadows", east=-14, north=-22, weight=5, household_shares=_EDGE, learned=0.02),
    District(name="South Fields", east=9, north=-27, weight=5, household_shares=_EDGE, learned=0.00),
    District(name="Upper Lindenau", east=-33, north=29, weight=3, household_shares=_VILLAGE, learned=-0.03),
    District(name="Saint Anne", east=46, north=-31, weight=3, household_shares=_VILLAGE, learned=-0.04),
)

FILES = ("town.csv", "people.csv", "districts.csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One synthetic adult: quasi-identifiers first, then what she would answer."""

    age: int
    sex: str
    district: str
    education: str
    satisfaction: int
    transport: str
    spending: str
    housing_share: int
    car_free_centre: str
    skipped_doctor: str


QUASI_IDENTIFIERS = ("age", "sex", "district", "education")
ANSWERS = ("satisfaction", "transport", "spending", "housing_share", "car_free_centre", "skipped_doctor")


def population(n_people: int, seed: int) -> Iterator[Person]:
    """Draw exactly ``n_people`` adults, household by household."""
    chance = random.Random(seed).random
    drawn = 0
    while drawn < n_people:
        district = _pick(chance, DISTRICTS, [d.weight for d in DISTRICTS])
        household = _pick(chance, HOUSEHOLDS, district.household_shares)
        # Who lives together answers alike in part: they share the rent and the distance to the market.
        shared_luck = chance()
        for age, sex in _adults(chance, household):
            if drawn == n_people:
                return
            drawn += 1
            yield _person(chance, district, household, age, sex, shared_luck)


def write(out: Path, n_people: int, seed: int) -> None:
    """Write the three files into a folder, creating it."""
    people = list(population(n_people, seed))
    out.mkdir(parents=True, exist_ok=True)
    _write_csv(out / "town.csv", QUASI_IDENTIFIERS, people)
    _write_csv(out / "people.csv", QUASI_IDENTIFIERS + ANSWERS, people)
    rows = [(d.name, str(d.east), str(d.north)) for d in DISTRICTS]
    (out / "districts.csv").write_bytes(_csv_bytes([("value", "east", "north"), *rows]))


def _adults(chance: Chance, household: str) -> list[tuple[int, str]]:
    """Ages and sexes of the adults of a household."""
    if household == "student":
        return [(18 + _skewed(chance, 10), _sex(chance, 0.52)) for _ in range(1 + int(3 * chance()))]
    if household == "single":
        return [(24 + _skewed(chance, 52), _sex(chance, 0.46))]
    if household == "widowed":
        age = 66 + _skewed(chance, 30)
        return [(age, _sex(chance, 0.78))]
    if household == "single-parent":
        parent = 22 + int(32 * (chance() + chance()) / 2)
        return [(parent, _sex(chance, 0.84)), *_grown_children(chance, parent)]
    if household == "couple":
        return _pair(chance, 23 + int(44 * chance()))
    if household == "family":
        parent = 26 + int(40 * (chance() + chance()) / 2)
        return [*_pair(chance, parent), *_grown_children(chance, parent)]
    return _pair(chance, 56 + _skewed(chance, 38))


def _pair(chance: Chance, age: int) -> list[tuple[int, str]]:
    """Two partners of similar age, one in twenty-five of the same sex."""
    first = _sex(chance, 0.5)
    other = {"female": "male", "male": "female"}[first] if chance() > 0.04 else first
    gap = int(9 * (chance() + chance() - 0.75))
    return [(age, first), (max(18, min(97, age - gap if first == "male" else age + gap)), other)]


def _grown_children(chance: Chance, parent: int) -> list[tuple[int, str]]:
    """Children of 16 or more who still live with a parent."""
    children = []
    for _ in range(1 + int(2.4 * chance())):
        age = parent - 22 - int(16 * chance())
        if 16 <= age <= 27 and chance() < (1.0 if age < 19 else 0.55):
            children.append((age, _sex(chance, 0.48)))
    return children


def _person(
    chance: Chance, district: District, household: str, age: int, sex: str, shared_luck: float
) -> Person:
    education = _education(chance, district, household, age)
    level = EDUCATION.index(education)
    far = math.sqrt(district.east**2 + district.north**2) / 10  # kilometres from the market
    comfort = 0.18 * level + 0.5 * shared_luck + (0.25 if 35 <= age < 67 else 0.0)
    comfort -= 0.3 if household in ("single-parent", "student") else 0.0
    share = int(46 - 16 * comfort + 14 * (chance() - 0.5) + (4 if far < 1 else 0))
    mood = 2.4 + 1.1 * comfort + 0.5 * (age > 60) - 0.15 * far + 1.6 * (chance() + chance() - 1)
    return Person(
        age=age,
        sex=sex,
        district=district.name,
        education=education,
        satisfaction=max(1, min(5, int(mood + 0.5))),
        transport=_transport(chance, far, age, level),
        spending=_spending(chance, far, age, household),
        housing_share=max(5, min(80, share)),
        car_free_centre=_yes(chance, 0.35 + 0.08 * level - 0.09 * far + 0.2 * (age < 35)),
        skipped_doctor=_yes(chance, 0.26 - 0.16 * comfort),
    )


def _education(chance: Chance, district: District, household: str, age: int) -> str:
    """Later cohorts stayed longer at school; the young have not finished yet."""
    if age < 19:
        return _pick(chance, EDUCATION, (30, 45, 5, 20, 0))
    if household == "student" and age < 25:
        return _pick(chance, EDUCATION, (1, 2, 7, 78, 12))
    cohort = max(0.0, min(1.0, (90 - age) / 60))
    learned = max(0.02, 0.10 + 0.28 * cohort + district.learned)
    rest = 1 - learned
    shares = (0.10 - 0.07 * cohort, 0.34 - 0.20 * cohort, 0.48, 0.08 + 0.12 * cohort)
    weights = [*(round(1000 * rest * share) for share in shares), round(1000 * learned)]
    return _pick(chance, EDUCATION, weights)


def _transport(chance: Chance, far: float, age: int, level: int) -> str:
    walk, bicycle = 34 - 7 * far, 30 - 2 * far - 0.2 * age + 2 * level
    bus, car = 18 + 0.15 * age, 20 + 12 * far if age >= 18 else 1
    weights = [max(1, round(10 * weight)) for weight in (walk, bicycle, bus, car)]
    return _pick(chance, ("walk", "bicycle", "bus", "car"), weights)


def _spending(chance: Chance, far: float, age: int, household: str) -> str:
    """What the town should spend more on: any number of five, separated by a bar."""
    family = household in ("family", "single-parent")
    wishes = {
        "schools": 0.25 + 0.45 * family,
        "buses": 0.25 + 0.08 * far + 0.15 * (age > 70),
        "housing": 0.55 - 0.004 * age,
        "parks": 0.30 + 0.1 * family,
        "safety": 0.12 + 0.004 * age,
    }
    return "|".join(wish for wish, probability in wishes.items() if chance() < probability)


def _pick(chance: Chance, options: Sequence[Choice], weights: Sequence[int]) -> Choice:
    """One of the options, with integer weights so that no rounding differs between machines."""
    bounds = list(accumulate(weights))
    return options[bisect(bounds, int(chance() * bounds[-1]))]


def _skewed(chance: Chance, span: int) -> int:
    """A number below ``span``, low ones more likely."""
    return int(span * chance() * (0.45 + 0.55 * chance()))


def _sex(chance: Chance, female: float) -> str:
    return "female" if chance() < female else "male"


def _yes(chance: Chance, probability: float) -> str:
    return "yes" if chance() < probability else "no"


def _write_csv(path: Path, columns: Sequence[str], people: Sequence[Person]) -> None:
    rows = [[str(getattr(person, column)) for column in columns] for person in people]
    path.write_bytes(_csv_bytes([columns, *rows]))


def _csv_bytes(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Generate a synthetic town for the Roomful demo.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write " + ", ".join(FILES))
    parser.add_argument("--seed", type=int, default=2015, help="another seed, another town (default 2015)")
    parser.add_argument("--people", type=int, default=20_000, help="number of adults (default 20000)")
    options = parser.parse_args()
    if options.people < 1:
        parser.error("--people must be at least 1")
    write(options.out, options.people, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
