"""``roomful trustees``: ceremony, rehearsal and export; the opening is in :mod:`server.cli.opening`."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import click

from server.cli.election import decrypt, key, parse_split
from server.cli.expire import open_store, warn_of_old_copy
from server.cli.opening import (
    open_export,
    organizer_options,
    read_known,
    read_shares,
    share_option,
    state,
    write,
)
from server.cli.options import PATH, json_option
from server.cli.surveys import data_option, open_data
from server.collection.board_folder import CHECKPOINT_FILE, read_board_file, read_counts
from server.collection.storage.states import State, refusal
from server.files import read_file
from server.keys.core_dumps import forbid_core_dumps
from server.release.trustees.ceremony import hold_ceremony, key_words
from server.release.trustees.export import read_survey, write_export
from server.release.trustees.rehearsal import (
    MAX_REHEARSAL_BYTES,
    Rehearsal,
    kept_rehearsal,
    make_challenge,
    rehearse,
    rehearse_election,
)
from server.release.trustees.shares import Share
from shared.ballot import require_invited
from shared.election.key_signatures import MAX_SIGNATURES_BYTES, KeySignatures
from shared.invited import statements_needed
from shared.sealing import DEFAULT_SUITE, SUITES
from shared.verification.board_copy import COPIED_FILES, require_final
from shared.verification.export import SignedSurvey
from shared.words import digest_words


@click.group()
def trustees() -> None:
    """The ceremony, the rehearsal and the opening of an invited survey."""
    forbid_core_dumps()


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
@click.option("--out", type=PATH, required=True, help="Folder to make; it must not exist.")
@json_option("what was made")
def create(split: str, suite: str, names: tuple[str, ...], pages: bool, out: Path, as_json: bool) -> None:
    """Make the opening key and its shares. Do it offline, with all trustees present.

    Writes opening-key.json (public), ledger.jsonl (for the trustees) and a secret file per share. The key
    itself is in no file.
    """
    threshold, shares = parse_split(split)
    made = hold_ceremony(
        out,
        suite=SUITES[suite],
        threshold=threshold,
        shares=shares,
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
                    "statements_needed": statements_needed(threshold, shares),
                    "shares": [str(path) for path in made.share_files],
                }
            )
        )
        return
    click.echo(f"The opening key in words, for everybody to write down:\n    {made.fingerprint}")
    click.echo(f"Any {threshold} of these {shares} shares open the answers. Give each to its trustee:")
    for path in made.share_files:
        click.echo(f"    {path}")
    needed = statements_needed(threshold, shares)
    click.echo(
        f"Before the opening {needed} trustees must state which ballots are the survey's, so "
        f"{_spare(shares - needed)} may be lost."
    )
    click.echo(
        "Then delete them here. opening-key.json goes to the organizer, a copy of ledger.jsonl to each."
    )


def _spare(number: int) -> str:
    return {0: "none of them", 1: "one of them"}.get(number, f"{number} of them")


@trustees.command()
@click.argument("survey")
@data_option
@click.option("--out", type=PATH, required=True, help="Folder to make for the trustees.")
@json_option("what was made")
def challenge(survey: str, data: Path, out: Path, as_json: bool) -> None:
    """Seal test answers for the rehearsal of the draft SURVEY."""
    with open_data(data) as directory:
        store = open_store(directory, survey)
        invited = require_invited(store.specification)
        if store.state is not State.DRAFT:
            raise refusal(store.state, "rehearse")
        count = make_challenge(store.published, out, random_bytes=os.urandom, chance=random.SystemRandom())
    if as_json:
        click.echo(json.dumps({"folder": str(out), "test_answers": count}))
        return
    if invited.election is not None:
        click.echo(f"Put the specification into {out}. Bring that folder to the trustees.")
        click.echo(f"Next, each alone: roomful trustees rehearse {out} --share FILE --out rehearsal.json")
        return
    click.echo(f"Sealed {count} test answers into {out}. Bring that folder to the trustees.")
    click.echo(f"Next, offline: roomful trustees rehearse {out} --share FILE ... --out rehearsal.json")


@trustees.command("rehearse")
@click.argument("folder", type=PATH)
@share_option
@organizer_options
@click.option("--out", type=PATH, required=True, help="rehearsal.json; later rounds add to it.")
@json_option("the rounds")
def rehearse_opening(
    folder: Path,
    share_files: tuple[Path, ...],
    invitation: str | None,
    organizer_key: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Open the test answers in FOLDER, offline, in so many rounds that every share takes part.

    Of an election nothing is opened: each share is compared with its key, and signs the specification. Each
    trustee may run it alone, with the same --out.
    """
    survey = read_survey(folder, read_known(invitation, organizer_key))
    shares = read_shares(share_files)
    if survey.invited.election is not None:
        _rehearse_election(survey, shares, out, as_json)
        return
    earlier = (
        Rehearsal.parse(read_file(out, "a rehearsal", MAX_REHEARSAL_BYTES), out.name)
        if out.exists()
        else None
    )
    rehearsal = rehearse(folder, survey, shares, earlier)
    write(out, rehearsal.to_bytes())
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


def _rehearse_election(survey: SignedSurvey, shares: list[Share], out: Path, as_json: bool) -> None:
    earlier = (
        KeySignatures.parse(read_file(out, "a rehearsal", MAX_SIGNATURES_BYTES), out.name)
        if out.exists()
        else None
    )
    signatures = rehearse_election(survey, shares, earlier, os.urandom)
    write(out, signatures.to_bytes())
    signed = [number for number, _ in signatures.signatures]
    missing = [number for number in range(1, survey.invited.shares + 1) if number not in signed]
    if as_json:
        click.echo(json.dumps({"signed": signed, "missing_shares": missing}))
        return
    click.echo(f"Election {digest_words(survey.digest)}")
    click.echo(f"Key      {key_words(survey.invited.opening_key)}")
    click.echo("Each of these shares fits its key, and signed this election. Nothing was decrypted.")
    if missing:
        click.echo(f"Still to sign: share {', '.join(map(str, missing))}. Run it again with them.")
    else:
        click.echo(f"Every trustee has signed. {out} goes back to the organizer: roomful open --rehearsal")


@trustees.command()
@click.argument("survey")
@data_option
@click.option("--out", type=PATH, required=True, help="Folder to make; it must not exist.")
@json_option("what was written")
def export(survey: str, data: Path, out: Path, as_json: bool) -> None:
    """Write the sealed answers of the closed SURVEY for the trustees, with the signed checkpoint."""
    with open_data(data) as directory:
        store = open_store(directory, survey)
        require_invited(store.specification)
        warn_of_old_copy(store)
        ballots = sorted(store.ballots(), key=lambda ballot: ballot.receipt)
        where = store.published.folder
        require_final(read_counts(where), store.specification)
        board = {name: read_board_file(where, name) for name in COPIED_FILES}
        count = write_export(
            out,
            envelope=store.published.envelope,
            checkpoint=read_board_file(where, CHECKPOINT_FILE),
            board=board | kept_rehearsal(store.published),
            ballots=ballots,
        )
    if as_json:
        click.echo(json.dumps({"folder": str(out), "ballots": count}))
        return
    click.echo(f"Wrote {count} sealed answers to {out}. Bring that folder to the trustees.")


trustees.add_command(key)
trustees.add_command(state)
trustees.add_command(decrypt)
trustees.add_command(open_export)
