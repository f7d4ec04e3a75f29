"""``roomful respond`` and ``roomful vote``: take part in a survey or an election from the command line."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from respondent_client.complaining import MAX_RECEIPT_FILE_BYTES
from respondent_client.composing import Attempt, Message, Outgoing
from respondent_client.headless.delivering import deliver, find_message
from respondent_client.headless.report import check_line, line_object, part_line, room_lines, words_to_compare
from respondent_client.headless.respondent import HeadlessRespondent
from respondent_client.headless.tokens import find_token, read_file, write_file
from respondent_client.sending import Receipt
from respondent_client.session import Placement
from shared.ballot import require_invited
from shared.complaint import sealed_text
from shared.errors import InputError, StateError
from shared.receipt import BallotReceipt
from shared.soundness import SoundSpecification
from shared.token import HeldToken

Compose = Callable[[HeadlessRespondent, Placement, dict[str, Any], HeldToken | None], Message]
"""Makes the message of a placed person; her token is None in an open survey."""
TESTING: Final = (
    "Who tests for you learns which ballot was yours to be. A false page may show two voters one ballot."
)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """What both commands know."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print machine-readable JSON."),
        click.option(
            "--words-match",
            is_flag=True,
            help="You compared the words of the survey with those of your invitation.",
        ),
        click.option(
            "--wait",
            is_flag=True,
            help="In an invited survey, send at a random moment, as the page does: within the relay's time, "
            "from a minute to an hour, or 15 minutes without a relay.",
        ),
        click.option(
            "--token-file",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Where first the request for the token is saved, then the token in its place; read if it is "
            "there. After a lost answer, call again with the same file: without it the code may be lost.",
        ),
        click.option(
            "--code",
            envvar="ROOMFUL_INVITATION_CODE",
            help="The code of an invitation; by default that of ROOMFUL_INVITATION_CODE, or the one in URL. "
            "It is exchanged for a token, once. Other users of a machine see what stands in a command, and "
            "not the variable.",
        ),
        click.option(
            "--all-parts",
            is_flag=True,
            help="Of a survey in parts load all, so that the server does not learn where your group is.",
        ),
        click.argument("url"),
    ):
        command = option(command)
    return command


@click.command()
@click.option(
    "--answers",
    "answers_file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='JSON: {"quasi_identifiers": {...}, "answers": {...}}; null withholds a value.',
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show the exact bytes that would be sent, or that others are sent instead, and send nothing.",
)
@_options
def respond(url: str, answers_file: Path, dry_run: bool, **options: Any) -> None:
    """Check the survey at URL, map the answers to a group on this machine, and send them.

    URL is the whole link of the invitation, with the part after the #. The quasi-identifiers stay on this
    machine. If the survey is for invited people, the code is exchanged for a token that nobody can trace to
    it; with --token-file the token outlives a broken connection, and the answers can be sent another day.
    Until somebody has answered for them they stay, sealed, in TOKENFILE.message, and a second call sends the
    very same.
    """
    _take_part(
        url, read_answers(answers_file), dry_run=dry_run, compose=HeadlessRespondent.compose, **options
    )


@click.command()
@click.option(
    "--choices",
    "choices_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='JSON: {"quasi_identifiers": {...}, "answers": {...}}; the answers are your choices.',
)
@click.option(
    "--receipt-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where receipt and sealed ballot are saved, for a complaint if the board lacks it; by default"
    " TOKENFILE.receipt.",
)
@click.option(
    "--complain",
    "complaint_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Instead of voting: send the ballot in this receipt file again, while the board is provisional.",
)
@click.option("--cast", "at_once", is_flag=True, help="Cast without asking whether to test the ballot first.")
@click.option(
    "--test-file",
    default="test.json",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where a ballot that you test is written for another device; of a second one test-2.json.",
)
@_options
def vote(
    url: str,
    choices_file: Path | None,
    receipt_file: Path | None,
    complaint_file: Path | None,
    at_once: bool,
    test_file: Path,
    **options: Any,
) -> None:
    """Vote in the election at URL: encrypt your choices on this machine, then cast the ballot or test it.

    Not for binding public elections: your device knows your vote, so it can be sold or coerced.

    The words of the ballot are shown before you decide. A ballot that you test is never cast: it is written
    to a file from which another device makes it again, byte for byte (roomful election check-ballot), and a
    new ballot is made. Otherwise as roomful respond.

    Keep the receipt file until the result is out. If the provisional board does not list your ballot although
    the collector signed that it took it, --complain brings it back.
    """
    if complaint_file is not None:
        _complain(url, complaint_file, as_json=options["as_json"])
        return
    if choices_file is None:
        raise click.UsageError("Missing option '--choices'.")
    token_file = options["token_file"]
    if receipt_file is None and token_file is not None:
        receipt_file = token_file.with_name(f"{token_file.name}.receipt")

    def decide(
        respondent: HeadlessRespondent,
        placement: Placement,
        choices: dict[str, Any],
        token: HeldToken | None,
    ) -> Message:
        for number in itertools.count(1):
            attempted = respondent.attempt(placement, choices, token)
            click.echo(f"Your ballot, encrypted: {attempted.words}", err=True)
            if at_once or _decision() == "cast":
                return respondent.cast(attempted)
            _write_test(attempted, test_file, number, pinned_link(url))
        raise AssertionError("a count without an end has ended")

    _take_part(
        url,
        read_answers(choices_file),
        dry_run=False,
        compose=decide,
        receipt_file=receipt_file,
        **options,
    )


def _complain(url: str, path: Path, *, as_json: bool) -> None:
    """Send a complaint, and say what came of it."""
    receipt, listed = HeadlessRespondent(url).complain(read_file(path, MAX_RECEIPT_FILE_BYTES))
    if as_json:
        click.echo(json.dumps({"receipt": receipt.digest.hex(), "listed": listed}))
    elif listed:
        click.echo("It is there: the board lists this ballot. There is nothing to complain about.")
    else:
        click.echo("Admitted. Look for the receipt again when the board is final.")


def _decision() -> str:
    """Cast or test; the words have been shown."""
    click.echo(TESTING, err=True)
    kinds = click.Choice(("cast", "test"))
    found: str = click.prompt("Cast this ballot, or test it", type=kinds, err=True)
    return found


def pinned_link(url: str) -> str:
    """A link without its code or token: what may be shown to others."""
    address, _, fragment = url.partition("#")
    return f"{address}#{'.'.join(fragment.split('.')[:2])}"


def _write_test(attempted: Attempt, path: Path, number: int, link: str) -> None:
    """Give a ballot away to be tested."""
    out = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
    if out.exists():
        raise InputError("the file exists already", where=str(out), expected="a new file: --test-file")
    write_file(out, attempted.test().to_bytes())
    click.echo(
        f"This ballot is not cast, and never will be. On another device:\n"
        f"    roomful election check-ballot {out} --invitation '{link}'\n"
        f"It must show the same words and your choices. Now a new ballot:",
        err=True,
    )


@dataclass(slots=True, kw_only=True)
class _Account:
    """What is told of taking part: lines for people while it goes on, or one JSON object at the end."""

    as_json: bool
    figures: dict[str, Any] = field(default_factory=dict)

    def say(self, text: str, **figures: Any) -> None:
        """Tell people in words what machines are told in figures; empty words are told to machines alone."""
        self.figures |= figures
        if text and not self.as_json:
            click.echo(text)

    def end(self) -> None:
        """Hand machines what was gathered."""
        if self.as_json:
            click.echo(json.dumps(self.figures, indent=1))


def _take_part(
    url: str,
    person: dict[str, dict[str, Any]],
    *,
    dry_run: bool,
    compose: Compose,
    code: str | None,
    token_file: Path | None,
    wait: bool,
    words_match: bool,
    as_json: bool,
    all_parts: bool,
    receipt_file: Path | None = None,
) -> None:
    """Check, place, and send what is composed."""
    account = _Account(as_json=as_json)
    respondent = HeadlessRespondent(url, notify=_progress)
    sound = _examine(respondent, person["quasi_identifiers"], account, words_match, all_parts)
    placement = respondent.place(person["quasi_identifiers"])
    content = respondent.preview(placement, person["answers"])
    room = placement.room
    account.say(
        "\n".join(room_lines(room, sound.specification)),
        people=room.people,
        people_are_at_least=room.at_least,
        cell=room.cell,
    )
    if dry_run:
        _show(content, find_message(respondent, sound, token_file), sound, account)
    else:
        if sound.specification.invited is None:
            receipt: Receipt | None = respondent.send(compose(respondent, placement, person["answers"], None))
        else:
            receipt = _send_ballot(
                respondent,
                placement,
                lambda token: compose(respondent, placement, person["answers"], token),
                code,
                token_file,
                wait,
            )
        if receipt is None:
            account.say(
                f"Your voucher is kept in {token_file}, and nobody can trace it to your code. "
                "When the voting has begun, vote by the same command.",
                token_file=str(token_file),
            )
        else:
            _acknowledge(receipt, sound, receipt_file, account)
    account.end()


def _examine(
    respondent: HeadlessRespondent,
    quasi_identifiers: dict[str, Any],
    account: _Account,
    words_match: bool,
    all_parts: bool,
) -> SoundSpecification:
    """Run the checks of the survey and show each; of one in parts, load the part that this person needs.

    Raises
    ------
    SoundnessError
        If a check refuses the survey, or the words are yet to be compared; machines have the checks first.
    """
    examination = respondent.examine()
    if examination.specification and examination.must_load and (words_match or not examination.must_compare):
        district = respondent.district_of(examination, quasi_identifiers)
        district = None if all_parts else district
        click.echo(part_line(examination.specification, district), err=True)
        examination = respondent.load(examination, district)
    account.say(
        "\n".join(check_line(line) for line in examination.lines),
        checks=[line_object(line) for line in examination.lines],
        sent=False,
    )
    if examination.verified is not None:
        account.say("", digest=examination.verified.digest)
        if examination.must_compare and not words_match:
            words = words_to_compare(examination.verified.digest)
            click.echo(f"Compare with your invitation, then add --words-match: {words}", err=True)
    if examination.refusal is not None:
        account.end()
    return respondent.accept(examination, compared=words_match)


def _show(
    content: bytes, waiting: Outgoing | Receipt | None, sound: SoundSpecification, account: _Account
) -> None:
    """Show what would be sent: these answers, or what was sealed before with the same token."""
    if waiting is not None:
        instead = _waiting(waiting)
        account.say(instead["instead"], **instead)
        return
    text, sealed = content.decode(), " (sealed)" if sound.specification.invited else ""
    account.say(f"These {len(content)} bytes would be sent{sealed}:\n{text}", message=text)


def _acknowledge(
    receipt: Receipt, sound: SoundSpecification, receipt_file: Path | None, account: _Account
) -> None:
    """Keep the receipt where it was asked for, and tell what it says."""
    signed = BallotReceipt.of(sound.digest, receipt.digest, receipt.acceptance).to_text()
    if receipt_file is not None and receipt.sealed:
        write_file(receipt_file, f"{signed}\n{sealed_text(receipt.sealed)}\n".encode("ascii"))
        click.echo(f"Receipt and sealed ballot are in {receipt_file}, for a complaint.", err=True)
    if receipt.earlier:
        click.echo(
            "The answers that were sealed first count; no others were sent. If those are not yours, name "
            "another --token-file.",
            err=True,
        )
    where = "Handed to the relay" if receipt.relayed else "Sent and stored"
    account.say(
        f"{where}. Receipt: {receipt.digest}", sent=True, receipt=receipt.digest, relayed=receipt.relayed
    )
    if receipt.acceptance:
        signer = "relay" if receipt.relayed else "collector"
        account.say(f"Signed by the {signer}, to be kept:\n{signed}", receipt_text=signed)
    account.say("", earlier=receipt.earlier)


def _waiting(found: Outgoing | Receipt) -> dict[str, Any]:
    """What would happen instead of sending these answers: others were sealed with this token before."""
    if isinstance(found, Receipt):
        said = "Answers that were sealed before with this token are taken already; nothing would be sent."
        return {"instead": said, "receipt": found.digest}
    return {
        "instead": f"Not these answers but those in the message file would be sent: {len(found.body)} sealed "
        "bytes that nobody has answered for yet.",
        "receipt": found.receipt,
    }


def _send_ballot(
    respondent: HeadlessRespondent,
    placement: Placement,
    compose: Callable[[HeldToken | None], Message],
    code: str | None,
    token_file: Path | None,
    wait: bool,
) -> Receipt | None:
    """Fetch the token, wait for a random moment, and send; what was sealed before is sent again instead.

    While an election exchanges codes there is no receipt: the token is kept for the voting.
    """
    found = find_message(respondent, placement.sound, token_file)
    too_early = require_invited(placement.sound.specification).election and respondent.exchanges_codes()
    if too_early and token_file is None:
        raise StateError(
            "the voting begins later, and a token would be lost",
            where="--token-file",
            remedy="Name a file for the token.",
            code="state.tokens",
        )
    token = None if found is not None else find_token(respondent, placement, code, token_file)
    if too_early:
        return None
    if wait and not isinstance(found, Receipt):
        seconds = respondent.draw_delay()
        click.echo(f"The answers are sent in {seconds:.0f} seconds; Ctrl-C ends the waiting.", err=True)
        time.sleep(seconds)
    return deliver(respondent, found, lambda: compose(token), token_file)


def read_answers(path: Path) -> dict[str, dict[str, Any]]:
    """A person's file.

    Raises
    ------
    InputError
        If it is not of the form ``{"quasi_identifiers": {...}, "answers": {...}}``, with texts or null as
        quasi-identifiers. The message does not repeat its contents.
    """
    expected = '{"quasi_identifiers": {"name": "text" or null, ...}, "answers": {...}}'
    try:
        value = json.loads(path.read_bytes())
    except ValueError:
        raise InputError("the file is not JSON", where=path.name, expected=expected) from None
    parts = ("quasi_identifiers", "answers")
    if not isinstance(value, dict) or set(value) != set(parts):
        raise InputError("the file has the wrong fields", where=path.name, expected=expected)
    if not all(isinstance(value[part], dict) for part in parts):
        raise InputError("a part of the file is not an object", where=path.name, expected=expected)
    if not all(text is None or isinstance(text, str) for text in value["quasi_identifiers"].values()):
        raise InputError("a quasi-identifier is neither a text nor null", where=path.name, expected=expected)
    return value


def _progress(notice: Mapping[str, Any]) -> None:
    if "part" not in notice and notice["done"] % 50_000 < 500:
        click.echo(f"Recounting: {notice['done']} of {notice['total']} people", err=True)
