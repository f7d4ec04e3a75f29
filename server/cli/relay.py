"""``roomful relay``: mix the sealed ballots of invited surveys, so that their collector sees no sender."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from server.cli.options import FOLDER, PATH
from server.collection.config import Config
from server.collection.relay.collector import Collector
from server.collection.relay.judging import MEANINGS, Judgement, judge, warn_of_flush
from server.collection.relay.link import RelayLink
from server.collection.relay.pool import common_address, open_store, pass_on_now, prepare, relay_of
from server.collection.storage.databases import Databases, databases_at
from server.collection.storage.holding import holding
from server.collection.storage.published import PublishedSurvey
from server.collection.storage.relay import RelayStore, Totals
from server.collection.storage.remembered import ENDED
from server.collection.web.relay import serve_relay
from server.keys.relay_key import load_relay_key
from shared.errors import InputError, RemoteError
from shared.invited import Relay

_LOOK_SECONDS: Final = 0.2


@click.command()
@click.argument("links", metavar="LINK...", nargs=-1, required=True)
@click.option(
    "--data",
    type=FOLDER,
    default=Path("relay"),
    show_default=True,
    help="The relay's own directory.",
)
@click.option("--host", help="Address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on. [default: 8000]")
@click.option("--public-url", help="Checked against the address that the specification names.")
@click.option(
    "--key",
    "key_file",
    type=PATH,
    help="Private key of keygen --purpose relay, if a specification names it: what is taken is signed.",
)
@click.option("--status", is_flag=True, help="Print totals, and nothing else.")
@click.option("--flush", is_flag=True, help="Pass on now what waits, before the survey is closed.")
@click.option("--yes", is_flag=True, help="With --flush: warn, and do not ask.")
@click.option("--json", "as_json", is_flag=True, help="With --status: totals as JSON.")
def relay(
    links: tuple[str, ...],
    data: Path,
    host: str | None,
    port: int | None,
    public_url: str | None,
    key_file: Path | None,
    status: bool,
    flush: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Relay the ballots of invited surveys whose specifications name this relay.

    LINK is a survey's invitation link, in quotes, without anybody's code. The relay reads nothing of a
    ballot. It holds them until there are as many as the specification says and the first has waited as long
    as it says, then passes all of them on in random order.
    """
    parsed = [RelayLink.parse(link) for link in dict.fromkeys(links)]
    if len({link.survey for link in parsed}) < len(parsed):
        raise InputError(
            "two links are of the same survey", expected="one LINK for each survey", code="input.relay-link"
        )
    config = Config.load(data, os.environ, {"host": host, "port": port})
    databases = databases_at(config.database)
    try:
        surveys = [(prepare(data, link, databases), link) for link in parsed]
        if status:
            _show(data, surveys, databases, as_json)
        elif flush:
            if len(surveys) > 1:
                raise InputError(
                    "the pools of several surveys would leave together",
                    expected="--flush with one LINK",
                    remedy="Empty one now and the next one after a time like that of their pools.",
                    code="input.relay-link",
                )
            _flush(data, *surveys[0], databases, yes)
        else:
            url = common_address(tuple(survey for survey, _ in surveys), public_url)
            key = None if key_file is None else load_relay_key(key_file)
            serve_relay(replace(config, public_url=url), data, surveys, click.echo, key)
    finally:
        databases.end()


def _show(
    data: Path, surveys: list[tuple[PublishedSurvey, RelayLink]], databases: Databases, as_json: bool
) -> None:
    found = []
    with ExitStack() as stack:
        for survey, link in surveys:
            totals = stack.enter_context(open_store(survey, databases=databases)).totals()
            collector = Collector(link)
            said = collector.said()
            collector.close()
            public = None if said is None else said.exact
            late = said is not None and f"state.{said.state}" in ENDED and totals.waiting > 0
            found.append((survey.id, totals, judge(totals, relay_of(survey)[0].people, public), late))
    if as_json:
        numbers = [{"survey": name, **_numbers(totals, judged)} for name, totals, judged, _ in found]
        click.echo(json.dumps(numbers, indent=1))
        return
    for name, totals, judged, late in found:
        click.echo(f"Survey {name} in {data}")
        rows = [("invited", judged.people)]
        rows += [("waiting for others", totals.waiting), ("mixed, on their way", totals.leaving)]
        rows += [("taken by the collector", totals.passed)]
        rows += [(f"refused ({code})", number) for code, number in totals.refused]
        for label, number in rows:
            click.echo(f"  {label:28}{number}")
        if late:
            click.echo(
                "  The survey is closed: what waits is lost; a running relay deletes it within a minute."
            )
        for alarm in judged.alarms:
            click.echo(f"  ALARM: {MEANINGS[alarm]} ({alarm})")


def _numbers(totals: Totals, judged: Judgement) -> dict[str, object]:
    return {
        "invited": judged.people,
        "waiting": totals.waiting,
        "leaving": totals.leaving,
        "passed": totals.passed,
        "refused": dict(totals.refused),
        "alarms": list(judged.alarms),
    }


def _emptied_here(data: Path, store: RelayStore, link: RelayLink, rule: Relay) -> bool:
    with holding(data, alone=True) as alone:
        here = alone and not store.is_elsewhere()
        if here:
            pass_on_now(store, link, rule)
    return here


def _flush(data: Path, survey: PublishedSurvey, link: RelayLink, databases: Databases, yes: bool) -> None:
    rule = relay_of(survey)[1]
    with open_store(survey, databases=databases) as store:
        before = store.totals()
        held = before.waiting + before.leaving
        if not held:
            click.echo(f"Survey {survey.id}: nothing waits.")
            return
        judged = judge(before, relay_of(survey)[0].people)
        warnings = warn_of_flush(before, store.waited(), rule, judged)
        for line in warnings:
            click.echo(f"WARNING: {line}", err=True)
        for alarm in judged.alarms:
            click.echo(f"ALARM: {MEANINGS[alarm]} ({alarm})", err=True)
        if (warnings or judged.alarms) and not yes:
            click.confirm("Pass them on?", abort=True, err=True)
        store.ask_flush(before.waiting)  # whoever comes to a smaller pool leaves with more, or not now
        if not _emptied_here(data, store, link, rule):
            click.echo("The relay is running; it empties its pool. Ctrl-C ends the waiting, not the flush.")
            while store.flush_asked() or store.totals().leaving:
                time.sleep(_LOOK_SECONDS)
                if _emptied_here(data, store, link, rule):  # it ended meanwhile
                    break
        after = store.totals()
    lost = sum(n for _, n in after.refused) - sum(n for _, n in before.refused)
    click.echo(f"Survey {survey.id}: {after.passed - before.passed} passed on, {lost} refused.")
    if after.waiting:
        click.echo(f"{after.waiting} came meanwhile and wait for others; you were not warned of so few.")
    if after.leaving:
        raise RemoteError(
            f"{after.leaving} could not be passed on",
            where=link.base,
            remedy="They stay here. Try again when the collector is there, before the survey is closed.",
            code="remote.unreachable",
        )
