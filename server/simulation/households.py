"""Which people decide together, and how often a cell of such people fails."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from server.simulation.mixture import chances_at, common_quantiles
from server.simulation.population import Population
from server.tables.missing import is_missing
from shared.specification import Specification


def household_of(population: Population, specification: Specification) -> NDArray[np.int64] | None:
    """Each person's household, as the specification declares it; None if everybody decides alone.

    From the declared column: equal values are one household, and whoever has none lives alone. If only a size
    is declared, so many people of a cell, one after the other, are a household: the most that it allows.

    Returns
    -------
    ndarray of int64, shape (n_people,)
        Numbered from 0 on.
    """
    column = specification.participation_source.household_column
    size = specification.dependence.household_size
    everybody = np.arange(population.n_people)
    if column is not None:
        households = population.table.exact(column, purpose="households")
        markers = specification.model.reading.missing_markers
        alone = np.array([is_missing(text, markers) for text in households.distinct], bool)
        codes = households.codes[population.row_of]
        labels = np.where(alone[codes], len(alone) + everybody, codes)
    elif size > 1:
        cells = population.cell_of(specification.cells)
        in_order = np.argsort(cells, kind="stable")
        first = np.searchsorted(cells[in_order], cells[in_order])
        labels = np.empty(population.n_people, np.int64)
        labels[in_order] = (everybody - first) // size * specification.cells.count + cells[in_order]
    else:
        return None
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def failures_together(
    population: Population,
    specification: Specification,
    households: NDArray[np.int64],
    participations: Sequence[Fraction],
    correlation: Fraction,
) -> tuple[Decimal, ...]:
    """Attained failure qbar of each cell, if its people take part as they are drawn.

    Parameters
    ----------
    population, specification
        Who, and the cells and k.
    households : ndarray of int64, shape (n_people,)
        See :func:`household_of`.
    participations : sequence of Fraction, length n_levels
        Probability of each level.
    correlation : Fraction
        Between any two people of a cell, beside what households do.
    """
    cells = population.cell_of(specification.cells)
    level_counts: list[dict[int, NDArray[np.int64]]] = [{} for _ in range(specification.cells.count)]
    for cell, household, level in zip(
        cells.tolist(), households.tolist(), population.level_of.tolist(), strict=True
    ):
        counts = level_counts[cell].setdefault(household, np.zeros(len(participations), np.int64))
        counts[level] += 1
    quantiles, weights = common_quantiles() if correlation else (np.zeros(1), np.ones(1))
    likeliest_first = sorted(range(len(participations)), key=lambda level: -participations[level])
    chances = np.array([chances_at(quantiles, participations[i], correlation) for i in likeliest_first])
    return tuple(
        _failure([counts[likeliest_first] for counts in of_cell.values()], chances, weights, specification.k)
        for of_cell in level_counts
    )


def _failure(
    households: Sequence[NDArray[np.int64]],
    chances: NDArray[np.float64],
    weights: NDArray[np.float64],
    k: int,
) -> Decimal:
    """P{0 < K < k}, by convolution of the households at each quantile: O(people k), all terms positive."""
    steps = chances - np.vstack([chances[1:], np.zeros((1, chances.shape[1]))])
    total = np.zeros((k, chances.shape[1]))
    total[0] = 1
    for counts in households:
        come = np.cumsum(counts)
        more = total * (1 - chances[0])
        for number, probability in zip(come.tolist(), steps, strict=True):
            if number < k:
                more[number:] += total[: k - number] * probability
        total = more
    return Decimal(float((total[1:].sum(axis=0) * weights).sum()))
