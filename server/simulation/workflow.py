"""`roomful simulate`: people drawn from a model file take part in a survey through the real client."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.executor import THREADS, Executor
from server.progress import StageProgress
from server.simulation.answers import answer_source, parse_wanted
from server.simulation.codes import require_enough
from server.simulation.expectation import Failures, attained_failures, compare_failures
from server.simulation.held_tokens import HeldTokens
from server.simulation.households import failures_together, household_of
from server.simulation.population import (
    Population,
    assumed_participation,
    draw_participants,
    read_people,
)
from server.simulation.respondent import Respondent
from server.simulation.taking_part import (
    Acknowledged,
    Contribution,
    fetch_all,
    send_all,
    send_all_sealed,
    send_held,
)
from server.tables.files import Reading
from shared.election.contests import choices_of
from shared.errors import InputError, StateError
from shared.invitation_code import InvitationCode
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport:
    """What happened.

    Attributes
    ----------
    survey : str
        Digest of the specification.
    people : int
        People in the file.
    is_the_model : bool or None
        Whether the survey was designed from exactly these people; None of a register, which nobody can tell.
    seed : int
        Repeats the same draw.
    submissions : int
        Acknowledged submissions, one per person who took part.
    seconds : float
        Wall time of the submissions, checks of the survey not included.
    head_counts : tuple of int
        How many took part from each cell, by this simulation's own draws.
    correlation : Fraction
        With which people were drawn.
    largest_household : int
        Most people who were drawn together.
    promised_failed_cells : float
        Failed cells expected by the specification's own assumptions.
    failures : Failures
        Failed cells against the expectation.
    receipts : tuple of str, optional
        Receipts of the ballots, ascending; None if the survey is open to everybody.
    cast : mapping, optional
        Of an election the votes of each choice that were cast, which its result must be.
    """

    survey: str
    people: int
    is_the_model: bool | None
    seed: int
    submissions: int
    seconds: float
    head_counts: tuple[int, ...]
    correlation: Fraction
    largest_household: int
    promised_failed_cells: float
    failures: Failures
    receipts: tuple[str, ...] | None = None
    cast: Mapping[str, Mapping[str, int]] | None = None

    def figures(self) -> dict[str, Any]:
        """As a JSON document; receipts are not among the figures."""
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
            "correlation": float(self.correlation),
            "largest_household": self.largest_household,
            "promised_failed_cells": self.promised_failed_cells,
            "failed_cells": self.failures.observed,
            "expected_failed_cells": self.failures.expected,
            "probability_of_at_least_as_many": self.failures.probability_of_at_least_observed,
        } | ({} if self.cast is None else {"cast": self.cast})


def simulate(
    respondent: Respondent,
    model: Path,
    *,
    seed: int,
    reading: Reading | None = None,
    invited: int | None = None,
    participation: Fraction | None = None,
    correlation: Fraction | None = None,
    answers: str = "generated",
    codes: Sequence[InvitationCode] | None = None,
    held: HeldTokens | None = None,
    into_real_survey: bool = False,
    threads: int = 4,
    progress: StageProgress = lambda _stage, _done, _total: None,
    clock: Callable[[], float] = time.perf_counter,
    executor: Executor = THREADS,
) -> SimulationReport:
    """Let people of a file take part, each with her probability, hanging together as declared.

    Parameters
    ----------
    respondent : Respondent
        The client, for the survey's link.
    model : Path
        The file of people.
    seed : int
        Decides who takes part, in which order, and every generated answer.
    reading : Reading, optional
        What is known about the file; the rest is found out.
    invited : int, optional
        How many people are drawn from the file and invited; by default all.
    participation : Fraction, optional
        Everybody's probability; by default each person's level of the specification, the middle of a range.
    correlation : Fraction, optional
        Between any two people of a cell; by default that of the specification.
    answers : str
        See :func:`parse_wanted`.
    codes : sequence of InvitationCode, optional
        Of an invited survey: the first code is that of the first person in the file, and so on.
    held : HeldTokens, optional
        Of an election, whose codes are exchanged before ballots are taken: if it holds none yet, everybody's
        token is fetched and kept there, and nothing is sent; else they are spent.
    into_real_survey : bool
        Whether people who do not exist may answer a survey that is no test copy.
    threads : int
        Submissions under way at the same time.
    progress : callable
        Called after each token and each acknowledged submission.
    clock : callable
        Seconds that only go forward.
    executor : Executor
        Who composes the messages, which this process sends.

    Raises
    ------
    SoundnessError
        If the client refuses the survey.
    ModelFileError, AnswerError, InputError
        If the file or its answers do not fit the survey; with a code ``input.codes*`` if the codes do not.
    RemoteError, StateError
        If the server cannot be reached or refuses; says how many were acknowledged before. With the code
        ``state.real-survey`` if the survey is real and nobody said that it may be.
    """
    if not into_real_survey and not respondent.is_test():
        raise StateError(
            "this is a real survey, and invented answers could never be told from those of people",
            expected="a test copy",
            remedy="Publish one with --test in a data directory of its own, or add --into-real-survey.",
            code="state.real-survey",
        )
    sound = respondent.prepare(compared=True)
    specification = sound.specification
    _require_codes(specification, codes)
    wanted = parse_wanted(answers, specification.questionnaire)
    generator = np.random.Generator(np.random.PCG64(seed))
    population = read_people(model, specification, wanted, reading)
    if invited is not None:
        population = population.drawn(invited, generator)
    if codes is not None:
        require_enough(len(codes), population.n_people)
    answers_of = answer_source(specification, population.table, wanted)
    assumed = _assumed(population, specification, participation, correlation)
    participants = draw_participants(
        population,
        assumed.probabilities,
        generator,
        specification.cells,
        assumed.correlation,
        assumed.households,
    )
    # Every answer is made before the first is sent: a field that is no answer must not leave half a survey.
    code_of = _code_of(population, codes)
    contributions = [
        Contribution(
            quasi_identifiers=population.quasi_identifiers(person),
            answers=answers_of(
                int(population.row_of[person]),
                random.Random(f"{seed}:{person}"),  # noqa: S311 - repeatable on purpose, protects nothing
            ),
            code=code_of(person),
        )
        for person in participants.tolist()
    ]
    started = clock()
    sent = _send(respondent, contributions, held, threads, progress, executor, is_invited=codes is not None)
    seconds = clock() - started
    cells = np.array(sent.cells, np.int64)
    head_counts = tuple(np.bincount(cells, minlength=specification.cells.count).tolist())
    failures = assumed.failures(population, specification)
    return SimulationReport(
        survey=sound.digest,
        people=population.n_people,
        is_the_model=population.is_model_of(specification),
        seed=seed,
        submissions=len(sent.cells),
        seconds=seconds,
        head_counts=head_counts,
        correlation=assumed.correlation,
        largest_household=assumed.largest_household,
        promised_failed_cells=float(sum(m.attained_cell_failure for m in sound.metrics.values())),
        failures=compare_failures(head_counts, failures, specification.k),
        receipts=None if codes is None else sent.receipts,
        cast=_votes(specification, contributions) if sent.cells else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Assumed:
    """How people are assumed to decide whether they take part.

    Attributes
    ----------
    probabilities : tuple of Fraction, length n_levels
    correlation : Fraction
        Between any two people of a cell.
    households : ndarray of int64, shape (n_people,), or None
        See :func:`household_of`; None if everybody decides alone.
    """

    probabilities: tuple[Fraction, ...]
    correlation: Fraction
    households: NDArray[np.int64] | None

    @property
    def largest_household(self) -> int:
        """Most people who decide together."""
        return 1 if self.households is None else int(np.bincount(self.households).max(initial=1))

    def failures(self, population: Population, specification: Specification) -> tuple[Decimal, ...]:
        """Attained failure qbar of each cell, to be expected."""
        if self.households is None:
            eligible = population.eligible(specification)
            return attained_failures(eligible, self.probabilities, specification.k, self.correlation)
        return failures_together(
            population, specification, self.households, self.probabilities, self.correlation
        )


def _assumed(
    population: Population,
    specification: Specification,
    participation: Fraction | None,
    correlation: Fraction | None,
) -> _Assumed:
    """What was asked for, and for the rest what the specification assumes."""
    if correlation is None:
        correlation = Fraction(specification.dependence.correlation)
    return _Assumed(
        probabilities=tuple(
            assumed_participation(level) if participation is None else participation
            for level in population.model.levels
        ),
        correlation=correlation,
        households=household_of(population, specification),
    )


def _send(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    held: HeldTokens | None,
    threads: int,
    progress: StageProgress,
    executor: Executor,
    *,
    is_invited: bool,
) -> Acknowledged:
    """Send everybody's answers; before an election's voting, fetch and keep everybody's token instead."""
    if not is_invited:
        return send_all(respondent, contributions, threads, progress, executor)
    if held is None:
        return send_all_sealed(respondent, contributions, threads, progress, executor)
    if held.exist:
        tokens = held.read(len(contributions))
        return send_held(respondent, contributions, tokens, threads, progress, executor)
    held.write(fetch_all(respondent, contributions, threads, progress))
    return Acknowledged()


def _votes(
    specification: Specification, contributions: Sequence[Contribution]
) -> dict[str, dict[str, int]] | None:
    """Votes of each choice of an election, by the names of its contests; None of a survey."""
    if specification.invited is None or specification.invited.election is None:
        return None
    questionnaire = specification.questionnaire
    return {
        question.name: {
            choice if isinstance(choice, str) else json.dumps(choice): sum(
                person.answers[question.name] == choice for person in contributions
            )
            for choice in choices
        }
        for question, choices in zip(questionnaire.questions, choices_of(questionnaire), strict=True)
    }


def _require_codes(specification: Specification, codes: Sequence[InvitationCode] | None) -> None:
    if specification.invited is not None and codes is None:
        raise InputError(
            "only invited people can answer this survey",
            where="--codes",
            expected="mail-merge.csv of roomful invite, or codes.csv of roomful codes",
            remedy="Name the file with the codes.",
            code="input.codes",
        )
    if specification.invited is None and codes is not None:
        raise InputError(
            "this survey is open to everybody: nobody needs a code",
            where="--codes",
            remedy="Leave the option out.",
            code="input.codes",
        )


def _code_of(
    population: Population, codes: Sequence[InvitationCode] | None
) -> Callable[[int], InvitationCode | None]:
    """The code of a person: codes are handed out in the order of the file's rows."""
    if codes is None:
        return lambda _person: None
    place = np.empty(population.n_people, np.int64)
    place[np.argsort(population.row_of, kind="stable")] = np.arange(population.n_people)
    return lambda person: codes[int(place[person])]
