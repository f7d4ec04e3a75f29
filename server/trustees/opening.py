"""``roomful trustees open``: the opening, with every refusal before the first decryption.

The steps are those of docs/protocol.md, "The opening". Nothing of a box is decrypted before steps 1 to 6 have
passed, and then only boxes of groups that the signed rule permits. The key exists only in this process's
memory.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.release.centres import Centres
from server.release.opened import OpenedAnswers, OpenedGroup
from server.release.permission import Permitted, decide_groups, permit
from server.release.policy import policy_of_counts
from server.sealing.suites import OpeningKey
from server.tokens.verifying import BallotVerifier
from server.trustees.board_copy import require_board
from server.trustees.export import (
    BALLOTS_FILE,
    BallotFile,
    Progress,
    SignedSurvey,
    read_survey,
    verify_export,
)
from server.trustees.ledger import Ledger, Opening, opening_of
from server.trustees.shares import Share, join_shares
from shared.ballot import Ballot
from shared.errors import OpeningError, SubmissionError, TokenError
from shared.invitation import Invitation
from shared.questions import Answer
from shared.sealing import box_info
from shared.submission import decode, validate


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningReport:
    """The opened answers, and what the trustees should hear aloud.

    Attributes
    ----------
    survey : SignedSurvey
    answers : OpenedAnswers
        What is handed to the organizer.
    invalid : Mapping[str, int]
        How many opened ballots held no valid answers, by code.
    sealed_cells : int
        Cells with ballots that stayed closed.
    withdrawn_groups : int
        Groups that were opened and are withheld all the same, because too few valid answers were left.
    surplus : int
        How many more ballots there are than codes were used; every group is large enough without so many.
    repeated : bool
        Whether the ledger had this very opening already.
    ledger : Ledger
        With this opening in it.
    """

    survey: SignedSurvey
    answers: OpenedAnswers
    invalid: Mapping[str, int]
    sealed_cells: int
    withdrawn_groups: int
    surplus: int
    repeated: bool
    ledger: Ledger


def open_answers(
    export: Path,
    *,
    invitation: Invitation,
    shares: Sequence[Share],
    ledger_path: Path,
    progress: Progress,
    accept_discrepancy: str | None = None,
) -> OpeningReport:
    """Open what may be opened.

    Parameters
    ----------
    export : Path
        Folder from ``roomful trustees export``.
    invitation : Invitation
        The organizer's key, and the digest if an invitation link is at hand.
    shares : sequence of Share
    ledger_path : Path
        The trustees' ledger. The opening is on the disk there when this returns.
    progress : callable
        ``(stage, done, total)``.
    accept_discrepancy : str, optional
        See :func:`server.trustees.board_copy.require_board`.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        Each refusal by its code; nothing was decrypted then, and the ledger is as it was.

    Notes
    -----
    Guarantee: for all exports, shares and ledgers, either an error, or opened groups of at least max(k,
    minimum) valid answers, each from a ballot with a distinct token of the registrar, under a root that the
    organizer signed, such that no group is the difference of this opening and an earlier one in the ledger.
    If there are more ballots than used codes, each group has so many answers more. A box of a cell outside
    the permitted groups is never decrypted.
    """
    survey = read_survey(export, invitation)  # 1
    with BallotFile(export / BALLOTS_FILE, survey.specification) as ballots:
        root, receipts = verify_export(export, survey, ballots, progress)  # 2
        surplus = require_board(export, survey, receipts, accept_discrepancy)
        counts, opening = _count_tokens(survey, ballots, receipts, root, progress)  # 3
        ledger = Ledger.read(ledger_path, survey.invited.opening_key)
        repeated = ledger.require_no_overlap(opening)  # 4
        permitted = permit(counts, survey.specification, surplus=surplus)  # 5
        key = rebuild_key(survey, shares)  # 6
        if not repeated:
            ledger = ledger.append(opening)
        found, invalid = _decrypt(survey, ballots, receipts, permitted, key, progress)  # 7
    kept = _keep(survey, counts, permitted, found, surplus)  # 8
    kept_cells = {cell for group in kept for cell in group.cells}
    answers = OpenedAnswers(
        specification=survey.digest,
        root=root.hex(),
        ballots=len(receipts),
        invalid=sum(sum(counts[cell] for cell in group.cells) - len(group.answers) for group in kept),
        withheld=len(receipts) - sum(counts[cell] for cell in kept_cells),
        groups=kept,
    )
    return OpeningReport(
        survey=survey,
        answers=answers,
        invalid=invalid,
        sealed_cells=len(permitted.sealed),
        withdrawn_groups=sum(group[0] not in kept_cells for group in permitted.groups),
        surplus=surplus,
        repeated=repeated,
        ledger=ledger,
    )


def rebuild_key(survey: SignedSurvey, shares: Sequence[Share]) -> OpeningKey:
    """The private key, in memory only, once the shares make exactly the signed public key.

    Raises
    ------
    OpeningError
        As :func:`join_shares`, and ``opening.share-of-another-key`` if they make another key.
    """
    key = OpeningKey(survey.invited.suite, join_shares(shares))
    if key.public_key != survey.invited.opening_key:
        raise OpeningError(
            "these shares make another key than the one in the signed specification",
            where=", ".join(share.where for share in shares),
            expected="shares of the key of this survey",
            remedy="Compare the words of the opening key on the shares with those of the survey.",
            code="opening.share-of-another-key",
        )
    return key


def _verified(ballots: BallotFile, receipts: Sequence[bytes]) -> Iterator[tuple[int, Ballot]]:
    """The ballots once more, and where each ends: exactly those that were verified, whoever touched the file.

    Else a cell could be counted by other ballots than those whose boxes are then opened.
    """
    number = 0
    for end, data, ballot in ballots.ballots():
        if number >= len(receipts) or hashlib.sha256(data).digest() != receipts[number]:
            raise _changed()
        yield end, ballot
        number += 1
    if number < len(receipts):
        raise _changed()


def _changed() -> OpeningError:
    return OpeningError(
        "the file changed while it was read",
        where=BALLOTS_FILE,
        remedy="Copy the export to this computer and start again.",
        code="opening.export",
    )


def _count_tokens(
    survey: SignedSurvey, ballots: BallotFile, receipts: Sequence[bytes], root: bytes, progress: Progress
) -> tuple[tuple[int, ...], Opening]:
    """Distinct valid tokens of each cell, and the entry for the ledger."""
    verifier = BallotVerifier(survey.invited, survey.digest)
    counts = [0] * survey.specification.cells.count
    seen: set[bytes] = set()
    for number, (end, ballot) in enumerate(_verified(ballots, receipts), 1):
        where = f"{BALLOTS_FILE}, entry {number}"
        try:
            verifier.verify_token(ballot.token)
        except TokenError:
            raise OpeningError(
                "the token of a ballot is not signed by this survey's registrar",
                where=where,
                expected="a ballot of an invited person",
                remedy="The collector took what it must refuse. Open nothing, and tell the organizer.",
                code="opening.token",
            ) from None
        try:
            verifier.verify_signature(ballot)
        except SubmissionError:
            raise OpeningError(
                "a ballot is not signed by the key of its token",
                where=where,
                expected="cell, token and box as the device of the invited person signed them",
                remedy="The collector changed it, or took what it must refuse. Open nothing, and say so.",
                code="opening.signature",
            ) from None
        if ballot.token.prefix in seen:
            raise OpeningError(
                "two ballots have one token",
                where=where,
                expected="each token once",
                remedy="The collector counted somebody twice. Open nothing, and tell the organizer.",
                code="opening.token-twice",
            )
        seen.add(ballot.token.prefix)
        counts[ballot.cell] += 1
        progress("tokens", end, ballots.size_bytes)
    return tuple(counts), opening_of(survey.digest, root, seen)


def _decrypt(
    survey: SignedSurvey,
    ballots: BallotFile,
    receipts: Sequence[bytes],
    permitted: Permitted,
    key: OpeningKey,
    progress: Progress,
) -> tuple[list[list[dict[str, Answer]]], Counter[str]]:
    """Valid answers of each permitted group; what is invalid, by code."""
    group_of = permitted.group_of
    found: list[list[dict[str, Answer]]] = [[] for _ in permitted.groups]
    invalid: Counter[str] = Counter()
    for end, ballot in _verified(ballots, receipts):
        if ballot.cell in group_of:
            try:
                info = box_info(survey.digest, ballot.token.prefix, ballot.token.device_key, ballot.cell)
                submission = decode(key.open(info, ballot.box), survey.specification.message_bytes)
                if submission.cell != ballot.cell:
                    raise SubmissionError("sealed for another cell", code="submission.cell")
                answers = validate(submission, survey.specification, survey.digest)
            except SubmissionError as problem:
                invalid[problem.code] += 1
            else:
                found[group_of[ballot.cell]].append(answers)
        progress("opening", end, ballots.size_bytes)
    return found, invalid


def _keep(
    survey: SignedSurvey,
    counts: Sequence[int],
    permitted: Permitted,
    found: Sequence[Sequence[Mapping[str, Answer]]],
    surplus: int,
) -> tuple[OpenedGroup, ...]:
    """Groups that are still large enough without the invalid ones, by the same signed rule.

    Raises
    ------
    ReleaseError
        If none is.
    """
    specification = survey.specification
    left = [0] * len(counts)
    for cell in permitted.sealed:
        left[cell] = counts[cell]
    for group, answers in zip(permitted.groups, found, strict=True):
        left[group[0]] = len(answers)
    decision = decide_groups(
        permitted.groups,
        left,
        permitted.sealed,
        policy_of_counts(specification, surplus),
        Centres.from_decimals(specification.centroids, specification.weights),
    )
    by_first = {group[0]: answers for group, answers in zip(permitted.groups, found, strict=True)}
    return tuple(
        OpenedGroup.of(group.cells, [answer for cell in group.cells for answer in by_first.get(cell, ())])
        for group in decision.groups
    )
