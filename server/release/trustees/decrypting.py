"""``roomful trustees decrypt``: one trustee's factors of the sums of an election, on her own computer.

Nothing is multiplied by her share before everything was verified, equal statements of enough trustees were
found, and her own ledger has this statement; and then only sums of whole groups are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.files import read_file
from server.progress import StageProgress
from server.release.trustees.election_key import secret_of
from server.release.trustees.examining import Examined, ReceivedExport, examine_export
from server.release.trustees.export import SIGNATURES_FILE, SignedSurvey
from server.release.trustees.ledger import Ledger
from server.release.trustees.shares import Share
from shared.election.decryption import decrypt
from shared.election.electorate import election_terms
from shared.election.factors import FactorsFile
from shared.election.group import Group, PythonGroup
from shared.election.groups import Sums, add_up
from shared.election.key_signatures import MAX_SIGNATURES_BYTES, KeySignatures
from shared.errors import ElectionError, OpeningError
from shared.invited import require_election
from shared.statements import Statement, require_statements

GROUP: Final = PythonGroup()


@dataclass(frozen=True, slots=True, kw_only=True)
class Election:
    """An election that was verified up to the sums of its groups.

    Attributes
    ----------
    examined : Examined
    sums : tuple of Sums
        Of each permitted group.
    """

    examined: Examined
    sums: tuple[Sums, ...]

    @property
    def ballots(self) -> tuple[int, ...]:
        """Counted ballots of each group."""
        counts = self.examined.counts
        return tuple(sum(counts[cell] for cell in group) for group in self.examined.permitted.groups)


def examine_election(received: ReceivedExport, progress: StageProgress, group: Group = GROUP) -> Election:
    """Verify all that can be verified of an election without a share, and add its votes.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        As :func:`examine_export`; ``opening.not-an-election``; ``opening.discrepancy`` if there are more
        ballots than used codes, which nobody can accept in an election; ``election.key-signature``.
    """
    examined = examine_export(received, progress, group)
    survey = examined.survey
    require_key_signatures(received.folder, survey)
    if examined.surplus:
        raise OpeningError(
            f"there are {examined.surplus} more ballots than used codes",
            where="board",
            expected="at most one ballot for each used code",
            remedy="In an election nobody can accept that. Decrypt nothing, and ask registrar and collector.",
            code="opening.discrepancy",
        )
    terms = election_terms(survey.specification, survey.digest)
    return Election(examined=examined, sums=add_up(examined.votes, examined.permitted.groups, terms, group))


def require_key_signatures(folder: Path, survey: SignedSurvey) -> None:
    """Refuse an election that not every trustee has signed.

    Raises
    ------
    OpeningError
        With the code ``opening.not-an-election``.
    ElectionError
        With the code ``election.key-signature``.
    """
    trustees = require_election(survey.invited)
    data = read_file(folder / SIGNATURES_FILE, "the trustees' rehearsal", MAX_SIGNATURES_BYTES)
    try:
        signatures = KeySignatures.parse(data, SIGNATURES_FILE)
    except ElectionError as error:
        raise ElectionError(
            error.message, where=SIGNATURES_FILE, expected=error.expected, code="election.key-signature"
        ) from None
    signatures.verify(trustees, survey.digest, GROUP)


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
    election = examine_election(received, progress)
    examined = election.examined
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
    number = sum(len(choices) for contests in election.sums for choices in contests)
    fresh = [random_bytes(32) for _ in range(number)]
    factors = decrypt(secret, share.number, examined.stated, election.sums, fresh, GROUP)
    return election, FactorsFile(stated=examined.stated, trustee=share.number, factors=factors)
