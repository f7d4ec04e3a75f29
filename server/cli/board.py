"""``roomful board``: make the public board of an invited survey, and verify one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from server.board.creating import create_board, finish_board
from server.board.sources import find_source
from server.board.verifying import Verification, verify_board
from server.cli.expire import open_store, warn_of_old_copy
from server.cli.passphrase import passphrase_option, signing_key
from server.cli.serve import data_option, open_data
from server.signing.signing import read_file
from server.storage.data_directory import DataDirectory
from shared.board import Board
from shared.board_recount import NOT_RUN, PASSED, REFUSED, BoardLine, Recounted
from shared.envelope import encode_key, survey_id
from shared.errors import InputError, StateError
from shared.invitation import Invitation
from shared.receipt import BallotReceipt
from shared.words import digest_words

key_option = click.option(
    "--key",
    type=click.Path(path_type=Path),
    required=True,
    help="A private key of the organizer's.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the lines as JSON.")


@click.group()
def board() -> None:
    """The public board of an invited survey: make it, finish it, verify it."""


@board.command()
@click.argument("survey")
@data_option
@key_option
@passphrase_option
@click.option(
    "--tokens-issued",
    type=click.IntRange(0),
    help="How many tokens the registrar issued, if it runs elsewhere.",
)
@json_option
def create(
    survey: str,
    data: Path,
    key: Path,
    passphrase_file: Path | None,
    tokens_issued: int | None,
    as_json: bool,
) -> None:
    """Publish the receipts of the closed survey SURVEY, and sign the counts.

    Everybody can then look for her receipt. Do it before the trustees get their export: the checkpoint that
    is signed here fixes which ballots there are. A published board never changes.
    """
    private = signing_key(key, passphrase_file)
    with open_data(data) as directory:
        store = open_store(directory, survey)
        warn_of_old_copy(store)
        issued = _issued(directory, store.id) if tokens_issued is None else tokens_issued
        recounted = create_board(store, tokens_issued=issued, key=private)
        digest = store.published.digest
    _show(recounted, as_json)
    if not as_json:
        click.echo(f"Published: the page s/{survey_id(digest)}/board. Next: roomful trustees export.")


@board.command()
@click.argument("survey")
@data_option
@key_option
@passphrase_option
@json_option
def finish(survey: str, data: Path, key: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Add the groups and the digest of the release to the board of SURVEY, and sign it again."""
    private = signing_key(key, passphrase_file)
    with open_data(data) as directory:
        recounted = finish_board(open_store(directory, survey), key=private)
    _show(recounted, as_json)


@board.command()
@click.argument("folder_or_url")
@click.option("--receipt", help="A receipt to look for: its text, or a file with it.")
@click.option("--invitation", help="A link that respondents get: it fixes survey and organizer.")
@json_option
def verify(folder_or_url: str, receipt: str | None, invitation: str | None, as_json: bool) -> None:
    """Count everything on a board again, with what everybody can get.

    FOLDER_OR_URL is a folder with the signed specification, the board's files and the released files, or the
    address of the survey. An address with its fragment is an invitation itself. A receipt is looked for on
    this machine; no server is asked for it. Exit code 5 if anything differs.
    """
    link = invitation or (folder_or_url if "#" in folder_or_url else "")
    pinned = Invitation.parse_fragment(link.partition("#")[2])
    wanted = None if receipt is None else _receipt(receipt)
    verification = verify_board(find_source(folder_or_url.partition("#")[0]), pinned, wanted)
    _show(verification.recounted, as_json, verification)
    if verification.recounted.refusal is not None:
        raise verification.recounted.refusal


def _receipt(text: str) -> BallotReceipt:
    path = Path(text)
    if len(text) < 256 and path.is_file():
        data = read_file(path, "a file with a receipt")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("not a text", where=str(path), expected="the file with the receipt") from None
    return BallotReceipt.parse(text)


def _issued(directory: DataDirectory, survey: str) -> int:
    try:
        return directory.registrar(survey).issued()
    except StateError:
        raise InputError(
            "this server does not know how many tokens were issued",
            where="--tokens-issued",
            expected="the number that the registrar names",
            code="input.tokens-issued",
        ) from None


def _show(recounted: Recounted, as_json: bool, verification: Verification | None = None) -> None:
    if as_json:
        click.echo(json.dumps([_line_object(line) for line in recounted.lines], indent=1))
        return
    for number, line in enumerate(recounted.lines, 1):
        color = {PASSED: "green", REFUSED: "red", NOT_RUN: "yellow"}[line.outcome]
        figures = ", ".join(f"{name} {value}" for name, value in line.figures.items())
        click.echo(f"{number:>2} {click.style(f'{line.outcome:<8}', fg=color)} {line.code:<20} {figures}")
    if verification is not None:
        survey = verification.survey
        click.echo(f"Survey   {survey_id(survey.digest)}  (digest {survey.digest})")
        if not verification.pinned:
            click.echo("Compare  with the words in your invitation:")
        click.echo(f"In words {digest_words(survey.digest)}")
        click.echo(f"Signed   ed25519:{encode_key(survey.organizer_key)} (organizer)")
    if recounted.board is not None:
        click.echo(f"Board    {digest_words(recounted.board.root)}  (compare it with others who looked)")
        for text in _totals(recounted.board):
            click.echo(text)


def _totals(found: Board) -> list[str]:
    lines = [
        f"Invited {found.invited}, tokens issued {found.tokens_issued}, submissions {found.submissions}."
    ]
    if found.release is not None:
        release = found.release
        lines.append(
            f"Released {release.answers} in {len(release.groups)} groups, withheld {release.withheld}, "
            f"invalid {release.invalid}."
        )
    return lines


def _line_object(line: BoardLine) -> dict[str, Any]:
    value: dict[str, Any] = {"code": line.code, "outcome": line.outcome, "figures": dict(line.figures)}
    if line.error is not None:
        value["error"] = {"code": line.error.code, "message": line.error.message}
    return value
