"""Everything that can be reproduced, by name. Modules are imported when an entry runs, not before."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from server.progress import StageProgress
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Plot, Record

Function: TypeAlias = Callable[[Inputs, StageProgress], Iterable[Record]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the catalogue.

    Attributes
    ----------
    title : str
        What it shows, in a line.
    paper : str
        Key of `PAPERS`.
    source : str
        Which tables and figures of the paper.
    target : str
        ``module:function`` below ``server.statistics.reproduction``; the function yields records.
    seconds : float
        How long it roughly takes on two cores.
    explanation : str
        Where and why we differ.
    data : tuple of str
        Data sets that it reads, so that a missing one is noticed before any work is done.
    plots : tuple of Plot
    why_not : str
        Why it is not reproduced; empty if it is.
    """

    title: str
    paper: str
    source: str
    target: str
    seconds: float
    explanation: str
    data: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    why_not: str = ""

    def function(self) -> Function:
        """Import and return the function."""
        module, _, name = self.target.partition(":")
        function: Function = getattr(
            importlib.import_module(f"server.statistics.reproduction.{module}"), name
        )
        return function


PAPERS: Final[dict[str, str]] = {
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
    "utility": "The price of k-anonymity in empirical utility",
}
"""Key -> authors and title."""

_CASC: Final = ("census", "tarragona", "eia")
_P, _M, _D, _T, _U = "p-probabilistic", "mu-approx", "dependence", "p3m", "utility"
_AGAINST: Final = (
    Plot(name="against-k", title="D against k, pbar = 1e-5", x="k", y=("D",), panels=("data",)),
    Plot(
        name="against-participation",
        title="D against participation, k = 10",
        x="participation",
        y=("D",),
        panels=("data",),
    ),
    Plot(name="against-pbar", title="D against failure, k = 10", x="-log10 pbar", y=("D",), panels=("data",)),
)
_UTILITY_PLOTS: Final = (
    *(
        Plot(name=measure.lower(), title=f"{measure} against k", x="k", y=(measure,), log_x=True)
        for measure in ("accuracy", "F-measure", "distortion")
    ),
    Plot(
        name="accuracy-against-distortion",
        title="Accuracy against distortion",
        x="distortion",
        along="k",
        y=("accuracy",),
    ),
)
_PROTOCOL: Final = (
    "The paper's protocol: a quarter of the records, stratified, is set aside untouched; the rest is masked, "
    "and a model is trained on it. The learner is the best of boosted trees, logistic regression, support "
    "vectors and nearest neighbours on the originals, by five folds among the training records. Methods: "
    "MDAV, V-MDAV (gamma = 0.9), Mondrian with centroids (relaxed; strict as well), MDAV-SD, which preserves "
    "the dependence of the class with the lambda that does best on the training records; PCL is ours. Under "
    "uncertain participation read the curves at n_min in place of k.\n\n"
)
_CURVES: Final = "The curves are printed without numbers. "
_OPTIMA: Final = (
    "The paper's 16 records are one draw, which is not known; ours are twenty other draws of the same "
    "distribution, taken as drawn. Promised is that a printed SSE is no unusual draw: within three of the "
    "standard deviations of ours. Theorem 2 (section 5) bounds SSE by 2 (2k - 1) M^2 SSE*, M = max(2k - 1, "
    "3k - 5); the largest ratio to the optimum over all draws and seeds stands beside it."
)

CATALOGUE: Final[dict[str, Entry]] = {
    "anonymity-table-2": Entry(
        title="Monte Carlo check of one cell",
        paper=_P,
        source="Table II",
        target="anonymity:table_2",
        seconds=0.2,
        explanation=(
            "k = 20, pi = 0.5, pbar = 0.1: exact values of ours beside the algorithm's, and a simulation of "
            "10^5 cells beside the printed one. Two simulations differ by chance: promised are four standard "
            "deviations of the difference."
        ),
    ),
    "anonymity-table-3": Entry(
        title="n_min and the failures a cell attains",
        paper=_P,
        source="Table III",
        target="anonymity:table_3",
        seconds=0.2,
        explanation=(
            "qbar: the cell fails; u: records that a failed cell exposes, on average; r: an eligible person "
            "takes part and is exposed; r': a person who does take part is exposed. Each promised bound is "
            "half a unit of the last printed digit."
        ),
    ),
    "anonymity-table-4": Entry(
        title="Failure of a whole table, and of its people",
        paper=_P,
        source="Table IV",
        target="anonymity:table_4",
        seconds=0.3,
        explanation=(
            "The table failure is 1 - prod (1 - qbar) over cells of n_min people, of which the last one also "
            "takes the people who are left over, as in MDAV; it hardly ever fails. The closed form with N / "
            "n_min cells is up to 1.7 % larger."
        ),
    ),
    "anonymity-figure-6": Entry(
        title="The exact failure beside a binomial CDF in doubles",
        paper=_P,
        source="Figure 6",
        target="anonymity:figure_6",
        seconds=3,
        explanation=(
            "k = 20, pi = 0.5, down to a failure of 1e-17. The paper prints a worst error of -0.84 % of "
            "Algorithm A against its routine. SciPy's lower tail, F(k-1) - F(0), agrees with ours to 14 "
            "digits; what is left of 1 - (1 - F) is wrong by -0.9 % at n = 120 and by all of it from 129 on. "
            "Which of the two sides erred in the paper is not said; one person in 119 is 0.84 % too."
        ),
        plots=(
            Plot(
                name="relative-error",
                title="Relative error of two ways to compute qbar",
                x="n",
                y=("relative error, percent",),
            ),
        ),
        why_not="the printed -0.84 % is of a routine that is not known; ours is exact",
    ),
    "anonymity-figure-7": Entry(
        title="n_min against the acceptable failure",
        paper=_P,
        source="Figure 7",
        target="anonymity:figure_7",
        seconds=0.2,
        explanation=f"k = 50, pi = 0.5; also at six (3.4e-6) and five (2.87e-7) sigma. {_CURVES}",
        plots=(Plot(name="n-min", title="n_min, k = 50, pi = 0.5", x="pbar", y=("n_min",), log_x=True),),
    ),
    "anonymity-figures-8-9": Entry(
        title="n_min against k, its approximations and their errors",
        paper=_P,
        source="Figures 8 and 9",
        target="anonymity:figures_8_9",
        seconds=0.2,
        explanation=(
            "pi = 0.5, pbar = 1e-6: n1 (divergence), n1' (quadratic), n1'' and n2 of section VI.C. "
            f"{_CURVES}The errors at six k beside ours are an independent recomputation."
        ),
        plots=(
            Plot(name="n-min", title="n_min against k", x="k", y=("n_min",), log_x=True, log_y=True),
            Plot(
                name="errors", title="Errors of the approximations", x="k", y=("error, percent",), log_x=True
            ),
        ),
    ),
    "anonymity-figure-10": Entry(
        title="Approximations for k = 2, and how often they are exact",
        paper=_P,
        source="Figure 10",
        target="anonymity:figure_10",
        seconds=0.5,
        explanation=(
            "pi = 0.5, 4,001 failures from 1e-7 to 1e-3. Rounded up, n1 is always a bound and mostly exact, "
            "n2 is oftener exact and no bound, as the paper claims; n0 is always too small. Lambert's form "
            "is ours and always exact. The counts beside ours are an independent recomputation."
        ),
        plots=(Plot(name="n-min", title="n_min, k = 2, pi = 0.5", x="pbar", y=("n_min",), log_x=True),),
    ),
    "anonymity-figure-13b": Entry(
        title="Failure of cells of k people",
        paper=_P,
        source="Figure 13b",
        target="anonymity:figure_13b",
        seconds=0.2,
        explanation=(
            "Cells of n = k people fail with probability 1 - (pi^k + (1 - pi)^k), at worst 1 - 2^(1 - k) at "
            "pi = 1/2; this closed form of the paper stands beside ours as its published value."
        ),
        plots=(Plot(name="qbar", title="qbar of cells of k people", x="pi", y=("qbar",)),),
    ),
    "anonymity-approximations": Entry(
        title="Approximations of n_min on an exact grid: how often exact, how often a bound",
        paper=_P,
        source="Section VI.C",
        target="anonymity:approximations",
        seconds=0.2,
        explanation=(
            "All forms of section VI.C, rounded up, on 256 combinations (k from 2 to 500, pi from 0.1 to "
            "0.99, pbar from 1e-1 to 1e-200); the forms for k = 2 on those of them that they are for. "
            "Designs use the exact value; no approximation decides anything."
        ),
    ),
    "anonymity-low-participation": Entry(
        title="Why n_min is not enough where participation is low or uneven",
        paper=_P,
        source="Sections VI.A and VI.C, where participation is low or uneven",
        target="anonymity:low_participation",
        seconds=0.3,
        explanation=(
            "By the paper's formula two people suffice for k = 2, pi = 0.05, pbar = 0.1: their cell is "
            "nearly always empty. But a cell of 30 fails more often, and whoever does take part in the cell "
            "of two is exposed with probability 0.95. Designs therefore use n_min_safe, from which on no "
            "cell fails too often. The published values here are exact ones, by an independent program in "
            "fractions.\n\nOf uneven people r' is the mean of r_j / pi_j over all people (section VI.A). It "
            "can be far below the mean over those who take part, E[K; 0 < K < k] / E[K], which decides in "
            "Roomful, and below that of the worst-off person, who is the one that takes part most surely."
        ),
        plots=(
            Plot(
                name="trap",
                title="k = 2, pi = 0.05: a small cell looks safe by being empty",
                x="people",
                y=("qbar", "r'"),
            ),
        ),
    ),
    "anonymity-grid": Entry(
        title="Exact values on a grid, down to failures of 1e-200",
        paper=_P,
        source="Sections VI.A and VI.C, on a grid of exact values (not printed)",
        target="anonymity:grid",
        seconds=2,
        explanation=(
            "Exact values by an independent program in fractions, given to 25 digits. Every n_min is the "
            "same; failures agree to 20 digits, also at 1e-200, where differences of cumulative "
            "probabilities have lost all of them."
        ),
    ),
    "distortion-figure-11": Entry(
        title="Distortion of MDAV on 10^4 Gaussian records of 10 attributes",
        paper=_P,
        source="Figure 11",
        target="distortion:figure_11",
        seconds=20,
        explanation=f"D against k, participation and failure. The records are our own draw. {_CURVES}",
        plots=tuple(Plot(name=p.name, title=p.title, x=p.x, y=p.y) for p in _AGAINST),
    ),
    "distortion-figure-12": Entry(
        title="Distortion of MDAV on census data",
        paper=_P,
        source="Figure 12",
        target="distortion:figure_12",
        seconds=3,
        data=("census", "tarragona"),
        explanation="The same curves on the small Census (1,080 x 13) and on Tarragona stand in their place.",
        plots=_AGAINST,
        why_not="10,000 records of the Large Census (149,642 x 13), which is not at hand",
    ),
    "distortion-figure-13a": Entry(
        title="What participation of 0.75 costs, against k",
        paper=_P,
        source="Figure 13a",
        target="distortion:figure_13a",
        seconds=8,
        explanation=(
            "D(pi = 0.75) / D(pi = 1) at pbar = 1e-5 for Gaussian records of 2, 5 and 10 attributes, our own "
            f"draw. {_CURVES}An independent recomputation has 3.95, 2.23 and 1.79 at k = 5, and 1.71, 1.27 "
            "and 1.15 at k = 50, as ours."
        ),
        plots=(Plot(name="ratio", title="D(0.75) / D(1)", x="k", y=("D(0.75) / D(1)",)),),
    ),
    "distortion-uneven": Entry(
        title="Distortion where participation is uneven",
        paper=_P,
        source="Section VI.B",
        target="distortion:uneven",
        seconds=0.5,
        data=("census",),
        explanation=(
            "Census, participation falling with income from 0.95 to 0.5 (our choice). D is the expected "
            "squared error of those who take part, over m times their expected number; the centroid that is "
            "least by it is sum pi_j x_j / sum pi_j."
        ),
    ),
    "distortion-pcl": Entry(
        title="What PCL loses beside MDAV: bounds that we promise",
        paper=_P,
        source="PCL beside MDAV (not in the paper's figures)",
        target="distortion:pcl_bounds",
        seconds=60,
        data=("census", "tarragona"),
        explanation=(
            "At the n_min of k = 10, pbar = 1e-6 and a participation of 0.75 (29) and 0.5 (53). The bounds "
            "hold for what is published: sites on a grid, integer offsets, ties to the lowest index, and "
            "every cell counted by that rule. Our PCL is not the paper's program; see decision 0040."
        ),
    ),
    "dependence-figure-8": Entry(
        title="D_X and D_Y against k: Gaussian pairs",
        paper=_D,
        source="Figure 8",
        target="dependence:figure_8",
        seconds=5,
        explanation=f"1,000 pairs of correlation 0.5 and 0.9, our own draw; lambda = 0 and 1. {_CURVES}",
        plots=(
            Plot(name="distortion", title="Distortions against k", x="k", y=("D_X", "D_Y"), panels=("rho",)),
        ),
    ),
    "dependence-figures-9-12": Entry(
        title="D_Y against D_X as lambda goes from 0 to 1",
        paper=_D,
        source="Figures 9 to 12",
        target="dependence:figures_9_12",
        seconds=8,
        data=("census", "tarragona"),
        explanation=(
            f"Gaussian pairs (9, 10), Census (11) and Tarragona (12), lambda = 0, 0.1, ... 1. "
            f"{_CURVES}Beside them stand DLD as the paper defines it (the masked table standardized by its "
            "own moments, linked to the originals) and as the other measures of Roomful do, the average KL "
            "risk, and the error of the correlations between X and Y."
        ),
        plots=(
            Plot(
                name="trade-off",
                title="D_Y against D_X",
                x="D_X",
                along="lambda",
                y=("D_Y",),
                panels=("figure",),
            ),
            Plot(
                name="increments",
                title="Increments relative to lambda = 0",
                x="lambda",
                y=("increment of D_X, percent", "increment of D_Y, percent"),
                panels=("figure",),
            ),
        ),
    ),
    "dependence-figure-13": Entry(
        title="l_avg against lambda",
        paper=_D,
        source="Figure 13",
        target="dependence:figure_13",
        seconds=4,
        data=("census", "tarragona"),
        explanation=(
            "Mean over the groups of the least number of distinct intervals of any confidential attribute, "
            "rounded to the nearest multiple of 0.02 deviations. The printed numbers of categories follow "
            "exactly; the 0.2 beside the formula is a misprint (it would give 20 to 36)."
        ),
        plots=(Plot(name="l-avg", title="l_avg against lambda", x="lambda", y=("l_avg",), panels=("data",)),),
    ),
    "dependence-figure-14": Entry(
        title="Census in blocks: D_X and DLD against lambda",
        paper=_D,
        source="Figure 14",
        target="dependence:figure_14",
        seconds=2,
        data=("census",),
        explanation=(
            f"Blocks of b = 6, 3 and 2 quasi-identifiers, k = 10; the caption's 4 is a misprint of 3. "
            f"{_CURVES}The values at lambda = 0 are an independent recomputation; they are what the text "
            "claims."
        ),
        plots=(
            Plot(name="distortion", title="D_X against lambda", x="lambda", y=("D_X",)),
            Plot(name="linkage", title="DLD against lambda", x="lambda", y=("DLD",)),
        ),
    ),
    "mu-approx-table-5": Entry(
        title="L_E and L_SSE of MDAV, mu-Approx and M-d",
        paper=_M,
        source="Table 5, and M-d's row of its source (Laszlo and Mukherjee 2005)",
        target="mu_approx:table_5",
        seconds=40,
        data=_CASC,
        explanation=(
            "mu-Approx is a mean over 20 seeds: each record in the order of the file sends an edge to its "
            "nearest neighbour outside its tree, as long as the tree is small, and random edges of large "
            "trees are removed. Promised are 5 % of the printed value and half a unit of its last digit, in "
            "all cells but one: Census k = 3 comes to an L_E of 23.35 where 25.35 is printed, a misprint "
            "(L_SSE of the same cell agrees). By the letter of the paper eight printed figures follow to the "
            "last digit; docs/reproduction.md says how, and what else was tried.\n\n"
            "MDAV agrees to the last printed digit but on Census at k = 10 and 4, printed by a program that "
            "divides the last records another way: up to 0.5 %. M-d differs by up to 0.3 %, by where the "
            "last records of a large tree go."
        ),
        plots=(Plot(name="l-e", title="L_E", x="k", y=("L_E, percent",), panels=("data",)),),
    ),
    **{
        f"mu-approx-table-{table}": Entry(
            title=f"mu-Approx and MDAV beside the optimum: {what}",
            paper=_M,
            source=f"Table {table}",
            target=f"mu_approx:table_{table}",
            seconds=25,
            explanation=_OPTIMA,
            plots=(Plot(name="over-optimum", title="How far from the optimum", x="k", y=("SSE / optimum",)),),
        )
        for table, what in (
            (6, "16 Gaussian records"),
            (7, "clusters of 2, 2, 3, 4 and 5"),
            (8, "clusters of 3, 4, 4 and 5"),
        )
    },
    "mu-approx-example": Entry(
        title="Eleven small and medium enterprises",
        paper=_M,
        source="Examples 2 and 3 and Tables 1 to 4",
        target="mu_approx:example",
        seconds=0.5,
        explanation=(
            "The eleven enterprises are part of the published figures. Optimum and mu-Approx are the printed "
            "partitions; their SSE and centroids were printed with digits cut off, not rounded."
        ),
        plots=(
            Plot(
                name="optimum", title="The optimal groups", x="surface", along="enterprise", y=("employees",)
            ),
        ),
    ),
    "p3m-table-2": Entry(
        title="Satisfaction levels of MDAV and P3M",
        paper=_T,
        source="Table 2 (w = 0.001, Delta = 0.1, alpha = 0.5)",
        target="p3m:table_2",
        seconds=3,
        data=_CASC,
        explanation=(
            "By equation 14, in sample standard deviations (divided by n - 1); MDAV's rows are its centroids "
            "rescaled to the variance of the original (equation 5). P3M's rows differ by up to four values "
            "of ten thousand, where the paper's solver ended elsewhere. The paper's Synthetic records are "
            "not published, so its column is left out."
        ),
        plots=(Plot(name="sl", title="Satisfaction level", x="k", y=("SL, percent",), panels=("data",)),),
    ),
    "p3m-table-3": Entry(
        title="Satisfaction levels with random importances",
        paper=_T,
        source="Table 3 (random w, Delta = 0.1)",
        target="p3m:table_3",
        seconds=10,
        data=_CASC,
        explanation=(
            "Importances are MATLAB's rand with seed 1, column by column, and SL is weighted by them "
            "(equation 13). Ours is the global optimum of equation 14; the paper's solver is a local one, so "
            "its values differ by up to 0.91 points. The Synthetic records are not published."
        ),
        plots=(Plot(name="sl", title="Satisfaction level", x="k", y=("SL, percent",), panels=("data",)),),
    ),
    "p3m-table-4": Entry(
        title="Scoring index of P3M on the paper's grid, and MDAV's",
        paper=_T,
        source="Table 4",
        target="p3m:table_4",
        seconds=60,
        data=_CASC,
        explanation=(
            "SI = (DR + IL) / 2 with DR = (DLD + SDID) / 2; DLD links to the first of equally near records, "
            "SDID has one width, 0.05 deviations. Sixteen settings: alpha and Delta each 0.2, 0.4, 0.6 and "
            "0.8, w = 0.001. The density in the standard error of PIL's quantiles is not printed; MDAV's "
            "rows are met within 1.5 points, and nothing is promised about P3M's, whose best settings agree "
            "in most cells."
        ),
        plots=(Plot(name="si", title="Scoring index", x="k", y=("SI",), panels=("data",)),),
    ),
    "p3m-table-5": Entry(
        title="Running times of MDAV and P3M",
        paper=_T,
        source="Table 5",
        target="p3m:table_5",
        seconds=5,
        data=_CASC,
        explanation=(
            "Printed are < 1 s for Tarragona and Census, 1 s for EIA, and 2 to 3 s for the Synthetic "
            "records, of another machine and a commercial solver. Ours is the least of three runs on one "
            "thread; this entry's files differ from run to run."
        ),
    ),
    "p3m-table-6": Entry(
        title="Scoring index of DREAM",
        paper=_T,
        source="Table 6",
        target="p3m:table_6",
        seconds=4,
        data=_CASC,
        explanation=(
            "DREAM has preferences by record and maximizes the distances attribute by attribute. Beside the "
            "printed index stands that of MDAV's centroids, which DREAM begins with; the paper prints the "
            "same for both on Tarragona from k = 4 on. Roomful's own method by record is another one."
        ),
        why_not="DREAM's formula is in a paper of 2016 that we do not have",
    ),
    "p3m-figures-2-5": Entry(
        title="SL against k for importances, distances a tenth of the values",
        paper=_T,
        source="Figures 2 to 5",
        target="p3m:figures_2_5",
        seconds=40,
        data=_CASC,
        explanation=(
            "w = 0.2, 0.4, 0.6 and 0.8; Delta_i = 0.1 |x_i| of standardized values. The text prints SL 90.48 "
            "and 93.05 for Tarragona, k = 5, w = 0.6 and 0.8, where equation 14 gives 91.73 and 93.83: "
            "unsettled. Figure 5 is of the Synthetic records, which are not published."
        ),
        plots=(Plot(name="sl", title="SL against k", x="k", y=("SL, percent",), panels=("figure",)),),
    ),
    "p3m-figures-6-9": Entry(
        title="DLD, ID, DR, IL, SL and SI against k for importances",
        paper=_T,
        source="Figures 6 to 9",
        target="p3m:figures_6_9",
        seconds=90,
        data=_CASC,
        explanation=(
            f"w = 0.1, 0.3, 0.5, 0.7 and 0.9, Delta = 0.1. {_CURVES}Figure 9 is of the Synthetic records, "
            "which are not published."
        ),
        plots=(
            Plot(
                name="against-k",
                title="Against k",
                x="k",
                y=("DLD", "ID", "DR", "IL", "SL", "SI"),
                panels=("figure", "measure"),
            ),
        ),
    ),
    "utility-adult": Entry(
        title="Models learned from masked records: Adult",
        paper=_U,
        source="Figures 6 and 7",
        target="utility:adult",
        seconds=120,
        data=("adult",),
        explanation=(
            f"{_PROTOCOL}A tenth of the 45,222 complete records, stratified by income and drawn with a fixed "
            "seed; age, education-num, marital-status, sex, capital-gain and hours-per-week. The curves are "
            "printed without numbers; beside ours stand lower limits that the text of section 4 gives. The "
            "distortion of V-MDAV, said to be above 40 % at k = 50, is not reproduced: V-MDAV with gamma = "
            "0.9 loses as much as MDAV."
        ),
        plots=_UTILITY_PLOTS,
    ),
    "utility-breast-cancer": Entry(
        title="Models learned from masked records: Breast Cancer Wisconsin",
        paper=_U,
        source="Figures 8 and 9",
        target="utility:breast_cancer",
        seconds=30,
        data=("breast_cancer_wisconsin",),
        explanation=f"{_PROTOCOL}The 683 complete records; the class is benign or malignant. {_CURVES}",
        plots=_UTILITY_PLOTS,
    ),
    "utility-heart": Entry(
        title="Models learned from masked records: Heart Disease",
        paper=_U,
        source="Figures 10 and 11",
        target="utility:heart",
        seconds=20,
        data=("heart_cleveland",),
        explanation=f"{_PROTOCOL}The 297 complete records; any degree of disease is one class. {_CURVES}",
        plots=_UTILITY_PLOTS,
    ),
    "utility-synthetic": Entry(
        title="Models learned from masked records: two Gaussian classes",
        paper=_U,
        source="Figures 12 and 13",
        target="utility:synthetic",
        seconds=30,
        explanation=(
            f"{_PROTOCOL}The paper's synthetic records are not published. Ours are 1,000 records of two "
            "equally frequent Gaussian classes in two dimensions, 1.5 apart in each."
        ),
        plots=_UTILITY_PLOTS,
    ),
}
"""Name -> entry, in the order of ``--all``."""
