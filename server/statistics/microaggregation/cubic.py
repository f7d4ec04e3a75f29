"""Minima of quartic polynomials in closed form, for many at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from server.arrays import FloatArray

_POLISHING: Final = 2


def real_roots(c3: FloatArray, c2: FloatArray, c1: FloatArray, c0: FloatArray) -> FloatArray:
    """Real roots of the cubics ``c3 z^3 + c2 z^2 + c1 z + c0``.

    Parameters
    ----------
    c3, c2, c1, c0 : float arrays, shape (m,)
        ``c3`` is not 0.

    Returns
    -------
    float array, shape (3, m)
        NaN where a cubic has one real root only.

    Notes
    -----
    The trigonometric or Cardano's form gives the root of largest magnitude without cancellation, Newton
    polishes it, and the other two are those of the quadratic that is left when it is divided out, from the
    small end, so that small roots beside large ones keep their digits.

    References
    ----------
    W. Press et al., Numerical Recipes, 3rd edition, 2007, sections 5.6 and 9.5.
    """
    a, b, c = c2 / c3, c1 / c3, c0 / c3
    root = _polished(_largest(a, b, c), a, b, c)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        backward = np.abs(root) ** 3 > np.abs(c)
        product = np.where(backward, -c / root, b + (a + root) * root)
        total = np.where(backward, (product - b) / root, a + root)
        discriminant = total * total - 4 * product
        outer = -(total + np.copysign(np.sqrt(np.maximum(discriminant, 0)), total)) / 2
        inner = np.where(outer != 0, product / outer, 0.0)
    real = discriminant >= 0
    return np.vstack([root, np.where(real, outer, np.nan), np.where(real, inner, np.nan)])


def _largest(a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    """Real root of ``z^3 + a z^2 + b z + c``; of three, the one of largest magnitude."""
    q = b / 3 - a * a / 9
    r = a * a * a / 27 - a * b / 6 + c / 2
    discriminant = r * r + q * q * q
    large = -np.copysign(np.cbrt(np.abs(r) + np.sqrt(np.maximum(discriminant, 0))), r)
    with np.errstate(divide="ignore", invalid="ignore"):
        single = large + np.where(large != 0, -q / large, 0) - a / 3
        radius = np.sqrt(np.maximum(-q, 0))
        angle = np.arccos(np.clip(np.where(radius > 0, r / radius**3, 0), -1, 1))
    triple = -2 * radius * np.cos((angle + np.array([[0.0], [2 * np.pi], [-2 * np.pi]])) / 3) - a / 3
    chosen = triple[np.abs(triple).argmax(axis=0), np.arange(len(a))]
    return np.asarray(np.where(discriminant > 0, single, chosen))


def _polished(root: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray) -> FloatArray:
    for _ in range(_POLISHING):
        value = ((root + a) * root + b) * root + c
        slope = (3 * root + 2 * a) * root + b
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = root - value / slope
        better = np.abs(((moved + a) * moved + b) * moved + c) < np.abs(value)
        root = np.where(better, moved, root)
    return root


def local_minima(polynomial: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Local minima of quartics with a positive leading coefficient, the lowest first.

    Parameters
    ----------
    polynomial : float array, shape (5, m)
        Coefficients, highest power first.

    Returns
    -------
    places, heights : float arrays, shape (2, m)
        Second row NaN where there is one minimum. Equal heights: the smaller place first.
    """
    c4, c3, c2, c1, c0 = polynomial
    places = np.sort(real_roots(4 * c4, 3 * c3, 2 * c2, c1), axis=0)  # NaN last
    # Of three roots in order the middle one is a maximum.
    places = places[[0, 2]]
    heights = (((c4 * places + c3) * places + c2) * places + c1) * places + c0
    swap = heights[1] < heights[0]
    places = np.where(swap, places[::-1], places)
    heights = np.where(swap, heights[::-1], heights)
    return places, heights
