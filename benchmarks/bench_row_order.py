"""What the order of a masked file tells of exact ages, with and without ``--keep-order``.

    python benchmarks/bench_row_order.py [--data FOLDER] [--records 6000] [--seed 1] [--json]

So many of the complete records of Adult (adult.csv in FOLDER, the tests' reference data), drawn by the seed,
are sorted by age and masked by ``roomful anonymize`` with k = 10 in age, education and hours. The attacker
knows how often each age occurs and that the original was sorted: she says of the record at place i that it
has the i-th smallest age. Told is the share of records of which that is right; by guessing, the share of the
most frequent age. A number of each person, which means nothing, is kept to judge her by.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.cli.anonymize import anonymize

MASKED = ("age", "education-num", "hours-per-week")


def told(original: Path, *options: str) -> float:
    """Share of exact ages that follow from the place in the masked file."""
    out = original.with_name("masked.csv")
    words = [str(original), "--quasi-identifiers", ",".join(MASKED), "--k", "10", "--out", str(out)]
    CliRunner().invoke(anonymize, [*words, *options], catch_exceptions=False)
    age = pd.read_csv(original).set_index("person")["age"]
    return float((np.sort(age.to_numpy()) == age.loc[pd.read_csv(out)["person"]].to_numpy()).mean())


def measure(data: Path, n_records: int, seed: int) -> dict[str, float | int]:
    """All figures."""
    random = np.random.default_rng(seed)
    everybody = pd.read_csv(data / "adult.csv", skipinitialspace=True, na_values="?").dropna()
    frame = everybody.sample(n_records, random_state=random)[[*MASKED, "income"]]
    frame["person"] = random.permutation(n_records)
    shares = {}
    for name, options in (("kept", ["--keep-order"]), ("default", [])):
        with TemporaryDirectory() as place:
            original = Path(place) / "sorted.csv"
            frame.sort_values("age", kind="stable").to_csv(original, index=False)
            shares[name] = told(original, *options)
    guess = float(frame["age"].value_counts().max() / n_records)
    return {
        "records": n_records,
        "told_in_order": shares["kept"],
        "told": shares["default"],
        "by_guessing": guess,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    default = os.environ.get(
        "ROOMFUL_REFERENCE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--records", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = measure(options.data, options.records, options.seed)
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print(
        f"{figures['records']} records sorted by age: exact age from the place "
        f"{figures['told_in_order']:.1%} with --keep-order, {figures['told']:.1%} without, "
        f"{figures['by_guessing']:.1%} by guessing"
    )


if __name__ == "__main__":
    main()
