"""An invited survey with a real relay, and a collector that notes what it is sent and helps the attacker."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from server.collection.config import Config
from server.collection.relay.pool import RelayPool, prepare
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.collection.web.relay import create_relay_app
from shared.ballot import Ballot
from shared.invitation_code import InvitationCode
from shared.sealing import ballot_info
from shared.specification import Specification
from tests.invited import COLLECTOR_KEY, HPKE, code, digest_of
from tests.programs import free_port
from tests.served import no_client, running
from tests.server.collection.relay.process import post
from tests.server.collection.relay.survey import link_of, link_text, open_collector, relayed, sealed
from tests.waiting import until


@dataclass(kw_only=True)
class Relayed:
    """Everything runs in this process; the collector's own words are kept as they came."""

    specification: Specification
    relay_port: int
    link: str
    code: InvitationCode
    pool: RelayPool
    store: SurveyStore
    sent: list[bytes] = field(default_factory=list)
    _seen: int = 0

    @property
    def digest(self) -> str:
        return digest_of(self.specification)

    def sealed(self, number: int) -> bytes:
        """The n-th person's ballot; sealed anew each time."""
        return sealed(self.digest, number)

    def send(self, body: bytes) -> int:
        """Send to the relay; its answer."""
        return post(self.relay_port, self.digest[:16], body)

    def pool_of(self, others: Iterable[int]) -> set[bytes]:
        """Let others send until the pool leaves; tokens that the collector was sent since the last one."""
        for number in others:
            assert self.send(self.sealed(number)) == 202
        until(lambda: self.pool.totals().waiting + self.pool.totals().leaving == 0)
        new, self._seen = self.sent[self._seen :], len(self.sent)
        return {self.open(body).token.prefix for body in new}

    def receipts(self) -> set[str]:
        """Of all that the collector was sent and has stored."""
        self.store.close()
        return set(self.store.ballot_receipts())

    def open(self, body: bytes) -> Ballot:
        """What the collector sees of a message."""
        plain = HPKE.decrypt(body, COLLECTOR_KEY, ballot_info(self.digest))
        return Ballot.parse(plain, self.specification)


@contextlib.contextmanager
def relayed_survey(folder: Path, *, messages: int) -> Iterator[Relayed]:
    """Open one whose pool leaves as soon as so many wait."""
    port, relay_port = free_port(), free_port()
    base = f"http://127.0.0.1:{port}/"
    specification = relayed(f"http://127.0.0.1:{relay_port}/", messages=messages, seconds=1)
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(DataDirectory(folder / "data", quiet_seconds=60))
        store = open_collector(data, specification)
        config = Config(port=port, threads=4)
        stack.enter_context(running(create_app(config, data, client=no_client), config))
        link = link_of(specification, base)
        pool = stack.enter_context(RelayPool(prepare(folder / "relay", link), link, quiet_seconds=60))
        relay_config = Config(port=relay_port, threads=4)
        relay_app = create_relay_app(relay_config, {pool.survey.id: pool}, folder / "relay")
        stack.enter_context(running(relay_app, relay_config))
        result = Relayed(
            specification=specification,
            relay_port=relay_port,
            link=link_text(specification, base),
            code=code(0),
            pool=pool,
            store=store,
        )
        submit = store.submit

        def noted(message: bytes) -> str:
            result.sent.append(message)
            return submit(message)

        store.submit = noted  # type: ignore[method-assign]
        yield result
