"""Known answers of the core that must be the same in CPython and in Pyodide.

Expected cells and probabilities come from the slow references of ``tests/shared/reference.py``.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from shared.cells import Balls, Boxes, Cells, CutTree, DistrictCells, PowerDiagram, Prototypes
from shared.effective_anonymity import n_min, n_min_safe
from shared.limits import MAX_MESSAGE_BYTES
from shared.metrics import Metrics
from shared.participation import Dependence, ParticipationLevel
from shared.strict_json import dumps
from shared.submission import encode, receipt
from tests.builders import ANSWERS, MESSAGE_BYTES
from tests.shared.reference import ASSIGN, dependent_metrics, digits

DIGEST = hashlib.sha256(b"a specification").hexdigest()
LONGEST_ANSWERS: dict[str, Any] = {
    "health": "good",
    "conditions": ["asthma", "diabetes", "other"],
    "wellbeing": 10,
    "smokes": False,
    "wage": "99.5",
    "vote": "green",
}
"""The longest answers to the small survey: they leave its padding no byte too many."""


def assignment() -> dict[str, Any]:
    """Cells of every shape, vectors, and the cell of each."""
    cases = []
    for name, comment, cells, ranges in _partitions():
        vectors = _vectors(ranges)
        cases.append(
            {
                "name": name,
                "comment": comment,
                "ranges": [list(r) for r in ranges],
                "weights": list(cells.weights),
                "cells": cells.to_object(),
                "vectors": [list(v) for v in vectors],
                "expected": [ASSIGN[cells.shape](v, cells) for v in vectors],
            }
        )
    return {
        "comment": "Cell of each vector; parse_cells(cells, 'cells', weights, ranges) reads the cells.",
        "source": "design.md section 4, mapping rules; expected cells from a slow reference in fractions.",
        "cases": cases,
    }


def _vectors(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, ...]]:
    """The whole domain if it is small, else its corners, middle and 200 others."""
    size = 1
    for low, high in ranges:
        size *= high - low + 1
    if size <= 500:
        return list(itertools.product(*(range(low, high + 1) for low, high in ranges)))
    source = random.Random(7)
    corners = list(itertools.product(*ranges))[:64]
    middle = tuple((low + high) // 2 for low, high in ranges)
    others = [tuple(source.randint(low, high) for low, high in ranges) for _ in range(200)]
    return [*corners, middle, *others]


def _partitions() -> Iterator[tuple[str, str, Cells, tuple[tuple[int, int], ...]]]:
    square = ((0, 9), (0, 9))
    references, radii = ((0, 0), (9, 9), (0, 9)), (25, 16, 0)
    for remainder in ("last", "nearest"):
        yield (
            f"balls-{remainder}",
            "Points at exactly the radius belong to the ball; a radius of 0 holds one point.",
            Balls(weights=(1, 1), references=references, radii=radii, remainder=remainder),
            square,
        )
    yield (
        "balls-nearest-ties",
        "Points as far from one reference as from another belong to the first.",
        Balls(weights=(2, 3), references=((0, 4), (8, 4), (4, 4)), radii=(0, 0, 0), remainder="nearest"),
        square,
    )
    yield (
        "power-diagram-ties",
        "Equal sites and symmetric sites: ties go to the lowest index.",
        PowerDiagram(
            weights=(1, 1), resolution=2, sites=((4, 4), (14, 4), (4, 4), (9, 14)), offsets=(0, 0, 0, 5)
        ),
        square,
    )
    yield (
        "power-diagram-offsets",
        "A negative offset reaches further, a large one leaves a cell without points.",
        PowerDiagram(
            weights=(3, 1), resolution=3, sites=((0, 0), (27, 27), (13, 14)), offsets=(-60, 10**9, -1)
        ),
        square,
    )
    # the largest distance is 3 * (1000 * 50_000)^2 = 7.5e15, below 2^53 = 9.007e15
    yield (
        "power-diagram-near-the-exact-bound",
        "Distances just below 2^53, which binary floats still hold exactly.",
        PowerDiagram(
            weights=(3,),
            resolution=1000,
            sites=((0,), (50_000_000,), (25_000_001,)),
            offsets=(1_500_000_000_000_000, 1, -999_999_999_999),
        ),
        ((0, 50_000),),
    )
    yield (
        "zero-weights",
        "A coordinate of weight 0 does not count.",
        PowerDiagram(weights=(0, 5), resolution=1, sites=((0, 0), (9, 9)), offsets=(0, 0)),
        square,
    )
    yield (
        "boxes",
        "Overlapping boxes and gaps: inside the first box, else the nearest.",
        Boxes(weights=(1, 2), boxes=(((0, 3), (0, 9)), ((3, 6), (0, 4)), ((8, 9), (8, 9)))),
        square,
    )
    yield (
        "boxes-of-weight-zero",
        "A box that holds the point comes before an earlier one at distance 0.",
        Boxes(weights=(0, 1), boxes=(((0, 3), (0, 9)), ((4, 9), (0, 9)))),
        square,
    )
    yield (
        "prototypes",
        "Several tabulated tuples a cell; ties go to the lowest row, not the lowest cell.",
        Prototypes(weights=(1, 1), points=((2, 2), (6, 6), (2, 6), (6, 2), (9, 9)), cells=(1, 0, 0, 1, 2)),
        square,
    )
    yield (
        "districts",
        "What is cut at belongs below; cells are numbered district by district, whatever their shapes.",
        DistrictCells(
            weights=(1, 1),
            tree=CutTree(nodes=((0, 4), (1, 2), None, None, (0, 8), None, None)),
            districts=(
                Balls(weights=(1, 1), references=((0, 0),), radii=(4,), remainder="last"),
                PowerDiagram(weights=(1, 1), resolution=2, sites=((2, 12), (9, 9)), offsets=(0, -20)),
                Boxes(weights=(1, 1), boxes=(((5, 9), (0, 4)), ((5, 9), (5, 9)))),
                Prototypes(weights=(1, 1), points=((9, 0), (9, 5), (9, 9)), cells=(0, 1, 0)),
            ),
        ),
        square,
    )
    source = random.Random(11)
    ranges = ((0, 90), (0, 1), (0, 1), (0, 15), (-40, 40), (0, 1))
    weights = (7, 900, 900, 60, 3, 50_000)
    sites = tuple(tuple(source.randint(8 * low, 8 * high) for low, high in ranges) for _ in range(60))
    offsets = tuple(source.randint(-500_000, 500_000) for _ in sites)
    yield (
        "power-diagram-of-six-coordinates",
        "Sixty sites at random.",
        PowerDiagram(weights=weights, resolution=8, sites=sites, offsets=offsets),
        ranges,
    )


ANONYMITY: tuple[tuple[int, tuple[int, ...], tuple[str, ...]], ...] = (
    (2, (2,), ("0.05",)),
    (2, (30,), ("0.05",)),
    (2, (71,), ("0.05",)),
    (3, (18,), ("0.5",)),
    (10, (53,), ("0.5",)),
    (10, (29,), ("0.75",)),
    (50, (159,), ("0.5",)),
    (200, (333,), ("0.75",)),
    (50, (1200,), ("0.5",)),
    (3, (900,), ("0.25",)),
    (3, (4, 20), ("1", "0.5")),
    (3, (1, 20), ("1", "0.5")),
    (5, (3,), ("0.5",)),
    (3, (12, 15), ("0.4", "0.6")),
    (10, (7, 0, 11, 30, 2), ("0.05", "0.1", "0.35", "0.6", "0.95")),
)
NEEDED: tuple[tuple[int, str, str, str], ...] = (
    (2, "0.05", "0.05", "0.1"),
    (3, "0.5", "0.5", "0.001"),
    (10, "0.5", "0.5", "1e-6"),
    (10, "0.4", "0.6", "1e-6"),
    (50, "0.5", "0.5", "1e-6"),
    (3, "0.003", "0.003", "0.01"),
    (5, "0.05", "0.9", "0.4"),
    (2, "1", "1", "1e-9"),
    (20, "0.15", "0.15", "1e-100"),
)


DEPENDENT: tuple[tuple[int, tuple[int, ...], tuple[str, ...], str, int], ...] = (
    (10, (53,), ("0.5",), "0.001", 1),
    (10, (53,), ("0.5",), "0.005", 1),
    (10, (53,), ("0.5",), "0.01", 1),
    (10, (53,), ("0.5",), "0.05", 1),
    (3, (2,), ("0.35",), "0.1", 1),
    (2, (600,), ("0.2",), "0.150001", 1),
    (50, (700,), ("0.4",), "0.05", 1),
    (3, (12, 15), ("0.4", "0.6"), "0.01", 1),
    (3, (0, 27), ("0.4", "0.6"), "0.01", 1),
    (10, (53,), ("0.5",), "0", 2),
    (10, (119,), ("0.5",), "0", 4),
    (5, (9, 30), ("0.3", "0.5"), "0", 3),
    (10, (84,), ("0.5",), "0.005", 2),
    (4, (3,), ("0.5",), "0.005", 6),
    (3, (20, 1), ("0.5", "1"), "0.02", 2),
    (3, (20, 1), ("0.5", "1"), "0.02", 1),
)
NEEDED_TOGETHER: tuple[tuple[int, str, str, str, str, int], ...] = (
    (10, "0.5", "0.5", "1e-6", "0.001", 1),
    (10, "0.5", "0.5", "1e-6", "0.005", 1),
    (10, "0.5", "0.5", "1e-6", "0.01", 1),
    (10, "0.5", "0.5", "1e-6", "0.05", 1),
    (10, "0.4", "0.6", "1e-6", "0.005", 1),
    (50, "0.5", "0.5", "1e-6", "0.005", 1),
    (50, "0.5", "0.5", "1e-6", "0.2", 1),
    (3, "0.05", "0.9", "0.4", "0.02", 1),
    (10, "0.5", "0.5", "1e-6", "0", 2),
    (10, "0.4", "0.6", "1e-6", "0", 4),
    (10, "0.5", "0.5", "1e-6", "0.005", 2),
)


def anonymity() -> dict[str, Any]:
    """Failure of cells to 40 digits, and people needed."""
    cases: list[dict[str, Any]] = []
    alone = ((k, counts, participations, "0", 1) for k, counts, participations in ANONYMITY)
    for k, counts, participations, correlation, size in (*alone, *DEPENDENT):
        values = dependent_metrics(
            counts, tuple(map(Fraction, participations)), k, Fraction(correlation), size
        )
        case = {
            "k": k,
            "counts": list(counts),
            "participations": list(participations),
            "correlation": correlation,
            "household_size": size,
        }
        cases.append(case | dict(zip(Metrics.__slots__, map(digits, values), strict=True)))
    alone_needed = ((*row, "0", 1) for row in NEEDED)
    for k, low, high, failure, correlation, size in (*alone_needed, *NEEDED_TOGETHER):
        level = ParticipationLevel(low=low, high=high)
        dependence = Dependence(correlation=correlation, household_size=size)
        cases.append(
            {
                "k": k,
                "low": low,
                "high": high,
                "acceptable_cell_failure": failure,
                "correlation": correlation,
                "household_size": size,
                "n_min": n_min(k, level, failure, dependence),
                "n_min_safe": n_min_safe(k, level, failure, dependence),
            }
        )
    return {
        "comment": "Metrics of cells, formatted with '.39e', and effective anonymity; alone and together.",
        "source": "Metrics from exact fractions; n_min and n_min_safe compared with brute force by a test.",
        "cases": cases,
    }


def entropy(seed: str) -> bytes:
    """SHA-256 of the seed, a colon and a counter, one block after another."""
    blocks = MAX_MESSAGE_BYTES // 32
    return b"".join(hashlib.sha256(f"{seed}:{i}".encode()).digest() for i in range(blocks))


def submissions() -> dict[str, Any]:
    """Bytes of messages with fixed entropy, and malformed ones."""
    long_text = {"remarks": 'äß"\\\n€😀' * 250}
    cases = []
    for name, cell, answers, length in (
        ("full", 5, ANSWERS, MESSAGE_BYTES),
        ("no-answers", 0, {}, MESSAGE_BYTES),
        ("longest", 19_999, LONGEST_ANSWERS, MESSAGE_BYTES),
        ("long-text", 19_999, ANSWERS | long_text, 8192),
    ):
        message = encode(DIGEST, cell, answers, entropy(name), length)
        cases.append(
            {
                "name": name,
                "cell": cell,
                "answers": answers,
                "entropy_seed": name,
                "message": message.decode("utf-8"),
                "message_bytes": length,
                "receipt": receipt(message),
            }
        )
    return {
        "comment": "Messages for the digest below. Entropy is SHA-256('<seed>:<i>') for i = 0, 1, 2, ...",
        "source": "docstring of shared/submission.py",
        "specification": DIGEST,
        "cases": cases,
        "refused": [
            {
                "name": name,
                "code": code,
                "message_bytes": MESSAGE_BYTES,
                "message": message.decode("utf-8"),
            }
            for name, code, message in _malformed_messages()
        ],
    }


def _malformed_messages() -> Iterator[tuple[str, str, bytes]]:
    honest = encode(DIGEST, 5, ANSWERS, entropy("malformed"), MESSAGE_BYTES)
    bare = {"protocol": "roomful-submission/1", "specification": DIGEST, "cell": 5, "answers": ANSWERS}

    def padded(value: dict[str, Any]) -> bytes:
        length = MESSAGE_BYTES - len(dumps(value | {"padding": ""}))
        return dumps(value | {"padding": "x" * length})

    yield "one-byte-short", "submission.length", honest[:-3] + b'"}'
    yield "one-byte-long", "submission.length", honest + b"\n"
    yield "without-padding", "submission.length", dumps(bare)
    filler = MESSAGE_BYTES - 21 - len(dumps(bare | {"answers": {"filler": ""}, "padding": ""}))
    yield "padding-of-15-bytes", "submission.length", padded(bare | {"answers": {"filler": "y" * filler}})
    yield (
        "member-missing",
        "submission",
        padded({name: value for name, value in bare.items() if name != "cell"}),
    )
    yield "member-too-many", "submission", padded(bare | {"user_agent": "Mozilla"})
    yield "negative-cell", "submission", padded(bare | {"cell": -1})
    yield "cell-true", "submission", padded(bare | {"cell": True})
    yield "cell-text", "submission", padded(bare | {"cell": "5"})
    yield "digest-in-capitals", "submission", padded(bare | {"specification": DIGEST.upper()})
    yield "answers-as-list", "submission", padded(bare | {"answers": []})
    yield "other-protocol", "submission", padded(bare | {"protocol": "roomful-submission/2"})
    yield (
        "float-among-answers",
        "submission",
        padded(bare | {"answers": {"wage": "@"}}).replace(b'"@"', b"1.5"),
    )
    yield "answer-twice", "submission", padded(bare | {"answers": {"a": 1, "b": 2}}).replace(b'"b"', b'"a"')
