"""The one place where errors become exit codes (documented in docs/command-line.md)."""

from __future__ import annotations

from typing import Final

from shared.errors import (
    DesignError,
    InputError,
    NotFoundError,
    OpeningError,
    ReleaseError,
    RemoteError,
    RoomfulError,
    SetupError,
    SpecificationError,
    StateError,
    StorageError,
    SubmissionError,
    TokenError,
    VerificationError,
)

INTERNAL, USAGE = 1, 2

EXIT_CODES: Final[tuple[tuple[type[RoomfulError], int], ...]] = (
    (InputError, 3),
    (DesignError, 4),
    (VerificationError, 5),
    (SpecificationError, 5),
    (StateError, 6),
    (NotFoundError, 6),
    (ReleaseError, 7),
    (OpeningError, 7),
    (RemoteError, 8),
    (SubmissionError, 8),
    (TokenError, 8),
    (StorageError, 9),
    (SetupError, 10),
)


def exit_code(error: RoomfulError) -> int:
    """Exit code of an error; 1 for one that has no class of its own."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), INTERNAL)
