"""``roomful trustees create``: make the opening key, split it, and keep nothing of it but the shares."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.reading.public_keys import OpeningKey as PublicOpeningKey
from server.sealing.suites import SECRET_BYTES, OpeningKey
from server.storage import files
from server.trustees.ledger import new_ledger
from server.trustees.shares import require_threshold, split_secret
from shared.errors import OpeningError
from shared.sealing import Suite
from shared.words import digest_words

OPENING_KEY_FILE: Final = "opening-key.json"
LEDGER_FILE: Final = "ledger.jsonl"
_WORDS_PER_LINE = 3


def key_words(public_key: bytes) -> str:
    """Fingerprint of an opening key: its SHA-256 as eight words."""
    return digest_words(hashlib.sha256(public_key).hexdigest())


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceremony:
    """What a ceremony left.

    Attributes
    ----------
    folder : Path
    fingerprint : str
        The public key as words, to be read aloud.
    share_files : tuple of Path
        One per trustee.
    """

    folder: Path
    fingerprint: str
    share_files: tuple[Path, ...]


def hold_ceremony(
    out: Path,
    *,
    suite: Suite,
    threshold: int,
    shares: int,
    names: Sequence[str] = (),
    pages: bool = False,
    random_bytes: Callable[[int], bytes],
) -> Ceremony:
    """Make the key and write the files of a ceremony.

    Parameters
    ----------
    out : Path
        Folder to make: the public key, an empty ledger, and a file per share.
    suite : Suite
    threshold, shares : int
        So many of so many trustees open together.
    names : sequence of str
        Names of the trustees, or none.
    pages : bool
        Also a page per share to print.
    random_bytes : callable
        The operating system's randomness.

    Raises
    ------
    OpeningError
        If the split is refused, names do not match the shares, or the folder exists.
    StorageError
        If it cannot be written; then nothing is.

    Notes
    -----
    Guarantee: the private key is in no file; the shares, each for its owner alone (0600), were joined again
    before they were written.
    """
    require_threshold(threshold, shares)
    if names and (len(names) != shares or len(set(names)) != shares):
        raise OpeningError(
            f"{len(names)} names are given for {shares} shares",
            where="trustees",
            expected="a different name for each share, or none",
            code="opening.names",
        )
    if out.exists():
        raise OpeningError(
            "the folder exists already",
            where=str(out),
            expected="a new folder",
            remedy="The shares of an earlier ceremony are never overwritten. Name another folder.",
            code="opening.exists",
        )
    secret = random_bytes(SECRET_BYTES)
    public_key = OpeningKey(suite, secret).public_key
    public = PublicOpeningKey(suite=suite, key=public_key, threshold=threshold, shares=shares)
    words = key_words(public_key)
    written = []
    with files.named_file_errors(str(out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            files.write_new(work / OPENING_KEY_FILE, public.to_bytes())
            files.write_new(work / LEDGER_FILE, new_ledger(public_key))
            for number, mnemonic in enumerate(split_secret(secret, threshold, shares), 1):
                name = f"share-{number}-of-{shares}"
                text = share_text(mnemonic, number, public, names[number - 1] if names else "")
                files.write_new(work / f"{name}.txt", text.encode("utf-8"))
                if pages:
                    files.write_new(work / f"{name}.html", _page(text, number, shares).encode("utf-8"))
                written.append(out / f"{name}.txt")
    return Ceremony(folder=out, fingerprint=words, share_files=tuple(written))


def share_text(mnemonic: str, number: int, public: PublicOpeningKey, name: str) -> str:
    """The file of one share, in words for the person who keeps it."""
    lines = [
        f"SHARE {number} OF {public.shares}",
        *([f"For {name}"] if name else []),
        "",
        "This is your part of the key that opens the answers of a Roomful survey.",
        f"Any {public.threshold} of the {public.shares} shares open them. Fewer open nothing.",
        "",
        "What to do with it",
        "- Keep it secret. Give it to nobody, the organizer included. Do not photograph it or send it.",
        "- Keep it on paper or on a stick of your own, in a place that locks, until the survey is over.",
        "- If you lose it or somebody sees it, tell the other trustees at once.",
        "- Bring it to the rehearsal and to the opening. Destroy it when all trustees agree.",
        "",
        "The opening key of this survey in words (not secret; the same on every share; compare it):",
        f"    {key_words(public.key)}",
        "",
        "Your share (secret):",
        "",
        *_numbered(mnemonic),
        "",
        "The last three words check the others: a mistyped word is found.",
        "",
    ]
    return "\n".join(lines)


def _numbered(mnemonic: str) -> list[str]:
    words = [f"{i:>2} {word:<10}" for i, word in enumerate(mnemonic.split(), 1)]
    rows = -(-len(words) // _WORDS_PER_LINE)
    return ["    " + "    ".join(words[row::rows]).rstrip() for row in range(rows)]


def _page(text: str, number: int, shares: int) -> str:
    """The same for a printer: one page, nothing loaded from anywhere."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>Share {number} of {shares}</title>"
        "<style>@page{margin:2cm}body{margin:2em auto;max-width:46em}"
        "pre{font:1em/1.5 monospace;white-space:pre-wrap}</style></head>"
        f"<body><pre>{html.escape(text)}</pre></body></html>\n"
    )
