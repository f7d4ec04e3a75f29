"""How often a release's 95 % intervals hold the true value, over many turnouts of one town.

    python benchmarks/bench_estimates.py [--resamples 1000] [--people 8000] [--json]

A town of 8,000 made-up people with age, sex and schooling is designed by `roomful design`'s own code (k = 5,
failure 1e-4). What everybody would answer is fixed: a share near one half and a rating that depend on age and
schooling, and a rare share. Each resample draws who takes part, lets the gate join cells (5 answers to a
group), and estimates by the release's own code, from groups as strata. Beside it stand the same estimates
without weights, and those that take groups for clusters. The true value is that of all people.

even
    everybody takes part with 0.5, as the design knows.
by age
    0.42 up to 39 years, 0.5, and 0.73 from 65 on, as the design knows.
unexpected
    designed for 0.5, but men take part with 0.35 and women with 0.65. Cells hold one sex mostly, so weights
    undo that.
mixed
    designed by age, but cells are made without regard to it, each of people of all ages: what level_mixing is
    there for. No interval contains that error; its bound does.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.design.design import design
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from server.release.estimates import Estimate, StratumSums, estimate_mean, estimate_share
from server.release.gate import decide
from server.release.policy import policy_of
from server.release.strata import level_mixing
from shared.joining import row_of
from shared.specification import Specification
from tests.towns import EVEN, RATES, write_town

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SEED = 20261128
QUANTITIES = ("share", "rating", "rare share")


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """Cells, the participation of each person, and what everybody would answer."""

    specification: Specification
    cell: Ints
    rate: Floats
    answers: tuple[Floats, ...]


def town(scenario: str, people: int) -> Town:
    """Design a town; scenario as in the text of this module."""
    rates = RATES if scenario in ("by age", "mixed") else EVEN
    with tempfile.TemporaryDirectory() as folder:
        more = '[release]\nrule = "merge"\n'
        survey = read_survey_file(write_town(Path(folder), people=people, participation=rates, more=more))
        model = read_model(survey, apart=True)
        made = design(survey.plan, model)
    specification, tuples = made.specification, model.tuple_of_record
    X = model.X[tuples]
    age, sex, schooling = 18 + X[:, 0], X[:, 1], X[:, 3].astype(float)
    chance = np.random.default_rng(SEED)
    middle = 1 / (1 + np.exp(-(0.04 * (age - 50) + 0.5 * (schooling - 1.5) + 0.8 * sex)))
    answers = (
        (chance.random(people) < middle).astype(float),
        np.clip(np.rint(1 + 4 * middle + chance.normal(0, 0.8, people)), 1, 5),
        (chance.random(people) < 0.06 * middle).astype(float),
    )
    rate = np.select([age <= 39, age <= 64], [0.42, 0.5], 0.73) if rates is RATES else np.full(people, 0.5)
    if scenario == "unexpected":
        rate = np.where(sex == 1, 0.65, 0.35)
    cell = np.asarray(made.labels)[tuples]
    if scenario == "mixed":
        # The same cells, with people of all ages in each.
        cell = chance.permutation(cell)
        specification = _recounted(specification, cell, age)
    return Town(specification=specification, cell=cell, rate=rate, answers=answers)


def _recounted(specification: Specification, cell: Ints, age: Ints) -> Specification:
    level = np.select([age <= 39, age <= 64], [0, 1], 2)
    counts = np.zeros((specification.cells.count, len(specification.levels)), dtype=int)
    np.add.at(counts, (cell, level), 1)
    return replace(specification, eligible=tuple(map(tuple, counts.tolist())))


def resample(made: Town, chance: np.random.Generator) -> tuple[list[list[StratumSums]], float]:
    """Sums of each quantity over the groups of one turnout, and the mean mixing of levels."""
    specification = made.specification
    n_cells = specification.cells.count
    takes_part = chance.random(len(made.cell)) < made.rate
    counts = np.bincount(made.cell[takes_part], minlength=n_cells)
    groups = decide(counts.tolist(), policy_of(specification), row_of(specification)).groups
    mixing = sum(
        float(level_mixing(specification, group.cells) or 0)
        * sum(specification.people_in(cell) for cell in group.cells)
        for group in groups
    ) / len(made.cell)
    result = []
    for values in made.answers:
        totals, squares = (
            np.bincount(made.cell[takes_part], weights=values[takes_part] ** power, minlength=n_cells)
            for power in (1, 2)
        )
        result.append(
            [
                StratumSums(
                    people=sum(specification.people_in(cell) for cell in group.cells),
                    rows=group.answers,
                    given=group.answers,
                    total=float(totals[list(group.cells)].sum()),
                    squares=float(squares[list(group.cells)].sum()),
                )
                for group in groups
            ]
        )
    return result, mixing


def estimates(strata: Sequence[StratumSums], quantity: str) -> tuple[Estimate, Estimate, Estimate]:
    """By strata with weights; without weights; and with weights and groups taken for clusters."""

    def estimate(sums: Sequence[StratumSums]) -> Estimate:
        return estimate_mean(sums, 1, 5) if quantity == "rating" else estimate_share(sums)

    weighted = estimate(strata)
    residuals = [s.weight * (s.total - weighted.value * s.given) for s in strata]
    people = sum(s.weight * s.given for s in strata)
    error = math.sqrt(len(strata) / (len(strata) - 1) * sum(r * r for r in residuals)) / people
    clusters = replace(weighted, low=weighted.value - 1.96 * error, high=weighted.value + 1.96 * error)
    return weighted, estimate([replace(s, people=None) for s in strata]), clusters


def measured(scenario: str, people: int, resamples: int) -> list[dict[str, float | str]]:
    """One line per quantity."""
    made = town(scenario, people)
    chance = np.random.default_rng(SEED + 1)
    truth = [float(values.mean()) for values in made.answers]
    found: list[list[tuple[Estimate, Estimate, Estimate]]] = [[] for _ in truth]
    mixings = []
    for _ in range(resamples):
        sums, mixing = resample(made, chance)
        mixings.append(mixing)
        for place, strata in enumerate(sums):
            found[place].append(estimates(strata, QUANTITIES[place]))
    lines: list[dict[str, float | str]] = []
    for place, quantity in enumerate(QUANTITIES):
        value = truth[place]
        line: dict[str, float | str] = {"participation": scenario, "of": quantity, "true": value}
        for name, at in (("strata", 0), ("unweighted", 1), ("clusters", 2)):
            own = [one[at] for one in found[place]]
            line[f"coverage, {name}"] = float(np.mean([e.low <= value <= e.high for e in own]))
            line[f"off by, {name}"] = float(np.mean([e.value for e in own])) - value
            line[f"width, {name}"] = float(np.mean([e.high - e.low for e in own]))
        line["mixing"] = float(np.mean(mixings))
        lines.append(line)
    return lines


def main() -> None:
    """Print a line for each scenario and quantity."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--people", type=int, default=8000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    for scenario in ("even", "by age", "unexpected", "mixed"):
        for line in measured(scenario, chosen.people, chosen.resamples):
            if chosen.json:
                print(json.dumps(line), flush=True)
                continue
            print(
                f"{scenario:<11} {line['of']:<11} true {line['true']:.4f}  coverage: strata "
                f"{100 * float(line['coverage, strata']):.1f} %, unweighted "
                f"{100 * float(line['coverage, unweighted']):.1f} %, clusters "
                f"{100 * float(line['coverage, clusters']):.1f} %  off by {line['off by, strata']:+.4f}, "
                f"unweighted {line['off by, unweighted']:+.4f}  width {line['width, strata']:.4f}, clusters "
                f"{line['width, clusters']:.4f}  mixing {line['mixing']:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
