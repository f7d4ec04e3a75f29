"""What makes a survey an invited one: keys, trustees and the relay, all signed in the specification.

In an invited survey a code is exchanged once for a blind token, the answers are sealed to the trustees, and
the whole ballot once more to the collector, so that a relay in between reads nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from shared import base64url, ed25519
from shared.decimals import parse_probability
from shared.election.group import ELEMENT_BYTES
from shared.election.trustees import Trustees
from shared.envelope import decode_key
from shared.errors import EnvelopeError, OpeningError, SpecificationError
from shared.fields import Fields
from shared.limits import (
    MAX_PEOPLE,
    MAX_POOL_MESSAGES,
    MAX_POOL_SECONDS,
    MAX_SPARE_KEYS,
    MAX_TOKEN_KEYS,
    MAX_TRUSTEES,
    TOKEN_KEY_BYTES,
)
from shared.sealing import SUITES, Suite

_KEYS: Final = (
    "people",
    "codes",
    "token_keys",
    "suite",
    "opening_key",
    "collector_key",
    "acceptance_key",
    "trustees",
    "relay",
    "spare_keys",
)
_MAX_URL_CHARACTERS: Final = 500
_RELAY_URL: Final = re.compile(
    r"https?://([A-Za-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~-]+)*/", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """The mix between respondents and collector: a threshold pool.

    Attributes
    ----------
    url : str
        Address of its installation, with a slash at its end.
    messages, seconds : int
        It forwards when it holds at least so many messages and the oldest has waited at least so long.
    key : bytes or None
        Ed25519 key by which it signs what it takes (:func:`shared.acceptance.passed_on_message`); None if it
        signs nothing.
    """

    url: str
    messages: int
    seconds: int
    key: bytes | None = None

    def to_object(self) -> dict[str, Any]:
        """As the member ``relay``."""
        named = {} if self.key is None else {"key": base64url.encode(self.key)}
        return {"url": self.url, "messages": self.messages, "seconds": self.seconds} | named


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """Which codes are invited (:mod:`shared.roll`).

    Attributes
    ----------
    roll_id : bytes
        32 random bytes that every proof of a code is bound to.
    digest : str
        SHA-256 of the roll, hexadecimal: the roll has a hash for each of the ``people``, in an election in a
        list for each box.
    """

    roll_id: bytes
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """The keys and rules of an invited survey.

    Attributes
    ----------
    people : int
        Invitations; never more tokens are issued.
    codes : Codes
        The roll of their codes, which is made before the specification is signed.
    token_keys : tuple of int
        Moduli of the registrar's RSA keys for this survey alone, 3072 bits; the exponent is 65537. A survey
        has one; an election one for each box, so that a token counts in its box only.
    suite : Suite
        How answers and ballots are sealed.
    opening_key, collector_key : bytes
        HPKE public keys of the trustees and of the collector; of an election the first is its key Y.
    acceptance_key : bytes
        Ed25519 key by which the collector signs that it took a ballot.
    threshold, shares : int
        So many of so many trustees open the answers together.
    statement_keys : tuple of bytes
        Ed25519 public key of each trustee, in the order of their shares, with which she states once which
        ballots are the survey's.
    relay : Relay or None
    election : Trustees or None
        Of an election the keys of its trustees: boxes hold votes that can be added, and only sums of whole
        groups are ever decrypted.
    top_share : str or None
        Of an election the highest share that is expected for one choice in any box
        (:mod:`shared.election.unanimity`), a decimal in (0, 1].
    spare_keys : tuple of bytes
        Further Ed25519 keys of the organizer, two at most, that may sign checkpoint and board as the key that
        signed the specification may: whoever loses that key can still finish the survey.
    """

    people: int
    codes: Codes
    token_keys: tuple[int, ...]
    suite: Suite
    opening_key: bytes
    collector_key: bytes
    acceptance_key: bytes
    threshold: int
    shares: int
    statement_keys: tuple[bytes, ...]
    relay: Relay | None
    election: Trustees | None = None
    top_share: str | None = None
    spare_keys: tuple[bytes, ...] = ()

    @property
    def statements_needed(self) -> int:
        """Equal statements without which nothing is opened."""
        return statements_needed(self.threshold, self.shares)

    def token_key(self, cell: int) -> int:
        """The key of tokens that count in a cell: of a survey the same for all."""
        return self.token_keys[cell if len(self.token_keys) > 1 else 0]

    @classmethod
    def parse(cls, value: Any, where: str) -> Invited:
        """Read the member ``invited``.

        Raises
        ------
        SpecificationError
            For anything of the wrong form, a short token key, too few trustees.
        """
        fields = Fields(value, where, _KEYS, error=SpecificationError, optional=("election", "top_share"))
        is_election = "election" in fields
        if is_election != ("top_share" in fields):
            raise fields.fail("top_share", "it belongs to an election, and to nothing else", "both or none")
        suite = SUITES[fields.choice("suite", SUITES)]
        trustees = Fields(
            fields.raw("trustees"),
            fields.where("trustees"),
            ("threshold", "shares", "statement_keys"),
            error=SpecificationError,
        )
        shares = trustees.integer("shares", 2, MAX_TRUSTEES)
        threshold = trustees.integer("threshold", 2, shares)
        key_bytes = ELEMENT_BYTES if is_election else suite.public_key_bytes
        opening_key = _parse_bytes(fields, "opening_key", key_bytes)
        return cls(
            people=fields.integer("people", 1, MAX_PEOPLE),
            codes=_parse_codes(fields),
            token_keys=_parse_moduli(fields),
            suite=suite,
            opening_key=opening_key,
            collector_key=_parse_bytes(fields, "collector_key", suite.public_key_bytes),
            acceptance_key=_parse_signing_key(fields, "acceptance_key", fields.text("acceptance_key")),
            threshold=threshold,
            shares=shares,
            statement_keys=parse_statement_keys(trustees, shares),
            relay=None if fields.raw("relay") is None else _parse_relay(fields, is_election=is_election),
            election=_parse_election(fields, opening_key, threshold, shares) if is_election else None,
            top_share=_parse_share(fields) if is_election else None,
            spare_keys=_parse_spare_keys(fields),
        )

    def to_object(self) -> dict[str, Any]:
        """As the member ``invited`` of the specification."""
        return {
            "people": self.people,
            "codes": {"roll_id": self.codes.roll_id.hex(), "digest": self.codes.digest},
            "token_keys": [base64url.encode(n.to_bytes(TOKEN_KEY_BYTES, "big")) for n in self.token_keys],
            "suite": self.suite.name,
            "opening_key": base64url.encode(self.opening_key),
            "collector_key": base64url.encode(self.collector_key),
            "acceptance_key": base64url.encode(self.acceptance_key),
            "trustees": {
                "threshold": self.threshold,
                "shares": self.shares,
                "statement_keys": list(map(base64url.encode, self.statement_keys)),
            },
            "relay": None if self.relay is None else self.relay.to_object(),
            "spare_keys": [base64url.encode(key) for key in self.spare_keys],
        } | (
            {}
            if self.election is None
            else {"election": self.election.to_object(), "top_share": self.top_share}
        )


def board_keys(organizer_key: bytes, invited: Invited | None) -> tuple[bytes, ...]:
    """The keys that may sign checkpoint and board: the organizer's, and the spare ones that she signed."""
    return (organizer_key, *(invited.spare_keys if invited else ()))


def statements_needed(threshold: int, shares: int) -> int:
    """How many of n trustees must state the same set of ballots before t of them open it: (n + t - 1) / 2,
    rounded down, and one.

    Any two sets of so many have at least t trustees in common, who could open everything anyway. So n minus
    this number of trustees may be lost: none of 2-of-3, one of 3-of-5 and of 2-of-4, two of 3-of-7.
    """
    return (shares + threshold - 1) // 2 + 1


def require_election(invited: Invited) -> Trustees:
    """The trustees' keys of an election.

    Raises
    ------
    OpeningError
        With the code ``opening.not-an-election`` for a survey whose answers are opened one by one.
    """
    if invited.election is None:
        raise OpeningError(
            "this is no election but a survey",
            where="specification",
            expected="an election, whose trustees decrypt sums alone",
            remedy="The answers of a survey are opened with roomful trustees open.",
            code="opening.not-an-election",
        )
    return invited.election


def parse_statement_keys(fields: Fields, shares: int) -> tuple[bytes, ...]:
    """The member ``statement_keys``: a key for each share, all different and of prime order."""
    keys = []
    for item in fields.items("statement_keys", shares, minimum=shares):
        key = base64url.decode(item) if isinstance(item, str) else None
        if key is None or not ed25519.is_key(key) or key in keys:
            raise fields.fail(
                "statement_keys",
                "not the keys of the trustees",
                f"{shares} different Ed25519 keys of prime order, 32 bytes each in base64url",
            )
        keys.append(key)
    return tuple(keys)


def is_token_modulus(data: bytes) -> bool:
    """Whether some bytes are an odd modulus of exactly 3072 bits."""
    return len(data) == TOKEN_KEY_BYTES and data[0] >= 0x80 and data[-1] % 2 == 1


def _parse_election(fields: Fields, key: bytes, threshold: int, shares: int) -> Trustees:
    return Trustees.parse(
        fields.raw("election"),
        fields.where("election"),
        key=key,
        threshold=threshold,
        shares=shares,
        error=SpecificationError,
    )


def _parse_share(fields: Fields) -> str:
    text = fields.text("top_share", maximum=64)
    if parse_probability(text) is None:
        raise fields.fail("top_share", "this is no share", "a decimal in (0, 1], such as 0.8")
    return text


def _parse_codes(fields: Fields) -> Codes:
    codes = Fields(
        fields.raw("codes"), fields.where("codes"), ("roll_id", "digest"), error=SpecificationError
    )
    return Codes(roll_id=bytes.fromhex(codes.digest("roll_id")), digest=codes.digest("digest"))


def _parse_moduli(fields: Fields) -> tuple[int, ...]:
    moduli = [base64url.decode(text) or b"" for text in fields.texts("token_keys", MAX_TOKEN_KEYS)]
    if not moduli or not all(map(is_token_modulus, moduli)):
        raise fields.fail(
            "token_keys",
            "not different RSA moduli of 3072 bits",
            "odd numbers with their highest bit set, 384 bytes each in base64url",
        )
    return tuple(int.from_bytes(data, "big") for data in moduli)


def _parse_bytes(fields: Fields, name: str, length: int) -> bytes:
    data = base64url.decode(fields.text(name))
    if data is None or len(data) != length:
        raise fields.fail(name, "not a key of this suite", f"{length} bytes in base64url, without padding")
    return data


def _parse_spare_keys(fields: Fields) -> tuple[bytes, ...]:
    texts = fields.texts("spare_keys", MAX_SPARE_KEYS)
    return tuple(_parse_signing_key(fields, "spare_keys", text) for text in texts)


def _parse_signing_key(fields: Fields, name: str, text: str) -> bytes:
    try:
        return decode_key(text)
    except EnvelopeError as problem:
        raise fields.fail(name, problem.message, problem.expected) from None


def _parse_relay(fields: Fields, *, is_election: bool) -> Relay:
    relay = Fields(
        fields.raw("relay"),
        fields.where("relay"),
        ("url", "messages", "seconds"),
        error=SpecificationError,
        optional=("key",),
    )
    url = relay.text("url", maximum=_MAX_URL_CHARACTERS)
    if not is_relay_url(url):
        raise relay.fail("url", "not the address of a relay", "https://HOST/ with a slash at its end")
    if "key" in relay and not is_election:
        raise relay.fail("key", "a relay signs what it takes of an election", "an election, or no key")
    return Relay(
        url=url,
        messages=relay.integer("messages", 2, MAX_POOL_MESSAGES),
        seconds=relay.integer("seconds", 1, MAX_POOL_SECONDS),
        key=_parse_signing_key(relay, "key", relay.text("key")) if "key" in relay else None,
    )


def is_relay_url(url: str) -> bool:
    """Whether a text is an http or https address with a slash at its end and nothing after it."""
    return len(url) <= _MAX_URL_CHARACTERS and _RELAY_URL.fullmatch(url) is not None
