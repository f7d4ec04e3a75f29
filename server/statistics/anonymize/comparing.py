"""What `roomful evaluate` does, from files to figures and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from server.executor import THREADS, Executor
from server.files import PRIVATE, write_file
from server.progress import StageProgress, stage
from server.statistics.anonymize.destinations import check_destinations
from server.statistics.anonymize.evaluation import Evaluation, Settings
from server.statistics.anonymize.exposure import disclosed
from server.statistics.anonymize.hierarchy import read_hierarchies
from server.statistics.anonymize.measuring import evaluate
from server.statistics.anonymize.ordinal import Orders, orders_of
from server.statistics.anonymize.people import Participation, people_of
from server.statistics.anonymize.preparation import (
    refuse_doubtful_confidential,
    sampling_weights,
)
from server.statistics.anonymize.report import evaluation_report
from server.statistics.anonymize.risk_file import members_of, risk_list
from server.tables.data_file import DataFile
from server.tables.doubts import refuse_doubtful
from server.tables.files import Reading, form_of, open_data
from server.wording import quoted
from shared.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What `evaluate_files` is asked for.

    Attributes
    ----------
    quasi_identifiers, confidential, nominal : tuple of str
    ordinal : mapping of column to order
    counts : str
        Column of the original that says how many people a record stands for; empty if each is one.
    person, household, sampling_weight : str
        Columns of the original, as `request.Request` has them.
    k : int or None
        With ``participation``: fewest participants that protect.
    participation : Participation or None
    hierarchies : mapping of column to Path
        Of confidential attributes, and of quasi-identifiers that were generalized.
    """

    quasi_identifiers: tuple[str, ...]
    confidential: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    ordinal: Orders = field(default_factory=dict)
    counts: str = ""
    person: str = ""
    household: str = ""
    sampling_weight: str = ""
    k: int | None = None
    participation: Participation | None = None
    hierarchies: Mapping[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.quasi_identifiers:
            raise InputError("there is no quasi-identifier", expected="at least one column")
        columns = (*self.quasi_identifiers, *self.confidential)
        if stray := next((name for name in self.nominal if name not in columns), None):
            raise InputError(f"{quoted(stray)} is not a quasi-identifier or confidential", where="--nominal")
        if (self.k is None) != (self.participation is None):
            raise InputError(
                "--k and --participation, or --participation-column, mean something only together",
                expected="both, to measure how often classes fail, or neither",
            )
        if both := sorted({*self.nominal} & {*self.ordinal}):
            raise InputError(f"{quoted(both[0])} is ordinal, so it cannot be nominal as well")


def evaluate_files(
    original: Path,
    masked: Path,
    asked: Comparison,
    *,
    settings: Settings | None = None,
    report: Path | None = None,
    risk_file: Path | None = None,
    command: str = "",
    progress: StageProgress | None = None,
    reading: Reading | None = None,
    executor: Executor = THREADS,
) -> Evaluation:
    """Measure a masked file that any program may have made.

    Parameters
    ----------
    settings : Settings, optional
        Orders and hierarchies are added to it.
    report, risk_file : Path, optional
        To write.
    reading : Reading, optional
        Each option goes to the files of its format.
    executor : Executor
        Who measures.

    Raises
    ------
    InputError
        For files or columns that cannot be compared.
    """
    along, others = read_hierarchies(asked.hierarchies, asked.quasi_identifiers, asked.confidential)
    written = [path for path in (report, risk_file) if path is not None]
    trees_read = [("--hierarchy", path) for path in asked.hierarchies.values()]
    check_destinations(written, [("ORIGINAL", original), ("MASKED", masked), *trees_read])
    before, after = _opened((original, masked), reading or Reading(), progress)
    orders = orders_of(
        before,
        (*asked.quasi_identifiers, *asked.confidential),
        given=asked.ordinal,
        otherwise=(*asked.nominal, *along),
    )
    categories = {*asked.nominal, *along}
    _refuse_doubts(before, after, asked, categories, orders)
    every = np.arange(before.n_records)
    result = evaluate(
        before,
        after,
        quasi_identifiers=asked.quasi_identifiers,
        confidential=asked.confidential,
        nominal=[
            name in categories or (name not in orders and before.column(name).kind != "numeric")
            for name in asked.quasi_identifiers
        ],
        people=people_of(
            before,
            None,
            k=asked.k or 1,
            counts=asked.counts,
            participation=asked.participation,
            person=asked.person,
            household=asked.household,
        ),
        settings=replace(
            settings or Settings(),
            orders=orders,
            hierarchies=others,
            generalized=along,
            weights=sampling_weights(before, asked.sampling_weight, every),
            persons=members_of(before, asked.person, every),
            households=members_of(before, asked.household, every),
            categories=tuple(name for name in asked.confidential if name in asked.nominal),
        ),
        progress=progress,
        executor=executor,
    )
    doubts = (
        *_other_order(before, after, asked.quasi_identifiers),
        *disclosed(after, asked.quasi_identifiers, asked.confidential),
    )
    result = replace(result, warnings=doubts)
    if report is not None:
        write_file(report, evaluation_report(result, name=masked.name, command=command))
    if risk_file is not None:
        risks = risk_list(result, before, person=asked.person, household=asked.household)
        write_file(risk_file, risks, mode=PRIVATE)
    return result


def _refuse_doubts(
    before: DataFile, after: DataFile, asked: Comparison, categories: Collection[str], orders: Orders
) -> None:
    """Refuse columns in which one odd text makes categories of numbers: nobody said what they are."""
    for name in asked.quasi_identifiers:
        if name not in categories and name not in orders:
            refuse_doubtful(before.column(name), before)
            if before.column(name).kind == "numeric" and after.column(name).kind == "numeric":
                refuse_doubtful(after.column(name), after)
    for name in asked.confidential:
        refuse_doubtful_confidential(before, name, asked.nominal, orders)


def _other_order(before: DataFile, after: DataFile, masked: Sequence[str]) -> tuple[str, ...]:
    """A warning if columns beside the masked ones hold the same values in another order."""
    moved = []
    for name in before.names:
        if name not in masked and name in after.names:
            old, new = before.column(name).texts.tolist(), after.column(name).texts.tolist()
            if old != new and Counter(old) == Counter(new):
                moved.append(quoted(name))
    if not moved:
        return ()
    return (
        f"{', '.join(moved)} of {after.source} holds the values of {before.source} in another order. If it "
        "is the records that stand in another order, all figures are wrong. `roomful anonymize` writes "
        "another order unless it is told --keep-order.",
    )


def _opened(paths: tuple[Path, Path], reading: Reading, progress: StageProgress | None) -> list[DataFile]:
    forms = [form_of(path) for path in paths]
    if stray := reading.misplaced(forms):
        raise InputError(f"--{stray[0]} is for {stray[1]}, and neither file is", where=str(paths[0]))
    return [
        open_data(path, reading.of(form), progress=stage(progress, "reading"))
        for path, form in zip(paths, forms, strict=True)
    ]
