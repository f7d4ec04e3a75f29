"""Relay and collector killed at random moments: every acknowledged ballot arrives, and each exactly once."""

from __future__ import annotations

import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from tests.invited import digest_of
from tests.programs import free_port
from tests.server.collection.relay.process import RelayProcess, post, run
from tests.server.collection.relay.survey import ballot, link_text, open_collector, relayed, sealed
from tests.server.collection.web.process import ServerProcess

PEOPLE = 90


def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    dice = random.Random(7)
    port, collector_port = free_port(), free_port()
    specification = relayed(f"http://127.0.0.1:{port}/", messages=7, seconds=1)
    digest = digest_of(specification)
    data = tmp_path / "data"
    with DataDirectory(data) as directory:
        survey = open_collector(directory, specification).id
    link = link_text(specification, f"http://127.0.0.1:{collector_port}/")
    relay_data = tmp_path / "relay"
    messages = {number: sealed(digest, number) for number in range(PEOPLE)}
    acknowledged: set[int] = set()
    statuses: set[int] = set()
    finished = threading.Event()

    def take_part(number: int) -> None:
        """Send until it is acknowledged, the same bytes each time, as the client does; now and then twice."""
        time.sleep(dice.random() * 6)
        while True:
            status = post(port, survey, messages[number])
            statuses.add(status)
            if status == 202:
                acknowledged.add(number)
                if number % 5:
                    return
                number_again = post(port, survey, messages[number])
                statuses.add(number_again)
                return
            time.sleep(0.1)

    def kill_the_collector() -> None:
        while not finished.wait(1.5 + dice.random() * 2):
            server[0].kill()
            server[0] = ServerProcess(data, collector_port, processes=1, threads=8)

    server = [ServerProcess(data, collector_port, processes=1, threads=8)]
    relay = RelayProcess(link, relay_data, port)
    killer = threading.Thread(target=kill_the_collector)
    killer.start()
    kills = 0
    try:
        with ThreadPoolExecutor(24) as crowd:
            sent = [crowd.submit(take_part, number) for number in range(PEOPLE)]
            until = time.monotonic() + 12
            while time.monotonic() < until or kills < 5 or not all(one.done() for one in sent):
                time.sleep(0.2 + dice.random() * 1.5)
                relay.kill()
                kills += 1
                relay = RelayProcess(link, relay_data, port)
            for one in sent:
                one.result()
    finally:
        finished.set()
        killer.join()
    assert statuses <= {0, 202, 503}
    assert acknowledged == set(range(PEOPLE))

    done = run(link, "--data", relay_data, "--flush", "--yes")
    assert done.returncode == 0, done.stderr
    assert relay.stop() == 0
    totals = json.loads(run(link, "--data", relay_data, "--status", "--json").stdout)[0]
    assert (totals["waiting"], totals["leaving"], totals["refused"]) == (0, 0, {})
    assert server[0].stop() == 0
    with DataDirectory(data) as directory:
        store = directory.survey(survey)
        store.check()
        store.close()
        stored = sorted(ballot.receipt for ballot in store.ballots())
    assert stored == sorted(ballot(digest, number).receipt for number in range(PEOPLE))
    events = {line for line in relay.output.splitlines() if line.startswith(("INFO", "WARNING", "ERROR"))}
    assert events <= {"INFO batch-passed", "WARNING collector-away"}
    told = {line.split()[0] for line in relay.output.splitlines()} - {"INFO", "WARNING", "ERROR"}
    assert told == {"Relaying", "survey", "Stopped."}
