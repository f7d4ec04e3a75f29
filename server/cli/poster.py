"""``roomful poster``."""

from __future__ import annotations

from pathlib import Path

import click

from server.cli.options import FOLDER, PATH, public_url_option, warn_of_local_links
from server.collection.storage.published import PublishedSurvey
from server.files import read_file, write_file
from server.invitations.poster import make_posters
from server.keys.signing import envelope_at
from shared.limits import MAX_ENVELOPE_BYTES


@click.command()
@click.argument("survey", type=PATH)
@click.option("--out", type=FOLDER, required=True, help="Folder for poster.pdf, letter.pdf and message.txt.")
@public_url_option
@click.option("--language", help="Language of all three. [default: the survey's first]")
@click.option("--reminder", is_flag=True, help="Letter and message are reminders, to everybody.")
def poster(survey: Path, out: Path, public_url: str, language: str | None, reminder: bool) -> None:
    """Make a poster, a letter and a message that are the same for everybody.

    SURVEY is the signed file, or its folder. On all stand the link, on paper as a QR code, the address, and
    the words to compare; nothing secret, and nothing that tells one person from another. The letters of an
    invited survey, each with its code, are made by roomful invite.
    """
    signed = envelope_at(survey)
    published = PublishedSurvey.verify(
        signed.parent, read_file(signed, "a signed survey", MAX_ENVELOPE_BYTES), organizer_key=None
    )
    made = make_posters(published, public_url=public_url, language=language, reminder=reminder)
    out.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        write_file(out / name, data)
    warn_of_local_links(public_url)
    click.echo(f"Written to {out}: {', '.join(made)}.")
