"""What is asked for: a frozen request that refuses what contradicts itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from server.reading.table import quoted
from shared.errors import InputError

StageProgress = Callable[[str, int, int], None]
Missing = Literal["refuse", "drop", "category"]
Breach = Literal["none", "p3m", "dream"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for.

    Parameters
    ----------
    quasi_identifiers, confidential, drop : tuple of str
        Columns to mask; to look after in the report; to leave out of the written file.
    k : int
    method : str
    options : mapping
        Of the method.
    nominal, numeric : tuple of str
        Quasi-identifiers that are to be taken so against the file's own kind.
    missing : {"refuse", "drop", "category"}
        Records without a quasi-identifier: refuse the file, leave them out, or (nominal attributes only) take
        the gap as a category of its own.
    refine : bool
        Lower the loss of any method's groups by moves and swaps of records.
    dependence : float or None
        lambda in (0, 1]: how much the numeric confidential attributes count in grouping, so that what they
        have to do with the quasi-identifiers is kept; their diversity within groups falls.
    breach : {"none", "p3m", "dream"}
        Prevention of proximity breaches.
    minimum_distance, trade_off : float
        Its parameters, in standard deviations.
    unrounded : bool
        Publish means as they are. Otherwise whole numbers stay whole, and text files keep their decimals.
    seed : int or None
    """

    quasi_identifiers: tuple[str, ...]
    k: int
    method: str
    confidential: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    missing: Missing = "refuse"
    refine: bool = False
    dependence: float | None = None
    breach: Breach = "none"
    minimum_distance: float = 0.1
    trade_off: float = 0.5
    unrounded: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        roles = [*self.quasi_identifiers, *self.confidential, *self.drop]
        double = next((name for name in roles if roles.count(name) > 1), None)
        if not self.quasi_identifiers:
            raise InputError("there is no quasi-identifier", expected="at least one column")
        if double is not None:
            raise InputError(f"the column {quoted(double)} is named twice", expected="one role a column")
        for name in (*self.nominal, *self.numeric):
            if name not in self.quasi_identifiers:
                raise InputError(f"{quoted(name)} is not among the quasi-identifiers")
        if self.dependence is not None:
            if not 0 < self.dependence <= 1:
                raise InputError("--dependence lies above 0 and up to 1")
            if not self.confidential:
                raise InputError("--dependence needs numeric confidential attributes")
        if both := set(self.nominal) & set(self.numeric):
            raise InputError(f"{quoted(min(both))} cannot be both nominal and numeric")
