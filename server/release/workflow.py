"""`roomful release`: from a closed survey to published files, all or nothing."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from server import files
from server.collection.board_folder import BOARD_FILE, CHECKPOINT_FILE, read_board_file
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import RELEASE_NAME
from server.collection.storage.states import State, refusal
from server.collection.storage.store import SurveyStore
from server.keys.signing_keys import verifies
from server.release.answers import CollectedAnswers
from server.release.codebook import codebook
from server.release.datapackage import describe_package
from server.release.exports import export
from server.release.gate import Decision
from server.release.recheck import recheck
from server.release.report import render_report
from server.release.source import AnswerSource, opened_answers, stored_answers
from server.release.tables import Shuffle, cells_table, microdata_table
from shared.board import Board, parse_envelope
from shared.checkpoint import SignedCheckpoint, board_origin
from shared.errors import ReleaseError, StateError
from shared.invited import board_keys
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What was published.

    Attributes
    ----------
    survey : str
        The survey's id.
    folder : Path
        Where the files are.
    decision : Decision
        What the gate let through.
    invalid : int or None
        Ballots of an invited survey that held no valid answers; None for an open one.
    discrepancy : str or None
        What the board of an invited survey says of it: more submissions than tokens, signed on purpose.
    """

    survey: str
    folder: Path
    decision: Decision
    invalid: int | None = None
    discrepancy: str | None = None

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
            **({} if self.invalid is None else {"invalid_answers": self.invalid}),
            **({} if self.discrepancy is None else {"discrepancy": self.discrepancy}),
        }


def release_survey(
    data: DataDirectory,
    survey: str,
    out: Path,
    shuffle: Shuffle,
    opened: bytes | None = None,
    formats: Collection[str] = (),
) -> Released:
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
    opened : bytes or None
        opened.json of the trustees, for an invited survey.
    formats : collection of str
        Of :data:`server.release.exports.FORMATS`, in which both tables are written besides CSV.

    Raises
    ------
    InputError, OpeningError, BoardError
        If `opened` is missing, superfluous, or does not fit the survey and its board.
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
    if store.state is State.RELEASED:
        raise StateError(
            "the table is released already",
            where=store.id,
            remedy=f"The released files lie in {store.published.folder / RELEASE_NAME}.",
            code="state.released",
        )
    if store.state is not State.CLOSED:
        raise refusal(store.state, "release")
    if out.exists():
        raise ReleaseError(
            "the folder for the release exists already",
            where=str(out),
            remedy="Name another folder with --out, or remove this one.",
        )
    source = stored_answers(store) if opened is None else opened_answers(store, opened, _board_root(store))
    discrepancy = None if opened is None else _board(store).discrepancy
    contents = contents_of_release(
        store.specification,
        store.published.digest,
        source.decision,
        source.collected,
        shuffle,
        invalid=source.invalid,
        discrepancy=discrepancy,
        formats=formats,
    )
    with _written(out, contents, store, source):
        store.mark_released(out)
    return Released(
        survey=store.id,
        folder=out,
        decision=source.decision,
        invalid=source.invalid,
        discrepancy=discrepancy,
    )


def _board_root(store: SurveyStore) -> bytes:
    """Root of the board's checkpoint, verified with the keys that may sign it."""
    published = store.published
    signed = SignedCheckpoint.parse(read_board_file(published.folder, CHECKPOINT_FILE))
    keys = board_keys(published.organizer_key, published.specification.invited)
    outcomes = [verifies(claim) for claim in signed.claims(keys)]
    return signed.verified(outcomes, keys, board_origin(published.digest)).root


def _board(store: SurveyStore) -> Board:
    """The board's counts, which were verified when it was published."""
    return Board.parse(parse_envelope(read_board_file(store.published.folder, BOARD_FILE)).payload)


def contents_of_release(
    specification: Specification,
    digest: str,
    decision: Decision,
    collected: CollectedAnswers,
    shuffle: Shuffle,
    *,
    invalid: int | None = None,
    discrepancy: str | None = None,
    formats: Collection[str] = (),
) -> dict[str, bytes]:
    """The bytes of each file, by name; parameters as the functions that make them."""
    microdata = microdata_table(specification, decision, collected, shuffle)
    cells = cells_table(specification, decision)
    microdata_csv, cells_csv = microdata.to_csv(), cells.to_csv()
    tables = {"microdata": microdata, "cells": cells}
    others = {"codebook.xml": codebook(specification, digest, tables)} | {
        f"{name}.{form}": export(table, form)
        for form in sorted(set(formats) - {"csv"})
        for name, table in tables.items()
    }
    package = describe_package(
        specification,
        digest,
        decision,
        {"microdata": (microdata, microdata_csv), "cells": (cells, cells_csv)},
        invalid,
        others,
    )
    return {
        **others,
        "microdata.csv": microdata_csv,
        "cells.csv": cells_csv,
        "datapackage.json": package,
        "report.html": render_report(specification, digest, decision, microdata, cells, discrepancy),
    }


@contextlib.contextmanager
def _written(
    out: Path, contents: dict[str, bytes], store: SurveyStore, source: AnswerSource
) -> Iterator[None]:
    """The checked files in `out`; if the block fails, `out` is removed again."""
    with files.named_file_errors(str(out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            for name, data in contents.items():
                files.write_new(work / name, data)
                (work / name).chmod(0o644)
            recheck(work, store.specification, source.head_counts())
            work.chmod(0o755)
    try:
        yield
    except BaseException:
        shutil.rmtree(out)
        raise
