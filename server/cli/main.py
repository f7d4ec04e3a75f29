"""The ``roomful`` command: finds a subcommand, runs it, turns errors into text and exit codes.

Subcommands are imported only when used, so that ``roomful --help`` is quick. Commands of the respondent's
client, which the server never imports, come in through the entry-point group ``roomful.commands``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, Final, NoReturn

import click

from server.cli.exit_codes import INTERNAL, exit_code
from server.files import file_error
from shared.errors import RoomfulError

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "desk": ("server.cli.desk:desk", "From a file to a table in your browser, on this machine only."),
    "anonymity": ("server.cli.anonymity:anonymity", "How many people a cell needs, and how often it fails."),
    "inspect": ("server.cli.inspect:inspect", "Show what is understood of a population file."),
    "questionnaire": (
        "server.cli.questionnaire:questionnaire",
        "Check a questionnaire, or import one from another format.",
    ),
    "design": ("server.cli.design:design", "Design a partition from survey.toml."),
    "preview": ("server.cli.preview:preview", "Try the page of a design before anybody else can."),
    "keygen": ("server.cli.signing:keygen", "Make a key: for signing, or for a server of an invited survey."),
    "passphrase": ("server.cli.signing:passphrase", "Encrypt a private key anew, under another passphrase."),
    "sign": ("server.cli.signing:sign", "Sign a designed survey, or countersign as an auditor."),
    "verify": ("server.cli.signing:verify", "Verify the signatures and the soundness of a specification."),
    "audit": ("server.cli.audit:audit", "Rebuild a specification from its model and compare."),
    "trustees": ("server.cli.trustees:trustees", "Hold the key in shares: ceremony, rehearsal, opening."),
    "publish": ("server.cli.survey:publish", "Put a signed survey into a data directory, as a draft."),
    "publishing-code": ("server.cli.survey:publishing_code", "Let an organizer publish one draft from afar."),
    "discard": ("server.cli.survey:discard", "Delete a draft. Irreversible."),
    "open": ("server.cli.survey:open_survey", "Open a survey for answers. Irreversible."),
    "poster": ("server.cli.poster:poster", "Make a poster, a letter and a message for everybody."),
    "codes": ("server.cli.invite:codes", "Draw a secret code for each person, and the roll of their hashes."),
    "invite": ("server.cli.invite:invite", "Write letters and a mail-merge file for a signed survey."),
    "remind": ("server.cli.invite:remind", "List the codes that have not fetched a token, once."),
    "close": ("server.cli.survey:close_survey", "Close a survey. Irreversible."),
    "status": ("server.cli.survey:status", "State and total number of answers, never more."),
    "backup": ("server.cli.backup:backup", "Copy closed surveys into a folder, to be restored."),
    "restore": ("server.cli.backup:restore", "Put a backup back, unless something newer is there."),
    "move": ("server.cli.move:move", "Move all surveys from SQLite to PostgreSQL, or back."),
    "serve": ("server.cli.serve:serve", "Run the server."),
    "relay": ("server.cli.relay:relay", "Mix the ballots of invited surveys on their way to the collector."),
    "checkup": ("server.cli.checkup:checkup", "Test this installation and name the fix of each failure."),
    "release": ("server.cli.release:release", "Release the k-anonymous table of a closed survey."),
    "board": ("server.cli.board:board", "The public board: make it, finish it, verify it."),
    "election": ("server.cli.election:election", "Elections by group: key file, result, verification."),
    "expire": ("server.cli.expire:expire", "Delete answers whose days are over; say what goes when."),
    "anonymize": ("server.cli.anonymize:anonymize", "Mask the quasi-identifiers of a file."),
    "evaluate": ("server.cli.evaluate:evaluate", "Measure a masked file against its original."),
    "reproduce": ("server.cli.reproduce:reproduce", "Compute published tables and figures again."),
    "simulate": ("server.cli.simulate:simulate", "Let people drawn from a model take part."),
}
"""Name of a command -> where it is, and its help in one line. Read by tests and docs."""

CLIENT_HELP: Final = {
    "respond": "Take part from the command line.",
    "vote": "Vote in an election by group from the command line.",
}
"""Of the commands that the respondent's client brings."""


def command_table() -> dict[str, tuple[str, str]]:
    """All commands, those of the client included."""
    return COMMANDS | {entry.name: (entry.value, CLIENT_HELP[entry.name]) for entry in _client_commands()}


def _client_commands() -> Any:
    # It looks through everything that is installed, which only those who ask for these commands wait for.
    from importlib.metadata import entry_points

    return entry_points(group="roomful.commands")


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order in which a survey uses them."""
        return list(command_table())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        found = COMMANDS.get(cmd_name) or command_table().get(cmd_name)
        if found is None:
            return None
        module, _, attribute = found[0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in command_table().items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="roomful", prog_name="roomful")
def roomful() -> None:
    """Surveys in which every answer arrives from a room of at least k people.

    From file to table: design, keygen, sign, publish, open, serve, close, release.
    Exit codes: 0 done, 2 usage, 3 input, 4 design, 5 verification, 6 state, 7 release refused,
    8 server unreachable or refused, 9 storage, 10 installation, 1 a defect.
    """


def main() -> NoReturn:
    """Entry point of the console script."""
    try:
        roomful.main(standalone_mode=False)
    except RoomfulError as error:
        report(error)
        sys.exit(exit_code(error))
    except click.exceptions.Abort:
        click.echo("Cancelled; nothing was changed by this step.", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone; Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if isinstance(error, OSError) and (named := file_error(error)) is not None:
            report(named)
            sys.exit(exit_code(named))
        if os.environ.get("ROOMFUL_TRACEBACK"):
            raise
        name = type(error).__name__
        click.secho(
            f"Internal error ({name}): this is a defect in Roomful, not in your input.", fg="red", err=True
        )
        click.echo("  What to do: run again with ROOMFUL_TRACEBACK=1 and report what it prints.", err=True)
        sys.exit(INTERNAL)
    sys.exit(0)


def report(error: RoomfulError) -> None:
    """Print an error for people on stderr; with ``--json`` on the command line, as JSON."""
    if "--json" in sys.argv[1:]:
        fields = {
            "code": error.code,
            "message": error.message,
            "where": error.where,
            "expected": error.expected,
            "remedy": error.remedy,
        }
        click.echo(json.dumps({"error": fields}, ensure_ascii=False), err=True)
        return
    click.secho(f"Error ({error.code}): ", fg="red", bold=True, err=True, nl=False)
    click.echo(f"{error.where}: {error.message}" if error.where else error.message, err=True)
    if error.expected:
        click.echo(f"  Expected: {error.expected}", err=True)
    if error.remedy:
        click.echo(f"  What to do: {error.remedy}", err=True)
