"""Digests as words."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.words import digest_words, proquint

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"


@pytest.mark.parametrize(
    ("address", "words"),
    [  # Wilkerson 2009, arXiv:0901.4016, section 4
        ("127.0.0.1", "lusab-babad"),
        ("63.84.220.193", "gutih-tugad"),
        ("63.118.7.35", "gutuk-bisog"),
        ("140.98.193.141", "mudof-sakat"),
        ("64.255.6.200", "haguz-biram"),
        ("128.30.52.45", "mabiv-gibot"),
        ("147.67.119.2", "natag-lisaf"),
        ("212.58.253.68", "tibup-zujah"),
        ("216.35.68.215", "tobog-higil"),
        ("216.68.232.21", "todah-vobij"),
        ("198.81.129.136", "sinid-makam"),
        ("12.110.110.204", "budov-kuras"),
    ],
)
def test_published_words(address: str, words: str) -> None:
    assert proquint(ipaddress.ip_address(address).packed) == words


@given(st.binary(max_size=20).filter(lambda data: len(data) % 2 == 0))
def test_words_can_be_read_back(data: bytes) -> None:
    bits = "".join(
        f"{CONSONANTS.index(c):04b}" if c in CONSONANTS else f"{VOWELS.index(c):02b}"
        for c in proquint(data).replace("-", "")
    )
    assert bits == "".join(f"{byte:08b}" for byte in data)


def test_an_odd_number_of_bytes_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="even number"):
        proquint(b"abc")


def test_words_of_a_digest_show_its_first_128_bits() -> None:
    assert digest_words("7f000001" * 8) == "-".join(["lusab-babad"] * 4)
    assert digest_words("7f000001" * 4 + "00" * 16) == digest_words("7f000001" * 8)
