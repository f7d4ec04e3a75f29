"""`roomful reproduce --all` from an empty folder: seconds of each entry, worst differences, and the sum.

    python benchmarks/bench_reproduce.py [--only PART] [--limit SECONDS] [--json]

Runs the command as a person does, in a process of its own and in a new folder. Fails if an entry breaks what
it promises, or if everything together takes longer than the limit (15 minutes). Data are read from the
reference folder (environment variable ROOMFUL_REFERENCE_DATA).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from server.statistics.reproduction.catalogue import CATALOGUE

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ROOMFUL_REFERENCE_DATA", PROJECT.parent / "shared" / "data"))
LIMIT_SECONDS = 15 * 60


def run(names: tuple[str, ...]) -> tuple[dict[str, Any], float, int]:
    """The command's summary, seconds by the clock, and its exit code."""
    code = "from server.cli.main import main; main()"
    chosen = list(names) or ["--all"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [sys.executable, "-c", code, "reproduce", *chosen, "--out", str(out), "--json"]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--data", str(DATA)], cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=False
        )
        seconds = time.perf_counter() - started
        if not done.stdout:
            raise SystemExit(f"the command ended with {done.returncode} and no summary")
        written = json.loads((out / "index.json").read_text(encoding="utf-8"))["files"]
        assert all((out / name).stat().st_size for name in written)
        return json.loads(done.stdout), seconds, done.returncode


def shown(entry: dict[str, Any]) -> str:
    """One line of the table."""
    worst = entry["worst"]
    miss = ""
    if worst is not None:
        place = ", ".join((*worst["where"], worst["measure"]))
        miss = f"{worst['ours']:.5g} beside {worst['published']:.5g} ({place})"
    took = f"{entry['seconds']:>8.1f} {CATALOGUE[entry['name']].seconds:>9.1f}"
    kept = f"{entry['kept']}/{entry['promised']}"
    return f"{entry['name']:<32} {took} {entry['compared']:>8} {kept:>9}  {miss}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="entries whose name contains this")
    parser.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds for everything")
    parser.add_argument("--json", action="store_true", help="print the command's own summary")
    arguments = parser.parse_args()
    names = tuple(name for name in CATALOGUE if arguments.only in name) if arguments.only else ()
    if arguments.only and not names:
        parser.error("no entry has such a name")
    summary, seconds, code = run(names)
    if arguments.json:
        print(json.dumps(summary, indent=1, ensure_ascii=False))
    else:
        print(f"{'entry':<32} {'seconds':>8} {'expected':>9} {'compared':>8} {'kept':>9}  worst difference")
        for entry in summary["entries"]:
            print(shown(entry))
        print(
            f"together {seconds:.0f} s of {arguments.limit:.0f}, with the start of the program and the page"
        )
    if code:
        raise SystemExit(f"a promise is not kept: exit code {code}")
    if seconds > arguments.limit:
        raise SystemExit(f"{seconds:.0f} s are more than {arguments.limit:.0f}")


if __name__ == "__main__":
    main()
