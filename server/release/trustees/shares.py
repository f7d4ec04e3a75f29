"""Shares of the opening key: Shamir's secret sharing as words that people can keep on paper.

Thirty-three words of SLIP-0039 hold one share of 32 bytes, an identifier of the ceremony (15 bits), the
share's number, the threshold, and a checksum of 30 bits that finds every error in up to three words. The
number of shares and the public key's fingerprint are not in the words; they stand beside them in the file.

The library splits and joins in one place and not in constant time. Both happen only on a computer that is not
connected to anything (docs/decisions/0064-shares-as-words.md).

References
----------
SLIP-0039, by the library ``shamir-mnemonic``: one group, no passphrase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shamir_mnemonic import (
    MnemonicError,
    combine_mnemonics,
    generate_mnemonics,
)
from shamir_mnemonic.share import Share as LibraryShare
from shamir_mnemonic.wordlist import WORDLIST

from server.keys.sealing import SECRET_BYTES
from shared.errors import OpeningError
from shared.limits import MAX_TRUSTEES

WORDS_PER_SHARE: Final = 33
MIN_THRESHOLD: Final = 2
MAX_SHARE_FILE_BYTES: Final = 65_536
_DISTINCT_LETTERS: Final = 4
"""The first letters by which every word of the list is known."""
_BY_LETTERS: Final[dict[str, str]] = {word[:_DISTINCT_LETTERS]: word for word in WORDLIST}
_NUMBERED: Final = re.compile(r"(\d{1,2})[.):]?\s+([A-Za-z]+)")
_FINGERPRINT: Final = re.compile(r"[a-z]{5}(-[a-z]{5}){7}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One trustee's share. Its ``repr`` shows no word.

    Attributes
    ----------
    words : str
        33 words with blanks between.
    number : int
        1 for the first share.
    threshold : int
        How many shares make the key.
    ceremony : int
        Identifier that all shares of one ceremony have in common.
    where : str
        The file it came from, for messages.
    fingerprint : str
        Words of the public key as they stand in the file; empty if they do not.
    """

    words: str = field(repr=False)
    number: int
    threshold: int
    ceremony: int
    where: str
    fingerprint: str


def split_secret(secret: bytes, threshold: int, shares: int) -> tuple[str, ...]:
    """Shares of a secret, as words.

    Parameters
    ----------
    secret : bytes, 32
    threshold, shares : int
        So many of so many.

    Raises
    ------
    OpeningError
        With the code ``opening.threshold`` unless 2 <= threshold <= shares <= 16.

    Notes
    -----
    Guarantee: fewer than `threshold` shares say nothing of the secret. Before they are returned, the shares
    were joined again in sets that contain every one of them.
    """
    require_threshold(threshold, shares)
    (words,) = generate_mnemonics(1, [(threshold, shares)], secret, extendable=True, iteration_exponent=0)
    if join_shares([parse_share(text, f"share {i}") for i, text in enumerate(words, 1)]) != secret:
        raise OpeningError("the shares do not make the key again; no file was written", code="opening.split")
    return tuple(words)


def require_threshold(threshold: int, shares: int) -> None:
    """Refuse a split that protects nothing or cannot be opened.

    Raises
    ------
    OpeningError
        With the code ``opening.threshold``.
    """
    if not MIN_THRESHOLD <= threshold <= shares <= MAX_TRUSTEES:
        raise OpeningError(
            f"{threshold} of {shares} shares cannot be",
            where="shares",
            expected=f"{MIN_THRESHOLD} or more of at most {MAX_TRUSTEES} shares, such as 3-of-5",
            remedy="With one share enough, any single trustee could read every answer alone.",
            code="opening.threshold",
        )


def join_shares(shares: Sequence[Share]) -> bytes:
    """The secret of some shares: at least the threshold, all of one ceremony.

    With more shares than the threshold, each takes part: sets that together contain all of them must make the
    same secret.

    Raises
    ------
    OpeningError
        ``opening.too-few-shares``, ``opening.share-twice``, ``opening.share-of-another-key`` or
        ``opening.share-damaged``.
    """
    if not shares:
        raise _too_few(0, MIN_THRESHOLD)
    numbers: dict[int, Share] = {}
    for share in shares:
        _require_same_ceremony(shares[0], share)
        if share.number in numbers:
            raise OpeningError(
                f"share {share.number} is given twice",
                where=f"{numbers[share.number].where} and {share.where}",
                expected="different shares",
                code="opening.share-twice",
            )
        numbers[share.number] = share
    threshold = shares[0].threshold
    if len(shares) < threshold:
        raise _too_few(len(shares), threshold)
    secrets = {_join(subset) for subset in covering_sets(shares, threshold)}
    if len(secrets) != 1:
        raise _wrong_share(shares)
    return secrets.pop()


def covering_sets(shares: Sequence[Share], threshold: int) -> tuple[tuple[Share, ...], ...]:
    """Sets of exactly `threshold` shares that together contain every share."""
    starts = [min(start, len(shares) - threshold) for start in range(0, len(shares), threshold)]
    return tuple(tuple(shares[start : start + threshold]) for start in starts)


def parse_share(text: str, where: str) -> Share:
    """Read a share: its file, or the words typed in from paper.

    Lines of numbered words are read and everything else is passed over; without such lines the text must be
    the words alone. The first four letters of a word suffice.

    Raises
    ------
    OpeningError
        With the code ``opening.share-damaged``; no word is repeated in the message.
    """
    words = [_word(text, number, where) for number, text in _written_words(text, where)]
    if len(words) != WORDS_PER_SHARE:
        raise _damaged(f"{len(words)} words stand here", where, f"{WORDS_PER_SHARE} words")
    mnemonic = " ".join(words)
    try:
        found = LibraryShare.from_mnemonic(mnemonic)
    except MnemonicError:
        raise _damaged(
            "the checksum of the words is wrong", where, "the words as they were given out"
        ) from None
    if (
        found.group_count != 1
        or len(found.value) != SECRET_BYTES
        or found.member_threshold < MIN_THRESHOLD
        or found.iteration_exponent  # 327 million rounds of a hash at 15, before anybody is told anything
        or not found.extendable
    ):
        raise _damaged("these words are something else", where, "a share that roomful trustees create made")
    fingerprint = _FINGERPRINT.search(text)
    return Share(
        words=mnemonic,
        number=found.index + 1,
        threshold=found.member_threshold,
        ceremony=found.identifier,
        where=where,
        fingerprint=fingerprint[0] if fingerprint else "",
    )


def _written_words(text: str, where: str) -> list[tuple[int, str]]:
    """The words with their numbers, in the order of the numbers."""
    numbered: list[tuple[int, str]] = []
    for line in text.splitlines():
        pairs = _NUMBERED.findall(line)
        if pairs and not _NUMBERED.sub("", line).strip():
            numbered += [(int(number), word) for number, word in pairs]
    if not numbered:
        return list(enumerate(text.split(), 1))
    numbered.sort(key=lambda pair: pair[0])
    for place, (number, _) in enumerate(numbered, 1):
        if number != place:
            raise _damaged(
                f"word {min(number, place)} is missing or stands twice", where, "words 1 to 33, once each"
            )
    return numbered


def _word(text: str, number: int, where: str) -> str:
    text = text.lower()
    word = _BY_LETTERS.get(text[:_DISTINCT_LETTERS], "")
    if not word or not word.startswith(text):
        raise _damaged(
            f"word {number} is not in the list of words", where, "the words as they were given out"
        )
    return word


def _join(shares: Sequence[Share]) -> bytes:
    try:
        return bytes(combine_mnemonics([share.words for share in shares]))
    except MnemonicError:
        raise _wrong_share(shares) from None


def _require_same_ceremony(first: Share, other: Share) -> None:
    if (first.ceremony, first.threshold) != (other.ceremony, other.threshold) or (
        first.fingerprint and other.fingerprint and first.fingerprint != other.fingerprint
    ):
        raise OpeningError(
            "these two shares are of different ceremonies",
            where=f"{first.where} and {other.where}",
            expected="shares of the key of this survey",
            remedy="Compare the words of the opening key on both; leave out the share of another key.",
            code="opening.share-of-another-key",
        )


def _too_few(found: int, threshold: int) -> OpeningError:
    return OpeningError(
        f"{found} shares are too few",
        where="shares",
        expected=f"at least {threshold} different ones",
        remedy="Ask another trustee. With fewer shares nobody can open anything.",
        code="opening.too-few-shares",
    )


def _wrong_share(shares: Sequence[Share]) -> OpeningError:
    return _damaged(
        "the shares do not fit together although each looks whole",
        ", ".join(share.where for share in shares),
        "shares of one ceremony",
    )


def _damaged(message: str, where: str, expected: str) -> OpeningError:
    return OpeningError(
        message,
        where=where,
        expected=expected,
        remedy="Compare it word by word with the paper, or take another trustee's share.",
        code="opening.share-damaged",
    )
