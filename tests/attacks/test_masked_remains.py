"""A masked file holds what is published and nothing else: the attacker reads its bytes.

What she looks for is known to be in the original, byte by byte, so that a search that finds nothing there
would fail itself.
"""

from __future__ import annotations

import base64
import re
import struct
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from click.testing import CliRunner

from server.cli.anonymize import anonymize
from tests.attacks.file_contents import contents
from tests.attacks.hostile_files import DROPPED, LEFT_OUT, WRITERS, N, survey

K = 5


def masked(path: Path, *more: str) -> Path:
    """Mask street and income as the guide does; the file beside its report."""
    out = path.with_stem("masked")
    arguments = [str(path), "--quasi-identifiers", "street,income", "--confidential", "illness"]
    arguments += ["--drop", DROPPED, "--missing", "drop", "--k", str(K), "--out", str(out), *more]
    result = CliRunner().invoke(anonymize, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return out


def read(path: Path) -> pd.DataFrame:
    """The table, by a library."""
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".xlsx":
        return pd.read_excel(path)
    return (pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta)(path)[0]


def spellings(value: float | str) -> list[bytes]:
    """How the formats may write a value: text in three encodings, numbers of eight and four bytes."""
    if isinstance(value, str):
        text = value
        numbers = []
    else:
        text = repr(value)
        numbers = [struct.pack(code, value) for code in ("<d", ">d", "<f")]
    return [
        text.encode(),
        f"{value:.16g}".encode() if numbers else text.encode(),
        text.encode("utf-16-le"),
        base64.b64encode(text.encode())[:-3],
        *numbers,
    ]


@pytest.fixture(params=WRITERS)
def original(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"survey.{request.param}"
    WRITERS[request.param](path)
    return path


def test_no_canary_of_names_values_and_metadata_is_left(original: Path) -> None:
    canaries = re.compile(rb"[A-Za-z0-9]*CANARY[A-Za-z0-9]*|C\0A\0N\0A\0R\0Y")
    before = set(canaries.findall(contents(original)))
    assert len(before) >= (LEFT_OUT if original.suffix == ".csv" else 5)
    assert set(canaries.findall(contents(masked(original)))) == set()


def test_no_original_value_is_left_unless_it_is_published(original: Path) -> None:
    everything = contents(original)
    out = masked(original)
    left, published = contents(out), read(out)
    assert len(published) == N - LEFT_OUT
    frame = survey()
    values = [*frame["street"].dropna(), *frame["income"]]
    shown = {*published["street"].astype(str), *published["income"]}
    hidden = [value for value in values if value not in shown]
    assert len(hidden) > N
    for value in hidden:
        assert any(spelling in everything for spelling in spellings(value)), value
        assert not [spelling for spelling in spellings(value) if spelling in left], value


def test_what_is_published_is_there(original: Path) -> None:
    out = masked(original)
    published, frame = read(out), survey()[: N - LEFT_OUT]
    assert DROPPED not in published.columns
    assert sorted(published["illness"].astype(str)) == sorted(frame["illness"])
    groups = published.groupby(["street", "income"], observed=True).size()
    assert groups.min() >= K


def test_nothing_else_tells_one_masking_from_another(original: Path, tmp_path: Path) -> None:
    """Clock, memory of the process and order of the original leave no trace: the bytes are the same."""
    first = masked(original).read_bytes()
    (tmp_path / "again").mkdir()
    other = tmp_path / "again" / original.name
    other.write_bytes(original.read_bytes())
    assert masked(other).read_bytes() == first


def test_no_length_of_an_original_text_is_left(original: Path) -> None:
    """Widths of columns and of stored texts follow what is published."""
    widths = re.compile(rb"77\.25|%-?[0-9]{3,}s|F40|longCANARY")
    if original.suffix in (".xlsx", ".sav"):
        assert widths.search(contents(original)) or original.suffix == ".sav"
    out = masked(original)
    if original.suffix == ".sav":
        before, after = (pyreadstat.read_sav(path, user_missing=True)[1] for path in (original, out))
        assert before.original_variable_types["income"] == "F40.2"
        assert after.original_variable_types["income"] == "F8.2"
        assert before.variable_display_width["street"] == 77 != after.variable_display_width["street"]
        assert before.missing_ranges["code"] == [{"lo": 3.0, "hi": 987654321.5}]
        assert not after.missing_ranges
    assert not widths.search(contents(out))
