"""The registrar's list of codes that have not fetched a token: one list for each survey, and no other.

Two lists of people who have not fetched a token differ by those who did in between, and nobody can choose a
batch so large that accomplices could not fill it up to one: whoever holds nine codes and may ask again after
ten have fetched learns who the tenth is. So there is one list. A reminder to everybody needs none.

Even one list tells the moment at which it may be made. So it may be asked for once a day, and is made only
when :func:`least_batch` people have fetched a token, and as many have not: more than twice as many as the
accomplices who would break a group anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server import files
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import Fetched
from server.collection.storage.retention import Today, utc_today
from server.collection.storage.states import exchanging, refusal
from shared.ballot import require_invited
from shared.errors import StateError
from shared.roll import Roll

FEWEST: Final = 10
_WHY: Final = "Or remind everybody, which needs no list: roomful invite --reminder, where the codes are."


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingList:
    """What was made.

    Attributes
    ----------
    people : int
        Whose codes have not fetched a token.
    of : int
        Codes on the roll.
    file : str
        The list.
    """

    people: int
    of: int
    file: str


def least_batch(k: int, people: int) -> int:
    """The fewest who must have fetched a token, and the fewest who must not have.

    Twice max(k, 10), and never less than a tenth of all: with up to max(k, 10) - 1 accomplices at least
    max(k, 10) + 1 others are among them.
    """
    return max(2 * max(k, FEWEST), -(-people // 10))


def require_batch(found: Fetched, *, k: int, people: int) -> None:
    """Refuse a list that would tell single people apart.

    Parameters
    ----------
    found : Fetched
        What the registrar's file says.
    k, people : int
        Of the specification.

    Raises
    ------
    StateError
        With the code ``state.reminder``. Guarantee: the message depends on no number of fetched tokens but
        by whether it is below the batch.
    """
    least = least_batch(k, people)
    if len(found.waiting) + found.issued < 2 * least:
        raise _refused(f"only {people} people are invited, too few for a list", _WHY)
    if found.issued < least:
        raise _refused(f"fewer than {least} people have fetched a token", f"Ask tomorrow. {_WHY}")
    if len(found.waiting) < least:
        raise _refused(f"fewer than {least} people have not fetched a token yet", _WHY)


def list_waiting(data: DataDirectory, survey: str, out: Path, *, today: Today = utc_today) -> WaitingList:
    """Write the roll hashes of all codes that have not fetched a token, once for each survey.

    Parameters
    ----------
    data : DataDirectory
        The registrar's.
    survey : str
        The survey's id.
    out : Path
        File that must not exist. It goes to whoever holds the codes.
    today : callable
        The day in UTC.

    Raises
    ------
    StateError
        With the code ``state.reminder`` if single people would be told apart, the list was made before, or it
        was asked for today already; ``state.<state>`` if the survey is not open; ``state.no-invitations``.
    InputError, StorageError
        If the file is there or cannot be written.

    Notes
    -----
    That the list is made is noted before it is written. If the machine stops in between the list is lost, and
    everybody can be reminded.
    """
    store = data.survey(survey)
    invited = require_invited(store.specification)
    if (state := store.state) is not exchanging(election=store.is_election):
        raise refusal(state, "remind people", election=store.is_election)
    files.require_free(out)
    data.require_current(survey)
    registrar = data.registrar(survey)
    found = registrar.ask_for_waiting(today().isoformat())
    require_batch(found, k=store.specification.k, people=invited.people)
    registrar.note_waiting_listed()
    roll = Roll(roll_id=invited.codes.roll_id, boxes=(tuple(sorted(found.waiting)),))
    with files.named_file_errors(out.name):
        files.write_new(out, roll.to_bytes())
    return WaitingList(people=len(roll.hashes), of=invited.people, file=str(out))


def _refused(message: str, remedy: str) -> StateError:
    return StateError(message, remedy=remedy, code="state.reminder")
