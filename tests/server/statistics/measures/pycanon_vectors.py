"""Figures of pyCANON for the tables in ``pycanon.json``, recorded apart from the tests.

pyCANON 1.3.6 asks for an older numpy than Roomful, so it has an environment of its own:

    python3 -m venv /tmp/pycanon && /tmp/pycanon/bin/pip install pycanon==1.3.6
    cd tests/server/statistics/measures && /tmp/pycanon/bin/python pycanon_vectors.py > pycanon.json
"""

from __future__ import annotations

import json
import math
import random
import sys
from importlib.metadata import version
from typing import Any

Table = dict[str, list[Any]]


def tables() -> dict[str, tuple[str, Table]]:
    """Name -> what it shows, and columns q1, q2 (published), s (confidential)."""
    draw = random.Random(11)
    classes = [(a, b) for a in ("20-29", "30-39", "40-49") for b in ("f", "m") for _ in range(6)]
    q1, q2 = [a for a, _ in classes], [b for _, b in classes]
    n = len(classes)
    illness = [draw.choice(["flu", "cold", "ache", "rash"]) for _ in range(n)]
    return {
        "texts": ("confidential texts", {"q1": q1, "q2": q2, "s": illness}),
        "numbers": (
            "confidential numbers, many distinct",
            {"q1": q1, "q2": q2, "s": [draw.randrange(10, 40) for _ in range(n)]},
        ),
        "grades": (
            "confidential numbers, few distinct",
            {"q1": q1, "q2": q2, "s": [draw.choice([1, 2, 5, 9]) for _ in range(n)]},
        ),
        "every class has every value": (
            "delta-disclosure is finite by every definition",
            {
                "q1": q1,
                "q2": q2,
                "s": ["flu", "cold", "ache", "flu", "cold", draw.choice(["flu", "ache"])] * 6,
            },
        ),
        "one value a class": (
            "every answer is disclosed",
            {"q1": ["a"] * 3 + ["b"] * 3, "q2": ["x"] * 6, "s": ["flu"] * 3 + ["cold"] * 3},
        ),
        "one class": (
            "nothing is disclosed by the class",
            {"q1": ["a"] * 5, "q2": ["x"] * 5, "s": list("ppqqq")},
        ),
        "a quasi-identifier is missing": (
            "who lacks it is no member of another class",
            {"q1": ["a", "a", None, None, "b", "b"], "q2": ["x"] * 6, "s": list("pqpqpq")},
        ),
        "a number is missing": (
            "the confidential number of one record is missing",
            {"q1": ["a", "a", "b", "b"], "q2": ["x"] * 4, "s": [1.0, 2.0, None, 1.0]},
        ),
    }


def figures(table: Table) -> dict[str, Any]:
    """What pyCANON says, or which exception it raises."""
    import pandas as pd
    from pycanon import anonymity

    frame = pd.DataFrame(table)
    asked: dict[str, Any] = {
        "k-anonymity": lambda: anonymity.k_anonymity(frame, ["q1", "q2"]),
        "distinct l-diversity": lambda: anonymity.l_diversity(frame, ["q1", "q2"], ["s"]),
        "entropy l-diversity": lambda: anonymity.entropy_l_diversity(frame, ["q1", "q2"], ["s"]),
        "t-closeness": lambda: anonymity.t_closeness(frame, ["q1", "q2"], ["s"]),
        "delta-disclosure": lambda: anonymity.delta_disclosure(frame, ["q1", "q2"], ["s"]),
    }
    found: dict[str, Any] = {}
    for name, function in asked.items():
        try:
            value = float(function())
            found[name] = value if math.isfinite(value) else str(value)
        except Exception as error:
            found[name] = f"raises {type(error).__name__}"
    return found


def main() -> None:
    """Print the file."""
    pycanon, numpy, pandas = (version(name) for name in ("pycanon", "numpy", "pandas"))
    found = {
        "source": f"pyCANON {pycanon} with numpy {numpy} and pandas {pandas}",
        "comment": "made by tests/server/statistics/measures/pycanon_vectors.py in an environment of its own",
        "tables": [
            {"name": name, "comment": comment, "columns": table, "figures": figures(table)}
            for name, (comment, table) in tables().items()
        ],
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
