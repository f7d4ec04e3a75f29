"""Known answers of what an election hashes and signs, each computed from its layout on the page, not by ours.

The multiples of the generator in them are those of :mod:`shared.ristretto`, which has vectors of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from shared.edwards import L
from shared.election.ceremony import fourth, share_for
from shared.election.group import GENERATOR
from tests import election_held as held
from tests.election import GROUP

SEALED = tuple(held.fresh(f"sealed share {i}", 3) for i in range(held.N * (held.N - 1)))
"""Any bytes: nobody opens them here."""


def election_hashes() -> dict[str, Any]:
    """The ceremony, a statement, proofs of knowledge and factors of one small election."""
    return {
        "comment": (
            "Bytes in hexadecimal, numbers of 32 bytes little-endian. Each case has the function that it is"
            " about as 'of'. A 'message' is signed with Ed25519; 'fresh' are the random bytes of a nonce."
        ),
        "source": "docs/election.md, The key ceremony, Groups; docs/protocol.md, Statements.",
        "cases": [
            *(_coefficients(i) for i in range(1, held.N + 1)),
            _ceremony(),
            _statement(),
            _acceptance(),
            _passed_on(),
            *_proofs(),
            *_factors(),
        ],
    }


def _sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def _behind_lengths(label: str, parts: Sequence[bytes]) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in (label.encode(), *parts))


def _h(label: str, *parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(_behind_lengths(label, parts)).digest(), "little") % L


def _times(number: int, element: bytes = GENERATOR) -> bytes:
    return GROUP.combine((number,), (element,))


def _number(number: int) -> str:
    return number.to_bytes(32, "little").hex()


def _coefficients(trustee: int) -> dict[str, Any]:
    elements = [_times(number) for number in held.coefficients(trustee)]
    head = b"roomful-coefficients/1" + bytes.fromhex(held.CEREMONY) + trustee.to_bytes(2, "big")
    return {
        "of": "coefficients",
        "ceremony": held.CEREMONY,
        "trustee": trustee,
        "elements": [element.hex() for element in elements],
        "digest": _sha256(head, *elements).hex(),
    }


def _ceremony() -> dict[str, Any]:
    """All messages, the digest of each round, and the transcript that everybody signs."""
    rounds, digests = [], []
    for label, messages in (
        ("roomful-ceremony-first/1", held.first_round()),
        ("roomful-ceremony-second/1", held.second_round()),
    ):
        rounds.append([message.to_bytes() for message in messages])
        lengths = b"".join(len(data).to_bytes(4, "big") + data for data in rounds[-1])
        digests.append(_sha256(label.encode(), lengths))
    transcript = _sha256(b"roomful-transcript/1", *digests, *map(_sha256, SEALED)).hex()
    seen = [
        fourth(x, i, transcript, held.fresh(f"key {i}"), held.fresh(f"seen {i}"), GROUP)
        for i, x in enumerate(held.secrets(), 1)
    ]
    return {
        "of": "ceremony",
        "first": [data.hex() for data in rounds[0]],
        "second": [data.hex() for data in rounds[1]],
        "sealed": [data.hex() for data in SEALED],
        "first_digest": digests[0].hex(),
        "second_digest": digests[1].hex(),
        "transcript": transcript,
        "fourth": [message.to_bytes().hex() for message in seen],
        "shares": [
            [_number(share_for(j, held.coefficients(i))) for j in range(1, held.N + 1)]
            for i in range(1, held.N + 1)
        ],
    }


def _statement() -> dict[str, Any]:
    groups = json.dumps(held.GROUPS, separators=(",", ":")).encode()
    digest, root = _sha256(b"a specification"), _sha256(b"a root")
    set_ = _sha256(b"roomful-groups/1", groups)
    return {
        "of": "statement",
        "specification": digest.hex(),
        "root": root.hex(),
        "groups": held.GROUPS,
        "groups_digest": set_.hex(),
        "trustee": 2,
        "message": (b"roomful-statement/1" + digest + root + set_ + b"\x02").hex(),
    }


def _acceptance() -> dict[str, Any]:
    digest, receipt = _sha256(b"a specification"), _sha256(b"a ballot")
    return {
        "of": "acceptance",
        "specification": digest.hex(),
        "receipt": receipt.hex(),
        "message": (b"roomful-acceptance/1" + digest + receipt).hex(),
    }


def _passed_on() -> dict[str, Any]:
    digest, sealed = _sha256(b"a specification"), held.fresh("a sealed ballot", 4)
    return {
        "of": "passed-on",
        "specification": digest.hex(),
        "sealed": sealed.hex(),
        "message": (b"roomful-passed-on/1" + digest + _sha256(sealed)).hex(),
    }


def _proofs() -> list[dict[str, Any]]:
    """Of a coefficient, of what was seen, of one specification."""
    digest, one, two = _sha256(b"round 1"), (1).to_bytes(2, "big"), (2).to_bytes(2, "big")
    return [
        _proof("roomful-knowledge/1", digest, two, one),
        _proof("roomful-ceremony-seen/1", digest, two, _sha256(b"a statement key")),
        _proof("roomful-election-key/1", digest, two),
    ]


def _proof(label: str, *parts: bytes) -> dict[str, Any]:
    secret, fresh = held.secrets()[1], held.fresh(f"proof {label}")
    w = _h("roomful-nonce/1", secret.to_bytes(32, "little"), fresh, label.encode(), *parts)
    c = _h(label, *parts, _times(secret), _times(w))
    return {
        "of": "proof",
        "label": label,
        "parts": [part.hex() for part in parts],
        "secret": _number(secret),
        "public": _times(secret).hex(),
        "fresh": fresh.hex(),
        "nonce": _number(w),
        "challenge": _number(c),
        "response": _number((w + c * secret) % L),
    }


def _factors() -> list[dict[str, Any]]:
    """Those of trustee 2 for the first group with its one contest."""
    trustee, secret, stated = 2, held.secrets()[1], held.stated()
    bound = [bytes.fromhex(text) for text in (stated.specification, stated.root, stated.groups)]
    found = []
    for choice, (r, _) in enumerate(held.sums()[0][0]):
        place = (trustee.to_bytes(2, "big"), bytes(4), bytes(2), choice.to_bytes(2, "big"))
        parts = (*bound, *place, _times(secret), r)
        fresh = held.fresh(f"factor {trustee} {choice}")
        label = "roomful-decryption/1"
        w = _h("roomful-nonce/1", secret.to_bytes(32, "little"), fresh, label.encode(), *parts)
        d = _times(secret, r)
        c = _h(label, *parts, d, _times(w), _times(w, r))
        found.append(
            {
                "of": "factor",
                "specification": stated.specification,
                "root": stated.root,
                "groups": stated.groups,
                "trustee": trustee,
                "secret": _number(secret),
                "choice": choice,
                "sum_of_r": r.hex(),
                "fresh": fresh.hex(),
                "factor": d.hex(),
                "challenge": _number(c),
                "response": _number((w + c * secret) % L),
            }
        )
    return found
