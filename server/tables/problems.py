"""Several problems in one error: an organizer corrects a file once, not once per line."""

from __future__ import annotations

from typing import Final

from shared.errors import InputError, ModelFileError

SHOWN: Final = 10


class Problems:
    """Collects what is wrong with a file and raises it together.

    Only the first ``SHOWN`` problems are kept in full; all are counted.

    Parameters
    ----------
    source : str
        The file.
    heading : str
        What the counted things have in common; follows their number.
    """

    def __init__(self, source: str, heading: str = "values cannot be used") -> None:
        self.source = source
        self.heading = heading
        self.total = 0
        self._hides = False
        self._shown: list[str] = []
        self._remedies: list[str] = []

    def add(self, message: str, *, place: str, expected: str = "", remedy: str = "", times: int = 1) -> None:
        """Note a problem.

        Parameters
        ----------
        message : str
            What is wrong, without its place.
        place : str
            Line and column.
        expected, remedy : str
            As in the error classes; equal ones are said once.
        times : int
            In how many cells of the file this same problem stands.
        """
        self.total += times
        if len(self._shown) >= SHOWN:
            self._hides = True
            return
        others = times - 1
        also = f" (and in {others} more {'record' if others == 1 else 'records'})" if others else ""
        tail = f"; expected {expected}" if expected else ""
        self._shown.append(f"{place}: {message}{also}{tail}")
        if remedy and remedy not in self._remedies:
            self._remedies.append(remedy)

    def raise_if_any(self, kind: type[InputError] = ModelFileError) -> None:
        """Raise one error with every problem noted so far.

        Raises
        ------
        InputError
            Of the class given, if there was a problem. Its ``where`` is the file, its message lists the first
            problems with their places and says how many there are.
        """
        if not self.total:
            return
        remedy = " ".join(self._remedies)
        if len(self._shown) == 1:
            raise kind(self._shown[0], where=self.source, remedy=remedy)
        lines = "".join(f"\n  {line}" for line in self._shown)
        heading = f"{self.total} {self.heading}"
        if self._hides:
            heading += f"; the first {len(self._shown)} problems are"
        raise kind(f"{heading}:{lines}", where=self.source, remedy=remedy)
