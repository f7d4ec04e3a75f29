"""What the commands do, from files to files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.anonymize.data_file import DataFile
from server.anonymize.evaluation import Evaluation, Settings, evaluate
from server.anonymize.files import open_data
from server.anonymize.report import anonymization_report, evaluation_report
from server.anonymize.request import Breach, Request, StageProgress
from server.anonymize.workflow import mask, prepare
from server.measures.measure import Measure
from server.reading.table import quoted
from shared.errors import InputError

_WORTH_SAYING_SECONDS = 3.0
_HEADLINE = ("achieved k", "average chance of linkage", "SSE/SST", "PIL, percent", "DLD, percent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a masking left behind.

    Parameters
    ----------
    files : tuple of Path
        The masked file, the report, the JSON.
    document : mapping
        What the JSON holds.
    headline : tuple of Measure
        The figures to print.
    warnings : tuple of str
    """

    files: tuple[Path, Path, Path]
    document: Mapping[str, object]
    headline: tuple[Measure, ...]
    warnings: tuple[str, ...]


def parameters_of_breach(
    breach: Breach, minimum_distance: float | None, trade_off: float | None
) -> dict[str, float]:
    """Parameters of P3M and DREAM that were given; refused where neither was asked for."""
    given = {"minimum_distance": minimum_distance, "trade_off": trade_off}
    chosen = {name: value for name, value in given.items() if value is not None}
    if chosen and breach == "none":
        option = next(iter(chosen)).replace("_", "-")
        raise InputError(f"--{option} means nothing without --breach p3m or dream")
    return chosen


def anonymize_file(
    path: Path,
    out: Path,
    request: Request,
    *,
    known: Sequence[str] = (),
    command: str = "",
    announce: Callable[[str], None] | None = None,
    progress: StageProgress | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Run:
    """Mask a file, measure what was written, and write report and JSON beside it.

    Parameters
    ----------
    announce : callable, optional
        Told how long it will take, if that is more than a few seconds.

    Raises
    ------
    InputError, DesignError
        With nothing written.
    """
    settings = Settings(known=tuple(known))
    for name in settings.known:
        if name not in request.quasi_identifiers:
            raise InputError(f"{quoted(name)} is not among the quasi-identifiers", where="--known")
    given = dict(reading or {})
    prepared = prepare(path, out, request, progress=progress, **given)
    seconds = prepared.estimate()
    if announce is not None and seconds is not None and seconds > _WORTH_SAYING_SECONDS:
        announce(f"Grouping {len(prepared.X)} records will take about {_words(seconds)}.")
    masked = mask(prepared, out, progress=progress)
    evaluation = evaluate(
        masked.original,
        open_data(out, **_again(given, masked.original)),
        quasi_identifiers=request.quasi_identifiers,
        confidential=request.confidential,
        nominal=masked.nominal,
        rows=masked.rows,
        settings=settings,
        progress=progress,
    )
    document = {
        "method": request.method,
        "k": request.k,
        "groups": int(masked.labels.max()) + 1,
        "breach": request.breach,
        "unmet": list(masked.unmet),
        "warnings": list(masked.warnings),
        **evaluation.as_json(),
    }
    page, data = out.with_name(f"{out.name}.report.html"), out.with_name(f"{out.name}.json")
    page.write_bytes(anonymization_report(masked, evaluation, name=out.name, command=command))
    data.write_text(
        json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
    )
    everything = (*evaluation.anonymity, *evaluation.information, *evaluation.disclosure)
    return Run(
        files=(out, page, data),
        document=document,
        headline=tuple(measure for measure in everything if measure.name in _HEADLINE),
        warnings=masked.warnings,
    )


def evaluate_files(
    original: Path,
    masked: Path,
    *,
    quasi_identifiers: Sequence[str],
    confidential: Sequence[str] = (),
    nominal: Sequence[str] = (),
    settings: Settings | None = None,
    report: Path | None = None,
    command: str = "",
    progress: StageProgress | None = None,
) -> Evaluation:
    """Measure a masked file that any program may have made.

    Raises
    ------
    InputError
        For files or columns that cannot be compared.
    """
    if not quasi_identifiers:
        raise InputError("there is no quasi-identifier", expected="at least one column")
    before, after = open_data(original), open_data(masked)
    for name in nominal:
        if name not in quasi_identifiers:
            raise InputError(f"{quoted(name)} is not among the quasi-identifiers", where="--nominal")
    kinds = [name in nominal or before.checked(name).kind != "numeric" for name in quasi_identifiers]
    result = evaluate(
        before,
        after,
        quasi_identifiers=quasi_identifiers,
        confidential=confidential,
        nominal=kinds,
        settings=settings,
        progress=progress,
    )
    if report is not None:
        try:
            report.write_bytes(evaluation_report(result, name=masked.name, command=command))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"the report cannot be written: {reason}", where=str(report)) from None
    return result


def _again(reading: Mapping[str, Any], original: DataFile) -> dict[str, Any]:
    """How to read the masked file as the original was read: what was found out is not found out again."""
    return {**reading, **original.understood()}


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
