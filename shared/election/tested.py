"""A ballot that is tested instead of cast: all from which another device makes every byte of it again.

A voter's device shows the words of a ballot before she says whether she casts it or tests it, so it cannot
know which ballots will be tested. Of one that is tested it gives away the seed; that ballot is never cast.
Compact JSON::

    {"format":"roomful-test/1","specification":"<64 hex>","cell":<int>,"token":"<base64url>",
     "chosen":[<int>,...],"seed":"<base64url>"}                        (without the line break)

``token`` is prefix || device key || signature, without the secret that signs ballots. Who tests learns which
ballot would have been the voter's.

References
----------
Benaloh: Simple verifiable elections (2006), on casting or challenging; Adida: Helios (2008), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from shared import base64url, ed25519, strict_json
from shared.ballot import UnsignedBallot, require_invited
from shared.conditions import Answer
from shared.election.contests import answers_of
from shared.election.electorate import election_terms
from shared.election.group import Group
from shared.election.making import SEED_BYTES, make
from shared.election.terms import Terms
from shared.errors import ElectionError, TokenError
from shared.fields import Fields
from shared.invited import require_election
from shared.limits import MAX_CELLS, MAX_CONTEST_CHOICES
from shared.specification import Specification
from shared.token import PREFIX_BYTES, TOKEN_BYTES, Token

FORMAT: Final = "roomful-test/1"
MAX_TEST_BYTES: Final = 8_192


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BallotTest:
    """A ballot that will not be cast.

    Attributes
    ----------
    specification : str
        Digest of the election, hexadecimal.
    cell : int
    token : Token
    chosen : tuple of int
        For each contest the index of the choice.
    seed : bytes
        Of this ballot alone.
    """

    specification: str
    cell: int
    token: Token
    chosen: tuple[int, ...]
    seed: bytes

    def to_bytes(self) -> bytes:
        """The file, which is a text too."""
        token = self.token
        return strict_json.dumps(
            {
                "format": FORMAT,
                "specification": self.specification,
                "cell": self.cell,
                "token": base64url.encode(token.prefix + token.device_key + token.signature),
                "chosen": list(self.chosen),
                "seed": base64url.encode(self.seed),
            }
        )

    @classmethod
    def parse(cls, data: bytes, where: str = "test") -> Self:
        """Read :meth:`to_bytes`.

        Raises
        ------
        ElectionError
            With the code ``election.test``.
        """
        value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_TEST_BYTES)
        members = ("format", "specification", "cell", "token", "chosen", "seed")
        fields = Fields(value, where, members, error=_refused)
        fields.choice("format", (FORMAT,))
        token = _bytes(fields, "token", TOKEN_BYTES)
        key_at, signature_at = PREFIX_BYTES, PREFIX_BYTES + ed25519.KEY_BYTES
        return cls(
            specification=fields.digest("specification"),
            cell=fields.integer("cell", 0, MAX_CELLS - 1),
            token=Token(
                prefix=token[:key_at], device_key=token[key_at:signature_at], signature=token[signature_at:]
            ),
            chosen=fields.integers("chosen", 0, MAX_CONTEST_CHOICES - 1),
            seed=_bytes(fields, "seed", SEED_BYTES),
        )

    def ballot(self, terms: Terms, group: Group) -> UnsignedBallot:
        """Make every byte again but the signature; run by the device that tests.

        Guarantee: its words are those that the voter's device showed, or that device made another ballot than
        one of these choices.

        Raises
        ------
        ElectionError
            ``election.test``, if it is of another election, or there is no such box or choice.
        """
        if self.specification != terms.digest:
            raise _refused("the ballot is one of another election", where="specification")
        sizes = zip(self.chosen, terms.choices, strict=False)
        if len(self.chosen) != len(terms.choices) or any(index >= size for index, size in sizes):
            raise _refused("there are no such choices", where="chosen")
        if self.cell >= terms.cells:
            raise _refused("there is no such box", where="cell")
        vote = make(terms, self.cell, self.token.device_key, self.chosen, self.seed, group)
        return UnsignedBallot(cell=self.cell, token=self.token, box=vote.to_bytes())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A ballot that was made again on another device.

    Attributes
    ----------
    words : str
        To be compared with those that the voter's device showed.
    cell : int
    answers : dict of str to Answer
        What the ballot says, by the name of the contest.
    genuine : bool
        Whether its token is the registrar's: else it would not have counted.
    """

    words: str
    cell: int
    answers: dict[str, Answer]
    genuine: bool


def rebuild(specification: Specification, digest: str, tested: BallotTest, group: Group) -> Rebuilt:
    """Make a ballot again, from nothing but the signed specification and what the voter's device gave.

    Raises
    ------
    SubmissionError, OpeningError
        ``ballot.open-survey`` or ``opening.not-an-election``: nothing can be tested here.
    ElectionError
        With the code ``election.test``.
    """
    invited = require_invited(specification)
    require_election(invited)
    ballot = tested.ballot(election_terms(specification, digest), group)
    try:
        ballot.token.verify(invited.token_key(ballot.cell), digest)
    except TokenError:
        genuine = False
    else:
        genuine = True
    answers = answers_of(specification.questionnaire, tested.chosen)
    return Rebuilt(words=ballot.words, cell=ballot.cell, answers=answers, genuine=genuine)


def _bytes(fields: Fields, name: str, length: int) -> bytes:
    data = base64url.decode(fields.text(name))
    if data is None or len(data) != length:
        raise fields.fail(name, "a part of the test is damaged", f"{length} bytes in base64url")
    return data


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> ElectionError:
    return ElectionError(
        message,
        where=where,
        expected=expected or "what the voter's device gave for this test",
        remedy=remedy or "Take the whole text or file from the voter's device once more.",
        code="election.test",
    )
