"""``roomful invite`` and ``roomful remind``."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from server.cli.expire import open_store
from server.cli.progress import stages
from server.cli.serve import data_option, open_data
from server.invitations.inviting import Invitations, is_local
from server.invitations.inviting import invite as run_invite
from server.invitations.mail_merge import read_mail_merge
from server.invitations.people import read_people
from server.invitations.reminding import remind as run_remind
from server.web.config import Config


def letter_options(command: Callable[..., None]) -> Callable[..., None]:
    """What letters look like."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON."),
        click.option("--no-letters", is_flag=True, help="Make the mail-merge file only."),
        click.option(
            "--line",
            "lines",
            multiple=True,
            help='A line of the address with names of columns, such as "{first} {last}"; once for each line.',
        ),
        click.option("--language", help="Language of the letters. [default: the survey's first]"),
        click.option("--public-url", help="Address of the server, for the links."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("survey")
@click.option(
    "--list", "people", type=click.Path(path_type=Path), required=True, help="CSV with a row for each person."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for letters and codes.")
@data_option
@letter_options
@click.option("--separator", help="Separator of the list. [default: found out]")
@click.option("--encoding", help="Encoding of the list. [default: found out]")
def invite(
    survey: str,
    people: Path,
    out: Path,
    data: Path,
    public_url: str | None,
    language: str | None,
    lines: tuple[str, ...],
    no_letters: bool,
    as_json: bool,
    separator: str | None,
    encoding: str | None,
) -> None:
    """Draw a secret code for each person of a list, and write letters and a mail-merge file.

    Run it where the registrar's data directory is. Only hashes of the codes go there; names and codes go into
    the folder --out and nowhere else.
    """
    config = Config.load(data, os.environ, {"public_url": public_url})
    with open_data(data) as directory, stages(hidden=as_json) as progress:
        store = open_store(directory, survey)
        notes: list[str] = []

        def read() -> Any:
            found = read_people(
                people,
                lines=lines,
                letters=not no_letters,
                separator="\t" if separator == "tab" else separator,
                encoding=encoding,
                progress=lambda done, total: progress("list", done, total),
            )
            notes.extend(found.notes)
            return found

        made = run_invite(
            directory,
            store.id,
            read,
            out,
            public_url=config.public_url,
            language=language,
            letters=not no_letters,
            progress=progress,
            waiting=_say_waiting,
        )
    _warn(config.public_url, notes, made)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made)))
        return
    if made.finished_earlier:
        click.echo(
            f"An interrupted run was finished: its letters are in {made.folder}. The list was not read; if"
            " it is another one, run this again."
        )
    click.echo(f"Invited {made.people} people; {made.total} of {made.allowed} in all.")
    click.echo(f"Written to {made.folder}: {', '.join(made.files)}. They are secret: read README.txt.")


@click.command()
@click.argument("survey")
@click.option(
    "--codes",
    type=click.Path(path_type=Path),
    required=True,
    help="mail-merge.csv of the invitations.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for the reminders.")
@data_option
@letter_options
def remind(
    survey: str,
    codes: Path,
    out: Path,
    data: Path,
    public_url: str | None,
    language: str | None,
    lines: tuple[str, ...],
    no_letters: bool,
    as_json: bool,
) -> None:
    """Write letters for those who have not fetched a token, at most once a day and in batches.

    The list says who has fetched a token by now, not who has answered. It is refused while it would tell
    fewer than max(k, 10) people apart from others.
    """
    config = Config.load(data, os.environ, {"public_url": public_url})
    with open_data(data) as directory, stages(hidden=as_json) as progress:
        store = open_store(directory, survey)
        made = run_remind(
            directory,
            store.id,
            lambda: read_mail_merge(codes, lines=lines, letters=not no_letters),
            out,
            public_url=config.public_url,
            language=language,
            letters=not no_letters,
            progress=progress,
            waiting=_say_waiting,
        )
    _warn(config.public_url, [], None)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(made)))
        return
    if made.finished_earlier:
        click.echo(
            f"An interrupted run was finished: its letters are in {made.folder}, for those who had no token"
            " then."
        )
    of = "" if made.of is None else f" of {made.of}"
    click.echo(f"Reminders for {made.people}{of} people; at least {made.issued_at_least} have a token.")
    click.echo(f"Written to {made.folder}: {', '.join(made.files)}. They are secret: read README.txt.")


def _say_waiting() -> None:
    click.echo("Waiting: another roomful invite or remind writes letters of this survey.", err=True)


def _warn(public_url: str, notes: list[str], made: Invitations | None) -> None:
    if is_local(public_url):
        click.echo(
            f"WARNING: the links lead to {public_url}, which only this machine can reach. Set public_url, or"
            " give --public-url.",
            err=True,
        )
    for note in notes:
        click.echo(f"Note: {note}.", err=True)
    if made is not None and made.guarded:
        click.echo(
            f"Note: cells of the list that could be read as formulas: {made.guarded}. They got an"
            " apostrophe in mail-merge.csv.",
            err=True,
        )
