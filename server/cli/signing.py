"""``roomful keygen``, ``roomful passphrase``, ``roomful sign``, ``roomful verify``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from server.cli.options import PATH, json_option
from server.cli.passphrase import ask_new_passphrase, ask_passphrase, passphrase_option, signing_key
from server.files import named_file_errors, new_folder, read_file, require_free
from server.keys.core_dumps import forbid_core_dumps
from server.keys.parts_folder import parts_in
from server.keys.relay_key import create_relay_key
from server.keys.signing import MODEL_FILE, countersign, envelope_at, examine_envelope, sign_design
from server.keys.signing_keys import create_key_pair, encrypt_again, load_public_key
from server.keys.token_keys import create_collector_key, create_token_keys
from shared.envelope import Envelope, VerifiedPayload, encode_key, survey_id
from shared.invitation import Invitation
from shared.limits import MAX_ENVELOPE_BYTES, MAX_MODEL_BYTES, MAX_TOKEN_KEYS
from shared.parts import Parts
from shared.recount import Recount
from shared.sealing import DEFAULT_SUITE, SUITES
from shared.soundness import PASSED, REFUSED
from shared.words import digest_words

if TYPE_CHECKING:
    from server.collection.publishing.publication import Publication


@click.command()
@click.option("--out", type=PATH, required=True, help="File for the private key, such as key.pem.")
@click.option(
    "--purpose",
    type=click.Choice(["signing", "tokens", "collector", "relay"]),
    default="signing",
    show_default=True,
    help="What the key is for: signing surveys, or a server of one invited survey.",
)
@click.option(
    "--suite",
    type=click.Choice(list(SUITES)),
    help=f"How ballots are sealed to the collector; the trustees' too. [default: {DEFAULT_SUITE}]",
)
@click.option(
    "--boxes",
    type=click.IntRange(1, MAX_TOKEN_KEYS),
    default=1,
    help="Of an election: a key for the tokens of each box.",
)
@passphrase_option
def keygen(out: Path, purpose: str, suite: str | None, boxes: int, passphrase_file: Path | None) -> None:
    """Make a key pair: a private key in PEM, and its public key beside it (.pub).

    For signing: Ed25519, encrypted with a passphrase, which is asked for, or read from --passphrase-file or
    the variable ROOMFUL_PASSPHRASE.

    An invited survey needs two more, made for it alone: one for tokens (RSA, 3072 bits), for the registrar,
    and one for the collector (HPKE). They are not encrypted, because a server reads them unattended. An
    election has a key for the tokens of each box (--boxes). A relay of an election may have a key (Ed25519)
    with which it signs what it takes.
    """
    forbid_core_dumps()
    if suite is not None and purpose != "collector":
        raise click.UsageError("--suite goes with --purpose collector.")
    if boxes > 1 and purpose != "tokens":
        raise click.UsageError("--boxes goes with --purpose tokens.")
    if passphrase_file is not None and purpose != "signing":
        raise click.UsageError("A server's key has no passphrase: the server reads it unattended.")
    if purpose == "signing":
        public = create_key_pair(out, ask_passphrase(passphrase_file, confirm=True))
        click.echo(f"Private key {out}: keep it, and its passphrase, offline. Nobody can restore it.")
        click.echo(f"Public key  ed25519:{encode_key(public)} (in {out.with_suffix('.pub')})")
        click.echo(f"In words    {digest_words(public.hex())}")
        return
    if purpose == "tokens":
        create_token_keys(out, boxes)
        holder, danger = "registrar", "answer as often as she likes"
    elif purpose == "relay":
        create_relay_key(out)
        click.echo(f"Private key {out}: for the relay alone. Whoever has it signs in the relay's name.")
        click.echo(f"Public key  {out.with_suffix('.pub')}: name it in [invited.relay] of survey.toml.")
        return
    else:
        create_collector_key(out, SUITES[suite or DEFAULT_SUITE])
        holder, danger = "collector", "see each answer's cell on its way"
    click.echo(f"Private key {out}: for the {holder} of one survey. Whoever has it can {danger}.")
    click.echo(f"Public key  {out.with_suffix('.pub')}: name it in [invited] of survey.toml.")


@click.command()
@click.argument("key", type=PATH)
@passphrase_option
@click.option("--new-passphrase-file", type=PATH, help="File with the new passphrase in its first line.")
@click.option("--keep", is_flag=True, help="Keep the passphrase, and only encrypt the file anew.")
def passphrase(key: Path, passphrase_file: Path | None, new_passphrase_file: Path | None, keep: bool) -> None:
    """Encrypt the private key in the file KEY anew, under another passphrase.

    A key file of an earlier version is easier to guess: with --keep its passphrase stays, and the file
    costs a thief what today's do. The key itself does not change. Copies elsewhere stay as they are.
    """
    if keep and new_passphrase_file is not None:
        raise click.UsageError("--keep and --new-passphrase-file exclude each other.")
    old = ask_passphrase(passphrase_file, confirm=False)
    new = old if keep else ask_new_passphrase(new_passphrase_file)
    encrypt_again(key, old, new)
    click.echo(f"Encrypted {key} anew. Destroy its older copies, and do the same with those that stay.")


@click.command()
@click.argument("path", type=PATH)
@click.option("--key", type=PATH, required=True, help="Private key of roomful keygen.")
@passphrase_option
@click.option(
    "--countersign", "as_auditor", is_flag=True, help="Add an auditor's signature to a signed survey."
)
def sign(path: Path, key: Path, passphrase_file: Path | None, as_auditor: bool) -> None:
    """Sign the design in the folder PATH as its organizer.

    With --countersign, PATH is a signed survey (survey.dsse.json, or its folder) and the signature is an
    auditor's; audit it first.
    """
    private = signing_key(key, passphrase_file)
    if as_auditor:
        _show(countersign(envelope_at(path), private))
    else:
        _show(sign_design(path, private))


@click.command()
@click.argument("file", metavar="FILE|LINK")
@click.option("--key", help="The organizer's public key, or a file with it.")
@click.option("--digest", help="The survey's digest from the invitation.")
@click.option("--model", type=PATH, help="Canonical model.csv, to recount a public model.")
@click.option(
    "--save",
    type=PATH,
    metavar="FOLDER",
    help="Of a LINK: keep in this new folder what was fetched, to audit and countersign it.",
)
@json_option("the checks")
def verify(
    file: str, key: str | None, digest: str | None, model: Path | None, save: Path | None, as_json: bool
) -> None:
    """Verify the signatures of FILE (or its folder) and make the checks of a respondent's device.

    In place of FILE the LINK of an invitation may stand: the survey is fetched from its server with all its
    parts and a public model. A code in the link is sent to nobody.

    Exit code 5 if a check was refused, else 0: then read which checks passed, which words are still to be
    compared, and whether the model was recounted.
    """
    is_link = file.startswith(("http://", "https://"))
    if save is not None and not is_link:
        raise click.UsageError("--save is for a LINK: a FILE is here already.")
    said = Invitation.parse_fragment(digest or (urlsplit(file).fragment if is_link else ""))
    invitation = said if key is None else replace(said, organizer_key=load_public_key(key))
    parts: Parts
    if is_link:
        fetched = _fetch(file, save)
        data, parts, counted = fetched.envelope, fetched.parts.get, fetched.model
    else:
        path = envelope_at(Path(file))
        data, parts = read_file(path, "a signed survey", MAX_ENVELOPE_BYTES), parts_in(path.parent)
        beside = path.with_name(MODEL_FILE)
        counted = read_file(beside, "a canonical model", MAX_MODEL_BYTES) if beside.exists() else None
    if model is not None:
        counted = read_file(model, "a canonical model", MAX_MODEL_BYTES)
    examination = examine_envelope(Envelope.parse(data), invitation, parts=parts)
    if examination.must_recount and counted is not None:
        examination = Recount(examination, counted).finish()
    if as_json:
        lines = [
            {"number": x.number, "code": x.code, "outcome": x.outcome, "figures": x.figures}
            for x in examination.lines
        ]
        click.echo(json.dumps(lines, indent=1))
    else:
        for line in examination.lines:
            color = {PASSED: "green", REFUSED: "red"}.get(line.outcome, "yellow")
            figures = ", ".join(f"{name} {value}" for name, value in line.figures.items())
            click.echo(
                f"{line.number:>2} {click.style(f'{line.outcome:<14}', fg=color)} {line.code:<20} {figures}"
            )
        if examination.verified is not None and examination.refusal is None:
            _show(examination.verified)
        if examination.must_recount:
            click.echo("Check 10 needs the model: --model model.csv.")
    if examination.refusal is not None:
        examination.sound()


def _fetch(link: str, save: Path | None) -> Publication:
    from server.release.board.sources import ServerSource  # signing needs no server

    if save is not None:
        require_free(save)
    fetched = ServerSource.parse(link).publication()
    if save is not None:
        with named_file_errors(str(save)), new_folder(save) as work:
            fetched.write(work)
    return fetched


def _show(payload: VerifiedPayload) -> None:
    click.echo(f"Survey   {survey_id(payload.digest)}  (digest {payload.digest})")
    click.echo(f"In words {digest_words(payload.digest)}")
    click.echo(f"Signed   ed25519:{encode_key(payload.organizer_key)} (organizer)")
    for auditor in payload.auditor_keys:
        click.echo(f"         ed25519:{encode_key(auditor)} (auditor)")
