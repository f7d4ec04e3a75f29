"""`roomful simulate`."""

from __future__ import annotations

import json
import secrets
from fractions import Fraction
from pathlib import Path

import click

from server.cli.options import EXISTING_FILE, FILE, cluster_option, json_option
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.cli.stopping import tidy_when_ended
from server.executor.cluster import executor_at
from server.files import named_file_errors, write_new
from server.simulation.codes import read_codes
from server.simulation.held_tokens import HeldTokens
from server.simulation.respondent import respondent_for
from server.simulation.taking_part import receipt_lines
from server.simulation.workflow import SimulationReport
from server.simulation.workflow import simulate as run_simulation
from server.tables.files import Reading
from shared.errors import InputError, SpecificationError
from shared.participation import HIGHEST_CORRELATION, Dependence


@click.command()
@click.argument("url")
@click.option(
    "--model",
    type=EXISTING_FILE,
    required=True,
    help="The people: CSV or Parquet, with the columns of the survey's attributes.",
)
@click.option(
    "--invited", type=click.IntRange(1), help="Invite so many people drawn from the file; by default all."
)
@click.option(
    "--participants",
    type=click.FloatRange(0, 1),
    help="Everybody's chance to take part; by default as in the specification.",
)
@click.option(
    "--correlation",
    metavar="DECIMAL",
    help=f"Between any two people of a cell, at most {HIGHEST_CORRELATION}; by default the survey's own.",
)
@click.option(
    "--answers",
    default="generated",
    show_default=True,
    help="generated; columns (each question from the column of its name); or question=column,... for some.",
)
@click.option(
    "--codes",
    "codes_file",
    type=EXISTING_FILE,
    help="codes.csv of roomful codes, for an invited survey: one code for each person.",
)
@click.option(
    "--receipts",
    type=FILE,
    help="Write the receipts of an invited survey here, one a line; must not exist.",
)
@click.option(
    "--tokens",
    "tokens_file",
    type=FILE,
    help="Of an election: while codes are exchanged tokens are kept here; then they are spent.",
)
@click.option("--into-real-survey", is_flag=True, help="Although the survey is no test copy.")
@click.option("--seed", type=click.IntRange(0), help="Repeats a simulation; by default a random one.")
@click.option("--threads", type=click.IntRange(1, 64), default=16, show_default=True, help="Senders.")
@reading_options()
@cluster_option
@json_option("the report")
def simulate(
    url: str,
    model: Path,
    invited: int | None,
    participants: float | None,
    correlation: str | None,
    answers: str,
    codes_file: Path | None,
    receipts: Path | None,
    tokens_file: Path | None,
    into_real_survey: bool,
    seed: int | None,
    threads: int,
    reading: Reading,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Let people drawn from a file take part in the survey at URL while it is open.

    URL is the whole link of the invitation, with the part after the #. Everybody goes through the checks, the
    mapping and the sending of the real client. If only invited people may answer, each needs a code of hers:
    it is exchanged for a token, and the answers are sealed. Invented answers go into a test copy (publish
    --test), and into a real survey only with --into-real-survey: nobody can take them out again. At the end
    it says how many cells failed, against what was to be expected.
    """
    codes = None if codes_file is None else read_codes(codes_file)
    if receipts is not None:
        _require_new(receipts, codes_file)
    held = None if tokens_file is None else HeldTokens(tokens_file)
    only_tokens = held is not None and not held.exist
    click.echo("Checking the survey as a respondent's device would ...", err=True)
    with tidy_when_ended(), executor_at(cluster) as executor, stages(hidden=as_json) as progress:
        report = run_simulation(
            respondent_for(url),
            model,
            reading=reading,
            seed=secrets.randbits(32) if seed is None else seed,
            invited=invited,
            correlation=None if correlation is None else _correlation(correlation),
            participation=None if participants is None else Fraction(str(participants)),
            answers=answers,
            codes=codes,
            held=held,
            into_real_survey=into_real_survey,
            threads=threads,
            progress=progress,
            executor=executor,
        )
    if only_tokens:
        click.echo(
            json.dumps({"seed": report.seed})
            if as_json
            else f"Tokens are in {tokens_file}; in the voting phase repeat it with --seed {report.seed}."
        )
        return
    if receipts is not None:
        with named_file_errors(str(receipts)):
            write_new(receipts, receipt_lines(report.receipts or ()))
    if as_json:
        click.echo(json.dumps(report.figures()))
    else:
        click.echo("\n".join(_words(report)))


def _correlation(text: str) -> Fraction:
    try:
        return Fraction(Dependence(correlation=text).correlation)
    except SpecificationError as problem:
        raise InputError(problem.message, where="--correlation", expected=problem.expected) from None


def _require_new(receipts: Path, codes_file: Path | None) -> None:
    if codes_file is None:
        raise InputError(
            "there are receipts on a board only if people are invited by codes",
            where="--receipts",
            remedy="Leave the option out, or give --codes.",
        )
    if receipts.exists():
        raise InputError("the file exists already", where=str(receipts), expected="a new file")


def _words(report: SimulationReport) -> list[str]:
    figures = report.figures()
    lines = [
        f"{figures['submissions']} of {figures['people']} people took part "
        f"({100 * figures['participation']:.1f} %), {figures['submissions_per_second']:g} a second.",
        f"They fill {figures['cells'] - figures['empty_cells']} of {figures['cells']} cells; "
        f"the smallest has {figures['smallest_head_count']} answers.",
        f"Failed cells (some answers, but fewer than k): {figures['failed_cells']}; "
        f"promised {figures['promised_failed_cells']:.3g}; as people were drawn, expected "
        f"{figures['expected_failed_cells']:.3g}, and as many or more with probability "
        f"{figures['probability_of_at_least_as_many']:.3g}.",
        f"Repeat it with --seed {figures['seed']}.",
    ]
    if figures["file_is_the_model"] is False:
        lines.append("These are not the people that the survey was designed from.")
    return lines
