"""Somebody answers so that nobody's answers can be released, or so that the analyst's spreadsheet obeys her.

A carriage return in one free text once blocked a release for ever: the file was written with it, and the last
look could not read the file. Nothing that somebody writes may do that, in open and in sealed surveys.
"""

from __future__ import annotations

import csv
import json
import os
import random
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from server.collection.storage.data_directory import DataDirectory
from server.release.safe_text import formula_safe
from server.release.workflow import release_survey
from shared.ballot import UnsignedBallot
from shared.declarations import Permissions
from shared.errors import AnswerError, SubmissionError
from shared.sealing import box_info
from shared.submission import PROTOCOL
from tests.builders import small_envelope, small_model, small_specification
from tests.invited import HPKE, seal_ballot, sign_ballot
from tests.sealed_surveys import token
from tests.server.release.trustees.test_trustees_commands import Town

CPU_SECONDS = 20.0
TEXTS = 100_000
PER_PERSON = 100
CHARACTERS = 12
HOSTILE = (
    *map(chr, range(0x00, 0xA0)),
    *(c for c in map(chr, range(0xA0, sys.maxunicode + 1)) if unicodedata.category(c) in ("Zs", "Zl", "Zp")),
    *("\ud800", "\udfff", "\udc00\ud800", "\ufffe", "\uffff", "\ufeff", "\u202e", "\u2066", "\u200b"),
    *(
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(1)",
        "\uff1d1",
        "\t=1",
        ";=1+1",
        ";;\t@x",
        '";"=1',
        '"=1"',
        "'=1",
        "a;\n=1",
    ),
    *('"', '""', ",", ";", "\n", "\r\n", "\n\r", "\\", "\\u0000", "</script>", "%00", "NULL", "\0\0"),
)
SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
PIECES = (*HOSTILE, "a", " ", "é", "字", "😀", "=", "-")


def questionnaire(texts: int) -> dict[str, Any]:
    """So many free texts, none of which has to be written."""
    comments = [{"type": "comment", "name": f"t{i}", "maxLength": CHARACTERS} for i in range(texts)]
    return {"pages": [{"elements": comments}]}


def options(texts: int) -> dict[str, Any]:
    """Of the small survey."""
    return {
        "questionnaire": questionnaire(texts),
        "permissions": Permissions(free_text=True, balls_from_register=False),
    }


def written(digest: str, cell: int, answers: dict[str, str], message_bytes: int) -> bytes:
    """A message by a program of one's own: with what answers it likes, in the survey's length."""
    value = {"protocol": PROTOCOL, "specification": digest, "cell": cell, "answers": answers, "padding": ""}
    bare = json.dumps(value, ensure_ascii=len(answers) == 1, separators=(",", ":")).encode()
    return bare[:-2] + os.urandom(message_bytes).hex()[: message_bytes - len(bare)].encode() + bare[-2:]


def hostile_texts() -> Iterator[str]:
    """Every hostile piece alone, before, after and within a text."""
    for piece in HOSTILE:
        yield from (piece, piece + "a", "a" + piece, f"a{piece}b", piece * 3)


def random_texts(chance: random.Random, accept: Callable[[str], Any], count: int) -> Iterator[str]:
    """So many texts of several pieces that a device would send."""
    while count:
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 4)))
        try:
            accept(text)
        except AnswerError:
            continue
        count -= 1
        yield text


def is_number(text: str) -> bool:
    """Whether a spreadsheet shows it as a number and no formula."""
    return text.lstrip("+-").replace(".", "", 1).isdigit()


def assert_harmless(folder: Path, released: int) -> None:
    """Another reader finds as many rows, and no cell begins a formula wherever a spreadsheet splits."""
    text = (folder / "microdata.csv").read_bytes().decode("utf-8")
    assert "\r" not in text
    with (folder / "microdata.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream, strict=True))
    assert len(rows) == released + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    cells = [cell for row in rows for cell in row]
    for separator in (";", "\t", "|"):
        cells += [cell for line in text.split("\n") for cell in line.split(separator)]
    for cell in cells:
        begins = cell.lstrip().lstrip('"').lstrip()
        assert not begins.startswith(SIGNS) or is_number(begins), cell


def test_a_hundred_thousand_texts_reach_the_table_of_an_open_survey(tmp_path: Path) -> None:
    start, chance = time.process_time(), random.Random(8)
    specification = small_specification(**options(PER_PERSON))
    first, *_ = specification.questionnaire.questions
    length, sent = specification.message_bytes, 0
    texts = list(random_texts(chance, first.accept, TEXTS))
    with DataDirectory(tmp_path / "data") as data:
        survey = data.publish(small_envelope(**options(PER_PERSON)), small_model())
        data.open(survey)
        store = data.survey(survey)
        digest = store.published.digest
        for at in range(0, len(texts), PER_PERSON):
            answers = {f"t{i}": text for i, text in enumerate(texts[at : at + PER_PERSON])}
            store.submit(written(digest, sent % 8, answers, length))
            sent += 1
        for text in hostile_texts():
            try:
                store.submit(written(digest, sent % 8, {"t0": text}, length))
            except SubmissionError:
                continue
            sent += 1
        data.close(survey)
        released = release_survey(data, survey, tmp_path / "out", chance.shuffle)
    assert released.decision.released_answers == sent
    assert_harmless(tmp_path / "out", sent)
    assert time.process_time() - start < CPU_SECONDS


def test_whatever_was_sealed_reaches_the_table_or_is_counted_as_invalid(tmp_path: Path) -> None:
    """Nobody can look into a box before it is opened; then a hostile one costs its own answers, no others."""
    town = Town(tmp_path, **options(1))
    town.open_survey("--rehearsal", town.rehearse())
    invited = town.specification.invited
    assert invited is not None
    opening_key = X25519PublicKey.from_public_bytes(invited.opening_key)
    texts = list(hostile_texts())[::9]
    with DataDirectory(town.data) as data:
        for number, text in enumerate(texts):
            own, cell = token(town.digest, number), number % 8
            plaintext = written(town.digest, cell, {"t0": text}, town.specification.message_bytes)
            info = box_info(town.digest, own.prefix, own.device_key, cell)
            ballot = UnsignedBallot(cell=cell, token=own, box=HPKE.encrypt(plaintext, opening_key, info))
            signed = sign_ballot(town.digest, ballot)
            data.survey(town.survey).submit(seal_ballot(town.digest, signed))
    town.run("close", town.survey, "--data", town.data, "--yes")
    town.board(used=len(texts))
    town.export()
    opened = tmp_path / "opened.json"
    told = town.open_export("--invitation", town.link, "--out", opened)
    invalid = sum(told["invalid"].values())
    assert told["answers"] + invalid + told["withheld"] == len(texts)
    assert invalid > 0
    figures = town.release("--opened", opened)
    assert figures["released_answers"] == told["answers"] > len(texts) / 2
    assert_harmless(tmp_path / "release", told["answers"])


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("=1+1", "'=1+1"),
        (" @SUM(1)", "' @SUM(1)"),
        ("a;=1+1", "a;'=1+1"),
        ('a;"=1+1";b', 'a;\'"=1+1";b'),
        ("a\n-x", "a\n'-x"),
        ("a\t+x", "a\t'+x"),
        (";;@", ";;'@"),
        ("\uff1d1", "'\uff1d1"),
        ("-12.5", "-12.5"),
        ("+49", "+49"),
        ("-12.5;x", "'-12.5;x"),
        ("a=b, c-d", "a=b, c-d"),
        ("'=1", "'=1"),
        ("", ""),
    ],
)
def test_formulas(text: str, safe: str) -> None:
    assert formula_safe(text) == safe
    assert formula_safe(safe) == safe


@pytest.mark.parametrize("separator", ["\n", ";", '\n"', " \n"])
def test_an_answer_of_nothing_but_separators_takes_no_long_time(separator: str) -> None:
    """The search looked from each line feed over all that follow: 40 ms for one answer, hours for all."""
    started = time.process_time()
    formula_safe("a" + separator * 50_000)
    assert time.process_time() - started < 2
