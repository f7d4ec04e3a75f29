"""``roomful trustees state`` and ``roomful trustees open``: each trustee's statement, then the opening."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from server import files
from server.cli.options import PATH, json_option
from server.cli.progress import stages
from server.files import read_file
from server.keys.signing_keys import load_public_key
from server.release.trustees.export import FolderFiles
from server.release.trustees.new_paths import require_new
from server.release.trustees.opening import OpeningReport, open_answers
from server.release.trustees.shares import MAX_SHARE_FILE_BYTES, Share, parse_share
from server.release.trustees.stating import StatementReport, state_export
from shared.errors import InputError, OpeningError
from shared.invitation import Invitation
from shared.limits import MAX_CHECKPOINT_BYTES
from shared.statements import MAX_STATEMENT_BYTES, Statement
from shared.verification.examining import KnownBoard, ReceivedExport
from shared.words import digest_words


def organizer_options(command: Callable[..., None]) -> Callable[..., None]:
    """What the trustees know of the survey from elsewhere than the folder."""
    for option in (
        click.option("--organizer-key", help="The organizer's public key, or a file with it."),
        click.option("--invitation", help="A link that respondents get: it fixes survey and organizer."),
    ):
        command = option(command)
    return command


own_share_option = click.option(
    "--share", "share_file", type=PATH, required=True, help="File with your own share."
)
share_option = click.option(
    "--share",
    "share_files",
    type=PATH,
    multiple=True,
    required=True,
    help="File with a share; once for each.",
)


statement_option = click.option(
    "--statement",
    "statement_files",
    type=PATH,
    multiple=True,
    help="A trustee's statement; once for each.",
)


def board_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is known of the board from elsewhere than the folder."""
    for option in (
        click.option(
            "--checkpoint",
            type=PATH,
            help="The board's checkpoint, fetched from elsewhere than FOLDER; instead of --root.",
        ),
        click.option("--root", help="The board in words, as its page shows it, or its root in hexadecimal."),
    ):
        command = option(command)
    return command


def received_export(command: Callable[..., None]) -> Callable[..., None]:
    """FOLDER, and what the trustees know from elsewhere, which the command gets as ``received``."""

    @click.argument("folder", type=PATH)
    @board_options
    @organizer_options
    @click.option(
        "--accept-discrepancy",
        metavar="SUBMISSIONS/TOKENS",
        help="Go on although the organizer signed more submissions than tokens, with these figures.",
    )
    @wraps(command)
    def received_by(
        folder: Path,
        root: str | None,
        checkpoint: Path | None,
        invitation: str | None,
        organizer_key: str | None,
        accept_discrepancy: str | None,
        **others: Any,
    ) -> None:
        invited = read_organizer(invitation, organizer_key)
        received = ReceivedExport(
            files=FolderFiles(folder=folder),
            invitation=invited,
            known=known_board(root, checkpoint),
            accepted=accept_discrepancy,
        )
        command(received=received, **others)

    return received_by


@click.command()
@own_share_option
@click.option(
    "--ledger",
    type=PATH,
    required=True,
    help="Your own ledger, the newest; the statement is added to it.",
)
@received_export
@click.option("--out", type=PATH, required=True, help="Your statement; it must not exist.")
@json_option()
def state(*, received: ReceivedExport, share_file: Path, ledger: Path, out: Path, as_json: bool) -> None:
    """State that the ballots in FOLDER are those of the survey: each trustee, once, on her own computer.

    Nothing is opened. Another set of the same survey is refused from then on.
    """
    require_new(out, "file")
    (share,) = read_shares((share_file,))
    with stages(hidden=as_json) as progress:
        report = state_export(received, share=share, ledger_path=ledger, progress=progress)
    write(out, report.statement.to_bytes())
    told = _stated(report)
    if as_json:
        click.echo(json.dumps(told))
        return
    _tell_surplus(told["surplus"])
    click.echo(f"Survey   {told['survey_words']}")
    click.echo(f"Board    {told['root_words']}")
    click.echo(
        f"Trustee {told['trustee']} states these {told['ballots']} ballots; "
        f"{told['groups']} groups may be {'decrypted' if told['election'] else 'opened'}."
    )
    if told["stated_before"]:
        click.echo("Your ledger had exactly this already; nothing was added to it.")
    click.echo(f"Ledger   {told['ledger_words']}")
    where = "those who decrypt, who need" if told["election"] else "the opening, which needs"
    click.echo(
        f"Write the last words down and keep the ledger. Bring {out} to {where} "
        f"{told['statements_needed']} such statements."
    )


def _stated(report: StatementReport) -> dict[str, Any]:
    examined = report.examined
    return {
        "surplus": examined.surplus,
        "election": examined.survey.invited.election is not None,
        "survey_words": digest_words(examined.survey.digest),
        "root_words": digest_words(examined.stated.root),
        "ballots": len(examined.receipts),
        "groups": len(examined.permitted.groups),
        "trustee": report.statement.trustee,
        "stated_before": report.repeated,
        "statements_needed": examined.survey.invited.statements_needed,
        "ledger_words": digest_words(report.ledger.digest),
    }


@click.command("open")
@share_option
@statement_option
@received_export
@click.option("--out", type=PATH, required=True, help="opened.json; it must not exist.")
@json_option()
def open_export(
    *,
    received: ReceivedExport,
    share_files: tuple[Path, ...],
    statement_files: tuple[Path, ...],
    out: Path,
    as_json: bool,
) -> None:
    """Open the exported answers in FOLDER, offline, as far as the signed rule permits.

    It needs the shares of so many trustees as the threshold says, and the statements of more.
    """
    require_new(out, "file")
    with stages(hidden=as_json) as progress:
        report = open_answers(
            received,
            statements=read_statements(statement_files),
            shares=read_shares(share_files),
            progress=progress,
        )
    write(out, report.answers.to_bytes() + b"\n")
    if as_json:
        click.echo(json.dumps(figures(report)))
    else:
        tell(report, out)


def figures(report: OpeningReport) -> dict[str, Any]:
    """What may be said aloud of an opening."""
    answers = report.answers
    return {
        "surplus": report.surplus,
        "survey_words": digest_words(answers.specification),
        "root_words": digest_words(answers.root),
        "stated_by": list(report.stated_by),
        "ballots": answers.ballots,
        "answers": answers.answers,
        "invalid": dict(sorted(report.invalid.items())),
        "withheld": answers.withheld,
        "withdrawn_groups": report.withdrawn_groups,
        "groups": len(answers.groups),
        "smallest_group": min(len(group.answers) for group in answers.groups),
        "answers_words": answers.words,
    }


def tell(report: OpeningReport, out: Path) -> None:
    """Say it in words, to be read aloud."""
    told = figures(report)
    _tell_surplus(told["surplus"])
    click.echo(f"Survey   {told['survey_words']}")
    click.echo(f"Board    {told['root_words']}, stated by trustees {', '.join(map(str, told['stated_by']))}")
    click.echo(
        f"Opened {told['answers']} of {told['ballots']} sealed answers in {told['groups']} groups; "
        f"the smallest has {told['smallest_group']}."
    )
    if told["withheld"]:
        click.echo(f"Withheld {told['withheld']}, as the signed rule demands.")
    if told["withdrawn_groups"]:
        click.echo(
            f"Opened and withheld all the same: {told['withdrawn_groups']} groups, "
            "because ballots turned out not to be valid."
        )
    for code, number in told["invalid"].items():
        click.echo(f"Not valid and not counted: {number} ({code}).")
    click.echo(f"Answers  {told['answers_words']}")
    click.echo(f"Write these words down. {out} goes to the organizer.")


def _tell_surplus(surplus: int) -> None:
    if surplus:
        click.echo(f"DISCREPANCY, signed and accepted: {surplus} more ballots than used codes.")


def read_organizer(invitation: str | None, organizer_key: str | None) -> Invitation:
    """Organizer and survey; the first must be known."""
    known = read_known(invitation, organizer_key)
    if known.organizer_key is None:
        raise InputError(
            "nothing says whose survey this should be",
            where="--invitation",
            expected="--invitation LINK with the organizer's key in it, or --organizer-key",
            code="input.organizer",
        )
    return known


def known_board(root: str | None, checkpoint: Path | None) -> KnownBoard:
    """The board as it was seen elsewhere."""
    data = read_file(checkpoint, "a checkpoint", MAX_CHECKPOINT_BYTES) if checkpoint else b""
    return KnownBoard(root=(root or "").strip().lower(), checkpoint=data)


def read_statements(paths: tuple[Path, ...]) -> list[tuple[str, Statement]]:
    """The statements in some files, with the names of the files."""
    return [
        (str(path), Statement.parse(read_file(path, "a statement", MAX_STATEMENT_BYTES), str(path)))
        for path in paths
    ]


def read_known(invitation: str | None, organizer_key: str | None) -> Invitation:
    """Organizer and survey, as far as the options say."""
    known = Invitation.parse_fragment((invitation or "").partition("#")[2])
    if invitation and known.digest is None:
        raise InputError(
            "the part after # is missing",
            where="--invitation",
            expected="the whole link, in quotes",
            code="input.organizer",
        )
    key = known.organizer_key if organizer_key is None else load_public_key(organizer_key)
    return Invitation(digest=known.digest, organizer_key=key)


def read_shares(paths: tuple[Path, ...]) -> list[Share]:
    """The shares in some files."""
    shares = []
    for path in paths:
        data = read_file(path, "a share", MAX_SHARE_FILE_BYTES)
        if len(data) > MAX_SHARE_FILE_BYTES:
            raise OpeningError(
                "the file is too long for a share", where=str(path), code="opening.share-damaged"
            )
        shares.append(parse_share(data.decode("utf-8", "replace"), str(path)))
    return shares


def write(path: Path, data: bytes) -> None:
    """Write a file, all or nothing."""
    with files.named_file_errors(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, data)
