"""What the ``roomful`` command says of an error that no part of it has named."""

from __future__ import annotations

import errno

import pytest

from server.cli import main
from server.cli.exit_codes import INTERNAL
from shared.errors import StorageError


def said_of(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[object, str]:
    def fails(**_: object) -> None:
        raise error

    monkeypatch.setattr(main.roomful, "main", fails)
    with pytest.raises(SystemExit) as ended:
        main.main()
    return ended.value.code, capsys.readouterr().err


def test_a_file_of_another_user_is_named_and_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The folder of a rehearsal, copied by root as the operator's guide says, belongs to root.
    problem = PermissionError(errno.EACCES, "Permission denied", "data/surveys/1/rehearsal/expected.json")
    code, text = said_of(problem, monkeypatch, capsys)
    assert code == main.exit_code(StorageError("", code="storage.read-only"))
    assert "Error (storage.read-only): data/surveys/1/rehearsal/expected.json:" in text


@pytest.mark.parametrize("error", [OSError(errno.EBADF, "of no file"), PermissionError(), KeyError("x")])
def test_what_is_about_no_file_stays_a_defect(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = said_of(error, monkeypatch, capsys)
    assert code == INTERNAL
    assert "Internal error" in text
