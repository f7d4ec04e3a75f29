"""How near the desk's estimates of a promise come to the real design, and how long they take.

    python benchmarks/bench_promise.py [--data FOLDER] [--json]
    python benchmarks/bench_promise.py --people 1200000

Needs ``adult.csv`` of the tests' reference data, beside the project in ``../shared/data`` or in
``--data FOLDER``. For each population, kind of model, algorithm and promise: groups and loss of
`server.design.estimate` and of the design that `roomful design` makes, and the processor time of both. With
``--people`` one comparison of as many made-up people of a region, and what is computed beside the attributes
of their population, where each is left out once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import pandas as pd

from server.design.design import design
from server.design.estimate import Promise, estimate, without
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from server.design.survey_file.writing import format_survey
from shared.participation import Dependence, ParticipationLevel

_SEX: Final = {"name": "sex", "kind": "nominal", "categories": ["Female", "Male"]}
_AGE: Final = {"name": "age", "kind": "numeric", "minimum": "15", "maximum": "75", "open_above": True}
_HOURS: Final = {"name": "hours-per-week", "kind": "numeric", "minimum": "5", "maximum": "80",
                 "open_below": True, "open_above": True}  # fmt: skip
_SCHOOLING: Final = {"name": "education-num", "kind": "numeric", "minimum": "1", "maximum": "16"}
POPULATIONS: Final[dict[str, tuple[str, list[dict[str, Any]]]]] = {
    "two attributes": ("adult.csv", [_AGE, _SEX]),
    "three attributes": ("adult.csv", [_AGE, _SEX, _SCHOOLING]),
    "four attributes": ("adult.csv", [_AGE, _SEX, _SCHOOLING, _HOURS]),
}
_REGION: Final[list[dict[str, Any]]] = [
    {**_AGE, "minimum": "0", "maximum": "100"},
    _SEX,
    {"name": "income", "kind": "numeric", "minimum": "0", "maximum": "400", "open_above": True},
    {"name": "canton", "kind": "nominal", "categories": list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")},
]
PROMISES: Final = ((5, "1e-4", "0.5"), (10, "1e-6", "0.5"), (20, "1e-6", "0.3"))
ALGORITHMS: Final = {
    "public": ("mdav", "power-diagram", "mondrian"),
    "register": ("power-diagram", "mondrian"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One design beside its estimate; ratios are real over estimated."""

    population: str
    kind: str
    algorithm: str
    k: int
    groups: int
    groups_ratio: float
    loss: float
    loss_ratio: float
    milliseconds: int
    milliseconds_without: int
    seconds_of_design: float


def write_region(path: Path, people: int) -> None:
    """People of 26 cantons of unequal size, with incomes of a long tail."""
    chance = np.random.default_rng(5)
    pd.DataFrame(
        {
            "age": np.clip(chance.normal(45, 20, people), 0, 102).astype(int),
            "sex": chance.choice(["Female", "Male"], people),
            "income": np.exp(chance.normal(3.6, 0.7, people)).astype(int),
            "canton": chance.choice(_REGION[-1]["categories"], people, p=np.arange(1, 27) / 351),
        }
    ).to_csv(path, index=False)


def compared(
    file: Path,
    attributes: list[dict[str, Any]],
    population: str,
    kind: str,
    algorithm: str,
    promise: tuple[int, str, str],
) -> Compared:
    """Design once, estimate once."""
    k, failure, rate = promise
    document = {
        "title": "Bench",
        "languages": ["en"],
        "organizer": {"name": "Nobody", "contact": "nobody@survey.example"},
        "model": {"file": str(file.absolute()), "kind": kind},
        "attributes": attributes,
        "participation": {"rate": rate},
        "anonymity": {"k": k, "acceptable_cell_failure": failure},
        "design": {"algorithm": algorithm},
        "questionnaire": {"file": "questions.json"},
    }
    with TemporaryDirectory() as folder:
        Path(folder, "questions.json").write_text(
            '{"pages": [{"elements": [{"type": "rating", "name": "answer"}]}]}'
        )
        Path(folder, "survey.toml").write_text(format_survey(document))
        survey = read_survey_file(Path(folder, "survey.toml"))
        model = read_model(survey)
        level = ParticipationLevel(low=rate, high=rate)
        wanted = Promise(
            k=k,
            failure=failure,
            level=level,
            dependence=Dependence(),
            algorithm=algorithm,
            register=kind == "register",
        )
        estimate(model, wanted)  # machine code is ready
        began = time.process_time()
        expected = estimate(model, wanted)
        estimated = time.process_time()
        for attribute in model.attributes:
            estimate(without(model, attribute.name), wanted)
        beside = time.process_time()
        made = design(survey.plan, model, salt=bytes(32) if kind == "register" else None)
        ended = time.process_time()
    return Compared(
        population=population,
        kind=kind,
        algorithm=algorithm,
        k=k,
        groups=made.specification.cells.count,
        groups_ratio=made.specification.cells.count / expected.cells,
        loss=made.distortion,
        loss_ratio=made.distortion / expected.loss,
        milliseconds=round(1000 * (estimated - began)),
        milliseconds_without=round(1000 * (beside - estimated)),
        seconds_of_design=round(ended - beside, 1),
    )


def told(line: Compared, as_json: bool) -> None:
    """Print a comparison."""
    if as_json:
        print(json.dumps(asdict(line)), flush=True)
        return
    print(
        f"{line.population:<17} {line.kind:<9} {line.algorithm:<14} k {line.k:<3} groups {line.groups:>5} "
        f"({line.groups_ratio:.2f} of the estimate)  loss {line.loss:.4f} ({line.loss_ratio:.2f})  "
        f"{line.milliseconds} ms, without each attribute {line.milliseconds_without} ms, "
        f"design {line.seconds_of_design} s",
        flush=True,
    )


def main() -> None:
    """Print a line for each comparison, and the extremes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--people", type=int)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if chosen.people:
        with TemporaryDirectory() as folder:
            write_region(Path(folder, "region.csv"), chosen.people)
            told(
                compared(
                    Path(folder, "region.csv"),
                    _REGION,
                    f"{chosen.people}",
                    "register",
                    "power-diagram",
                    PROMISES[1],
                ),
                chosen.json,
            )
        return
    found = []
    for population, (kind, algorithms), promise in product(POPULATIONS, ALGORITHMS.items(), PROMISES):
        for algorithm in algorithms:
            file, attributes = POPULATIONS[population]
            found.append(compared(chosen.data / file, attributes, population, kind, algorithm, promise))
            told(found[-1], chosen.json)
    if not chosen.json:
        for name in ("groups_ratio", "loss_ratio", "milliseconds"):
            values = [Decimal(str(getattr(line, name))) for line in found]
            print(f"{name}: {min(values):.2f} to {max(values):.2f}")


if __name__ == "__main__":
    main()
