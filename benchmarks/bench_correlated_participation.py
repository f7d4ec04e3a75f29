"""How much more often a cell fails when its people decide together.

    python benchmarks/bench_correlated_participation.py [--k 10] [--participation 0.5] [--failure 1e-6]

The design computes failures for people who take part independently of one another (docs/protocol.md,
"Effective anonymity"). This shows what remains of the guarantee when they do not. Two ways of not being
independent:

households
    A cell of n people consists of households of h people, all in this cell. Each household decides together
    with probability rho (all take part with probability pi, or none), and person by person otherwise. The
    correlation between two members is rho.
whole cell
    The cell's own participation varies from survey to survey as a beta distribution of mean pi: a strike, a
    feast, a reminder that reached one part of town. The correlation between any two people of the cell is
    rho (beta-binomial).

Both distributions are computed exactly up to rounding, as sums of positive terms; no simulation, no seed. The
baseline in the first column is rho = 0, which must agree with ``shared.effective_anonymity``.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence

from shared.effective_anonymity import cell_failure, n_min_safe
from shared.participation import ParticipationLevel

CORRELATIONS = (0.0, 0.05, 0.1, 0.25, 0.5, 1.0)
HOUSEHOLDS = (2, 3, 4)
WHOLE_CELL = (0.0, 0.001, 0.005, 0.01, 0.05)
LARGEST_CELL = 20_000


def binomial(n: int, pi: float) -> list[float]:
    """P{K = j}, j = 0..n."""
    return [math.comb(n, j) * pi**j * (1 - pi) ** (n - j) for j in range(n + 1)]


def convolve(a: Sequence[float], b: Sequence[float], length: int) -> list[float]:
    """First terms of the distribution of a sum."""
    result = [0.0] * min(length, len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b[: len(result) - i]):
            result[i + j] += x * y
    return result


def household_failure(n: int, pi: float, k: int, size: int, rho: float) -> float:
    """P{0 < K < k} for n people in households of ``size``; those left over live alone."""
    together = [(1 - rho) * p for p in binomial(size, pi)]
    together[0] += rho * (1 - pi)
    together[size] += rho * pi
    total = [1.0]
    for members in (*[together] * (n // size), *[binomial(1, pi)] * (n % size)):
        total = convolve(total, members, k)
    return math.fsum(total[1:])


def whole_cell_failure(n: int, pi: float, k: int, rho: float) -> float:
    """P{0 < K < k} of a beta-binomial of mean n pi and correlation rho."""
    if rho == 0:
        return float(cell_failure((n,), (str(pi),), k).attained_cell_failure)
    a, b = pi * (1 - rho) / rho, (1 - pi) * (1 - rho) / rho

    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    base = log_beta(a, b)
    return math.fsum(
        math.exp(math.log(math.comb(n, j)) + log_beta(j + a, n - j + b) - base)
        for j in range(1, min(k, n + 1))
    )


def needed(failure: Callable[[int], float], bound: float, start: int) -> int | None:
    """Smallest acceptable size from ``start`` on, in steps of 1 %; None beyond 20,000."""
    n = start
    while n <= LARGEST_CELL:
        if failure(n) <= bound:
            return n
        n += max(1, n // 100)
    return None


def measure(k: int, participation: str, failure: str) -> dict[str, object]:
    """All figures of one combination."""
    pi, bound = float(participation), float(failure)
    n = n_min_safe(k, ParticipationLevel(low=participation, high=participation), failure)
    started = time.perf_counter()
    tracemalloc.start()
    households = []
    for size in HOUSEHOLDS:
        for rho in CORRELATIONS:
            attained = household_failure(n, pi, k, size, rho)
            enough = needed(lambda m, s=size, r=rho: household_failure(m, pi, k, s, r), bound, n)  # type: ignore[misc]
            households.append({"size": size, "rho": rho, "failure": attained, "n_needed": enough})
    whole = []
    for rho in WHOLE_CELL:
        attained = whole_cell_failure(n, pi, k, rho)
        enough = needed(lambda m, r=rho: whole_cell_failure(m, pi, k, r), bound, n)  # type: ignore[misc]
        whole.append({"rho": rho, "failure": attained, "n_needed": enough})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    baseline = float(cell_failure((n,), (participation,), k).attained_cell_failure)
    return {
        "k": k,
        "participation": participation,
        "acceptable_cell_failure": failure,
        "n": n,
        "independent": baseline,
        "households": households,
        "whole_cell": whole,
        "seconds": round(time.perf_counter() - started, 2),
        "peak_kilobytes": peak // 1024,
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Failure of a cell under correlated participation.")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--participation", default="0.5")
    parser.add_argument("--failure", default="1e-6")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.k, options.participation, options.failure)
    if options.json:
        json.dump(result, sys.stdout, indent=1)
        return
    baseline = result["independent"]
    assert isinstance(baseline, float)
    print(f"k {options.k}, participation {options.participation}, a cell of {result['n']} people")
    print(f"independent: fails with probability {baseline:.2e}")
    for title, rows in (("households", result["households"]), ("whole cell", result["whole_cell"])):
        assert isinstance(rows, list)
        for row in rows:
            name = f"{title} of {row['size']}" if "size" in row else title
            enough = "more than 20000" if row["n_needed"] is None else row["n_needed"]
            print(
                f"{name:<16} rho {row['rho']:<6} {row['failure']:.2e}"
                f"  {row['failure'] / baseline:>9.1f} times  people needed {enough}"
            )
    print(f"{result['seconds']} s, peak {result['peak_kilobytes']} kB")


if __name__ == "__main__":
    main()
