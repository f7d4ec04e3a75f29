"""Columns as one matrix."""

from __future__ import annotations

import numpy as np

from server.statistics.anonymize.encoding import Encoding
from server.tables.column import DataColumn


def test_a_column_in_a_tiny_unit_has_its_say_in_a_file() -> None:
    numbers = np.random.default_rng(5).standard_normal(20)
    matrices = []
    for factor in (1.0, 2.0**-700):
        column = DataColumn.of_numbers("x", numbers * factor)
        matrices.append(Encoding.fit([column], [False]).matrix([column])[:])
    np.testing.assert_array_equal(*matrices)
