"""Statements: what each trustee signs, once for a survey, before anything of it is decrypted.

A trustee's statement key is derived from her share (:mod:`server.release.trustees.statement_keys`), so there
is nothing more to keep; its public half is made at the ceremony and signed in the specification. Compact
JSON::

    {"format":"roomful-statement/1","specification":"<64 hex>","root":"<64 hex>","groups":"<64 hex>",
     "trustee":<int>,"signature":"<base64url>"}                       (without the line break)

What is signed is ``roomful-statement/1`` || specification (32 bytes) || root (32) || groups (32) || number of
the trustee (1).

The opening demands more than (n + t - 1) / 2 equal statements, of n trustees with the threshold t. Two such
majorities have t trustees in common; so for two sets of one survey t of them must sign both, and t of them
could open everything anyway.

References
----------
RFC 8032 (Ed25519). Quorums of this size: Malkhi, Reiter: Byzantine quorum systems (1998).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared import base64url, ed25519, strict_json
from shared.errors import OpeningError
from shared.fields import Fields
from shared.invited import Invited
from shared.limits import MAX_TRUSTEES
from shared.words import digest_words

FORMAT: Final = "roomful-statement/1"
MAX_STATEMENT_BYTES: Final = 4096
_GROUPS_LABEL: Final = b"roomful-groups/1"


def groups_digest(groups: Sequence[Sequence[int]]) -> str:
    """SHA-256 of ``roomful-groups/1`` || the cells of each permitted group as compact JSON, hexadecimal."""
    return hashlib.sha256(_GROUPS_LABEL + groups_bytes(groups)).hexdigest()


def groups_bytes(groups: Sequence[Sequence[int]]) -> bytes:
    """The cells of each permitted group as compact JSON."""
    return strict_json.dumps([list(group) for group in groups])


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a statement is about: a set of ballots, and what of it may be opened.

    Attributes
    ----------
    specification : str
        Digest of the survey.
    root : str
        Root of the tree over the receipts, hexadecimal.
    groups : str
        :func:`groups_digest` of the permitted groups.
    """

    specification: str
    root: str
    groups: str

    def message(self, trustee: int) -> bytes:
        """What the trustee with this number signs."""
        parts = map(bytes.fromhex, (self.specification, self.root, self.groups))
        return FORMAT.encode("ascii") + b"".join(parts) + bytes((trustee,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One trustee's statement, not yet verified.

    Attributes
    ----------
    stated : Stated
    trustee : int
        Number of her share.
    signature : bytes
        By her statement key, 64 bytes.
    """

    stated: Stated
    trustee: int
    signature: bytes

    def to_bytes(self) -> bytes:
        """The file."""
        value = {
            "format": FORMAT,
            "specification": self.stated.specification,
            "root": self.stated.root,
            "groups": self.stated.groups,
            "trustee": self.trustee,
            "signature": base64url.encode(self.signature),
        }
        return strict_json.dumps(value) + b"\n"

    @classmethod
    def parse(cls, data: bytes, where: str) -> Statement:
        """Read a file.

        Raises
        ------
        OpeningError
            With the code ``opening.statement``.
        """
        value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_STATEMENT_BYTES)
        members = ("format", "specification", "root", "groups", "trustee", "signature")
        fields = Fields(value, where, members, error=_refused)
        fields.choice("format", (FORMAT,))
        signature = base64url.decode(fields.text("signature"))
        if signature is None or len(signature) != ed25519.SIGNATURE_BYTES:
            raise fields.fail("signature", "this is no signature", "64 bytes in base64url")
        stated = Stated(
            specification=fields.digest("specification"),
            root=fields.digest("root"),
            groups=fields.digest("groups"),
        )
        return cls(stated=stated, trustee=fields.integer("trustee", 1, MAX_TRUSTEES), signature=signature)

    def verify(self, invited: Invited, where: str) -> None:
        """Verify that this trustee of the survey signed it.

        Raises
        ------
        OpeningError
            With the code ``opening.statement``.
        """
        if self.trustee > invited.shares:
            raise _refused(f"there is no trustee {self.trustee}", where=where)
        key = invited.statement_keys[self.trustee - 1]
        if not ed25519.verifies(key, self.signature, self.stated.message(self.trustee)):
            raise _refused(f"trustee {self.trustee} did not sign this", where=where)


def require_statements(
    stated: Stated, invited: Invited, statements: Sequence[tuple[str, Statement]]
) -> tuple[int, ...]:
    """Refuse to open anything before so many trustees have signed that it is this set.

    Parameters
    ----------
    stated : Stated
        What is about to be opened.
    invited : Invited
    statements : sequence of (str, Statement)
        Each with the name of its file.

    Returns
    -------
    tuple of int
        Numbers of the trustees who signed, ascending.

    Raises
    ------
    OpeningError
        ``opening.statement`` for a file that is not of a trustee of this survey; ``opening.other-set`` for
        a genuine statement about another set, which is evidence; ``opening.statements`` if there are too few.

    Notes
    -----
    Guarantee: if it returns for one set of a survey, it returns for no other set of it, unless as many
    trustees as open together signed both.
    """
    signed: set[int] = set()
    for where, statement in statements:
        if statement.stated.specification != stated.specification:
            raise _refused("the statement is about another survey", where=where)
        statement.verify(invited, where)
        if statement.stated != stated:
            raise _other_set(stated, statement, where)
        signed.add(statement.trustee)
    if len(signed) < invited.statements_needed:
        listed = ", ".join(map(str, sorted(signed))) or "nobody"
        raise OpeningError(
            f"{len(signed)} trustees have stated that these are the ballots, and that is too few ({listed})",
            where="statements",
            expected=f"equal statements of {invited.statements_needed} of the {invited.shares} trustees",
            remedy="Ask the others for theirs: roomful trustees state, each on her own computer.",
            code="opening.statements",
        )
    return tuple(sorted(signed))


def _other_set(stated: Stated, statement: Statement, where: str) -> OpeningError:
    here, there = (digest_words(value.root) for value in (stated, statement.stated))
    return OpeningError(
        f"trustee {statement.trustee} has stated another set of ballots ({there}, here {here})",
        where=where,
        expected="one set of ballots for a survey, for ever",
        remedy="Keep both files: they are evidence of two boards. Open nothing until you know which is true.",
        code="opening.other-set",
    )


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> OpeningError:
    return OpeningError(
        message,
        where=where,
        expected=expected or "a statement that roomful trustees state wrote for this survey",
        remedy=remedy or "Leave this file out, and ask its trustee for it again.",
        code="opening.statement",
    )
