"""Whether models learned from masked data still work on people as they are.

A classifier is trained on masked records and tested on records that were never masked and that it has not
seen, beside one that was trained on the originals. Accuracy and F-measure; lower loses more.

Notes
-----
Stratified folds, the same for both trainings. Numbers are standardized and texts one-hot encoded by what the
training fold holds; a category that it lacks is encoded as none. Deterministic given the seed.

References
----------
The price of k-anonymity in empirical utility (models trained on masked data, tested on untouched records).
F. Pedregosa et al., Scikit-learn: Machine Learning in Python, JMLR 12, 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from server.measures.measure import Measure
from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray, Progress

Learner = Literal["boosted trees", "logistic regression"]
LEARNERS: tuple[Learner, ...] = ("boosted trees", "logistic regression")
Table = Mapping[str, ArrayLike]
"""Columns by name, all of equal length: numbers, or texts for nominal attributes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmpiricalUtility:
    """What one kind of model reaches.

    Parameters
    ----------
    learner : Learner
    accuracy, f_measure : Measure
        Trained on masked records; means over the folds, F macro-averaged over the classes.
    original_accuracy, original_f_measure : Measure
        Trained on the originals: what masking could reach at best.
    """

    learner: Learner
    accuracy: Measure
    f_measure: Measure
    original_accuracy: Measure
    original_f_measure: Measure

    def measures(self) -> tuple[Measure, ...]:
        """The four figures."""
        return self.accuracy, self.f_measure, self.original_accuracy, self.original_f_measure


def empirical_utility(
    original: Table,
    masked: Table,
    target: ArrayLike,
    *,
    learners: tuple[Learner, ...] = LEARNERS,
    folds: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[EmpiricalUtility, ...]:
    """Train on masked and on original records, test on untouched originals.

    Parameters
    ----------
    original, masked : mapping of column name to n values
        The same columns in the same order of records, without the target. A missing number (NaN) becomes the
        training fold's mean; a missing text (None) is a category.
    target : array, shape (n,)
        Class of each record, unmasked; at least two classes with ``folds`` records each.
    learners : tuple of Learner
    folds, seed : int
    progress : callable, optional
        Called with the trainings done and their number.

    Returns
    -------
    tuple of EmpiricalUtility
        One per learner.

    Raises
    ------
    ValueError
        Different columns or lengths, one class only, or a class smaller than the number of folds (named).
    """
    # scikit-learn takes a second to import; only this measure pays for it.
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.model_selection import StratifiedKFold
    from threadpoolctl import threadpool_limits

    classes, y = _target(target, folds)
    if list(original) != list(masked):
        raise ValueError("the original and the masked table have different columns")
    lengths = {len(np.asarray(column)) for table in (original, masked) for column in table.values()}
    if lengths != {len(y)}:
        raise ValueError("all columns and the target must have the same length")
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    results, done = [], 0
    for learner in learners:
        scores: dict[str, list[tuple[float, float]]] = {"masked": [], "original": []}
        for train, test in splits:
            for source, table in (("masked", masked), ("original", original)):
                encoder = _Encoder(table, train)
                model = _model(learner, seed)
                # Threads that wait for a busy core cost more than they bring, and may add in another order.
                with threadpool_limits(limits=1):
                    model.fit(encoder.matrix(table, train), y[train])
                    guess = model.predict(encoder.matrix(original, test))
                scores[source].append(
                    (
                        float(accuracy_score(y[test], guess)),
                        float(f1_score(y[test], guess, average="macro", labels=range(len(classes)))),
                    )
                )
                done += 1
                if progress is not None:
                    progress(done, 2 * folds * len(learners))
        mean = {source: np.mean(rows, axis=0) for source, rows in scores.items()}
        results.append(
            EmpiricalUtility(
                learner=learner,
                accuracy=_measure(f"accuracy of {learner}", mean["masked"][0]),
                f_measure=_measure(f"F-measure of {learner}", mean["masked"][1]),
                original_accuracy=_measure(f"accuracy of {learner} without masking", mean["original"][0]),
                original_f_measure=_measure(f"F-measure of {learner} without masking", mean["original"][1]),
            )
        )
    return tuple(results)


def _target(target: ArrayLike, folds: int) -> tuple[NDArray[Any], IntArray]:
    values = np.asarray(target)
    if values.dtype.kind == "O":
        values = values.astype(str)
    classes, y, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError("the target has one class only")
    if sizes.min() < folds:
        rare = classes[sizes.argmin()]
        raise ValueError(f"the class {str(rare)!r} has {sizes.min()} records, fewer than {folds} folds")
    return classes, y.astype(np.int64)


def _measure(name: str, value: float) -> Measure:
    return Measure(
        name=name,
        value=float(value),
        direction="lower loses more",
        source="models trained on masked, tested on untouched records",
    )


def _model(learner: Learner, seed: int) -> Any:  # scikit-learn ships no types
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    if learner == "boosted trees":
        return HistGradientBoostingClassifier(random_state=seed)
    if learner == "logistic regression":
        return LogisticRegression(max_iter=2000)
    raise ValueError(f"unknown learner {learner!r}")


class _Encoder:
    """Numbers standardized, texts one-hot, as the training records say."""

    def __init__(self, table: Table, rows: IntArray) -> None:
        self._numbers: dict[str, tuple[float, float]] = {}
        self._categories: dict[str, NDArray[Any]] = {}
        for name, column in table.items():
            values = np.asarray(column)
            if values.dtype.kind in "biuf":
                given = values[rows].astype(np.float64)
                given = given[np.isfinite(given)]
                mean, deviation = (float(given.mean()), float(given.std())) if len(given) else (0.0, 1.0)
                self._numbers[name] = (mean, deviation or 1.0)
            else:
                self._categories[name] = np.unique(values[rows].astype(str))

    def matrix(self, table: Table, rows: IntArray) -> FloatArray:
        blocks: list[FloatArray] = []
        for name, column in table.items():
            values = np.asarray(column)[rows]
            if name in self._numbers:
                mean, deviation = self._numbers[name]
                numbers = (values.astype(np.float64) - mean) / deviation
                blocks.append(np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0)[:, None])
            else:
                blocks.append((values.astype(str)[:, None] == self._categories[name]).astype(np.float64))
        return np.concatenate(blocks, axis=1)
