"""A release of made-up answers before anybody answers, so that no survey opens which cannot be released.

A kind of attribute or question that the tables, the report or the last look do not know would otherwise be
noticed after people have answered.
"""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from server.release.answers import CollectedAnswers, confidential_attributes
from server.release.gate import decide
from server.release.policy import policy_of
from server.release.recheck import recheck
from server.release.workflow import contents_of_release
from server.simulation.generating import generated_all
from shared.errors import DesignError
from shared.joining import row_of
from shared.questions import Answer
from shared.specification import Specification

_SEED: Final = 1
_NOBODY: Final[tuple[Mapping[str, Answer], ...]] = ()


def require_releasable(specification: Specification) -> None:
    """Write and check a release in which as few answer as may be released, all from the first cell.

    Raises
    ------
    DesignError
        With the code ``design.release``, if that fails in any way.

    Notes
    -----
    Guarantee: for every specification, either an error or a kind of every attribute and question that the
    columns of both tables, their descriptions, the report and the last look know; and every cell's centroid
    can be shown. Whether answers are diverse enough is not asked.
    """
    rule = replace(specification.release, distinct_values=1, t_closeness=None)
    trial = replace(specification, release=rule)
    try:
        _release(trial)
    except Exception as problem:
        raise DesignError(
            f"answers to this survey could not be released ({type(problem).__name__}: {problem})",
            expected="attributes and questions of which tables, report and the check of both know",
            remedy="Leave out the attribute or question that is named, and report this as a defect.",
            code="design.release",
        ) from problem


def _release(specification: Specification) -> None:
    chance, policy = random.Random(_SEED), policy_of(specification)  # noqa: S311 (made-up answers)
    questions = specification.questionnaire.questions
    people = tuple(generated_all(specification.questionnaire, chance) for _ in range(policy.minimum))
    collected = CollectedAnswers(
        questions=questions, cells=(people, *(_NOBODY,) * (specification.cells.count - 1))
    )
    decision = decide(collected.counts, policy, row_of(specification), confidential_attributes(collected))
    digest = hashlib.sha256(specification.to_bytes()).hexdigest()
    contents = contents_of_release(specification, digest, decision, collected, list.sort)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in contents.items():
            (Path(folder) / name).write_bytes(data)
        recheck(Path(folder), specification, collected.counts)
