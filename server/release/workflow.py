"""`roomful release`: from a closed survey to published files, all or nothing."""

from __future__ import annotations

import contextlib
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from server.release.answers import collect, confidential_attributes
from server.release.centres import Centres
from server.release.datapackage import describe_package
from server.release.gate import Decision, decide
from server.release.policy import policy_of
from server.release.recheck import recheck
from server.release.report import render_report
from server.release.tables import Shuffle, cells_table, microdata_table
from server.storage import files
from server.storage.data_directory import DataDirectory
from server.storage.states import State, refusal
from server.storage.store import SurveyStore
from shared.errors import ReleaseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What was published.

    Parameters
    ----------
    survey : str
        The survey's id.
    folder : Path
        Where the files are.
    decision : Decision
        What the gate let through.
    """

    survey: str
    folder: Path
    decision: Decision

    def figures(self) -> dict[str, int | str | float | None]:
        """Figures that may be shown to anybody."""
        sizes = sorted(group.answers for group in self.decision.groups)
        return {
            "survey": self.survey,
            "folder": str(self.folder),
            "total_answers": self.decision.total_answers,
            "released_answers": self.decision.released_answers,
            "withheld_answers": self.decision.withheld_answers,
            "withheld_share": self.decision.withheld_answers / self.decision.total_answers,
            "groups": len(sizes),
            "smallest_group": sizes[0],
            "largest_group": sizes[-1],
            "cells_not_released": len(self.decision.not_released),
            "groups_with_unanimity": sum(bool(group.unanimous) for group in self.decision.groups),
        }


def release_survey(data: DataDirectory, survey: str, out: Path, shuffle: Shuffle) -> Released:
    """Publish the table of a closed survey.

    Parameters
    ----------
    data : DataDirectory
        Where the survey is.
    survey : str
        Its id.
    out : Path
        Folder to make; it must not exist.
    shuffle : callable
        Puts rows into random order in place; from the operating system's randomness outside of tests.

    Raises
    ------
    StateError
        If the survey is not closed, or already released.
    ReleaseError
        If nothing may be released, `out` exists, or the written files fail the last check.
    StorageError
        If something cannot be read or written.

    Notes
    -----
    Guarantee: either all files are in `out` and in the survey's own folder, pass :func:`recheck`, and the
    survey is released; or there is an error, `out` does not exist and the survey is still closed.
    """
    store = data.survey(survey)
    if store.state is not State.CLOSED:
        raise refusal(store.state, "release")
    if out.exists():
        raise ReleaseError(
            "the folder for the release exists already",
            where=str(out),
            remedy="Name another folder with --out, or remove this one.",
        )
    decision, contents = _prepare(store, shuffle)
    with _written(out, contents, store):
        store.mark_released(out)
    return Released(survey=store.id, folder=out, decision=decision)


def _prepare(store: SurveyStore, shuffle: Shuffle) -> tuple[Decision, dict[str, bytes]]:
    """The gate's decision, and the bytes of each file."""
    specification, digest = store.specification, store.published.digest
    collected = collect(store.answers(), specification.questionnaire, specification.cells.count)
    decision = decide(
        collected.counts,
        policy_of(specification),
        Centres.from_decimals(specification.centroids, specification.weights),
        confidential_attributes(collected),
    )
    microdata = microdata_table(specification, decision, collected, shuffle)
    cells = cells_table(specification, decision)
    microdata_csv, cells_csv = microdata.to_csv(), cells.to_csv()
    package = describe_package(
        specification,
        digest,
        decision,
        {"microdata": (microdata, microdata_csv), "cells": (cells, cells_csv)},
    )
    return decision, {
        "microdata.csv": microdata_csv,
        "cells.csv": cells_csv,
        "datapackage.json": package,
        "report.html": render_report(specification, digest, decision, microdata),
    }


@contextlib.contextmanager
def _written(out: Path, contents: dict[str, bytes], store: SurveyStore) -> Iterator[None]:
    """The checked files in `out`; if the block fails, `out` is removed again."""
    with files.named_file_errors(str(out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            for name, data in contents.items():
                files.write_new(work / name, data)
                (work / name).chmod(0o644)
            recheck(work, store.specification, _head_counts(store))
            work.chmod(0o755)
    try:
        yield
    except BaseException:
        shutil.rmtree(out)
        raise


def _head_counts(store: SurveyStore) -> list[int]:
    """K_c once more from the store, by another path than the tables took."""
    counts = Counter(cell for cell, _ in store.answers())
    if counts.total() != store.total():
        raise ReleaseError(
            "the number of answers differs from the number of receipts",
            remedy="The database was changed from outside; restore it from a copy.",
        )
    return [counts[cell] for cell in range(store.specification.cells.count)]
