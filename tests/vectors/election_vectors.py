"""Vectors of elections: ristretto255, the hash, and ballots with every intermediate number.

Each bad ballot is made as well as its maker can: all other lines hold, and its signature always.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shared.ballot import HEAD_BYTES, Ballot
from shared.edwards import BASE, L, P, multiply
from shared.election.contest import EncryptedContest, Place
from shared.election.group import GENERATOR
from shared.election.hashing import hash_scalar
from shared.election.making import _contest, _Drawn
from shared.election.terms import Terms
from shared.election.vote import EncryptedVote
from shared.ristretto import encode
from tests.election import GROUP, TERMS, in_ballot, scalar, seed, token_of, vote_of, voted

_REFUSED = {
    "not-reduced": (
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ),
    "negative": (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
        "c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562",
        "c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78",
        "47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24",
        "f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72",
        "87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309",
    ),
    "no-square": (
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
        "de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b",
        "bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042",
        "2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08",
        "f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22",
        "8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731",
        "2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b",
    ),
    "negative-product": (
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220",
        "d483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e",
        "8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32",
        "32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b",
        "227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165",
        "5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e",
        "445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b",
    ),
    "y-zero": ("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",),
}
"""RFC 9496, appendix A.2."""


def ristretto() -> dict[str, Any]:
    """Multiples of the generator, sums of multiples, and what is no encoding."""
    points = [GROUP.combine((scalar(f"point {i}"),), (GENERATOR,)) for i in range(40)]
    top_bit = {f"top-bit-{i}": (points[i][:-1] + bytes((points[i][-1] | 0x80,))).hex() for i in range(3)}
    lengths = {"empty": "", "too-short": points[0][:-1].hex(), "too-long": points[0].hex() + "00"}
    return {
        "comment": (
            "ristretto255 in hexadecimal: multiples of the generator from 0 on; sums of multiples, factors"
            " little-endian; bytes that are no encoding. A top bit is refused here, by RFC 9496, and accepted"
            " by some versions of libsodium."
        ),
        "source": "RFC 9496, appendix A.1 and A.2; the sums by shared/ristretto.py.",
        "multiples": [encode(multiply(i, BASE)).hex() for i in range(16)],
        "cases": [_sum(points[:n]) for n in (1, 2, 7, 40)],
        "refused": [
            {"name": f"{name}-{i}", "encoding": text}
            for name, texts in _REFUSED.items()
            for i, text in enumerate(texts)
        ]
        + [{"name": name, "encoding": text} for name, text in (top_bit | lengths).items()],
    }


def _sum(points: Sequence[bytes]) -> dict[str, Any]:
    factors = [scalar(f"factor {i}") for i in range(len(points))]
    factors[0] = L - 1
    return {
        "factors": [factor.to_bytes(32, "little").hex() for factor in factors],
        "elements": [point.hex() for point in points],
        "sum": GROUP.combine(factors, points).hex(),
    }


def election_ballots() -> dict[str, Any]:
    """The hash, ballots, and ballots with named defects."""
    return {
        "comment": (
            "Ballots of one election, hexadecimal. Per contest 'r', 'a', 'c', 'z' are drawn from the seed for"
            " each choice, 'sum_a' for the sum; numbers are little-endian. The words are of 'body'. Each of"
            " 'refused' has the code of the first line that does not hold."
        ),
        "source": "docs/election.md, The ballot; shared/election/making.py.",
        "hashes": [
            _hashed("roomful-election/1"),
            _hashed("roomful-seed/1", b"", b"\x00", bytes(range(40))),
        ],
        "terms": {
            "digest": TERMS.digest,
            "key": TERMS.key.hex(),
            "choices": list(TERMS.choices),
            "cells": TERMS.cells,
        },
        "cases": [_case(0, 0, (0, 1)), _case(1, 3, (2, 0)), _case(2, 1, (1, 1))],
        "refused": [
            {"name": name, "code": code, "ballot": ballot.hex()}
            for name, (code, ballot) in bad_ballots().items()
        ],
    }


def _hashed(label: str, *parts: bytes) -> dict[str, Any]:
    number = hash_scalar(label, *parts)
    return {
        "label": label,
        "parts": [part.hex() for part in parts],
        "number": number.to_bytes(32, "little").hex(),
    }


def _case(number: int, cell: int, chosen: tuple[int, ...]) -> dict[str, Any]:
    ballot, vote = voted(number, cell, chosen), vote_of(number, cell, chosen)
    drawn = []
    for contest, (choices, choice) in enumerate(zip(TERMS.choices, chosen, strict=True)):
        place = Place(device_key=ballot.token.device_key, cell=cell, contest=contest)
        numbers = _Drawn(seed=seed(number), terms=TERMS, place=place, chosen=choice)
        drawn.append(
            {use: [_hex(numbers.number(use, j)) for j in range(choices)] for use in "racz"}
            | {"sum_a": _hex(numbers.number("a", 0xFFFF)), "e": _hex(vote.contests[contest].challenge)}
        )
    token = ballot.token
    return {
        "cell": cell,
        "token": (token.prefix + token.device_key + token.signature).hex(),
        "chosen": list(chosen),
        "seed": seed(number).hex(),
        "drawn": drawn,
        "body": ballot.body.hex(),
        "words": ballot.words,
        "signature": ballot.signature.hex(),
        "receipt": ballot.receipt,
    }


def _hex(number: int) -> str:
    return number.to_bytes(32, "little").hex()


def with_votes(votes: Sequence[Sequence[int]], terms: Terms = TERMS, voter: int = 9) -> Ballot:
    """A ballot with any votes, proven as if they were 0 or 1 and their sum 1."""
    token = token_of(voter)
    contests = []
    for contest, row in enumerate(votes):
        place = Place(device_key=token.device_key, cell=0, contest=contest)
        drawn = _Drawn(seed=seed(voter), terms=terms, place=place, chosen=0)
        contests.append(_contest(drawn, [vote % L for vote in row], GROUP))
    vote = EncryptedVote(cell=0, device_key=token.device_key, contests=tuple(contests))
    return in_ballot(vote, voter, terms)


def bad_ballots() -> dict[str, tuple[str, bytes]]:
    """Code and bytes by the name of the defect."""
    good, vote = voted(0, 0, (0, 1)), vote_of(0, 0, (0, 1))
    another = replace(TERMS, digest=hashlib.sha256(b"another election").hexdigest())
    first = vote.contests[0]
    found: dict[str, tuple[str, Ballot]] = {
        "vote-of-two-and-minus-one": ("ballot.choice", with_votes(((2, -1, 0), (1, 0)))),
        "vote-of-minus-one": ("ballot.choice", with_votes(((1, 1, -1), (1, 0)))),
        "two-choices": ("ballot.sum", with_votes(((1, 1, 0), (1, 0)))),
        "no-choice": ("ballot.sum", with_votes(((1, 0, 0), (0, 0)))),
        "moved-to-another-box": ("ballot.challenge", in_ballot(replace(vote, cell=1), 0)),
        "contests-under-another-token": (
            "ballot.challenge",
            in_ballot(vote, 1),
        ),
        "of-another-election": ("ballot.challenge", in_ballot(vote_of(0, 0, (0, 1), another), 0)),
        "choices-exchanged": (
            "ballot.challenge",
            _changed(vote, replace(first, ciphertexts=tuple(reversed(first.ciphertexts)))),
        ),
        "response-of-a-choice": ("ballot.choice", _changed(vote, _with_response(first, 1))),
        "challenge-of-a-choice": ("ballot.choice", _changed(vote, _with_response(first, 0))),
        "response-of-the-sum": (
            "ballot.sum",
            _changed(vote, replace(first, sum_response=(first.sum_response + 1) % L)),
        ),
        "challenge-of-all": (
            "ballot.challenge",
            _changed(vote, replace(first, challenge=(first.challenge + 1) % L)),
        ),
        "signed-by-another": ("ballot.signature", replace(good, signature=voted(1, 0, (2, 0)).signature)),
    }
    found |= {
        f"element-{name}": ("ballot.element", _changed(vote, _with_element(first, data)))
        for name, data in {
            "identity": bytes(32),
            "not-reduced": P.to_bytes(32, "little"),
            "negative": (1).to_bytes(32, "little"),
            "top-bit": first.ciphertexts[0][0][:-1] + bytes((first.ciphertexts[0][0][-1] | 0x80,)),
        }.items()
    }
    data = good.to_bytes()
    end = HEAD_BYTES + 32 * 20
    number = int.from_bytes(data[end : end + 32], "little")
    raw = {
        "number-plus-L": (
            "ballot.number",
            data[:end] + (number + L).to_bytes(32, "little") + data[end + 32 :],
        ),
        "no-such-box": ("ballot.cell", data[:1] + (4).to_bytes(4, "big") + data[5:]),
        "another-version": ("ballot.form", b"\x01" + data[1:]),
        "too-short": ("ballot.form", data[:-1]),
        "too-long": ("ballot.form", data + b"\x00"),
    }
    return {name: (code, ballot.to_bytes()) for name, (code, ballot) in found.items()} | raw


def _changed(vote: EncryptedVote, first: EncryptedContest) -> Ballot:
    return in_ballot(replace(vote, contests=(first, *vote.contests[1:])), 0)


def _with_element(contest: EncryptedContest, data: bytes) -> EncryptedContest:
    (_, s), *others = contest.ciphertexts
    return replace(contest, ciphertexts=((data, s), *others))


def _with_response(contest: EncryptedContest, place: int) -> EncryptedContest:
    response, *others = contest.responses
    changed = list(response)
    changed[place] = (changed[place] + 1) % L
    return replace(contest, responses=((changed[0], changed[1], changed[2]), *others))
