"""Random tables of counts and how they are joined; all of them are drawn again wherever they are checked."""

from __future__ import annotations

import json
from typing import Any

from tests.vectors.checking import digest_of_all_joinings, random_tables, segments_text

CASES = 10_000
LISTED = 40
"""Tables that stand in the file; of all of them it has the digest of their segments."""


def joinings() -> dict[str, Any]:
    """The first tables, and the digest of all."""
    return {
        "comment": (
            "Counts are joined along 'order' into 'segments' (first position, behind the last), first over "
            "the 'units' and then inside of each stretch of units, if there are any; null if all "
            f"answers are too few. 'digest' is SHA-256 over the segments of {CASES} tables as "
            "tests/vectors/checking.py draws them, as compact JSON with a line end each."
        ),
        "source": "docs/protocol.md, The release gate.",
        "cases": [
            {
                "order": row.order,
                "points": row.points,
                "weights": row.weights,
                "units": row.units,
                "counts": counts,
                "minimum": minimum,
                "segments": json.loads(segments_text(row, counts, minimum)),
            }
            for row, counts, minimum in random_tables(LISTED)
        ]
        + [{"tables": CASES, "digest": digest_of_all_joinings(CASES)}],
    }
