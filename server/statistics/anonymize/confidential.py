"""What the published classes disclose about one confidential attribute."""

from __future__ import annotations

import numpy as np

from server.arrays import IntArray
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.measures import diversity as d
from server.statistics.measures.measure import Measure
from server.statistics.microaggregation.preparation import mean_and_deviation
from server.tables.column import DataColumn
from server.wording import quoted
from shared.errors import InputError


def confidential_measures(
    column: DataColumn, labels: IntArray, *, interval: float, hierarchy: Hierarchy | None = None
) -> tuple[tuple[Measure, ...], d.Contingency]:
    """Diversity and closeness of an attribute in the classes, and its occurrences.

    Parameters
    ----------
    column : DataColumn
        Numeric and ordinal attributes have the ordered distance, others the equal one.
    labels : int array, shape (n,)
        Class of each record.
    interval : float
        Delta of l_avg, in standard deviations of a number.
    hierarchy : Hierarchy, optional
        Adds t-closeness with the hierarchical distance.

    Raises
    ------
    InputError
        For an attribute without any value, or a value that the hierarchy lacks.
    """
    numbers = column.numbers if column.kind in ("numeric", "ordinal") else None
    codes, values = d.coded(column.texts if numbers is None else numbers)
    if not (codes >= 0).any():
        raise InputError(f"the confidential attribute {quoted(column.name)} has no value at all")
    if column.kind == "ordinal" and numbers is not None:
        # The order is the attribute's, whether every category occurs or not.
        codes, values = np.nan_to_num(numbers, nan=-1).astype(np.int64), column.order
    contingency = d.Contingency.of(labels, codes, len(values))
    measures = [
        d.distinct_l_diversity(contingency),
        d.entropy_l_diversity(contingency),
        d.t_closeness(contingency, "equal" if numbers is None else "ordered"),
    ]
    if hierarchy is not None:
        texts = values if numbers is None or column.kind == "ordinal" else _texts(column, codes, len(values))
        measures.append(d.t_closeness(contingency, "hierarchical", hierarchy.of(column, texts)))
    measures += [
        d.delta_disclosure(contingency),
        d.delta_disclosure_of_occurring_values(contingency),
        d.average_kl_risk(contingency),
    ]
    given = codes >= 0
    if column.kind != "numeric" or numbers is None:
        measures.append(d.average_l(labels[given], codes[given].astype(np.float64)))
    else:
        measures.append(d.average_l(labels[given], numbers[given]))
        width = interval * mean_and_deviation(numbers[given])[1]
        if width > 0:
            measures.append(d.average_l(labels[given], numbers[given], interval=width))
    return tuple(measures), contingency


def _texts(column: DataColumn, codes: IntArray, count: int) -> tuple[object, ...]:
    """Text of each code of a number."""
    texts: list[object] = [None] * count
    for code, text in zip(codes.tolist(), column.texts.tolist(), strict=True):
        if code >= 0 and texts[code] is None:
            texts[code] = text
    return tuple(texts)
