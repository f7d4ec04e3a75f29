"""Somebody with the registrar's key sends one answer too many: a survey so ruined can be finished.

Before, there was no board, hence no export and no opening, and all answers were lost.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.collection.storage.data_directory import DataDirectory
from server.release.board.creating import create_board, finish_board
from shared.errors import BoardError
from shared.hash_list import format_hashes
from tests.builders import ORGANIZER_KEY
from tests.invited import used_codes
from tests.server.release.trustees.test_trustees_commands import COUNTS, Town

SUBMISSIONS = sum(COUNTS)
USED = SUBMISSIONS - 1
SAID = f"{SUBMISSIONS} submissions, {USED} tokens"
ACCEPTED = f"{SUBMISSIONS}/{USED}"


@pytest.fixture
def town(tmp_path: Path) -> Town:
    """Closed; one of the ballots has a token that no code was used for."""
    town = Town(tmp_path)
    town.open_survey("--rehearsal", town.rehearse())
    town.fill(COUNTS)
    town.run("close", town.survey, "--data", town.data, "--yes")
    return town


def test_a_survey_so_ruined_is_finished_and_everybody_is_told(town: Town, tmp_path: Path) -> None:
    used = format_hashes(used_codes(USED))
    with DataDirectory(town.data) as data:
        store = data.survey(town.survey)
        with pytest.raises(BoardError, match="only 31 tokens issued"):
            create_board(store, used_codes=used, key=ORGANIZER_KEY)
        signed = create_board(store, used_codes=used, key=ORGANIZER_KEY, accept_discrepancy=ACCEPTED).board
        assert signed is not None
        town.root = signed.root
    town.export()
    opened = tmp_path / "opened.json"
    stated = ("--invitation", town.link, "--root", town.root)
    for number in (1, 2, 3):
        out = ("--out", town.folder / f"statement-{number}.json")
        town.state(number, *stated, *out, fails="opening.discrepancy")
        town.state(number, *stated, *out, "--accept-discrepancy", ACCEPTED)
    known = ("--invitation", town.link, "--out", opened)
    town.open_export(*known, fails="opening.discrepancy")
    town.open_export(*known, "--accept-discrepancy", f"{USED}/{SUBMISSIONS}", fails="opening.discrepancy")
    told = town.open_export(*known, "--accept-discrepancy", ACCEPTED)
    assert (told["surplus"], told["smallest_group"]) == (1, 4)
    assert town.release("--opened", opened)["discrepancy"] == SAID
    assert f"the organizer signed it: {SAID}." in (tmp_path / "release/report.html").read_text("utf-8")
    with DataDirectory(town.data) as data:
        finish_board(data.survey(town.survey), key=ORGANIZER_KEY)
        folder = data.survey(town.survey).published.folder
    words = ["board", "verify", str(folder), "--invitation", town.link]
    found = CliRunner().invoke(roomful, words)
    assert found.stdout.splitlines()[0] == f"DISCREPANCY, signed by the organizer: {SAID}"
    assert isinstance(found.exception, BoardError)
    assert found.exception.code == "board.discrepancy"
    assert json.loads(CliRunner().invoke(roomful, [*words, "--json"]).stdout)[0]["outcome"] == SAID


def test_a_list_with_a_use_that_nobody_had_is_never_accepted(town: Town) -> None:
    """The registrar cannot hide the surplus behind a proof that it made up."""
    invented = format_hashes(tuple(sorted((*used_codes(USED), bytes(32)))))
    with DataDirectory(town.data) as data, pytest.raises(BoardError) as caught:
        create_board(data.survey(town.survey), used_codes=invented, key=ORGANIZER_KEY)
    assert caught.value.code == "board.used-codes"
