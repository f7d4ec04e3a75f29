"""The price in utility: what models learn from k-anonymous records, tested on untouched ones.

For each data set all attributes but the class are quasi-identifiers. They are masked by MDAV and by PCL with
groups of at least k people, or of n_min people where only a part of them takes part, and boosted trees and
logistic regression are trained on the masked records and tested on records as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.utility import LEARNERS, Learner, cross_validated, majority_baseline
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.pcl import pcl
from server.statistics.microaggregation.preparation import encode, group_means
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction.catalogue import PAPERS
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Cell, Curve, Figure, Reproduction, Table
from shared.effective_anonymity import n_min_safe
from shared.participation import ParticipationLevel

PAPER = PAPERS["utility"]
KS = (2, 5, 10, 20, 50)
PARTICIPATIONS = ("1", "0.75", "0.5")
FAILURE = "1e-6"
FOLDS = 5
SEED = 0
ADULT_SHARE = 0.1
SYNTHETIC_RECORDS = 1_000
METHODS: dict[str, Callable[[FloatArray, SizeRule], IntArray]] = {"MDAV": mdav_records, "PCL": pcl}
MEASURES = ("accuracy", "F-measure")
_MISSING = "?"
_ADULT_NUMBERS = frozenset({"age", "education-num", "capital-gain", "capital-loss", "hours-per-week"})
_ADULT_UNUSED = frozenset({"fnlwgt", "education"})
_HEART_NUMBERS = frozenset({"age", "trestbps", "chol", "thalach", "oldpeak", "ca"})

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classified:
    """A data set with classes.

    Parameters
    ----------
    name, title : str
    columns : dict of column name to n values
        Quasi-identifiers: numbers, or texts.
    target : array of str, shape (n,)
    """

    name: str
    title: str
    columns: Columns
    target: NDArray[Any]


def adult(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Adult: a stratified sample of the complete records."""
    texts = inputs.table("adult")
    target = np.array(texts["income"])
    complete = _complete(texts)
    chosen = complete[stratified(target[complete], ADULT_SHARE, SEED)]
    unused = _ADULT_UNUSED | {"income"}
    return price(
        Classified(
            name="utility-adult",
            title="Adult",
            columns=_columns({n: c for n, c in texts.items() if n not in unused}, chosen, _ADULT_NUMBERS),
            target=target[chosen],
        ),
        progress,
        "A tenth of the 45,222 complete records, stratified by income and drawn with a fixed seed. fnlwgt, "
        "a sampling weight, and education, which education-num repeats, are left out.",
    )


def breast_cancer(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Breast Cancer Wisconsin (original): nine numeric attributes."""
    texts = inputs.table("breast_cancer_wisconsin")
    rows = _complete(texts)
    numbers = frozenset(texts) - {"id", "class"}
    return price(
        Classified(
            name="utility-breast-cancer",
            title="Breast Cancer Wisconsin",
            columns=_columns({name: texts[name] for name in texts if name in numbers}, rows, numbers),
            target=np.array(texts["class"])[rows],
        ),
        progress,
        "The 683 complete records; the class is benign or malignant.",
    )


def heart(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Heart Disease (Cleveland): six numeric and seven nominal attributes."""
    texts = inputs.table("heart_cleveland")
    rows = _complete(texts)
    return price(
        Classified(
            name="utility-heart",
            title="Heart Disease",
            columns=_columns({n: c for n, c in texts.items() if n != "num"}, rows, _HEART_NUMBERS),
            target=np.where(np.array(texts["num"])[rows] == "0", "healthy", "ill"),
        ),
        progress,
        "The 297 complete records; any degree of disease is one class.",
    )


def synthetic(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001 - reads no data
    """Two Gaussian classes in five dimensions."""
    random = np.random.default_rng(SEED)
    ill = np.arange(SYNTHETIC_RECORDS) % 2 == 1
    X = random.standard_normal((SYNTHETIC_RECORDS, 5)) + np.where(
        ill[:, None], [1.0, 0.5, 0.5, 0.0, 0.0], 0.0
    )
    return price(
        Classified(
            name="utility-synthetic",
            title="synthetic",
            columns={f"x{j + 1}": X[:, j] for j in range(X.shape[1])},
            target=np.where(ill, "b", "a"),
        ),
        progress,
        "The paper's synthetic records are not known to us. Ours are 1,000 records of two equally frequent "
        "Gaussian classes of unit variance in five dimensions, whose means differ by 1, 0.5, 0.5, 0 and 0; "
        "the best possible classifier is right in 73 % of the cases.",
    )


def price(
    data: Classified,
    progress: StageProgress,
    about: str,
    *,
    ks: tuple[int, ...] = KS,
    participations: tuple[str, ...] = PARTICIPATIONS,
    learners: tuple[Learner, ...] = LEARNERS,
) -> Reproduction:
    """Mask, train and test over all k and participations, and draw the curves."""
    sizes = {
        (k, share): size
        for k in ks
        for share in participations
        if 2 * (size := group_size(k, share)) <= len(data.target)
    }
    needed = sorted(set(sizes.values()))
    total = len(learners) * FOLDS * (1 + len(METHODS) * len(needed))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress("trainings", done, total)

    def learn(masked: Columns) -> dict[tuple[str, str], float]:
        found: dict[tuple[str, str], float] = {}
        for learner in learners:
            reached = cross_validated(
                masked, data.columns, data.target, learner=learner, folds=FOLDS, seed=SEED, step=step
            )
            found |= {(learner, measure): value for measure, value in zip(MEASURES, reached, strict=True)}
        return found

    X = encode(data.columns)
    unmasked = learn(data.columns)
    reached = {
        (method, size): learn(masked_table(data.columns, algorithm(X, SizeRule.of_k(size))))
        for method, algorithm in METHODS.items()
        for size in needed
    }
    guess = dict(zip(MEASURES, majority_baseline(data.target), strict=True))
    figures = tuple(
        Figure(
            f"{measure.lower()}-{learner.replace(' ', '-')}",
            f"{measure[0].upper()}{measure[1:]} of {learner} against k, {data.title}",
            "k",
            measure,
            (
                *_curves(sizes, reached, learner, measure),
                *(
                    Curve(label, (float(min(ks)), float(max(ks))), (value, value))
                    for label, value in (
                        ("no masking", unmasked[learner, measure]),
                        ("most frequent class", guess[measure]),
                    )
                ),
            ),
            log_x=True,
        )
        for measure in MEASURES
        for learner in learners
    )
    rows: list[tuple[Cell, ...]] = [
        (learner, "no masking", None, None, None, *(unmasked[learner, measure] for measure in MEASURES))
        for learner in learners
    ]
    rows += [
        (learner, method, k, share, size, *(reached[method, size][learner, measure] for measure in MEASURES))
        for learner in learners
        for method in METHODS
        for (k, share), size in sizes.items()
    ]
    rows.append(("most frequent class", "none", None, None, None, *(guess[measure] for measure in MEASURES)))
    return Reproduction(
        name=data.name,
        paper=PAPER,
        source=f"Figures 6 to 13, {data.title}",
        tables=(
            Table(
                "reached",
                "Accuracy and F-measure on untouched records",
                ("learner", "masked by", "k", "participation", "people of a group", *MEASURES),
                tuple(rows),
            ),
        ),
        figures=figures,
        comparisons=(),
        explanation=(
            f"{about}\n\n"
            "The published curves are not at hand as numbers, so ours stand alone; which of the Figures 6 to "
            "13 shows which measure, and the paper's learners and their settings, are not known to us. "
            f"Means over {FOLDS} stratified folds, F averaged over the classes. Training records are of the "
            "masked table, test records untouched and never trained on; but the whole table is masked at "
            "once, as it would be published, so the centroids know the quasi-identifiers (not the classes) "
            "of test records. Numbers become group means, categories the most frequent one of the group.\n\n"
            f"At a participation below 1 a group holds n_min people for a failure of {FAILURE}. Where two "
            "groups would not fit into the data, the curve ends. "
            + _verdict(data, sizes, reached, unmasked, guess, learners)
        ),
    )


def group_size(k: int, participation: str) -> int:
    """People of a group: k if all take part, else n_min (safe) for `FAILURE`."""
    if participation == "1":
        return k
    return n_min_safe(k, ParticipationLevel(low=participation, high=participation), FAILURE)


def stratified(target: NDArray[Any], share: float, seed: int) -> IntArray:
    """Row numbers, ascending, of a sample that has the same share of each class, rounded."""
    random = np.random.default_rng(seed)
    chosen = []
    for value in np.unique(target):
        rows = np.flatnonzero(target == value)
        chosen.append(random.choice(rows, size=round(share * len(rows)), replace=False))
    return np.sort(np.concatenate(chosen)).astype(np.int64)


def masked_table(columns: Columns, labels: IntArray) -> Columns:
    """Replace numbers by group means and texts by the group's most frequent one, ties in text order."""
    masked: Columns = {}
    for name, values in columns.items():
        if values.dtype.kind == "f":
            masked[name] = group_means(values[:, None], labels)[labels, 0]
            continue
        categories, code = np.unique(values, return_inverse=True)
        counts = np.zeros((int(labels.max()) + 1, len(categories)), dtype=np.int64)
        np.add.at(counts, (labels, code), 1)
        masked[name] = categories[counts.argmax(axis=1)][labels]
    return masked


def _complete(texts: dict[str, tuple[str, ...]]) -> IntArray:
    missing = np.zeros(len(next(iter(texts.values()))), dtype=bool)
    for column in texts.values():
        missing |= np.array(column) == _MISSING
    return np.flatnonzero(~missing).astype(np.int64)


def _columns(texts: dict[str, tuple[str, ...]], rows: IntArray, numbers: frozenset[str]) -> Columns:
    return {
        name: np.array(column)[rows].astype(np.float64) if name in numbers else np.array(column)[rows]
        for name, column in texts.items()
    }


def _curves(
    sizes: dict[tuple[int, str], int],
    reached: dict[tuple[str, int], dict[tuple[str, str], float]],
    learner: str,
    measure: str,
) -> list[Curve]:
    curves = []
    for method in METHODS:
        for share in dict.fromkeys(share for _, share in sizes):
            there = [(k, size) for (k, own), size in sizes.items() if own == share]
            label = method if share == "1" else f"{method}, participation {share}"
            y = tuple(reached[method, size][learner, measure] for _, size in there)
            curves.append(Curve(label, tuple(float(k) for k, _ in there), y))
    return curves


def _verdict(
    data: Classified,
    sizes: dict[tuple[int, str], int],
    reached: dict[tuple[str, int], dict[tuple[str, str], float]],
    unmasked: dict[tuple[str, str], float],
    guess: dict[str, float],
    learners: tuple[Learner, ...],
) -> str:
    """Say what the largest groups cost in accuracy."""
    largest = max(sizes.values())
    parts = [
        f"{learner} {unmasked[learner, 'accuracy']:.3f} without masking, "
        + ", ".join(
            f"{reached[method, largest][learner, 'accuracy']:.3f} with {method}" for method in METHODS
        )
        for learner in learners
    ]
    return (
        f"With groups of {largest} of the {len(data.target)} people the accuracy is: {'; '.join(parts)}; the "
        f"most frequent class alone gives {guess['accuracy']:.3f}."
    )
