"""What every algorithm of the library on records is: one signature, and what all of them promise."""

from __future__ import annotations

from typing import Protocol

from server.arrays import FloatArray, IntArray
from server.progress import Progress
from server.statistics.microaggregation.size_rule import SizeRule


class Partitioner(Protocol):
    """Divides records into groups, each of which a size rule accepts."""

    def __call__(
        self,
        X: FloatArray,
        rule: SizeRule,
        *,
        counts: IntArray | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> IntArray:
        """The group of each record.

        Parameters
        ----------
        X : float array, n x d
            Finite numbers below 1e145, standardized by the caller if wanted.
        rule : SizeRule
            What a group must hold. Only some algorithms take several levels or a predicate; the others take
            one head count k.
        counts : int array, n, optional
            People behind each record, 1 by default. Records are never divided, and k counts people.
        seed : int
            Of random choices; without effect where nothing is random.
        progress : callable, optional
            `progress(people placed, people)`.

        Returns
        -------
        int array, n
            Labels from 0.

        Raises
        ------
        ValueError
            A value that is missing, infinite or huge; a rule that the algorithm does not take, or that all
            records together do not meet.
        """
