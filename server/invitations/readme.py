"""README.txt beside the letters: what is secret, how to keep it, when to destroy it."""

from __future__ import annotations

from server.storage.published import PublishedSurvey
from shared.words import digest_words

_TEXT = """\
Invitations to {people} people

Survey   {title}
Id       {id}
Words    {words}

WHAT IS SECRET

{secret}
Whoever reads them can take part in somebody's place, and then she cannot. A code does not lead to her
answers: nobody can connect the token that it is exchanged for with it.

Nothing else is needed to send them. The server has only hashes of the codes, and no names.

HOW TO KEEP THEM

- On an encrypted disk, for as few people as possible. The files can be read by you alone; keep it so.
- Do not mail them, and do not put them where many can read. Give a printing house only the letters.
- The link holds the code behind the sign #. Send links in plain messages, without services that shorten
  or count them: such a service reads the code.
- Send everybody her own link, but never a link that you made yourself.

WHEN TO DESTROY THEM

- letters: when they are printed and posted.
- mail-merge.csv: after the last reminder, at the latest when the survey is closed. Then the codes are
  worthless, but the file still says who was invited.
- Destroy copies too: the printer's, the mail program's, backups.

Reminders: roomful remind {id} --codes mail-merge.csv --out reminders
"""


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
