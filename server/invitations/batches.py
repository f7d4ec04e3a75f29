"""When a reminder may be made: never so that the organizer sees single people fetch their tokens.

Two lists of people who have not fetched a token, a day apart, differ by those who did in between. If that is
one person, and one ballot was stored in between, the list says whose it is. So people are told apart only in
batches: those who have fetched and those who have not are at least :func:`least_batch` each, and at least so
many have fetched since the last list.
"""

from __future__ import annotations

from typing import Final

from server.storage.registrar import Fetched
from server.storage.states import State
from server.storage.store import SurveyStore
from shared.errors import StateError

FEWEST: Final = 10
_WHY: Final = "Who has fetched a token is shown only in batches, so that no single person stands out."


def least_batch(k: int) -> int:
    """The fewest people that are told apart from others: k, and never less than ten."""
    return max(k, FEWEST)


def shown_total(issued: int) -> int:
    """A number of tokens or ballots as it is shown while it grows: rounded down to a multiple of ten."""
    return issued - issued % FEWEST


def arrived(store: SurveyStore) -> int | None:
    """The answers of a survey, of an invited one rounded down while it is open; None if they are deleted.

    Whoever asks every second must not see single ballots arrive.
    """
    state, total = store.state, store.total()
    if total is None or state is not State.OPEN or store.specification.invited is None:
        return total
    return shown_total(total)


def require_batch(found: Fetched, *, given: int, k: int, today: str) -> None:
    """Refuse a reminder that would tell single people apart.

    Parameters
    ----------
    found : Fetched
        What the registrar's file says of the codes given.
    given : int
        How many codes were given.
    k : int
        Of the specification.
    today : str
        The day, as ``YYYY-MM-DD``.

    Raises
    ------
    StateError
        With the code ``state.reminder``. Guarantee: the message depends on no number of fetched tokens but
        by whether it is below the batch.
    """
    least = least_batch(k)
    if found.known < given:
        raise _refused("some of the codes are not of this survey", "Give mail-merge.csv of this survey.")
    if found.last_day == today:
        raise _refused("a reminder was made today already", "Use its letters; the next can be made tomorrow.")
    if found.last_day > today:
        raise _refused(
            f"the last reminder was made on {found.last_day}, and this clock says {today}",
            "Set the clock: turn on time synchronization.",
        )
    if given - len(found.waiting) < least:
        raise _refused(f"fewer than {least} of these people have fetched a token", f"{_WHY} Wait.")
    if found.issued - found.last_issued < least:
        raise _refused(f"fewer than {least} have fetched a token since the last reminder", f"{_WHY} Wait.")
    if len(found.waiting) < least:
        raise _refused(f"fewer than {least} have not fetched a token yet", f"{_WHY} Remind nobody any more.")


def _refused(message: str, remedy: str) -> StateError:
    return StateError(message, remedy=remedy, code="state.reminder")
