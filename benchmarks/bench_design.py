"""How long `roomful design` takes of a register, how much memory, and how much its cells lose.

    python benchmarks/bench_design.py [--people N ...] [--register NAME ...] [--kind register|public]
                                      [--algorithm NAME] [--district N|ATTRIBUTE ...] [--data FOLDER]
                                      [--project FOLDER] [--json]

Made-up registers, the same with every run, of any size, by default of 100,000 people:

town       age, income, hours of work, and a map of 200 places.
skewed     two long tails (lognormal) and a count whose half is 0.
lumpy      rare categories, two thirds of the people with the same hours, steps so wide that many are equal.
levels     town with rates of participation by three age groups.
lookups    two maps, of home and of work, and age.
cantons    age, sex, income, and one of 26 cantons of unequal size.
communes   the same with 100 communes.
trades     the same with one of 20 cantons and one of 20 trades.
ranks      age, income, and four ordered answers of 5, 7, 10 and 20 categories.
adult      the 45,222 complete records of Adult (adult.csv in FOLDER, the tests' reference data); of another
           size only by drawing from them.

Each is designed by the whole command, in a process of its own: seconds by the clock, seconds of processor
time, the greatest memory, cells, and the distortion D. ``--project`` runs the command of another checkout, to
compare; the curve is `--people 100000 1000000 10000000 --register town`. ``--district`` designs by districts,
like the option of the command: `--people 1000000 --register town --district 0 500000` tells what they lose.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.random import Generator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.design.survey_file.writing import format_survey

SEED: Final = 14
PROMISE: Final = {"k": 20, "acceptable_cell_failure": "1e-9"}
EVEN: Final[dict[str, Any]] = {"rate": "0.5"}
BY_AGE: Final[dict[str, Any]] = {
    "attribute": "age",
    "source_statement": "The last census.",
    "rates": [{"upto": upto, "rate": rate} for upto, rate in ((34, "0.4"), (59, "0.5"), (100, "0.65"))],
}
UNLIMITED: Final = "import shared.limits; shared.limits.MAX_RECOUNT_WORK = 10**18; "
Columns = dict[str, Any]
Survey = tuple[pd.DataFrame, list[Columns], dict[str, Any]]


def numeric(name: str, low: int, high: int, step: int = 1) -> Columns:
    """Entry of a number whose ends are open."""
    return {"name": name, "kind": "numeric", "minimum": str(low), "maximum": str(high), "step": str(step),
            "open_below": True, "open_above": True}  # fmt: skip


def places(generator: Generator, folder: Path, name: str, count: int) -> pd.Series:
    """Write a table of places around a centre; the names of the places, the fullest first."""
    spots = np.unique(np.clip(np.rint(generator.normal(50, 17, (4 * count, 2))), 0, 99).astype(int), axis=0)
    spots = spots[generator.permutation(len(spots))[:count]]
    distance = ((spots - 50) ** 2).sum(axis=1)
    spots = spots[np.argsort(distance, kind="stable")]
    values = [f"P{i:04d}" for i in range(len(spots))]
    table = pd.DataFrame({"value": values, "x": spots[:, 0], "y": spots[:, 1]})
    table.to_csv(folder / f"{name}.csv", index=False)
    return table["value"]


def ages(generator: Generator, n: int) -> np.ndarray:
    """Ages of adults, fewer above 65."""
    return np.clip(18 + generator.gamma(3.2, 10.5, n), 18, 99).astype(int)


def chosen(generator: Generator, values: pd.Series, n: int) -> np.ndarray:
    """Draw from values, the first more often."""
    at = np.minimum(generator.exponential(len(values) / 3, n).astype(int), len(values) - 1)
    return np.asarray(values.to_numpy()[at])


def town(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    age = ages(generator, n)
    income = generator.lognormal(7.6 + 0.004 * (60 - abs(age - 48)), 0.45, n).astype(int) // 500 * 500
    hours = np.where(generator.random(n) < 0.35, 40, generator.normal(32, 11, n)).astype(int) // 5 * 5
    data = pd.DataFrame(
        {
            "age": age,
            "income": income,
            "hours": hours,
            "place": chosen(generator, places(generator, folder, "place", 200), n),
        }
    )
    entries = [numeric("age", 18, 90), numeric("income", 500, 8000, 500), numeric("hours", 5, 70, 5)]
    return data, [*entries, {"name": "place", "kind": "lookup", "table": "place.csv"}], EVEN


def levels(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:
    """See the module."""
    return (*town(generator, folder, n, adult)[:2], BY_AGE)


def skewed(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    data = pd.DataFrame(
        {
            "wealth": np.minimum(generator.lognormal(3, 1.2, n), 999).astype(int),
            "turnover": np.minimum(generator.lognormal(2.5, 1.5, n), 999).astype(int),
            "visits": np.where(generator.random(n) < 0.5, 0, generator.geometric(0.08, n)),
        }
    )
    return data, [numeric("wealth", 0, 400), numeric("turnover", 0, 400), numeric("visits", 0, 60)], EVEN


def lumpy(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    trades = [f"T{i}" for i in range(8)]
    data = pd.DataFrame(
        {
            "age": ages(generator, n) // 5 * 5,
            "trade": generator.choice(trades, n, p=[0.45, 0.25, 0.15, 0.08, 0.04, 0.02, 0.008, 0.002]),
            "hours": np.where(generator.random(n) < 0.67, 40, generator.integers(5, 71, n)),
        }
    )
    nominal = {"name": "trade", "kind": "nominal", "categories": trades}
    return data, [numeric("age", 15, 90, 5), nominal, numeric("hours", 5, 70)], EVEN


def lookups(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    data = pd.DataFrame({"age": ages(generator, n)})
    entries = [numeric("age", 18, 90)]
    for name, count in (("home", 2000), ("work", 300)):
        data[name] = chosen(generator, places(generator, folder, name, count), n)
        entries.append({"name": name, "kind": "lookup", "table": f"{name}.csv"})
    return data, entries, EVEN


def region(*categories: int) -> Callable[[Generator, Path, int, pd.DataFrame | None], Survey]:
    """Registers of age, sex, income, and attributes of so many categories, the last ones the largest."""

    def register(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
        data = pd.DataFrame(
            {
                "age": np.clip(generator.normal(45, 20, n), 0, 102).astype(int),
                "sex": generator.choice(["Female", "Male"], n),
                "income": generator.lognormal(3.6, 0.7, n).astype(int),
            }
        )
        entries = [numeric("age", 0, 100), numeric("income", 0, 400)]
        entries.append({"name": "sex", "kind": "nominal", "categories": ["Female", "Male"]})
        for number, count in enumerate(categories):
            names, sizes = [f"{number}-{i:03d}" for i in range(count)], np.arange(1, count + 1)
            data[f"of {count}, {number}"] = generator.choice(names, n, p=sizes / sizes.sum())
            entries.append({"name": f"of {count}, {number}", "kind": "nominal", "categories": names})
        return data, entries, EVEN

    return register


def ranks(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    data = pd.DataFrame({"age": ages(generator, n), "income": generator.lognormal(3.6, 0.7, n).astype(int)})
    entries = [numeric("age", 18, 90), numeric("income", 0, 400)]
    for count in (5, 7, 10, 20):
        names = [f"R{i:02d}" for i in range(count)]
        data[f"rank{count}"] = np.array(names)[generator.binomial(count - 1, 0.4, n)]
        entries.append({"name": f"rank{count}", "kind": "ordinal", "categories": names})
    return data, entries, EVEN


def adult(generator: Generator, folder: Path, n: int, adult: pd.DataFrame | None) -> Survey:  # noqa: ARG001
    """See the module."""
    if adult is None:
        raise SystemExit("adult.csv is not in the folder of --data")
    complete = adult[(adult != "?").all(axis=1)]
    if n != 100_000:
        complete = complete.iloc[generator.integers(0, len(complete), n)]
    entries: list[Columns] = [numeric("age", 17, 90), numeric("education-num", 1, 16)]
    entries.append(numeric("hours-per-week", 1, 99))
    entries += [
        {"name": name, "kind": "nominal", "categories": sorted(set(complete[name]))}
        for name in ("sex", "marital-status")
    ]
    return complete[[entry["name"] for entry in entries]], entries, EVEN


REGISTERS: Final[dict[str, Callable[[Generator, Path, int, pd.DataFrame | None], Survey]]] = {
    "town": town, "skewed": skewed, "lumpy": lumpy, "levels": levels, "lookups": lookups, "adult": adult,
    "cantons": region(26), "communes": region(100), "trades": region(20, 20), "ranks": ranks,
}  # fmt: skip


def write_register(
    folder: Path,
    name: str,
    n: int,
    kind: str,
    algorithm: str,
    data: Path,
    promise: Mapping[str, Any] = PROMISE,
) -> Path:
    """Write the register and its survey.toml; its path."""
    file = data / "adult.csv"
    table = pd.read_csv(file, dtype=str) if name == "adult" and file.exists() else None
    people, attributes, participation = REGISTERS[name](np.random.default_rng(SEED), folder, n, table)
    people.to_csv(folder / "people.csv", index=False)
    (folder / "questions.json").write_text(
        '{"pages": [{"elements": [{"type": "rating", "name": "answer"}]}]}', "utf-8"
    )
    document = {
        "title": "Bench",
        "languages": ["en"],
        "organizer": {"name": "Nobody", "contact": "nobody@survey.example"},
        "model": {"file": "people.csv", "kind": kind},
        "attributes": attributes,
        "participation": participation,
        "anonymity": dict(promise),
        "design": {"algorithm": algorithm},
        "questionnaire": {"file": "questions.json"},
    }
    path = folder / "survey.toml"
    path.write_text(format_survey(document), "utf-8")
    return path


def measured(
    survey: Path, project: Path, district: str | None = None, *, any_size: bool = False
) -> dict[str, Any]:
    """Run the command; its figures and what it took."""
    salt = survey.parent / "model.salt"
    salt.write_text("5a" * 32 + "\n")
    program = "from server.cli.main import main; main()"
    command = [sys.executable, "-c", UNLIMITED * any_size + program, "design", str(survey)]
    command += ["--out", str(survey.parent / "out")]
    if 'kind = "register"' in survey.read_text("utf-8"):
        command += ["--salt", str(salt)]
    if district is not None:
        command += ["--district", district]
    began = time.perf_counter()
    with subprocess.Popen([*command, "--json"], cwd=project, stdout=subprocess.PIPE) as run:
        figures = json.load(run.stdout)
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    wanted = ("people", "tuples", "cells", "smallest_cell", "largest_cell", "distortion")
    return {
        "clock": round(time.perf_counter() - began, 1),
        "processor": round(used.ru_utime + used.ru_stime, 1),
        "megabytes": used.ru_maxrss // 1024,
        **{key: figures[key] for key in wanted},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    root = Path(__file__).resolve().parents[1]
    default = os.environ.get("ROOMFUL_REFERENCE_DATA", root.parent / "shared" / "data")
    parser.add_argument("--people", type=int, nargs="+", default=[100_000])
    parser.add_argument("--register", nargs="+", choices=[*REGISTERS], default=[*REGISTERS])
    parser.add_argument("--kind", choices=("register", "public"), default="register")
    parser.add_argument("--algorithm", default="power-diagram")
    parser.add_argument("--district", nargs="+", help="as of `roomful design`, one after the other")
    parser.add_argument(
        "--any-size", action="store_true", help="also public models that devices could not count again"
    )
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--project", type=Path, default=root)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for n in options.people:
        for name in options.register:
            with TemporaryDirectory() as folder:
                survey = write_register(Path(folder), name, n, options.kind, options.algorithm, options.data)
                for district in options.district or (None,):
                    row = {"register": name} | ({} if district is None else {"district": district})
                    row |= measured(survey, options.project, district, any_size=options.any_size)
                    print(json.dumps(row) if options.json else "  ".join(f"{k} {v}" for k, v in row.items()))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
