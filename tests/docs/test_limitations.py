"""The figures of docs/limitations.md are those of the code and of the benchmark."""

from __future__ import annotations

import re

from benchmarks.bench_correlated_participation import household_failure, measure, needed, whole_cell_failure
from shared.effective_anonymity import n_min_safe
from shared.participation import ParticipationLevel
from tests.docs.documents import section, text_of

PAGE = "docs/limitations.md"
K, PI, FAILURE, N = 10, 0.5, 1e-6, 53


def rows(title: str) -> list[list[str]]:
    """Cells of all table rows of a section."""
    lines = [line for line in section(text_of(PAGE), title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_the_figures_of_correlated_participation_are_computed() -> None:
    assert n_min_safe(K, ParticipationLevel(low=str(PI), high=str(PI)), str(FAILURE)) == N
    table = rows("2. Participation")
    correlations = [float(cell.removeprefix("correlation ")) for cell in table[0][1:]]
    for row in table[2:5]:
        size = int(row[0].removeprefix("households of "))
        assert row[1:] == [f"{household_failure(N, PI, K, size, rho):.2e}" for rho in correlations]
    whole = table[5:]
    correlations = [float(cell) for cell in whole[0][1:]]
    assert whole[2][1:] == [f"{whole_cell_failure(N, PI, K, rho):.2e}" for rho in correlations]
    people = [needed(lambda n, r=rho: whole_cell_failure(n, PI, K, r), FAILURE, N) for rho in correlations]  # type: ignore[misc]
    assert whole[3][1:] == [str(n) for n in people]


def test_the_sentences_about_couples_and_families_are_computed() -> None:
    text = " ".join(section(text_of(PAGE), "2. Participation").split())
    baseline = household_failure(N, PI, K, 2, 0.0)
    factors = [round(household_failure(N, PI, K, size, 0.25) / baseline) for size in (2, 4)]
    people = [needed(lambda n, s=size: household_failure(n, PI, K, s, 0.25), FAILURE, N) for size in (2, 4)]  # type: ignore[misc]
    said = re.search(
        r"failures (\d+) times as frequent; in families of four, (\d+) times. With (\d+) and (\d+) people",
        text,
    )
    assert said is not None
    assert [int(number) for number in said.groups()] == [*factors, *people]


def test_without_correlation_the_benchmark_agrees_with_the_protocol() -> None:
    result = measure(K, str(PI), str(FAILURE))
    households, whole = result["households"], result["whole_cell"]
    assert isinstance(households, list)
    assert isinstance(whole, list)
    for row in (*households, *whole):
        if row["rho"] == 0:
            assert abs(row["failure"] / result["independent"] - 1) < 1e-9  # type: ignore[operator]
            assert row["n_needed"] == N
