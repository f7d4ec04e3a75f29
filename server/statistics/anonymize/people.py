"""The people behind a file: how many a group must hold, k or as many as uncertain participation asks for.

With participation a group is safe when the chance that fewer than k of its people take part, though somebody
does, stays below an acceptable failure (`shared.effective_anonymity`). Probabilities that differ between
people are rounded down to the published grid of 0.05 first, as in the design of a survey.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import FloatArray, IntArray
from server.statistics.measures.measure import Measure
from server.statistics.measures.participation import participant_failures
from server.statistics.microaggregation.geometry import sums_by_label
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.size_rules import size_rule_of
from server.tables.column import DataColumn
from server.tables.data_file import DataFile
from server.wording import quoted
from shared.decimals import parse_probability
from shared.effective_anonymity import n_min, n_min_safe, table_failure, worst_cell_metrics
from shared.errors import DesignError, InputError
from shared.metrics import Metrics
from shared.participation import GRID, ParticipationLevel, published_level

MOST_PEOPLE: Final = 5_000_000
"""People behind a file with counts: measures look at each of them."""

_LARGEST_K: Final = 1000
_SOURCE: Final = "Anonymization of surveys with uncertain participation, section VI.A"


@dataclass(frozen=True, slots=True, kw_only=True)
class Participation:
    """How likely people are to take part, as it is asked for.

    Attributes
    ----------
    level : ParticipationLevel or None
        The same for everybody, a value or a range.
    column : str
        Otherwise the column that holds each record's probability.
    failure : str
        Acceptable failure of a group; empty where groups are only measured.
    """

    level: ParticipationLevel | None = None
    column: str = ""
    failure: str = ""

    @classmethod
    def parse(
        cls, even: str | None, column: str, failure: str | None, *, judged: bool
    ) -> Participation | None:
        """Read the options of a command line; None if there are none.

        Parameters
        ----------
        even : str or None
            ``0.5`` or ``0.4..0.6``.
        column : str
        failure : str or None
        judged : bool
            Whether an acceptable failure is needed.

        Raises
        ------
        InputError
            For options that lack their partner, both sources, or numbers that are no probabilities.
        """
        if even is None and not column:
            if failure is not None:
                raise InputError(
                    "--acceptable-cell-failure means nothing without --participation or "
                    "--participation-column"
                )
            return None
        if even is not None and column:
            raise InputError("--participation and --participation-column exclude each other")
        if judged and failure is None:
            raise InputError(
                "participation needs --acceptable-cell-failure: how often a group may fail",
                expected="a probability, such as 1e-6",
            )
        low, _, high = (even or "1").partition("..")
        texts = {"--participation": (low, high or low), "--acceptable-cell-failure": (failure or "1",)}
        for where, parts in texts.items():
            for text in parts:
                if parse_probability(text) is None:
                    raise InputError(
                        f"{text[:40]!r} is no probability", where=where, expected="a decimal above 0, up to 1"
                    )
        if Fraction(low) > Fraction(high or low):
            raise InputError("the range is upside down", where="--participation", expected="LOW..HIGH")
        level = None if even is None else ParticipationLevel(low=low, high=high or low)
        return cls(level=level, column=column, failure=failure or "")


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """The people behind the records of a file, and how many of them a group must hold.

    Attributes
    ----------
    k : int
    by_level : int array, shape (n, L)
        People behind each record, by participation level (L = 1 without participation).
    levels : tuple of ParticipationLevel
        Empty without participation.
    failure : str
        Acceptable failure; empty if groups are only measured.
    units : int array, shape (n,), or None
        Person or household of each record, 0..u-1, where one has several records; then ``k`` counts them.
    unit : str
        The word for them.
    """

    k: int
    by_level: IntArray
    levels: tuple[ParticipationLevel, ...] = ()
    failure: str = ""
    units: IntArray | None = None
    unit: str = ""

    @cached_property
    def smallest(self) -> tuple[int, ...]:
        """n_min at each level: the effective anonymity."""
        return tuple(n_min(self.k, level, self.failure) for level in self.levels)

    @cached_property
    def rule(self) -> SizeRule:
        """What a group must hold.

        Raises
        ------
        DesignError
            If no group is large enough.
        """
        if not self.levels:
            return SizeRule.of_k(self.k)
        try:
            safe = [n_min_safe(self.k, level, self.failure) for level in self.levels]
        except ValueError as error:
            raise DesignError(
                str(error),
                where="--participation",
                remedy="Expect more participation, or accept more failure.",
            ) from None
        return size_rule_of(self.k, self.failure, self.levels, safe)

    @property
    def counts(self) -> IntArray | None:
        """People per record, or None if each is one person."""
        total = np.asarray(self.by_level.sum(axis=1), dtype=np.int64)
        return None if bool((total == 1).all()) else total

    @property
    def chances(self) -> FloatArray:
        """Published chance of each record's people to take part (the low end of a range)."""
        low = np.array([float(Fraction(level.low)) for level in self.levels])
        return np.asarray(self.by_level @ low / self.by_level.sum(axis=1), dtype=np.float64)

    @property
    def weights(self) -> FloatArray | IntArray | None:
        """What each record counts in a mean: its people who are expected to take part, where that is uneven.

        Otherwise its people; None if each is one person.
        """
        if len(self.levels) < 2:
            return self.counts
        return np.asarray(self.by_level.sum(axis=1) * self.chances, dtype=np.float64)

    def of(self, rows: IntArray) -> People:
        """Those behind some of the records."""
        units = None if self.units is None else self.units[rows]
        return replace(self, by_level=self.by_level[rows], units=units)

    def of_units(self) -> People:
        """Persons or households, each once."""
        if self.units is None:
            return self
        return replace(self, by_level=np.ones((int(self.units.max()) + 1, 1), dtype=np.int64), units=None)

    def held(self, labels: IntArray) -> IntArray:
        """Head counts of the groups by level: of people, or of distinct persons or households."""
        groups = int(labels.max()) + 1
        if self.units is None:
            return sums_by_label(self.by_level, labels, groups)
        width = int(self.units.max()) + 1
        pairs = np.unique(labels.astype(np.int64) * width + self.units)
        return np.bincount(pairs // width, minlength=groups).astype(np.int64)[:, None]

    def check(self) -> None:
        """Raise InputError if all records together are too few for one group."""
        if self.units is not None:
            self.of_units().check()
            return
        total = int(self.by_level.sum())
        if self.rule.acceptable(self.by_level.sum(axis=0)):
            return
        who = self.unit or ("records" if self.counts is None else "people")
        if not self.levels:
            raise InputError(
                f"there are {total} {who}, fewer than k = {self.k}",
                remedy="Choose a smaller k, or more records.",
            )
        needed = " or ".join(str(n) for n in sorted(set(self.rule.minimum)))
        raise InputError(
            f"there are {total} {who}; with this participation a group needs {needed}",
            remedy="Choose a smaller k, accept more failure, or give more records.",
        )

    def failing(self, labels: IntArray) -> IntArray:
        """Numbers of the groups that the rule refuses, those without records left out."""
        held = self.held(labels)
        occurring = np.flatnonzero(held.sum(axis=1))
        if not self.levels or len(self.levels) == 1:
            few = held[occurring].sum(axis=1) < self.rule.minimum[0]
            return np.asarray(occurring[few], dtype=np.int64)
        return np.array([g for g in occurring.tolist() if not self.rule.acceptable(held[g])], dtype=np.int64)

    def enough(self, rows: IntArray) -> bool:
        """Whether the people of some records are enough for a group."""
        return self.rule.acceptable(self.by_level[rows].sum(axis=0))

    def for_algorithm(self, *, uneven: bool) -> tuple[SizeRule, IntArray | None]:
        """The rule and the counts to give to an algorithm.

        Parameters
        ----------
        uneven : bool
            Whether the algorithm itself asks about head counts per level. To others a person of level l
            weighs 1 / n_min_safe(l) of a group, which is a guide; `failing` judges afterwards.
        """
        if self.rule.levels == 1:
            return self.rule, self.counts
        if uneven:
            return self.rule, self.by_level
        mass, enough = self.rule.mass(self.by_level)
        return SizeRule.of_k(enough), mass

    def measures(self, labels: IntArray) -> tuple[Measure, ...]:
        """How often the classes fail: the worst one, whoever takes part, and the whole table.

        Higher is unsafe, throughout; empty without participation.
        """
        if not self.levels:
            return ()
        held = self.held(labels)
        distinct, times = np.unique(held[held.sum(axis=1) > 0], axis=0, return_counts=True)
        found = [worst_cell_metrics(tuple(row), self.levels, self.k) for row in distinct.tolist()]
        failures = [metrics.attained_cell_failure for metrics in found]
        whole = [failure for failure, n in zip(failures, times.tolist(), strict=True) for _ in range(n)]
        figures = {
            "failure for a participant, worst class": max(
                m.record_failure_given_participation for m in found
            ),
            **_persons(distinct.tolist(), found, self.levels, self.k),
            "attained failure, worst class": max(failures),
            "failure of the table": table_failure(whole),
        }
        return tuple(
            Measure(name=name, value=float(value), direction="higher is unsafe", source=_SOURCE)
            for name, value in figures.items()
        )


def _persons(
    classes: list[list[int]], found: list[Metrics], levels: tuple[ParticipationLevel, ...], k: int
) -> dict[str, Decimal]:
    """Of uneven participation, r' over the people of the class that is worst for those who take part."""
    if len(levels) < 2:
        return {}
    worst = max(range(len(found)), key=lambda i: found[i].record_failure_given_participation)
    persons = participant_failures(classes[worst], [level.low for level in levels], k)
    return {
        "failure for a participant, mean over people, worst class": persons.mean,
        "failure for the worst-off person who takes part": persons.worst,
    }


def people_of(
    file: DataFile,
    rows: IntArray | None,
    *,
    k: int,
    counts: str,
    participation: Participation | None,
    person: str = "",
    household: str = "",
) -> People:
    """The people behind some records of a file.

    Raises
    ------
    InputError
        Naming the record, for counts that are no whole numbers from 1 on, or probabilities outside (0, 1] or
        below the grid; for more people than can be measured.
    """
    kept = np.arange(file.n_records) if rows is None else rows
    if person or household:
        units = _units(file, kept, person, household)
        ones = np.ones((len(kept), 1), dtype=np.int64)
        even = None if participation is None else participation.level
        if participation is not None and (even is None or k > _LARGEST_K):
            raise InputError(
                "with --person or --household participation is the same for all",
                where="--participation-column",
                expected=f"--participation, and k up to {_LARGEST_K}",
            )
        return People(
            k=k,
            by_level=ones,
            levels=() if even is None else (even,),
            failure="" if participation is None else participation.failure,
            units=units,
            unit="households" if household else "persons",
        )
    people = np.ones(len(kept), dtype=np.int64)
    if counts:
        numbers = _numbers(file, counts)[kept]
        bad = ~((numbers >= 1) & (numbers == np.rint(numbers)) & (numbers < 2**53))
        _refuse(file, counts, kept, bad, "a whole number from 1 on: how many people the record stands for")
        people = numbers.astype(np.int64)
        if int(numbers.sum()) > MOST_PEOPLE:
            raise InputError(
                f"{quoted(counts)} adds up to {numbers.sum():.0f} people",
                where=file.source,
                expected=f"at most {MOST_PEOPLE}",
            )
    if participation is None:
        return People(k=k, by_level=people[:, None])
    if k > _LARGEST_K:
        raise InputError(f"k = {k} with participation", expected=f"k up to {_LARGEST_K}", where="--k")
    if participation.level is not None:
        return People(
            k=k, by_level=people[:, None], levels=(participation.level,), failure=participation.failure
        )
    column = file.column(participation.column)
    levels, level = _levels(file, column, kept)
    table = np.zeros((len(kept), len(levels)), dtype=np.int64)
    table[np.arange(len(kept)), level] = people
    return People(k=k, by_level=table, levels=levels, failure=participation.failure)


def _units(file: DataFile, rows: IntArray, person: str, household: str) -> IntArray:
    """Household of each record, or its person, as numbers from 0."""
    found = {}
    for option, name in (("--person", person), ("--household", household)):
        if name:
            column = file.column(name)
            bad = column.missing[rows]
            _refuse(file, name, rows, bad, f"a value in every record, since {option} names it")
            found[option] = np.unique(column.codes[rows], return_inverse=True)[1].reshape(-1).astype(np.int64)
    if len(found) == 2:
        persons, households = found["--person"], found["--household"]
        _, first, inverse = np.unique(persons, return_index=True, return_inverse=True)
        _refuse(
            file,
            household,
            rows,
            households[first][inverse.reshape(-1)] != households,
            "the household of an earlier record of the same person",
        )
    return found.get("--household", found.get("--person", np.arange(len(rows))))


def _levels(
    file: DataFile, column: DataColumn, rows: IntArray
) -> tuple[tuple[ParticipationLevel, ...], IntArray]:
    """Published levels, ascending, and each record's."""
    texts = column.texts[rows]
    distinct = sorted({str(text or "") for text in texts.tolist()})
    rates = {text: parse_probability(text.replace(",", ".")) for text in distinct}
    published = {text: "" if rate is None else published_level(rate) or "" for text, rate in rates.items()}
    bad = np.array([not published[text or ""] for text in texts.tolist()], dtype=bool)
    _refuse(
        file,
        column.name,
        rows,
        bad,
        f"a probability from {float(GRID)} to 1; it is rounded down to that grid",
    )
    names = sorted(set(published.values()), key=Fraction)
    index = {name: position for position, name in enumerate(names)}
    level = np.array([index[published[text]] for text in texts.tolist()], dtype=np.int64)
    return tuple(ParticipationLevel(low=name, high=name) for name in names), level


def _numbers(file: DataFile, name: str) -> FloatArray:
    column = file.column(name)
    if column.numbers is None:
        raise InputError(f"the column {quoted(name)} holds values that are no numbers", where=file.source)
    return column.numbers


def _refuse(file: DataFile, name: str, rows: IntArray, bad: NDArray[np.bool_], expected: str) -> None:
    if bad.any():
        row = int(rows[np.argmax(bad)])
        text = file.column(name).texts[row]
        raise InputError(
            f"{quoted(name)} is {quoted(text) if text is not None else 'missing'}"
            + (f", and {int(bad.sum()) - 1} more records have such" if bad.sum() > 1 else ""),
            where=file.where(row),
            expected=expected,
        )
