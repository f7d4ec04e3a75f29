"""``roomful publish``, ``publishing-code``, ``discard``, ``open``, ``close`` and ``status``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

import click

from server.cli.expire import in_words, open_store
from server.cli.options import EXISTING_FILE, PATH, json_option, warn_of_local_links
from server.cli.surveys import data_option, open_data
from server.collection.config import Config
from server.collection.publishing.codes import DEFAULT_DAYS, MOST_DAYS, PublishingCodes
from server.collection.publishing.from_files import publish_files
from server.collection.publishing.handing_over import hand_over, server_address
from server.collection.publishing.versions import versions
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import NOT_CLOSED, State
from server.collection.storage.store import SurveyStore
from server.collection.totals import arrived, told_until_closing
from server.files import read_file
from server.release.trustees.rehearsal import MAX_REHEARSAL_BYTES, keep_rehearsal, require_rehearsal
from shared.errors import InputError, StateError
from shared.invitation import survey_link

_CODE_VARIABLE: Final = "ROOMFUL_PUBLISHING_CODE"


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@data_option
@click.option(
    "--token-key",
    type=EXISTING_FILE,
    help="Make this server the registrar of an invited survey: tokens.pem of roomful keygen.",
)
@click.option(
    "--collector-key",
    type=EXISTING_FILE,
    help="Make this server the collector of an invited survey: collector.pem of roomful keygen.",
)
@click.option("--test", "is_test", is_flag=True, help="As a test copy, which its page says.")
@click.option("--to", "server", metavar="URL", help="On the server at this address, not in a data directory.")
@click.option(
    "--code-file",
    type=PATH,
    help="File with the publishing code of that server's operator in its first line.",
)
@json_option("the survey's id and digest")
def publish(
    source: Path,
    data: Path,
    token_key: Path | None,
    collector_key: Path | None,
    is_test: bool,
    server: str | None,
    code_file: Path | None,
    as_json: bool,
) -> None:
    """Take a signed specification into the data directory as a draft.

    SOURCE is the folder that design and sign made, or the signed file in it. A public model, and the roll of
    an invited survey, must lie beside it. The keys of an invited survey are copied into the data directory;
    give both here, or one each to two servers with two data directories.

    With --to the files go to a server that somebody else runs. Its operator gives the code (roomful
    publishing-code); it is asked for, or read from --code-file or the variable ROOMFUL_PUBLISHING_CODE.
    """
    if server is not None:
        if token_key is not None or collector_key is not None:
            raise click.UsageError("Private keys are not sent: the operator installs them on the server.")
        base = server_address(server)
        place = hand_over(source, base, _publishing_code(code_file), is_test=is_test)
        if as_json:
            click.echo(json.dumps({"id": place.id, "digest": place.digest, "server": place.server}))
            return
        click.echo(f"Published as {place.id} at {place.server}, state draft.")
        click.echo(
            f"Look at it: {place.server}s/{place.id}. Then its operator opens it: roomful open {place.id}"
        )
        return
    if code_file is not None:
        raise click.UsageError("--code-file goes with --to.")
    with open_data(data) as directory:
        survey = publish_files(
            directory, source, token_key=token_key, collector_key=collector_key, is_test=is_test
        )
        store = open_store(directory, survey)
        if store.is_test and token_key is not None:
            click.echo(
                "WARNING: the survey itself has the same digest, so tokens of this copy count there too.\n"
                "Keys and codes must be of this copy alone: design it again with others for the real survey.",
                err=True,
            )
        if as_json:
            click.echo(json.dumps({"id": store.id, "digest": store.published.digest, "state": store.state}))
            return
        kind = ", a test copy" if store.is_test else ""
        click.echo(f"Published as {store.id}{kind}, state {store.state}.")
        click.echo(f"Next: {_before_opening(store, data)}")


@click.command("open")
@click.argument("survey")
@data_option
@click.option(
    "--rehearsal",
    type=PATH,
    help="rehearsal.json of the trustees; an invited survey does not open without.",
)
@click.option("--yes", is_flag=True, help="Do not ask for the survey's id.")
@json_option("the result")
def open_survey(survey: str, data: Path, rehearsal: Path | None, yes: bool, as_json: bool) -> None:
    """Let a published survey take answers. There is no way back: it can only be closed.

    An invited survey opens only when every trustee's share has taken part in a rehearsal. An election opens
    twice: first its codes are exchanged and no ballot is taken, then ballots are and no code.
    """
    rehearsed = (
        None
        if rehearsal is None
        else read_file(rehearsal, "rehearsal.json of the trustees", MAX_REHEARSAL_BYTES)
    )
    with open_data(data) as directory:
        store = open_store(directory, survey)
        if store.state is State.DRAFT:
            # Here, because it draws: nobody who asks for a survey's state waits for what that loads.
            from server.release.preview import require_releasable

            require_rehearsal(store.published, rehearsed)
            require_releasable(store.specification)
        _confirm(store.id, "Opening cannot be undone, and the specification cannot change afterwards.", yes)
        directory.open(store.id)
        if store.state is State.TOKENS and not as_json:
            click.echo("Codes are exchanged, and no ballot is taken. Then roomful open again, for the votes.")
        if rehearsed is not None:
            keep_rehearsal(store.published, rehearsed)
        published = store.published
        config = Config.load(data, os.environ, {})
        address = survey_link(config.public_url, published.digest, published.organizer_key)
        if not as_json and store.met is State.DRAFT and published.specification.period is not None:
            click.echo(f"It takes answers from {published.specification.period.opens} on.")
        if as_json:
            click.echo(json.dumps({"id": store.id, "state": store.state, "address": address}))
        elif published.specification.invited is None:
            click.echo(f"Open. Invite people with:\n{address}")
        else:
            click.echo(
                "Open. Everybody gets the letter, or the link of mail-merge.csv, that holds her own code."
            )
            click.echo(f"The survey's link without a code, for the relay, trustees and auditors:\n{address}")
        if not store.is_test:
            warn_of_local_links(config.public_url)


@click.command("close")
@click.argument("survey")
@data_option
@click.option("--early", is_flag=True, help="Before the moment that the survey names to its respondents.")
@click.option("--yes", is_flag=True, help="Do not ask for the survey's id.")
@json_option("the result")
def close_survey(survey: str, data: Path, early: bool, yes: bool, as_json: bool) -> None:
    """End a survey for good. Nothing is accepted afterwards, also by a server that is running.

    A survey with a closing time is closed by itself then, by a server that is running or the next command.
    """
    with open_data(data) as directory:
        store = open_store(directory, survey)
        if not early:
            store.require_promised_end()
        role = Config.load(data, os.environ, {}).role
        if role != "registrar":
            _warn_of_the_relay(directory, store)
        _confirm(store.id, "Closing cannot be undone: no answer is accepted afterwards.", yes)
        store.close()
        found, total = store.retention, store.total()
        if as_json:
            row = {"id": store.id, "state": store.state, "total": total}
            click.echo(json.dumps(row | found.to_object()))
        elif role == "registrar" and store.specification.invited is not None:
            click.echo(f"Closed: no code fetches a token any more. Next: roomful board used-codes {store.id}")
            click.echo(f"--data {data} --out used-codes.txt, and that list to the collector, who closes too.")
        else:
            next_step = "release" if store.specification.invited is None else "board create"
            listed = " --used-codes FILE" if role == "collector" and next_step == "board create" else ""
            click.echo(
                f"Closed with {total} answers. Next: roomful {next_step} {store.id} --data {data}{listed}"
            )
            click.echo(f"Release them before {found.delete_on}: on that day they are deleted.")


@click.command("publishing-code")
@click.option(
    "--days",
    type=click.IntRange(1, MOST_DAYS),
    default=DEFAULT_DAYS,
    show_default=True,
    help="Days after today on which it can still be used.",
)
@data_option
@json_option("the code and its last day")
def publishing_code(days: int, data: Path, as_json: bool) -> None:
    """Make a code with which an organizer can publish one draft on this server, from her own machine.

    Only its hash is kept. Give it to her by a way that nobody else reads.
    """
    with open_data(data) as directory:
        code, last_day = PublishingCodes(directory.path).make(days)
    if as_json:
        click.echo(json.dumps({"code": code, "last_day": last_day}))
        return
    click.echo(f"{code}\nFor one draft, until {last_day} (UTC). It is shown this once.")
    click.echo("The organizer: roomful publish DESIGN --to URL, or the desk's page Publish and open.")


@click.command()
@click.argument("survey")
@data_option
@click.option("--yes", is_flag=True, help="Do not ask for the survey's id.")
def discard(survey: str, data: Path, yes: bool) -> None:
    """Delete a draft. What was opened once stays, whatever happens.

    The signed file with whoever published it can be published again.
    """
    with open_data(data) as directory:
        store = open_store(directory, survey)
        _confirm(store.id, "The draft and, of an invited survey, the keys installed for it are deleted.", yes)
        directory.discard(store.id)
    click.echo(f"Deleted the draft {store.id}.")


def _publishing_code(file: Path | None) -> str:
    """From a file, the environment or the keyboard."""
    if file is not None:
        return read_file(file, "a publishing code", 1_000).decode("utf-8", "replace").partition("\n")[0]
    if _CODE_VARIABLE in os.environ:
        return os.environ[_CODE_VARIABLE]
    answer: str = click.prompt("Publishing code", hide_input=True, err=True)
    return answer


def _before_opening(store: SurveyStore, data: Path) -> str:
    """What comes after publishing."""
    if store.specification.invited is None:
        return f"roomful open {store.id} --data {data}"
    here = f"{store.id} --data {data}"
    return (
        f"roomful invite where the codes are, roomful trustees challenge {here},\n"
        f"and with the trustees' rehearsal.json: roomful open {here} --rehearsal rehearsal.json"
    )


def _warn_of_the_relay(directory: DataDirectory, store: SurveyStore) -> None:
    """Ballots that the relay still holds are lost with closing."""
    invited = store.specification.invited
    if store.state is not State.OPEN or invited is None or invited.relay is None:
        return
    tokens = issued(directory, store).get("tokens_issued_about")
    known = "" if tokens is None else f" of about {tokens} people who fetched a token"
    click.echo(
        f"WARNING: about {arrived(store)} answers{known} have arrived. Those that still wait at the\n"
        f"relay will be lost: have {invited.relay.url} emptied first (roomful relay LINK --flush).",
        err=True,
    )


@click.command()
@click.argument("survey", required=False)
@data_option
@json_option("the surveys")
def status(survey: str | None, data: Path, as_json: bool) -> None:
    """Show the state and the total of one survey or of all.

    There is never a count per cell: whoever watched it grow could tell who answered. It also says when
    the answers are deleted. Of an invited survey the total, and on the registrar's server the number of
    tokens, are told once a day until it is closed, and wrong by a random number: "about".
    """
    with open_data(data) as directory:
        stores = [open_store(directory, name) for name in ((survey,) if survey else directory.ids())]
        kept = [store.retention for store in stores]
        earlier = versions(stores)
        rows: list[dict[str, object]] = [
            {
                "id": store.id,
                "state": store.state,
                "total": arrived(store),
                "title": store.specification.title[store.specification.languages[0]],
            }
            | issued(directory, store)
            | found.to_object()
            | ({"unlike": earlier[store.id]} if store.id in earlier else {})
            for store, found in zip(stores, kept, strict=True)
        ]
    if as_json:
        click.echo(json.dumps(rows if survey is None else rows[0], ensure_ascii=False))
    elif not rows:
        click.echo(f"No survey in {data}.")
    else:
        for store, row, found in zip(stores, rows, kept, strict=True):
            growing = row["state"] == State.OPEN and store.specification.invited is not None
            total = "deleted" if row["total"] is None else f"{'~' if growing else ''}{row['total']}"
            tokens = row.get("tokens_issued_about")
            more = "" if tokens is None else f", about {tokens} tokens issued"
            if "tokens_issued" in row:
                more = f", {row['tokens_issued']} tokens issued"
            if store.is_test:
                more += ", test copy"
            click.echo(f"{row['id']}  {row['state']:9}{total:>9}  {row['title']}  ({in_words(found)}{more})")
            for other, differs in earlier.get(store.id, {}).items():
                click.echo(f"{'':16}  unlike {other} of the same title in: {', '.join(differs)}")


def issued(directory: DataDirectory, store: SurveyStore) -> dict[str, int]:
    """The tokens of an invited survey whose registrar is here, until closing about so many; else empty."""
    if store.retention.deleted_on is not None:
        return {}
    try:
        count = directory.registrar(store.id).issued()
    except StateError:
        return {}
    growing = store.state in NOT_CLOSED
    name = "tokens_issued_about" if growing else "tokens_issued"
    return {name: told_until_closing(store, "total-tokens", count)}


def _confirm(survey: str, consequence: str, yes: bool) -> None:
    if yes:
        return
    click.echo(consequence, err=True)
    typed = click.prompt("Type the survey's id to go on", err=True)
    if typed.strip() != survey:
        raise InputError(
            "that is not the survey's id; nothing was changed", where=survey, code="input.confirmation"
        )
