"""Check 10: a device maps a public model itself and counts every cell again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from shared.cell_tables import CENTROID_DIGITS
from shared.checks import MODEL
from shared.decimals import round_decimal
from shared.errors import ModelFileError, SoundnessError
from shared.limits import MAX_RECOUNT_WORK
from shared.model import ModelRow, model_digest, parse_model
from shared.soundness import PASSED, REFUSED, Examination
from shared.specification import Specification

ROW_WORK: Final = 200


class Recount:
    """A recount that advances in small steps, so that a page can show its progress.

    Parameters
    ----------
    examination : Examination
        One that passed every other check.
    model : bytes
        The canonical model, as downloaded.
    """

    def __init__(self, examination: Examination, model: bytes) -> None:
        if examination.specification is None:
            raise ValueError("a specification that was refused cannot be recounted")
        self._examination = examination
        self._specification = examination.specification
        self._model = model
        self._rows: Iterator[ModelRow] | None = None
        self._tally = _Tally(self._specification)
        self._people = 0
        self._error: SoundnessError | None = None

    @property
    def people(self) -> int:
        """People counted so far."""
        return self._people

    @property
    def total(self) -> int:
        """People to be counted."""
        return self._specification.model.people

    def advance(self, rows: int) -> bool:
        """Count up to so many further rows; True once nothing is left to do."""
        try:
            if self._rows is None:
                self._rows = self._start()
            for _ in range(rows):
                row = next(self._rows, None)
                if row is None:
                    self._compare()
                    return True
                self._tally.add(row)
                self._people += row.people
        except SoundnessError as problem:
            self._error = problem
        except ModelFileError as problem:
            self._error = _refuse(problem.message, problem.where, problem.expected)
        return self._error is not None

    def finish(self) -> Examination:
        """Count to the end; the examination with check 10 decided."""
        while not self.advance(1000):
            pass
        line = self._examination.line(MODEL)
        if self._error is not None:
            return self._examination.with_line(replace(line, outcome=REFUSED, error=self._error))
        figures = {"people": str(self._people), "cells": str(self._specification.cells.count)}
        return self._examination.with_line(replace(line, outcome=PASSED, figures=figures))

    def _start(self) -> Iterator[ModelRow]:
        specification = self._specification
        if model_digest(self._model) != specification.model.digest:
            raise _refuse(
                "the model is not the one that was signed", "model.digest", specification.model.digest
            )
        check_recount_work(specification, self._model)
        return parse_model(self._model, specification.attributes, len(specification.levels))

    def _compare(self) -> None:
        for cell, (counted, claimed) in enumerate(
            zip(self._tally.counts, self._specification.eligible, strict=True)
        ):
            if tuple(counted) != claimed:
                raise _refuse(f"group {cell} holds {counted} people", f"eligible[{cell}]", str(list(claimed)))
        means = self._tally.centroids()
        for cell, (mean, claim) in enumerate(zip(means, self._specification.centroids, strict=True)):
            if mean != claim:
                raise _refuse(f"group {cell} has another centroid", f"centroids[{cell}]", ", ".join(mean))


class _Tally:
    """People and coordinate sums of each cell."""

    def __init__(self, specification: Specification) -> None:
        m, dimension = specification.cells.count, len(specification.weights)
        self._assign = specification.cells.assigner()  # rows ascend
        self._last: tuple[tuple[int, ...], int] | None = None
        self.counts = [[0] * len(specification.levels) for _ in range(m)]
        self._sums = [[0] * dimension for _ in range(m)]

    def add(self, row: ModelRow) -> None:
        """Count the people of a row in the cell of its vector."""
        if self._last is None or self._last[0] != row.vector:
            self._last = row.vector, self._assign(row.vector)
        cell = self._last[1]
        self.counts[cell][row.level] += row.people
        sums = self._sums[cell]
        for j, value in enumerate(row.vector):
            sums[j] += row.people * value

    def centroids(self) -> list[tuple[str, ...]]:
        """Mean of each coordinate, as the specification writes it."""
        return [centroid(sums, sum(counts)) for sums, counts in zip(self._sums, self.counts, strict=True)]


def check_recount_work(specification: Specification, model: bytes) -> None:
    """Whether check 10 can be made on a device; decided before any work is done.

    A step is one coordinate of one point compared with one row. Reading one attribute of a row takes as long
    as some :data:`ROW_WORK` of them.

    Raises
    ------
    SoundnessError
        With the code ``check.model``.
    """
    cells = specification.cells
    work = model.count(b"\n") * (
        cells.compared * len(cells.weights) + ROW_WORK * len(specification.attributes)
    )
    if work > MAX_RECOUNT_WORK:
        raise _refuse(
            "the model is too large to be counted again on a device",
            "model",
            f"rows x (points x coordinates + {ROW_WORK} x attributes) of at most {MAX_RECOUNT_WORK}, "
            f"not {work}",
        )


def centroid(sums: list[int], people: int) -> tuple[str, ...]:
    """Mean of each coordinate with four decimals, from exact sums."""
    return tuple(round_decimal(Fraction(total, people), CENTROID_DIGITS) for total in sums)


def _refuse(message: str, where: str, expected: str) -> SoundnessError:
    return SoundnessError(message, where=where, expected=expected, code=MODEL)
