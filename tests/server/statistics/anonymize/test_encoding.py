"""Columns as one matrix."""

from __future__ import annotations

import numpy as np

from server.statistics.anonymize.data_file import DataColumn
from server.statistics.anonymize.encoding import Encoding


def test_a_column_in_a_tiny_unit_has_its_say_in_a_file() -> None:
    numbers = np.random.default_rng(5).standard_normal(20)
    matrices = []
    for factor in (1.0, 2.0**-700):
        column = DataColumn(
            name="x",
            kind="numeric",
            numbers=numbers * factor,
            texts=(numbers * factor).astype(str).astype(object),
        )
        matrices.append(Encoding.fit([column], [False]).matrix([column]))
    np.testing.assert_array_equal(*matrices)
