"""Simulated people take part: several at the same time, each message once.

Invited people fetch their tokens first, all of them, and send their ballots in another order: what one server
saw first tells nothing about the order in which the other sees them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from server.simulation.respondent import Message, Respondent
from shared.errors import RemoteError, RoomfulError
from shared.invitation_code import InvitationCode
from shared.questions import Answer

ATTEMPTS: Final = 3
Progress = Callable[[int], None]
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
    respondent: Respondent, contributions: Sequence[Contribution], threads: int, progress: Progress
) -> Acknowledged:
    """Everybody of an open survey answers.

    Raises
    ------
    RoomfulError
        The first refusal, or a server that cannot be reached; says how many were acknowledged before.
    """

    def answer(person: Contribution) -> int:
        message = respondent.compose(respondent.place(person.quasi_identifiers), person.answers)
        return _sent(respondent, message).cell

    return Acknowledged(cells=tuple(_each(answer, contributions, threads, progress, "submissions")))


def send_all_sealed(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    threads: int,
    progress: Progress,
    fetched: Progress,
) -> Acknowledged:
    """Everybody fetches her token; then everybody's ballot is sent, to the relay if there is one.

    ``fetched`` is called after each token, ``progress`` after each ballot.

    Raises
    ------
    RoomfulError
        As :func:`send_all`. Codes whose tokens were fetched are spent then: they cannot be used again.
    """
    tokens = fetch_all(respondent, contributions, threads, fetched)
    return send_held(respondent, contributions, tokens, threads, progress)


def fetch_all(
    respondent: Respondent, contributions: Sequence[Contribution], threads: int, fetched: Progress
) -> list[Any]:
    """Everybody's token, in the order of the people; raises as :func:`send_all`."""

    def fetch(place: int) -> tuple[int, Any]:
        person = contributions[place]
        if person.code is None:
            raise ValueError("an invited person without a code")
        request = respondent.prepare_token(person.code, respondent.place(person.quasi_identifiers))
        return place, _repeated(lambda: respondent.fetch_token(request))

    found = dict(_each(fetch, range(len(contributions)), threads, fetched, "tokens"))
    return [found[place] for place in range(len(contributions))]


def send_held(
    respondent: Respondent,
    contributions: Sequence[Contribution],
    tokens: Sequence[Any],
    threads: int,
    progress: Progress,
) -> Acknowledged:
    """Everybody's ballot, with the token that she holds, in a random order; raises as :func:`send_all`."""

    def answer(part: tuple[Contribution, object]) -> tuple[int, str]:
        person, token = part
        message = respondent.compose(respondent.place(person.quasi_identifiers), person.answers, token)
        _sent(respondent, message)
        return message.cell, message.receipt

    holders = list(zip(contributions, tokens, strict=True))
    random.SystemRandom().shuffle(holders)
    sent = sorted(_each(answer, holders, threads, progress, "ballots"), key=lambda pair: pair[1])
    return Acknowledged(cells=tuple(cell for cell, _ in sent), receipts=tuple(receipt for _, receipt in sent))


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
    work: Callable[[Any], T], items: Sequence[Any], threads: int, progress: Progress, name: str
) -> list[T]:
    """Results of `work` for all items, as they come; the first failure ends it."""
    results: list[T] = []
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="respondent") as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in as_completed(futures):
                results.append(future.result())
                progress(len(items))
        except RoomfulError as error:
            pool.shutdown(cancel_futures=True)
            # Not only the results that were looked at: what has ended is told in no order.
            acknowledged = sum(not future.cancelled() and future.exception() is None for future in futures)
            remedy = f"{error.remedy} {acknowledged} of {len(items)} {name} were acknowledged."
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
    return results


def receipt_lines(receipts: Iterable[str]) -> bytes:
    """A file of receipts: one in each line, ascending, so that its order tells nothing."""
    return "".join(f"{receipt}\n" for receipt in sorted(receipts)).encode("ascii")
