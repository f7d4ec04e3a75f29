"""``roomful trustees decrypt``: one trustee's factors of the sums of an election, on her own computer.

Nothing is multiplied by her share before everything was verified, equal statements of enough trustees were
found, and her own ledger has this statement; and then only sums of whole groups are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from server.progress import StageProgress
from server.release.trustees.election_key import secret_of
from server.release.trustees.ledger import Ledger
from server.release.trustees.library import library
from server.release.trustees.shares import Share
from shared.election.decryption import decrypt
from shared.election.factors import FactorsFile
from shared.election.group import Group, PythonGroup
from shared.errors import OpeningError
from shared.invited import require_election
from shared.statements import Statement, require_statements
from shared.verification import election
from shared.verification.election import Election
from shared.verification.examining import ReceivedExport

GROUP: Final = PythonGroup()


def examine_election(received: ReceivedExport, progress: StageProgress, group: Group = GROUP) -> Election:
    """As :func:`shared.verification.election.examine_election`, by the arithmetic of this computer."""
    return election.examine_election(received, library(group), progress)


def decrypt_sums(
    received: ReceivedExport,
    *,
    statements: Sequence[tuple[str, Statement]],
    share: Share,
    ledger_path: Path,
    random_bytes: Callable[[int], bytes],
    progress: StageProgress,
) -> tuple[Election, FactorsFile]:
    """One trustee's factors.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        Each refusal by its code; nothing was decrypted then.

    Notes
    -----
    Guarantee: with one ledger and one share, sums of at most one set of groups of one board are ever
    decrypted; and for a second set t trustees would have to break this rule.
    """
    found = examine_election(received, progress)
    examined = found.examined
    invited = examined.survey.invited
    require_statements(examined.stated, invited, statements)
    ledger = Ledger.read(ledger_path, invited.opening_key)
    ledger.require_one_survey(examined.survey.digest)
    if not ledger.require_only(examined.stated):
        raise OpeningError(
            "your ledger has no statement about this election",
            where=str(ledger_path),
            expected="your newest ledger, with the statement that you made",
            remedy="State first: roomful trustees state. Without your ledger decrypt nothing.",
            code="opening.ledger",
        )
    secret = secret_of(share, require_election(invited))
    number = sum(len(choices) for contests in found.sums for choices in contests)
    fresh = [random_bytes(32) for _ in range(number)]
    factors = decrypt(secret, share.number, examined.stated, found.sums, fresh, GROUP)
    return found, FactorsFile(stated=examined.stated, trustee=share.number, factors=factors)
