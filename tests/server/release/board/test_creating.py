from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.collection.board_folder import has_board, read_board
from server.collection.storage.states import State
from server.release.board.creating import create_board, finish_board
from shared.board import Board, parse_envelope, parse_receipts
from shared.errors import BoardError, InputError, KeyFileError, NotFoundError, StateError, StorageError
from shared.hash_list import format_hashes
from tests import boards
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, small_specification
from tests.invited import roll, used_codes
from tests.server.release.board.survey import Store, closed_survey, release_into, released_files


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A closed survey with forty ballots."""
    return closed_survey(tmp_path / "survey")


def board_of(store: Store) -> Board:
    """What is published."""
    return Board.parse(parse_envelope(read_board(store.published.folder).board).payload)


def test_after_closing_receipts_checkpoint_and_counts_are_published(store: Store) -> None:
    recounted = create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    assert recounted.refusal is None
    files = read_board(store.published.folder)
    assert parse_receipts(files.receipts) == boards.receipts()
    assert files.checkpoint == boards.make_board().checkpoint
    board = board_of(store)
    assert (board.invited, board.tokens_issued, board.submissions) == (150, 60, 40)
    assert board.release is None
    for name in ("board.json", "checkpoint", "receipts.txt", "roll.txt", "used-codes.txt"):
        assert (store.published.folder / "board" / name).stat().st_mode & 0o777 == 0o644


def test_after_the_release_the_groups_are_added(store: Store) -> None:
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    first = read_board(store.published.folder)
    release_into(store)
    recounted = finish_board(store, key=ORGANIZER_KEY)
    assert [line.code for line in recounted.lines if line.outcome != "passed"] == ["board.complaints"]
    second = read_board(store.published.folder)
    assert (second.receipts, second.checkpoint) == (first.receipts, first.checkpoint)
    finished = board_of(store).release
    assert finished is not None
    assert finished.groups == boards.release().groups
    assert (finished.withheld, finished.invalid) == (4, 1)


def test_both_steps_can_be_repeated(store: Store) -> None:
    for _ in range(2):
        create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    release_into(store)
    for _ in range(2):
        finish_board(store, key=ORGANIZER_KEY)
    finished = read_board(store.published.folder)
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    assert read_board(store.published.folder) == finished


def test_a_published_board_never_changes(store: Store) -> None:
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    before = read_board(store.published.folder)
    store.receipts = store.receipts[1:]
    with pytest.raises(StateError) as caught:
        create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    assert caught.value.code == "state.board-published"
    assert read_board(store.published.folder) == before


def test_another_number_of_tokens_does_not_replace_the_first(store: Store) -> None:
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    with pytest.raises(StateError):
        create_board(store, used_codes=format_hashes(used_codes(61)), key=ORGANIZER_KEY)
    assert board_of(store).tokens_issued == 60


def test_only_the_organizers_key_signs(store: Store) -> None:
    with pytest.raises(KeyFileError, match="not the key that signed this survey"):
        create_board(store, used_codes=format_hashes(used_codes(60)), key=AUDITOR_KEY)
    assert not has_board(store.published.folder)


def test_an_open_survey_has_no_board(tmp_path: Path) -> None:
    store = closed_survey(tmp_path / "open", small_specification())
    with pytest.raises(StateError) as caught:
        create_board(store, used_codes=format_hashes(used_codes(0)), key=ORGANIZER_KEY)
    assert caught.value.code == "state.open-survey"


@pytest.mark.parametrize(("tokens", "code"), [(39, "board.tokens"), (151, "board.used-codes")])
def test_counts_that_contradict_each_other_are_not_signed(store: Store, tokens: int, code: str) -> None:
    with pytest.raises(BoardError) as caught:
        create_board(store, used_codes=format_hashes(used_codes(tokens)), key=ORGANIZER_KEY)
    assert caught.value.code == code
    assert "Nothing was published" in caught.value.remedy
    assert not has_board(store.published.folder)


def test_a_discrepancy_is_signed_when_its_figures_are_named(store: Store) -> None:
    few = format_hashes(used_codes(39))
    for wrong in ("40/38", "40 / 39", "yes"):
        with pytest.raises(InputError) as caught:
            create_board(store, used_codes=few, key=ORGANIZER_KEY, accept_discrepancy=wrong)
        assert (caught.value.code, caught.value.expected) == ("input.discrepancy", "40/39")
    recounted = create_board(store, used_codes=few, key=ORGANIZER_KEY, accept_discrepancy="40/39")
    assert recounted.refusal is None
    assert board_of(store).discrepancy == "40 submissions, 39 tokens"
    payload = parse_envelope(read_board(store.published.folder).board).payload
    assert payload.startswith(b'{"discrepancy":"40 submissions, 39 tokens",')


def test_nobody_signs_a_discrepancy_that_there_is_not(store: Store) -> None:
    with pytest.raises(InputError) as caught:
        create_board(
            store, used_codes=format_hashes(used_codes(40)), key=ORGANIZER_KEY, accept_discrepancy="40/40"
        )
    assert caught.value.code == "input.discrepancy"


@pytest.mark.parametrize("harm", ["missing", "another"])
def test_without_the_published_roll_there_is_no_board(store: Store, harm: str) -> None:
    path = store.published.folder / "roll.txt"
    path.unlink()
    if harm == "another":
        path.write_bytes(roll(149).to_bytes())
    with pytest.raises(StorageError):
        create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)


def test_there_is_nothing_to_finish_before_the_release_or_without_a_board(store: Store) -> None:
    with pytest.raises(StateError) as state:
        finish_board(store, key=ORGANIZER_KEY)
    assert state.value.code == "state.closed"
    store.state = State.RELEASED
    with pytest.raises(NotFoundError) as missing:
        finish_board(store, key=ORGANIZER_KEY)
    assert missing.value.code == "not-found.board"


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "board.release"),
        (released_files(withheld_answers=3), "board.total"),
        (released_files(replace(boards.release(), invalid=0)), "board.total"),
        (released_files() | {"microdata.csv": b"group\n0\n"}, "board.release"),
        (released_files() | {"datapackage.json": b"{"}, "board.release"),
    ],
    ids=["missing", "withheld", "invalid", "tampered", "damaged"],
)
def test_a_release_that_does_not_add_up_is_not_signed(
    store: Store, files: dict[str, bytes], code: str
) -> None:
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    release_into(store, files)
    before = read_board(store.published.folder)
    with pytest.raises(BoardError) as caught:
        finish_board(store, key=ORGANIZER_KEY)
    assert caught.value.code == code
    assert read_board(store.published.folder) == before


def test_a_folder_that_cannot_be_written_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("server.files.write_new", full)
    with pytest.raises(StorageError) as caught:
        create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    assert caught.value.code == "storage.full"
    assert not has_board(store.published.folder)
