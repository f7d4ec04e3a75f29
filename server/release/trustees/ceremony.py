"""``roomful trustees create``: make the opening key, split it, and keep nothing of it but the shares."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server import files
from server.keys.public_keys import OpeningKey as PublicOpeningKey
from server.keys.sealing import SECRET_BYTES, OpeningKey
from server.release.trustees.ledger import new_ledger
from server.release.trustees.new_paths import require_new
from server.release.trustees.share_page import SharePage
from server.release.trustees.shares import parse_share, require_threshold, split_secret
from server.release.trustees.statement_keys import public_statement_key
from shared.errors import OpeningError
from shared.sealing import Suite
from shared.words import digest_words

OPENING_KEY_FILE: Final = "opening-key.json"
LEDGER_FILE: Final = "ledger.jsonl"
_MAX_NAME_CHARACTERS: Final = 100


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
        Folder to make: the public keys, an empty ledger for each to copy, and a file per share.
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
    _require_names(names, shares)
    require_new(
        out,
        "folder",
        remedy="The shares of an earlier ceremony are never overwritten. Name another folder.",
    )
    secret = random_bytes(SECRET_BYTES)
    public_key = OpeningKey(suite, secret).public_key
    words = key_words(public_key)
    mnemonics = split_secret(secret, threshold, shares)
    public = PublicOpeningKey(
        suite=suite,
        key=public_key,
        threshold=threshold,
        shares=shares,
        statement_keys=tuple(
            public_statement_key(parse_share(mnemonic, f"share {number}"))
            for number, mnemonic in enumerate(mnemonics, 1)
        ),
    )
    written = []
    with files.named_file_errors(str(out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            files.write_new(work / OPENING_KEY_FILE, public.to_bytes())
            files.write_new(work / LEDGER_FILE, new_ledger(public_key))
            for number, mnemonic in enumerate(mnemonics, 1):
                page = SharePage(
                    words=mnemonic,
                    number=number,
                    threshold=threshold,
                    shares=shares,
                    fingerprint=words,
                    name=names[number - 1] if names else "",
                )
                name = f"share-{number}-of-{shares}"
                files.write_new(work / f"{name}.txt", page.to_text().encode("utf-8"))
                if pages:
                    files.write_new(work / f"{name}.html", page.to_html().encode("utf-8"))
                written.append(out / f"{name}.txt")
    return Ceremony(folder=out, fingerprint=words, share_files=tuple(written))


def _require_names(names: Sequence[str], shares: int) -> None:
    if names and (len(names) != shares or len(set(names)) != shares):
        raise OpeningError(
            f"{len(names)} names are given for {shares} shares",
            where="trustees",
            expected="a different name for each share, or none",
            code="opening.names",
        )
    for name in names:
        if not name.strip() or not name.isprintable() or len(name) > _MAX_NAME_CHARACTERS:
            raise OpeningError(
                "a name is empty, too long, or holds a line break",
                where="trustees",
                expected=f"a name of at most {_MAX_NAME_CHARACTERS} characters in one line",
                code="opening.names",
            )
