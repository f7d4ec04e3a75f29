"""What `roomful anonymize` and `evaluate` do, from files to files."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.executor import THREADS, Executor
from server.files import PRIVATE, clear_abandoned, held_folder, write_file
from server.progress import StageProgress
from server.statistics.anonymize.evaluation import Evaluation, Settings, evaluate
from server.statistics.anonymize.exposure import digest, disclosed, masked_before, warnings_of
from server.statistics.anonymize.hierarchy import Hierarchy, read_hierarchy
from server.statistics.anonymize.masking import Masked, mask
from server.statistics.anonymize.ordinal import Orders, orders_of
from server.statistics.anonymize.people import Participation, people_of
from server.statistics.anonymize.preparation import (
    prepare,
    refuse_doubtful_confidential,
    sampling_weights,
)
from server.statistics.anonymize.report import anonymization_report, evaluation_report
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.risk_file import members_of, risk_list
from server.statistics.measures.measure import Measure
from server.tables.data_file import DataFile
from server.tables.doubts import refuse_doubtful
from server.tables.files import Reading, form_of, open_data
from server.wording import quoted
from shared.errors import InputError

_WORTH_SAYING_SECONDS: Final = 3.0
_MEASURING_SECONDS: Final = 4e-5
"""A person, for everything after grouping: measured with 10^6 records and 5 numbers."""

_HIDDEN: Final = ".masking-"
"""Begins the names of folders in which files wait until all of them are complete."""

_GAP: Final = "SSE of the groups above the least possible, at most, percent"

_HEADLINE: Final = (
    _GAP,
    "achieved k",
    "failure for a participant, worst class",
    "attained failure, worst class",
    "average chance of linkage",
    "individual risk, worst class",
    "expected re-identifications",
    "household risk, highest",
    "NCP, mean of generalized values",
    "SSE/SST",
    "expected distortion under participation",
    "PIL, percent",
    "DLD, percent",
    "satisfaction level SL, percent",
    "records at their minimum distance, percent",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a masking left behind.

    Attributes
    ----------
    files : tuple of Path
        The masked file, the report, the JSON, and the list of risks where it was asked for.
    document : mapping
        What the JSON holds.
    headline : tuple of (str, Measure)
        The figures to print; the text says of which block they are, and is empty without blocks.
    warnings : tuple of str
    """

    files: tuple[Path, ...]
    document: Mapping[str, object]
    headline: tuple[tuple[str, Measure], ...]
    warnings: tuple[str, ...]


def anonymize_file(
    path: Path,
    out: Path,
    request: Request,
    *,
    known: Sequence[str] = (),
    hierarchies: Mapping[str, Path] | None = None,
    risk_file: Path | None = None,
    command: str = "",
    announce: Callable[[str], None] | None = None,
    progress: StageProgress | None = None,
    reading: Reading | None = None,
    executor: Executor = THREADS,
) -> Run:
    """Mask a file, measure what was written, and write report and JSON beside it.

    Parameters
    ----------
    hierarchies : mapping of column to Path, optional
        Of confidential attributes, for t-closeness, and of quasi-identifiers, to generalize along.
    risk_file : Path, optional
        List of the risk of each record to write.
    announce : callable, optional
        Told how long it will take, if that is more than a few seconds.
    executor : Executor
        Who groups districts and measures.

    Raises
    ------
    InputError, DesignError
        With nothing written.

    Notes
    -----
    Guarantee: all files appear together, when all of them are complete; until then they stand in a
    hidden folder beside ``out``, which is removed whatever happens; that of a process that was killed is
    removed by the next masking into the same folder, which says so.
    """
    _check_names("--known", known, request.quasi_identifiers, "among the quasi-identifiers")
    trees = _hierarchies(hierarchies, (*request.confidential, *request.quasi_identifiers))
    along = {name: tree for name, tree in trees.items() if name in request.quasi_identifiers}
    request = replace(request, hierarchies=along)
    given = reading or Reading()
    page, data = out.with_name(f"{out.name}.report.html"), out.with_name(f"{out.name}.json")
    distances = (
        ("--minimum-distances", request.distances.file),
        ("--importances", request.distances.importances),
    )
    trees_read = [("--hierarchy", tree) for tree in (hierarchies or {}).values()]
    wanted: tuple[Path, ...] = (out, page, data)
    if risk_file is not None:
        wanted = (*wanted, risk_file)
        _check_places((risk_file,), [("FILE", path)])
    _check_places(wanted, [*distances, *trees_read])
    if (left := clear_abandoned(out.parent, _HIDDEN)) and announce is not None:
        announce(f"Removed {', '.join(left)}: what a masking that was killed had left beside {out.name}.")
    prepared = prepare(path, out, request, given, progress=progress)
    if announce is not None and request.constraints.given and request.district_of(len(prepared.X)):
        announce(
            "Records are grouped all together, not by districts: what every group must keep unites groups "
            "all over the file."
        )
    grouping = prepared.estimate() if announce is not None else None
    if announce is not None and grouping is not None:
        seconds = grouping + _MEASURING_SECONDS * int(prepared.people.by_level.sum())
        if seconds > _WORTH_SAYING_SECONDS:
            announce(f"Grouping and measuring {len(prepared.X)} records will take about {_words(seconds)}.")
    sha256 = digest(path)
    with _unseen_folder(out) as folder:
        masked = mask(prepared, folder / out.name, progress=progress, executor=executor)
        found = (*masked.warnings, *warnings_of(masked), *masked_before(prepared.original, sha256, data))
        masked = replace(masked, prepared=prepared, warnings=found)
        written = np.searchsorted(prepared.rows, masked.rows)
        distances_written, importances_written = (
            None if given_values is None else given_values[written]
            for given_values in (prepared.distances, prepared.importances)
        )
        evaluation = evaluate(
            prepared.original,
            open_data(folder / out.name, given.again(prepared.original)),
            quasi_identifiers=request.quasi_identifiers,
            confidential=request.confidential,
            nominal=prepared.nominal,
            rows=masked.rows,
            people=prepared.people.of(written),
            settings=Settings(
                known=tuple(known),
                weights=_weights(prepared.original, request.sampling_weight, masked.rows),
                categories=tuple(name for name in request.confidential if name in request.nominal),
                orders=prepared.orders,
                hierarchies={name: tree for name, tree in trees.items() if name not in along},
                generalized=along,
                persons=members_of(prepared.original, request.person, masked.rows),
                households=members_of(prepared.original, request.household, masked.rows),
                blocks=request.blocks,
                dependence=request.dependence,
                distances=distances_written if request.breach == "p3m" else None,
                importances=importances_written if request.breach == "p3m" else None,
                record_distances=distances_written if request.breach == "p3m-record" else None,
            ),
            progress=progress,
            executor=executor,
        )
        evaluation = _with_gap(evaluation, masked)
        document = {
            "original": {"file": path.name, "sha256": sha256},
            **_described(masked),
            **evaluation.as_json(),
        }
        (folder / page.name).write_bytes(
            anonymization_report(masked, evaluation, name=out.name, sha256=sha256, command=command)
        )
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        (folder / data.name).write_text(text, encoding="utf-8")
        if risk_file is not None:
            found_risks = risk_list(
                evaluation,
                prepared.original,
                masked.rows,
                person=request.person,
                household=request.household,
            )
            write_file(risk_file, found_risks, mode=PRIVATE)
        for file in (page, data, out):
            (folder / file.name).replace(file)
    return Run(files=wanted, document=document, headline=_headline(evaluation), warnings=masked.warnings)


def _with_gap(evaluation: Evaluation, masked: Masked) -> Evaluation:
    """The evaluation, with how near refined groups are to the best ones that could be."""
    if masked.gap is None:
        return evaluation
    gap = Measure(
        name=_GAP, value=masked.gap, direction="higher loses more", source="lower bound, decision 0129"
    )
    return replace(evaluation, information=(*evaluation.information, gap))


def _headline(evaluation: Evaluation) -> tuple[tuple[str, Measure], ...]:
    """Figures to print, those of blocks first: they are what was promised."""
    found = [
        (f"block {', '.join(names)}", measure)
        for names, measures in evaluation.blocks
        for measure in measures
        if measure.name in _HEADLINE
    ]
    together = "all blocks together" if found else ""
    found += [(together, measure) for measure in evaluation.anonymity if measure.name in _HEADLINE]
    others = (*evaluation.information, *evaluation.disclosure)
    return (*found, *(("", measure) for measure in others if measure.name in _HEADLINE))


def _described(masked: Masked) -> dict[str, object]:
    """What was asked for and done, for the JSON."""
    prepared = masked.prepared
    request, people = prepared.request, prepared.people
    described: dict[str, object] = {
        "method": request.method,
        "k": request.k,
        "refined": request.refine,
        "effort": request.effort,
        "groups": int(masked.labels.max()) + 1,
        "breach": request.breach,
        "order": "kept" if request.keep_order else "of the published records",
        "decimals": {
            column.name: digits
            for column, digits in zip(prepared.columns, prepared.digits, strict=True)
            if digits is not None
        },
        "unmet": list(masked.unmet),
        "warnings": list(masked.warnings),
    }
    if masked.districts:
        described["districts"] = masked.districts
    if request.counts:
        described["counts"] = request.counts
    if request.median:
        described["median"] = list(request.median)
    if masked.factors:
        described["variance_restored"] = dict(masked.factors)
    if request.hierarchies:
        described["generalized"] = {name: tree.source for name, tree in request.hierarchies.items()}
    if request.constraints.given:
        described["every_group"] = request.constraints.described()
    for option in ("person", "household", "sampling_weight"):
        if name := getattr(request, option):
            described[option] = name
    if request.dependence is not None:
        described["dependence"] = request.dependence
    if request.blocks:
        described["blocks"] = [
            {"quasi_identifiers": list(names), "groups": int(labels.max()) + 1}
            for names, labels in zip(request.blocks, masked.groups, strict=True)
        ]
    if people.levels:
        described["acceptable_cell_failure"] = people.failure
        described["participation"] = [
            {"low": level.low, "high": level.high, "people": people, "n_min": smallest, "n_min_safe": safe}
            for level, people, smallest, safe in zip(
                people.levels,
                people.by_level.sum(axis=0).tolist(),
                people.smallest,
                people.rule.minimum,
                strict=True,
            )
        ]
    if prepared.orders:
        described["orders"] = {name: list(order) for name, order in prepared.orders.items()}
    return described


@contextmanager
def _unseen_folder(out: Path) -> Iterator[Path]:
    """A hidden folder beside a file to come, removed at the end; of a killed process, by the next one."""
    try:
        with held_folder(out, _HIDDEN) as folder:
            yield folder
    except OSError as error:
        raise InputError(
            f"the files cannot be written: {(error.strerror or str(error)).lower()}",
            where=str(out),
            remedy="Check that the folder may be written to, and that the disk has room.",
        ) from None


def _check_places(written: Sequence[Path], read: Sequence[tuple[str, Path | None]]) -> None:
    """Raise InputError, before anything is computed, if a file cannot stand where it is to be written.

    Parameters
    ----------
    written : sequence of Path
        Files to come.
    read : sequence of (name, Path or None)
        Files that are read, as messages call them; none of them is overwritten.
    """
    places = [path.resolve() for path in written]
    twice = next((path for path, place in zip(written, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise InputError("two files would be written here", where=str(twice), remedy="Give one another name.")
    for path in written:
        if not path.parent.is_dir():
            raise InputError(
                "there is no such folder", where=str(path.parent), remedy="Make it, or write elsewhere."
            )
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(
                "this folder cannot be written to",
                where=str(path.parent),
                remedy="Change its permissions, or write elsewhere.",
            )
        if path.is_dir():
            raise InputError(
                "a folder has this name", where=str(path), expected="a file to write, or nothing there yet"
            )
        for name, other in read:
            if other is not None and path.exists() and other.exists() and path.samefile(other):
                raise InputError(
                    f"this file, {name}, is read and would be overwritten",
                    where=str(path),
                    remedy="Give the file to write another name.",
                )


def _check_names(option: str, names: Iterable[str], among: Sequence[str], words: str) -> None:
    for name in names:
        if name not in among:
            raise InputError(f"{quoted(name)} is not {words}", where=option)


def _hierarchies(files: Mapping[str, Path] | None, columns: Sequence[str]) -> dict[str, Hierarchy]:
    _check_names("--hierarchy", files or (), columns, "a quasi-identifier or confidential")
    return {name: read_hierarchy(path, name) for name, path in (files or {}).items()}


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
        _check_names("--nominal", self.nominal, columns, "a quasi-identifier or confidential")
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
    trees = _hierarchies(asked.hierarchies, (*asked.confidential, *asked.quasi_identifiers))
    along = {name: tree for name, tree in trees.items() if name in asked.quasi_identifiers}
    written = [path for path in (report, risk_file) if path is not None]
    trees_read = [("--hierarchy", path) for path in asked.hierarchies.values()]
    _check_places(written, [("ORIGINAL", original), ("MASKED", masked), *trees_read])
    before, after = _opened((original, masked), reading or Reading(), progress)
    orders = orders_of(
        before,
        (*asked.quasi_identifiers, *asked.confidential),
        given=asked.ordinal,
        otherwise=(*asked.nominal, *along),
    )
    for name in asked.quasi_identifiers:
        if name not in asked.nominal and name not in orders and name not in along:
            refuse_doubtful(before.column(name), before)
            if before.column(name).kind == "numeric" and after.column(name).kind == "numeric":
                refuse_doubtful(after.column(name), after)
    for name in asked.confidential:
        refuse_doubtful_confidential(before, name, asked.nominal, orders)
    kinds = [
        name in asked.nominal
        or name in along
        or (name not in orders and before.column(name).kind != "numeric")
        for name in asked.quasi_identifiers
    ]
    every = np.arange(before.n_records)
    result = evaluate(
        before,
        after,
        quasi_identifiers=asked.quasi_identifiers,
        confidential=asked.confidential,
        nominal=kinds,
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
            hierarchies={name: tree for name, tree in trees.items() if name not in along},
            generalized=along,
            weights=_weights(before, asked.sampling_weight, every),
            persons=members_of(before, asked.person, every),
            households=members_of(before, asked.household, every),
            categories=tuple(name for name in asked.confidential if name in asked.nominal),
        ),
        progress=progress,
        executor=executor,
    )
    result = replace(
        result,
        warnings=(
            *_other_order(before, after, asked.quasi_identifiers),
            *disclosed(after, asked.quasi_identifiers, asked.confidential),
        ),
    )
    if report is not None:
        write_file(report, evaluation_report(result, name=masked.name, command=command))
    if risk_file is not None:
        found = risk_list(result, before, every, person=asked.person, household=asked.household)
        write_file(risk_file, found, mode=PRIVATE)
    return result


def _weights(original: DataFile, name: str, rows: IntArray) -> FloatArray | None:
    return sampling_weights(original, name, rows) if name else None


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
    stage = None if progress is None else (lambda done, total: progress("reading", done, total))
    return [
        open_data(path, reading.of(form), progress=stage) for path, form in zip(paths, forms, strict=True)
    ]


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
