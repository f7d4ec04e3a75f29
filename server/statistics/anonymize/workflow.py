"""What `roomful anonymize` does, from a file to a masked one, its report and its figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from server.executor import THREADS, Executor
from server.files import PRIVATE, clear_abandoned, held_folder, write_file
from server.progress import StageProgress
from server.statistics.anonymize.destinations import check_destinations
from server.statistics.anonymize.evaluation import Evaluation, Settings
from server.statistics.anonymize.exposure import digest, masked_before, warnings_of
from server.statistics.anonymize.hierarchy import Hierarchy, read_hierarchies
from server.statistics.anonymize.masking import Masked, mask
from server.statistics.anonymize.measuring import evaluate
from server.statistics.anonymize.preparation import prepare, sampling_weights
from server.statistics.anonymize.prepared import Prepared
from server.statistics.anonymize.report import anonymization_report
from server.statistics.anonymize.request import Request, require_quasi_identifiers
from server.statistics.anonymize.risk_file import members_of, risk_list
from server.statistics.measures.measure import Measure
from server.tables.data_file import DataFile
from server.tables.files import Reading, open_data
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
    require_quasi_identifiers(known, request.quasi_identifiers, "--known")
    hierarchies = hierarchies or {}
    along, others = read_hierarchies(hierarchies, request.quasi_identifiers, request.confidential)
    request = replace(request, hierarchies=along)
    given = reading or Reading()
    page, data = out.with_name(f"{out.name}.report.html"), out.with_name(f"{out.name}.json")
    wanted = (out, page, data, *(() if risk_file is None else (risk_file,)))
    if risk_file is not None:
        check_destinations((risk_file,), [("FILE", path)])
    check_destinations(
        wanted,
        [
            ("--minimum-distances", request.distances.file),
            ("--importances", request.distances.importances),
            *(("--hierarchy", tree) for tree in hierarchies.values()),
        ],
    )
    if (left := clear_abandoned(out.parent, _HIDDEN)) and announce is not None:
        announce(f"Removed {', '.join(left)}: what a masking that was killed had left beside {out.name}.")
    prepared = prepare(path, out, request, given, progress=progress)
    if announce is not None:
        _announce_work(prepared, announce)
    sha256 = digest(path)
    with _unseen_folder(out) as folder:
        masked = mask(prepared, folder / out.name, progress=progress, executor=executor)
        doubts = (*warnings_of(masked), *masked_before(prepared.original, sha256, data))
        masked = replace(masked, warnings=(*masked.warnings, *doubts))
        written = open_data(folder / out.name, given.again(prepared.original))
        evaluation = _measured(
            masked, written, known=tuple(known), hierarchies=others, progress=progress, executor=executor
        )
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
            risks = risk_list(
                evaluation, prepared.original, person=request.person, household=request.household
            )
            write_file(risk_file, risks, mode=PRIVATE)
        for file in (page, data, out):
            (folder / file.name).replace(file)
    return Run(files=wanted, document=document, headline=_headline(evaluation), warnings=masked.warnings)


def _announce_work(prepared: Prepared, announce: Callable[[str], None]) -> None:
    """Say what is grouped otherwise than its size suggests, and how long it takes if that is long."""
    request, n_records = prepared.request, len(prepared.X)
    if request.constraints.given and request.district_of(n_records):
        announce(
            "Records are grouped all together, not by districts: what every group must keep unites groups "
            "all over the file."
        )
    grouping = prepared.estimate()
    if grouping is not None:
        seconds = grouping + _MEASURING_SECONDS * int(prepared.people.by_level.sum())
        if seconds > _WORTH_SAYING_SECONDS:
            announce(f"Grouping and measuring {n_records} records will take about {_words(seconds)}.")


def _measured(
    masked: Masked,
    written: DataFile,
    *,
    known: tuple[str, ...],
    hierarchies: Mapping[str, Hierarchy],
    progress: StageProgress | None,
    executor: Executor,
) -> Evaluation:
    """Measure the file as it was written; ``hierarchies`` are those of confidential attributes."""
    prepared = masked.prepared
    request, original = prepared.request, prepared.original
    taking_part = np.searchsorted(prepared.rows, masked.rows)
    distances, importances = (
        None if values is None else values[taking_part]
        for values in (prepared.distances, prepared.importances)
    )
    by_value, by_record = request.breach == "p3m", request.breach == "p3m-record"
    evaluation = evaluate(
        original,
        written,
        quasi_identifiers=request.quasi_identifiers,
        confidential=request.confidential,
        nominal=prepared.nominal,
        rows=masked.rows,
        people=prepared.people.of(taking_part),
        settings=Settings(
            known=known,
            weights=sampling_weights(original, request.sampling_weight, masked.rows),
            categories=tuple(name for name in request.confidential if name in request.nominal),
            orders=prepared.orders,
            hierarchies=hierarchies,
            generalized=request.hierarchies,
            persons=members_of(original, request.person, masked.rows),
            households=members_of(original, request.household, masked.rows),
            blocks=request.blocks,
            dependence=request.dependence,
            distances=distances if by_value else None,
            importances=importances if by_value else None,
            record_distances=distances if by_record else None,
        ),
        progress=progress,
        executor=executor,
    )
    return _with_gap(evaluation, masked)


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


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
