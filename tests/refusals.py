"""How something is refused: the code that a test compares."""

from __future__ import annotations

from collections.abc import Callable

from shared.errors import RoomfulError


def code_of(action: Callable[[], object]) -> str:
    """Code of the error; empty if there is none."""
    try:
        action()
    except RoomfulError as error:
        return error.code
    return ""
