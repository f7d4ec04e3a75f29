"""Data that microaggregation finds hard: ties, duplicates, constants, symmetry, wide and narrow scales."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

KINDS = ("free", "integers", "few rows", "symmetric", "standardized", "skewed", "line", "far away")


@st.composite
def matrices(draw: st.DrawFn, most: int = 60, columns: int = 10) -> np.ndarray:
    """A float matrix, n x d, of one of KINDS."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, columns))
    kind = draw(st.sampled_from(KINDS))
    if kind == "free":
        numbers = st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=True)
        return draw(arrays(np.float64, (n, d), elements=numbers))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind == "few rows":
        return rng.standard_normal((3, d))[rng.integers(0, 3, n)]
    if kind == "symmetric":
        half = rng.standard_normal((n // 2 + 1, d))
        return np.concatenate([half, -half])[:n]
    if kind == "skewed":
        return rng.lognormal(0, 3, (n, d))
    if kind == "line":
        return np.outer(rng.integers(-3, 4, n), np.ones(d)) / 3
    if kind == "far away":
        return rng.standard_normal((n, d)) + 1e9
    whole = rng.integers(0, 4, (n, d)).astype(float)
    if kind == "integers":
        return whole
    deviation = whole.std(axis=0)
    return (whole - whole.mean(axis=0)) / np.where(deviation > 0, deviation, 1)


def with_categories(generator: np.random.Generator, n: int, categories: list[int]) -> np.ndarray:
    """Two numbers, and attributes of so many categories, a coordinate each: an integer matrix, n x d."""
    chosen = [np.minimum(generator.exponential(count / 3, n).astype(int), count - 1) for count in categories]
    numbers = generator.integers(-9, 10, (n, 2))
    blocks = [np.eye(count, dtype=np.int64)[code] for count, code in zip(categories, chosen, strict=True)]
    return np.concatenate([numbers, *blocks], axis=1)


def reference_matrix(folder: Path, name: str, columns: list[str] | None = None) -> np.ndarray:
    """Columns of a reference file as numbers."""
    with (folder / f"{name}.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    return np.array([[float(row[column]) for column in columns or rows[0]] for row in rows])
