"""README.txt beside the letters: what is secret, how to keep it, when to destroy it."""

from __future__ import annotations

from typing import Final

from server.collection.storage.published import PublishedSurvey
from shared.words import digest_words

_CODES: Final = """\
Codes for {people} people

Roll     {digest}

WHAT IS SECRET

codes.csv: everybody's code, beside the columns of your list. Whoever reads it can take part in somebody's
place, and then she cannot; and ballots made with codes count like any others, also towards the fewest answers
of a group. A code does not lead to her answers. roll.txt is public: it has hashes of the codes, and no names.

WHERE THE FILES GO

- roll.txt: to the organizer, who names it in survey.toml and signs its digest. Compare the line "Roll" above.
- codes.csv: nowhere. No server needs it, and the organizer does not either. Keep it on an encrypted disk.

When the organizer has signed, and has given you survey.dsse.json, make the letters:

    roomful invite survey.dsse.json --codes codes.csv --public-url ADDRESS --out letters

WHEN TO DESTROY IT

After the last reminder, at the latest when the survey is closed. After closing the board lists which codes
were used: with this file that list says who took part.
"""

_TEXT: Final = """\
Invitations to {people} people

Survey   {title}
Id       {id}
Words    {words}

WHAT IS SECRET

{secret}
Whoever reads them can take part in somebody's place, and then she cannot. A code does not lead to her
answers: nobody can connect the token that it is exchanged for with it.

Nothing else is needed to send them. The servers have only hashes of the codes, and no names.

HOW TO KEEP THEM

- On an encrypted disk, for as few people as possible. The files can be read by you alone; keep it so.
- Do not mail them, and do not put them where many can read. Give a printing house only the letters.
- The link holds the code behind the sign #. Send links in plain messages, without services that shorten
  or count them: such a service reads the code.
- Send everybody her own link, but never a link that you made yourself.

WHEN TO DESTROY THEM

- letters: when they are printed and posted.
- mail-merge.csv and codes.csv: after the last reminder, at the latest when the survey is closed. Then the
  board lists which codes were used, and with these files that list says who took part.
- Destroy copies too: the printer's, the mail program's, backups.

Reminders to everybody: add --reminder to roomful invite, and another --out. They say that there is nothing to
do for those who have taken part. The registrar can name those who have not, once: roomful remind {id}.
"""


def codes_readme(people: int, digest: str) -> bytes:
    """The note beside new codes."""
    return _CODES.format(people=people, digest=digest).encode()


def readme(published: PublishedSurvey, people: int, letters: tuple[str, ...]) -> bytes:
    """The note."""
    specification = published.specification
    secret = ["mail-merge.csv: everybody's code and link, beside the columns of your list."]
    if letters:
        secret.append(f"{', '.join(letters)}: a letter for everybody, with the same code and link.")
    return _TEXT.format(
        people=people,
        title=specification.title[specification.languages[0]],
        id=published.id,
        words=digest_words(published.digest),
        secret="\n".join(secret),
    ).encode()
