"""The key ceremony: n trustees make a key whose secret never exists, and each gets a share of it.

Four rounds; any failure or complaint voids all of it, and a new one begins with a fresh id.

1. Each trustee draws a polynomial of degree t - 1 and publishes the hash of its coefficients times G, so that
   nobody can choose hers after she has seen the others'.
2. Each publishes the coefficients times G, with a proof for each that she knows it, bound to all of round 1.
3. Each gives every other one a share, her polynomial's value there, and everybody checks each share against
   the published coefficients. The sum of all shares is x_i.
4. Each signs with x_i what she saw of the other rounds, and her statement key.

References
----------
Pedersen: A threshold cryptosystem without a trusted party (1991). Gennaro, Jarecki, Krawczyk, Rabin: Secure
distributed key generation for discrete-log based cryptosystems (2007), on keys biased by who speaks last.
Komlo, Goldberg: FROST (2020), figure 1, on the proofs of knowledge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from shared import base64url, strict_json
from shared.edwards import L
from shared.election import schnorr
from shared.election.group import ELEMENT_BYTES, GENERATOR, IDENTITY, Group
from shared.election.hashing import u16
from shared.election.schnorr import Proof
from shared.election.trustees import Trustees
from shared.errors import ElectionError
from shared.fields import Fields
from shared.limits import MAX_TRUSTEES

FIRST: Final = "roomful-ceremony-first/1"
SECOND: Final = "roomful-ceremony-second/1"
THIRD: Final = "roomful-ceremony-third/1"
FOURTH: Final = "roomful-ceremony-fourth/1"
COEFFICIENT_BYTES: Final = 64
MAX_MESSAGE_BYTES: Final = 65_536
MAX_KEY_BYTES: Final = 2_048
_KNOWLEDGE: Final = "roomful-knowledge/1"
_SEEN: Final = "roomful-ceremony-seen/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """What a trustee publishes in round 1.

    Attributes
    ----------
    ceremony : str
        A fresh id, 32 random bytes in hexadecimal, the same for all.
    trustees, threshold, trustee : int
        n, t, and her number from 1.
    sealing_key : bytes
        Of HPKE, used for this ceremony alone: her shares are sealed to it.
    coefficients : str
        :func:`coefficients_digest`, hexadecimal.
    """

    ceremony: str
    trustees: int
    threshold: int
    trustee: int
    sealing_key: bytes
    coefficients: str

    def to_bytes(self) -> bytes:
        """The file."""
        return strict_json.dumps(
            {
                "format": FIRST,
                "ceremony": self.ceremony,
                "trustees": self.trustees,
                "threshold": self.threshold,
                "trustee": self.trustee,
                "sealing_key": base64url.encode(self.sealing_key),
                "coefficients": self.coefficients,
            }
        )

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            With the code ``election.ceremony``.
        """
        names = ("format", "ceremony", "trustees", "threshold", "trustee", "sealing_key", "coefficients")
        fields = _read(data, where, FIRST, names)
        n = fields.integer("trustees", 2, MAX_TRUSTEES)
        key = base64url.decode(fields.text("sealing_key", maximum=MAX_KEY_BYTES))
        if not key:
            raise fields.fail("sealing_key", "this is no key", "base64url")
        return cls(
            ceremony=fields.digest("ceremony"),
            trustees=n,
            threshold=fields.integer("threshold", 2, n),
            trustee=fields.integer("trustee", 1, n),
            sealing_key=key,
            coefficients=fields.digest("coefficients"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Second:
    """What a trustee publishes in round 2.

    Attributes
    ----------
    ceremony : str
    trustee : int
    coefficients : tuple of bytes, length t
        Times G, the constant one first.
    proofs : tuple of Proof, length t
    """

    ceremony: str
    trustee: int
    coefficients: tuple[bytes, ...]
    proofs: tuple[Proof, ...]

    def to_bytes(self) -> bytes:
        """The file."""
        return strict_json.dumps(
            {
                "format": SECOND,
                "ceremony": self.ceremony,
                "trustee": self.trustee,
                "coefficients": [base64url.encode(element) for element in self.coefficients],
                "proofs": [proof.to_text() for proof in self.proofs],
            }
        )

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            ``election.ceremony``, or ``election.scalar`` in a proof.
        """
        fields = _read(data, where, SECOND, ("format", "ceremony", "trustee", "coefficients", "proofs"))
        texts = fields.texts("coefficients", MAX_TRUSTEES)
        elements = tuple(base64url.decode(text) or b"" for text in texts)
        if any(len(element) != ELEMENT_BYTES for element in elements):
            raise fields.fail("coefficients", "this is no element", f"{ELEMENT_BYTES} bytes in base64url")
        return cls(
            ceremony=fields.digest("ceremony"),
            trustee=fields.integer("trustee", 1, MAX_TRUSTEES),
            coefficients=elements,
            proofs=tuple(Proof.from_text(text) for text in fields.texts("proofs", MAX_TRUSTEES)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Third:
    """What a trustee sends in round 3.

    Attributes
    ----------
    ceremony : str
    trustee : int
    sealed : tuple of (int, bytes)
        For every other trustee, ascending: her number, and her share sealed to her key.
    """

    ceremony: str
    trustee: int
    sealed: tuple[tuple[int, bytes], ...]

    def to_bytes(self) -> bytes:
        """The file."""
        return strict_json.dumps(
            {
                "format": THIRD,
                "ceremony": self.ceremony,
                "trustee": self.trustee,
                "sealed": [{"to": to, "share": base64url.encode(share)} for to, share in self.sealed],
            }
        )

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            With the code ``election.ceremony``.
        """
        fields = _read(data, where, THIRD, ("format", "ceremony", "trustee", "sealed"))
        items = (
            Fields(item, f"{where}: sealed", ("to", "share"), error=_refused)
            for item in fields.items("sealed", MAX_TRUSTEES)
        )
        return cls(
            ceremony=fields.digest("ceremony"),
            trustee=fields.integer("trustee", 1, MAX_TRUSTEES),
            sealed=tuple(
                (item.integer("to", 1, MAX_TRUSTEES), base64url.decode(item.text("share")) or b"")
                for item in items
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fourth:
    """What a trustee publishes once she has all shares and none was wrong.

    Attributes
    ----------
    transcript : str
        :func:`transcript`, as she computed it.
    trustee : int
    statement_key : bytes
        Ed25519, with which she will state which ballots are the election's.
    proof : Proof
        By her share of the key.
    """

    transcript: str
    trustee: int
    statement_key: bytes
    proof: Proof

    def to_bytes(self) -> bytes:
        """The file."""
        return strict_json.dumps(
            {
                "format": FOURTH,
                "transcript": self.transcript,
                "trustee": self.trustee,
                "statement_key": base64url.encode(self.statement_key),
                "proof": self.proof.to_text(),
            }
        )

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            ``election.ceremony``, or ``election.scalar`` in the proof.
        """
        fields = _read(data, where, FOURTH, ("format", "transcript", "trustee", "statement_key", "proof"))
        return cls(
            transcript=fields.digest("transcript"),
            trustee=fields.integer("trustee", 1, MAX_TRUSTEES),
            statement_key=base64url.decode(fields.text("statement_key")) or b"",
            proof=Proof.from_text(fields.text("proof")),
        )


def draw(threshold: int, entropy: bytes) -> tuple[int, ...]:
    """Coefficients of a polynomial, the constant one first, from 64 fresh random bytes for each."""
    if len(entropy) != COEFFICIENT_BYTES * threshold:
        raise ValueError(f"each coefficient needs {COEFFICIENT_BYTES} bytes")
    parts = (entropy[i : i + COEFFICIENT_BYTES] for i in range(0, len(entropy), COEFFICIENT_BYTES))
    return tuple(int.from_bytes(part, "little") % L for part in parts)


def published(coefficients: Sequence[int], group: Group) -> tuple[bytes, ...]:
    """Each coefficient times G."""
    return tuple(group.combine((coefficient,), (GENERATOR,)) for coefficient in coefficients)


def coefficients_digest(ceremony: str, trustee: int, elements: Sequence[bytes]) -> str:
    """SHA-256 of ``roomful-coefficients/1`` || id (32 bytes) || trustee u16 || elements, hexadecimal."""
    head = b"roomful-coefficients/1" + bytes.fromhex(ceremony) + u16(trustee)
    return hashlib.sha256(head + b"".join(elements)).hexdigest()


def messages_digest(label: str, messages: Sequence[First] | Sequence[Second]) -> bytes:
    """SHA-256 of a label and all messages of a round by their trustees, each behind its length."""
    digest = hashlib.sha256(label.encode("ascii"))
    for _, data in sorted((message.trustee, message.to_bytes()) for message in messages):
        digest.update(len(data).to_bytes(4, "big") + data)
    return digest.digest()


def require_first(messages: Sequence[First]) -> None:
    """Refuse a first round that is not whole, or of several ceremonies.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony``.
    """
    asked = {(m.ceremony, m.trustees, m.threshold) for m in messages}
    if len(asked) != 1:
        raise _void("round 1", "the messages are not of one ceremony")
    ((_, n, _),) = asked
    _require_each("round 1", [m.trustee for m in messages], n)


def second(
    first: Sequence[First], trustee: int, coefficients: Sequence[int], fresh: bytes, group: Group
) -> Second:
    """A trustee's message of round 2, once all of round 1 is there.

    Parameters
    ----------
    fresh : bytes
        32 random bytes for each coefficient.
    """
    require_first(first)
    bound = messages_digest(FIRST, first)
    proofs = [
        schnorr.prove(
            coefficient, _KNOWLEDGE, (bound, u16(trustee), u16(k)), fresh[32 * k : 32 * k + 32], group
        )
        for k, coefficient in enumerate(coefficients)
    ]
    return Second(
        ceremony=first[0].ceremony,
        trustee=trustee,
        coefficients=published(coefficients, group),
        proofs=tuple(proofs),
    )


def require_second(first: Sequence[First], messages: Sequence[Second], group: Group) -> None:
    """Refuse a second round unless everybody published what she committed to, and knows it.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony``, and the trustee's number as the place.

    Notes
    -----
    Guarantee: if it returns, no trustee chose her polynomial after she saw another's, and each knows hers.
    """
    require_first(first)
    bound = messages_digest(FIRST, first)
    promised = {m.trustee: m for m in first}
    _require_each("round 2", [m.trustee for m in messages], len(first))
    for message in messages:
        number, before = message.trustee, promised[message.trustee]
        where = f"trustee {number}"
        if len(message.coefficients) != before.threshold or len(message.proofs) != before.threshold:
            raise _void(where, "she published another number of coefficients or proofs than the threshold")
        digest = coefficients_digest(before.ceremony, number, message.coefficients)
        if message.ceremony != before.ceremony or digest != before.coefficients:
            raise _void(where, "these are not the coefficients that she committed to")
        for k, (element, proof) in enumerate(zip(message.coefficients, message.proofs, strict=True)):
            try:
                schnorr.verify(element, proof, _KNOWLEDGE, (bound, u16(number), u16(k)), group)
            except ElectionError:
                raise _void(where, "she does not prove that she knows her coefficients") from None


def share_for(trustee: int, coefficients: Sequence[int]) -> int:
    """A polynomial's value at a trustee's number: what her colleague gives her in round 3."""
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * trustee + coefficient) % L
    return value


def require_share(share: int, trustee: int, sender: Second, group: Group) -> None:
    """Refuse a share that is not the sender's polynomial at this trustee's number.

    Raises
    ------
    ElectionError
        With the code ``election.share``; then the ceremony is void.
    """
    expected = group.combine(_powers(trustee, len(sender.coefficients)), sender.coefficients)
    if group.combine((share,), (GENERATOR,)) != expected:
        raise ElectionError(
            "the share does not fit what its sender published",
            where=f"from trustee {sender.trustee} to {trustee}",
            expected="her polynomial's value",
            remedy="Say so to all others: the ceremony is void. Begin a new one.",
            code="election.share",
        )


def share_info(ceremony: str, sender: int, receiver: int) -> bytes:
    """``info`` of a sealed share: ``roomful-ceremony-share/1`` || id (32 bytes) || both numbers (2 each)."""
    return b"roomful-ceremony-share/1" + bytes.fromhex(ceremony) + u16(sender) + u16(receiver)


def require_third(first: Sequence[First], messages: Sequence[Third]) -> tuple[bytes, ...]:
    """Refuse a third round that is not whole; all sealed shares by sender, then by receiver.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony``.
    """
    everybody = sorted(m.trustee for m in first)
    ordered = sorted(messages, key=lambda m: m.trustee)
    _require_each("round 3", [m.trustee for m in ordered], len(first))
    if any(m.ceremony != first[0].ceremony for m in ordered):
        raise _void("round 3", "a message is of another ceremony")
    for message in ordered:
        if [to for to, _ in message.sealed] != [n for n in everybody if n != message.trustee]:
            raise _void(f"trustee {message.trustee}", "she has not sent one share to each of the others")
    return tuple(share for message in ordered for _, share in message.sealed)


def fourth(
    secret: int, trustee: int, transcript: str, statement_key: bytes, fresh: bytes, group: Group
) -> Fourth:
    """A trustee's last message."""
    parts = (bytes.fromhex(transcript), u16(trustee), statement_key)
    proof = schnorr.prove(secret, _SEEN, parts, fresh, group)
    return Fourth(transcript=transcript, trustee=trustee, statement_key=statement_key, proof=proof)


def require_fourth(trustees: Trustees, messages: Sequence[Fourth], group: Group) -> tuple[bytes, ...]:
    """Refuse keys unless every trustee has seen the same ceremony and has her share; the statement keys.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony``, and the trustee's number as the place.
    """
    ordered = sorted(messages, key=lambda m: m.trustee)
    _require_each("round 4", [m.trustee for m in ordered], len(trustees.verification_keys))
    for message in ordered:
        where = f"trustee {message.trustee}"
        if message.transcript != trustees.transcript:
            raise _void(where, "she has seen other messages than those that are here")
        parts = (bytes.fromhex(message.transcript), u16(message.trustee), message.statement_key)
        public = trustees.verification_keys[message.trustee - 1]
        try:
            schnorr.verify(public, message.proof, _SEEN, parts, group)
        except ElectionError:
            raise _void(where, "she does not prove that she has her share") from None
    return tuple(message.statement_key for message in ordered)


def keys(messages: Sequence[Second], transcript: str, group: Group) -> Trustees:
    """What follows from a second round that was accepted: the election's key and everybody's verification
    key.

    Raises
    ------
    ElectionError
        With the code ``election.ceremony`` if one of them is the identity.
    """
    elements = [element for message in messages for element in message.coefficients]
    threshold = len(messages[0].coefficients)
    values = [
        group.combine(_powers(at, threshold) * len(messages), elements) for at in range(len(messages) + 1)
    ]
    if IDENTITY in values:
        raise _void("round 2", "a key would be the identity")
    return Trustees(
        key=values[0], verification_keys=tuple(values[1:]), threshold=threshold, transcript=transcript
    )


def transcript(first: Sequence[First], messages: Sequence[Second], sealed: Sequence[bytes]) -> str:
    """SHA-256 of all public messages, hexadecimal: of round 3 the hashes of the sealed shares alone.

    Parameters
    ----------
    sealed : sequence of bytes, length n (n - 1)
        The sealed shares by sender, then by receiver.
    """
    hashes = b"".join(hashlib.sha256(share).digest() for share in sealed)
    rounds = messages_digest(FIRST, first) + messages_digest(SECOND, messages)
    return hashlib.sha256(b"roomful-transcript/1" + rounds + hashes).hexdigest()


def _powers(number: int, count: int) -> tuple[int, ...]:
    return tuple(pow(number, k, L) for k in range(count))


def _read(data: bytes, where: str, form: str, names: tuple[str, ...]) -> Fields:
    value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_MESSAGE_BYTES)
    fields = Fields(value, where, names, error=_refused)
    fields.choice("format", (form,))
    return fields


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> ElectionError:
    return ElectionError(message, where=where, expected=expected, remedy=remedy, code="election.ceremony")


def _require_each(where: str, numbers: Sequence[int], trustees: int) -> None:
    """A trustee whose message is not there yet is waited for; one who is there twice voids the ceremony."""
    if missing := [number for number in range(1, trustees + 1) if number not in numbers]:
        raise _refused(
            f"there is no message of trustee {', '.join(map(str, missing))}",
            where=where,
            expected="a message of each trustee",
            remedy="Look whether this is the newest folder, and wait for those who are missing.",
        )
    if sorted(numbers) != list(range(1, trustees + 1)):
        raise _void(where, "a trustee is there twice, or there is no such trustee")


def _void(where: str, message: str) -> ElectionError:
    return _refused(
        message,
        where=where,
        expected="a whole and honest round",
        remedy="Begin a new ceremony with a new id.",
    )
