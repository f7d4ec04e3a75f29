"""``roomful audit``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from server.cli.options import PATH, cluster_option, json_option
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.cli.stopping import tidy_when_ended
from server.design.audit import audit_survey
from server.executor.cluster import executor_at
from server.keys.signing import envelope_at
from server.keys.signing_keys import load_public_key
from server.tables.files import Reading
from shared.checks import Floor
from shared.limits import MAX_K
from shared.soundness import PASSED
from shared.words import digest_words


@click.command()
@click.argument("file", type=PATH)
@click.option("--model", type=PATH, required=True, help="The population file, as the organizer has it.")
@click.option(
    "--salt",
    type=PATH,
    help="model.salt of a register, for auditors only; by default the one in FILE's folder.",
)
@click.option("--key", help="The organizer's public key, or a file with it.")
@click.option(
    "--k", type=click.IntRange(2, MAX_K), help="The k that was announced; a smaller one is refused."
)
@click.option("--failure", help="The largest acceptable cell failure that was announced.")
@click.option("--against", type=PATH, help="The earlier survey whose cells FILE uses again.")
@reading_options()
@cluster_option
@json_option("the findings")
def audit(
    file: Path,
    model: Path,
    salt: Path | None,
    key: str | None,
    k: int | None,
    failure: str | None,
    against: Path | None,
    reading: Reading,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Rebuild the specification FILE (or its folder) from its model and compare, check by check.

    Exit code 0 if it is what it claims to be, 5 if not.
    """
    floor = Floor(k=k or Floor().k, cell_failure=failure or Floor().cell_failure)
    with tidy_when_ended(), executor_at(cluster) as executor, stages(hidden=as_json) as progress:
        result = audit_survey(
            envelope_at(file),
            model,
            expected_key=None if key is None else load_public_key(key),
            floor=floor,
            salt_path=salt,
            progress=progress,
            against=against,
            reading=reading,
            executor=executor,
        )
    if as_json:
        findings = [asdict(finding) for finding in result.findings]
        click.echo(
            json.dumps({"digest": result.digest, "passed": result.passed, "findings": findings}, indent=1)
        )
    else:
        for finding in result.findings:
            passed = finding.outcome == PASSED
            mark = click.style(
                "passed " if passed else "REFUSED", fg="green" if passed else "red", bold=not passed
            )
            click.echo(f"{mark} {finding.code:<18} {finding.title:<40} {finding.detail}")
        if result.digest:
            click.echo(f"Survey {result.digest}, in words {digest_words(result.digest)}")
    result.require_passed()
