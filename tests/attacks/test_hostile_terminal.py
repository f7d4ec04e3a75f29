"""A server, or a file from somebody else, writes to the terminal of whoever reads its errors.

`roomful respond` is for those who do not believe a page. A hostile server refused their answers with a title
that cleared the screen and wrote "Accepted", or with lines of its own below; by other sequences terminals set
the clipboard or the window's title.
"""

from __future__ import annotations

import json

import pytest

from respondent_client.headless.report import check_line
from respondent_client.platform import Reply
from respondent_client.replies import refusal
from server.cli.main import report
from shared.checks import FORM
from shared.errors import RoomfulError, VerificationError
from shared.soundness import REFUSED, Line

FORGED = "\x1b[2J\x1b[H\x1b]0;done\x07\x9b1mAccepted.\nReceipt: 0123\r\u202eTen\u2066\u2028 ok"


@pytest.mark.parametrize("status", [400, 409, 503])
@pytest.mark.parametrize("code", ["submission", "state.closed", "token.spent", "storage.rolled-back"])
def test_a_refusal_is_printed_without_what_moves_the_cursor(
    status: int, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = json.dumps({"code": code, "title": FORGED, "detail": FORGED}).encode()
    error = refusal(Reply(status=status, body=body))
    report(error)
    shown = capsys.readouterr().err
    assert shown.count("\n") == 2  # message, and what to do
    assert all(c.isprintable() for c in shown.replace("\n", ""))
    assert "\\x1b[2J" in shown
    assert "Accepted" in shown


def test_a_refusal_is_short() -> None:
    body = json.dumps({"code": "submission", "title": "a " * 30_000, "detail": "b" * 30_000}).encode()
    assert len(str(refusal(Reply(status=400, body=body)))) < 1_100


def test_every_part_of_an_error_shows_what_it_hides() -> None:
    forged = FORGED.replace("\n", " ")
    error = VerificationError(forged, where=forged, expected=forged, remedy=forged)
    assert str(error).isprintable()
    assert all(
        part.isprintable() for part in (*error.args, error.message, error.where, error.expected, error.remedy)
    )
    line = Line(number=3, code=FORM, outcome=REFUSED, figures={}, error=error)
    assert check_line(line).isprintable()


def test_what_people_write_stays_as_it_is() -> None:
    for text in ("Zürich, 日本, مدينة", "می\u200cخواهم", "1\u00a0000 €", "“quoted” – ½"):
        assert str(RoomfulError(text)) == text
