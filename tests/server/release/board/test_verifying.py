from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.cli.board import board as command
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.keys.encrypted_pem import encrypt_pem
from server.release.board import sources
from server.release.board.creating import create_board, finish_board
from server.release.board.sources import FolderSource, ServerSource, find_source
from shared.errors import BoardError, InputError, KeyFileError, NotFoundError, RemoteError, StateError
from shared.hash_list import format_hashes
from shared.invitation import Invitation
from tests import boards
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.invited import code, used_codes
from tests.served import no_client, serving
from tests.server.collection.storage import ballots
from tests.server.release.board.survey import Store, closed_survey, release_into

PASSPHRASE = "a passphrase"


@pytest.fixture
def finished(tmp_path: Path) -> Store:
    """A released survey with its board."""
    store = closed_survey(tmp_path / "survey")
    create_board(store, used_codes=format_hashes(used_codes(60)), key=ORGANIZER_KEY)
    release_into(store)
    finish_board(store, key=ORGANIZER_KEY)
    return store


def fragment(store: Store) -> str:
    """What an invitation names."""
    return Invitation(digest=store.published.digest, organizer_key=public_bytes(ORGANIZER_KEY)).fragment()


def run(*arguments: str) -> Result:
    """``roomful board ...``; errors come out as exceptions."""
    return CliRunner().invoke(command, arguments)


def test_a_folder_is_verified_with_a_line_for_every_count(finished: Store) -> None:
    result = run("verify", str(finished.published.folder), "--invitation", f"x#{fragment(finished)}")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert [line.split()[1] for line in lines[:13]] == ["passed"] * 6 + ["not-run"] + ["passed"] * 6
    assert "released 35, withheld 4, invalid 1, submissions 40" in lines[11]
    assert "Compare" not in result.output
    assert "Invited 150, tokens issued 60, submissions 40." in lines
    assert "Released 35 in 3 groups, withheld 4, invalid 1." in lines


def test_without_an_invitation_words_are_to_be_compared(finished: Store) -> None:
    result = run("verify", str(finished.published.folder))
    assert "Compare  with the words in your invitation:" in result.output


def test_files_may_lie_beside_one_another(finished: Store, tmp_path: Path) -> None:
    folder, flat = finished.published.folder, tmp_path / "flat"
    flat.mkdir()
    for path in (*(folder / "board").iterdir(), *(folder / "release").iterdir()):
        shutil.copy(path, flat / path.name)
    shutil.copy(folder / "specification.dsse.json", flat / "survey.dsse.json")
    assert run("verify", str(flat)).output.count("passed") == 12


def test_without_the_released_files_they_are_not_counted(finished: Store) -> None:
    shutil.rmtree(finished.published.folder / "release")
    result = run("verify", str(finished.published.folder), "--json")
    lines = json.loads(result.stdout)
    assert [line["code"] for line in lines if line["outcome"] == "not-run"] == [
        "board.complaints",
        "board.release",
    ]


@pytest.mark.parametrize("as_file", [False, True])
def test_a_receipt_is_looked_for(finished: Store, tmp_path: Path, as_file: bool) -> None:
    text = boards.receipts()[4].hex()
    if as_file:
        (tmp_path / "receipt.txt").write_text(f"\n{text[:32]} {text[32:]}\n", "utf-8")
        text = str(tmp_path / "receipt.txt")
    result = run("verify", str(finished.published.folder), "--receipt", text, "--json")
    assert json.loads(result.stdout)[-1] == {
        "code": "board.receipt",
        "outcome": "passed",
        "figures": {"number": "5", "of": "40", "proof_hashes": "6"},
    }


def test_a_missing_receipt_ends_in_an_error_after_the_lines(finished: Store) -> None:
    result = run("verify", str(finished.published.folder), "--receipt", "0" * 64)
    assert isinstance(result.exception, BoardError)
    assert result.exception.code == "board.receipt"
    assert result.output.count("passed") == 12
    assert result.output.count("refused") == 1


def test_a_receipt_that_is_no_text_is_refused(finished: Store, tmp_path: Path) -> None:
    (tmp_path / "receipt.bin").write_bytes(b"\xff\xfe")
    result = run("verify", str(finished.published.folder), "--receipt", str(tmp_path / "receipt.bin"))
    assert isinstance(result.exception, InputError)


def test_a_tampered_table_is_refused(finished: Store) -> None:
    (finished.published.folder / "release" / "cells.csv").write_bytes(b"group\n")
    result = run("verify", str(finished.published.folder))
    assert isinstance(result.exception, BoardError)
    assert result.exception.code == "board.release"


@pytest.mark.parametrize("damage", ["a short row", "an endless number"])
def test_files_made_to_break_their_reader_are_refused(finished: Store, damage: str) -> None:
    release = finished.published.folder / "release"
    package = json.loads((release / "datapackage.json").read_bytes())
    if damage == "a short row":
        (release / "cells.csv").write_bytes(b"group,status,cells,eligible_people,answers\n0,released\n")
        digest = hashlib.sha256((release / "cells.csv").read_bytes()).hexdigest()
        package["resources"][0]["hash"] = f"sha256:{digest}"
    else:
        package["roomful"]["withheld_answers"] = float("inf")
    (release / "datapackage.json").write_text(json.dumps(package), "utf-8")
    result = run("verify", str(finished.published.folder))
    assert isinstance(result.exception, BoardError)
    assert result.exception.code == "board.release"
    assert "cannot be read" in result.exception.message


@pytest.mark.parametrize(
    "name", ["nowhere", "https://survey.example/", "http:///s/1", "https://survey.example/s/1"]
)
def test_what_is_no_place_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        find_source(str(tmp_path / name) if name == "nowhere" else name)
    assert caught.value.code == "input.board"


@pytest.mark.parametrize(
    "address", ["https://survey.example/sub/s/{}", "https://survey.example/sub/s/{}/board?lang=de"]
)
def test_the_address_of_a_survey_or_of_its_board(address: str) -> None:
    source = find_source(address.format("0123456789abcdef"))
    assert source == ServerSource(base="https://survey.example/sub/", survey="0123456789abcdef")


def test_a_folder_without_a_board_is_named(tmp_path: Path) -> None:
    store = closed_survey(tmp_path / "survey")
    with pytest.raises(InputError, match="no such file"):
        FolderSource(folder=store.published.folder).board()


def test_an_oversized_file_is_refused(finished: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_CHECKPOINT_BYTES", 10)
    with pytest.raises(InputError, match="too large"):
        FolderSource(folder=finished.published.folder).board()


@pytest.fixture
def data(tmp_path: Path) -> DataDirectory:
    """A closed invited survey of five ballots, and the organizer's key as a file."""
    directory = DataDirectory(tmp_path / "data")
    store = ballots.store_of(directory)
    for i in range(5):
        store.submit(ballots.seal_ballot(ballots.DIGEST, ballots.ballot(i, cell=i)))
    (tmp_path / "organizer.pem").write_bytes(encrypt_pem(ORGANIZER_KEY, PASSPHRASE))
    (tmp_path / "passphrase").write_text(PASSPHRASE + "\n", "utf-8")
    for number in (4, 9):
        (tmp_path / f"used-{number}").write_bytes(format_hashes(used_codes(number)))
    return directory


def create(folder: Path, *more: str) -> Result:
    """``roomful board create``."""
    return run(
        "create", ballots.DIGEST[:16], "--data", str(folder / "data"), "--key", str(folder / "organizer.pem"),
        "--passphrase-file", str(folder / "passphrase"), *more,
    )  # fmt: skip


def test_commands_make_and_verify_a_board_over_http(data: DataDirectory, tmp_path: Path) -> None:
    nine = ("--used-codes", str(tmp_path / "used-9"))
    assert isinstance(create(tmp_path, *nine).exception, StateError)  # still open
    data.survey(ballots.DIGEST).close()
    result = create(tmp_path, *nine)
    assert result.exit_code == 0, result.exception
    assert "Invited 150, tokens issued 9, submissions 5." in result.output
    pin = Invitation(digest=ballots.DIGEST, organizer_key=public_bytes(ORGANIZER_KEY)).fragment()
    with serving(create_app(Config(), data, client=no_client)) as port:
        address = f"http://127.0.0.1:{port}/s/{ballots.DIGEST[:16]}"
        mine = ballots.ballot(3, cell=3).receipt
        found = run("verify", f"{address}#{pin}", "--receipt", mine, "--json")
        assert found.exit_code == 0, found.exception
        assert json.loads(found.output)[-1]["outcome"] == "passed"
        for number, used in ((8, "yes"), (9, "no")):
            looked = run("verify", f"{address}#{pin}", "--code", code(number).text.lower(), "--json")
            assert json.loads(looked.output)[-1]["figures"] == {"used": used}
        missing = run("verify", f"http://127.0.0.1:{port}/s/{'0' * 16}")
        assert isinstance(missing.exception, NotFoundError)
    gone = run("verify", f"{address}#{pin}")
    assert isinstance(gone.exception, RemoteError)


def test_the_used_codes_come_from_the_registrar(data: DataDirectory, tmp_path: Path) -> None:
    for proof in used_codes(7):
        data.registrar(ballots.DIGEST).spend(proof, b"blinded" + proof)
    given = [
        "used-codes",
        ballots.DIGEST[:16],
        "--data",
        str(tmp_path / "data"),
        "--out",
        str(tmp_path / "used"),
    ]
    early = run(*given).exception
    assert isinstance(early, StateError)
    data.survey(ballots.DIGEST).close()
    assert "Wrote 7 used codes" in run(*given).output
    assert (tmp_path / "used").read_bytes() == format_hashes(used_codes(7))
    result = create(tmp_path, "--json")
    assert result.exit_code == 0, result.exception
    tokens = next(line for line in json.loads(result.stdout) if line["code"] == "board.tokens")
    assert tokens["figures"] == {"tokens_issued": "7", "invited": "150"}


def test_a_collector_alone_must_be_given_the_list(tmp_path: Path) -> None:
    with DataDirectory(tmp_path / "data") as directory:
        store = ballots.publish(directory, token_key=False)
        store.open()
        store.close()
    (tmp_path / "organizer.pem").write_bytes(encrypt_pem(ORGANIZER_KEY, PASSPHRASE))
    (tmp_path / "passphrase").write_text(PASSPHRASE + "\n", "utf-8")
    refused = create(tmp_path)
    assert isinstance(refused.exception, InputError)
    assert refused.exception.code == "input.used-codes"


def test_a_discrepancy_comes_first_and_ends_in_an_error(data: DataDirectory, tmp_path: Path) -> None:
    data.survey(ballots.DIGEST).close()
    four = ("--used-codes", str(tmp_path / "used-4"))
    refused = create(tmp_path, *four).exception
    assert isinstance(refused, BoardError)
    assert (refused.code, "--accept-discrepancy 5/4" in refused.remedy) == ("board.tokens", True)
    signed = create(tmp_path, *four, "--accept-discrepancy", "5/4")
    assert signed.exit_code == 0, signed.exception
    assert signed.stdout.splitlines()[0] == "DISCREPANCY, signed by the organizer: 5 submissions, 4 tokens"
    pin = Invitation(digest=ballots.DIGEST, organizer_key=public_bytes(ORGANIZER_KEY)).fragment()
    with serving(create_app(Config(), data, client=no_client)) as port:
        address = f"http://127.0.0.1:{port}/s/{ballots.DIGEST[:16]}#{pin}"
        found = run("verify", address)
        assert found.output.splitlines()[0] == "DISCREPANCY, signed by the organizer: 5 submissions, 4 tokens"
        assert isinstance(found.exception, BoardError)
        assert found.exception.code == "board.discrepancy"
        first = json.loads(run("verify", address, "--json").output)[0]
        assert (first["code"], first["outcome"]) == ("board.discrepancy", "5 submissions, 4 tokens")


def test_a_wrong_passphrase_signs_nothing(data: DataDirectory, tmp_path: Path) -> None:
    data.survey(ballots.DIGEST).close()
    (tmp_path / "passphrase").write_text("another one\n", "utf-8")
    assert isinstance(create(tmp_path).exception, KeyFileError)


def test_nothing_can_be_finished_before_the_release(data: DataDirectory, tmp_path: Path) -> None:
    data.survey(ballots.DIGEST).close()
    create(tmp_path, "--used-codes", str(tmp_path / "used-9"))
    result = run(
        "finish", ballots.DIGEST[:16], "--data", str(tmp_path / "data"), "--key",
        str(tmp_path / "organizer.pem"), "--passphrase-file", str(tmp_path / "passphrase"),
    )  # fmt: skip
    assert isinstance(result.exception, StateError)
