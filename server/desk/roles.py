"""Who does what in an invited survey, and which files go from hand to hand.

As the organizer's guide has it (An invited survey). What a role keeps to itself never comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from server.files import read_start
from server.keys.public_keys import read_collector_key, read_opening_key, read_token_keys
from shared.limits import MAX_ENVELOPE_BYTES
from shared.roll import MAX_ROLL_BYTES, Roll


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing that a role does.

    Attributes
    ----------
    name : str
        Key of its sentence, after ``task.``.
    command : str
        ID is the survey's, LINK its link without a code.
    """

    name: str
    command: str = ""


_LETTERS: Final = "roomful invite survey --codes codes/codes.csv --public-url URL"
ROLES: Final[Mapping[str, tuple[Task, ...]]] = MappingProxyType(
    {
        "organizer": (
            Task(name="organizer.list"),
            Task(name="organizer.spare", command="roomful keygen --out spare.pem"),
            Task(name="organizer.sign", command="roomful sign survey --key key.pem"),
            Task(name="organizer.hand-on"),
            Task(
                name="organizer.board",
                command="roomful board create ID --data data --key key.pem --used-codes used-codes.txt",
            ),
            Task(
                name="organizer.release",
                command="roomful release ID --data data --opened opened.json --out release\n"
                "roomful board finish ID --data data --key key.pem",
            ),
        ),
        "codes": (
            Task(name="codes.draw", command="roomful codes people.csv --out codes"),
            Task(
                name="codes.letters",
                command=f"{_LETTERS} --out invitations",
            ),
            Task(
                name="codes.remind",
                command=f"{_LETTERS} --out reminders --reminder",
            ),
            Task(name="codes.destroy"),
        ),
        "registrar": (
            Task(name="registrar.key", command="roomful keygen --purpose tokens --out tokens.pem"),
            Task(
                name="registrar.publish",
                command="roomful publish survey --data data --token-key tokens.pem\n"
                "roomful open ID --data data --rehearsal rehearsal.json\n"
                "roomful serve --role registrar --data data",
            ),
            Task(name="registrar.remind", command="roomful remind ID --data data --out waiting.txt"),
            Task(
                name="registrar.used",
                command="roomful close ID --data data\n"
                "roomful board used-codes ID --data data --out used-codes.txt",
            ),
        ),
        "collector": (
            Task(name="collector.key", command="roomful keygen --purpose collector --out collector.pem"),
            Task(
                name="collector.publish",
                command="roomful publish survey --data data --collector-key collector.pem\n"
                "roomful serve --role collector --data data",
            ),
            Task(
                name="collector.challenge",
                command="roomful trustees challenge ID --data data --out rehearsal",
            ),
            Task(name="collector.close", command="roomful close ID --data data"),
            Task(name="collector.export", command="roomful trustees export ID --data data --out export"),
        ),
        "trustees": (
            Task(
                name="trustees.create", command="roomful trustees create --shares 3-of-5 --out trustees"
            ),
            Task(name="trustees.rehearse", command="roomful trustees rehearse"),
            Task(name="trustees.state", command="roomful trustees state"),
            Task(name="trustees.open", command="roomful trustees open"),
        ),
        "relay": (
            Task(name="relay.serve", command="roomful relay 'LINK' --data relay"),
            Task(name="relay.flush", command="roomful relay 'LINK' --data relay --flush"),
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A file that comes to the organizer from somebody else; nothing in it is secret.

    Attributes
    ----------
    name : str
        Under which it lies in the folder.
    role : str
        Who makes it.
    setting : str
        Key of ``[invited]`` that names it; empty for one that is needed after the signature.
    begins : bytes
        How it begins. What begins otherwise, a share or a private key, is never written here.
    read : callable or None
        Raises RoomfulError for anything else.
    max_bytes : int
    """

    name: str
    role: str
    setting: str = ""
    begins: bytes = b""
    read: Callable[[Path], object] | None = None
    max_bytes: int = MAX_ENVELOPE_BYTES


def _read_roll(path: Path) -> Roll:
    return Roll.parse(read_start(path, MAX_ROLL_BYTES))


HANDED: Final = (
    Handed(
        name="roll.txt",
        role="codes",
        setting="roll",
        begins=b"roomful-roll/",
        read=_read_roll,
        max_bytes=MAX_ROLL_BYTES,
    ),
    Handed(name="tokens.pub", role="registrar", setting="token_key", begins=b"rsa", read=read_token_keys),
    Handed(
        name="collector.pub",
        role="collector",
        setting="collector_key",
        begins=b"hpke",
        read=read_collector_key,
    ),
    Handed(
        name="opening-key.json", role="trustees", setting="opening_key", begins=b'{"', read=read_opening_key
    ),
    Handed(name="rehearsal.json", role="trustees"),
    Handed(name="used-codes.txt", role="registrar"),
    Handed(name="opened.json", role="trustees"),
)


def is_here(handed: Handed, folder: Path, invited: Mapping[str, Any]) -> bool:
    """Whether a file lies in the folder, under the name that survey.toml has for it."""
    name = invited.get(handed.setting, "") if handed.setting else handed.name
    return isinstance(name, str) and bool(name) and (folder / name).is_file()
