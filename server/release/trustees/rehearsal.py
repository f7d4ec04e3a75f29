"""The rehearsal: before a survey opens, every share has taken part in opening test answers.

A share that was mistyped, mixed up with another ceremony's or lost is found while that costs a new ceremony,
and not when the answers are in. Three steps and three files of compact JSON:

1. The organizer makes a challenge from the published draft: test answers sealed as real ones, except that
   zero bytes stand for the token. The data directory keeps the SHA-256 of each plaintext and nothing else
   (``expected.json``)::

       {"format":"roomful-challenge/1","specification":"<64 hex>",
        "boxes":[{"cell":<int>,"box":"<base64url>"},...]}               (without the line break)
       {"format":"roomful-expected/1","challenge":"<64 hex>","plaintexts":["<64 hex>",...]}

2. The trustees open it offline, in as many rounds as it takes for every share to have taken part::

       {"format":"roomful-rehearsal/1","challenge":"<64 hex>","plaintexts":["<64 hex>",...],
        "rounds":[[1,2,3],[3,4,5]]}                                     (without the line break)

3. ``roomful open`` compares.

A rehearsal opens nothing that anybody sent, and signs nothing: a box is bound to its token, here to none, and
a statement about ballots is made by another command. The plaintexts hold 128 random bits each, so nobody
guesses them. That every share took part is the trustees'
word: a trustee who lies about her own share harms only the survey.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from server import files
from server.collection.storage.published import PublishedSurvey
from server.files import read_file
from server.keys.sealing import SealingKey
from server.release.trustees.election_key import secret_of
from server.release.trustees.new_paths import require_new
from server.release.trustees.opening import rebuild_key
from server.release.trustees.shares import Share, covering_sets
from server.release.trustees.statement_keys import require_statement_key
from server.simulation.generating import generated_all
from shared import base64url, strict_json
from shared.ballot import require_invited
from shared.ed25519 import KEY_BYTES
from shared.election.group import PythonGroup
from shared.election.key_signatures import MAX_SIGNATURES_BYTES, KeySignatures
from shared.election.trustees import sign_specification
from shared.errors import OpeningError, RoomfulError, StateError, SubmissionError
from shared.fields import Fields
from shared.invited import require_election
from shared.limits import MAX_CELLS, MAX_MESSAGE_BYTES, MAX_TRUSTEES
from shared.sealing import box_info
from shared.submission import decode, encode, validate
from shared.token import PREFIX_BYTES
from shared.verification.export import SignedSurvey
from shared.verification.files import SIGNATURES_FILE, SPECIFICATION_FILE

CHALLENGE_FORMAT: Final = "roomful-challenge/1"
EXPECTED_FORMAT: Final = "roomful-expected/1"
REHEARSAL_FORMAT: Final = "roomful-rehearsal/1"
CHALLENGE_FILE: Final = "challenge.json"
EXPECTED_FILE: Final = "expected.json"
REHEARSAL_FOLDER: Final = "rehearsal"
MAX_TEST_ANSWERS: Final = 5
NO_TOKEN: Final = bytes(PREFIX_BYTES)
NO_KEY: Final = bytes(KEY_BYTES)
"""Stand for the token of a test answer. 32 zero bytes are a point of small order, which is no device key: no
box of a ballot ever opens in a rehearsal."""
MAX_REHEARSAL_BYTES: Final = 1_048_576
_MAX_BOX_CHARACTERS: Final = 2 * MAX_MESSAGE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What the trustees opened, and in which rounds.

    Attributes
    ----------
    challenge : str
        SHA-256 of the challenge.
    plaintexts : tuple of str
        SHA-256 of each opened test answer.
    rounds : tuple of tuple of int
        Numbers of the shares that made the key together.
    """

    challenge: str
    plaintexts: tuple[str, ...]
    rounds: tuple[tuple[int, ...], ...]

    @classmethod
    def parse(cls, data: bytes, where: str) -> Rehearsal:
        """Read rehearsal.json.

        Raises
        ------
        OpeningError
            With the code ``opening.rehearsal``.
        """
        keys = ("challenge", "plaintexts", "rounds")
        fields = _document(data, where, REHEARSAL_FORMAT, keys)
        rounds = fields.items("rounds", MAX_TRUSTEES * MAX_TRUSTEES, minimum=1)
        return cls(
            challenge=fields.digest("challenge"),
            plaintexts=_digests(fields, "plaintexts"),
            rounds=tuple(fields.integers_in("rounds", numbers, 1, MAX_TRUSTEES) for numbers in rounds),
        )

    def to_bytes(self) -> bytes:
        """The file."""
        value = {
            "format": REHEARSAL_FORMAT,
            "challenge": self.challenge,
            "plaintexts": list(self.plaintexts),
            "rounds": [list(numbers) for numbers in self.rounds],
        }
        return strict_json.dumps(value) + b"\n"

    def missing(self, shares: int) -> tuple[int, ...]:
        """Shares that have not taken part."""
        return tuple(sorted(set(range(1, shares + 1)) - {n for numbers in self.rounds for n in numbers}))


def make_challenge(
    published: PublishedSurvey, out: Path, *, random_bytes: Callable[[int], bytes], chance: random.Random
) -> int:
    """Seal test answers for a draft; a new challenge replaces an older one.

    Parameters
    ----------
    published : PublishedSurvey
        The draft.
    out : Path
        Folder to make for the trustees.
    random_bytes : callable
    chance : random.Random
        Draws answers and cells; of the operating system outside of tests.

    Returns
    -------
    int
        How many test answers there are; of an election none, since a test group would be an oracle.

    Raises
    ------
    SubmissionError
        If the survey is open to everybody.
    OpeningError
        If the folder exists.
    """
    specification = published.specification
    invited = require_invited(specification)
    require_new(out, "folder")
    if invited.election is not None:
        with files.named_file_errors(str(out)):
            out.parent.mkdir(parents=True, exist_ok=True)
            with files.new_folder(out) as work:
                files.write_new(work / SPECIFICATION_FILE, published.envelope)
        return 0
    key = SealingKey(invited.suite, invited.opening_key)
    n_cells = specification.cells.count
    boxes, plaintexts = [], []
    for cell in chance.sample(range(n_cells), min(MAX_TEST_ANSWERS, n_cells)):
        answers = generated_all(specification.questionnaire, chance)
        length = specification.message_bytes
        plaintext = encode(published.digest, cell, answers, random_bytes(length), length)
        box = key.seal(box_info(published.digest, NO_TOKEN, NO_KEY, cell), plaintext)
        boxes.append({"cell": cell, "box": base64url.encode(box)})
        plaintexts.append(hashlib.sha256(plaintext).hexdigest())
    challenge = strict_json.dumps(
        {"format": CHALLENGE_FORMAT, "specification": published.digest, "boxes": boxes}
    )
    expected = strict_json.dumps(
        {
            "format": EXPECTED_FORMAT,
            "challenge": hashlib.sha256(challenge).hexdigest(),
            "plaintexts": plaintexts,
        }
    )
    folder = published.folder / REHEARSAL_FOLDER
    with files.named_file_errors(str(out)):
        folder.mkdir(mode=0o700, exist_ok=True)
        files.replace(folder / EXPECTED_FILE, expected)
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            files.write_new(work / SPECIFICATION_FILE, published.envelope)
            files.write_new(work / CHALLENGE_FILE, challenge)
    return len(boxes)


def rehearse(
    folder: Path, survey: SignedSurvey, shares: Sequence[Share], earlier: Rehearsal | None
) -> Rehearsal:
    """Open the test answers with some shares.

    Parameters
    ----------
    folder : Path
        What :func:`make_challenge` made.
    survey : SignedSurvey
    shares : sequence of Share
        At least the threshold; with more, each takes part.
    earlier : Rehearsal or None
        Rounds so far.

    Raises
    ------
    OpeningError
        As for the real opening, and ``opening.rehearsal`` if a test answer cannot be opened or is invalid.
    """
    data = read_file(
        folder / CHALLENGE_FILE, "the challenge of roomful trustees challenge", MAX_REHEARSAL_BYTES
    )
    challenge = hashlib.sha256(data).hexdigest()
    if earlier is not None and earlier.challenge != challenge:
        raise _refused(
            "the rehearsal so far is of another challenge", where=str(folder), expected="a new --out"
        )
    for share in shares:
        require_statement_key(survey.invited, share)
    key = rebuild_key(survey, shares)
    fields = _document(data, CHALLENGE_FILE, CHALLENGE_FORMAT, ("specification", "boxes"))
    if fields.digest("specification") != survey.digest:
        raise fields.fail("specification", "the challenge is of another survey", survey.digest)
    plaintexts = []
    for i, item in enumerate(fields.items("boxes", MAX_CELLS, minimum=1)):
        inner = Fields(item, f"{CHALLENGE_FILE}: boxes[{i}]", ("cell", "box"), error=_refused)
        cell = inner.integer("cell", 0, survey.specification.cells.count - 1)
        box = base64url.decode(inner.text("box", maximum=_MAX_BOX_CHARACTERS))
        try:
            plaintext = key.open(box_info(survey.digest, NO_TOKEN, NO_KEY, cell), box or b"")
            message = decode(plaintext, survey.specification.message_bytes)
            validate(message, survey.specification, survey.digest)
        except SubmissionError as problem:
            raise inner.fail("box", problem.message, "a test answer sealed to these trustees") from None
        plaintexts.append(hashlib.sha256(plaintext).hexdigest())
    rounds = [] if earlier is None else list(earlier.rounds)
    for subset in covering_sets(shares, shares[0].threshold):
        numbers = tuple(sorted(share.number for share in subset))
        if numbers not in rounds:
            rounds.append(numbers)
    return Rehearsal(challenge=challenge, plaintexts=tuple(plaintexts), rounds=tuple(rounds))


def rehearse_election(
    survey: SignedSurvey,
    shares: Sequence[Share],
    earlier: KeySignatures | None,
    random_bytes: Callable[[int], bytes],
) -> KeySignatures:
    """Have trustees of an election sign that their keys are for this specification; nothing is decrypted.

    Raises
    ------
    OpeningError
        ``opening.not-an-election``; ``opening.share-of-another-key`` for a share that is not the one of the
        signed key.
    ElectionError
        With the code ``election.key-signature`` if the signatures so far are of another specification.
    """
    trustees = require_election(survey.invited)
    found = earlier or KeySignatures(specification=survey.digest, signatures=())
    found.require_of(survey.digest)
    for share in shares:
        require_statement_key(survey.invited, share)
        secret = secret_of(share, trustees)
        proof = sign_specification(secret, share.number, survey.digest, random_bytes(32), PythonGroup())
        found = found.with_signature(share.number, proof)
    return found


def require_rehearsal(published: PublishedSurvey, data: bytes | None) -> None:
    """Refuse to open an invited survey whose trustees have not all rehearsed; a pass for an open survey.

    Parameters
    ----------
    published : PublishedSurvey
    data : bytes or None
        rehearsal.json, if it was given.

    Raises
    ------
    StateError
        With the code ``state.rehearsal``.
    OpeningError
        With the code ``opening.rehearsal`` if the file is malformed.
    ElectionError
        With the code ``election.key-signature`` if not every trustee of an election signed it.
    """
    invited = published.specification.invited
    if invited is not None and invited.election is not None and data is not None:
        signatures = KeySignatures.parse(data, "rehearsal.json")
        signatures.verify(invited.election, published.digest, PythonGroup())
        return
    if invited is None:
        if data is not None:
            raise _not_rehearsed("this survey is open to everybody and has no trustees", "no --rehearsal")
        return
    if data is None:
        raise _not_rehearsed("the trustees have not rehearsed the opening", "--rehearsal rehearsal.json")
    rehearsal = Rehearsal.parse(data, "rehearsal.json")
    path = published.folder / REHEARSAL_FOLDER / EXPECTED_FILE
    if not path.is_file():
        raise _not_rehearsed(
            "this data directory has made no challenge",
            f"the file {REHEARSAL_FOLDER}/{EXPECTED_FILE} in the survey's folder",
            "With several data directories, copy that folder from the one that made the challenge.",
        )
    fields = _document(path.read_bytes(), EXPECTED_FILE, EXPECTED_FORMAT, ("challenge", "plaintexts"))
    if rehearsal.challenge != fields.digest("challenge"):
        raise _not_rehearsed("the rehearsal is of another challenge", "the rehearsal of the newest challenge")
    if rehearsal.plaintexts != _digests(fields, "plaintexts"):
        raise _not_rehearsed("the trustees opened something else than was sealed", "the test answers")
    missing = rehearsal.missing(invited.shares)
    if missing:
        listed = ", ".join(map(str, missing))
        raise _not_rehearsed(
            f"share {listed} has not taken part"
            if len(missing) == 1
            else f"shares {listed} have not taken part",
            f"each of the {invited.shares} shares at least once",
            "Run roomful trustees rehearse again with these shares and the same --out.",
        )


def keep_rehearsal(published: PublishedSurvey, data: bytes) -> None:
    """Put the rehearsal into the survey's folder, once the survey is open."""
    folder = published.folder / REHEARSAL_FOLDER
    with files.named_file_errors(REHEARSAL_FOLDER):
        folder.mkdir(mode=0o700, exist_ok=True)
        files.replace(folder / SIGNATURES_FILE, data)


def kept_rehearsal(published: PublishedSurvey) -> dict[str, bytes]:
    """Of an election the trustees' signatures, as a file of the export; of a survey nothing."""
    invited = published.specification.invited
    if invited is None or invited.election is None:
        return {}
    path = published.folder / REHEARSAL_FOLDER / SIGNATURES_FILE
    return {SIGNATURES_FILE: read_file(path, "the trustees' rehearsal", MAX_SIGNATURES_BYTES)}


def _document(data: bytes, where: str, kind: str, keys: Sequence[str]) -> Fields:
    value: Any = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_REHEARSAL_BYTES)
    fields = Fields(value, where, ("format", *keys), error=_refused)
    fields.choice("format", (kind,))
    return fields


def _digests(fields: Fields, name: str) -> tuple[str, ...]:
    return tuple(
        Fields({"sha256": item}, fields.where(name), ("sha256",), error=_refused).digest("sha256")
        for item in fields.items(name, MAX_CELLS, minimum=1)
    )


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> RoomfulError:
    return OpeningError(
        message,
        where=where,
        expected=expected,
        remedy=remedy or "Make a new challenge with roomful trustees challenge and rehearse again.",
        code="opening.rehearsal",
    )


def _not_rehearsed(message: str, expected: str, remedy: str = "") -> StateError:
    return StateError(
        message,
        where="rehearsal",
        expected=expected,
        remedy=remedy
        or "Run roomful trustees challenge here, then roomful trustees rehearse with every share.",
        code="state.rehearsal",
    )
