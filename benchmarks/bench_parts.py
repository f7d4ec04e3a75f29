"""A large survey in parts beside the same in one piece: for a device, a terminal, a server, an auditor.

    python benchmarks/bench_parts.py [--people 2000000] [--district 100000]
                                     [--folder FOLDER] [--audit] [--json]

The register `town` of bench_design.py is designed with k = 10 and a failure of at most 1e-6, in parts; the
same cells are signed in one piece too. Each is published and served by a server of its own. A person opens
its link in Chromium with nothing kept from before: on this machine, and over a line of 400 kbit/s and 400 ms
with a page that is four times as slow (Chromium slows no workers, so the checks are not). She loads her part,
or everything. Terminals answer likewise; then the survey is verified and released, and with ``--audit`` the
one in parts is audited, which takes as long as its design. Seconds, kilobytes that came to the device, the
greatest memory of the page's process and of commands.

With ``--folder`` everything stays there, and a design that is there already is used again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_design import write_register
from benchmarks.slow_line import SlowLine, Speed
from respondent_client.headless.respondent import HeadlessRespondent
from server.files import write_file
from server.keys.parts_folder import parts_in
from server.keys.signing import DESIGN_FILE
from shared.specification import Specification
from tests.chromium import CHROMIUM, PLAIN
from tests.programs import COMMAND, Program, free_port

PROMISE: Final = {"k": 10, "acceptable_cell_failure": "1e-6"}
PERSON: Final = {"age": "44", "income": "2500", "hours": "40", "place": "P0003"}
ANSWERS: Final = {"answer": 3}
RESPONDENTS: Final = 12
WALK_MILLISECONDS: Final = 600_000
SAMPLE_SECONDS: Final = 0.05
LINES: Final[dict[str, tuple[Speed | None, int]]] = {
    "this-machine": (None, 1),
    "slow": (Speed(bits_per_second=0.4e6, round_trip_seconds=0.4), 4),
}
"""The line, and how many times slower the processor is for the page."""
ENVIRONMENT: Final = {"ROOMFUL_PASSPHRASE": "of no use to anybody"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A folder in which commands are run and measured."""

    folder: Path

    def run(self, *words: str | Path) -> tuple[str, dict[str, float]]:
        """Run a command in a process of its own: what it said, and what it took."""
        began = time.perf_counter()
        output = self.folder / "said.txt"
        with output.open("wb") as stream:
            process = os.posix_spawn(
                sys.executable,
                [*COMMAND, *map(str, words)],
                os.environ | ENVIRONMENT | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])},
                file_actions=[(os.POSIX_SPAWN_DUP2, stream.fileno(), number) for number in (1, 2)],
            )
            peak, done = 0, 0
            while not done:  # what wait4() says of memory has that of this process in it
                peak = max(peak, peak_megabytes(process))
                time.sleep(SAMPLE_SECONDS)
                done, status, used = os.wait4(process, os.WNOHANG)
        said = output.read_text("utf-8")
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"{words}: {said}")
        return said, {
            "clock_s": round(time.perf_counter() - began, 1),
            "processor_s": round(used.ru_utime + used.ru_stime, 1),
            "megabytes": peak,
        }

    def design(self, people: int, district: str) -> dict[str, Any]:
        """Design the register in parts, and write the same in one piece beside it."""
        out, one = self.folder / "parts", self.folder / "one"
        took: dict[str, float] = {}
        if not out.exists():
            survey = write_register(
                self.folder, "town", people, "register", "power-diagram", Path(), promise=PROMISE
            )
            _, took = self.run("design", survey, "--out", out, "--district", district, "--parts")
        specification = Specification.parse((out / DESIGN_FILE).read_bytes(), parts_in(out))
        one.mkdir(exist_ok=True)
        write_file(one / DESIGN_FILE, replace(specification, parts=()).to_bytes())
        sizes = [part.n_bytes for part in specification.parts]
        return took | {
            "cells": specification.cells.count,
            "parts": len(sizes),
            "root_bytes": (out / DESIGN_FILE).stat().st_size,
            "largest_part_bytes": max(sizes),
            "all_bytes": sum(sizes),
            "one_piece_bytes": (one / DESIGN_FILE).stat().st_size,
        }

    def publish(self, name: str) -> str:
        """Sign, publish and open one of the two; its id."""
        key, data = self.folder / "key.pem", self.folder / f"data-{name}"
        if not key.exists():
            self.run("keygen", "--out", key)
        self.run("sign", self.folder / name, "--key", key)
        said, _ = self.run("publish", self.folder / name, "--data", data)
        found = re.search(r"[0-9a-f]{16}", said)
        if found is None:
            raise SystemExit(said)
        self.run("open", found[0], "--data", data, "--yes")
        return found[0]

    @contextmanager
    def serve(self, name: str) -> Iterator[Program]:
        """A server of one of the two; what it says is the link."""
        words = ("serve", "--data", str(self.folder / f"data-{name}"), "--port", str(free_port()))
        with Program([*COMMAND, *words], r"http://\S+/s/\S+#\S+", environment=ENVIRONMENT) as server:
            yield server


def peak_megabytes(pid: int) -> int:
    """The greatest memory that a process had."""
    text = Path(f"/proc/{pid}/status").read_text("ascii")
    found = re.search(r"VmHWM:\s*(\d+) kB", text)
    return int(found[1]) // 1024 if found else 0


def first_and_second(link: str, digests: list[str]) -> dict[str, float]:
    """Milliseconds until the server has answered: the first time, when it compresses, and then."""
    base, _, survey = link.partition("#")[0].rpartition("/s/")
    paths = [f"parts/{digest}" for digest in digests] or ["specification"]
    found: dict[str, float] = {}
    for name in ("first_request_ms", "second_request_ms"):
        began = time.perf_counter()
        for path in paths:
            request = urllib.request.Request(
                f"{base}/api/v1/surveys/{survey}/{path}", headers={"Accept-Encoding": "br"}
            )
            urllib.request.urlopen(request).read()
        found[name] = round(1000 * (time.perf_counter() - began) / len(paths), 1)
    return found


def through(link: str, speed: Speed | None) -> tuple[SlowLine, str]:
    """A line to the server of a link, and the link over it."""
    port = urlsplit(link).port or 80
    line = SlowLine(port, speed)
    return line, link.replace(f":{port}/", f":{line.port}/")


def walk(
    browser: Browser, link: str, button: str | None, speed: Speed | None, slowdown: int
) -> dict[str, Any]:
    """One person's way to her receipt, over the button of the page of parts: seconds since the beginning."""
    line, address = through(link, speed)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WALK_MILLISECONDS)
    if slowdown > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    seen: dict[str, Any] = {}
    began = time.monotonic()

    def note(name: str, selector: str) -> None:
        page.locator(f"{selector}, #refusal, #part-status [role=alert]").first.wait_for()
        for problem in page.locator("#refusal, #part-status [role=alert]").all():
            raise SystemExit(problem.inner_text())
        seen[f"{name}_s"] = round(time.monotonic() - began, 1)
        seen[f"{name}_kB"] = round(line.bytes_down / 1000)

    page.goto(address, wait_until="commit")
    page.locator("#start:not([disabled])").wait_for()
    page.click("#start")
    page.locator("#screen button.primary:not([disabled])").wait_for()
    page.click("#screen button.primary")
    note("about_you", "#field-0")
    for number, value in enumerate(PERSON.values()):
        page.locator(f"#field-{number}").fill(value)
    page.click("#screen button.primary")
    if button is not None:
        note("asked_for_the_part", button)
        page.click(button)
    note("group", "#example")
    page.click("#screen button.primary")
    page.locator(".questionnaire input").first.check(force=True)
    page.click("#screen button.primary")
    page.locator("#raw").wait_for()
    page.click("#screen button.primary")
    note("receipt", "#receipt")
    seen["page_megabytes"] = max(map(peak_megabytes, renderers(browser, page)))
    context.close()
    line.close()
    return seen


def renderers(browser: Browser, page: Page) -> list[int]:
    """Processes that show pages; others than this page's have not begun anything."""
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    assert page.url
    return [process["id"] for process in found if process["type"] == "renderer"]


def terminal(bench: Bench, link: str, *options: str) -> dict[str, float]:
    """One answer by `roomful respond`, over a line that only counts."""
    line, address = through(link, None)
    answers = bench.folder / "me.json"
    answers.write_text(json.dumps({"quasi_identifiers": PERSON, "answers": ANSWERS}), "utf-8")
    _, took = bench.run("respond", address, "--answers", answers, *options)
    took["kB"] = round(line.bytes_down / 1000)
    line.close()
    return took


def answer(link: str, people: Mapping[str, str]) -> None:
    """A dozen people of one cell, so that it is released."""
    respondent = HeadlessRespondent(link)
    examination = respondent.examine()
    respondent.accept(respondent.load(examination, respondent.district_of(examination, people)))
    for _ in range(RESPONDENTS):
        respondent.respond(people, ANSWERS)
    respondent.close()


def measure(bench: Bench, people: int, district: str) -> dict[str, Any]:
    """Everything of both surveys."""
    result: dict[str, Any] = {"load": os.getloadavg()[0], "design": bench.design(people, district)}
    public = bench.folder / "key.pub"
    ways: dict[str, dict[str, str | None]] = {
        "one": {"one": None},
        "parts": {"part": "#load-part", "everything": "#load-all"},
    }
    for name, buttons in ways.items():
        survey = bench.publish(name)
        digests = [path.stem for path in (bench.folder / name / "parts").glob("*.json")]
        with bench.serve(name) as server, sync_playwright() as playwright:
            link = server.found
            result[f"server_of_{name}"] = first_and_second(link, digests)
            for way, button in buttons.items():
                options = ("--all-parts",) if way == "everything" else ()
                result[f"terminal_{way}"] = terminal(bench, link, *options)
                for line, (speed, slowdown) in LINES.items():
                    browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=PLAIN)
                    result[f"{line}_{way}"] = walk(browser, link, button, speed, slowdown)
                    browser.close()
                    print(f"{line} {way}: {result[f'{line}_{way}']}", file=sys.stderr, flush=True)
            answer(link, PERSON | {"age": "70"})
            result[f"server_of_{name}"]["megabytes"] = max(
                map(peak_megabytes, [server.pid, *server.workers()])
            )
        bench.run("close", survey, "--data", bench.folder / f"data-{name}", "--yes")
        result[f"verify_{name}"] = bench.run("verify", bench.folder / name, "--key", public)[1]
        released = bench.folder / f"release-{name}"
        data = bench.folder / f"data-{name}"
        result[f"release_{name}"] = bench.run("release", survey, "--data", data, "--out", released)[1]
        rows = (released / "microdata.csv").read_text("utf-8").splitlines()[1:]
        result[f"release_{name}"]["answers"] = len(rows)
    return result


def audit(bench: Bench) -> dict[str, float]:
    """What an auditor's check of the survey in parts takes; the register is designed again."""
    out = bench.folder / "parts"
    words = (out, "--model", bench.folder / "people.csv", "--salt", out / "model.salt")
    return bench.run("audit", *words, "--key", bench.folder / "key.pub", "--k", "10")[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=2_000_000)
    parser.add_argument("--district", default="100000", help="as of `roomful design`")
    parser.add_argument("--folder", type=Path)
    parser.add_argument(
        "--audit", action="store_true", help="audit it too, which takes as long as the design"
    )
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("data-one", "data-parts", "release-one", "release-parts", "one"):
            shutil.rmtree(folder / name, ignore_errors=True)
        (folder / "parts" / "survey.dsse.json").unlink(missing_ok=True)
        bench = Bench(folder=folder)
        result = measure(bench, options.people, options.district)
        if options.audit:
            result["audit_parts"] = audit(bench)
    if options.as_json:
        print(json.dumps(result, indent=1))
        return
    for name, figures in result.items():
        print(name, json.dumps(figures))


if __name__ == "__main__":
    main()
