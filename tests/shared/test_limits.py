"""Bounds fit together."""

from __future__ import annotations

from shared import limits


def test_exact_bound_is_the_one_of_javascript() -> None:
    assert float(limits.EXACT_BOUND - 1) + 1 == limits.EXACT_BOUND
    assert float(limits.EXACT_BOUND) + 1 == limits.EXACT_BOUND, "2^53 + 1 is no float"


def test_base64_of_the_largest_specification_fits_into_an_envelope() -> None:
    assert limits.MAX_SPECIFICATION_BYTES * 4 / 3 + 16 * 400 < limits.MAX_ENVELOPE_BYTES


def test_counts_can_be_written_within_the_integers_of_the_protocol() -> None:
    assert len(str(limits.EXACT_BOUND)) <= limits.MAX_INTEGER_DIGITS
    assert len(str(limits.MAX_PEOPLE * limits.MAX_ALL_CELLS)) <= limits.MAX_INTEGER_DIGITS


def test_padding_cannot_be_guessed() -> None:
    assert limits.MIN_ENTROPY_BYTES >= 16
