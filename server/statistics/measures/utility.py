"""Whether models learned from masked data still work on people as they are.

A classifier is trained on masked records and tested on records that were never masked and that it has not
seen, beside one that was trained on the originals. Accuracy and F-measure; lower loses more.

Notes
-----
Stratified folds, the same for both trainings. Numbers are standardized by what the training fold holds. Texts
are one-hot encoded for logistic regression and taken as categories by boosted trees; a category that the
training fold lacks is encoded as none. Deterministic given the seed.

References
----------
The price of k-anonymity in empirical utility (models trained on masked data, tested on untouched records).
F. Pedregosa et al., Scikit-learn: Machine Learning in Python, JMLR 12, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor
from server.progress import Progress
from server.statistics.measures.measure import Measure

Learner = Literal["boosted trees", "logistic regression", "support vectors", "nearest neighbours"]
LEARNERS: Final[tuple[Learner, ...]] = ("boosted trees", "logistic regression")
"""Those that are measured unasked; the others serve to reproduce published figures."""
Table = Mapping[str, ArrayLike]
"""Columns by name, all of equal length: numbers, or texts for nominal attributes."""

_MOST_CATEGORIES: Final = 255
"""Categories of an attribute that boosted trees can tell apart; rarer ones are encoded as none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmpiricalUtility:
    """What one kind of model reaches.

    Attributes
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
    executor: Executor = THREADS,
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
    executor : Executor
        Who trains.

    Returns
    -------
    tuple of EmpiricalUtility
        One per learner.

    Raises
    ------
    ValueError
        Different columns or lengths, one class only, or a class smaller than the number of folds (named).
    """
    _check_columns(original, masked, target)
    trainings = [
        training
        for learner in learners
        for table in (masked, original)
        for training in _trainings(table, original, target, learner, folds, seed)
    ]
    scores = _scores(trainings, executor, progress).reshape(len(learners), 2, folds, 2).mean(axis=2)
    return tuple(
        EmpiricalUtility(
            learner=learner,
            accuracy=_measure(f"accuracy of {learner}", of_masked[0]),
            f_measure=_measure(f"F-measure of {learner}", of_masked[1]),
            original_accuracy=_measure(f"accuracy of {learner} without masking", of_original[0]),
            original_f_measure=_measure(f"F-measure of {learner} without masking", of_original[1]),
        )
        for learner, (of_masked, of_original) in zip(learners, scores, strict=True)
    )


def cross_validated(
    learned: Table,
    tested: Table,
    target: ArrayLike,
    *,
    learner: Learner,
    folds: int = 5,
    seed: int = 0,
) -> tuple[float, float]:
    """Accuracy and F-measure of models trained on one table and tested on another one's left-out records.

    Parameters
    ----------
    learned, tested : mapping of column name to n values
        The same columns and records; training rows are taken of the first, test rows of the second.
    target, folds, seed
        As in `empirical_utility`, which also says what is raised.
    learner : Learner

    Returns
    -------
    accuracy, f_measure : float
        Means over the folds; F is macro-averaged over the classes.
    """
    trainings = list(_trainings(learned, tested, target, learner, folds, seed))
    accuracy, f_measure = _scores(trainings, THREADS, None).mean(axis=0)
    return float(accuracy), float(f_measure)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Training:
    """One model to train, on rows of one table, and to test on other rows of another."""

    learned: Table
    tested: Table
    y: IntArray
    train: IntArray
    test: IntArray
    learner: Learner
    seed: int


def _trainings(
    learned: Table, tested: Table, target: ArrayLike, learner: Learner, folds: int, seed: int
) -> Iterator[_Training]:
    # scikit-learn takes a second to import; only this measure pays for it.
    from sklearn.model_selection import StratifiedKFold

    _, y = _target(target, folds)
    _check_columns(tested, learned, y)
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y):
        yield _Training(
            learned=learned, tested=tested, y=y, train=train, test=test, learner=learner, seed=seed
        )


def _scores(trainings: Sequence[_Training], executor: Executor, progress: Progress | None) -> FloatArray:
    """Accuracy and F-measure of each training."""
    from threadpoolctl import threadpool_limits

    # Once around all of them: each sets and restores it too, and threads would restore what another set.
    with threadpool_limits(limits=1):
        return np.array(executor.map(_score, trainings, progress=progress, total=len(trainings)))


def _score(given: _Training) -> tuple[float, float]:
    return trained(
        given.learned,
        given.tested,
        given.y,
        given.train,
        (given.test,),
        learner=given.learner,
        seed=given.seed,
    )[0]


def trained(
    learned: Table,
    tested: Table,
    target: ArrayLike,
    train: IntArray,
    tests: Sequence[IntArray],
    *,
    learner: Learner,
    seed: int = 0,
) -> list[tuple[float, float]]:
    """Accuracy and F-measure of one model, on several sets of rows.

    Parameters
    ----------
    learned, tested : mapping of column name to n values
        The model is trained on the rows ``train`` of the first, and tested on rows of the second.
    target : n classes
    train, tests : int arrays, and a sequence of them
    learner, seed
        As in `cross_validated`.
    """
    from sklearn.metrics import accuracy_score, f1_score
    from threadpoolctl import threadpool_limits

    y = np.unique(np.asarray(target), return_inverse=True)[1]
    encoder = _Encoder(learned, train, coded=learner == "boosted trees")
    model = _model(learner, seed, encoder.nominal)
    # Threads that wait for a busy core cost more than they bring, and may add in another order.
    with threadpool_limits(limits=1):
        model.fit(encoder.matrix(learned, train), y[train])
        guesses = [model.predict(encoder.matrix(tested, test)) for test in tests]
    labels = range(int(y.max()) + 1)
    return [
        (
            float(accuracy_score(y[test], guess)),
            float(f1_score(y[test], guess, average="macro", labels=labels, zero_division=0)),
        )
        for test, guess in zip(tests, guesses, strict=True)
    ]


def majority_baseline(target: ArrayLike) -> tuple[float, float]:
    """Accuracy and macro-averaged F-measure of always guessing the most frequent class."""
    sizes = np.unique(np.asarray(target).astype(str), return_counts=True)[1]
    share = float(sizes.max() / sizes.sum())
    return share, 2 * share / (1 + share) / len(sizes)


def _check_columns(original: Table, masked: Table, target: ArrayLike) -> None:
    if list(original) != list(masked):
        raise ValueError("the original and the masked table have different columns")
    lengths = {len(np.asarray(column)) for table in (original, masked) for column in table.values()}
    if lengths != {len(np.asarray(target))}:
        raise ValueError("all columns and the target must have the same length")


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


def _model(learner: Learner, seed: int, nominal: list[bool]) -> Any:  # scikit-learn ships no types
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC

    if learner == "boosted trees":
        return HistGradientBoostingClassifier(random_state=seed, categorical_features=nominal)
    if learner == "logistic regression":
        return LogisticRegression(max_iter=2000)
    if learner == "support vectors":
        return SVC()
    if learner == "nearest neighbours":
        return KNeighborsClassifier()
    raise ValueError(f"unknown learner {learner!r}")


class _Encoder:
    """Numbers standardized, texts one-hot or ``coded`` 0, 1, ..., as the training records say."""

    def __init__(self, table: Table, rows: IntArray, *, coded: bool) -> None:
        self._coded = coded
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
                categories, sizes = np.unique(values[rows].astype(str), return_counts=True)
                frequent = np.argsort(-sizes, kind="stable")[:_MOST_CATEGORIES] if coded else slice(None)
                self._categories[name] = np.sort(categories[frequent])

    @property
    def nominal(self) -> list[bool]:
        """Per column of the table, whether it holds categories."""
        return [name in self._categories for name in {**self._numbers, **self._categories}]

    def matrix(self, table: Table, rows: IntArray) -> FloatArray:
        blocks: list[FloatArray] = []
        for name in {**self._numbers, **self._categories}:
            values = np.asarray(table[name])[rows]
            if name in self._numbers:
                mean, deviation = self._numbers[name]
                numbers = (values.astype(np.float64) - mean) / deviation
                blocks.append(np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0)[:, None])
                continue
            categories, texts = self._categories[name], values.astype(str)
            if self._coded:
                code = np.minimum(np.searchsorted(categories, texts), len(categories) - 1)
                blocks.append(np.where(categories[code] == texts, code, np.nan)[:, None])
            else:
                blocks.append((texts[:, None] == categories).astype(np.float64))
        return np.concatenate(blocks, axis=1)
