"""``roomful trustees key``: each trustee's part of the ceremony in which an election's key is made.

The messages of all lie in one folder that goes around; what is secret lies in a folder of each trustee's own.
The rounds are those of :mod:`shared.election.ceremony`. There is no moment and no place at which the key
exists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, TypeVar

from shamir_mnemonic.share import Share as LibraryShare

from server import files
from server.keys.public_keys import OpeningKey as PublicOpeningKey
from server.keys.sealing import SECRET_BYTES, OpeningKey, SealingKey
from server.release.trustees.ceremony import LEDGER_FILE, key_words
from server.release.trustees.ledger import new_ledger
from server.release.trustees.new_paths import require_new
from server.release.trustees.share_page import SharePage
from server.release.trustees.shares import Share, parse_share, require_threshold
from server.release.trustees.statement_keys import public_statement_key
from shared import base64url, ed25519, strict_json
from shared.edwards import L
from shared.election import ceremony
from shared.election.ceremony import First, Fourth, Second, Third
from shared.election.group import SCALAR_BYTES, PythonGroup, decode_scalar, encode_scalar
from shared.election.trustees import Trustees
from shared.errors import ElectionError, InputError, OpeningError, SubmissionError
from shared.fields import Fields
from shared.sealing import ELECTION_SUITE, SUITES

KEPT_FILE: Final = "ceremony-secret.json"
_KEPT_FORMAT: Final = "roomful-ceremony-secret/1"
_SUITE: Final = SUITES[ELECTION_SUITE]
_GROUP: Final = PythonGroup()
Random = Callable[[int], bytes]


class _Message(Protocol):
    """A message of some round."""

    def to_bytes(self) -> bytes:
        """The file."""


M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Secret:
    """What a trustee keeps between the rounds, and deletes after the last.

    Attributes
    ----------
    first : First
        Her own message of round 1.
    coefficients : tuple of int
        Of her polynomial.
    sealing_secret : bytes
        Private half of the key to which her shares are sealed.
    """

    first: First
    coefficients: tuple[int, ...]
    sealing_secret: bytes

    def to_bytes(self) -> bytes:
        """The file."""
        return strict_json.dumps(
            {
                "format": _KEPT_FORMAT,
                "first": base64url.encode(self.first.to_bytes()),
                "coefficients": [base64url.encode(encode_scalar(c)) for c in self.coefficients],
                "sealing_secret": base64url.encode(self.sealing_secret),
            }
        )

    @classmethod
    def read(cls, own: Path) -> Secret:
        """Of a trustee's own folder.

        Raises
        ------
        OpeningError
            With the code ``opening.ceremony-secret``.
        """
        where = str(own / KEPT_FILE)
        data = files.read_bounded(
            own / KEPT_FILE, ceremony.MAX_MESSAGE_BYTES, lambda m: _no_secret(m, where=where)
        )
        value = strict_json.loads(data, error=_no_secret, where=where, max_bytes=ceremony.MAX_MESSAGE_BYTES)
        members = ("format", "first", "coefficients", "sealing_secret")
        fields = Fields(value, where, members, error=_no_secret)
        fields.choice("format", (_KEPT_FORMAT,))
        first = base64url.decode(fields.text("first", maximum=ceremony.MAX_MESSAGE_BYTES)) or b""
        return cls(
            first=First.parse(first, where),
            coefficients=tuple(
                decode_scalar(base64url.decode(text) or b"") for text in fields.texts("coefficients", 16)
            ),
            sealing_secret=base64url.decode(fields.text("sealing_secret")) or b"",
        )


def first_round(
    folder: Path, own: Path, *, trustee: int, threshold: int, shares: int, random_bytes: Random
) -> First:
    """Round 1: draw everything, publish the hash. The first trustee to do it gives the ceremony its id.

    Raises
    ------
    OpeningError
        ``opening.threshold``; ``opening.exists`` if the folder of her own is not new, or if somebody has used
        her number.
    InputError
        If her own folder and the one that goes around lie in each other: her secret would go around too.
    ElectionError
        With the code ``election.ceremony`` if the messages that are there are of another split, or of a
        ceremony that has gone on without her.
    """
    require_threshold(threshold, shares)
    _require_apart(folder, own)
    require_new(
        own,
        "folder",
        expected="a new folder of your own",
        remedy="A ceremony that was begun is not begun again: name another folder for a new one.",
    )
    _require_first(folder, 1, trustee)
    if any(folder.glob("round-[234]-*")):
        raise ElectionError(
            "this ceremony has gone on to later rounds without you, so it is another one than yours",
            where=f"{folder}",
            expected="a folder in which everybody is at round 1",
            remedy="Look at the path first: a ceremony that was begun again has a folder of its own.",
            code="election.ceremony",
        )
    there = _read_round(folder, 1, First.parse)
    for other in there:
        if (other.threshold, other.trustees) != (threshold, shares):
            raise ElectionError(
                f"trustee {other.trustee} has begun it as {other.threshold}-of-{other.trustees}",
                where=f"{folder}",
                expected="one split for all",
                remedy="Agree on the split; if it is another, begin a new ceremony.",
                code="election.ceremony",
            )
    identifier = there[0].ceremony if there else random_bytes(32).hex()
    sealing_secret = random_bytes(SECRET_BYTES)
    coefficients = ceremony.draw(threshold, random_bytes(ceremony.COEFFICIENT_BYTES * threshold))
    message = First(
        ceremony=identifier,
        trustees=shares,
        threshold=threshold,
        trustee=trustee,
        sealing_key=OpeningKey(_SUITE, sealing_secret).public_key,
        coefficients=ceremony.coefficients_digest(
            identifier, trustee, ceremony.published(coefficients, _GROUP)
        ),
    )
    secret = Secret(first=message, coefficients=coefficients, sealing_secret=sealing_secret)
    with files.named_file_errors(str(own)):
        own.mkdir(mode=0o700, parents=True)
        files.write_new(own / KEPT_FILE, secret.to_bytes())
    _publish(folder, 1, trustee, message)
    return message


def second_round(folder: Path, own: Path, *, random_bytes: Random) -> Second:
    """Round 2: publish the coefficients times G, with proofs; all of round 1 must be there."""
    secret = Secret.read(own)
    first = _first(folder, secret)
    fresh = random_bytes(32 * secret.first.threshold)
    message = ceremony.second(first, secret.first.trustee, secret.coefficients, fresh, _GROUP)
    _publish(folder, 2, message.trustee, message)
    return message


def third_round(folder: Path, own: Path) -> Third:
    """Round 3: seal a share to each of the others; all of round 2 must be there and hold."""
    secret = Secret.read(own)
    first, _ = _two_rounds(folder, secret)
    sender = secret.first.trustee
    sealed = []
    for receiver in sorted(first, key=lambda m: m.trustee):
        if receiver.trustee != sender:
            share = encode_scalar(ceremony.share_for(receiver.trustee, secret.coefficients))
            info = ceremony.share_info(receiver.ceremony, sender, receiver.trustee)
            sealed.append((receiver.trustee, SealingKey(_SUITE, receiver.sealing_key).seal(info, share)))
    message = Third(ceremony=secret.first.ceremony, trustee=sender, sealed=tuple(sealed))
    _publish(folder, 3, sender, message)
    return message


def fourth_round(folder: Path, own: Path, *, random_bytes: Random) -> Fourth:
    """Round 4: check every share, write her own with a new ledger, and say what she has seen.

    If it is interrupted it is done again: what it writes is the same until the secret of the rounds is gone.

    Raises
    ------
    ElectionError
        ``election.ceremony`` or ``election.share``: then the ceremony is void, and nothing was written.
    OpeningError
        With the code ``opening.ceremony-secret`` if there is none, also because the round is done.
    """
    if not (own / KEPT_FILE).exists() and (own / LEDGER_FILE).exists():
        raise _no_secret(
            "round 4 is done: your share and your ledger are here, and the secret is deleted",
            where=str(own),
            expected="this round once",
            remedy="There is nothing left to do but to wait for the others, and to compare the words.",
        )
    secret = Secret.read(own)
    first, second = _two_rounds(folder, secret)
    third = _read_round(folder, 3, Third.parse)
    sealed = ceremony.require_third(first, third)
    me = secret.first.trustee
    total = ceremony.share_for(me, secret.coefficients)
    by_sender = {message.trustee: message for message in second}
    for message in third:
        if message.trustee != me:
            received = _open_share(secret, message)
            ceremony.require_share(received, me, by_sender[message.trustee], _GROUP)
            total = (total + received) % L
    trustees = ceremony.keys(second, ceremony.transcript(first, second, sealed), _GROUP)
    share = share_of(total, secret.first)
    statement_key = public_statement_key(share)
    fresh = random_bytes(32)
    last = ceremony.fourth(total, me, trustees.transcript, statement_key, fresh, _GROUP)
    page = SharePage(
        words=share.words,
        number=me,
        threshold=secret.first.threshold,
        shares=secret.first.trustees,
        fingerprint=key_words(trustees.key),
        name="",
    )
    with files.named_file_errors(str(own)):
        files.replace(own / f"share-{me}-of-{secret.first.trustees}.txt", page.to_text().encode("utf-8"))
        if not (own / LEDGER_FILE).exists():  # it may have statements, if only the secret was left behind
            files.replace(own / LEDGER_FILE, new_ledger(trustees.key))
        if not _published_before(folder, last):
            _publish(folder, 4, me, last)
        files.erase(own / KEPT_FILE)
    return last


def _published_before(folder: Path, message: Fourth) -> bool:
    """Whether an interrupted round 4 came as far as its message, which differs in a fresh proof alone."""
    path = folder / _name(4, message.trustee)
    if not path.exists():
        return False
    data = files.read_file(path, "a message of the ceremony", ceremony.MAX_MESSAGE_BYTES)
    return replace(Fourth.parse(data, path.name), proof=message.proof) == message


def election_key(folder: Path) -> PublicOpeningKey:
    """The public key file of a ceremony that went through; anybody can make it from the messages.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony``: then there is no key.
    """
    first, second = _begun(folder), _read_round(folder, 2, Second.parse)
    ceremony.require_second(first, second, _GROUP)
    sealed = ceremony.require_third(first, _read_round(folder, 3, Third.parse))
    trustees = ceremony.keys(second, ceremony.transcript(first, second, sealed), _GROUP)
    keys = ceremony.require_fourth(trustees, _read_round(folder, 4, Fourth.parse), _GROUP)
    if len(set(keys)) != len(keys) or not all(map(ed25519.is_key, keys)):
        raise ElectionError(
            "a statement key is none, or two trustees have one",
            where="round 4",
            expected="a key of each trustee's own",
            remedy="Begin a new ceremony.",
            code="election.ceremony",
        )
    return PublicOpeningKey(
        suite=_SUITE,
        key=trustees.key,
        threshold=trustees.threshold,
        shares=len(keys),
        statement_keys=keys,
        election=trustees,
    )


def share_of(secret: int, first: First) -> Share:
    """A trustee's x_i as words: a share of SLIP-0039 by its form, which is never joined with others."""
    words = LibraryShare(
        identifier=int(first.ceremony[:4], 16) & 0x7FFF,
        extendable=True,
        iteration_exponent=0,
        group_index=0,
        group_threshold=1,
        group_count=1,
        index=first.trustee - 1,
        member_threshold=first.threshold,
        value=encode_scalar(secret),
    ).mnemonic()
    return parse_share(words, f"share {first.trustee}")


def secret_of(share: Share, trustees: Trustees) -> int:
    """x_i from the words of a share, once it is known to be that of VK_i.

    Raises
    ------
    OpeningError
        With the code ``opening.share-of-another-key``.
    """
    value = LibraryShare.from_mnemonic(share.words).value
    keys = trustees.verification_keys
    if share.number > len(keys) or not _belongs(value, keys[share.number - 1]):
        raise OpeningError(
            "this share is not one of those that the specification was signed for",
            where=share.where,
            expected=f"share {share.number} of the ceremony in which the key of this election was made",
            code="opening.share-of-another-key",
        )
    return int.from_bytes(value, "little")


def _belongs(value: bytes, key: bytes) -> bool:
    number = int.from_bytes(value, "little")
    return len(value) == SCALAR_BYTES and number < L and ceremony.published((number,), _GROUP) == (key,)


def _open_share(secret: Secret, message: Third) -> int:
    me = secret.first.trustee
    sealed = dict(message.sealed)[me]
    info = ceremony.share_info(secret.first.ceremony, message.trustee, me)
    try:
        return decode_scalar(OpeningKey(_SUITE, secret.sealing_secret).open(info, sealed))
    except (ElectionError, SubmissionError):
        raise _bad_share(message.trustee, me) from None


def _bad_share(sender: int, receiver: int) -> ElectionError:
    return ElectionError(
        "the share cannot be opened",
        where=f"from trustee {sender} to {receiver}",
        expected="her polynomial's value, sealed to the key of this ceremony",
        remedy="Say so to all others: the ceremony is void. Begin a new one.",
        code="election.share",
    )


def _begun(folder: Path) -> Sequence[First]:
    """The messages of round 1; another folder, or a wrong path, is no fault of a trustee."""
    first = _read_round(folder, 1, First.parse)
    if not first:
        raise InputError(
            "there is no message of a ceremony in this folder",
            where=str(folder),
            expected="the folder that goes around, with the messages of all trustees",
        )
    return first


def _first(folder: Path, secret: Secret) -> Sequence[First]:
    first = _begun(folder)
    ceremony.require_first(first)
    if secret.first not in first:
        raise ElectionError(
            "your own message of round 1 is not there, or was changed",
            where=f"{folder}",
            expected="the message that you published",
            remedy="Look at both paths first: it may be the folder of another ceremony. If they are right,"
            " say so to all others: the ceremony is void. Begin a new one.",
            code="election.ceremony",
        )
    return first


def _two_rounds(folder: Path, secret: Secret) -> tuple[Sequence[First], Sequence[Second]]:
    first, second = _first(folder, secret), _read_round(folder, 2, Second.parse)
    ceremony.require_second(first, second, _GROUP)
    return first, second


def _name(number: int, trustee: int) -> str:
    return f"round-{number}-trustee-{trustee}.json"


def _read_round(folder: Path, number: int, parse: Callable[[bytes, str], M]) -> tuple[M, ...]:
    paths = sorted(folder.glob(_name(number, 0).replace("0", "*")))
    return tuple(
        parse(files.read_file(path, "a message of the ceremony", ceremony.MAX_MESSAGE_BYTES), path.name)
        for path in paths
    )


def _require_apart(folder: Path, own: Path) -> None:
    around, mine = folder.resolve(), own.resolve()
    if around == mine or around in mine.parents or mine in around.parents:
        raise InputError(
            "your own folder and the one that goes around lie in each other",
            where=str(own),
            expected="a folder of your own, beside the folder with the messages of all",
            remedy="Name another --own: your secret is written there, and would go around with the messages.",
        )


def _require_first(folder: Path, number: int, trustee: int) -> None:
    """Refuse a second message of a trustee in a round."""
    require_new(
        folder / _name(number, trustee),
        "file",
        expected=f"one message of trustee {trustee} in round {number}",
        remedy="If it is yours, go on with the next round; if not, somebody used your number, or you hers.",
    )


def _publish(folder: Path, number: int, trustee: int, message: _Message) -> None:
    _require_first(folder, number, trustee)
    with files.named_file_errors(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        files.replace(folder / _name(number, trustee), message.to_bytes(), mode=files.SHARED)


def _no_secret(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> OpeningError:
    return OpeningError(
        message,
        where=where,
        expected=expected or "what roomful trustees key 1 wrote into your own folder",
        remedy=remedy or "Look at the path first. Who has lost it voids the ceremony: begin a new one.",
        code="opening.ceremony-secret",
    )
