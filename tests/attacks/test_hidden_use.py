"""A registrar leaves used codes out of its list, or uses somebody's code: whom it concerns, sees it.

Nobody else can: to all others the list of used codes is random numbers.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.board_recount import PASSED, find_code, find_receipt
from shared.hash_list import format_hashes
from shared.receipt import BallotReceipt
from tests.boards import SUBMISSIONS, TOKENS, make_board, receipts
from tests.invited import ROLL_ID, code, used_codes


def test_a_use_that_was_hidden_is_missed_by_whoever_used_the_code() -> None:
    """Everything adds up, because some people fetched a token and did not answer; only she can tell."""
    hidden = code(7).proof(ROLL_ID)
    files = make_board(used=tuple(proof for proof in used_codes(TOKENS) if proof != hidden))
    assert files.recount().refusal is None
    mine = BallotReceipt(survey=None, digest=receipts()[3])
    assert find_receipt(files.published(), mine, files.digest).outcome == PASSED
    assert find_code(files.published(), code(7)).figures == {"used": "no"}


def test_not_many_can_be_hidden() -> None:
    """Each ballot needs a used code: hiding more than the tokens that were not used is a discrepancy."""
    files = make_board(used=used_codes(SUBMISSIONS - 1))
    refusal = files.recount().refusal
    assert refusal is not None
    assert refusal.code == "board.tokens"


def test_a_list_that_was_cut_after_signing_is_refused() -> None:
    files = replace(make_board(), used_codes=format_hashes(used_codes(TOKENS - 1)))
    refusal = files.recount().refusal
    assert refusal is not None
    assert refusal.code == "board.used-codes"


def test_a_code_that_somebody_else_used_is_found_by_its_owner() -> None:
    """She stayed away; the letter was read on its way."""
    assert find_code(make_board().published(), code(TOKENS - 1)).figures == {"used": "yes"}


@pytest.mark.parametrize("strategy", ["roll hash", "proof of another roll", "symbols"])
def test_who_was_there_is_told_to_nobody_without_the_codes(strategy: str) -> None:
    """Everybody can compute which lines of the roll were used, and nobody whose they are."""
    published = make_board().published()
    guesses = {
        "roll hash": set(published.roll.hashes),
        "proof of another roll": {code(number).proof(bytes(32)) for number in range(150)},
        "symbols": {code(number).symbols.encode() for number in range(150)},
    }[strategy]
    assert not guesses & set(published.used_codes)
