"""Requests that may be sent again: the server answers the second as it answered the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from shared.errors import RemoteError

ATTEMPTS: Final = 3
T = TypeVar("T")


def repeated(attempt: Callable[[], T]) -> T:
    """The result of a request, made again where the server was not reached.

    Raises
    ------
    RemoteError
        If it was not reached in three attempts, or of another code at once.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return attempt()
        except RemoteError as problem:
            if problem.code != "remote.unreachable":
                raise
    return attempt()
