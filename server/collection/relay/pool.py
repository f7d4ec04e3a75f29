"""The pool of one survey at work: what it takes, under which rule it leaves, who passes it on."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from server.collection.relay.collector import Collector
from server.collection.relay.forwarding import Forwarder
from server.collection.relay.link import RelayLink
from server.collection.relay.threshold import Threshold
from server.collection.relay.turns import Turn
from server.collection.relay.watching import Watch
from server.collection.storage.databases import Databases, embedded
from server.collection.storage.ownership import require_own
from server.collection.storage.published import SPECIFICATION_NAME, PublishedSurvey
from server.collection.storage.relay import RelayStore, Totals
from server.collection.storage.remembered import ENDED
from server.collection.storage.store import QUIET_SECONDS
from server.files import named_file_errors, new_folder, read_start, write_new
from server.keys.relay_key import RelayKey
from shared.ballot import envelope_bytes
from shared.envelope import encode_key
from shared.errors import SetupError, StateError, SubmissionError, VerificationError
from shared.invited import Invited, Relay
from shared.limits import MAX_ENVELOPE_BYTES

_CAPACITY_FACTOR: Final = 4
"""A pool keeps four messages for each invited person or each that the rule wants, between these bounds."""
_LEAST_CAPACITY: Final = 1_000
_MOST_CAPACITY: Final = 1_000_000
_MOST_BYTES: Final = 2**30
"""And never more than this on the disk, whatever a ballot's length."""


class RelayPool:
    """One survey of a relay. Safe for many threads.

    Parameters
    ----------
    survey : PublishedSurvey
        Verified by :func:`prepare`.
    link : RelayLink
        Where its collector is.
    quiet_seconds : float
        See :class:`~server.collection.storage.relay.RelayStore`.
    turn : Turn, optional
        When it may pass on among the others of this relay.
    key : RelayKey or None
        As :func:`key_for` gives it.
    databases : callable
        Where databases are.
    """

    def __init__(
        self,
        survey: PublishedSurvey,
        link: RelayLink,
        *,
        quiet_seconds: float,
        turn: Turn | None = None,
        databases: Databases = embedded,
        key: RelayKey | None = None,
    ) -> None:
        self.survey, self.link = survey, link
        self._key = key
        invited, self.rule = relay_of(survey)
        self._length = envelope_bytes(survey.specification)
        self.store = open_store(survey, quiet_seconds=quiet_seconds, databases=databases)
        collector = Collector(link)
        self._watch = Watch(self.store, collector, invited.people)
        self._forwarder = Forwarder(
            self.store, collector, Threshold.of(self.rule), turn=turn, watch=self._watch
        )
        self._thread = threading.Thread(target=self._forwarder.run, name="roomful-relay", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._forwarder.end()
        self._thread.join()
        self.store.end()

    def accept(self, body: bytes) -> bytes | None:
        """Take a message into the pool, durably. All that is looked at is its length.

        Returns
        -------
        bytes or None
            The relay's signature that it took exactly these bytes, once they are on its disk; None if the
            specification names no key of the relay.

        Raises
        ------
        SubmissionError
            With the code ``ballot.sealed`` if no ballot of this survey has this length.
        StateError
            With the code ``state.draft``, ``state.closed`` or ``state.released`` if the collector says so.
        StorageError
            If it could not be stored; then nothing was kept.
        """
        if len(body) != self._length:
            raise SubmissionError(
                "this is not a sealed ballot",
                expected=f"{self._length} bytes, the one length of this survey's ballots",
                code="ballot.sealed",
            )
        for code in sorted(ENDED):
            if code in self.store.refusals:
                raise StateError("the collector takes no more ballots of this survey", code=code)
        if self._watch.state not in (None, "open"):
            raise StateError("the survey is not open", code=f"state.{self._watch.state}")
        self.store.accept(body)
        return None if self._key is None else self._key.accept(self.survey.digest, body)

    def totals(self) -> Totals:
        """Numbers, and nothing else."""
        return self.store.totals()


def open_store(
    survey: PublishedSurvey, *, quiet_seconds: float = QUIET_SECONDS, databases: Databases = embedded
) -> RelayStore:
    """The pool's file of a prepared survey; the caller ends it.

    Raises
    ------
    StorageError
        If it is damaged.
    """
    invited, _ = relay_of(survey)
    return RelayStore(
        survey.folder,
        digest=survey.digest,
        capacity=capacity(survey),
        people=invited.people,
        quiet_seconds=quiet_seconds,
        databases=databases,
    )


def capacity(survey: PublishedSurvey) -> int:
    """The most messages that a survey's pool keeps: its room."""
    invited, rule = relay_of(survey)
    wanted = _CAPACITY_FACTOR * max(invited.people, rule.messages)
    most = min(_MOST_CAPACITY, _MOST_BYTES // envelope_bytes(survey.specification))
    return min(max(wanted, _LEAST_CAPACITY), most)


def prepare(directory: Path, link: RelayLink, databases: Databases = embedded) -> PublishedSurvey:
    """The verified specification of a survey, and an empty pool for it if there is none yet.

    It is fetched once and kept: the digest in the link pins it, so it cannot change, and a relay can start
    while the collector is away.

    Raises
    ------
    RemoteError
        If it has to be fetched and does not arrive.
    VerificationError, SpecificationError
        If it is not the one in the link, signed by the key in the link.
    SetupError
        With the code ``setup.relay`` if it has no relay.
    StorageError
        If it cannot be written; with the code ``storage.foreign`` if the directory is another user's, or
        others can write in it.
    """
    require_own(directory)
    folder = directory / "surveys" / link.survey
    path = folder / SPECIFICATION_NAME
    if path.is_file():
        with named_file_errors(f"{link.survey}/{SPECIFICATION_NAME}"):
            return _verify(folder, link, read_start(path, MAX_ENVELOPE_BYTES))
    survey = _verify(folder, link, Collector(link).specification())
    with named_file_errors(directory.name):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        if not folder.exists():
            with new_folder(folder) as work:
                write_new(work / SPECIFICATION_NAME, survey.envelope)
                RelayStore.create(work, digest=survey.digest, databases=databases)
    return survey


def _verify(folder: Path, link: RelayLink, envelope: bytes) -> PublishedSurvey:
    survey = PublishedSurvey.verify(folder, envelope, organizer_key=link.organizer_key)
    if survey.digest != link.digest:
        raise VerificationError(
            "the collector has another survey than the link",
            where=link.survey,
            remedy="Take the link from the organizer; do not serve this survey.",
        )
    relay_of(survey)
    return survey


def relay_of(survey: PublishedSurvey) -> tuple[Invited, Relay]:
    """What a survey's specification says of its relay.

    Raises
    ------
    SetupError
        With the code ``setup.relay`` if it has none.
    """
    invited = survey.specification.invited
    if invited is None or invited.relay is None:
        raise SetupError(
            "the specification of this survey names no relay",
            where=survey.id,
            expected="[invited.relay] in survey.toml, before signing",
            remedy="Its respondents send to the collector directly; there is nothing to relay.",
            code="setup.relay",
        )
    return invited, invited.relay


def key_for(survey: PublishedSurvey, key: RelayKey | None) -> RelayKey | None:
    """The key with which the relay signs what it takes of a survey; None if the specification names none.

    Raises
    ------
    SetupError
        With the code ``setup.relay-key`` if it names another key than the one that is here.
    """
    named = relay_of(survey)[1].key
    if named is None:
        return None
    if key is None or key.public_key != named:
        raise SetupError(
            "the signed specification names a key of the relay, and it is not here",
            where=survey.id,
            expected=f"the private key of ed25519:{encode_key(named)}",
            remedy="Give the file of roomful keygen --purpose relay by --key. Without it no voter's device"
            " takes this relay's word.",
            code="setup.relay-key",
        )
    return key


def common_address(surveys: tuple[PublishedSurvey, ...], public_url: str | None) -> str:
    """The one address under which all surveys of a relay expect it.

    Raises
    ------
    SetupError
        With the code ``setup.relay-url`` if they name several, or another than `public_url`.
    """
    named = {relay_of(survey)[1].url for survey in surveys}
    if public_url is not None:
        named.add(public_url if public_url.endswith("/") else public_url + "/")
    if len(named) != 1:
        raise SetupError(
            "the signed specification names another address for the relay",
            where=" and ".join(sorted(named)),
            expected="one address for all surveys of this relay, and --public-url, if given, the same",
            remedy="Respondents' devices send to the signed address and to no other. Run a relay for each.",
            code="setup.relay-url",
        )
    return named.pop()


def pass_on_now(pool: RelayStore, link: RelayLink, rule: Relay) -> None:
    """Pass on once, for a relay that does not run, what is on its way and what a flush was asked for."""
    line = Collector(link)
    try:
        Forwarder(pool, line, Threshold.of(rule)).step()
    finally:
        line.close()
