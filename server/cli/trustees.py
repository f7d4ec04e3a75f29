"""``roomful trustees``: the ceremony, the rehearsal and the opening."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from server.board.folder import CHECKPOINT_FILE, read_board_file
from server.cli.expire import open_store, warn_of_old_copy
from server.cli.progress import stages
from server.cli.serve import data_option, open_data
from server.signing.keys import load_public_key
from server.signing.signing import read_file
from server.storage import files
from server.storage.states import State, refusal
from server.trustees.board_copy import COPIED_FILES
from server.trustees.ceremony import hold_ceremony, key_words
from server.trustees.export import read_survey, write_export
from server.trustees.opening import OpeningReport, open_answers
from server.trustees.rehearsal import Rehearsal, make_challenge, rehearse
from server.trustees.shares import MAX_SHARE_FILE_BYTES, Share, parse_share
from shared.ballot import require_invited
from shared.errors import InputError, OpeningError
from shared.invitation import Invitation
from shared.sealing import DEFAULT_SUITE, SUITES
from shared.words import digest_words

_SPLIT = re.compile(r"(\d{1,3})-of-(\d{1,3})", re.ASCII)


def organizer_options(command: Callable[..., None]) -> Callable[..., None]:
    """What the trustees know of the survey from elsewhere than the folder."""
    for option in (
        click.option("--organizer-key", help="The organizer's public key, or a file with it."),
        click.option("--invitation", help="A link that respondents get: it fixes survey and organizer."),
    ):
        command = option(command)
    return command


share_option = click.option(
    "--share",
    "share_files",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="File with a share; once for each.",
)


@click.group()
def trustees() -> None:
    """The ceremony, the rehearsal and the opening of an invited survey."""


@trustees.command()
@click.option("--shares", "split", required=True, help="How many open together, of how many: 3-of-5.")
@click.option(
    "--suite",
    type=click.Choice(list(SUITES)),
    default=DEFAULT_SUITE,
    show_default=True,
    help="How answers are sealed.",
)
@click.option("--trustee", "names", multiple=True, help="Name of a trustee; once for each share, or never.")
@click.option("--pages", is_flag=True, help="Also write each share as a page to print.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder to make; it must not exist."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was made as JSON.")
def create(split: str, suite: str, names: tuple[str, ...], pages: bool, out: Path, as_json: bool) -> None:
    """Make the opening key and its shares. Do it offline, with all trustees present.

    Writes opening-key.json (public), ledger.jsonl (for the trustees) and a secret file per share. The key
    itself is in no file.
    """
    found = _SPLIT.fullmatch(split)
    if found is None:
        raise InputError(f"{split!r} is no split", where="--shares", expected="such as 3-of-5")
    made = hold_ceremony(
        out,
        suite=SUITES[suite],
        threshold=int(found[1]),
        shares=int(found[2]),
        names=names,
        pages=pages,
        random_bytes=os.urandom,
    )
    if as_json:
        click.echo(
            json.dumps(
                {
                    "folder": str(made.folder),
                    "words": made.fingerprint,
                    "shares": [str(path) for path in made.share_files],
                }
            )
        )
        return
    click.echo(f"The opening key in words, for everybody to write down:\n    {made.fingerprint}")
    click.echo(f"Any {found[1]} of these {found[2]} shares open the answers. Give each to its trustee:")
    for path in made.share_files:
        click.echo(f"    {path}")
    click.echo(
        "Then delete them here. opening-key.json goes to the organizer, a copy of ledger.jsonl to each."
    )


@trustees.command()
@click.argument("survey")
@data_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder to make for the trustees."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was made as JSON.")
def challenge(survey: str, data: Path, out: Path, as_json: bool) -> None:
    """Seal test answers for the rehearsal of the draft SURVEY."""
    with open_data(data) as directory:
        store = open_store(directory, survey)
        require_invited(store.specification)
        if store.state is not State.DRAFT:
            raise refusal(store.state, "rehearse")
        count = make_challenge(store.published, out, random_bytes=os.urandom, chance=random.SystemRandom())
    if as_json:
        click.echo(json.dumps({"folder": str(out), "test_answers": count}))
        return
    click.echo(f"Sealed {count} test answers into {out}. Bring that folder to the trustees.")
    click.echo(f"Next, offline: roomful trustees rehearse {out} --share FILE ... --out rehearsal.json")


@trustees.command("rehearse")
@click.argument("folder", type=click.Path(path_type=Path))
@share_option
@organizer_options
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="rehearsal.json; later rounds add to it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the rounds as JSON.")
def rehearse_opening(
    folder: Path,
    share_files: tuple[Path, ...],
    invitation: str | None,
    organizer_key: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Open the test answers in FOLDER, offline, in so many rounds that every share takes part."""
    survey = read_survey(folder, _known(invitation, organizer_key))
    shares = read_shares(share_files)
    earlier = Rehearsal.parse(read_file(out, "a rehearsal"), out.name) if out.exists() else None
    rehearsal = rehearse(folder, survey, shares, earlier)
    _write(out, rehearsal.to_bytes())
    missing = rehearsal.missing(survey.invited.shares)
    if as_json:
        rounds = [list(numbers) for numbers in rehearsal.rounds]
        click.echo(json.dumps({"rounds": rounds, "missing_shares": list(missing)}))
        return
    click.echo(f"Survey  {digest_words(survey.digest)}")
    click.echo(f"Key     {key_words(survey.invited.opening_key)}")
    click.echo(f"Opened {len(rehearsal.plaintexts)} test answers with {len(shares)} shares.")
    if missing:
        click.echo(f"Still to take part: share {', '.join(map(str, missing))}. Run it again with them.")
    else:
        click.echo(f"Every share has taken part. {out} goes back to the organizer: roomful open --rehearsal")


@trustees.command()
@click.argument("survey")
@data_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Folder to make; it must not exist."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(survey: str, data: Path, out: Path, as_json: bool) -> None:
    """Write the sealed answers of the closed SURVEY for the trustees, with the signed checkpoint."""
    with open_data(data) as directory:
        store = open_store(directory, survey)
        require_invited(store.specification)
        warn_of_old_copy(store)
        ballots = sorted(store.ballots(), key=lambda ballot: ballot.receipt)
        where = store.published.folder
        count = write_export(
            out,
            envelope=store.published.envelope,
            checkpoint=read_board_file(where, CHECKPOINT_FILE),
            board={name: read_board_file(where, name) for name in COPIED_FILES},
            ballots=ballots,
        )
    if as_json:
        click.echo(json.dumps({"folder": str(out), "ballots": count}))
        return
    click.echo(f"Wrote {count} sealed answers to {out}. Bring that folder to the trustees.")


@trustees.command("open")
@click.argument("folder", type=click.Path(path_type=Path))
@share_option
@organizer_options
@click.option(
    "--ledger",
    type=click.Path(path_type=Path),
    required=True,
    help="The trustees' ledger, in its newest copy; the opening is added to it.",
)
@click.option(
    "--accept-discrepancy",
    metavar="SUBMISSIONS/TOKENS",
    help="Open although the organizer signed more submissions than tokens, with these figures.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="opened.json; it must not exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def open_export(
    folder: Path,
    share_files: tuple[Path, ...],
    invitation: str | None,
    organizer_key: str | None,
    ledger: Path,
    accept_discrepancy: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Open the exported answers in FOLDER, offline, as far as the signed rule permits."""
    known = _known(invitation, organizer_key)
    if known.organizer_key is None:
        raise InputError(
            "nothing says whose survey this should be",
            where="--invitation",
            expected="--invitation LINK with the organizer's key in it, or --organizer-key",
            code="input.organizer",
        )
    if out.exists():
        raise OpeningError(
            "the file exists already", where=str(out), expected="a new file", code="opening.exists"
        )
    with stages(hidden=as_json) as progress:
        report = open_answers(
            folder,
            invitation=known,
            shares=read_shares(share_files),
            ledger_path=ledger,
            progress=progress,
            accept_discrepancy=accept_discrepancy,
        )
    _write(out, report.answers.to_bytes() + b"\n")
    if as_json:
        click.echo(json.dumps(figures(report)))
    else:
        _tell(report, out)


def figures(report: OpeningReport) -> dict[str, Any]:
    """What may be said aloud of an opening."""
    answers = report.answers
    return {
        "surplus": report.surplus,
        "survey_words": digest_words(answers.specification),
        "ballots": answers.ballots,
        "answers": answers.answers,
        "invalid": dict(sorted(report.invalid.items())),
        "withheld": answers.withheld,
        "groups": len(answers.groups),
        "smallest_group": min(len(group.answers) for group in answers.groups),
        "opened_before": report.repeated,
        "answers_words": answers.words,
        "ledger_words": digest_words(report.ledger.digest),
    }


def _tell(report: OpeningReport, out: Path) -> None:
    told = figures(report)
    if told["surplus"]:
        click.echo(f"DISCREPANCY, signed and accepted: {told['surplus']} more ballots than used codes.")
    click.echo(f"Survey   {told['survey_words']}")
    click.echo(
        f"Opened {told['answers']} of {told['ballots']} sealed answers in {told['groups']} groups; "
        f"the smallest has {told['smallest_group']}."
    )
    if told["withheld"]:
        click.echo(f"Withheld {told['withheld']}, as the signed rule demands.")
    for code, number in told["invalid"].items():
        click.echo(f"Not valid and not counted: {number} ({code}).")
    if told["opened_before"]:
        click.echo("The ledger had exactly this opening already; nothing was added to it.")
    click.echo(f"Answers  {told['answers_words']}")
    click.echo(f"Ledger   {told['ledger_words']}")
    click.echo(f"Write these words down. {out} goes to the organizer, the ledger to every trustee.")


def _known(invitation: str | None, organizer_key: str | None) -> Invitation:
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
        data = read_file(path, "a share", max_bytes=MAX_SHARE_FILE_BYTES + 1)
        if len(data) > MAX_SHARE_FILE_BYTES:
            raise OpeningError(
                "the file is too long for a share", where=str(path), code="opening.share-damaged"
            )
        shares.append(parse_share(data.decode("utf-8", "replace"), str(path)))
    return shares


def _write(path: Path, data: bytes) -> None:
    with files.named_file_errors(str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, data)
