"""The figures of docs/limitations.md are those of the code, and its picture that of the benchmark."""

from __future__ import annotations

import pytest

from benchmarks.bench_participation import FAILURE, measure_all, picture
from shared.effective_anonymity import cell_failure, dependent_cell_failure, n_min_safe
from shared.participation import Dependence, ParticipationLevel
from tests.docs.documents import ROOT, section, text_of

PAGE = "docs/limitations.md"
K, PI, BOUND, N = 10, "0.5", "1e-6", 53


def rows(title: str) -> list[list[str]]:
    """Cells of all table rows of a section."""
    lines = [line for line in section(text_of(PAGE), title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_the_figures_of_people_who_decide_together_are_computed() -> None:
    level, table = ParticipationLevel(low=PI, high=PI), rows("2. Participation")
    for head, failures, needed in (table[0::3][0:1] + table[2:4], [table[4], *table[6:8]]):
        for stated, failure, people in zip(head[1:], failures[1:], needed[1:], strict=True):
            if head[0].startswith("correlation"):
                dependence = Dependence(correlation=stated)
            else:
                dependence = Dependence(household_size=int(stated))
            found = dependent_cell_failure((N,), (PI,), K, dependence).attained_cell_failure
            assert failure == f"{found:.2e}"
            assert people == str(n_min_safe(K, level, BOUND, dependence))


def test_the_sentence_about_half_the_participation_is_computed() -> None:
    half, promised = (
        float(cell_failure((N,), (pi,), K).record_failure_given_participation) for pi in ("0.25", PI)
    )
    assert "7 in 100 instead of 2 in ten million" in " ".join(text_of(PAGE).split())
    assert round(100 * half) == 7
    assert round(1e7 * promised) == 2


def test_the_picture_is_that_of_the_benchmark() -> None:
    drawn = (ROOT / "docs/pictures/participation.svg").read_text("utf-8")
    assert drawn == picture(measure_all(100_000, 1))


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_cells_that_are_drawn_keep_what_was_stated_and_break_what_was_not(seed: int) -> None:
    for outcome in measure_all(20_000, seed):
        assert outcome.promised <= float(FAILURE)
        assert outcome.kept is not outcome.way.broken, outcome
