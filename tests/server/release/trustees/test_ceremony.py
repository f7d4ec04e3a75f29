"""The ceremony: files that hold the shares and the public key, and nothing else secret."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.main import roomful
from server.keys.public_keys import read_opening_key
from server.keys.sealing import OpeningKey
from server.release.trustees.ceremony import hold_ceremony, key_words
from server.release.trustees.ledger import Ledger
from server.release.trustees.shares import join_shares, parse_share
from server.release.trustees.statement_keys import public_statement_key
from shared.errors import OpeningError
from shared.sealing import DEFAULT_SUITE, SUITES, Suite

SUITE = SUITES[DEFAULT_SUITE]


def test_two_of_the_three_share_files_make_the_key(tmp_path: Path) -> None:
    made = hold_ceremony(tmp_path / "t", suite=SUITE, threshold=2, shares=3, random_bytes=os.urandom)
    public = read_opening_key(tmp_path / "t" / "opening-key.json")
    assert (public.threshold, public.shares, public.suite) == (2, 3, SUITE)
    held = [parse_share(path.read_text("utf-8"), path.name) for path in made.share_files]
    assert [share.number for share in held] == [1, 2, 3]
    assert OpeningKey(SUITE, join_shares(held[1:])).public_key == public.key
    assert public.statement_keys == tuple(map(public_statement_key, held))
    assert {share.fingerprint for share in held} == {made.fingerprint} == {key_words(public.key)}


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_the_key_is_in_no_file(tmp_path: Path, suite: Suite) -> None:
    secret = bytes(range(100, 132))
    calls = iter([secret])
    made = hold_ceremony(
        tmp_path / "t", suite=suite, threshold=3, shares=5, pages=True, random_bytes=lambda _: next(calls)
    )
    assert read_opening_key(tmp_path / "t" / "opening-key.json").key == OpeningKey(suite, secret).public_key
    names = sorted(path.name for path in (tmp_path / "t").iterdir())
    shares = [f"share-{i}-of-5" for i in range(1, 6)]
    assert names == sorted(
        ["ledger.jsonl", "opening-key.json", *(f"{s}.{end}" for s in shares for end in ("txt", "html"))]
    )
    for path in (tmp_path / "t").iterdir():
        data = path.read_bytes()
        assert secret not in data
        assert secret.hex().encode() not in data
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    words = [path.read_text("utf-8") for path in made.share_files]
    assert len({parse_share(text, "").words for text in words}) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_names_and_pages(tmp_path: Path) -> None:
    names = ("Ada <b>", "Ben")
    hold_ceremony(
        tmp_path / "t", suite=SUITE, threshold=2, shares=2, names=names, pages=True, random_bytes=os.urandom
    )
    text = (tmp_path / "t" / "share-1-of-2.txt").read_text("utf-8")
    page = (tmp_path / "t" / "share-1-of-2.html").read_text("utf-8")
    assert "For Ada <b>" in text
    assert "Ada &lt;b&gt;" in page
    assert page.count("<li>") == 5 + 33
    assert "src=" not in page
    assert "http" not in page
    assert parse_share(text, "").words.split()[0] in page


@pytest.mark.parametrize(
    "names",
    [("Ada",), ("Ada", "Ada"), ("Ada", "Ben", "Cem"), ("Ada", ""), ("Ada\n1 acid", "Ben"), ("A" * 101, "B")],
)
def test_names_that_do_not_fit(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(OpeningError) as caught:
        hold_ceremony(
            tmp_path / "t", suite=SUITE, threshold=2, shares=2, names=names, random_bytes=os.urandom
        )
    assert caught.value.code == "opening.names"
    assert not (tmp_path / "t").exists()


def test_an_earlier_ceremony_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    with pytest.raises(OpeningError) as caught:
        hold_ceremony(tmp_path / "t", suite=SUITE, threshold=2, shares=2, random_bytes=os.urandom)
    assert caught.value.code == "opening.exists"


def test_the_ledger_is_new_and_of_this_key(tmp_path: Path) -> None:
    hold_ceremony(tmp_path / "t", suite=SUITE, threshold=2, shares=2, random_bytes=os.urandom)
    public = read_opening_key(tmp_path / "t" / "opening-key.json")
    assert Ledger.read(tmp_path / "t" / "ledger.jsonl", public.key).lines == ()


def test_command_line(tmp_path: Path) -> None:
    out = tmp_path / "trustees"
    arguments = ["trustees", "create", "--shares", "3-of-5", "--out", str(out)]
    result = CliRunner().invoke(roomful, [*arguments, "--json"], catch_exceptions=False)
    told = json.loads(result.output)
    assert len(told["shares"]) == 5
    assert told["statements_needed"] == 4
    assert told["words"] in (out / "share-5-of-5.txt").read_text("utf-8")
    words = parse_share((out / "share-1-of-5.txt").read_text("utf-8"), "").words
    assert words.split()[4] + " " + words.split()[5] not in result.output


@pytest.mark.parametrize(
    ("split", "code"),
    [("1-of-3", "opening.threshold"), ("4-of-3", "opening.threshold"), ("2-of-17", "opening.threshold"),
     ("3", "input"), ("3of5", "input"), ("-1-of-2", "input"), ("2-of-", "input")],
)  # fmt: skip
def test_command_line_refuses_bad_splits(tmp_path: Path, split: str, code: str) -> None:
    result = CliRunner().invoke(
        roomful, ["trustees", "create", f"--shares={split}", "--out", str(tmp_path / "t")]
    )
    assert result.exception.code == code  # type: ignore[union-attr]
    assert not (tmp_path / "t").exists()
