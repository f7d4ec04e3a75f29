"""Everything that can be reproduced, by name. Modules are imported when an entry runs, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from server.reproduction.inputs import Inputs
from server.reproduction.result import Reproduction, StageProgress

Function: TypeAlias = Callable[[Inputs, StageProgress], Reproduction]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the catalogue.

    Parameters
    ----------
    title : str
        What it shows, in a line.
    paper : str
        Key of `PAPERS`.
    target : str
        ``module:function`` below ``server.reproduction``; the function takes `Inputs` and a progress
        callback and returns a `Reproduction` whose name is the entry's.
    seconds : float
        How long it roughly takes on two cores.
    data : tuple of str
        Data sets that it reads, so that a missing one is noticed before any work is done.
    """

    title: str
    paper: str
    target: str
    seconds: float
    data: tuple[str, ...] = ()

    def function(self) -> Function:
        """Import and return the function."""
        module, _, name = self.target.partition(":")
        function: Function = getattr(importlib.import_module(f"server.reproduction.{module}"), name)
        return function


PAPERS: dict[str, str] = {
    "p-probabilistic": (
        "Rebollo-Monedero, Forne, Soriano et al., p-Probabilistic k-anonymous microaggregation for the "
        "anonymization of surveys with uncertain participation"
    ),
}
"""Key -> authors and title. `Reproduction.paper` of an entry is this text."""

CATALOGUE: dict[str, Entry] = {}
"""Name -> entry, in the order of ``--all``."""
