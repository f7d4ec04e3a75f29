"""Every byte of the folder of a small election changed once: how many are refused, and with which lines.

    python benchmarks/bench_mutations.py [--stride 1]

The quality: all of them, each with somebody at fault. Ends with exit code 1 if one is not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from shared.verification.faults import fault
from tests.attacks.test_every_byte import PublishedElection


def main() -> None:
    """Change, verify and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stride", type=int, default=1)
    stride = parser.parse_args().stride
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        found = list(PublishedElection(Path(folder)).refusals(stride))
    for (name, code), number in sorted(Counter((name, code) for name, _, code in found).items()):
        print(f"{name:<26} {code or 'NOT REFUSED':<26} {number:>7}")
    passed = [(name, place) for name, place, code in found if not fault(code)]
    print(f"{len(found)} bytes, {len(passed)} not refused, {time.monotonic() - started:.0f} s")
    if passed:
        sys.exit(f"wrong: {passed[:5]}")


if __name__ == "__main__":
    main()
