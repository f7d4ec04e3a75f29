"""What is asked for: a frozen request that refuses what contradicts itself."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from server.statistics.anonymize.constraints import Constraints
from server.statistics.anonymize.hierarchy import Hierarchy
from server.statistics.anonymize.ordinal import Orders
from server.statistics.anonymize.people import Participation
from server.statistics.anonymize.rounding import Digits
from server.wording import quoted
from shared.errors import InputError

Missing = Literal["refuse", "drop", "category"]
Breach = Literal["none", "p3m", "p3m-record"]

LARGEST_UNCUT: Final = 2_000_000
"""Records that are grouped whole unless districts are asked for."""

DISTRICT: Final = 200_000
"""Most records of a district of a larger file."""

FEWEST_GROUPS: Final = 20
"""Of k records that a district of the size that is asked for could hold: in fewer, most lie at a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """Parameters of P3M.

    Attributes
    ----------
    common : float
        Minimum distance, in standard deviations.
    by_attribute : mapping of str to float
        Minimum distances of single attributes; P3M only.
    file, importances : Path or None
        Files with a minimum distance, or an importance, per value (p3m) or record (p3m-record).
    trade_off : float
        0 only distance, near 1 only little loss.
    """

    common: float = 0.1
    by_attribute: Mapping[str, float] = field(default_factory=dict)
    file: Path | None = None
    importances: Path | None = None
    trade_off: float = 0.5

    @classmethod
    def parse(
        cls,
        breach: Breach,
        minimum_distance: Sequence[str],
        minimum_distances: Path | None,
        importances: Path | None,
        trade_off: float | None,
    ) -> Distances:
        """Read the options of a command line; refused where no P3M was asked for.

        Parameters
        ----------
        minimum_distance : sequence of str
            ``0.1`` for all, ``NAME=0.3`` for one attribute.
        """
        given = {
            "--minimum-distance": bool(minimum_distance),
            "--minimum-distances": minimum_distances is not None,
            "--importances": importances is not None,
            "--trade-off": trade_off is not None,
        }
        if breach == "none" and (stray := next((name for name, there in given.items() if there), None)):
            raise InputError(f"{stray} means nothing without --breach p3m or p3m-record")
        common: list[float] = []
        single: dict[str, float] = {}
        for text in minimum_distance:
            name, equals, number = text.rpartition("=")
            if (equals and name in single) or (not equals and common):
                raise InputError(f"the distance {text!r} is a second one", where="--minimum-distance")
            value = _distance(number)
            if equals:
                single[name] = value
            else:
                common.append(value)
        return cls(
            common=common[0] if common else 0.1,
            by_attribute=single,
            file=minimum_distances,
            importances=importances,
            trade_off=0.5 if trade_off is None else trade_off,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked for.

    Attributes
    ----------
    quasi_identifiers, confidential, drop : tuple of str
        Columns to mask; to look after in the report; to leave out of the written file.
    k : int
    method : str
    options : mapping
        Of the method.
    nominal, numeric : tuple of str
        Quasi-identifiers (``nominal``: and confidential attributes) that are to be taken so against
        the kind that the file has.
    ordinal : mapping of column to order
        Quasi-identifiers and confidential attributes whose values have an order; see `ordinal.orders_of`.
    counts : str
        Column that says how many people a record stands for; empty if each is one.
    person, household : str
        Column that names the person, or household, of a record; groups hold all records of one together, and
        ``k`` counts households where they are named, else persons. Neither column is published.
    sampling_weight : str
        Column of real numbers: how many people of a population a record stands for. They enter the estimated
        risk alone: neither ``k`` nor means, which a record of great weight would dominate.
    participation : Participation or None
        How likely people are to take part; then k counts participants, not records.
    missing : {"refuse", "drop", "category"}
        Records without a quasi-identifier: refuse the file, leave them out, or take the gap as a category of
        its own; records that lack the same numbers are grouped among themselves.
    median : tuple of str
        Numeric quasi-identifiers whose groups publish the median and not the mean, as ordinal ones always do.
    restore_variance : bool
        Move the means of groups away from the mean of all, until numbers have the variance of the original.
    hierarchies : mapping of column to Hierarchy
        Quasi-identifiers that are cut along a hierarchy and publish its nodes.
    constraints : Constraints
        What every group keeps of every confidential attribute.
    refine : bool
        Lower the loss of any method's groups by moves and swaps of records.
    effort : int
        With `refine`: so many hundred further trials for each record; more loses less.
    dependence : float or None
        lambda in [0, 1]: how much the numeric and ordinal confidential attributes count in grouping, so that
        what they have to do with the quasi-identifiers is kept; their diversity within groups falls.
    blocks : tuple of tuples of str
        Divide the quasi-identifiers into blocks and group the records for each block on its own.
    breach : {"none", "p3m", "p3m-record"}
        Prevention of proximity breaches.
    distances : Distances
        Its parameters.
    digits : Digits
        Decimals of published numbers, where they are not those of the column.
    unrounded : bool
        Publish means as they are.
    keep_order : bool
        Write the records in the order of the file, which gives values away; see `data_file.DataFile.order`.
    seed : int or None
    district : int or None
        Most records of a district, within which records are grouped; 0 to group the file whole, None for what
        `district_of` says.
    """

    quasi_identifiers: tuple[str, ...]
    k: int
    method: str
    confidential: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ordinal: Orders = field(default_factory=dict)
    counts: str = ""
    person: str = ""
    household: str = ""
    sampling_weight: str = ""
    participation: Participation | None = None
    missing: Missing = "refuse"
    median: tuple[str, ...] = ()
    restore_variance: bool = False
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    constraints: Constraints = field(default_factory=Constraints)
    refine: bool = False
    effort: int = 0
    dependence: float | None = None
    blocks: tuple[tuple[str, ...], ...] = ()
    breach: Breach = "none"
    distances: Distances = field(default_factory=Distances)
    digits: Digits = field(default_factory=Digits)
    unrounded: bool = False
    keep_order: bool = False
    seed: int | None = None
    district: int | None = None

    def district_of(self, n: int) -> int:
        """Most records of a district of n records, or 0 if they are grouped whole."""
        most = (DISTRICT if n > LARGEST_UNCUT else 0) if self.district is None else self.district
        return most if n > most else 0

    @property
    def participation_column(self) -> str:
        """Column of participation probabilities, or empty. It is never published."""
        return "" if self.participation is None else self.participation.column

    @property
    def unpublished(self) -> tuple[str, ...]:
        """Columns that are read, and never published."""
        return tuple(name for name in (self.participation_column, self.person, self.household) if name)

    @property
    def named(self) -> frozenset[str]:
        """Columns that have a role, and the empty name of roles that no column has."""
        own = (self.counts, self.sampling_weight, *self.unpublished)
        return frozenset((*self.quasi_identifiers, *self.confidential, *self.drop, *own))

    def __post_init__(self) -> None:
        self._check_roles()
        self._check_kinds()
        self._check_grouping()
        self._check_publishing()
        self._check_breach()

    def _check_roles(self) -> None:
        """One role a column."""
        roles = [*self.quasi_identifiers, *self.confidential, *self.drop]
        roles += [name for name in (self.counts, self.sampling_weight, *self.unpublished) if name]
        double = next((name for name in roles if roles.count(name) > 1), None)
        if not self.quasi_identifiers:
            raise InputError("there is no quasi-identifier", expected="at least one column")
        if double is not None:
            raise InputError(f"the column {quoted(double)} is named twice", expected="one role a column")
        if self.counts and (self.person or self.household):
            raise InputError(
                "--counts says that a record stands for several people, --person that several stand for one",
                expected="one of them",
            )

    def _check_kinds(self) -> None:
        """One kind an attribute: a number, a category, an order, or the leaves of a hierarchy."""
        require_quasi_identifiers(self.numeric, self.quasi_identifiers, "--numeric")
        for name in self.nominal:
            if name not in (*self.quasi_identifiers, *self.confidential):
                raise InputError(f"{quoted(name)} is neither a quasi-identifier nor confidential")
        kinds = [*set(self.nominal), *set(self.numeric), *self.ordinal]
        if both := sorted(name for name in kinds if kinds.count(name) > 1):
            raise InputError(
                f"{quoted(both[0])} cannot be both nominal and numeric"
                if both[0] not in self.ordinal
                else f"{quoted(both[0])} is ordinal, so it cannot be nominal or numeric as well"
            )
        require_quasi_identifiers(self.hierarchies, self.quasi_identifiers, "--hierarchy")
        for name in self.hierarchies:
            if name in (*self.numeric, *self.ordinal, *self.median):
                raise InputError(
                    f"{quoted(name)} publishes nodes of its hierarchy, so it is neither a number nor ordered",
                    where="--hierarchy",
                )

    def _check_grouping(self) -> None:
        """How records are grouped, and what every group must keep."""
        if self.effort and not self.refine:
            raise InputError("effort is spent on refining", where="--effort", remedy="Add --refine.")
        if self.hierarchies and self.refine:
            raise InputError(
                "--refine moves records between groups by distance, and not along a hierarchy",
                remedy="Leave --refine or --hierarchy out.",
            )
        if self.district and self.district < FEWEST_GROUPS * self.k:
            raise InputError(
                f"in districts of {self.district} records most groups of {self.k} would lie at a cut",
                where="--district",
                expected=f"at least {FEWEST_GROUPS * self.k} records, or 0 to group the file whole",
            )
        if self.district and self.constraints.given:
            raise InputError(
                "--l-diversity, --recursive-diversity and --t-closeness unite groups wherever they are near",
                where="--district",
                remedy="Leave --district out.",
            )
        if self.dependence is not None:
            if not 0 <= self.dependence <= 1:
                raise InputError("--dependence lies between 0 and 1")
            if not self.confidential:
                raise InputError("--dependence needs numeric confidential attributes")
        if self.constraints.given and (not self.confidential or self.blocks):
            raise InputError(
                "--l-diversity, --recursive-diversity and --t-closeness are about confidential attributes in"
                " the groups of all quasi-identifiers",
                expected="--confidential, and no --block",
            )
        checked_blocks(self.blocks, self.quasi_identifiers)

    def _check_publishing(self) -> None:
        """What stands for a group in the masked file."""
        for name in self.median:
            if name not in self.quasi_identifiers or name in self.nominal:
                raise InputError(
                    f"{quoted(name)} is no numeric or ordinal quasi-identifier", where="--median"
                )
        if self.unrounded and self.digits.given:
            raise InputError(
                "--unrounded and --digits contradict each other", remedy="Leave one of them out."
            )
        require_quasi_identifiers(self.digits.by_attribute, self.quasi_identifiers, "--digits")

    def _check_breach(self) -> None:
        """What keeps published values apart from the true ones goes with."""
        if self.median and self.breach != "none":
            raise InputError("--breach moves means, and --median publishes none", expected="one of them")
        if self.restore_variance and self.breach != "none":
            raise InputError("--breach keeps the variance already", remedy="Leave --restore-variance out.")
        if self.blocks and self.breach == "p3m-record":
            raise InputError(
                "--breach p3m-record keeps whole records apart, and blocks publish parts of records",
                remedy="Use --breach p3m, which keeps single values apart, or leave --block out.",
            )
        if self.breach == "p3m-record" and self.distances.by_attribute:
            name = next(iter(self.distances.by_attribute))
            raise InputError(
                f"--breach p3m-record knows one distance for the whole record, none for {quoted(name)}",
                remedy="Use --breach p3m, or give one number.",
            )
        require_quasi_identifiers(self.distances.by_attribute, self.quasi_identifiers, "--minimum-distance")


def _distance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(
            f"{text!r} is no distance",
            where="--minimum-distance",
            expected="standard deviations, 0 or more, or NAME=NUMBER",
        )
    return value


def require_quasi_identifiers(names: Iterable[str], quasi_identifiers: Sequence[str], option: str) -> None:
    """Raise InputError for a column that an option names and that is none of the quasi-identifiers."""
    for name in names:
        if name not in quasi_identifiers:
            raise InputError(f"{quoted(name)} is not among the quasi-identifiers", where=option)


def checked_blocks(blocks: tuple[tuple[str, ...], ...], quasi_identifiers: tuple[str, ...]) -> None:
    """Raise InputError unless the blocks divide the quasi-identifiers among them (or there are none)."""
    named = [name for block in blocks for name in block]
    if not blocks:
        return
    require_quasi_identifiers(named, quasi_identifiers, "--block")
    for name in named:
        if named.count(name) > 1:
            raise InputError(f"{quoted(name)} stands in two blocks", where="--block")
    lacking = next((name for name in quasi_identifiers if name not in named), None)
    if lacking is not None:
        raise InputError(
            f"{quoted(lacking)} is in no block",
            where="--block",
            expected="every quasi-identifier in one",
            remedy=f"Add --block {lacking} to group by it alone.",
        )
    if len(blocks) == 1 or not all(blocks):
        raise InputError(
            "one block of all quasi-identifiers is what happens without --block",
            where="--block",
            expected="two blocks or more, none empty",
        )
