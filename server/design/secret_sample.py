"""The secret sample of a register, from which everything is computed that its specification says.

Each person is left out with the same probability, decided by the register's salt. The sample is part of the
register, so whatever it has at least, the register has; and nobody without the salt can tell whether a person
is in it, so that nothing that follows from the sample contradicts any guess about her (docs/decisions/0085).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.design.population.model import Model
from shared.errors import DesignError
from shared.model import ModelRow, ModelText
from shared.register import left_out

_BLOCK: Final = 1 << 16
_LABEL: Final = b"roomful/3 secret sample\x00"


def secret_sample(model: Model, salt: bytes, needs: tuple[int, ...]) -> Model:
    """The people of a register who are in its secret sample.

    Parameters
    ----------
    model : Model
        The register.
    salt : bytes
        32 random bytes that are never published.
    needs : tuple of int, length L
        ``n_min_safe`` of each level.

    Returns
    -------
    Model
        With the levels that enough people of the sample have for a cell of their own. People of another level
        count at the next lower one, which is the cautious side; below the lowest they are left out.

    Raises
    ------
    DesignError
        If nobody is left who could fill a cell.

    Notes
    -----
    Guarantee: a function of each person alone. Her tuple, her level, her number among equals and
    the salt decide on her, so somebody who comes or goes changes it for nobody else, and two surveys of one
    register with one salt leave out the same people. One byte of SHAKE-256 a person.
    """
    shares = [left_out(need) for need in needs]
    kept = np.zeros_like(model.people)
    text = ModelText(model.attributes)
    header = text.header
    for i, (vector, people) in enumerate(zip(model.X.tolist(), model.people.tolist(), strict=True)):
        for level, count in enumerate(people):
            if count:
                person = header + text.line(ModelRow(vector=tuple(vector), level=level, people=1))
                kept[i, level] = _kept(salt, person.encode("utf-8"), count, shares[level])
    levels, counts = _populated_levels(kept, needs)
    if not levels:
        raise DesignError(
            "too few people are left for a cell once a part of the register is left out",
            where=model.source,
            expected=f"more than {min(needs)} people in the secret sample",
            remedy="Use a larger population, a smaller k, or a larger acceptable failure.",
        )
    used = np.flatnonzero(counts.any(axis=1))
    return replace(
        model,
        X=np.ascontiguousarray(model.X[used]),
        people=np.ascontiguousarray(counts[used]),
        levels=tuple(model.levels[i] for i in levels),
        tuple_of_record=np.full(len(model.rows), -1, np.int64),
        warnings=(),
    )


def _kept(salt: bytes, person: bytes, count: int, share: int) -> int:
    """How many of ``count`` people with one row are in the sample."""
    kept = 0
    for block in range(0, count, _BLOCK):
        size = min(_BLOCK, count - block)
        stream = hashlib.shake_256(_LABEL + salt + block.to_bytes(8, "big") + person).digest(size)
        kept += int((np.frombuffer(stream, np.uint8) >= share).sum())
    return kept


def _populated_levels(
    people: NDArray[np.int64], needs: tuple[int, ...]
) -> tuple[list[int], NDArray[np.int64]]:
    """Levels with enough people for a cell, and the head counts at those."""
    people = people.copy()
    levels: list[int] = []
    for level in range(len(needs) - 1, -1, -1):
        if people[:, level].sum() >= needs[level]:
            levels.insert(0, level)
        elif level:
            people[:, level - 1] += people[:, level]
    return levels, people[:, levels]
