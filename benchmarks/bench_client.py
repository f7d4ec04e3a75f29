"""The respondent's page in Chromium: when it can be read, when Python is ready, how long verifying takes.

    python benchmarks/bench_client.py [--cells 10000] [--json]

The survey has 10,000 cells and 6 coordinates, as in the project's target: verified and mapped in under a
second after Python is ready, page readable in under a second. CPython does the same as a baseline.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from respondent_client.build import build
from respondent_client.headless.respondent import run
from respondent_client.link import Link
from respondent_client.session import examine_survey, place
from shared.attributes import Numeric
from shared.cells import Balls, Cells, PowerDiagram
from shared.effective_anonymity import n_min, n_min_safe
from shared.envelope import Envelope
from shared.specification import Specification
from tests.browser.conftest import KEY
from tests.browser.harness import Harness
from tests.browser.site import Site
from tests.builders import ORGANIZER_KEY, both, sign, small_specification
from tests.chromium import ARGUMENTS, CHROMIUM
from tests.respondent_client.fakes import FakePlatform

COORDINATES = 6
RANGE = 999
PEOPLE = range(40, 90)
K = 10
FAILURE = "1e-6"


def specification(n_cells: int, shape: str) -> Specification:
    """A register with random centres; every cell holds 40 to 89 people."""
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
    points = tuple(tuple(random_.randint(0, RANGE) for _ in range(COORDINATES)) for _ in range(n_cells))
    weights = (7, 5, 3, 2, 11, 13)
    cells: Cells
    if shape == "power-diagram":
        cells = PowerDiagram(weights=weights, resolution=1, sites=points, offsets=(0,) * n_cells)
    else:
        cells = Balls(weights=weights, references=points, radii=(400,) * n_cells, remainder="nearest")
    people = [random_.choice(PEOPLE) for _ in points]
    template = small_specification()
    levels = template.levels
    changes: dict[str, Any] = {
        "attributes": attributes,
        "cells": cells,
        "eligible": tuple((n,) for n in people),
        "centroids": tuple(tuple(f"{c}.0000" for c in point) for point in points),
        "k": K,
        "acceptable_cell_failure": FAILURE,
        "n_min": tuple(n_min(K, level, FAILURE) for level in levels),
        "n_min_safe": tuple(n_min_safe(K, level, FAILURE) for level in levels),
    }
    needed = changes["n_min_safe"][0]
    changes["eligible"] = tuple((max(n, needed),) for n in people)
    model = type(template.model)(
        kind="register",
        digest="0" * 64,
        people=sum(n for (n,) in changes["eligible"]),
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
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    static = build(progress=False)
    sizes = {name: sum(p.stat().st_size for p in static.rglob(f"*{name}")) for name in (".br", ".gz")}
    result: dict[str, Any] = {
        "cells": options.cells,
        "coordinates": COORDINATES,
        "bytes_brotli": sizes[".br"],
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
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
