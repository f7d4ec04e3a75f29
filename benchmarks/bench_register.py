"""What it costs that a register is published through a secret sample, in coarse figures.

    python benchmarks/bench_register.py [--data FOLDER] [--seed N] [--json]

The 45,222 complete records of Adult (adult.csv in FOLDER, the tests' reference data) are designed by age,
sex, education, marital status and hours at k = 10 and an acceptable failure of 1e-6, by power diagrams: with
the exact figures of everybody (as a public model), and as a register. Once with an even participation of 0.5,
once with rates by three age groups. For each:

cells, people   how many cells there are, and people of a cell on average.
best            D of the best that the cells allow: each person stands at the mean of the people of her cell.
shown           D of what the table shows: each person stands at her cell's published point.
age             root mean square, over people, of the age shown minus the mean age of her cell, in years.

D is the share of the squared differences between people that is lost, in the weights of the exact design. The
salt is the tests' own, or follows from the seed; another one gives figures a little apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.design.design import Design
from server.statistics.microaggregation.geometry import distortion
from tests.builders import SALT
from tests.registers import EVEN, RATES_BY_AGE, designed, write_adult

Figures = dict[str, float | int | str]


def power_diagram(survey: Path) -> Path:
    """The same survey with the shape that registers have."""
    text = survey.read_text("utf-8")
    survey.write_text(
        text.replace("[anonymity]", '[design]\nalgorithm = "power-diagram"\n[anonymity]'), "utf-8"
    )
    return survey


def figures(name: str, made: Design, exact: Design) -> Figures:
    """One line of the table."""
    people = made.model.people.sum(axis=1).astype(float)
    X = made.model.X.astype(float)
    weights = np.array(exact.specification.weights, float)
    shown = np.array([[float(value) for value in c] for c in made.specification.centroids])[made.labels]
    apart = people[:, None] * weights
    lost = float((apart * (X - shown) ** 2).sum())
    total = float((apart * (X - people @ X / people.sum()) ** 2).sum())
    in_cell = np.bincount(made.labels, weights=people)
    mean_age = (np.bincount(made.labels, weights=people * X[:, 0]) / in_cell)[made.labels]
    cells = made.specification.cells.count
    return {
        "name": name,
        "cells": cells,
        "people": float(people.sum() / cells),
        "best": distortion(made.model.X, made.model.people, exact.specification.weights, made.labels),
        "shown": lost / total,
        "age": float(np.sqrt((people * (mean_age - shown[:, 0]) ** 2).sum() / people.sum())),
    }


def measure(data: Path, salt: bytes) -> list[Figures]:
    """All lines."""
    rows = []
    for name, participation in (("even", EVEN), ("rates by age", RATES_BY_AGE)):
        with TemporaryDirectory() as place:
            folder = Path(place)
            surveys = (
                write_adult(folder / kind, data, kind=kind, participation=participation)
                for kind in ("public", "register")
            )
            exact, register = (designed(power_diagram(survey), salt) for survey in surveys)
        rows += [figures(f"{name}, exact", exact, exact), figures(f"{name}, as published", register, exact)]
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    default = os.environ.get(
        "ROOMFUL_REFERENCE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--seed", type=int, help="of the salt; by default the tests' own")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    salt = SALT if options.seed is None else hashlib.sha256(b"%d" % options.seed).digest()
    rows = measure(options.data, salt)
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print(
            f"{row['name']:<26} {row['cells']:>4} cells of {row['people']:.0f} people, D best "
            f"{row['best']:.3f}, shown {row['shown']:.3f}, age off by {row['age']:.1f} years"
        )


if __name__ == "__main__":
    main()
