"""How far an open invited survey is: a number that is drawn once a day and is wrong on purpose.

Whoever asks for an exact total every second sees single ballots arrive. Rounding does not help: with nine
codes of one's own a total in tens can be held just below its next step, and the next ballot shows. So the
total that is told is taken once a day (UTC), for all machines that collect, and has a random number added,
drawn anew each day and kept:

    told = exact + N_1 + ... + N_today,   P(N = n) proportional to exp(-|n| / SCALE)

Guarantee (differential privacy): one person's ballot, or token, changes one day's growth by one, and that
growth is told with a noise of its own. So whatever else an attacker knows or sends herself, with any number
of codes of her own, everything that is told until closing is at most exp(1 / SCALE) times as likely with this
ballot as without it. For a person of whom nothing else is known, a guess from the totals of ballots is right
with a chance of at most 1 / (1 + exp(-1 / SCALE)): 0.55; from those of ballots and tokens together 0.60.

References
----------
Dwork, McSherry, Nissim and Smith 2006. Ghosh, Roughgarden and Sundararajan 2009 (the two-sided geometric
distribution). McSherry 2009, theorem 4 (parallel composition).
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Final

from server import files
from server.collection.storage import database as db
from server.collection.storage.retention import Today, utc_today
from server.collection.storage.states import NOT_CLOSED
from server.collection.storage.store import SurveyStore
from shared.ballot import require_invited
from shared.errors import StorageError

SCALE: Final = 5
"""The larger, the less a total tells; after d days its standard deviation is about SCALE x sqrt(2 d)."""
STEP: Final = 10
_CHANCE: Final = random.SystemRandom()


def arrived(store: SurveyStore, *, today: Today = utc_today) -> int | None:
    """The answers of a survey, of an invited one about so many while it is open; None if deleted."""
    total = store.total()
    if total is None or store.specification.invited is None:
        return total
    return told_until_closing(store, "total-ballots", total, today=today)


def told_until_closing(store: SurveyStore, name: str, exact: int, *, today: Today = utc_today) -> int:
    """A number of an invited survey: until it is closed for good the one to tell, then the exact one.

    A clock that stands beyond the signed end closes nothing for good, and tells nothing exact.

    Parameters
    ----------
    store : SurveyStore
        The survey.
    name : str
        File beside its anchor that keeps the number to tell, deleted once it is closed.
    exact : int
        The true number, now.
    today : callable
        See :func:`told`.
    """
    path = store.told(name)
    if store.state in NOT_CLOSED:
        return told(path, exact, most=require_invited(store.specification).people, today=today)
    with files.named_file_errors(name):
        path.unlink(missing_ok=True)
    return exact


def told(
    path: Path, exact: int, *, most: int, today: Today = utc_today, chance: random.Random = _CHANCE
) -> int:
    """The number to tell today instead of an exact one, rounded down to a multiple of ten.

    Parameters
    ----------
    path : Path
        Where today's number and the sum of the noise are kept.
    exact : int
        The true number, now.
    most : int
        The largest that is possible.
    today : callable
        The day in UTC. An earlier day than that of the last number gets the last number.
    chance : random.Random
        The system's generator.
    """
    day = today().isoformat()
    with files.named_file_errors(path.name):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with db.turn(path):
        last_day, number, noise = _read(path)
        if day > last_day:
            noise += draw_noise(chance)
            number = exact + noise
            with files.named_file_errors(path.name):
                files.replace(path, f"{day} {number} {noise}\n".encode("ascii"))
    number = min(max(number, 0), most)
    return number - number % STEP


def draw_noise(chance: random.Random) -> int:
    """A whole number of the two-sided geometric distribution with :data:`SCALE`."""

    def geometric() -> int:
        return math.floor(-SCALE * math.log(1.0 - chance.random()))

    return geometric() - geometric()


def _read(path: Path) -> tuple[str, int, int]:
    """Day, number and sum of the noise as they were kept; nothing yet is the day before all others."""
    with files.named_file_errors(path.name):
        if not path.is_file():
            return "", 0, 0
        parts = path.read_bytes().decode("ascii", "replace").split()
    try:
        day, number, noise = parts
        return day, int(number), int(noise)
    except ValueError:
        raise StorageError(
            "the kept total is damaged", where=path.name, remedy="Delete the file.", code="storage.corrupt"
        ) from None
