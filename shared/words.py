"""Digests as words that people can read aloud and compare.

Proquints (Wilkerson 2009, arXiv:0901.4016): 16 bits become five letters consonant-vowel-consonant-vowel-
consonant, so 128 bits become eight words in every language that has these letters.
"""

from __future__ import annotations

from typing import Final

_CONSONANTS: Final = "bdfghjklmnprstvz"
_VOWELS: Final = "aiou"
WORDS_BYTES: Final = 16
"""Bytes of a digest shown as words: 128 bits withstand a search for a second specification."""


def proquint(data: bytes) -> str:
    """Words of an even number of bytes, joined by hyphens.

    Raises
    ------
    ValueError
        If the number of bytes is odd.
    """
    if len(data) % 2:
        raise ValueError("proquints need an even number of bytes")
    return "-".join(_word(int.from_bytes(data[i : i + 2], "big")) for i in range(0, len(data), 2))


def digest_words(digest: str) -> str:
    """Words of the first 128 bits of a hexadecimal digest."""
    return proquint(bytes.fromhex(digest)[:WORDS_BYTES])


def _word(value: int) -> str:
    return (
        _CONSONANTS[value >> 12]
        + _VOWELS[value >> 10 & 3]
        + _CONSONANTS[value >> 6 & 15]
        + _VOWELS[value >> 4 & 3]
        + _CONSONANTS[value & 15]
    )
