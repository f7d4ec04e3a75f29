"""The life of a survey as an explicit table of irreversible steps."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from server.collection.storage.databases import Connection
from shared.errors import StateError, StorageError
from shared.period import Period


class State(StrEnum):
    """Where a survey stands; there is no way back."""

    DRAFT = "draft"
    TOKENS = "tokens"
    """Only of an election: codes are exchanged for tokens, and no ballot is taken yet."""
    OPEN = "open"
    CLOSED = "closed"
    RELEASED = "released"


NOT_CLOSED: Final = frozenset({State.DRAFT, State.TOKENS, State.OPEN})
_NEXT: Final = MappingProxyType(
    {
        State.DRAFT: State.OPEN,
        State.TOKENS: State.OPEN,
        State.OPEN: State.CLOSED,
        State.CLOSED: State.RELEASED,
        State.RELEASED: None,
    }
)

_WHY_NOT: Final = MappingProxyType(
    {
        State.DRAFT: "the survey is not open yet",
        State.TOKENS: "the election exchanges codes, and takes no ballots yet",
        State.OPEN: "the survey is open",
        State.CLOSED: "the survey is closed",
        State.RELEASED: "the survey's table is already released",
    }
)


def following(state: State, *, election: bool) -> State | None:
    """The only step that leads out of a state; of an election's draft to the exchange of codes.

    Notes
    -----
    In one phase, ten minutes from token to ballot, registrar and collector together name most voters by time.
    """
    return State.TOKENS if election and state is State.DRAFT else _NEXT[state]


def exchanging(*, election: bool) -> State:
    """The state in which codes are exchanged for tokens."""
    return State.TOKENS if election else State.OPEN


def refusal(state: State, step: str, *, election: bool = False) -> StateError:
    """The error for a step that the state does not allow; its code names the state.

    Parameters
    ----------
    state : State
        Where the survey stands.
    step : str
        What was attempted, for the reader: ``"open"``, ``"take submissions"``.
    election : bool
        Whether it is one, whose steps are others.
    """
    step_left = following(state, election=election)
    remedy = f"The only step left is to make it {step_left}" if step_left else "No step is left"
    return StateError(f"cannot {step}: {_WHY_NOT[state]}", remedy=remedy + ".", code=f"state.{state}")


def require_step(current: State, target: State, *, election: bool = False) -> None:
    """Check that one step leads from `current` to `target`.

    Raises
    ------
    StateError
        With the code ``state.<current>`` if it does not.
    """
    if following(current, election=election) is not target:
        raise refusal(current, f"make the survey {target}", election=election)


def read_state(connection: Connection) -> State:
    """The state in a survey's database.

    Raises
    ------
    StorageError
        With the code ``storage.corrupt`` if it has none.
    """
    row = connection.execute("SELECT value FROM survey WHERE name = 'state'").fetchone()
    if row is None:
        raise StorageError("the database is not a survey's", code="storage.corrupt")
    return as_state(row[0])


def at(state: State, period: Period | None, moment: str) -> State:
    """The state as respondents meet it: an open survey takes answers within its signed period alone.

    Parameters
    ----------
    state : State
        Where the survey stands.
    period : Period or None
        Of its specification.
    moment : str
        Now, as :func:`shared.days.is_moment` writes it.
    """
    if state is not State.OPEN or period is None:
        return state
    if period.is_before(moment):
        return State.DRAFT
    return State.CLOSED if period.is_over(moment) else State.OPEN


def as_state(text: str) -> State:
    """The state of a word; refused as :func:`read_state` does."""
    try:
        return State(text)
    except ValueError:
        raise StorageError("the database is not a survey's", code="storage.corrupt") from None
