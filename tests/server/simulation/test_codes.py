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
    assert read(tmp_path, f"name;code;link\n\xc4nne;{THREE.text};x\n".encode("cp1252")) == (THREE,)


def test_a_code_that_stands_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"code,link\n{ONE.text},\n{TWO.text},\n{ONE.symbols.lower()},\n")
    assert caught.value.code == "input.codes-twice"
    assert caught.value.where == 'mail-merge.csv, line 4, column "code"'
    assert "line 2" in caught.value.message
    assert ONE.text not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", ["", ONE.text[:-1], ONE.text[:-1] + ("0" if ONE.text[-1] != "0" else "1"), "U" * 20]
)
def test_what_is_no_code_is_refused_with_its_line(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"name,code\nJane,{TWO.text}\nJohn,{wrong}\n")
    assert caught.value.code == "input.codes"
    assert caught.value.where == 'mail-merge.csv, line 3, column "code"'
    assert not wrong or wrong not in str(caught.value)


@pytest.mark.parametrize("text", ["", "code,link\n", "name,link\nJane,x\n", "code,code\na,b\n", '"code\n'])
def test_what_is_no_table_of_codes_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.where.startswith("mail-merge.csv")
