"""``roomful board``: make the public board of an invited survey, and verify one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import click

from server import files
from server.cli.expire import open_store, warn_of_old_copy
from server.cli.options import PATH, json_option
from server.cli.passphrase import passphrase_option, signing_key
from server.cli.surveys import data_option, open_data
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import NOT_CLOSED, refusal
from server.files import read_file
from server.release.board.creating import create_board, finish_board
from server.release.board.sources import find_source
from server.release.board.verifying import Verification, verify_board
from shared.board import Board
from shared.board_recount import NOT_RUN, PASSED, REFUSED, BoardLine, Recounted
from shared.envelope import encode_key, survey_id
from shared.errors import BoardError, InputError, StateError
from shared.hash_list import LINE_BYTES, format_hashes
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.limits import MAX_CHECKPOINT_BYTES, MAX_RECEIPTS
from shared.receipt import BallotReceipt
from shared.words import digest_words

_MAX_RECEIPT_FILE_BYTES: Final = 131_072
"""With the sealed ballot of an election in it."""
key_option = click.option("--key", type=PATH, required=True, help="A private key of the organizer's.")


@click.group()
def board() -> None:
    """The public board of an invited survey: make it, finish it, verify it."""


@board.command()
@click.argument("survey")
@data_option
@key_option
@passphrase_option
@click.option(
    "--used-codes",
    type=PATH,
    help="The registrar's list of roomful board used-codes, if it runs elsewhere.",
)
@click.option(
    "--accept-discrepancy",
    metavar="SUBMISSIONS/TOKENS",
    help="Sign that there are more submissions than tokens, with these figures, such as 27/25.",
)
@json_option("the lines")
def create(
    survey: str,
    data: Path,
    key: Path,
    passphrase_file: Path | None,
    used_codes: Path | None,
    accept_discrepancy: str | None,
    as_json: bool,
) -> None:
    """Publish the receipts of the closed survey SURVEY, and sign the counts.

    Everybody can then look for her receipt. Do it before the trustees get their export: the checkpoint that
    is signed here fixes which ballots there are. A published board never changes.

    Of an election it is provisional: voters whose ballot is missing complain, until roomful board finish.

    More submissions than tokens are refused, unless --accept-discrepancy names both: then the board says so
    first, and so does everybody who verifies it.
    """
    private = signing_key(key, passphrase_file)
    with open_data(data) as directory:
        store = open_store(directory, survey)
        warn_of_old_copy(store)
        used = (
            _used_codes(directory, store.id)
            if used_codes is None
            else read_file(used_codes, "a list of used codes", LINE_BYTES * MAX_RECEIPTS)
        )
        recounted = create_board(store, used_codes=used, key=private, accept_discrepancy=accept_discrepancy)
        digest, is_election = store.published.digest, store.is_election
    _show(recounted, as_json)
    if not as_json:
        following = (
            "Give voters time to look for their receipts and to complain, then: roomful board finish."
            if is_election
            else "Next: roomful trustees export."
        )
        click.echo(f"Published: the page s/{survey_id(digest)}/board. {following}")


@board.command("used-codes")
@click.argument("survey")
@data_option
@click.option("--out", type=PATH, required=True, help="File to make.")
def write_used_codes(survey: str, data: Path, out: Path) -> None:
    """Write the list of used codes of the closed SURVEY, on the registrar's server, for board create.

    The list has no code in it, and tells nothing to whoever does not hold the codes.
    """
    with open_data(data) as directory:
        store = open_store(directory, survey)
        if store.state in NOT_CLOSED:
            raise refusal(store.state, "list the used codes")
        used = _used_codes(directory, store.id)
    files.require_free(out)
    with files.named_file_errors(str(out)):
        files.write_new(out, used)
    click.echo(f"Wrote {len(used) // LINE_BYTES} used codes to {out}, for roomful board create --used-codes.")


@board.command()
@click.argument("survey")
@data_option
@key_option
@passphrase_option
@json_option("the lines")
def finish(survey: str, data: Path, key: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Add the groups and the digest of the release to the board of SURVEY, and sign it again.

    Of an election: make its provisional board final, with the ballots that complaints brought back. Nothing
    enters it afterwards, and only then trustees get their export.
    """
    private = signing_key(key, passphrase_file)
    with open_data(data) as directory:
        recounted = finish_board(open_store(directory, survey), key=private)
    _show(recounted, as_json)


@board.command()
@click.argument("folder_or_url")
@click.option("--receipt", help="A receipt to look for: its text, or a file with it.")
@click.option(
    "--provisional",
    type=PATH,
    help="The checkpoint of an election's provisional board, kept since: this one must follow from it.",
)
@click.option("--code", help="A code to look for among the used ones; it stays on this machine.")
@click.option("--invitation", help="A link that respondents get: it fixes survey and organizer.")
@json_option("the lines")
def verify(
    folder_or_url: str,
    receipt: str | None,
    provisional: Path | None,
    code: str | None,
    invitation: str | None,
    as_json: bool,
) -> None:
    """Count everything on a board again, with what everybody can get.

    FOLDER_OR_URL is a folder with the signed specification, the board's files and the released files, or the
    address of the survey. An address with its fragment is an invitation itself. A receipt or a code is looked
    for on this machine; no server is asked for it. Exit code 5 if anything differs, or if the organizer has
    signed that there are more submissions than tokens.
    """
    link = invitation or (folder_or_url if "#" in folder_or_url else "")
    pinned = Invitation.parse_fragment(link.partition("#")[2])
    wanted = None if receipt is None else _receipt(receipt)
    verification = verify_board(
        find_source(folder_or_url.partition("#")[0]),
        pinned,
        wanted,
        None if code is None else InvitationCode.parse(code),
        None if provisional is None else read_file(provisional, "a checkpoint", MAX_CHECKPOINT_BYTES),
    )
    _show(verification.recounted, as_json, verification)
    if verification.recounted.refusal is not None:
        raise verification.recounted.refusal
    found = verification.recounted.board
    if found is not None and found.discrepancy is not None:
        raise BoardError(
            f"the organizer signed a discrepancy: {found.discrepancy}",
            where="board",
            expected="at most one submission for each token",
            remedy="Ask why. So many submissions may be of nobody who was invited.",
            code="board.discrepancy",
        )


def _receipt(text: str) -> BallotReceipt:
    path = Path(text)
    if len(text) < 256 and path.is_file():
        data = read_file(path, "a file with a receipt", _MAX_RECEIPT_FILE_BYTES)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("not a text", where=str(path), expected="the file with the receipt") from None
    return BallotReceipt.parse(text)


def _used_codes(directory: DataDirectory, survey: str) -> bytes:
    try:
        return format_hashes(directory.registrar(survey).used_codes())
    except StateError:
        raise InputError(
            "this server does not know which codes were used",
            where="--used-codes",
            expected="the list that roomful board used-codes wrote at the registrar",
            code="input.used-codes",
        ) from None


def _show(recounted: Recounted, as_json: bool, verification: Verification | None = None) -> None:
    found = recounted.board
    discrepancy = None if found is None else found.discrepancy
    if as_json:
        lines = [_line_object(line) for line in recounted.lines]
        if discrepancy is not None:
            lines.insert(0, {"code": "board.discrepancy", "outcome": discrepancy, "figures": {}})
        click.echo(json.dumps(lines, indent=1))
        return
    if discrepancy is not None:
        click.secho(f"DISCREPANCY, signed by the organizer: {discrepancy}", fg="red")
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
    if found is not None:
        click.echo(f"Board    {digest_words(found.root)}  (compare it with others who looked)")
        for text in _totals(found):
            click.echo(text)


def _totals(found: Board) -> list[str]:
    lines = [
        f"Invited {found.invited}, tokens issued {found.tokens_issued}, submissions {found.submissions}."
    ]
    if found.complaints is not None:
        lines.append(
            f"Final. Admitted after complaints: {len(found.complaints.admitted)}; it was signed that they"
            " were taken, and they were missing."
            if found.complaints.admitted
            else "Final. No complaint was admitted."
        )
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
