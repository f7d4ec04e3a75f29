"""``roomful codes``, ``roomful invite`` and ``roomful remind``."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from server.cli.expire import open_store
from server.cli.options import PATH, json_option, public_url_option, warn_of_local_links
from server.cli.progress import stages
from server.cli.surveys import data_option, open_data
from server.collection.storage.published import PublishedSurvey
from server.files import read_file
from server.invitations.coding import make_codes
from server.invitations.inviting import invite as run_invite
from server.invitations.mail_merge import read_mail_merge
from server.invitations.people import read_people
from server.invitations.reminding import list_waiting
from server.keys.signing import envelope_at
from server.keys.signing_keys import load_public_key
from shared.limits import MAX_ENVELOPE_BYTES, MAX_SPECIFICATION_BYTES
from shared.roll import MAX_ROLL_BYTES
from shared.specification import Specification
from shared.words import digest_words


@click.command()
@click.argument("people", type=PATH)
@click.option("--out", type=PATH, required=True, help="Folder for codes and roll.")
@click.option(
    "--boxes",
    type=PATH,
    help="Of an election: boxes.json of roomful design --boxes-only; PEOPLE has all attributes.",
)
@click.option("--separator", help="Separator of the list. [default: found out]")
@click.option("--encoding", help="Encoding of the list. [default: found out]")
@json_option()
def codes(
    people: Path, out: Path, boxes: Path | None, separator: str | None, encoding: str | None, as_json: bool
) -> None:
    """Draw a secret code for each person of the list PEOPLE, a CSV with a row for each.

    Run it where the letters are made, which is no server of the survey and not the organizer's desk. Writes
    codes.csv, which stays there, and roll.txt with the hashes of the codes, which the organizer names in
    survey.toml: so the codes are made before the survey is signed.

    In an election roll.txt has the hashes of each box for itself: a code fetches a token of its box alone,
    and everybody counts how many codes a box has. codes.csv then has a column with each voter's group.
    """
    specification = None
    if boxes is not None:
        specification = Specification.parse(
            read_file(boxes, "the boxes of an election", MAX_SPECIFICATION_BYTES)
        )
    with stages(hidden=as_json) as progress:
        found = read_people(
            people,
            letters=False,
            separator="\t" if separator == "tab" else separator,
            encoding=encoding,
            progress=lambda done, total: progress("list", done, total),
        )
        made = make_codes(found, out, boxes=specification)
    for note in found.notes:
        click.echo(f"Note: {note}.", err=True)
    if made.guarded:
        click.echo(
            f"Note: cells of the list that could be read as formulas: {made.guarded}. They got an"
            " apostrophe in codes.csv.",
            err=True,
        )
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made)))
        return
    click.echo(
        f"Made codes for {made.people} people, in {made.folder}. codes.csv is secret: read README.txt."
    )
    click.echo(f"Roll  {made.digest}")
    click.echo("roll.txt goes to the organizer, who names it in [invited] of survey.toml.")
    if specification is not None:
        click.echo(
            f"The registrar makes keys for as many boxes: roomful keygen --purpose tokens "
            f"--boxes {specification.cells.count}"
        )


@click.command()
@click.argument("survey", type=PATH)
@click.option("--codes", type=PATH, required=True, help="codes.csv of roomful codes.")
@click.option("--out", type=PATH, required=True, help="Folder for letters and links.")
@public_url_option
@click.option("--key", help="The organizer's public key, or a file with it.")
@click.option("--language", help="Language of the letters. [default: the survey's first]")
@click.option(
    "--line",
    "lines",
    multiple=True,
    help='A line of the address with names of columns, such as "{first} {last}"; once for each line.',
)
@click.option("--no-letters", is_flag=True, help="Make the mail-merge file only.")
@click.option("--reminder", is_flag=True, help="The letters are reminders.")
@click.option(
    "--waiting",
    type=PATH,
    help="Only for those on this list of roomful remind, which is made once for each survey.",
)
@json_option()
def invite(
    survey: Path,
    codes: Path,
    out: Path,
    public_url: str,
    key: str | None,
    language: str | None,
    lines: tuple[str, ...],
    no_letters: bool,
    reminder: bool,
    waiting: Path | None,
    as_json: bool,
) -> None:
    """Write letters and a mail-merge file for a signed survey, from the codes on its roll.

    SURVEY is the signed file, or its folder. Run it where the codes are; no server is asked. A reminder to
    everybody tells nothing about anybody, and needs nothing else.
    """
    published = PublishedSurvey.verify(
        survey,
        read_file(envelope_at(survey), "a signed survey", MAX_ENVELOPE_BYTES),
        organizer_key=None if key is None else load_public_key(key),
    )
    merged = read_mail_merge(codes, lines=lines, letters=not no_letters)
    listed = None if waiting is None else read_file(waiting, "a list of codes", MAX_ROLL_BYTES)
    with stages(hidden=as_json) as progress:
        made = run_invite(
            published,
            merged,
            out,
            public_url=public_url,
            language=language,
            letters=not no_letters,
            reminder=reminder or waiting is not None,
            waiting=listed,
            progress=progress,
        )
    warn_of_local_links(public_url)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made)))
        return
    kind = "Reminders" if reminder or waiting is not None else "Invitations"
    click.echo(f"{kind} for {made.people} of {made.of} people.")
    click.echo(f"In words {digest_words(published.digest)}  (compare them with the organizer's)")
    click.echo(f"Written to {made.folder}: {', '.join(made.files)}. They are secret: read README.txt.")


@click.command()
@click.argument("survey")
@click.option("--out", type=PATH, required=True, help="File for the list.")
@data_option
@json_option()
def remind(survey: str, out: Path, data: Path, as_json: bool) -> None:
    """List the codes that have not fetched a token, as hashes: once for each survey.

    Run it where the registrar's data directory is. The file goes to whoever holds the codes, for roomful
    invite --waiting. It tells her who has fetched a token by now. It can be asked for once a day, and is
    refused while it would tell fewer than 2 max(k, 10) people, or a tenth of all, apart from others.
    """
    with open_data(data) as directory:
        made = list_waiting(directory, open_store(directory, survey).id, out)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made)))
        return
    click.echo(f"{made.people} of {made.of} codes have not fetched a token. There will be no other list.")
    click.echo(f"{made.file} goes to whoever holds the codes: roomful invite --waiting {made.file}")
