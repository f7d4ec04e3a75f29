"""The file with codes that `roomful simulate` reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.simulation.codes import read_codes
from shared.errors import InputError
from shared.invitation_code import InvitationCode

ONE, TWO, THREE = (InvitationCode.create(bytes([number]) * 12) for number in (1, 2, 3))


def read(tmp_path: Path, text: str | bytes) -> tuple[InvitationCode, ...]:
    path = tmp_path / "mail-merge.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_codes(path)


def test_codes_are_read_in_order_beside_other_columns(tmp_path: Path) -> None:
    text = f'name,code,link\n"Roe, Jane",{TWO.text},x\n\nJohn,{ONE.text.lower()},x\r\n'
    text += f'"two\nlines",{THREE.text},\n'
    assert read(tmp_path, text) == (TWO, ONE, THREE)
    assert read(tmp_path, b"\xef\xbb\xbf" + f"code\n{ONE.symbols}\n".encode()) == (ONE,)
    assert read(tmp_path, "code,link\n") == ()


def test_a_code_that_stands_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"code\n{ONE.text}\n{TWO.text}\n{ONE.symbols.lower()}\n")
    assert caught.value.code == "input.codes-twice"
    assert (caught.value.where, "line 2" in caught.value.message) == ("mail-merge.csv, line 4", True)
    assert ONE.text not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "mail-merge.csv"),
        ("name,link\nJane,x\n", "mail-merge.csv"),
        ("code,code\n", "mail-merge.csv"),
        (b"code\n\xff\n", "mail-merge.csv"),
        (f"name,code\nJane,{ONE.text}\nJohn\n", "mail-merge.csv, line 3"),
        (f"code\n{ONE.text[:-1]}{'0' if ONE.text[-1] != '0' else '1'}\n", "mail-merge.csv, line 2"),
        (f'code\n"{ONE.text}\n', "mail-merge.csv, line 2"),
    ],
)
def test_what_is_no_file_of_codes_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, where: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert (caught.value.code, caught.value.where) == ("input.codes", where)
    assert "Traceback" not in str(caught.value)
    assert ONE.text[:9] not in str(caught.value)
