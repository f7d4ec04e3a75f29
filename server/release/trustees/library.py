"""The arithmetic of those who verify on a computer: ``cryptography`` for signatures, any group for votes."""

from __future__ import annotations

import os
from typing import Final

from server.collection.tokens.verifying import BallotVerifier
from server.keys.signing_keys import verifies
from shared.election.group import Group, PythonGroup
from shared.verification.library import Library

_GROUP: Final = PythonGroup()


def library(group: Group = _GROUP) -> Library:
    """Signatures by ``cryptography``; where a share is at hand no other library is loaded."""
    return Library(verifies=verifies, ballots=BallotVerifier, group=group, random_bytes=os.urandom)
