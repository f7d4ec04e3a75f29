"""``roomful expire``, and what every command does to a survey before anything else."""

from __future__ import annotations

import json
from pathlib import Path

import click

from server.cli.options import json_option
from server.cli.surveys import data_option, open_data
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.retention import Retention
from server.collection.storage.store import SurveyStore
from shared.errors import RoomfulError


def open_store(directory: DataDirectory, survey: str) -> SurveyStore:
    """A survey for a command, after what is due: closing it, deleting its answers; says so on stderr."""
    store = directory.survey(survey)
    if store.close_if_over():
        click.echo(f"{store.id}: closed, as its signed period is over.", err=True)
    deleted = store.expire()
    if deleted is not None:
        click.echo(f"{store.id}: {in_words(store.retention)}, {deleted} in number.", err=True)
    return store


def warn_of_old_copy(store: SurveyStore) -> None:
    """Say on stderr if acknowledged ballots may be missing, because the database is an old copy."""
    if (error := store.old_copy()) is not None:
        click.secho(f"WARNING ({error.code}): {error.message}.", fg="yellow", err=True)
        click.echo("  Acknowledged ballots may be missing, and their senders will notice.", err=True)


def in_words(retention: Retention) -> str:
    """What was deleted, or will be, and when."""
    if retention.deleted_on is not None:
        return f"answers deleted on {retention.deleted_on}"
    if retention.delete_on is not None:
        return f"answers to be deleted on {retention.delete_on}"
    days = "1 day" if retention.days == 1 else f"{retention.days} days"
    return f"answers to be deleted {days} after closing"


@click.command()
@click.argument("survey", required=False)
@data_option
@json_option("the surveys")
def expire(survey: str | None, data: Path, as_json: bool) -> None:
    """Delete the answers of one survey or of all whose days are over, and say what will be deleted when.

    The days of the signed specification count from the day of closing (UTC). Nothing is deleted before. A
    running server does the same once an hour, and so does every command that opens the survey.
    """
    rows, failed = [], []
    with open_data(data) as directory:
        directory.clear_restored()
        for name in (survey,) if survey else directory.ids():
            try:
                store = directory.survey(name)
                deleted = store.expire()
                found = store.retention
                rows.append({"id": store.id, "deleted_answers": deleted} | found.to_object())
            except RoomfulError as error:
                failed.append(error)
                continue
            if not as_json:
                now = "" if deleted is None else f" ({deleted} just now)"
                click.echo(f"{store.id}  {in_words(found)}{now}")
    if as_json and (rows or not survey):
        click.echo(json.dumps(rows[0] if survey else rows))
    if failed:
        raise failed[0]
    if not rows and not as_json:
        click.echo(f"No survey in {data}.")
