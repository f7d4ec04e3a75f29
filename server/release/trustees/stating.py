"""``roomful trustees state``: one trustee's statement, on her own computer, with her own ledger.

The steps are those of docs/protocol.md, "The opening". A share is used for her signature alone; nothing can
be decrypted with one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from server.progress import StageProgress
from server.release.trustees.examining import examine_export
from server.release.trustees.ledger import Ledger
from server.release.trustees.shares import Share
from server.release.trustees.statement_keys import require_statement_key, sign_statement
from shared.statements import Statement
from shared.verification.examining import Examined, ReceivedExport


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementReport:
    """A statement, and what its trustee should see.

    Attributes
    ----------
    statement : Statement
    examined : Examined
    repeated : bool
        Whether the ledger had exactly this statement already.
    ledger : Ledger
        With this statement in it.
    """

    statement: Statement
    examined: Examined
    repeated: bool
    ledger: Ledger


def state_export(
    received: ReceivedExport, *, share: Share, ledger_path: Path, progress: StageProgress
) -> StatementReport:
    """Sign that this is the one set of ballots of its survey.

    Parameters
    ----------
    received : ReceivedExport
    share : Share
        Hers.
    ledger_path : Path
        Hers. The statement is on the disk there when this returns.
    progress : callable
        ``(stage, done, total)``.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        Each refusal by its code; nothing was signed then, and the ledger is as it was.

    Notes
    -----
    Guarantee: with one ledger and one share, at most one set of ballots, with one set of groups, is ever
    signed for a survey.
    """
    examined = examine_export(received, progress)  # 1 to 5
    invited = examined.survey.invited
    require_statement_key(invited, share)  # 6
    ledger = Ledger.read(ledger_path, invited.opening_key)
    if invited.election is not None:
        ledger.require_one_survey(examined.survey.digest)
    repeated = ledger.require_only(examined.stated)  # 7
    if not repeated:
        ledger = ledger.append(examined.stated)
    statement = sign_statement(examined.stated, share)  # 8
    return StatementReport(statement=statement, examined=examined, repeated=repeated, ledger=ledger)
