"""``python -m tests.compile_ahead``: has the machine code made that tests of designs and maskings need.

While other tests run that need none: else several of the processes that share out the rest would make the
same code at the same time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from server.design.algorithms import ALGORITHMS
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.size_rule import SizeRule
from tests.registers import designed
from tests.towns import EVEN, RATES, write_town


def main() -> None:
    """Small designs with every algorithm, and a masking."""
    with tempfile.TemporaryDirectory() as folder:
        for number, algorithm in enumerate(ALGORITHMS):
            for participation in (EVEN, RATES):
                survey = write_town(
                    Path(folder) / f"{number}-{participation == EVEN}",
                    participation=participation,
                    more=f'[design]\nalgorithm = "{algorithm}"',
                )
                designed(survey)
    mdav_records(np.random.default_rng(1).standard_normal((100, 2)), SizeRule.of_k(3))


if __name__ == "__main__":
    main()
