"""How long a browser takes to verify the result of an election, by line.

    python benchmarks/bench_browser_verification.py [--ballots 200] [--choices 12] [--json]

An election of eight boxes with as many ballots as asked for, 200 at most, one contest, result and all, is
published on this machine and verified in Chromium by the page of its board, with Python's standard library
under Pyodide. Times are of the processor, all of Chromium's processes together, so that other work on the
machine counts little; the start of Python is the first line. The terminal does the same with GMP.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from respondent_client.build import build
from server.collection.board_folder import publish_board
from server.release.board.election_files import publish_result
from server.release.trustees.tallying import report_of
from tests.browser.invited_office import office
from tests.chromium import CHROMIUM, PLAIN
from tests.elections import BOXES, PEOPLE_A_BOX, HeldElection, election_keys, election_specification
from tests.published_elections import PublishedElection
from tests.server.cli.test_election import board_files

MOST = BOXES * PEOPLE_A_BOX
PATIENCE_SECONDS = 1200


def held(folder: Path, ballots: int, choices: int) -> PublishedElection:
    """An election with so many voters, who choose in turn."""
    names = [f"choice{number}" for number in range(choices)]
    question = {"type": "radiogroup", "name": "choice", "isRequired": True, "choices": names}
    questionnaire = {"pages": [{"name": "ballot", "elements": [question]}]}
    specification = election_specification(questionnaire=questionnaire, invited=election_keys())
    election = HeldElection(folder, specification=specification)
    for number in range(ballots):
        election.ballots.append(election.ballot(number % BOXES, {"choice": names[number % choices]}))
    return PublishedElection(election)


def chromium_seconds() -> float:
    """Processor time of all processes of Chromium that this one has started."""
    parents, used = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text("ascii", "replace").rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        parents[int(entry.parent.name)] = int(fields[1])
        used[int(entry.parent.name)] = int(fields[11]) + int(fields[12]) if "chrom" in name else 0

    def ours(process: int) -> bool:
        return process == os.getpid() or (process in parents and ours(parents[process]))

    return sum(ticks for process, ticks in used.items() if ours(process)) / os.sysconf("SC_CLK_TCK")


def measure(page: Page, address: str) -> dict[str, Any]:
    """Seconds of each line, as the page tells them."""
    page.route("**/tokens", lambda route: route.fulfill(status=404))
    page.goto(address)
    page.click("#verify-result")
    seconds: dict[str, float] = {}
    line, since, patience = "start", chromium_seconds(), time.monotonic() + PATIENCE_SECONDS
    while not page.locator("#verified [data-outcome]").count():
        if time.monotonic() > patience:
            raise SystemExit("the page did not verify it in time")
        said = page.locator("#verifying").inner_text()
        if said.startswith("Now: ") and said != line:
            now = chromium_seconds()
            seconds[line] = round(now - since, 1)
            line, since = said, now
        page.wait_for_timeout(500)
    seconds[line] = round(chromium_seconds() - since, 1)
    outcome = page.locator("#verification-verdict").get_attribute("data-outcome")
    return {"outcome": outcome, "seconds": seconds, "all": round(sum(list(seconds.values())[1:]), 1)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ballots", type=int, default=MOST, choices=range(10, MOST + 1), metavar="NUMBER")
    parser.add_argument("--choices", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    build(progress=False)
    with TemporaryDirectory() as name:
        folder = Path(name)
        published = held(folder, given.ballots, given.choices)
        with office(folder / "office", lambda _: published.election.specification) as place:
            place.store.close()
            export = folder / "everybody"
            export.mkdir()
            for file, data in published.files.items():
                (export / file).write_bytes(data)
            publish_board(place.store.published.folder, board_files(export))
            publish_result(place.store.published, export, published.files["result.json"], lambda *_: None)
            started = time.process_time()
            report_of(published.received(export), lambda *_: None)
            terminal = round(time.process_time() - started, 1)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=PLAIN)
                link = f"{place.base}s/{place.store.id}/board#{place.link().partition('#')[2]}"
                found = measure(browser.new_page(), link)
                browser.close()
    found |= {"ballots": given.ballots, "choices": given.choices, "terminal_cpu": terminal}
    found["milliseconds_a_ballot"] = round(1000 * found["all"] / given.ballots)
    if given.json:
        print(json.dumps(found))
        return
    for line, seconds in found["seconds"].items():
        print(f"{seconds:>8.1f} s  {line}")
    print(
        f"{found['outcome']}: {found['all']} s without the start of Python, "
        f"{found['milliseconds_a_ballot']} ms a ballot"
    )
    print(f"the terminal, with GMP: {terminal} s of one core")


if __name__ == "__main__":
    main()
