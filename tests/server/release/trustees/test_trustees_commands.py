"""From ceremony to released table on the command line, with every command of the trustees."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from server.cli.main import roomful
from server.cli.trustees import read_shares
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import install_keys
from server.keys.public_keys import read_opening_key
from server.release.board.creating import create_board, finish_board
from server.release.opened import OpenedAnswers
from shared import strict_json
from shared.declarations import ReleaseRule
from shared.envelope import encode_key
from shared.errors import OpeningError, RoomfulError
from shared.hash_list import format_hashes
from shared.invitation import survey_link
from shared.specification import Specification
from shared.words import digest_words
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes, sign, small_model
from tests.invited import (
    TOKEN_KEY_FILE,
    digest_of,
    invited,
    invited_specification,
    make_ballot,
    roll,
    seal_ballot,
    used_codes,
)
from tests.sealed_surveys import token
from tests.server.collection.storage.ballots import collector_pem

COUNTS = (4, 5, 6, 2, 2, 7, 3, 3)
ONLY_WELLBEING: dict[str, Any] = {
    "pages": [
        {"name": "one", "elements": [{"type": "rating", "name": "wellbeing", "rateMin": 0, "rateMax": 10}]}
    ]
}


class Town:
    """One invited survey and the commands around it."""

    def __init__(self, folder: Path, base: dict[str, Any] = ANSWERS, **changes: Any) -> None:
        self.base = base
        self.folder, self.data = folder, folder / "data"
        self.root = "0" * 64
        self.run("trustees", "create", "--shares", "2-of-3", "--out", folder / "trustees")
        public = read_opening_key(folder / "trustees" / "opening-key.json")
        keys = replace(invited(), opening_key=public.key, statement_keys=public.statement_keys)
        self.specification: Specification = invited_specification(invited=keys, **changes)
        self.digest = digest_of(self.specification)
        self.link = survey_link("https://survey.example", self.digest, public_bytes(ORGANIZER_KEY))
        with DataDirectory(self.data) as data:
            envelope = sign(self.specification.to_bytes(), ORGANIZER_KEY).to_bytes()
            self.survey = data.publish(envelope, small_model(), roll().to_bytes())
            published = data.survey(self.survey).published
            install_keys(published, token_key=TOKEN_KEY_FILE, collector_key=collector_pem(folder))

    def run(self, *arguments: object, fails: str = "") -> Any:
        """JSON of a command; or its error's code is `fails`."""
        result = CliRunner().invoke(roomful, [*map(str, arguments), "--json"])
        if fails:
            assert isinstance(result.exception, RoomfulError), result.output
            assert result.exception.code == fails
            return None
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def shares(self, *numbers: int) -> list[object]:
        """Options for some share files."""
        files = [self.folder / "trustees" / f"share-{number}-of-3.txt" for number in numbers]
        return [part for file in files for part in ("--share", file)]

    def rehearse(self) -> Path:
        """A whole rehearsal."""
        out = self.folder / "rehearsal.json"
        self.run(
            "trustees", "challenge", self.survey, "--data", self.data, "--out", self.folder / "rehearsal"
        )
        told = self.run("trustees", "rehearse", self.folder / "rehearsal", *self.shares(1, 2), "--out", out)
        assert told["missing_shares"] == [3]
        told = self.run("trustees", "rehearse", self.folder / "rehearsal", *self.shares(2, 3), "--out", out)
        assert told == {"rounds": [[1, 2], [2, 3]], "missing_shares": []}
        return out

    def open_survey(self, *options: object, fails: str = "") -> Any:
        """``roomful open``."""
        return self.run("open", self.survey, "--data", self.data, "--yes", *options, fails=fails)

    def fill(self, counts: tuple[int, ...]) -> None:
        """People answer; everybody is a little different."""
        assert self.specification.invited is not None
        key = X25519PublicKey.from_public_bytes(self.specification.invited.opening_key)
        with DataDirectory(self.data) as data:
            store = data.survey(self.survey)
            number = 0
            for cell, count in enumerate(counts):
                for person in range(count):
                    answers = self.base | {"wellbeing": person}
                    ballot = make_ballot(
                        self.digest,
                        cell,
                        token(self.digest, number),
                        answers,
                        key,
                        message_bytes=self.specification.message_bytes,
                    )
                    store.submit(seal_ballot(self.digest, ballot))
                    number += 1

    def board(self, *, used: int = sum(COUNTS), finish: bool = False) -> None:
        """What ``roomful board`` does, with the organizer's key of the tests."""
        with DataDirectory(self.data) as data:
            store = data.survey(self.survey)
            if finish:
                finish_board(store, key=ORGANIZER_KEY)
            else:
                codes = format_hashes(used_codes(used))
                board = create_board(store, used_codes=codes, key=ORGANIZER_KEY).board
                assert board is not None
                self.root = board.root

    def closed(self) -> Town:
        """Everything up to the signed board."""
        self.open_survey("--rehearsal", self.rehearse())
        self.fill(COUNTS)
        self.run("close", self.survey, "--data", self.data, "--yes")
        self.board()
        return self

    def open_export(self, *options: object, fails: str = "", numbers: tuple[int, ...] = (1, 3)) -> Any:
        """``roomful trustees open``."""
        statements = [word for number in (1, 2, 3) for word in ("--statement", self.statement(number))]
        return self.run(
            "trustees", "open", self.folder / "export", *self.shares(*numbers), *statements,
            "--root", self.root, *options, fails=fails,
        )  # fmt: skip

    def ledger(self, number: int) -> Path:
        """A trustee's own copy of the ledger."""
        path = self.folder / f"ledger-{number}.jsonl"
        if not path.exists():
            path.write_bytes((self.folder / "trustees" / "ledger.jsonl").read_bytes())
        return path

    def statement(self, number: int) -> Path:
        """A trustee's statement, made with ``roomful trustees state`` if she has made none yet."""
        out = self.folder / f"statement-{number}.json"
        if not out.exists():
            self.state(number, "--invitation", self.link, "--root", self.root, "--out", out)
        return out

    def state(self, number: int, *options: object, fails: str = "") -> Any:
        """``roomful trustees state``."""
        return self.run(
            "trustees", "state", self.folder / "export", *self.shares(number),
            "--ledger", self.ledger(number), *options, fails=fails,
        )  # fmt: skip

    def export(self, **options: Any) -> Any:
        """``roomful trustees export``."""
        out = self.folder / "export"
        return self.run("trustees", "export", self.survey, "--data", self.data, "--out", out, **options)

    def release(self, *options: object, **fails: str) -> Any:
        """``roomful release``."""
        out = self.folder / "release"
        return self.run("release", self.survey, "--data", self.data, "--out", out, *options, **fails)


def test_the_whole_way(tmp_path: Path) -> None:
    town = Town(tmp_path)
    town.open_survey(fails="state.rehearsal")
    rehearsal = town.rehearse()
    town.open_survey("--rehearsal", rehearsal)
    town.run(
        "trustees",
        "challenge",
        town.survey,
        "--data",
        town.data,
        "--out",
        tmp_path / "late",
        fails="state.open",
    )
    town.export(fails="state.open")
    town.fill(COUNTS)
    town.run("close", town.survey, "--data", town.data, "--yes")
    town.export(fails="not-found.board")
    town.board()
    assert town.export()["ballots"] == sum(COUNTS)
    opened = tmp_path / "opened.json"
    told = town.open_export("--invitation", town.link, "--out", opened)
    assert (told["ballots"], told["answers"], told["withheld"]) == (32, 28, 4)
    assert OpenedAnswers.parse(opened.read_bytes()).words == told["answers_words"]
    town.release(fails="input.opened")
    figures = town.release("--opened", opened)
    assert figures["released_answers"] == 28
    assert figures["withheld_answers"] == 4
    assert figures["invalid_answers"] == 0
    assert figures["smallest_group"] == 3
    package = json.loads((tmp_path / "release" / "datapackage.json").read_bytes())
    assert package["roomful"]["invalid_answers"] == 0
    town.board(finish=True)


def test_opening_again_needs_the_same_ballots_and_gives_the_same_words(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    known = ("--organizer-key", f"ed25519:{encode_key(public_bytes(ORGANIZER_KEY))}")
    first = town.open_export(*known, "--out", tmp_path / "a.json")
    second = town.open_export(*known, "--out", tmp_path / "b.json", numbers=(1, 2, 3))
    assert first["stated_by"] == second["stated_by"] == [1, 2, 3]
    assert first["answers_words"] == second["answers_words"]
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    town.open_export(*known, "--out", tmp_path / "a.json", fails="opening.exists")


def test_what_trustees_may_forget(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    out = ("--out", tmp_path / "opened.json")
    town.open_export(*out, fails="input.organizer")
    town.open_export("--invitation", "https://survey.example/s/abc", *out, fails="input.organizer")
    town.open_export("--invitation", town.link, *out, numbers=(2,), fails="opening.too-few-shares")
    town.open_export("--invitation", town.link, *out, numbers=(2, 2), fails="opening.share-twice")
    town.open_export("--invitation", town.link, *out, numbers=(2, 4), fails="input")
    long = tmp_path / "trustees" / "share-3-of-3.txt"
    long.write_bytes(b"x" * 70_000)
    town.open_export("--invitation", town.link, *out, fails="opening.share-damaged")
    assert not (tmp_path / "opened.json").exists()


def test_words_for_people(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    arguments = [
        "trustees", "open", town.folder / "export", *town.shares(1, 2), "--invitation", town.link,
        *(word for number in (1, 2, 3) for word in ("--statement", town.statement(number))),
        "--root", digest_words(town.root), "--out", tmp_path / "opened.json",
    ]  # fmt: skip
    result = CliRunner().invoke(roomful, list(map(str, arguments)), catch_exceptions=False)
    assert "Opened 28 of 32 sealed answers" in result.output
    assert "Withheld 4" in result.output
    assert "Answers  " in result.output
    assert f"Board    {digest_words(town.root)}, stated by trustees 1, 2, 3" in result.output


def test_a_statement_in_words_and_once(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    out = tmp_path / "mine.json"
    known = ("--invitation", town.link, "--root", digest_words(town.root))
    arguments = ["trustees", "state", town.folder / "export", *town.shares(2), *known]
    arguments += ["--ledger", town.ledger(2), "--out", out]
    result = CliRunner().invoke(roomful, list(map(str, arguments)), catch_exceptions=False)
    assert f"Board    {digest_words(town.root)}" in result.output
    assert "Trustee 2 states these 32 ballots; 6 groups may be opened." in result.output
    assert "needs 3 such statements" in result.output
    town.state(2, *known, "--out", out, fails="opening.exists")
    told = town.state(2, *known, "--out", tmp_path / "again.json")
    assert told["stated_before"]
    assert out.read_bytes() == (tmp_path / "again.json").read_bytes()
    assert len(town.ledger(2).read_bytes().splitlines()) == 2


def test_what_a_trustee_must_know_of_the_board(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    out = ("--invitation", town.link, "--out", tmp_path / "mine.json")
    published = tmp_path / "checkpoint"
    published.write_bytes((tmp_path / "export" / "checkpoint").read_bytes())
    town.state(1, *out, fails="input.root")
    town.state(1, *out, "--root", town.root, "--checkpoint", published, fails="input.root")
    town.state(1, *out, "--root", "babab-babab", fails="input.root")
    town.state(1, *out, "--root", "0" * 64, fails="opening.root")
    town.state(1, *out, "--root", digest_words("0" * 64), fails="opening.root")
    published.write_bytes(published.read_bytes().replace(b"\n32\n", b"\n33\n"))
    town.state(1, *out, "--checkpoint", published, fails="board.checkpoint")
    assert len(town.ledger(1).read_bytes().splitlines()) == 1
    published.write_bytes((tmp_path / "export" / "checkpoint").read_bytes())
    assert town.state(1, *out, "--checkpoint", published)["trustee"] == 1
    town.open_export("--invitation", town.link, "--checkpoint", published, "--out", tmp_path / "o.json",
                     fails="input.root")  # fmt: skip


def test_statements_that_are_missing_or_none(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    words = ("--root", town.root, "--invitation", town.link, "--out", tmp_path / "opened.json")
    opening = ("trustees", "open", town.folder / "export", *town.shares(1, 3), *words)
    town.run(*opening, fails="opening.statements")
    two = ("--statement", town.statement(1), "--statement", town.statement(2))
    town.run(*opening, *two, fails="opening.statements")
    town.run(*opening, *two, "--statement", town.statement(2), fails="opening.statements")
    bad = tmp_path / "bad.json"
    for data in (
        b"",
        b"{}",
        town.statement(3).read_bytes().replace(b'"trustee":3', b'"trustee":2'),
        b"x" * 5000,
    ):
        bad.write_bytes(data)
        town.run(*opening, *two, "--statement", bad, fails="opening.statement")
    assert not (tmp_path / "opened.json").exists()


OPENED_CHANGES = {
    "a group too many": lambda o: {
        "groups": [*o["groups"], {"cells": [3], "answers": [ANSWERS, ANSWERS]}],
        "withheld": 2,
    },
    "a cell too many": lambda o: {
        "groups": [{**o["groups"][0], "cells": [0, 3]}, *o["groups"][1:]],
        "withheld": 2,
    },
    "an answer too many": lambda o: {
        "groups": [{**o["groups"][0], "answers": [*o["groups"][0]["answers"], ANSWERS]}, *o["groups"][1:]],
        "ballots": o["ballots"] + 1,
    },
    "another survey": lambda _: {"specification": "0" * 64},
    "other ballots": lambda _: {"root": "0" * 64},
    "an answer outside": lambda o: {
        "groups": [
            {**o["groups"][0], "answers": [{"health": "?"}, *o["groups"][0]["answers"][1:]]},
            *o["groups"][1:],
        ]
    },
    "a cell that does not exist": lambda o: {"groups": [{**o["groups"][0], "cells": [99]}, *o["groups"][1:]]},
    "answers called invalid": lambda o: {
        "groups": [{**o["groups"][0], "answers": []}, *o["groups"][1:]],
        "invalid": len(o["groups"][0]["answers"]) + 1,
    },
}


def rewritten(value: dict[str, Any]) -> bytes:
    """The file with numbers and digest that fit, as somebody would who can compute a hash."""
    body = {name: value[name] for name in value if name != "digest"}
    return strict_json.dumps({**body, "digest": hashlib.sha256(strict_json.dumps(body)).hexdigest()})


def test_a_changed_file_is_not_released(tmp_path: Path) -> None:
    town = Town(tmp_path).closed()
    town.export()
    town.open_export("--invitation", town.link, "--out", tmp_path / "opened.json")
    data = (tmp_path / "opened.json").read_bytes()
    value = json.loads(data)
    bad = tmp_path / "bad.json"
    for name, change in OPENED_CHANGES.items():
        bad.write_bytes(rewritten(value | change(value)))
        town.release("--opened", bad, fails="opening.opened")
        assert not (tmp_path / "release").exists(), name
    for damaged in (b"", b"{}", data[:-3], data.replace(b'"withheld":4', b'"withheld":5'), data + b" x"):
        bad.write_bytes(damaged)
        town.release("--opened", bad, fails="opening.opened")
    assert town.release("--opened", tmp_path / "opened.json")["released_answers"] == 28


def test_release_with_diversity_withholds_further_groups(tmp_path: Path) -> None:
    """What is too much alike is withheld, with company, as signed.

    Cells 6 and 7 have three different answers, not four. Together with the sealed cells they would be enough
    in number, but what is known of them is still too much alike, so the nearest cell goes with them.
    """
    rule = ReleaseRule(rule="withhold", minimum=3, distinct_values=4, t_closeness=None)
    town = Town(tmp_path, {}, release=rule, questionnaire=ONLY_WELLBEING).closed()
    town.export()
    town.open_export("--invitation", town.link, "--out", tmp_path / "opened.json")
    figures = town.release("--opened", tmp_path / "opened.json")
    assert figures["total_answers"] == 32
    assert figures["smallest_group"] >= 4
    assert figures["released_answers"] == 4 + 6 + 7


def test_release_of_merged_groups(tmp_path: Path) -> None:
    rule = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)
    town = Town(tmp_path, release=rule).closed()
    town.export()
    town.open_export("--invitation", town.link, "--out", tmp_path / "opened.json")
    figures = town.release("--opened", tmp_path / "opened.json")
    assert figures["released_answers"] == figures["total_answers"] == 32
    assert figures["cells_not_released"] == 0
    town.board(finish=True)


def test_a_share_without_end_is_refused() -> None:
    with pytest.raises(OpeningError) as caught:
        read_shares((Path("/dev/zero"),))
    assert caught.value.code == "opening.share-damaged"


@pytest.mark.parametrize("name", ["create", "challenge", "rehearse", "export", "state", "open"])
def test_help(name: str) -> None:
    result = CliRunner().invoke(roomful, ["trustees", name, "--help"])
    assert result.exit_code == 0
