"""Opening of sealed answers: time of each step, beside bare HPKE opens of the same boxes.

    python benchmarks/bench_opening.py [--answers 100000] [--suite NAME] [--json]

An invited survey of the eight cells of the tests is filled with valid ballots (made here, which takes longer
than opening them), exported as the collector would, and opened as ``roomful trustees open`` does: all
refusals first, then decryption and validation. The baseline opens the same boxes with the library alone. The
quality: every answer that went in came out, in groups of at least k.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA384

from server.keys.sealing import OpeningKey, SealingKey
from server.release.trustees.opening import open_answers
from shared.ballot import Ballot, UnsignedBallot
from shared.blind_rsa import SALT_BYTES
from shared.sealing import DEFAULT_SUITE, SUITES, box_info
from shared.submission import encode
from shared.verification.export import BallotFile
from shared.verification.files import BALLOTS_FILE
from tests.builders import ANSWERS, MESSAGE_BYTES, small_rows
from tests.invited import invited, sign_ballot, token_key, unsigned_token
from tests.sealed_surveys import (
    SECRET,
    WORDS,
    SealedSurvey,
    sealed_specification,
    shares,
    statement_keys_of,
)


@cache
def signing_key() -> RSAPrivateKey:
    """The registrar's key; reading it checks its primes, which takes a tenth of a second."""
    return token_key()


@cache
def trustees_key(suite: str) -> SealingKey:
    """Where answers are sealed to."""
    return SealingKey(SUITES[suite], OpeningKey(SUITES[suite], SECRET).public_key)


@cache
def entropy() -> bytes:
    """Padding; one for all, because the tokens and the sealing make the ballots differ."""
    return os.urandom(MESSAGE_BYTES)


def cast(number: int, digest: str, suite: str, n_cells: int) -> Ballot:
    """One ballot; the token is signed unblinded, which gives the same."""
    prefix = os.urandom(32)
    unsigned = unsigned_token(prefix)
    signature = signing_key().sign(unsigned.message(digest), PSS(MGF1(SHA384()), SALT_BYTES), SHA384())
    token = replace(unsigned, signature=signature)
    cell = number % n_cells
    plaintext = encode(digest, cell, ANSWERS | {"wellbeing": number % 11}, entropy(), MESSAGE_BYTES)
    box = trustees_key(suite).seal(box_info(digest, prefix, token.device_key, cell), plaintext)
    return sign_ballot(digest, UnsignedBallot(cell=cell, token=token, box=box))


class Stopwatch:
    """Seconds of each stage, from the progress that the opening reports."""

    def __init__(self) -> None:
        self.stages: dict[str, list[float]] = {}

    def __call__(self, stage: str, _done: int, _total: int) -> None:
        now = time.perf_counter()
        self.stages.setdefault(stage, [now, now])[1] = now

    def seconds(self) -> dict[str, float]:
        """Of each stage."""
        return {stage: round(last - first, 2) for stage, (first, last) in self.stages.items()}


def main() -> None:
    """Make, open, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--suite", choices=list(SUITES), default=DEFAULT_SUITE)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    suite = SUITES[arguments.suite]
    key = OpeningKey(suite, SECRET)
    keys = invited(
        suite=suite,
        people=arguments.answers,
        opening_key=key.public_key,
        collector_key=OpeningKey(suite, bytes(32)).public_key,
        statement_keys=statement_keys_of(WORDS),
    )
    rows = [replace(row, people=-(-arguments.answers // 200)) for row in small_rows()]
    with tempfile.TemporaryDirectory(prefix="roomful-opening-") as folder:
        survey = SealedSurvey(Path(folder), specification=sealed_specification(invited=keys, rows=rows))
        started = time.perf_counter()
        make = partial(cast, digest=survey.digest, suite=suite.name, n_cells=survey.specification.cells.count)
        with ProcessPoolExecutor() as pool:
            survey.ballots += pool.map(make, range(arguments.answers), chunksize=500)
        export = survey.write()
        made = time.perf_counter() - started
        started = time.perf_counter()
        statements = [(str(number), survey.state(export, number).statement) for number in (1, 2, 3)]
        stated = (time.perf_counter() - started) / 3
        watch = Stopwatch()
        started = time.perf_counter()
        report = open_answers(
            survey.received(export),
            statements=statements,
            shares=shares(1, 3),
            progress=watch,
        )
        data = report.answers.to_bytes()
        opened = time.perf_counter() - started
        with (export / BALLOTS_FILE).open("rb") as stream:
            ballots = BallotFile(stream, survey.specification)
            cast_ballots = [ballot for _, _, ballot in ballots.ballots()]
        started = time.perf_counter()
        for ballot in cast_ballots:
            token = ballot.token
            key.open(box_info(survey.digest, token.prefix, token.device_key, ballot.cell), ballot.box)
        bare = time.perf_counter() - started
    assert report.answers.answers == arguments.answers
    assert not report.invalid
    result = {
        "answers": arguments.answers,
        "suite": suite.name,
        "making_seconds": round(made, 1),
        "stating_seconds": round(stated, 1),
        "opening_seconds": round(opened, 1),
        "stages": watch.seconds(),
        "answers_per_second": round(arguments.answers / opened),
        "bare_hpke_seconds": round(bare, 1),
        "ratio_to_bare_hpke": round(opened / bare, 2),
        "groups": len(report.answers.groups),
        "smallest_group": min(len(group.answers) for group in report.answers.groups),
        "opened_json_megabytes": round(len(data) / 1e6, 1),
        "opened_json_sha256": hashlib.sha256(data).hexdigest()[:16],
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    if arguments.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
