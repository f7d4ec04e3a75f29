"""The respondent's page in Chromium: when it can be read, when Python is ready, how long verifying takes.

    python benchmarks/bench_client.py [--cells 10000] [--json]
    python benchmarks/bench_client.py --way [--json]

The survey has 10,000 cells and 6 coordinates, as in the project's target: verified and mapped in under a
second after Python is ready, page readable in under a second. CPython does the same as a baseline.

With ``--way`` a person opens the link of a public survey of 20,000 people, on this machine, over two
telephone networks and on a slow telephone, with nothing kept from before: when she can read, start, go on
from the checks and fill in "About you", when all checks have passed and her group is there; with the bytes
and requests until the first question.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.slow_line import FAST_3G, SLOW_3G, SlowLine, Speed
from respondent_client.build import build
from respondent_client.headless.respondent import run
from respondent_client.link import Link
from respondent_client.session import examine_survey, place
from shared.attributes import Numeric
from shared.cells import Balls, Cells, PowerDiagram
from shared.effective_anonymity import n_min, n_min_safe
from shared.envelope import Envelope
from shared.model import ModelRow, format_model
from shared.register import coarse_people, map_centroids, site_steps
from shared.specification import Specification, ranges_of
from tests.browser.conftest import KEY
from tests.browser.harness import Harness
from tests.browser.site import Site
from tests.builders import ORGANIZER_KEY, age, both, build_specification, sex, sign, small_specification
from tests.chromium import CHROMIUM, PLAIN
from tests.respondent_client.fakes import FakePlatform

COORDINATES = 6
RANGE = 999
TOWN_PEOPLE = 20_000
WAYS: dict[str, tuple[Speed | None, int]] = {
    "this-machine": (None, 1),
    "slow-telephone": (None, 6),
    "fast-3g": (FAST_3G, 1),
    "slow-3g": (SLOW_3G, 1),
}
"""The line, and how many times slower the processor is for the page; Chromium does not slow workers."""
WAY_MILLISECONDS = 240_000
K = 10
FAILURE = "1e-6"


def specification(n_cells: int, shape: str) -> Specification:
    """A register with random centres; what may be published of it."""
    random_ = random.Random(2)
    attributes = tuple(
        Numeric(
            name=f"q{j}",
            label=both(f"Q{j}"),
            help=both(""),
            missing="refused",
            minimum="0",
            maximum="999",
            step="1",
        )
        for j in range(COORDINATES)
    )
    template = small_specification()
    levels = template.levels
    needs = tuple(n_min_safe(K, level, FAILURE) for level in levels)
    (step, *_) = site_steps(ranges_of(attributes), 1, min(needs))
    points = tuple(
        tuple(step * random_.randint(0, RANGE // step) for _ in range(COORDINATES)) for _ in range(n_cells)
    )
    weights = (7, 5, 3, 2, 11, 13)
    cells: Cells
    if shape == "power-diagram":
        cells = PowerDiagram(weights=weights, resolution=1, sites=points, offsets=(0,) * n_cells)
    else:
        cells = Balls(weights=weights, references=points, radii=(400,) * n_cells, remainder="nearest")
    changes: dict[str, Any] = {
        "attributes": attributes,
        "cells": cells,
        "eligible": (needs,) * n_cells,
        "centroids": map_centroids(cells, attributes),
        "row": tuple(range(n_cells)),
        "k": K,
        "acceptable_cell_failure": FAILURE,
        "n_min": tuple(n_min(K, level, FAILURE) for level in levels),
        "n_min_safe": needs,
    }
    model = type(template.model)(
        kind="register",
        digest="0" * 64,
        people=coarse_people(n_cells * sum(needs) * 3 // 2),
        reading=template.model.reading,
    )
    fields = {name: getattr(template, name) for name in template.__dataclass_fields__}
    release = type(template.release)(rule="withhold", minimum=K, distinct_values=1, t_closeness=None)
    permissions = type(template.permissions)(free_text=False, balls_from_register=shape == "balls")
    return Specification(
        **{**fields, **changes, "model": model, "release": release, "permissions": permissions}
    )


def measure_browser(browser: Browser, site: Site, repeats: int) -> dict[str, Any]:
    """Milliseconds, medians where there are several."""
    result: dict[str, Any] = {}
    for kind in ("cold", "warm"):
        context = browser.new_context()
        readable, ready = [], []
        for _ in range(1 if kind == "cold" else repeats + 1):
            page = context.new_page()
            page.goto(site.link(KEY), wait_until="commit")
            page.locator("h1").wait_for()
            paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
            page.locator("#start:not([disabled])").wait_for()
            readable.append(page.evaluate(paint))
            page.close()
            harness = Harness(context.new_page(), site)
            ready.append(harness.start_ms)
            harness.page.close()
        context.close()
        result[f"page_readable_{kind}_ms"] = round(statistics.median(readable[-repeats:]), 1)
        result[f"python_ready_{kind}_ms"] = round(statistics.median(ready[-repeats:]), 1)
    context = browser.new_context()
    harness = Harness(context.new_page(), site)
    person = {f"q{j}": str(137 * j % RANGE) for j in range(COORDINATES)}
    examined, placed = [], []
    for _ in range(repeats):
        started = time.perf_counter()
        answer = harness.open()
        examined.append(1000 * (time.perf_counter() - started))
        if answer["result"]["survey"] is None:
            raise SystemExit(f"refused: {answer['result']['refused']}")
        started = time.perf_counter()
        harness.ask("place", quasi_identifiers=person)
        placed.append(1000 * (time.perf_counter() - started))
    result["verified_first_ms"] = round(examined[0])
    result["verified_ms"] = round(statistics.median(examined))
    result["mapped_ms"] = round(statistics.median(placed))
    result["verified_and_mapped_ms"] = round(statistics.median(map(sum, zip(examined, placed, strict=True))))
    context.close()
    return result


def town() -> tuple[bytes, bytes]:
    """A signed survey of 20,000 people in 300 groups whose model is public, and that model."""
    random_ = random.Random(3)
    attributes = (age(), sex(), age(name="minutes", label=both("Minutes to work")))
    people: Counter[tuple[int, ...]] = Counter()
    for _ in range(TOWN_PEOPLE):
        female = random_.getrandbits(1)
        people[random_.randint(0, 99), female, 1 - female, random_.randint(0, 99)] += 1
    rows = [ModelRow(vector=vector, level=0, people=n) for vector, n in sorted(people.items())]
    sites = tuple(
        (100 * i + 50, 10 * female, 10 - 10 * female, 60 * j + 70)
        for i in range(10)
        for female in (0, 1)
        for j in range(15)
    )
    cells = PowerDiagram(weights=(1, 5000, 5000, 1), resolution=10, sites=sites, offsets=(0,) * len(sites))
    made = build_specification(attributes=attributes, rows=rows, cells=cells)
    return sign(made.to_bytes(), ORGANIZER_KEY).to_bytes(), format_model(attributes, rows)


def walk(browser: Browser, site: Site, speed: Speed | None, slowdown: int) -> dict[str, Any]:
    """One way of a person who has never been there, in seconds since she opened the link."""
    line = SlowLine(site.server.server_address[1], speed)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAY_MILLISECONDS)
    if slowdown > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    seen: dict[str, Any] = {}
    started = time.monotonic()
    before = len(site.requests)

    def note(name: str, selector: str) -> None:
        page.locator(f"{selector}, #refusal").first.wait_for()
        if page.locator("#refusal").count():
            raise SystemExit(page.locator("#refusal").inner_text())
        seen[f"{name}_s"] = round(time.monotonic() - started, 1)

    page.goto(
        site.link(KEY).replace(f":{site.server.server_address[1]}/", f":{line.port}/"), wait_until="commit"
    )
    note("text", "h1")
    note("start", "#start:not([disabled])")
    page.click("#start")
    note("continue", "#screen button.primary:not([disabled])")
    page.click("#screen button.primary")
    note("about_you", "#field-0")
    seen["kilobytes_until_about_you"] = round(line.bytes_down / 1000)
    note("all_checks_passed", "#sound")
    page.get_by_label("Age", exact=True).fill("43")
    page.get_by_label("Female", exact=True).check()
    page.get_by_label("Minutes to work", exact=True).fill("20")
    page.click("#screen button.primary")
    note("group", "#example")
    page.click("#screen button.primary")
    note("question", ".questionnaire input")
    seen["kilobytes"] = round(line.bytes_down / 1000)
    seen["requests"] = len(site.requests) - before
    context.close()
    line.close()
    return seen


def measure_way(browser: Browser, static: Path) -> dict[str, Any]:
    """A person's way over each line."""
    envelope, model = town()
    site = Site(static, envelope, model)
    result = {name: walk(browser, site, speed, slowdown) for name, (speed, slowdown) in WAYS.items()}
    site.close()
    return {"load": os.getloadavg()[0], **result}


def measure_headless(envelope: bytes, fragment: str, repeats: int) -> dict[str, Any]:
    """The same in CPython, as the baseline."""
    platform = FakePlatform(envelope)
    link = Link.parse(f"https://example.org/s/{fragment[:16]}#{fragment}")
    person = {f"q{j}": str(137 * j % RANGE) for j in range(COORDINATES)}
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        place(run(examine_survey(platform, link)).sound(), person)
        times.append(1000 * (time.perf_counter() - started))
    return {"cpython_verified_and_mapped_ms": round(statistics.median(times))}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--way", action="store_true", help="a person's way to the first question")
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    static = build(progress=False)
    if options.way:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=PLAIN)
            print(json.dumps(measure_way(browser, static), indent=1))
            browser.close()
        return
    sizes = {name: sum(p.stat().st_size for p in static.rglob(f"*{name}")) for name in (".br", ".gz")}
    result: dict[str, Any] = {
        "cells": options.cells,
        "coordinates": COORDINATES,
        "bytes_brotli": sizes[".br"],
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=PLAIN)
        for shape in ("power-diagram", "balls"):
            envelope = sign(specification(options.cells, shape).to_bytes(), ORGANIZER_KEY).to_bytes()
            site = Site(static, envelope, None)
            figures = measure_browser(browser, site, options.repeats)
            figures |= measure_headless(envelope, f"{site.digest}.{KEY}", options.repeats)
            figures["specification_bytes"] = len(Envelope.parse(envelope).payload)
            site.close()
            result[shape] = figures
        browser.close()
    if options.as_json:
        print(json.dumps(result, indent=1))
        return
    print(f"{result['cells']} cells, {COORDINATES} coordinates; all files with brotli {sizes['.br']:,} bytes")
    for shape in ("power-diagram", "balls"):
        print(f"\n{shape}")
        for name, value in result[shape].items():
            print(f"  {name:32s} {value:>12,}")
    print("\nTargets: verified_and_mapped_ms < 1,000; page_readable_cold_ms < 1,000")


if __name__ == "__main__":
    main()
