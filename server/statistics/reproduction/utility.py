"""The price in utility: what models learn from k-anonymous records, tested on untouched ones.

A quarter of the records is set aside, untouched; only the other three quarters are masked. The learner is the
one of four that does best on the originals, by five-fold cross-validation among the training records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.utility import Learner, cross_validated, majority_baseline, trained
from server.statistics.microaggregation.dependence import preserving_dependence
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.mondrian import mondrian
from server.statistics.microaggregation.partitioner import Partitioner
from server.statistics.microaggregation.pcl import pcl
from server.statistics.microaggregation.preparation import encode, group_means, sse, sst
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.v_mdav import v_mdav
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import At, Record

KS: Final = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
WEIGHTS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Values of lambda among which MDAV-SD's is chosen, by the accuracy on the training records."""
SEED: Final = 0
ADULT_SHARE: Final = 0.1
METHODS: Final[dict[str, Partitioner]] = {
    "MDAV": mdav_records,
    "V-MDAV": partial(v_mdav, gamma=0.9),
    "Mondrian": partial(mondrian, strict=False),
    "Mondrian, strict": mondrian,
    "PCL (ours)": pcl,
}
MEASURES: Final = ("accuracy", "F-measure")
CLAIMS: Final = ("additional_reference", "utility_003", "claims")
_MISSING: Final = "?"
_ADULT: Final = ("age", "education-num", "marital-status", "sex", "capital-gain", "hours-per-week")
_NUMBERS: Final = {
    "age",
    "education-num",
    "capital-gain",
    "hours-per-week",
    "trestbps",
    "chol",
    "thalach",
    "oldpeak",
    "ca",
}

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classified:
    """A data set with classes.

    Attributes
    ----------
    columns : dict of column name to n values
        Quasi-identifiers: numbers, or texts.
    target : array of str, shape (n,)
    """

    columns: Columns
    target: NDArray[Any]


def adult(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figures 6 and 7: a stratified tenth of the complete records of Adult."""
    texts = inputs.table("adult")
    target, complete = np.array(texts["income"]), _complete(texts)
    rows = complete[stratified(target[complete], ADULT_SHARE, SEED)]
    data = Classified(columns=_columns(texts, _ADULT, rows), target=target[rows])
    claims = inputs.figures(*CLAIMS) or {}
    for record in price(data, progress):
        yield _claimed(record, claims)


def breast_cancer(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figures 8 and 9: nine numeric attributes."""
    texts = inputs.table("breast_cancer_wisconsin")
    rows = _complete(texts)
    numbers = tuple(name for name in texts if name not in ("id", "class"))
    columns = {name: np.array(texts[name])[rows].astype(np.float64) for name in numbers}
    yield from price(Classified(columns=columns, target=np.array(texts["class"])[rows]), progress)


def heart(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figures 10 and 11: six numeric and seven nominal attributes; any degree of disease is one class."""
    texts = inputs.table("heart_cleveland")
    rows = _complete(texts)
    columns = _columns(texts, tuple(name for name in texts if name != "num"), rows)
    ill = np.where(np.array(texts["num"])[rows] == "0", "healthy", "ill")
    yield from price(Classified(columns=columns, target=ill), progress)


def synthetic(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001 - reads no data
    """Figures 12 and 13: 1,000 records of two Gaussian classes in two dimensions, our own draw."""
    ill = np.arange(1_000) % 2 == 1
    X = np.random.default_rng(SEED).standard_normal((1_000, 2)) + np.where(ill[:, None], 1.5, 0.0)
    columns = {f"x{j + 1}": X[:, j] for j in range(2)}
    yield from price(Classified(columns=columns, target=np.where(ill, "b", "a")), progress)


def price(data: Classified, progress: StageProgress, ks: tuple[int, ...] = KS) -> Iterator[Record]:
    """Mask the training records with every method and k, train, and test on the others."""
    train, test = split(data.target)
    kept = {name: column[train] for name, column in data.columns.items()}
    learner = best_learner(kept, data.target[train])
    everything = partial(trained, tested=data.columns, target=data.target, train=train, learner=learner)
    baselines = {
        f"no masking ({learner})": everything(data.columns, tests=(test,))[0],
        "most frequent class": majority_baseline(data.target[test]),
    }
    ks = tuple(k for k in ks if 2 * k <= len(train))
    for name, reached in baselines.items():
        for k in (ks[0], ks[-1]):
            for measure, value in zip(MEASURES, reached, strict=True):
                yield Record(at={"method": name, "k": k}, measure=measure, ours=value)
    X = encode(kept)
    Y = encode({"class": data.target[train]})
    for number, k in enumerate(ks, 1):
        partitions = {name: [method(X, SizeRule.of_k(k))] for name, method in METHODS.items()}
        partitions["MDAV-SD"] = [
            preserving_dependence(mdav_records, X, Y, SizeRule.of_k(k), weight=weight) for weight in WEIGHTS
        ]
        for name, choices in partitions.items():
            outcomes = []
            for place, labels in enumerate(choices):
                learned = {key: column.copy() for key, column in data.columns.items()}
                for key, masked in masked_table(kept, labels).items():
                    learned[key][train] = masked
                on_train, on_test = everything(learned, tests=(train, test))
                outcomes.append((on_train[0], -place, on_test, _distortion(X, labels)))
            _, _, reached, lost = max(outcomes)
            at: At = {"method": name, "k": k}
            for measure, value in zip((*MEASURES, "distortion"), (*reached, lost), strict=True):
                yield Record(at=at, measure=measure, ours=value)
        progress("group sizes", number, len(ks))


def split(target: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Rows of the training three quarters and of the test quarter, the same share of each class."""
    test = stratified(target, 0.25, SEED)
    return np.setdiff1d(np.arange(len(target)), test), test


def best_learner(columns: Columns, target: NDArray[Any]) -> Learner:
    """The most accurate learner on records as they are."""
    reached: dict[Learner, float] = {
        learner: cross_validated(columns, columns, target, learner=learner, seed=SEED)[0]
        for learner in get_args(Learner)
    }
    return max(reached, key=lambda learner: reached[learner])


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


def _distortion(X: FloatArray, labels: IntArray) -> float:
    return sse(X, labels) / sst(X)


def _claimed(record: Record, claims: dict[str, Any]) -> Record:
    """The same with what the text of section 4 says about Adult at this k, which is read from its curves."""
    method, k = record.at["method"], record.at["k"]
    key = {"MDAV": "mdav", "MDAV-SD": "mdav_sd", "Mondrian": "mondrian", "V-MDAV": "v_mdav"}.get(str(method))
    least = None
    if record.measure == "distortion" and k == 50 and key:
        least = claims.get("distortion_at_k_50_above", {}).get(key)
    elif record.measure == "accuracy" and key and k == 50:
        least = 0.8 if claims else None
    elif record.measure == "accuracy" and key == "mdav_sd" and k == 1000:
        least = claims.get("mdav_sd_accuracy_at_k_1000_not_below")
    return (
        Record(at=record.at, measure=record.measure, ours=record.ours, published=least, sense="at-least")
        if least is not None
        else record
    )


def _complete(texts: dict[str, tuple[str, ...]]) -> IntArray:
    missing = np.zeros(len(next(iter(texts.values()))), dtype=bool)
    for column in texts.values():
        missing |= np.array(column) == _MISSING
    return np.flatnonzero(~missing).astype(np.int64)


def _columns(texts: dict[str, tuple[str, ...]], names: tuple[str, ...], rows: IntArray) -> Columns:
    return {
        name: np.array(texts[name])[rows].astype(np.float64 if name in _NUMBERS else np.str_)
        for name in names
    }
