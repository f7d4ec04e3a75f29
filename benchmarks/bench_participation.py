"""What is promised about cells, against cells that are drawn: alone, together, and misjudged.

    python benchmarks/bench_participation.py [--cells 100000] [--seed 1] [--picture FILE]

Each line is a way to take part, drawn in as many cells as asked, all of the size that a design would give
them for k = 10, participation 0.5 and an acceptable failure of 0.001 (a larger one than surveys use, so that
failures are seen). *Promised* is the qbar that a device computes; for households and for several levels it is
an upper bound. *Observed* is the share of cells with 0 < K < k, and its 99.9 % interval (Clopper, Pearson).
A line keeps its promise if the observed share is not significantly above the promised one, and if an exact
promise is not significantly below it either; the last three lines are drawn otherwise than promised, and show
by how much they fail. The exit code is 1 if a line that should keep its promise does not, or one that should
not does.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from server.simulation.mixture import chances_at
from shared.effective_anonymity import dependent_cell_failure, n_min_safe
from shared.participation import INDEPENDENT, Dependence, ParticipationLevel

K, FAILURE, CONFIDENCE = 10, "1e-3", 0.999
Draw = Callable[[np.random.Generator, int, int], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How people are said to take part, and how they do."""

    name: str
    counts: tuple[int, ...]
    levels: tuple[str, ...]
    promised: Dependence
    draw: Callable[[np.random.Generator, int], NDArray[np.int64]]
    bound: bool = False
    broken: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Promised against observed."""

    way: Way
    promised: float
    observed: float
    low: float
    high: float

    @property
    def kept(self) -> bool:
        """Whether the observed share agrees with the promise."""
        return self.low <= self.promised and (self.way.bound or self.promised <= self.high)


def drawn(
    counts: tuple[int, ...], levels: tuple[str, ...], correlation: str = "0", household: int = 1
) -> Callable[[np.random.Generator, int], NDArray[np.int64]]:
    """Participants of each cell: one draw a cell moves all levels; households come or stay away as one."""

    def draw(generator: np.random.Generator, cells: int) -> NDArray[np.int64]:
        quantiles = generator.random(cells)
        total = np.zeros(cells, np.int64)
        for n, level in zip(counts, levels, strict=True):
            p = chances_at(quantiles, Fraction(level), Fraction(correlation))
            whole, rest = divmod(n, household)
            total += household * generator.binomial(whole, p)
            if rest:
                total += rest * generator.binomial(1, p)
        return total

    return draw


def size(dependence: Dependence, level: str = "0.5") -> int:
    """Of every cell of a design."""
    return n_min_safe(K, ParticipationLevel(low=level, high=level), FAILURE, dependence)


def ways() -> tuple[Way, ...]:
    """All lines of the table."""
    correlated, couples = Dependence(correlation="0.01"), Dependence(household_size=2)
    families, both = Dependence(household_size=4), Dependence(correlation="0.01", household_size=2)
    alone = size(INDEPENDENT)

    def same(name: str, dependence: Dependence, *, bound: bool = False) -> Way:
        counts = (size(dependence),)
        draw = drawn(counts, ("0.5",), dependence.correlation, dependence.household_size)
        return Way(name=name, counts=counts, levels=("0.5",), promised=dependence, draw=draw, bound=bound)

    uneven = (26, 24)
    return (
        same("alone", INDEPENDENT),
        same("correlation 0.01", correlated),
        Way(
            name="two levels, correlation 0.01",
            counts=uneven,
            levels=("0.4", "0.6"),
            promised=correlated,
            draw=drawn(uneven, ("0.4", "0.6"), "0.01"),
            bound=True,
        ),
        same("couples", couples, bound=True),
        same("households of 4", families, bound=True),
        same("couples, correlation 0.01", both, bound=True),
        Way(
            name="said alone, are couples",
            counts=(alone,),
            levels=("0.5",),
            promised=INDEPENDENT,
            draw=drawn((alone,), ("0.5",), "0", 2),
            broken=True,
        ),
        Way(
            name="said alone, correlation 0.05",
            counts=(alone,),
            levels=("0.5",),
            promised=INDEPENDENT,
            draw=drawn((alone,), ("0.5",), "0.05"),
            broken=True,
        ),
        Way(
            name="half as many as said",
            counts=(alone,),
            levels=("0.5",),
            promised=INDEPENDENT,
            draw=drawn((alone,), ("0.25",)),
            broken=True,
        ),
    )


def measure(way: Way, cells: int, generator: np.random.Generator) -> Outcome:
    """Draw the cells of one line."""
    K_c = way.draw(generator, cells)
    failed = int(np.count_nonzero((K_c > 0) & (K_c < K)))
    tail = (1 - CONFIDENCE) / 2
    return Outcome(
        way=way,
        promised=float(dependent_cell_failure(way.counts, way.levels, K, way.promised).attained_cell_failure),
        observed=failed / cells,
        low=float(beta.ppf(tail, failed, cells - failed + 1)) if failed else 0.0,
        high=float(beta.isf(tail, failed + 1, cells - failed)),
    )


def measure_all(cells: int, seed: int) -> tuple[Outcome, ...]:
    """All lines, one after the other from one seed."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return tuple(measure(way, cells, generator) for way in ways())


def picture(outcomes: tuple[Outcome, ...]) -> str:
    """Promised (hollow diamonds) and observed (dots with intervals) failures, as SVG."""
    left, right, low, decades, row = 250, 620, -5.0, 5.0, 34

    def x(value: float) -> float:
        return left + (np.log10(max(value, 10**low)) - low) / decades * (right - left)

    height = 84 + row * len(outcomes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 {height}" role="img" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="13" fill="#1b1f24">',
        "<title>Failures promised and observed, by the way in which people take part</title>",
        f'<rect width="640" height="{height}" fill="#ffffff"/>',
    ]
    bottom = height - 44
    for power in range(int(low), 1):
        at = x(10.0**power)
        parts += [
            f'<line x1="{at:.1f}" y1="34" x2="{at:.1f}" y2="{bottom}" stroke="#d0d7de"/>',
            f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">1e{power}</text>',
        ]
    parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 36}" text-anchor="middle">a cell fails</text>')
    parts.append(
        '<path d="M250 18l6 -6l6 6l-6 6z" fill="none" stroke="#0b4f9e" stroke-width="2"/>'
        '<text x="270" y="22">promised</text><circle cx="362" cy="18" r="4.5" fill="#b3541e"/>'
        '<text x="374" y="22">observed, 99.9 % interval</text>'
    )
    for i, outcome in enumerate(outcomes):
        y = 56 + row * i
        at, promised = x(outcome.observed), x(outcome.promised)
        parts += [
            f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{outcome.way.name}</text>',
            f'<line x1="{x(outcome.low):.1f}" y1="{y}" x2="{x(outcome.high):.1f}" y2="{y}" '
            'stroke="#b3541e" stroke-width="2"/>',
            f'<circle cx="{at:.1f}" cy="{y}" r="4.5" fill="#b3541e"/>',
            f'<path d="M{promised - 6:.1f} {y}l6 -6l6 6l-6 6z" fill="none" stroke="#0b4f9e" '
            'stroke-width="2"/>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    """Print the table; write the picture."""
    parser = argparse.ArgumentParser(description="Promised against observed failures of cells.")
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    outcomes = measure_all(options.cells, options.seed)
    if options.picture is not None:
        options.picture.write_text(picture(outcomes), encoding="utf-8")
    if options.json:
        rows = [
            {"way": o.way.name, "people": sum(o.way.counts), "promised": o.promised, "observed": o.observed}
            for o in outcomes
        ]
        json.dump(rows, sys.stdout, indent=1)
    else:
        print(f"k {K}, acceptable failure {FAILURE}, {options.cells} cells each")
        for o in outcomes:
            ratio = o.observed / o.promised
            verdict = "kept" if o.kept else "broken"
            print(
                f"{o.way.name:<30} {sum(o.way.counts):>4} people  promised {o.promised:.2e}  observed "
                f"{o.observed:.2e} [{o.low:.2e}, {o.high:.2e}]  {ratio:>7.2f} times  {verdict}"
            )
    return int(any(o.kept is o.way.broken for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
