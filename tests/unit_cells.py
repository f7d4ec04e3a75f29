"""The small survey of the builders in two units, women and men, of four cells each."""

from __future__ import annotations

from typing import Any

from shared.cells import PowerDiagram, UnitCells
from shared.specification import Specification
from tests.builders import age, sex
from tests.elections import election_specification

WEIGHTS = (1, 1, 1)
"""The sexes lie so close that joining without units would go over their border."""
MIDDLES = (12, 37, 62, 87)


def band_cells(f: int) -> PowerDiagram:
    """Four bands of age of one sex."""
    sites = tuple((10 * middle, 10 * f, 10 * (1 - f)) for middle in MIDDLES)
    return PowerDiagram(weights=WEIGHTS, resolution=10, sites=sites, offsets=(0,) * len(sites))


def unit_cells() -> UnitCells:
    """Boxes 0 to 3 are women's, 4 to 7 men's, each by age."""
    units = [(("female",), band_cells(1)), (("male",), band_cells(0))]
    return UnitCells.of(WEIGHTS, (age(), sex()), "sex", units)


def election_of_units(**changes: Any) -> Specification:
    """200 voters; in the row old women and old men are neighbours, at the border of the units."""
    own = {"cells": unit_cells(), "row": (0, 1, 2, 3, 7, 6, 5, 4)}
    return election_specification(**own | changes)
