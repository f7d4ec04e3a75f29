"""The mail-merge file: nothing in it runs, and it comes back as it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.invitations.mail_merge import format_mail_merge, guard, read_mail_merge, unguard
from shared.errors import InputError
from shared.invitation_code import InvitationCode

CODE = InvitationCode.create(b"twelve bytes")
DANGEROUS = re.compile(r"(?:^|[,;|\t\r\n])[\s\"]*[=+\-@]")


@pytest.mark.parametrize(
    ("cell", "guarded"),
    [
        ("=HYPERLINK(A1)", "'=HYPERLINK(A1)"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3+cmd", "'-2+3+cmd"),
        (" \t=1", " \t'=1"),
        ("Lane 1; =1+1", "Lane 1; '=1+1"),
        ("a\n=1", "a\n'=1"),
        ("\uff1d1", "'\uff1d1"),
        ("+49 (0)30 1234-56", "+49 (0)30 1234-56"),
        ("-5.5", "-5.5"),
        ("-", "-"),
        ("O'Neill-Smith", "O'Neill-Smith"),
        ("a=b", "a=b"),
    ],
)
def test_formulas_are_disarmed_and_numbers_stay(cell: str, guarded: str) -> None:
    assert guard(cell) == guarded


@given(st.text(alphabet="=+-@,;\t\n\r\"' a1|", max_size=12))
def test_no_part_of_a_guarded_cell_begins_like_a_formula(cell: str) -> None:
    found = guard(cell)
    assert not DANGEROUS.search(found) or re.fullmatch(r"[+-]([0-9][0-9 ()/.,-]*)?", found)
    assert guard(found) == found


@given(st.text(alphabet="=+-@,; a1|", max_size=12))
def test_unguarding_gives_the_cell_back(cell: str) -> None:
    assert unguard(guard(cell)) == cell


def _write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    cells = ('Änne; "die"', "=1", "two\nlines")
    file = tmp_path / "mail-merge.csv"
    file.write_bytes(format_mail_merge(("name", "x", "y"), [(cells, CODE, "https://x.example/#1")], ";"))
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")
    merged = read_mail_merge(file)
    assert (merged.header, merged.separator) == (("name", "x", "y"), ";")
    assert merged.recipients[0].cells == cells
    assert merged.recipients[0].code == CODE


def test_damaged_codes_are_named_by_line_and_not_repeated(tmp_path: Path) -> None:
    wrong = CODE.text[:-1] + ("2" if CODE.text[-1] != "2" else "3")
    file = _write(tmp_path / "m.csv", f"name,code\nA,{wrong}\nB,{CODE.text}\nC,{CODE.text.lower()}\n")
    with pytest.raises(InputError) as caught:
        read_mail_merge(file)
    assert caught.value.code == "input.people"
    assert "line 2" in caught.value.message
    assert "line 4: the same code stands on line 3" in caught.value.message
    assert wrong not in str(caught.value)


def test_a_file_without_codes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_mail_merge(_write(tmp_path / "m.csv", "name,town\nA,B\n"))
    assert "no column with codes" in caught.value.message
