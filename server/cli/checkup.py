"""``roomful checkup``."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import click

from server.cli.options import PATH, json_option
from server.cli.progress import stages
from server.cli.surveys import data_option
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.inspecting import with_other_columns
from server.collection.web.checkup import examine_server
from server.collection.web.checkup_client import ClientWatch, Place
from server.collection.web.checkup_http import examine_http
from server.collection.web.checkup_line import Line, Outcome, line
from server.collection.web.static_files import find_client
from shared.errors import RoomfulError, SetupError, VerificationError


@click.command()
@data_option
@click.option("--url", help="Also look at the running server from outside, at its public address.")
@click.option(
    "--client",
    "survey",
    metavar="URL",
    help="Instead: load a survey's pages as browsers do, and compare every byte with this build.",
)
@click.option("--proxy", metavar="URL", help="With --client: go through this HTTP proxy.")
@click.option("--evidence", type=PATH, help="With --client: a new folder for what differs, if anything does.")
@json_option("the lines")
def checkup(
    data: Path, url: str | None, survey: str | None, proxy: str | None, evidence: Path | None, as_json: bool
) -> None:
    """Test the installation and name the fix for each failure.

    With --client, anybody watches a server: does it give every kind of visitor the published program?

    The exit code is 0 if nothing failed, that of a failed verification if a server gives another program, and
    that of an incomplete installation otherwise.
    """
    if survey is None and (proxy or evidence):
        raise click.UsageError("--proxy and --evidence go with --client.")
    if survey is not None:
        different = _report(_watch(survey, proxy, evidence), as_json)
        if different:
            raise VerificationError(
                "the server does not give what this build has",
                where=", ".join(different),
                code="verification.client",
            )
        return
    config = Config.load(data, os.environ, {"public_url": url})
    try:
        client = find_client()
    except SetupError:
        client = None
    with config.open_data(data) as directory:
        directory.expire()  # what fails is the business of the line "retention"
        lines = (*examine_server(config, directory, client), _schema_line(directory))
    if url is not None:
        lines += examine_http(config.public_url, client)
    failed = _report(lines, as_json)
    if failed:
        raise SetupError(
            f"{len(failed)} of {len(lines)} checks failed", where=", ".join(failed), code="setup.checkup"
        )


def _schema_line(directory: DataDirectory) -> Line:
    """Nothing is stored that is not told."""
    try:
        strange = with_other_columns(directory)
    except RoomfulError as error:
        strange = (error.message,)
    return line(
        "stored-fields", not strange, "Every database has the columns that were told, and no other.",
        "Something else is stored than was told: " + ", ".join(strange) + ".",
        "Find out who changed the database, and restore it from a copy.",
    )  # fmt: skip


def _watch(survey: str, proxy: str | None, evidence: Path | None) -> tuple[Line, ...]:
    """Compare what a server gives with this build, which must be whole itself."""
    place, client = Place.parse(survey), find_client()
    damaged = client.damaged()
    if damaged:
        raise SetupError(
            "this build is not as it was made, so nothing can be compared with it",
            where=", ".join(damaged),
            remedy="Build it again: python -m respondent_client.build",
            code="setup.client-damaged",
        )
    watch = ClientWatch(place, client, proxy=proxy)
    with stages() as show:
        return watch.lines(evidence=evidence, progress=lambda done, total: show("comparing", done, total))


def _report(lines: tuple[Line, ...], as_json: bool) -> list[str]:
    """Print the lines; the codes of those that failed."""
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(line) for line in lines], indent=1))
    else:
        for line in lines:
            click.echo(f"{line.outcome.upper():8}{line.code}: {line.finding}")
            if line.fix:
                click.echo(f"        -> {line.fix}")
    return [line.code for line in lines if line.outcome is Outcome.FAILED]
