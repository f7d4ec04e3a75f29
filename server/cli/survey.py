"""``roomful publish``, ``open``, ``close`` and ``status``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from server.cli.serve import data_option
from server.storage.data_directory import DataDirectory
from server.storage.publishing import publish_files
from server.web.config import Config
from shared.errors import InputError
from shared.invitation import survey_link


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print the survey's id and digest as JSON.")
def publish(source: Path, data: Path, as_json: bool) -> None:
    """Take a signed specification into the data directory as a draft.

    SOURCE is the folder that design and sign made, or the signed file in it. A public model must lie beside
    it.
    """
    with DataDirectory(data) as directory:
        store = directory.survey(publish_files(directory, source))
        if as_json:
            click.echo(json.dumps({"id": store.id, "digest": store.published.digest, "state": store.state}))
            return
        click.echo(f"Published as {store.id}, state {store.state}.")
        click.echo(f"Next: roomful open {store.id} --data {data}")


@click.command("open")
@click.argument("survey")
@data_option
@click.option("--yes", is_flag=True, help="Do not ask for the survey's id.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def open_survey(survey: str, data: Path, yes: bool, as_json: bool) -> None:
    """Let a published survey take answers. There is no way back: it can only be closed."""
    with DataDirectory(data) as directory:
        store = directory.survey(survey)
        _confirm(store.id, "Opening cannot be undone, and the specification cannot change afterwards.", yes)
        store.open()
        published = store.published
        config = Config.load(data, os.environ, {})
        address = survey_link(config.public_url, published.digest, published.organizer_key)
        if as_json:
            click.echo(json.dumps({"id": store.id, "state": store.state, "address": address}))
        else:
            click.echo(f"Open. Invite people with:\n{address}")


@click.command("close")
@click.argument("survey")
@data_option
@click.option("--yes", is_flag=True, help="Do not ask for the survey's id.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def close_survey(survey: str, data: Path, yes: bool, as_json: bool) -> None:
    """End a survey for good. Nothing is accepted afterwards, also by a server that is running."""
    with DataDirectory(data) as directory:
        store = directory.survey(survey)
        _confirm(store.id, "Closing cannot be undone: no answer is accepted afterwards.", yes)
        store.close()
        if as_json:
            click.echo(json.dumps({"id": store.id, "state": store.state, "total": store.total()}))
        else:
            click.echo(f"Closed with {store.total()} answers. Next: roomful release {store.id} --data {data}")


@click.command()
@click.argument("survey", required=False)
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print the surveys as JSON.")
def status(survey: str | None, data: Path, as_json: bool) -> None:
    """Show the state and the total of one survey or of all.

    There is never a count per cell: whoever watched it grow could tell who answered.
    """
    with DataDirectory(data) as directory:
        stores = [directory.survey(survey)] if survey else list(directory.list())
        rows = [
            {
                "id": store.id,
                "state": store.state,
                "total": store.total(),
                "title": store.specification.title[store.specification.languages[0]],
            }
            for store in stores
        ]
    if as_json:
        click.echo(json.dumps(rows if survey is None else rows[0], ensure_ascii=False))
    elif not rows:
        click.echo(f"No survey in {data}.")
    else:
        for row in rows:
            click.echo(f"{row['id']}  {row['state']:9}{row['total']:>9}  {row['title']}")


def _confirm(survey: str, consequence: str, yes: bool) -> None:
    if yes:
        return
    click.echo(consequence, err=True)
    typed = click.prompt("Type the survey's id to go on", err=True)
    if typed.strip() != survey:
        raise InputError(
            "that is not the survey's id; nothing was changed", where=survey, code="input.confirmation"
        )
