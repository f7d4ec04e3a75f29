"""``roomful election``: key file, result and verification by anybody; and what trustees of elections run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from server.cli.expire import open_store
from server.cli.opening import (
    board_options,
    known_board,
    organizer_options,
    own_share_option,
    read_organizer,
    read_shares,
    read_statements,
    received_export,
    statement_option,
    write,
)
from server.cli.options import PATH, json_option
from server.cli.progress import stages
from server.cli.surveys import data_option, open_data
from server.files import read_file
from server.keys.election_group import fast_group
from server.keys.public_keys import OpeningKey
from server.release.board.election_files import fetch_election, publish_result
from server.release.board.sources import ServerSource, find_source
from server.release.trustees import election_key
from server.release.trustees.ceremony import key_words
from server.release.trustees.decrypting import GROUP, decrypt_sums, examine_election
from server.release.trustees.export import FolderFiles
from server.release.trustees.library import library
from server.release.trustees.new_paths import require_new
from server.release.trustees.tallying import read_factors, report_of, tally, verify_result
from shared.election.factors import MAX_FACTORS_BYTES
from shared.election.result import MAX_RESULT_BYTES, Result
from shared.election.tested import MAX_TEST_BYTES, BallotTest, rebuild
from shared.errors import ElectionError, InputError
from shared.roll import MAX_TOKENS_BYTES, parse_token_counts
from shared.statements import groups_bytes
from shared.units import names_of_units
from shared.verification.election import LINES, NOT_RUN, PASSED, REFUSED, Election, Report
from shared.verification.examining import ReceivedExport
from shared.verification.export import verified_survey
from shared.verification.faults import fault
from shared.verification.figures import examined_figures, totals, unanimous_groups
from shared.verification.files import ExportFiles
from shared.words import digest_words

WARNING: Final = (
    "Not for binding public elections: your device knows your vote, so it can be sold or coerced."
)
_SPLIT: Final = re.compile(r"(\d{1,3})-of-(\d{1,3})", re.ASCII)
_NEXT: Final = {
    1: "When everybody has done round 1: roomful trustees key 2",
    2: "When everybody has done round 2: roomful trustees key 3",
    3: "When everybody has done round 3: roomful trustees key 4",
    4: "Your share and your ledger are in your own folder. The organizer makes the key's file: "
    "roomful election key FOLDER",
}


@click.group()
def election() -> None:
    """Elections by group: key file, result, and verification by anybody.

    Not for binding public elections: your device knows your vote, so it can be sold or coerced.
    """


@click.command()
@click.argument("step", metavar="ROUND", type=click.IntRange(1, 4))
@click.argument("folder", type=PATH)
@click.option("--own", type=PATH, required=True, help="Your own folder, secret.")
@click.option("--trustee", type=click.IntRange(1, 16), help="Your number; in round 1.")
@click.option("--shares", "split", help="How many decrypt together, of how many: 3-of-5; in round 1.")
def key(step: int, folder: Path, own: Path, trustee: int | None, split: str | None) -> None:
    """Take part in making the key of an election, in four rounds, each trustee on her own computer.

    FOLDER holds the messages of all and goes around: everybody does round 1, then everybody round 2, and so
    on. The key exists nowhere, at no time. Any failure voids the ceremony: begin again with new folders.
    """
    if step == 1:
        if trustee is None or split is None:
            raise InputError(
                "round 1 needs your number and the split",
                where="--trustee, --shares",
                expected="such as --trustee 1 --shares 3-of-5",
            )
        threshold, shares = parse_split(split)
        if trustee > shares:
            raise InputError(f"there is no trustee {trustee}", where="--trustee", expected=f"1 to {shares}")
        message = election_key.first_round(
            folder, own, trustee=trustee, threshold=threshold, shares=shares, random_bytes=os.urandom
        )
        click.echo(f"Ceremony {digest_words(message.ceremony)}  (the same for all; compare it)")
    elif step == 2:
        election_key.second_round(folder, own, random_bytes=os.urandom)
    elif step == 3:
        election_key.third_round(folder, own)
    else:
        last = election_key.fourth_round(folder, own, random_bytes=os.urandom)
        click.echo(f"Seen     {digest_words(last.transcript)}  (the same for all; compare it)")
    click.echo(_NEXT[step])


def parse_split(text: str) -> tuple[int, int]:
    """Threshold and number of shares, from ``3-of-5``."""
    found = _SPLIT.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is no split", where="--shares", expected="such as 3-of-5")
    return int(found[1]), int(found[2])


@election.command("key")
@click.argument("folder", type=PATH)
@click.option("--out", type=PATH, required=True, help="election-key.json; it must not exist.")
@json_option("what was found")
def write_key(folder: Path, out: Path, as_json: bool) -> None:
    """Make the public key file of a ceremony whose messages are in FOLDER. Anybody gets the same bytes."""
    require_new(out, "file")
    found: OpeningKey = election_key.election_key(folder)
    write(out, found.to_bytes())
    told = {"words": key_words(found.key), "threshold": found.threshold, "shares": found.shares}
    if as_json:
        click.echo(json.dumps(told))
        return
    click.echo(f"The election's key in words, for everybody to write down:\n    {told['words']}")
    click.echo(f"Any {found.threshold} of {found.shares} trustees decrypt sums with it. It exists nowhere.")


@click.command()
@own_share_option
@click.option(
    "--ledger",
    type=PATH,
    required=True,
    help="Your own ledger, the newest; it must have your statement.",
)
@statement_option
@received_export
@click.option("--out", type=PATH, required=True, help="Your factors; it must not exist.")
@json_option("what was found")
def decrypt(
    *,
    received: ReceivedExport,
    share_file: Path,
    ledger: Path,
    statement_files: tuple[Path, ...],
    out: Path,
    as_json: bool,
) -> None:
    """Decrypt the sums of the groups of the election in FOLDER: your part, on your own computer.

    No ballot is decrypted, and no sum but those of whole groups.
    """
    require_new(out, "file")
    (share,) = read_shares((share_file,))
    with stages(hidden=as_json) as progress:
        found, factors = decrypt_sums(
            received,
            statements=read_statements(statement_files),
            share=share,
            ledger_path=ledger,
            random_bytes=os.urandom,
            progress=progress,
        )
    write(out, factors.to_bytes())
    told = _figures(found) | {"trustee": factors.trustee}
    if as_json:
        click.echo(json.dumps(told))
        return
    _tell(told)
    click.echo(
        f"Trustee {factors.trustee} decrypted the sums of {told['groups']} groups. {out} is no secret."
    )


@election.command()
@received_export
@click.option("--out", type=PATH, help="Write the groups here; it must not exist.")
@json_option("what was found")
def groups(*, received: ReceivedExport, out: Path | None, as_json: bool) -> None:
    """Join the boxes of the election in FOLDER by their counts, as the signed rule says.

    Anybody gets the same groups, and the same bytes: their digest is what trustees state before they decrypt.
    """
    if out is not None:
        require_new(out, "file")
    with stages(hidden=as_json) as progress:
        found = examine_election(received, progress, fast_group())
    cells = found.examined.permitted.groups
    if out is not None:
        write(out, groups_bytes(cells))
    pairs = list(zip(cells, found.ballots, strict=True))
    words = digest_words(found.examined.stated.groups)
    told = _figures(found) | {"groups_words": words}
    named = [_units(found, group) for group in cells]
    if as_json:
        rows = [
            {"cells": list(group), "ballots": number} | ({"units": units} if units else {})
            for (group, number), units in zip(pairs, named, strict=True)
        ]
        click.echo(json.dumps(told | {"rows": rows}))
        return
    _tell(told)
    for place, ((group, number), units) in enumerate(zip(pairs, named, strict=True), 1):
        where = f"  ({'; '.join(units)})" if units else ""
        click.echo(f"Group {place:<4} {number:>5} ballots, boxes {' '.join(map(str, group))}{where}")
    click.echo(f"Groups   {words}  (the same for everybody; trustees state them)")


@election.command()
@statement_option
@received_export
@click.argument("factor_files", metavar="FACTORS...", nargs=-1, type=PATH)
@click.option("--out", type=PATH, required=True, help="result.json; it must not exist.")
@json_option("what was found")
def result(
    *,
    received: ReceivedExport,
    factor_files: tuple[Path, ...],
    statement_files: tuple[Path, ...],
    out: Path,
    as_json: bool,
) -> None:
    """Count the votes of each group of the election in FOLDER, from the trustees' files of factors.

    A file that does not hold is named and left out.
    """
    require_new(out, "file")
    files, malformed = read_factors(
        [(path.name, read_file(path, "a trustee's factors", MAX_FACTORS_BYTES)) for path in factor_files]
    )
    with stages(hidden=as_json) as progress:
        counted = tally(received, statements=read_statements(statement_files), files=files, progress=progress)
    write(out, counted.result.to_bytes())
    left_out = (*malformed, *counted.ignored)
    ignored = [{"code": error.code, "where": error.where} for error in left_out]
    specification = counted.election.examined.survey.specification
    told = _figures(counted.election) | {
        "ignored": ignored,
        "totals": totals(specification, counted.result),
        "unanimous": unanimous_groups(specification, counted.result),
    }
    if as_json:
        click.echo(json.dumps(told))
        return
    _tell(told)
    for error in left_out:
        click.secho(f"LEFT OUT {error.where}: {error.message}", fg="red")
    _tell_totals(told)


@election.command()
@click.argument("source", metavar="FOLDER_OR_URL")
@click.option(
    "--result",
    "result_file",
    type=PATH,
    help="result.json, as it was published; by default the one in FOLDER or at URL.",
)
@click.option(
    "--tokens",
    "tokens_file",
    type=PATH,
    help="Tokens of each box, as the registrar published them before the vote; by default asked at URL.",
)
@board_options
@organizer_options
@json_option("what was found")
def verify(
    *,
    source: str,
    result_file: Path | None,
    tokens_file: Path | None,
    root: str | None,
    checkpoint: Path | None,
    invitation: str | None,
    organizer_key: str | None,
    as_json: bool,
) -> None:
    """Verify a result with what everybody can get: a folder with the ballots, or the election's address.

    Every ballot, proof, signature, sum and factor is computed again. Exit code 5 or 7 at the first line that
    does not hold; it names who is at fault. A URL with its part after the # says which election it must be.
    Without --root or --checkpoint compare the words of the board with those that others see.
    """
    counts = None if tokens_file is None else read_file(tokens_file, "numbers of tokens", MAX_TOKENS_BYTES)
    link = invitation
    files: ExportFiles = FolderFiles(folder=Path(source))
    if source.startswith(("http://", "https://")):
        link = invitation or (source if "#" in source else None)
        server = ServerSource.parse(source)
        files = fetch_election(server)
        counts = server.tokens() if counts is None else counts
    received = ReceivedExport(
        files=files,
        invitation=read_organizer(link, organizer_key),
        known=known_board(root, checkpoint) if root or checkpoint else None,
        tokens=None if counts is None else parse_token_counts(counts),
    )
    data = None if result_file is None else read_file(result_file, "a result", MAX_RESULT_BYTES)
    with stages(hidden=as_json) as progress:
        found = report_of(received, progress, data)
    told = found.to_object() | {"compare": received.known is None, "tokens_compared": counts is not None}
    if as_json:
        click.echo(json.dumps(told))
    else:
        click.echo(WARNING)
        _tell_lines(found)
    if found.refusal is not None:
        if at_fault := fault(found.refusal.code):
            found.refusal.remedy = f"At fault: {at_fault}. {found.refusal.remedy}".rstrip()
        raise found.refusal
    if as_json:
        return
    _tell_figures(told)
    _tell_totals(told)
    click.secho("Verified: these are the votes of exactly these ballots.", fg="green")
    if received.known is None:
        click.echo("Compare the words of the board with those that others see: one board for all.")
    if received.tokens is None:
        click.echo("Numbers of tokens were not compared: who saw them before the vote gives --tokens.")


@election.command()
@received_export
@click.option("--result", "result_file", type=PATH, required=True, help="The result.json.")
@click.option("--out", type=PATH, required=True, help="Folder to make.")
@json_option("what was found")
def report(*, received: ReceivedExport, result_file: Path, out: Path, as_json: bool) -> None:
    """Verify a result, and write the organizer's report: report.html, and groups.csv.

    Turnout and result by each attribute, as sums of whole groups alone; how far the choice goes with it; what
    joining cost; and which groups are unanimous.
    """
    # Charts and tables are not loaded where a trustee types her words.
    from server.release.election_report import groups_table, render_election_report

    require_new(out, "file")
    found = Result.parse(read_file(result_file, "a result", MAX_RESULT_BYTES))
    with stages(hidden=as_json) as progress:
        verified = verify_result(received, found, progress)
    examined = verified.examined
    specification = examined.survey.specification
    command = f"roomful election report FOLDER --result {result_file.name}"
    page = render_election_report(specification, examined.survey.digest, found, examined.counts, command)
    write(out / "report.html", page)
    write(out / "groups.csv", groups_table(specification, found))
    told = _figures(verified) | {"unanimous": unanimous_groups(specification, found)}
    if as_json:
        click.echo(json.dumps(told))
        return
    _tell(told)
    click.echo(f"Wrote report.html and groups.csv to {out}.")


@election.command()
@click.argument("survey")
@data_option
@click.argument("folder", type=PATH)
@click.option("--result", "result_file", type=PATH, required=True, help="The result.json.")
@json_option("what was found")
def publish(survey: str, data: Path, folder: Path, result_file: Path, as_json: bool) -> None:
    """Put the ballots in FOLDER and the result of the election SURVEY on its board, once they are verified.

    From then on anybody verifies it by its address. Ballots are encrypted; who breaks the encryption one day
    reads them. A published result never changes.
    """
    result_bytes = read_file(result_file, "a result", MAX_RESULT_BYTES)
    with open_data(data) as directory:
        store = open_store(directory, survey)
        with stages(hidden=as_json) as progress:
            verified = publish_result(store.published, folder, result_bytes, progress)
    told = _figures(verified)
    if as_json:
        click.echo(json.dumps(told))
        return
    _tell(told)
    click.echo("Published. Anybody verifies it: roomful election verify ADDRESS")


@election.command("check-ballot")
@click.argument("test_file", metavar="TEST", type=PATH)
@click.option("--invitation", required=True, help="The voter's link, from another device than hers.")
@click.option(
    "--from",
    "source",
    help="Where the election's signed specification is: a folder, or its address; by default the link's.",
)
@json_option("what was found")
def check_ballot(test_file: Path, invitation: str, source: str | None, as_json: bool) -> None:
    """Make a ballot again that a voter tests, from the file TEST of her device: run it on another device.

    The words must be those that her device showed before she chose to test, and the choices hers. Who tests
    for her learns which ballot was hers to be; it is never cast. The link may be without its code.
    """
    tested = BallotTest.parse(read_file(test_file, "a tested ballot", MAX_TEST_BYTES), test_file.name)
    data = find_source(source or invitation).specification()
    survey = verified_survey(data, read_organizer(invitation, None), library())
    found = rebuild(survey.specification, survey.digest, tested, GROUP)
    told = {"words": found.words, "group": found.cell, "choices": found.answers, "genuine": found.genuine}
    if as_json:
        click.echo(json.dumps(told))
    else:
        click.echo(WARNING)
        click.echo(f"The ballot in words: {found.words}")
        click.echo(f"Group {found.cell}")
        for name, choice in found.answers.items():
            click.echo(f"{name}: {choice if isinstance(choice, str) else json.dumps(choice)}")
        click.echo("Words and choices must be those of the voter's device; else it made another ballot.")
    if not found.genuine:
        raise ElectionError(
            "the token of this ballot is not the registrar's, so it could not have been cast",
            where="token",
            expected="the voter's token",
            remedy="Tell the voter and the organizer: her device made a ballot that would not count.",
            code="election.test",
        )


def _units(found: Election, group: Sequence[int]) -> list[str]:
    """Names of the units of law that a group has boxes of."""
    specification = found.examined.survey.specification
    return list(names_of_units(specification, group, specification.languages[0]))


def _figures(found: Election) -> dict[str, Any]:
    return examined_figures(found.examined, found.ballots)


def _tell(told: dict[str, Any]) -> None:
    click.echo(WARNING)
    _tell_figures(told)


def _tell_figures(told: dict[str, Any]) -> None:
    click.echo(f"Election {told['survey_words']}")
    click.echo(f"Board    {told['root_words']}")
    click.echo(
        f"{told['counted']} of {told['ballots']} ballots in {told['groups']} groups; "
        f"the smallest has {told['smallest_group']}."
    )
    if told["admitted"]:
        click.secho(
            f"ADMITTED after complaints: {told['admitted']}. "
            + (
                "Relay or collector had signed that they were taken, and they were missing from the"
                " provisional board: the fault of one of them, and nobody can tell of which."
                if "relay_signs" in told
                else "The collector had signed that it took them, and they were missing from the provisional"
                " board: its fault."
            ),
            fg="yellow",
        )
    if "units" in told:
        joined = "; ".join(" + ".join(names) for names in told["joined_units"]) or "none"
        click.echo(f"{told['units']} units of law; joined with others: {joined}.")
    for line in told["refused"]:
        click.secho(
            f"NOT COUNTED {line['receipt']} ({line['code']}): the collector should not have taken it.",
            fg="red",
        )


def _tell_lines(found: Report) -> None:
    """A line each: what it says, and how it came out."""
    marks = {PASSED: ("passed", "green"), REFUSED: ("REFUSED", "red"), NOT_RUN: ("not run", "yellow")}
    for line in found.lines:
        mark, colour = marks[line.outcome]
        click.echo(click.style(f"{mark:<8}", fg=colour) + LINES[line.code])


def _tell_totals(told: dict[str, Any]) -> None:
    for contest, votes in told["totals"].items():
        click.echo(f"{contest}: " + ", ".join(f"{choice} {number}" for choice, number in votes.items()))
    for line in told["unanimous"]:
        where = f" ({'; '.join(line['units'])})" if "units" in line else ""
        click.secho(
            f"UNANIMOUS group {line['group']}{where}: all {line['ballots']} chose {line['choice']} in "
            f"{line['contest']}. Everybody's vote there is known.",
            fg="yellow",
        )
    click.echo("A choice that nobody in a group took tells as well.")
