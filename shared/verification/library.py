"""What verification leaves to a library: signatures, and the arithmetic of votes.

:func:`standard_library` takes none but Python's own: for browsers, and as the second implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from shared import ed25519
from shared.ballot import Ballot
from shared.election.group import Group, PythonGroup
from shared.envelope import SignatureClaim
from shared.invited import Invited
from shared.token import Token


class BallotSignatures(Protocol):
    """Verifies what the ballots of one survey are signed with."""

    def verify_token(self, token: Token, cell: int) -> None:
        """As :meth:`shared.token.Token.verify`, with the key of a cell: in an election it counts there only.

        Raises
        ------
        TokenError
            With the code ``token.signature`` or ``token.device-key``.
        """

    def verify_signature(self, ballot: Ballot) -> None:
        """As :meth:`shared.ballot.Ballot.verify`, of a ballot whose token was verified.

        Raises
        ------
        SubmissionError
            With the code ``ballot.signature``.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The arithmetic of a verifier.

    Attributes
    ----------
    verifies : callable
        Whether an Ed25519 signature is genuine.
    ballots : callable
        Verifies the ballots of a survey, from its keys and its digest.
    group : Group
        Of votes.
    random_bytes : callable
        Gives so many bytes that nobody could foresee when the ballots were made.
    """

    verifies: Callable[[SignatureClaim], bool]
    ballots: Callable[[Invited, str], BallotSignatures]
    group: Group
    random_bytes: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class PythonSignatures:
    """:class:`BallotSignatures` by the standard library alone.

    Attributes
    ----------
    invited : Invited
        With the registrar's keys.
    digest : str
        The survey's identity.
    """

    invited: Invited
    digest: str

    def verify_token(self, token: Token, cell: int) -> None:
        """See :meth:`BallotSignatures.verify_token`."""
        token.verify(self.invited.token_key(cell), self.digest)

    def verify_signature(self, ballot: Ballot) -> None:
        """See :meth:`BallotSignatures.verify_signature`."""
        ballot.verify(self.digest)


def standard_library(random_bytes: Callable[[int], bytes]) -> Library:
    """The arithmetic of Python's standard library; as :class:`Library`."""
    return Library(
        verifies=lambda claim: ed25519.verifies(claim.public_key, claim.signature, claim.message),
        ballots=PythonSignatures,
        group=PythonGroup(),
        random_bytes=random_bytes,
    )
