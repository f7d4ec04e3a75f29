"""One quartic per group, tied together by a prescribed mean and variance: solved exactly by duality.

For every group g of one attribute the value y_g is sought that minimizes

    sum over the groups of F_g(y_g),    F_g(y) = sum_i c_i (a (x_i - y)^2 + b_i ((x_i - y)^2 - s_i)^2)

while the published column keeps its mean and variance: ``sum n_g y_g = sum c_i x_i`` and
``sum n_g (y_g - mean)^2 = sum c_i (x_i - mean)^2``. With one multiplier for each constraint the problem falls
apart into one quartic per group, whose minimum is a root of a cubic in closed form. The dual function of the
two multipliers is concave; Newton's method with a line search climbs it. Where many groups have two equally
good values the dual has a kink; then a search without derivatives goes on, and a linear program divides these
groups between their two values so that the constraints hold.

References
----------
S. Boyd, L. Vandenberghe, Convex Optimization, 2004, sections 5.1 (the dual is concave) and 9.5 (damped
Newton).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.microaggregation.cubic import local_minima

TOLERANCE: Final = 1e-9
"""Largest error of mean (in standard deviations) and of variance (relative) that counts as met."""

_STEPS: Final = 40
_SHORTEST: Final = 1e-3
_MOST_TIED: Final = 5
_TIE: Final = 0.1
_NEAR: Final = 1e-5
_NEARLY: Final = 1e-3
_TRIALS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Values of the groups of one attribute.

    Attributes
    ----------
    values : float array, shape (m,)
    mean_error : float
        Difference of the means, in standard deviations of the original.
    variance_error : float
        Relative difference of the variances.
    objective : float
        What was minimized.
    bound : float
        No values that meet the constraints have a smaller objective (the dual's optimum).
    """

    values: FloatArray
    mean_error: float
    variance_error: float
    objective: float
    bound: float

    @property
    def met(self) -> bool:
        """Whether mean and variance are kept."""
        return max(abs(self.mean_error), abs(self.variance_error)) <= TOLERANCE


def minimize_quartics(
    x: FloatArray, labels: IntArray, counts: FloatArray, a: float, b: FloatArray, s: FloatArray
) -> Solution:
    """Minimize the quartics of one attribute under its mean and variance.

    Parameters
    ----------
    x : float array, shape (n,)
    labels : int array, shape (n,)
        0..m-1, none empty.
    counts : float array, shape (n,)
        People a record stands for.
    a : float
        Coefficient of the squared error, >= 0.
    b : float array, shape (n,)
        Coefficients of the quartic terms, > 0.
    s : float array, shape (n,)
        Squared distances that are aimed at; may be negative.

    Returns
    -------
    Solution
        ``met`` is False when no choice keeps mean and variance (a single group of a column that varies) or
        none was found; then ``values`` are the best of the dual.

    Notes
    -----
    A constant column keeps its value. O(n + m) per Newton step, some 5 to 20 steps. Where a group has two
    equally good minima at the dual's optimum the constraints can fall between them. Then a linear program
    chooses which groups move to their other minimum at least cost; all but two are moved entirely or not at
    all, and these two are rounded either way. If that does not come within 1e-3 of the bound, each choice
    for the groups nearest to a tie (at most five; changes of one group first, and no more if one of them
    comes within 1e-5) is tried too. Every choice is followed as a smooth branch, and the best that meets
    the constraints is taken. Equal minima: the smaller value.
    """
    if x.min() == x.max():
        objective = float(np.dot(counts, b * s * s))
        values = np.full(int(labels.max()) + 1, x[0])
        return Solution(
            values=values, mean_error=0.0, variance_error=0.0, objective=objective, bound=objective
        )
    # Distances from the mean in standard deviations, and coefficients of at most 1: no digit is lost to the
    # place of the column, and every tolerance means the same in any unit.
    middle = float(x[0] + np.dot(counts, x - x[0]) / counts.sum())
    unit = float(np.sqrt(np.dot(counts, (x - middle) ** 2) / counts.sum()))
    scaled = b * unit**2
    most = max(a, float(scaled.max()))
    found = _minimize(_Problem((x - middle) / unit, labels, counts, a / most, scaled / most, s / unit**2))
    return replace(
        found,
        values=middle + unit * found.values,
        objective=unit**2 * most * found.objective,
        bound=unit**2 * most * found.bound,
    )


def _minimize(problem: _Problem) -> Solution:
    multipliers, bound = _climb(problem, np.zeros(2))
    best = problem.solution(problem.argmin(multipliers), bound)
    if best.met or problem.m == 1:
        return best
    multipliers, bound = _over_kinks(problem, multipliers, bound)
    best = problem.solution(problem.argmin(multipliers), bound)
    if best.met:
        return best
    met: Solution | None = None
    for near, candidates in ((_NEARLY, _divided), (_NEAR, _branches)):
        for values in candidates(problem, multipliers):
            candidate = problem.solution(values, bound)
            if candidate.met and (met is None or candidate.objective < met.objective):
                met = candidate
                if met.objective - bound <= _NEAR * abs(bound):
                    break
        if met is not None and met.objective - bound <= near * abs(bound):
            break
    return met or best


class _Problem:
    """Moments of the groups; z = y - (mean of the group) keeps the numbers small."""

    def __init__(
        self, x: FloatArray, labels: IntArray, counts: FloatArray, a: float, b: FloatArray, s: FloatArray
    ) -> None:
        m = self.m = int(labels.max()) + 1

        def total(values: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(labels, values, m), dtype=np.float64)

        self.people = float(counts.sum())
        self.mean = float(np.dot(counts, x)) / self.people
        self.variance = float(np.dot(counts, (x - self.mean) ** 2)) / self.people
        self.n = total(counts)
        self.centre = total(counts * x) / self.n
        d = x - self.centre[labels]
        b = b * counts
        c = a * counts - 2 * b * s
        bd = b * d
        self.quartic = np.vstack(
            [
                total(b),
                -4 * total(bd),
                6 * total(bd * d) + total(c),
                -4 * total(bd * d * d) - 2 * total(c * d),
                total((bd * d * d + c * d) * d + b * s * s),
            ]
        )
        self.offset = self.centre - self.mean

    def polynomial(self, multipliers: FloatArray) -> FloatArray:
        """Coefficients, highest power first, of F_g plus the constraints times their multipliers."""
        first, second = multipliers
        result = self.quartic.copy()
        result[2] += second * self.n
        result[3] += self.n * (first + 2 * second * self.offset)
        result[4] += self.n * (first * self.offset + second * (self.offset**2 - self.variance))
        return result

    def argmin(self, multipliers: FloatArray) -> FloatArray:
        polynomial = self.polynomial(multipliers)
        minima, _ = local_minima(polynomial)
        return np.asarray(self.centre + minima[0])

    def residual(self, values: FloatArray) -> FloatArray:
        y = values - self.mean
        return np.array([np.dot(self.n, y), np.dot(self.n, y * y) - self.people * self.variance])

    def curvature(self, values: FloatArray, multipliers: FloatArray) -> FloatArray:
        c4, c3, c2, _, _ = self.polynomial(multipliers)
        z = values - self.centre
        return np.asarray(12 * c4 * z * z + 6 * c3 * z + 2 * c2)

    def jacobian(self, values: FloatArray, curvature: FloatArray) -> FloatArray:
        """Derivative of the residual by the multipliers."""
        y = values - self.mean
        weight = -(self.n**2) / curvature
        diagonal = 2 * np.dot(weight, y)
        return np.array([[weight.sum(), diagonal], [diagonal, 4 * np.dot(weight, y * y)]])

    def objective(self, values: FloatArray) -> float:
        return float(_evaluate(self.quartic, values - self.centre).sum())

    def dual(self, values: FloatArray, multipliers: FloatArray) -> float:
        return float(_evaluate(self.polynomial(multipliers), values - self.centre).sum())

    def solution(self, values: FloatArray, bound: float) -> Solution:
        first, second = self.residual(values)
        return Solution(
            values=values,
            mean_error=float(first / self.people / np.sqrt(self.variance)),
            variance_error=float(second / self.people / self.variance),
            objective=self.objective(values),
            bound=bound,
        )

    def close(self, values: FloatArray) -> bool:
        solution = self.solution(values, 0.0)
        return max(abs(solution.mean_error), abs(solution.variance_error)) <= TOLERANCE / 100


def _evaluate(polynomial: FloatArray, z: FloatArray) -> FloatArray:
    c4, c3, c2, c1, c0 = polynomial
    return np.asarray((((c4 * z + c3) * z + c2) * z + c1) * z + c0)


def _climb(problem: _Problem, start: FloatArray) -> tuple[FloatArray, float]:
    """Multipliers that maximize the dual, and its value there; ends early at a kink."""
    multipliers = start
    values = problem.argmin(multipliers)
    height = problem.dual(values, multipliers)
    for _ in range(_STEPS):
        if problem.close(values):
            break
        gradient = problem.residual(values)
        curvature = np.maximum(problem.curvature(values, multipliers), 1e-12)
        jacobian = problem.jacobian(values, curvature)
        # The dual is concave; a touch of damping keeps the step finite when only one group moves.
        damped = jacobian + 1e-12 * np.trace(jacobian) * np.eye(2)
        step = np.linalg.solve(damped, -gradient)
        slope, length = float(gradient @ step), 1.0
        if slope <= 0:
            break
        while length > _SHORTEST:
            candidate = multipliers + length * step
            tried = problem.argmin(candidate)
            reached = problem.dual(tried, candidate)
            if reached >= height + 1e-4 * length * slope - 1e-13 * abs(height):
                break
            length /= 2
        else:
            break
        gained = reached - height
        multipliers, values, height = candidate, tried, reached
        if length < 1 and gained <= 1e-9 * abs(height):
            break
    return multipliers, height


def _over_kinks(problem: _Problem, start: FloatArray, height: float) -> tuple[FloatArray, float]:
    """Climb on without derivatives, where many groups are tied and Newton's method ends on the first kink."""
    deviation = np.sqrt(problem.variance)
    unit = float(np.median(np.abs(problem.quartic[2]) / problem.n))
    scale = unit * np.array([deviation, 1.0])

    def depth(steps: FloatArray) -> float:
        multipliers = start + steps * scale
        return -problem.dual(problem.argmin(multipliers), multipliers)

    from scipy.optimize import minimize

    found = minimize(
        depth,
        np.zeros(2),
        method="Nelder-Mead",
        options={
            "initial_simplex": [[-0.1, -0.1], [0.2, 0.0], [0.0, 0.2]],
            "xatol": 1e-5,
            "fatol": 1e-6 * abs(height),
            "maxfev": _TRIALS,
        },
    )
    if -found.fun <= height:
        return start, height
    return _climb(problem, start + found.x * scale)


def _divided(problem: _Problem, multipliers: FloatArray) -> Iterator[FloatArray]:
    """Solutions in which the groups are so divided between their minima that the constraints nearly hold."""
    minima, heights = local_minima(problem.polynomial(multipliers))
    two = np.flatnonzero(~np.isnan(heights[1]))
    if not len(two):
        return
    y, other = problem.centre[two] + minima[:, two] - problem.mean
    n = problem.n[two]
    effect = np.vstack([n * (other - y), n * (other**2 - y**2)])
    scale = np.array([problem.people * np.sqrt(problem.variance), problem.people * problem.variance])
    from scipy.optimize import linprog

    answer = linprog(
        (heights[1] - heights[0])[two],
        A_eq=effect / scale[:, None],
        b_eq=-problem.residual(problem.centre + minima[0]) / scale,
        bounds=(0, 1),
        method="highs-ds",
    )
    if answer.x is None:
        return
    share = np.asarray(answer.x)
    between = np.flatnonzero((share > 1e-9) & (share < 1 - 1e-9))[:2]
    for choice in itertools.product((0, 1), repeat=len(between)):
        moved = share > 0.5
        moved[between] = np.array(choice, dtype=bool)
        start = minima[0].copy()
        start[two[moved]] = minima[1, two[moved]]
        followed = _follow(problem, multipliers, problem.centre + start)
        if followed is not None:
            yield followed


def _branches(problem: _Problem, multipliers: FloatArray) -> Iterator[FloatArray]:
    """Solutions near the dual's optimum for each choice between the minima of the groups nearest to a tie."""
    minima, heights = local_minima(problem.polynomial(multipliers))
    gap = np.where(np.isnan(heights[1]), np.inf, heights[1] - heights[0]) / problem.n
    scale = max(float(np.abs(heights[0] / problem.n).max()), 1.0)
    # Newton stops near the kink rather than on it, so a few groups beyond exact ties are looked at.
    order = np.argsort(gap, kind="stable")[:_MOST_TIED]
    tied = [int(group) for group in order if gap[group] < _TIE * scale]
    for choice in sorted(itertools.product((0, 1), repeat=len(tied)), key=sum):
        start = minima[0].copy()
        start[tied] = minima[list(choice), tied]
        followed = _follow(problem, multipliers, problem.centre + start)
        if followed is not None:
            yield followed


def _follow(problem: _Problem, multipliers: FloatArray, values: FloatArray) -> FloatArray | None:
    """Newton on all stationarity conditions and both constraints at once, from one choice of minima."""
    for _ in range(_STEPS):
        c4, c3, c2, c1, _ = problem.polynomial(multipliers)
        z = values - problem.centre
        slope = ((4 * c4 * z + 3 * c3) * z + 2 * c2) * z + c1
        curvature = problem.curvature(values, multipliers)
        if (np.abs(curvature) < 1e-14).any():
            return None
        y = values - problem.mean
        # Eliminate the groups: their change is (-slope - n (d1 + 2 y d2)) / curvature.
        free = -slope / curvature
        gradient = problem.residual(values) + np.array(
            [np.dot(problem.n, free), 2 * np.dot(problem.n * y, free)]
        )
        jacobian = problem.jacobian(values, curvature)
        if abs(np.linalg.det(jacobian)) < 1e-14 * np.abs(jacobian).max() ** 2:
            return None
        change = np.linalg.solve(jacobian, -gradient)
        multipliers = multipliers + change
        move = free - problem.n * (change[0] + 2 * y * change[1]) / curvature
        values = values + move
        if not np.isfinite(values).all():
            return None
        if np.abs(move).max() < 1e-12 * (1 + np.abs(values).max()):
            return values
    return None
