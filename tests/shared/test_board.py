from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import hash_list
from shared.board import Board, parse_envelope, parse_receipts
from shared.errors import BoardError, SignatureError
from shared.hash_list import format_hashes
from shared.strict_json import dumps
from tests.boards import finished_board, make_board, receipts, release, sign_board
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, sign
from tests.shared.examining import outcomes

FILES = make_board()
BOARD = Board.parse(parse_envelope(FILES.board).payload)
FINISHED = Board.parse(parse_envelope(finished_board().board).payload)


def altered(**changes: Any) -> bytes:
    """The finished board's payload after a change to its JSON document."""
    return dumps(json.loads(FINISHED.to_bytes()) | changes)


def altered_release(**changes: Any) -> bytes:
    """The same for the counts of the release."""
    return altered(release=json.loads(FINISHED.to_bytes())["release"] | changes)


def group(**changes: Any) -> bytes:
    """The same for its first group."""
    first, *others = json.loads(FINISHED.to_bytes())["release"]["groups"]
    return altered_release(groups=[first | changes, *others])


def test_layout() -> None:
    text = BOARD.to_bytes().decode()
    assert text == (
        f'{{"discrepancy":null,"format":"roomful-board/3","specification":"{FILES.digest}","invited":150,'
        f'"used_codes":"{BOARD.used_codes}","tokens_issued":60,"submissions":40,"root":"{BOARD.root}",'
        '"complaints":null,"release":null}'
    )
    assert (
        FINISHED.to_bytes()
        .decode()
        .endswith(
            '{"cells":[3],"people":25,"answers":20},{"cells":[7],"people":25,"answers":5}],'
            '"withheld":4,"invalid":1}}'
        )
    )


def test_a_board_is_read_back() -> None:
    assert BOARD.finished(release()) == FINISHED
    assert FINISHED.release == release()
    assert release().answers == 35
    assert parse_envelope(FILES.board).to_bytes() == FILES.board


def test_a_specification_and_a_board_do_not_pass_for_each_other() -> None:
    with pytest.raises(BoardError) as caught:
        parse_envelope(sign(BOARD.to_bytes(), ORGANIZER_KEY).to_bytes())
    assert caught.value.code == "board.form"


MALFORMED = {
    "not-json": b"{",
    "list": b"[]",
    "blanks": BOARD.to_bytes().replace(b",", b", "),
    "other-format": altered(format="roomful-board/2"),
    "member-missing": dumps({"format": "roomful-board/3"}),
    "member-too-many": altered(cells=[1, 2]),
    "other-order": dumps(dict(sorted(json.loads(FINISHED.to_bytes()).items()))),
    "digest-in-capitals": altered(specification=FILES.digest.upper()),
    "nobody-invited": altered(invited=0),
    "negative-tokens": altered(tokens_issued=-1),
    "tokens-true": altered(tokens_issued=True),
    "submissions-text": altered(submissions="40"),
    "too-many-submissions": altered(submissions=10**6 + 1),
    "discrepancy-number": altered(discrepancy=1),
    "discrepancy-empty": altered(discrepancy=""),
    "short-used-codes": altered(used_codes="00"),
    "short-root": altered(root="00"),
    "complaints-number": altered(complaints=1),
    "complaints-empty": altered(complaints={}),
    "complaints-without-root": altered(complaints={"root": "00", "admitted": []}),
    "admitted-number": altered(complaints={"root": "0" * 64, "admitted": [1]}),
    "acceptance-in-capitals": altered(
        complaints={"root": "0" * 64, "admitted": [{"receipt": "0" * 64, "acceptance": "A" * 128}]}
    ),
    "release-number": altered(release=1),
    "release-empty": altered(release={}),
    "package-text": altered_release(data_package="x"),
    "groups-object": altered_release(groups={}),
    "negative-withheld": altered_release(withheld=-1),
    "negative-invalid": altered_release(invalid=-1),
    "group-without-cells": group(cells=[]),
    "cells-text": group(cells="0"),
    "cell-negative": group(cells=[-1]),
    "cell-true": group(cells=[True]),
    "answers-negative": group(answers=-1),
    "group-with-more": group(count_per_cell=[1]),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_boards_are_refused(name: str) -> None:
    with pytest.raises(BoardError) as caught:
        Board.parse(MALFORMED[name])
    assert caught.value.code == "board.form"


def test_receipts_are_lines() -> None:
    data = format_hashes(receipts(3))
    assert data.count(b"\n") == 3
    assert parse_receipts(data) == receipts(3)
    assert parse_receipts(b"") == ()


LISTS = {
    "capitals": format_hashes(receipts(2)).upper(),
    "no-line-end": format_hashes(receipts(2))[:-1],
    "windows": format_hashes(receipts(2)).replace(b"\n", b"\r\n"),
    "empty-line": format_hashes(receipts(2)) + b"\n",
    "blank": b" " * 64 + b"\n",
    "short-line": b"0" * 63 + b"\n" + b"0" * 65 + b"\n",
    "line-end-inside": b"0" * 32 + b"\n" + b"0" * 31 + b"\n",
    "not-hex": b"g" * 64 + b"\n",
    "not-ascii": "é".encode() * 32 + b"\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_malformed_lists_are_refused(name: str) -> None:
    with pytest.raises(BoardError) as caught:
        parse_receipts(LISTS[name])
    assert caught.value.code == "board.receipts"


def test_the_list_is_sorted_and_has_each_receipt_once() -> None:
    one, two, three = receipts(3)
    with pytest.raises(BoardError, match="not sorted") as caught:
        parse_receipts(format_hashes((one, three, two)))
    assert caught.value.where == "receipts, line 3"
    with pytest.raises(BoardError, match="stands twice"):
        parse_receipts(format_hashes((one, two, two)))


def test_a_list_that_is_too_long_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_list, "MAX_RECEIPTS", 2)
    assert len(parse_receipts(format_hashes(receipts(2)))) == 2
    with pytest.raises(BoardError, match="too many"):
        parse_receipts(format_hashes(receipts(3)))


def _verified(data: bytes) -> None:
    envelope = parse_envelope(data)
    envelope.verified(outcomes(envelope), public_bytes(ORGANIZER_KEY))


@pytest.mark.no_cover
def test_every_flipped_bit_of_the_board_is_refused() -> None:
    for bit in range(8 * len(FILES.board)):
        changed = bytearray(FILES.board)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((BoardError, SignatureError)):
            _verified(bytes(changed))


@given(st.sets(st.binary(min_size=32, max_size=32), max_size=20))
def test_any_set_of_digests_is_a_list(digests: set[bytes]) -> None:
    assert parse_receipts(format_hashes(sorted(digests))) == tuple(sorted(digests))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_list_or_refused(data: bytes) -> None:
    with contextlib.suppress(BoardError):
        assert format_hashes(parse_receipts(data)) == data


def test_an_auditor_may_sign_too() -> None:
    files = replace(FILES, board=sign_board(BOARD, ORGANIZER_KEY, AUDITOR_KEY))
    counted = files.recount()
    assert counted.refusal is None
    assert counted.lines[0].figures == {"key": "organizer", "further_signatures": "1"}
