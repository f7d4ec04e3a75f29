"""The registry of algorithms of a design: what each takes, and what becomes of its cells."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from server.arrays import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignAlgorithm:
    """An algorithm that makes cells.

    Attributes
    ----------
    words : str
        In the report of a design.
    parameters : tuple of str
        Of `PARAMETERS`, those that it takes.
    shape : str
        Of its cells. What is no shape of its own is tabulated as prototypes, and needs ``labels``.
    labels : str
        "module:function" with the library's common signature, for `server.design.labelled`; else empty.
    room : int
        How many times the largest distance has to stay below 2^53: an offset may be as large as one.
    """

    words: str
    parameters: tuple[str, ...] = ()
    shape: str = "prototypes"
    labels: str = ""
    room: int = 1

    def load_labels(self) -> Callable[..., IntArray]:
        """Import the function of ``labels``, which may load a compiler."""
        module, _, name = self.labels.partition(":")
        function: Callable[..., IntArray] = getattr(importlib.import_module(module), name)
        return function


PARAMETERS: Final[dict[str, Callable[[int | str], float]]] = {"gamma": float, "seed": int}
"""Every parameter, and what a function of the library takes for what the specification holds."""

_LIBRARY: Final = "server.statistics.microaggregation"
ALGORITHMS: Final[dict[str, DesignAlgorithm]] = {
    "mdav": DesignAlgorithm(words="MDAV, compiled to balls", shape="balls"),
    "power-diagram": DesignAlgorithm(
        words="power diagram with constrained sizes", shape="power-diagram", room=2
    ),
    "mondrian": DesignAlgorithm(words="Mondrian: boxes that tile the domain", shape="boxes"),
    "v-mdav": DesignAlgorithm(
        words="V-MDAV, tabulated", parameters=("gamma",), labels=f"{_LIBRARY}.v_mdav:v_mdav"
    ),
    "m-d": DesignAlgorithm(words="M-d: minimum spanning tree, tabulated", labels=f"{_LIBRARY}.m_d:m_d"),
    "mu-approx": DesignAlgorithm(
        words="mu-Approx: decomposed forest, tabulated",
        parameters=("seed",),
        labels=f"{_LIBRARY}.mu_approx:mu_approx",
    ),
}
"""By the name in `survey.toml` and in the specification."""
