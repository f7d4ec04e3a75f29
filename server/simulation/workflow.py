"""`roomful simulate`: people drawn from a model file take part in a survey through the real client."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from server.simulation.answers import answer_source, parse_wanted
from server.simulation.expectation import Failures, attained_failures, compare_failures
from server.simulation.population import assumed_participation, draw_participants, read_people
from server.simulation.respondent import Respondent
from shared.errors import RemoteError, RoomfulError
from shared.questions import Answer

ATTEMPTS = 3
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport:
    """What happened.

    Parameters
    ----------
    survey : str
        Digest of the specification.
    people : int
        People in the file.
    is_the_model : bool
        Whether the survey was designed from exactly these people.
    seed : int
        Repeats the same draw.
    submissions : int
        Acknowledged submissions, one per person who took part.
    seconds : float
        Wall time of the submissions, checks of the survey not included.
    head_counts : tuple of int
        How many took part from each cell, by this simulation's own draws.
    failures : Failures
        Failed cells against the expectation.
    """

    survey: str
    people: int
    is_the_model: bool
    seed: int
    submissions: int
    seconds: float
    head_counts: tuple[int, ...]
    failures: Failures

    def figures(self) -> dict[str, Any]:
        """As a JSON document."""
        answered = [count for count in self.head_counts if count]
        return {
            "survey": self.survey,
            "people": self.people,
            "file_is_the_model": self.is_the_model,
            "seed": self.seed,
            "submissions": self.submissions,
            "participation": self.submissions / self.people,
            "seconds": round(self.seconds, 3),
            "submissions_per_second": round(self.submissions / self.seconds, 1) if self.seconds else 0.0,
            "cells": len(self.head_counts),
            "empty_cells": len(self.head_counts) - len(answered),
            "smallest_head_count": min(answered, default=0),
            "failed_cells": self.failures.observed,
            "expected_failed_cells": self.failures.expected,
            "probability_of_at_least_as_many": self.failures.probability_of_at_least_observed,
        }


def simulate(
    respondent: Respondent,
    model: Path,
    *,
    seed: int,
    invited: int | None = None,
    participation: Fraction | None = None,
    answers: str = "generated",
    threads: int = 4,
    progress: Progress = lambda _total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> SimulationReport:
    """Let people of a file take part, each with her probability.

    Parameters
    ----------
    respondent : Respondent
        The client, for the survey's link.
    model : Path
        The file of people.
    seed : int
        Decides who takes part, in which order, and every generated answer.
    invited : int, optional
        How many people are drawn from the file and invited; by default all.
    participation : Fraction, optional
        Everybody's probability; by default each person's level of the specification, the middle of a range.
    answers : str
        See :func:`parse_wanted`.
    threads : int
        Submissions under way at the same time.
    progress : callable
        Called after each acknowledged submission, with how many there will be.
    clock : callable
        Seconds that only go forward.

    Raises
    ------
    SoundnessError
        If the client refuses the survey.
    ModelFileError, AnswerError, InputError
        If the file or its answers do not fit the survey.
    RemoteError, StateError
        If the server cannot be reached or refuses; says how many were acknowledged before.
    """
    sound = respondent.prepare(compared=True)
    specification = sound.specification
    wanted = parse_wanted(answers, specification.questionnaire)
    generator = np.random.Generator(np.random.PCG64(seed))
    population = read_people(model, specification, wanted.values())
    if invited is not None:
        population = population.drawn(invited, generator)
    probabilities = tuple(
        assumed_participation(level) if participation is None else participation
        for level in population.model.levels
    )
    answers_of = answer_source(specification, population.table, wanted)
    participants = draw_participants(population, probabilities, generator)
    # Every answer is made before the first is sent: a field that is no answer must not leave half a survey.
    contributions = [
        _Contribution(
            quasi_identifiers=population.quasi_identifiers(person),
            answers=answers_of(
                int(population.row_of[person]),
                random.Random(f"{seed}:{person}"),  # noqa: S311 - repeatable on purpose, protects nothing
            ),
        )
        for person in participants.tolist()
    ]
    started = clock()
    cells = _send_all(respondent, contributions, threads, progress)
    seconds = clock() - started
    counts = np.bincount(cells, minlength=specification.cells.count).tolist() if cells else []
    head_counts = tuple(counts) or (0,) * specification.cells.count
    failures = attained_failures(population.eligible(specification), probabilities, specification.k)
    return SimulationReport(
        survey=sound.digest,
        people=population.n_people,
        is_the_model=population.is_model_of(specification),
        seed=seed,
        submissions=len(cells),
        seconds=seconds,
        head_counts=head_counts,
        failures=compare_failures(head_counts, failures, specification.k),
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Contribution:
    """What one simulated person has in her head."""

    quasi_identifiers: Mapping[str, str | None]
    answers: Mapping[str, Answer]


def _send_all(
    respondent: Respondent, contributions: list[_Contribution], threads: int, progress: Progress
) -> list[int]:
    """Submit everything; returns the cell of each acknowledged submission."""
    cells: list[int] = []
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="respondent") as pool:
        futures = [pool.submit(_take_part, respondent, person) for person in contributions]
        try:
            for future in as_completed(futures):
                cells.append(future.result())
                progress(len(contributions))
        except RoomfulError as error:
            pool.shutdown(cancel_futures=True)
            remedy = f"{error.remedy} {len(cells)} of {len(contributions)} submissions were acknowledged."
            raise type(error)(
                error.message,
                where=error.where,
                expected=error.expected,
                remedy=remedy.strip(),
                code=error.code,
            ) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return cells


def _take_part(respondent: Respondent, person: _Contribution) -> int:
    message = respondent.compose(respondent.place(person.quasi_identifiers), person.answers)
    for attempt in range(ATTEMPTS):
        try:
            respondent.send(message)
            break
        except RemoteError:
            if attempt == ATTEMPTS - 1:
                raise
    return message.cell
