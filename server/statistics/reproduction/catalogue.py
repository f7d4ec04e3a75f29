"""Everything that can be reproduced, by name. Modules are imported when an entry runs, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from server.progress import StageProgress
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Reproduction

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
        ``module:function`` in ``server.statistics.reproduction``; the function takes `Inputs` and a progress
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
        function: Function = getattr(
            importlib.import_module(f"server.statistics.reproduction.{module}"), name
        )
        return function


PAPERS: dict[str, str] = {
    "p-probabilistic": (
        "Rebollo-Monedero, Forne, Soriano et al., p-Probabilistic k-anonymous microaggregation for the "
        "anonymization of surveys with uncertain participation"
    ),
    "mu-approx": (
        "Domingo-Ferrer, Sebe, Solanas, A polynomial-time approximation to optimal multivariate "
        "microaggregation, Computers and Mathematics with Applications 55, 2008"
    ),
    "dependence": (
        "Rebollo-Monedero, Forne, Soriano, Puiggali Allepuz, k-Anonymous microaggregation with preservation "
        "of statistical dependence, Information Sciences 342, 2016"
    ),
    "p3m": (
        "Mortazavi, Jalili, Fine granular proximity breach prevention during numerical data anonymization, "
        "Transactions on Data Privacy 10, 2017"
    ),
    "utility": "The price of k-anonymity in empirical utility, with effective anonymity",
}
"""Key -> authors and title. `Reproduction.paper` of an entry is this text."""

CATALOGUE: dict[str, Entry] = {
    "anonymity-table-2": Entry(
        "n_min for k, participation and acceptable failure",
        "p-probabilistic",
        "effective_anonymity:table_2",
        0.2,
    ),
    "anonymity-table-3": Entry(
        "n_min and the failures a cell attains", "p-probabilistic", "effective_anonymity:table_3", 0.2
    ),
    "anonymity-table-4": Entry(
        "Failure of a whole table", "p-probabilistic", "effective_anonymity:table_4", 0.2
    ),
    "anonymity-figures-6-10": Entry(
        "n_min and failures against k, participation and failure",
        "p-probabilistic",
        "anonymity_figures:figures_6_to_10",
        0.5,
    ),
    "anonymity-figure-13b": Entry(
        "n_min where distortion is measured", "p-probabilistic", "anonymity_figures:figure_13b", 0.2
    ),
    "anonymity-approximations": Entry(
        "Approximations of n_min beside the exact value",
        "p-probabilistic",
        "anonymity_figures:approximations",
        0.2,
    ),
    "anonymity-low-participation": Entry(
        "Why n_min is not enough where participation is low",
        "p-probabilistic",
        "effective_anonymity:low_participation",
        0.2,
    ),
    "anonymity-grid": Entry(
        "Exact values on a grid, down to failures of 1e-200",
        "p-probabilistic",
        "effective_anonymity:grid",
        2,
    ),
    "distortion-census": Entry(
        "MDAV and PCL against k, participation and failure: Census",
        "p-probabilistic",
        "distortion:census",
        20,
        ("census",),
    ),
    "distortion-tarragona": Entry(
        "MDAV and PCL against k, participation and failure: Tarragona",
        "p-probabilistic",
        "distortion:tarragona",
        15,
        ("tarragona",),
    ),
    "distortion-gaussian": Entry(
        "MDAV and PCL against k, participation and failure: Gaussian records",
        "p-probabilistic",
        "distortion:gaussian",
        120,
    ),
    "dependence-gaussian": Entry(
        "Trade-off of D_X and D_Y, DLD, KL risk, l_avg: Gaussian pairs",
        "dependence",
        "dependence:gaussian",
        8,
    ),
    "dependence-census": Entry(
        "Trade-off of D_X and D_Y, DLD, KL risk, l_avg: Census",
        "dependence",
        "dependence:census",
        2,
        ("census",),
    ),
    "dependence-tarragona": Entry(
        "Trade-off of D_X and D_Y, DLD, KL risk, l_avg: Tarragona",
        "dependence",
        "dependence:tarragona",
        2,
        ("tarragona",),
    ),
    "mu-approx-table-5": Entry(
        "L_E and L_SSE of MDAV, mu-Approx and M-d",
        "mu-approx",
        "mu_approx:table_5",
        30,
        ("census", "tarragona", "eia"),
    ),
    "mu-approx-table-6": Entry(
        "mu-Approx and MDAV beside the exhaustive optimum", "mu-approx", "near_optimality:table_6", 6
    ),
    "mu-approx-example": Entry(
        "Eleven small and medium enterprises", "mu-approx", "near_optimality:example", 0.5
    ),
    "p3m-table-2": Entry(
        "Satisfaction levels of MDAV and P3M", "p3m", "p3m:table_2", 3, ("census", "tarragona", "eia")
    ),
    "p3m-table-3": Entry(
        "Satisfaction levels with random importances",
        "p3m",
        "p3m:table_3",
        6,
        ("census", "tarragona", "eia"),
    ),
    "p3m-table-4": Entry(
        "Best scoring index of P3M, and MDAV's",
        "p3m",
        "p3m_index:table_4",
        60,
        ("census", "tarragona", "eia"),
    ),
    "p3m-table-5": Entry(
        "Running times of MDAV and P3M", "p3m", "p3m:table_5", 3, ("census", "tarragona", "eia")
    ),
    "p3m-table-6": Entry(
        "Scoring index of DREAM", "p3m", "p3m_index:table_6", 45, ("census", "tarragona", "eia")
    ),
    "p3m-figures-2-9": Entry(
        "SL, IL, DLD, SDID and SI against Delta, alpha and k",
        "p3m",
        "p3m_index:figures",
        5,
        ("census", "tarragona", "eia"),
    ),
    "utility-adult": Entry(
        "Models learned from masked records: Adult", "utility", "utility:adult", 65, ("adult",)
    ),
    "utility-breast-cancer": Entry(
        "Models learned from masked records: Breast Cancer Wisconsin",
        "utility",
        "utility:breast_cancer",
        10,
        ("breast_cancer_wisconsin",),
    ),
    "utility-heart": Entry(
        "Models learned from masked records: Heart Disease",
        "utility",
        "utility:heart",
        10,
        ("heart_cleveland",),
    ),
    "utility-synthetic": Entry(
        "Models learned from masked records: two Gaussian classes", "utility", "utility:synthetic", 14
    ),
}
"""Name -> entry, in the order of ``--all``."""
