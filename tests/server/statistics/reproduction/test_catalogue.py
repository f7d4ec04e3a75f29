"""Every entry of the catalogue can be imported, is documented, and importing the catalogue costs nothing."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from server.statistics.reproduction.catalogue import CATALOGUE, PAPERS
from server.statistics.reproduction.inputs import MATRICES, TABLES
from tests.docs.documents import ROOT, section, text_of


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_is_complete(name: str) -> None:
    entry = CATALOGUE[name]
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)
    assert entry.paper in PAPERS
    assert entry.seconds > 0
    assert set(entry.data) <= {*MATRICES, *TABLES}
    assert list(inspect.signature(entry.function()).parameters) == ["inputs", "progress"]


def test_every_figure_of_the_papers_is_named() -> None:
    """Of those in papers.md: tables and figures by number, each in the source of an entry."""
    sources = {paper: " ".join(e.source for e in CATALOGUE.values() if e.paper == paper) for paper in PAPERS}
    for paper, words in {
        "p-probabilistic": (
            "Table II",
            "Table III",
            "Table IV",
            "6",
            "7",
            "8 and 9",
            "10",
            "11",
            "12",
            "13a",
            "13b",
        ),
        "mu-approx": ("Table 5", "Table 6", "Table 7", "Table 8"),
        "dependence": ("8", "9 to 12", "13", "14"),
        "p3m": ("Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "2 to 5", "6 to 9"),
        "utility": ("6 and 7", "8 and 9", "10 and 11", "12 and 13"),
    }.items():
        assert [word for word in words if word not in sources[paper]] == []


def test_no_two_titles_are_the_same() -> None:
    assert len({entry.title for entry in CATALOGUE.values()}) == len(CATALOGUE)


def test_names_and_data_are_documented() -> None:
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| [^|]+ \| ([^|]*) ?\|", section(text_of("docs/reproduction.md"), "Names"), re.M
    )
    told = {name: tuple(re.findall(r"`([^`]+)`", data)) for name, data in rows}
    assert told == {name: entry.data for name, entry in CATALOGUE.items()}


def test_everything_fits_into_a_quarter_of_an_hour() -> None:
    assert sum(entry.seconds for entry in CATALOGUE.values()) < 15 * 60


def test_listing_names_imports_no_module_that_computes() -> None:
    code = (
        "import sys, server.statistics.reproduction.catalogue as c; "
        "assert c.CATALOGUE; "
        "late = [m for m in ('scipy', 'numba', 'sklearn') if m in sys.modules]; "
        "assert not late, late"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
