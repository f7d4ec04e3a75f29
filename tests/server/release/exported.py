"""Released tables with everything that formats find hard."""

from __future__ import annotations

import random
from typing import Any

from server.release.answers import CollectedAnswers
from server.release.gate import Decision, ReleasedGroup
from server.release.tables import ReleasedTable, cells_table, microdata_table
from shared.specification import Specification
from tests.server.release.survey import N_CELLS, answers, specification

TEXTS = (
    "_x0041_", "a  ", "  a", "a\nb", "\U0001f600" * 2000, "é" * 2000, "'", '"', "=1+1", "0", "1e5", "TRUE",
    "#N/A", "\u00a0", "x\ufffe\uffffx", "nan", "None", "a", ".a", "<b>&",
)  # fmt: skip
COUNTS = (20, 9, 12, 7, 31)


def tables(survey: Specification | None = None) -> dict[str, ReleasedTable]:
    """Both tables of five groups and a cell that is not released; some questions are skipped."""
    survey, chance = survey or specification(), random.Random(3)

    def given(person: int) -> dict[str, Any]:
        skipped = {
            name: None for name in ("mood", "smokes", "hours", "wishes", "sex") if chance.random() < 0.3
        }
        written = answers(chance, remark=TEXTS[person % len(TEXTS)], **skipped)
        return survey.questionnaire.accept(written)

    cells = (*(tuple(given(person) for person in range(count)) for count in COUNTS), ())
    decision = Decision(
        groups=tuple(
            ReleasedGroup(cells=(cell,), answers=count, diversity=()) for cell, count in enumerate(COUNTS)
        ),
        reasons=("enough",) * (N_CELLS - 1) + ("empty",),
        total_answers=sum(COUNTS),
        released_answers=sum(COUNTS),
    )
    collected = CollectedAnswers(questions=survey.questionnaire.questions, cells=cells)
    return {
        "microdata": microdata_table(survey, decision, collected, chance.shuffle),
        "cells": cells_table(survey, decision),
    }
