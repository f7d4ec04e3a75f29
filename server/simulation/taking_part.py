"""Simulated people take part: several at the same time, each message once.

Invited people fetch their tokens first, all of them, and send their ballots in another order: what one server
saw first tells nothing about the order in which the other sees them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from server.executor import Executor, Threads, slices
from server.progress import StageProgress
from server.simulation.respondent import Message, Respondent
from shared.errors import RemoteError, RoomfulError
from shared.invitation_code import InvitationCode
from shared.questions import Answer

ATTEMPTS: Final = 3
_TOGETHER: Final = 32
"""People whose messages are one task."""
_TASKS: Final = 8
"""For each worker, before what was composed is sent."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Contribution:
    """What one simulated person has in her head, and the code in her letter if she was invited by one."""

    quasi_identifiers: Mapping[str, str | None]
    answers: Mapping[str, Answer]
    code: InvitationCode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """What was acknowledged: the cells, and the receipts of an invited survey, ascending."""

    cells: tuple[int, ...] = ()
    receipts: tuple[str, ...] = ()


def send_all(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    threads: int,
    progress: StageProgress,
    executor: Executor,
) -> Acknowledged:
    """Everybody of an open survey answers: ``executor`` composes messages, ``threads`` send them.

    Raises
    ------
    RoomfulError
        The first refusal, or a server that cannot be reached; says how many were acknowledged before.
    """

    def answer(message: Message) -> int:
        return _sent(respondent, message).cell

    messages = _messages(respondent, [(person, None) for person in contributions], executor)
    sent = _each(answer, messages, len(contributions), threads, progress, "submissions")
    return Acknowledged(cells=tuple(sent))


def send_all_sealed(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    threads: int,
    progress: StageProgress,
    executor: Executor,
) -> Acknowledged:
    """Everybody fetches her token; then everybody's ballot is sent, to the relay if there is one.

    Raises
    ------
    RoomfulError
        As :func:`send_all`. Codes whose tokens were fetched are spent then: they cannot be used again.
    """
    tokens = fetch_all(respondent, contributions, threads, progress)
    return send_held(respondent, contributions, tokens, threads, progress, executor)


def fetch_all(
    respondent: Respondent, contributions: Sequence[Contribution], threads: int, progress: StageProgress
) -> list[Any]:
    """Everybody's token, in the order of the people; raises as :func:`send_all`."""

    def fetch(place: int) -> tuple[int, Any]:
        person = contributions[place]
        if person.code is None:
            raise ValueError("an invited person without a code")
        request = respondent.prepare_token(person.code, respondent.place(person.quasi_identifiers))
        return place, _repeated(lambda: respondent.fetch_token(request))

    everybody = range(len(contributions))
    found = dict(_each(fetch, [everybody], len(everybody), threads, progress, "tokens"))
    return [found[place] for place in range(len(contributions))]


def send_held(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    tokens: Sequence[Any],
    threads: int,
    progress: StageProgress,
    executor: Executor,
) -> Acknowledged:
    """Everybody's ballot, with the token that she holds, in a random order; raises as :func:`send_all`."""

    def answer(message: Message) -> tuple[int, str]:
        _sent(respondent, message)
        return message.cell, message.receipt

    holders = list(zip(contributions, tokens, strict=True))
    random.SystemRandom().shuffle(holders)
    messages = _messages(respondent, holders, executor)
    sent = _each(answer, messages, len(holders), threads, progress, "ballots")
    sent.sort(key=lambda pair: pair[1])
    return Acknowledged(cells=tuple(cell for cell, _ in sent), receipts=tuple(receipt for _, receipt in sent))


def _messages(
    respondent: Respondent, holders: Sequence[tuple[Contribution, Any]], executor: Executor
) -> Iterator[list[Message]]:
    """Everybody's message, some people at a time.

    Nothing is sent by a task: it may be done twice, and a person answers once.
    """
    for part in slices(len(holders), _TOGETHER * _TASKS * executor.workers):
        people = holders[part]
        tasks = [people[own] for own in slices(len(people), _TOGETHER)]
        composed = executor.map(partial(_composed, respondent), tasks)
        yield [message for messages in composed for message in messages]


def _composed(respondent: Respondent, holders: Sequence[tuple[Contribution, Any]]) -> list[Message]:
    return [
        respondent.compose(respondent.place(person.quasi_identifiers), person.answers, token)
        for person, token in holders
    ]


def _sent(respondent: Respondent, message: Message) -> Message:
    _repeated(lambda: respondent.send(message))
    return message


def _repeated(attempt: Callable[[], T]) -> T:
    """The result of an idempotent request, tried again if the server cannot be reached."""
    for _ in range(ATTEMPTS - 1):
        try:
            return attempt()
        except RemoteError:
            continue
    return attempt()


def _each(
    work: Callable[[Any], T],
    batches: Iterable[Sequence[Any]],
    total: int,
    threads: int,
    progress: StageProgress,
    name: str,
) -> list[T]:
    """Results of `work` for all items of all batches, as they come; the first failure ends it."""
    acknowledged: list[T] = []
    stage = f"{'Fetching' if name == 'tokens' else 'Sending'} {name}"

    def one(item: Any) -> None:
        acknowledged.append(work(item))

    try:
        for batch in batches:
            Threads(threads).map(
                one, batch, progress=lambda _done, _of: progress(stage, len(acknowledged), total)
            )
    except RoomfulError as error:
        remedy = f"{error.remedy} {len(acknowledged)} of {total} {name} were acknowledged."
        raise type(error)(
            error.message,
            where=error.where,
            expected=error.expected,
            remedy=remedy.strip(),
            code=error.code,
        ) from error
    return acknowledged


def receipt_lines(receipts: Iterable[str]) -> bytes:
    """A file of receipts: one in each line, ascending, so that its order tells nothing."""
    return "".join(f"{receipt}\n" for receipt in sorted(receipts)).encode("ascii")
